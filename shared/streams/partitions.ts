/** The number of partitions only grows. A process that misses that leaves the new ones unread, or never uses them. */
import { repeat } from '../async.js';
import type { Logger } from '../log.js';
import type { Redis } from './client.js';
import { GROUP, keys, LANES } from './keys.js';
import { script } from './script.js';

/** How often a process asks for the number. */
const FOLLOW_MS = 2000;

const ensure = script('work/ensure-partitions');

/** Asks for at least `wanted` partitions. Returns the number in force. */
export async function ensurePartitions(redis: Redis, wanted: number): Promise<number> {
  const now = Number((await redis.get(keys.partitions())) ?? '0');
  // No write without need: a process must also start on a Redis that refuses writes, to report why it is not ready.
  if (now >= wanted) return now;
  return (await ensure(redis, [keys.partitions()], [wanted])) as number;
}

export interface FollowedPartitions {
  current(): number;
  stop(): void;
}

/** Follows the number of partitions from `first` on. `grow` prepares new ones; they are not used while it resolves to false. */
export function followPartitions(
  redis: Redis,
  first: number,
  { logger, grow }: { logger: Logger; grow?: (from: number, to: number) => Promise<boolean> },
): FollowedPartitions {
  let partitions = first;
  const stop = repeat(FOLLOW_MS, async () => {
    try {
      const stored = await ensurePartitions(redis, partitions);
      if (stored <= partitions || (grow && !(await grow(partitions, stored)))) return;
      logger.info({ from: partitions, to: stored }, 'there are more partitions');
      partitions = stored;
    } catch (error) {
      // Redis is probably away. The next round asks again.
      logger.debug({ error: String(error) }, 'the number of partitions could not be followed');
    }
  });
  return { current: () => partitions, stop };
}

/** Whether evaluators read partitions `from` up to `to`: the groups of both lanes exist. */
export async function areRead(redis: Redis, from: number, to: number): Promise<boolean> {
  for (let p = from; p < to; p++) {
    for (const lane of LANES) if (!(await hasGroup(redis, keys.checks(p, lane)))) return false;
  }
  return true;
}

async function hasGroup(redis: Redis, stream: string): Promise<boolean> {
  try {
    return ((await redis.xinfo('GROUPS', stream)) as unknown[][]).some((group) => group.includes(GROUP));
  } catch (error) {
    if (String(error).includes('no such key')) return false;
    throw error;
  }
}
