/**
 * Takes over entries whose worker has been silent for `claimIdleMs`. A round runs from a timer:
 *
 *     listing ──> in groups ──> listing the next partition … ──> retrying alone (in the background) ──> idle
 *
 * - *listing*: asks Redis for silent entries, partition by partition. Each round is told the partitions.
 * - *in groups*: entries that may be tried together once more (`attemptsTogether`). Their worker ended, most likely not because of one
 *   of them. A group waits for room and for a slot, and is claimed then.
 * - *retrying alone*: entries that have had those attempts. One of them may end workers, so each is handled by itself, one after the
 *   other. That takes no slot: it has a thread of its own. Until all have been retried, later rounds take over groups only.
 *
 * Claiming counts the attempt, so an entry is claimed only when it can start. An innocent entry loses no attempt by waiting behind
 * one that ends its worker.
 */

import type { Logger } from '../../shared/log.js';
import { loudness, type Redis } from '../../shared/streams/client.js';
import { GROUP, keys, type WorkStream } from '../../shared/streams/keys.js';
import { type RawEntry, rawEntry, readBodies, type StreamEntry } from './entry.js';
import { listSilentEntries } from './pending.js';
import type { Pass } from './turns.js';

export interface TakeOverOptions {
  /** the consumer that takes over */
  name: string;
  redis: Redis;
  lane: WorkStream['lane'];
  /** entries of one partition that are handed over together */
  chunk: number;
  /** up to which attempt entries may be handed over together */
  attemptsTogether: number;
  claimIdleMs: number;
  logger: Logger;
  running(): boolean;
  /** whether this consumer holds the entry, or leaves it to others */
  holds(partition: number, id: string): boolean;
  /** Resolves once there is room for more entries. */
  room(): Promise<void>;
  /** Resolves once a slot is taken. */
  slot(): Promise<Taken>;
  /** Hands entries over; resolves when they are finished or set aside. Never rejects. */
  hand(entries: RawEntry[], pass: Pass): Promise<void>;
}

/** A slot that was taken. `free` gives it back. */
export interface Taken {
  free(): void;
  pass: Pass;
}

interface Silent {
  partition: number;
  id: string;
  /** the attempt that would be made now */
  attempt: number;
}

/** Entries that are listed in one call. */
const PAGE = 256;

/** Returns a function that makes one round over partitions. It resolves when the groups are claimed, and does not wait for retries alone. */
export function createTakeOver(options: TakeOverOptions): (partitions: readonly number[]) => Promise<void> {
  let retrying = false;

  async function retryAlone(alone: readonly Silent[]): Promise<void> {
    retrying = true;
    try {
      for (const one of alone) {
        if (!options.running()) return;
        await (await takeOver(options, [one], takeNone)).done;
      }
    } catch (error) {
      // The next round finds them again.
      options.logger[loudness(error)]({ error: String(error) }, 'retrying entries alone failed; trying again');
    } finally {
      retrying = false;
    }
  }

  return async (partitions) => {
    const alone: Silent[] = [];
    for (const p of partitions) if (options.running()) alone.push(...(await takeOverGroups(options, p)));
    // One of them may take as long as the hard limit: groups do not wait for it.
    if (!retrying && alone.length > 0) void retryAlone(alone);
  };
}

/** Takes over the groups of a partition; returns the entries that are to run alone. */
async function takeOverGroups(options: TakeOverOptions, partition: number): Promise<Silent[]> {
  const { redis, lane, claimIdleMs: idleMs, chunk } = options;
  const alone: Silent[] = [];
  for (let from = '-'; options.running(); ) {
    const page = await listSilentEntries(redis, { partition, lane }, { idleMs, from, most: PAGE });
    const silent = page
      .filter(({ id }) => !options.holds(partition, id))
      .map(({ id, delivered }) => ({ partition, id, attempt: delivered + 1 }));
    const together = silent.filter(({ attempt }) => attempt <= options.attemptsTogether);
    for (let i = 0; i < together.length && options.running(); i += chunk) {
      await takeOver(options, together.slice(i, i + chunk), options.slot);
    }
    alone.push(...silent.filter(({ attempt }) => attempt > options.attemptsTogether));
    if (page.length < PAGE) break;
    from = `(${page.at(-1)!.id}`;
  }
  return alone;
}

/** Waits for room and a slot, then claims entries of one partition and hands them over. `done` resolves when they are finished. */
async function takeOver(
  options: TakeOverOptions,
  some: readonly Silent[],
  slot: TakeOverOptions['slot'],
): Promise<{ done: Promise<void> }> {
  await options.room();
  const { free, pass } = await slot();
  let entries: RawEntry[] = [];
  try {
    if (options.running()) entries = await claim(options, some);
  } finally {
    if (entries.length === 0) free();
  }
  if (entries.length === 0) return { done: Promise.resolve() };
  const { partition, attempt } = entries[0]!;
  const ids = entries.map(({ id }) => id);
  options.logger.warn({ entries: ids, partition, attempt }, 'taking over entries whose worker is silent');
  return { done: options.hand(entries, pass).finally(free) };
}

const takeNone: TakeOverOptions['slot'] = async () => ({ free: () => undefined, pass: async () => undefined });

/** Claims those entries that are still silent: one that another worker has taken meanwhile stays with that worker. */
async function claim(
  { redis, lane, name, claimIdleMs }: TakeOverOptions,
  some: readonly Silent[],
): Promise<RawEntry[]> {
  const { partition } = some[0]!;
  const ids = some.map(({ id }) => id);
  const call = ['XCLAIM', keys.checks(partition, lane), GROUP, name, claimIdleMs, ...ids] as const;
  const claimed = (await redis.callBuffer(...call)) as StreamEntry[];
  const attempts = new Map(some.map(({ id, attempt }) => [id, attempt]));
  const entries = claimed.map((one) => rawEntry({ partition, lane }, one, attempts.get(one[0].toString('latin1'))!));
  await readBodies(redis, entries);
  return entries;
}
