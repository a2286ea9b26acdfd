/**
 * Which primary of a Cluster has which slots. One node is asked once a second, each in its turn, and at once where something failed. What a node
 * says that is behind the others (`cluster_current_epoch`) does not count: it may be cut off from them.
 */
import type { Redis } from 'ioredis';
import { inTime } from '../../async.js';
import type { RedisHost } from '../endpoint.js';
import { SLOTS } from './slots.js';

export interface Topology {
  /** address of the primary that has a slot; undefined: nobody has it */
  ownerOf(slot: number): string | undefined;
  /** addresses of the primaries that have slots */
  primaries(): readonly string[];
  /** Resolves once it is known. Rejects where no node tells it. */
  load(): Promise<void>;
  /** A node has said so. */
  moved(slot: number, address: string): void;
  /** Something failed: a node is asked soon. */
  doubt(): void;
  /** Calls `listener` after each change; returns what ends that. */
  watch(listener: () => void): () => void;
  close(): void;
}

const LOOK_MS = 1000;
const DOUBT_MS = 100;
const ANSWER_MS = 1000;

/** [first slot, last slot, its primary, its replicas …]; of each node: [host, port, id …] */
type SlotRange = [first: number, last: number, ...nodes: (readonly [host: string | null, port: number])[]];

interface Told {
  epoch: number;
  owners: readonly (string | undefined)[];
  primaries: string[];
  others: string[];
}

export const addressOf = ({ host, port }: RedisHost): string => `${host}:${port}`;

export function placeOf(address: string): RedisHost {
  const colon = address.lastIndexOf(':');
  return { host: address.slice(0, colon), port: Number(address.slice(colon + 1)) };
}

/** `open` makes a connection to a node, which does not connect again by itself. */
export function followTopology(seeds: readonly RedisHost[], open: (at: RedisHost) => Redis): Topology {
  const listeners = new Set<() => void>();
  let told: Told = { epoch: -1, owners: [], primaries: [], others: [] };
  let turn = 0;
  let connection: { address: string; redis: Redis } | undefined;
  let timer: NodeJS.Timeout | undefined;
  let asking: Promise<void> | undefined;
  let dueAt = Number.POSITIVE_INFINITY;
  let closed = false;

  const known = (): string[] => [...new Set([...told.primaries, ...told.others, ...seeds.map(addressOf)])];

  async function askNext(): Promise<void> {
    const addresses = known();
    let reason: unknown;
    for (let i = 0; i < addresses.length && !closed; i++) {
      const address = addresses[(turn + i) % addresses.length]!;
      try {
        take(await ask(address));
        turn += i + 1;
        return;
      } catch (error) {
        reason = error;
      }
    }
    throw reason;
  }

  /** why a connection does not work, which what is asked on it does not say */
  let why: Error | undefined;
  const remember = (error: Error): void => {
    why = error;
  };

  async function ask(address: string): Promise<Told> {
    why = undefined;
    const redis = connection?.address === address ? connection.redis : open(placeOf(address));
    if (connection?.redis !== redis) {
      connection?.redis.disconnect();
      connection = { address, redis };
      redis.on('error', remember);
    }
    try {
      const asked = async (): Promise<[string, SlotRange[]]> => {
        if (redis.status === 'wait') await redis.connect();
        return (await Promise.all([redis.cluster('INFO'), redis.cluster('SLOTS')])) as unknown as [string, SlotRange[]];
      };
      const [info, ranges] = await inTime(asked(), ANSWER_MS, 'no answer');
      return readRanges(ranges, info, placeOf(address).host);
    } catch (error) {
      redis.disconnect();
      connection = undefined;
      throw why ?? error;
    }
  }

  function take(next: Told): void {
    if (next.epoch < told.epoch || next.primaries.length === 0) return;
    const same =
      next.primaries.join() === told.primaries.join() && next.owners.every((one, i) => one === told.owners[i]);
    told = next;
    if (!same) for (const listener of listeners) listener();
  }

  function lookIn(ms: number): void {
    const at = performance.now() + ms;
    if (closed || at >= dueAt) return;
    clearTimeout(timer);
    dueAt = at;
    timer = setTimeout(() => {
      dueAt = Number.POSITIVE_INFINITY;
      void look().catch(() => undefined);
    }, ms);
    timer.unref();
  }

  function look(): Promise<void> {
    asking ??= askNext().finally(() => {
      asking = undefined;
      lookIn(LOOK_MS);
    });
    return asking;
  }

  return {
    ownerOf: (slot) => told.owners[slot],
    primaries: () => told.primaries,
    load: look,
    moved(slot, address) {
      if (told.owners[slot] === address) return;
      const owners = [...told.owners];
      owners[slot] = address;
      const primaries = told.primaries.includes(address) ? told.primaries : [...told.primaries, address];
      told = { ...told, owners, primaries };
      for (const listener of listeners) listener();
      lookIn(DOUBT_MS);
    },
    doubt: () => lookIn(DOUBT_MS),
    watch(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close() {
      closed = true;
      clearTimeout(timer);
      connection?.redis.disconnect();
    },
  };
}

function readRanges(ranges: readonly SlotRange[], info: string, asked: string): Told {
  const owners = new Array<string | undefined>(SLOTS).fill(undefined);
  const [primaries, others] = [new Set<string>(), new Set<string>()];
  const nameOf = ([host, port]: readonly [string | null, number]): string => `${host || asked}:${port}`;
  for (const [first, last, primary, ...replicas] of ranges) {
    if (!primary || primary[0] === '?') continue;
    owners.fill(nameOf(primary), first, last + 1);
    primaries.add(nameOf(primary));
    for (const replica of replicas) if (replica[0] !== '?') others.add(nameOf(replica));
  }
  const epoch = Number(/^cluster_current_epoch:(\d+)/m.exec(info)?.[1] ?? 0);
  return { epoch, owners, primaries: [...primaries].sort(), others: [...others].sort() };
}
