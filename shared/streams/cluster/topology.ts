/**
 * Which primary of a Cluster has which slots. One node is asked once a second, each in its turn, and at once where something failed. What a node
 * says that is behind the others (`cluster_current_epoch`) does not count: it may be cut off from them.
 */
import type { Redis } from 'ioredis';
import { inTime } from '../../async.js';
import type { RedisHost } from '../endpoint.js';
import { SLOTS } from './slots.js';

/** The newest writes to some slots may be lost. */
export interface SlotLoss {
  /** when that was noticed: Unix ms */
  at: number;
  /** what is lost was written before: Unix ms; absent: before the logs are looked at */
  before?: number;
}

export interface Topology {
  /** address of the primary that has a slot; undefined: nobody has it */
  ownerOf(slot: number): string | undefined;
  /** addresses of the primaries that have slots */
  primaries(): readonly string[];
  /** Resolves once it is known. Rejects where no node tells it. */
  load(): Promise<void>;
  /** A node has said so. */
  moved(slot: number, address: string): void;
  /** A connection to this node says which process answers there. */
  answers(address: string, runId: string | undefined): void;
  /**
   * The last time that writes to a slot may have been lost; undefined: never, as far as the nodes tell. Rejects where they do not tell who
   * has the slot.
   */
  lossOf(slot: number): Promise<SlotLoss | undefined>;
  /** Something failed: a node is asked soon. */
  doubt(): void;
  /** Calls `listener` after each change; returns what ends that. */
  watch(listener: () => void): () => void;
  close(): void;
}

const LOOK_MS = 1000;
const DOUBT_MS = 100;
const ANSWER_MS = 1000;
/** How often nodes are asked who has a slot that one of them said has moved. */
const TRIES = 6;
/** How long a node that nobody hears may go on, at most: it takes no more writes when `cluster-node-timeout` is over. */
const CUT_OFF_MS = 60_000;
/** A fault this long ago counts no more: all of before is archived. */
const EARLIER_MS = 3_600_000;
/** By how much clocks of nodes may differ. */
const CLOCKS_MS = 5000;

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
  /** what was told last by a node that was asked, without what others said since (`moved`) */
  let seen = told;
  const losses = new Map<number, SlotLoss>();
  const runs = new Map<string, string>();
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
      const next = readRanges(ranges, info, placeOf(address).host);
      if (told.epoch === -1) await noteEarlier(next, redis);
      if (next.epoch >= told.epoch) await noteReplaced(seen, next, redis);
      return next;
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
    seen = next;
    if (!same) for (const listener of listeners) listener();
  }

  /** What was lost before this process was here, it has not seen. So any slot may have lost what was written until the last fault of a node. */
  async function noteEarlier({ owners }: Told, asked: Redis): Promise<void> {
    const questions = [asked.time(), asked.call('CLUSTER', 'NODES'), asked.call('CLUSTER', 'LINKS')];
    const answers = await inTime(Promise.all(questions), ANSWER_MS, 'no answer').catch(() => undefined);
    const now = Date.now();
    // Where they are not told it may have been just now.
    const at = answers ? now - silentFor(...(answers as [number[], string, unknown[][]])) : now;
    if (at < now - EARLIER_MS) return;
    const loss: SlotLoss = { at: Math.min(at, now), before: at + CLOCKS_MS };
    owners.forEach((_, slot) => void losses.set(slot, loss));
  }

  /** Slots that have another primary, in place of one that is dead for the node which says so. */
  async function noteReplaced(before: Told, now: Told, asked: Redis): Promise<void> {
    const replaced: { old: string; slot: number }[] = [];
    before.owners.forEach((old, slot) => {
      const owner = now.owners[slot];
      if (old !== undefined && owner !== undefined && owner !== old) replaced.push({ old, slot });
    });
    if (replaced.length === 0) return;
    const said = await inTime(asked.cluster('NODES'), ANSWER_MS, 'no answer').catch(() => '');
    const living = livingIn(String(said));
    const loss: SlotLoss = { at: Date.now() };
    for (const { old, slot } of replaced) if (!living.has(old)) losses.set(slot, loss);
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
    answers(address, runId) {
      const known = runs.get(address);
      if (runId === undefined || known === runId) return;
      runs.set(address, runId);
      if (known === undefined) return;
      const loss: SlotLoss = { at: Date.now() };
      seen.owners.forEach((owner, slot) => {
        if (owner === address) losses.set(slot, loss);
      });
    },
    async lossOf(slot) {
      for (let tries = 0; told.owners[slot] !== seen.owners[slot]; tries++) {
        if (tries === TRIES) throw new Error('connection: the nodes of the Cluster do not tell who has a slot');
        await look().catch(() => undefined);
      }
      return losses.get(slot);
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

/** Addresses of the nodes that are not taken for dead, by what CLUSTER NODES says. */
function livingIn(said: string): Set<string> {
  const living = new Set<string>();
  for (const line of said.split('\n')) {
    const [, place = '', flags = ''] = line.split(' ');
    const [, host, port, name] = /^(.*):(\d+)(?:@\d+)?(?:,([^,=]*))?/.exec(place) ?? [];
    if (port === undefined || /\bfail\b/.test(flags)) continue;
    living.add(`${host}:${port}`);
    if (name) living.add(`${name}:${port}`);
  }
  return living;
}

/**
 * How long ago a node was not heard last: ms. Nodes have links to each other. A link is made anew where its node has started again or was
 * silent for half of `cluster-node-timeout`, which it is before it is replaced.
 */
function silentFor([seconds, micros]: readonly number[], nodes: string, links: readonly unknown[][]): number {
  const made = new Map<string, number>();
  for (const link of links) {
    const fields = new Map(link.map((name, i) => [String(name), link[i + 1]]));
    if (fields.get('direction') === 'to') made.set(String(fields.get('node')), Number(fields.get('create-time')));
  }
  let last = 0;
  for (const line of nodes.split('\n')) {
    const [id = '', , flags = '', , , heard] = line.split(' ');
    // The link to a node that is dead is made again and again.
    const at = /\bfail\b(?!\?)/.test(flags) ? Number(heard) + CUT_OFF_MS : (made.get(id) ?? 0);
    last = Math.max(last, at);
  }
  return Number(seconds) * 1000 + Number(micros) / 1000 - last;
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
