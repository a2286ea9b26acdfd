/** How far each log is read for metrics. The scripts state their contracts. */
import { keys } from '../../shared/streams/keys.js';
import { type Connection, script } from '../../shared/streams/script.js';

const take = script('metrics/take-place');
const move = script('metrics/move-place');

export interface Place {
  /** id of the log that is read next */
  next: string;
  /** entries that were dropped unread, since the log is read for metrics */
  dropped: number;
}

/** Where the log of `p` is read on. With `make` false, undefined where it is not read for metrics. */
export async function placeOf(redis: Connection, p: number, make: boolean): Promise<Place | undefined> {
  if (!make && (await redis.exists(keys.metricsPlace(p))) === 0) return undefined;
  const [next, dropped] = (await take(redis, [keys.metricsPlace(p), keys.position(p)], [])) as [string, string];
  return { next, dropped: Number(dropped) };
}

export interface Read {
  partition: number;
  from: string;
  to: string;
  bytes: number;
  entries: number;
}

/** False when the place was no longer at `from`. */
export async function movePlace(redis: Connection, { partition: p, from, to, bytes, entries }: Read): Promise<boolean> {
  const scriptKeys = [keys.metricsPlace(p), keys.results(p), keys.position(p)];
  return (await move(redis, scriptKeys, [from, to, bytes, entries])) === 1;
}

/** The log of `p` is no longer read, and keeps nothing for it. */
export async function leavePlace(redis: Connection, p: number): Promise<void> {
  await redis.del(keys.metricsPlace(p));
}
