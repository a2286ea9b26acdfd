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

/** Deletes consumers that hold no entry and have been silent for `silenceMs`. Returns how many. */
export async function deleteConsumers(
  redis: Redis,
  { partition, lane }: WorkStream,
  silenceMs: number,
): Promise<number> {
  return (await remove(redis, [keys.checks(partition, lane)], [GROUP, silenceMs])) as number;
}
