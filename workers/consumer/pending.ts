/** Entries that a consumer of the group has read and not finished, and the consumers that hold them. */
import type { Redis } from '../../shared/streams/client.js';
import { GROUP, keys, type WorkStream } from '../../shared/streams/keys.js';
import { script } from '../../shared/streams/script.js';

const renew = script('work/renew-entries');
const list = script('work/list-silent-entries');
const remove = script('work/delete-consumers');

/** Keeps `entries` pending for `consumer`. Returns how many of them it still holds. */
export async function renewEntries(
  redis: Redis,
  { partition, lane }: WorkStream,
  consumer: string,
  entries: readonly string[],
): Promise<number> {
  return (await renew(redis, [keys.checks(partition, lane)], [GROUP, consumer, ...entries])) as number;
}

/** At most `most` entries whose consumer has been silent for `idleMs`. They begin at `from`: '-', or '(' and an id. */
export async function listSilentEntries(
  redis: Redis,
  { partition, lane }: WorkStream,
  { idleMs, from, most }: { idleMs: number; from: string; most: number },
): Promise<{ id: string; delivered: number }[]> {
  const found = await list(redis, [keys.checks(partition, lane)], [GROUP, idleMs, most, from]);
  return (found as [string, string, number, number][]).map(([id, , , delivered]) => ({ id, delivered }));
}

/** How silent the owner of an entry that was given back seems to be: longer than any claim lasts. */
const GIVEN_BACK_MS = 3_600_000;

/** Gives entries back to the group: whoever takes over silent entries may have them at once, and the attempt does not count. */
export async function giveBack(
  redis: Redis,
  { partition, lane }: WorkStream,
  consumer: string,
  entries: readonly { id: string; attempt: number }[],
): Promise<void> {
  const claims = entries.map(({ id, attempt }) => {
    const count = Math.max(0, attempt - 1);
    const given = [keys.checks(partition, lane), GROUP, consumer, 0, id, 'IDLE', GIVEN_BACK_MS, 'RETRYCOUNT', count];
    return redis.call('XCLAIM', ...given, 'JUSTID');
  });
  await Promise.all(claims);
}

/** Entries that a stop gives back, of one partition. */
const MOST_GIVEN_BACK = 1000;

/**
 * Gives back all entries of a partition that are pending for `consumer`, which has stopped. The attempt counts for those that it has begun
 * (`begun`), and not for those that were still on their way to it.
 */
export async function giveBackAll(
  redis: Redis,
  stream: WorkStream,
  consumer: string,
  begun: (id: string) => boolean,
): Promise<void> {
  const key = keys.checks(stream.partition, stream.lane);
  const pending = (await redis.xpending(key, GROUP, '-', '+', MOST_GIVEN_BACK, consumer)) as PendingEntry[];
  const entries = pending.map(([id, , , delivered]) => ({ id, attempt: begun(id) ? delivered + 1 : delivered }));
  await giveBack(redis, stream, consumer, entries);
}

type PendingEntry = [id: string, consumer: string, idle: number, delivered: number];

/** Deletes consumers that hold no entry and have been silent for `silenceMs`. Returns how many. */
export async function deleteConsumers(
  redis: Redis,
  { partition, lane }: WorkStream,
  silenceMs: number,
): Promise<number> {
  return (await remove(redis, [keys.checks(partition, lane)], [GROUP, silenceMs])) as number;
}
