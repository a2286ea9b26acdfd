/** The consumer groups of the work streams. */
import { isOutOfMemory, type Redis } from '../../shared/streams/client.js';
import { GROUP, keys, type Lane } from '../../shared/streams/keys.js';

/** Makes the groups of partitions where they are missing. They start at `0`: `$` would skip unread work. */
export async function makeGroups(redis: Redis, lane: Lane, partitions: readonly number[]): Promise<void> {
  for (const p of partitions) await makeGroup(redis, keys.checks(p, lane));
}

async function makeGroup(redis: Redis, stream: string): Promise<void> {
  try {
    await redis.xgroup('CREATE', stream, GROUP, '0', 'MKSTREAM');
  } catch (error) {
    // A full Redis refuses to make a group before it checks whether the group exists. Reading needs no memory and frees some, so
    // go on: where the group is missing, the read fails and the reader connects again.
    if (!String(error).includes('BUSYGROUP') && !isOutOfMemory(error)) throw error;
  }
}
