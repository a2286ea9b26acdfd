/** How far the evaluators of a work stream are behind. */
import { isOutOfMemory, type Redis } from './client.js';
import { GROUP, keys, type Lane, type WorkStream } from './keys.js';
import { script } from './script.js';
import { sendTogether } from './send.js';

export interface Pressure {
  /** age in ms; 0 when everything has been read */
  oldestUnread: number;
  entries: number;
  pending: number;
  /** id of the oldest unread entry, if there is one; `ahead`: Redis's clock was set back, and the id lies ahead of it */
  oldest?: { ms: number; number: number; ahead: boolean };
}

const measure = script('work/measure-pressure');
const storeInFull = script('work/store-pressure');

/** By stream: the last id that was read, and that of the oldest unread entry. */
export type SeenUnread = Map<string, readonly [last: string, oldest: string]>;

/** `seen`: of earlier calls. With it Redis reads a large entry once, and not at each call. */
export async function measurePressure(
  redis: Redis,
  { partition, lane }: WorkStream,
  seen: SeenUnread = new Map(),
): Promise<Pressure> {
  const key = keys.checks(partition, lane);
  const reply = (await measure(redis, [key], [GROUP, ...(seen.get(key) ?? ['', ''])])) as Reply;
  const [oldestUnread, entries, pending, ms, number, ahead, last, id] = reply;
  if (last === undefined) seen.delete(key);
  else seen.set(key, [last, id!]);
  const oldest = ms === undefined ? {} : { oldest: { ms, number: number!, ahead: ahead === 1 } };
  return { oldestUnread, entries, pending, ...oldest };
}

type Reply = [
  oldestUnread: number,
  entries: number,
  pending: number,
  ms?: number,
  number?: number,
  ahead?: number,
  last?: string,
  id?: string,
];

/** Those of `streams` that have entries, read or not: one small command for each of the others is all that they cost. */
export async function withEntries<S extends WorkStream>(redis: Redis, streams: readonly S[]): Promise<S[]> {
  const lengths = await sendTogether(
    redis,
    streams.map(({ partition, lane }) => ['XLEN', keys.checks(partition, lane)]),
  );
  const failed = lengths.find((length) => length instanceof Error);
  if (failed) throw failed;
  return streams.filter((_, i) => lengths[i] !== 0);
}

/** What one process has measured for all, of the work streams of one Redis. */
export interface PressureSample {
  /** ms, by lane: age of the oldest entry that no worker has read */
  age: Readonly<Record<Lane, number>>;
  /** by lane: entries that no worker has read */
  unread: Readonly<Record<Lane, number>>;
  /** used share of the `maxmemory` of Redis; 0 when none is set */
  memory: number;
  /** of Redis, which are connected */
  replicas: number;
  /** who has measured, and in which round: no two samples are alike */
  by: string;
  round: number;
}

/** How long a sample is kept. */
const KEPT_MS = 2000;

/** The sample that is stored for `partition` and those that share its Redis, as text; '' when there is none. */
export async function storedSample(redis: Redis, partition: number): Promise<string> {
  return (await redis.get(keys.pressure(partition))) ?? '';
}

/** Stores a sample in place of the one that is stored, which is returned; '' when there was none. A full Redis takes it, too. */
export async function storeSample(redis: Redis, partition: number, sample: string): Promise<string> {
  const key = keys.pressure(partition);
  try {
    return (await redis.set(key, sample, 'PX', KEPT_MS, 'GET')) ?? '';
  } catch (error) {
    if (!isOutOfMemory(error)) throw error;
    return (await storeInFull(redis, [key], [sample, KEPT_MS])) as string;
  }
}
