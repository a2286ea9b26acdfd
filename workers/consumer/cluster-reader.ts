/**
 * Reads new entries of a share of the partitions of a Cluster, where a command may name one partition only:
 *
 *     waiting ──every slot is taken, entries are read all the same──> polling ──nothing is there──> waiting
 *
 * - *waiting*: each partition has a blocking read, on a connection to the node that has it (`reader.ts`). The first one with entries ends the
 *   waiting; the others stay under way.
 * - *polling*: one read of each partition, those of a node in one piece.
 *
 * A read that fails is made again, on a new connection and where the partition is then; the other partitions go on.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { repeat } from '../../shared/async.js';
import { hash32 } from '../../shared/ids.js';
import type { Logger } from '../../shared/log.js';
import { loudness, nodeOf, type Redis } from '../../shared/streams/client.js';
import type { RedisHost } from '../../shared/streams/endpoint.js';
import { LOOK_MS, lookAtFleet } from '../../shared/streams/fleet.js';
import { keys } from '../../shared/streams/keys.js';
import { sendTogether } from '../../shared/streams/send.js';
import { type RawEntry, readBodies } from './entry.js';
import {
  areLarge,
  entriesIn,
  openReader,
  prepare,
  type ReaderOptions,
  type StreamRead,
  type WorkReader,
} from './reader.js';

export interface ClusterReaderOptions extends Omit<ReaderOptions, 'partitions' | 'at'> {
  redis: Redis;
  /** how many there are now; it only grows */
  partitions(): number;
  logger: Logger;
}

/** Workers that read a partition: where one comes or goes, the other reads on. */
const READERS = 2;
/** How often a worker asks for its share, until it is among the live ones. */
const NEW_MS = 100;
/** How long entries of a read that failed are left, before it is made again. */
const AGAIN_MS = 100;

/** A partition of the share. */
interface SharedPartition {
  /** itself: what is read of it */
  partitions: readonly number[];
  reader: WorkReader | undefined;
  /** its blocking read is under way */
  waiting: boolean;
}

export function createClusterReader(options: ClusterReaderOptions): WorkReader {
  const { redis, name, logger } = options;
  const share = new Map<number, SharedPartition>();
  const own = (): readonly number[] => [...share.keys()];
  /** polls as they are sent, until the share changes */
  const reads = new Map<string, StreamRead>();
  const arrived: RawEntry[] = [];
  let wake = (): void => undefined;
  let closed = false;
  /** entries were read while every slot was taken: more may be there */
  let busy = false;
  let large = false;
  let turn = 0;
  /** the number of partitions and the live workers among which they were dealt out last */
  let dealt = '';

  function placeOf(partition: number): RedisHost {
    const { host, port } = nodeOf(redis, keys.checks(partition))?.options ?? {};
    if (host === undefined || port === undefined)
      throw new Error('connection: no node of the Cluster has the partition');
    return { host, port };
  }

  /** Makes a blocking read of a partition, unless one is under way. */
  async function waitFor(one: SharedPartition): Promise<void> {
    if (one.waiting) return;
    one.waiting = true;
    try {
      const { partitions } = one;
      one.reader ??= await openReader({ ...options, partitions: () => partitions, at: placeOf(partitions[0]!) });
      const entries = await one.reader.read(true);
      arrived.push(...entries);
    } catch (error) {
      one.reader?.close();
      one.reader = undefined;
      if (!closed && share.get(one.partitions[0]!) === one) {
        logger[loudness(error)]({ error: String(error) }, 'reading work failed; connecting again');
        await sleep(AGAIN_MS * (1 + Math.random()));
      }
    } finally {
      one.waiting = false;
      wake();
    }
  }

  function readOf(partition: number): StreamRead {
    const name = `${partition} ${large}`;
    const read = reads.get(name) ?? prepare({ ...options, partitions: own }, [partition], { waits: false, large });
    reads.set(name, read);
    return read;
  }

  /** Reads some partitions without waiting. Those that cannot be read are left to their blocking reads. */
  async function poll(partitions: readonly number[]): Promise<RawEntry[]> {
    const some = partitions.map(readOf);
    const replies = await sendTogether(
      redis,
      some.map(({ command }) => command),
    ).catch(() => []);
    const entries = replies.flatMap((reply, i) =>
      reply instanceof Error ? [] : entriesIn(reply, some[i]!, options.lane),
    );
    await readBodies(redis, entries);
    if (entries.length > 0) large = areLarge(entries);
    return entries;
  }

  async function pollAll(): Promise<RawEntry[]> {
    const partitions = own();
    if (!options.oneByOne) return await poll(partitions);
    for (let i = 0; i < partitions.length; i++) {
      const entries = await poll([partitions[turn++ % partitions.length]!]);
      if (entries.length > 0) return entries;
    }
    return [];
  }

  /** Keeps its share where the live workers are not known. */
  async function assign(): Promise<boolean> {
    // Until it is among the live ones, it asks anew each time.
    const fleet = await lookAtFleet(redis, dealt.includes(name) ? LOOK_MS / 2 : 0).catch(() => undefined);
    if (!fleet || closed) return false;
    const names = fleet.names('worker');
    const isLive = names.includes(name);
    const seen = `${options.partitions()} ${[...names].sort().join()}`;
    if (seen === dealt) return isLive;
    dealt = seen;
    const now = shareOf(name, names, options.partitions());
    reads.clear();
    for (const partition of now) {
      if (share.has(partition)) continue;
      const one: SharedPartition = { partitions: [partition], reader: undefined, waiting: false };
      share.set(partition, one);
      void waitFor(one);
    }
    for (const [partition, { reader }] of share) {
      if (now.has(partition)) continue;
      share.delete(partition);
      reader?.close();
    }
    return isLive;
  }

  let stopAssigning = repeat(NEW_MS, async () => {
    if (!(await assign())) return;
    stopAssigning();
    if (!closed) stopAssigning = repeat(LOOK_MS, async () => void (await assign()));
  });

  return {
    async read(wait) {
      if (arrived.length > 0) return arrived.splice(0);
      if (!wait || busy) {
        busy = !wait;
        const entries = await pollAll();
        if (!wait || entries.length > 0) return entries;
      }
      const woken = new Promise<void>((resolve) => {
        wake = resolve;
      });
      for (const one of share.values()) void waitFor(one);
      if (share.size === 0) await sleep(NEW_MS);
      else if (arrived.length === 0) await woken;
      return arrived.splice(0);
    },
    close() {
      closed = true;
      stopAssigning();
      for (const { reader } of share.values()) reader?.close();
      wake();
    },
  };
}

/** The partitions that a worker reads among live ones: those for which it has one of the highest scores (rendezvous hashing). */
export function shareOf(name: string, names: readonly string[], partitions: number): Set<number> {
  const scored = (each: string, p: number): number => hash32(`${p} ${each}`);
  const own = new Set<number>();
  if (!names.includes(name)) return own;
  for (let p = 0; p < partitions; p++) {
    const score = scored(name, p);
    const before = names.filter((other) => other !== name && scored(other, p) > score).length;
    if (before < READERS) own.add(p);
  }
  return own;
}
