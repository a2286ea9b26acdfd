/**
 * What operators ask of the installation, and what they have tried again. Questions have turns of their own, one at a time in each process, so
 * they never hold up look-ups: they share a connection to Redis with these, and ask it one thing after the other. What is asked longer than
 * that is answered 503; the slot is free once Redis has answered.
 */
import { ApiError } from '../../shared/api/errors.js';
import { inTime } from '../../shared/async.js';
import type { HistoryAddress } from '../../shared/history/client.js';
import { readStatus, type Status, type Thresholds } from '../../shared/operation/state.js';
import { createSlots } from '../../shared/slots.js';
import { explainRefusal, isAway, isPassing, isRefusal, type Redis } from '../../shared/streams/client.js';
import { type DeadLetter, listDeadLetters, NotReplayed, replayDeadLetter } from '../../shared/streams/dead-letters.js';
import { keys } from '../../shared/streams/keys.js';
import {
  type EntryPage,
  type EntryPlace,
  type EntryQuestion,
  pageOfAll,
} from '../../shared/streams/partition-entries.js';
import { readPartitions } from '../../shared/streams/partitions.js';
import { listRefused, type RefusedEntry, replayRefused } from '../../shared/streams/refused.js';

/** What is asked of the entries of all partitions. */
export type PlaceQuestion = Pick<EntryQuestion, 'after' | 'limit'>;
export type KnownPage<T> = EntryPage<T> & { away: number[] };

/** Rejects with 503 where Redis cannot be asked, or not in time. */
export interface OperatorDesk {
  status(): Promise<Status>;
  /** the newest first */
  deadLetters(question: PlaceQuestion): Promise<KnownPage<DeadLetter>>;
  /** the oldest first */
  refused(question: PlaceQuestion): Promise<KnownPage<RefusedEntry>>;
  /** Rejects with `NotReplayed` where it cannot be, or is not there. */
  replayDeadLetter(place: EntryPlace): Promise<void>;
  /** false: it is not set aside (any more) */
  replayRefused(place: EntryPlace): Promise<boolean>;
  /** Replays the oldest ones, of those that are there now. `left`: how many there are then. */
  replayAllRefused(most: number): Promise<{ replayed: number; left: number }>;
}

const ANSWER_MS = 5000;
const WAIT_MS = 2000;
const WAITING = 16;
const CLICKHOUSE_MS = 3000;

export function createOperation(redis: Redis, thresholds: Thresholds, history: HistoryAddress): OperatorDesk {
  const slots = createSlots({ total: 1, perHost: 1, waiting: WAITING });

  async function ask<T>(work: () => Promise<T>): Promise<T> {
    const leave = await slots.take('', AbortSignal.timeout(WAIT_MS)).catch(() => undefined);
    if (!leave) throw unavailable('Others ask about the installation at the moment.');
    const asked = work().finally(leave);
    try {
      return await inTime(asked, ANSWER_MS, 'no answer in time: timed out');
    } catch (error) {
      throw isPassing(error) || isRefusal(error) ? unavailable(explainRefusal(error)) : error;
    }
  }

  async function pageOf<T extends EntryPlace>(
    order: EntryQuestion['order'],
    question: PlaceQuestion,
    { keyOf, read }: { keyOf(partition: number): string } & { read: Parameters<typeof pageOfAll<T>>[1] },
  ): Promise<KnownPage<T>> {
    const all = Array.from({ length: await readPartitions(redis) }, (_, p) => p);
    const away = all.filter((p) => isAway(redis, keyOf(p)));
    const partitions = all.filter((p) => !away.includes(p));
    return { ...(await pageOfAll<T>({ ...question, order, partitions }, read)), away };
  }

  /** Of a partition that there is none of, nothing is written. */
  const isThere = async ({ partition }: EntryPlace): Promise<boolean> => partition < (await readPartitions(redis));

  return {
    status: () => ask(() => readStatus(redis, thresholds, history, CLICKHOUSE_MS)),
    deadLetters: (question) =>
      ask(() =>
        pageOf<DeadLetter>('newest first', question, {
          keyOf: keys.dead,
          read: (p, from, most) => listDeadLetters(redis, p, most, from === '' ? '+' : from),
        }),
      ),
    refused: (question) =>
      ask(() =>
        pageOf<RefusedEntry>('oldest first', question, {
          keyOf: keys.refused,
          read: (p, from, most) => listRefused(redis, p, { from: from === '' ? '-' : from, to: '+', most }),
        }),
      ),
    replayDeadLetter: (place) =>
      ask(async () => {
        if (!(await isThere(place))) throw new NotReplayed('there is no such partition', true);
        await replayDeadLetter(redis, place.partition, place.id);
      }),
    replayRefused: (place) =>
      ask(async () => (await isThere(place)) && (await replayRefused(redis, place.partition, place.id))),
    replayAllRefused: (most) => ask(() => replayAll(redis, most)),
  };
}

const unavailable = (why: string): ApiError => new ApiError('unavailable', `${why} Try again.`);

async function replayAll(redis: Redis, most: number): Promise<{ replayed: number; left: number }> {
  const partitions = Array.from({ length: await readPartitions(redis) }, (_, p) => p);
  const { entries } = await pageOfAll<RefusedEntry>(
    {
      partitions: partitions.filter((p) => !isAway(redis, keys.refused(p))),
      order: 'oldest first',
      after: undefined,
      limit: most,
    },
    (p, from, most) => listRefused(redis, p, { from: from === '' ? '-' : from, to: '+', most }),
  );
  let replayed = 0;
  for (const { partition, id } of entries) if (await replayRefused(redis, partition, id)) replayed++;
  const lengths = await Promise.all(
    partitions.map((p) => (isAway(redis, keys.refused(p)) ? 0 : redis.xlen(keys.refused(p)))),
  );
  return { replayed, left: lengths.reduce((sum, length) => sum + length, 0) };
}
