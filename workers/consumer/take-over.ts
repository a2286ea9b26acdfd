/**
 * Takes over entries whose worker has been silent. What becomes of one depends on how often it was handed out:
 *
 *     once ──> in a group, as entries are read: its worker ended, most likely not because of this entry
 *     more often ──> alone: its group may have ended a second worker, and now only the entry that is at fault can end another
 *
 * A claim counts the attempt, so an entry is claimed only when it is its turn: groups when a place is free, entries alone one
 * after the other. An innocent entry thus loses no attempt by waiting behind one that ends its worker.
 */
import type { Logger } from '../../shared/log.js';
import type { Redis } from '../../shared/streams/client.js';
import { GROUP, keys, type Place } from '../../shared/streams/keys.js';
import { silentEntries } from '../../shared/streams/scripts.js';
import { type RawEntry, rawEntry, type StreamEntry } from './entry.js';
import { listSilentEntries } from './pending.js';

export interface TakeOverOptions {
  /** the consumer that takes over */
  name: string;
  redis: Redis;
  partitions(): number;
  lane: Place['lane'];
  /** entries of one partition that are handed over together */
  chunk: number;
  /** up to which attempt entries may be handed over together */
  attemptsTogether: number;
  claimIdleMs: number;
  logger: Logger;
  running(): boolean;
  /** whether this consumer holds the entry */
  holds(partition: number, id: string): boolean;
  /** Resolves once there is room for more entries. */
  room(): Promise<void>;
  /** Resolves once a place is taken, to what gives it back. */
  place(): Promise<() => void>;
  /** Hands entries over; resolves when they are finished or have gone apart. Never rejects. */
  hand(entries: RawEntry[]): Promise<void>;
}

interface Silent {
  partition: number;
  id: string;
  /** the attempt that would be made now */
  attempt: number;
}

/** Entries that are listed in one call. */
const PAGE = 256;

/** One round of taking over: it has claimed what was silent and may come in groups, and begun to retry what runs alone. */
export function createTakeOver(options: TakeOverOptions): () => Promise<void> {
  const { redis, lane, name, logger } = options;
  let retrying = false;

  async function claim(some: readonly Silent[]): Promise<RawEntry[]> {
    const { partition } = some[0]!;
    const ids = some.map(({ id }) => id);
    // What somebody else has taken meanwhile is not silent any more, and stays with him.
    const call = ['XCLAIM', keys.checks(partition, lane), GROUP, name, options.claimIdleMs, ...ids] as const;
    const claimed = (await redis.callBuffer(...call)) as StreamEntry[];
    const attempts = new Map(some.map(({ id, attempt }) => [id, attempt]));
    return claimed.map((one) => rawEntry({ partition, lane }, one, attempts.get(one[0].toString('latin1'))!));
  }

  /** A group is claimed in a place of its own. What runs alone needs none: it has a thread for that. */
  async function takeOver(some: readonly Silent[], place: 'place' | 'alone'): Promise<{ done: Promise<void> }> {
    await options.room();
    const leave = place === 'place' ? await options.place() : (): void => undefined;
    let entries: RawEntry[] = [];
    try {
      if (options.running()) entries = await claim(some);
    } finally {
      if (entries.length === 0) leave();
    }
    if (entries.length === 0) return { done: Promise.resolve() };
    const { partition, attempt } = entries[0]!;
    const ids = entries.map(({ id }) => id);
    logger.warn({ entries: ids, partition, attempt }, 'taking over entries whose worker is silent');
    return { done: options.hand(entries).finally(leave) };
  }

  /** Takes over what may come in groups; returns what is to run alone. */
  async function takeOverGroups(partition: number): Promise<Silent[]> {
    const alone: Silent[] = [];
    for (let from = '-'; options.running(); ) {
      const page = await listSilentEntries(
        redis,
        { partition, lane },
        { idleMs: options.claimIdleMs, from, most: PAGE },
      );
      const silent = page
        .filter(({ id }) => !options.holds(partition, id))
        .map(({ id, delivered }) => ({ partition, id, attempt: delivered + 1 }));
      const together = silent.filter(({ attempt }) => attempt <= options.attemptsTogether);
      for (let i = 0; i < together.length && options.running(); i += options.chunk) {
        await takeOver(together.slice(i, i + options.chunk), 'place');
      }
      alone.push(...silent.filter(({ attempt }) => attempt > options.attemptsTogether));
      if (page.length < PAGE) break;
      from = `(${page.at(-1)!.id}`;
    }
    return alone;
  }

  async function retryAlone(alone: readonly Silent[]): Promise<void> {
    retrying = true;
    try {
      for (const one of alone) {
        if (!options.running()) return;
        await (await takeOver([one], 'alone')).done;
      }
    } catch (error) {
      // They are found again in the next round.
      logger.warn({ error: String(error) }, 'retrying entries alone failed; trying again');
    } finally {
      retrying = false;
    }
  }

  return async () => {
    const alone: Silent[] = [];
    for (let p = 0; p < options.partitions() && options.running(); p++) alone.push(...(await takeOverGroups(p)));
    // One of them may take as long as the hard limit: groups do not wait for it.
    if (!retrying && alone.length > 0) void retryAlone(alone);
  };
}
