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

export async function measurePressure(redis: Redis, { partition, lane }: WorkStream): Promise<Pressure> {
  const reply = (await measure(redis, [keys.checks(partition, lane)], [GROUP])) as number[];
  const [oldestUnread, entries, pending, ms, number, ahead] = reply as [number, number, number, ...number[]];
  const oldest = ms === undefined ? {} : { oldest: { ms, number: number!, ahead: ahead === 1 } };
  return { oldestUnread, entries, pending, ...oldest };
}
