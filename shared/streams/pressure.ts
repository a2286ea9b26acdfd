/** How far the evaluators of a work stream are behind. */
import type { Redis } from './client.js';
import { GROUP, keys, type WorkStream } from './keys.js';
import { script } from './script.js';

export interface Pressure {
  /** age in ms; 0 when everything has been read */
  oldestUnread: number;
  entries: number;
  pending: number;
  /** id of the oldest unread entry, if there is one; `ahead`: Redis's clock was set back, and the id lies ahead of it */
  oldest?: { ms: number; number: number; ahead: boolean };
}

const measure = script('work/measure-pressure');

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
