/** How far each follower has read a log. The scripts state their contracts. */

import type { Redis } from '../../shared/streams/client.js';
import { FOLLOWERS, type Follower, keys } from '../../shared/streams/keys.js';
import { script } from '../../shared/streams/script.js';
import { deleteDroppedSegments } from '../../shared/streams/segments.js';
import { sendTogether } from '../../shared/streams/send.js';

const take = script('log/take-place');
const move = script('log/move-place');

export interface Place {
  /** id of the log that is read next */
  next: string;
  /** entries that were dropped unread, since the follower reads the log */
  dropped: number;
  /** first id from there on; empty: there is none */
  oldest: string;
  /** Unix ms by the clock of Redis */
  now: number;
}

/** What two small commands tell of a log. */
export interface LogLook {
  partition: number;
  /** the follower has a place in it: the log keeps what comes from now on */
  placed: boolean;
  /** as of its {@link Place} */
  dropped: number;
  entries: number;
}

/** Looks at logs, in the order of `partitions`. Rejects with the first error. */
export async function lookAtLogs(redis: Redis, follower: Follower, partitions: readonly number[]): Promise<LogLook[]> {
  const commands = partitions.flatMap((p) => [
    ['HGET', keys.place(follower, p), 'dropped'],
    ['XLEN', keys.results(p)],
  ]);
  const answers = await sendTogether(redis, commands);
  const failed = answers.find((answer) => answer instanceof Error);
  if (failed) throw failed;
  return partitions.map((partition, i) => {
    const [dropped, entries] = [answers[2 * i], answers[2 * i + 1]];
    return { partition, placed: dropped !== null, dropped: Number(dropped), entries: Number(entries) };
  });
}

/** Where a follower reads the log of `p` on. It has a place there from then on. */
export async function placeOf(redis: Redis, follower: Follower, p: number): Promise<Place> {
  const reply = await take(redis, [keys.place(follower, p), keys.position(p), keys.results(p)], []);
  const [next, dropped, oldest, now] = reply as [string, string, string, number];
  return { next, dropped: Number(dropped), oldest, now };
}

export interface LogRead {
  partition: number;
  from: string;
  to: string;
  bytes: number;
  entries: number;
}

/** False when the place was no longer at `from`. */
export async function movePlace(redis: Redis, follower: Follower, read: LogRead): Promise<boolean> {
  const { partition: p, from, to, bytes, entries } = read;
  const others = FOLLOWERS.filter((each) => each !== follower).map((each) => keys.place(each, p));
  const scriptKeys = [keys.place(follower, p), keys.results(p), keys.position(p), keys.logSegments(p), ...others];
  const moved = await move(redis, scriptKeys, [from, to, bytes, entries]);
  // Where it fails, the next move does it.
  if (moved === 2) await deleteDroppedSegments(redis, p).catch(() => undefined);
  return moved !== 0;
}

/** The follower no longer reads the log of `p`, which keeps nothing for it. */
export async function leavePlace(redis: Redis, follower: Follower, p: number): Promise<void> {
  await redis.del(keys.place(follower, p));
}
