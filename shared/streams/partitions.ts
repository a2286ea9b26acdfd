/** Partitions only grow. A process that did not notice would leave the new ones unread, or never use them. */
import { repeat } from '../async.js';
import type { Logger } from '../log.js';
import type { Redis } from './client.js';
import { GROUP, keys, LANES } from './keys.js';
import { ensurePartitions, type Scripted } from './scripts.js';

/** How often their number is asked for. */
const FOLLOW_MS = 2000;

export interface FollowedPartitions {
  current(): number;
  stop(): void;
}

/** Follows the number of partitions from `first` on. `grow` prepares for new ones; while it resolves to false they are not used. */
export function followPartitions(
  redis: Redis & Scripted,
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
      // Redis is away, most likely: the next round asks again.
      logger.debug({ error: String(error) }, 'the number of partitions could not be followed');
    }
  });
  return { current: () => partitions, stop };
}

/** Whether partitions `from` up to `to` are read: an evaluator has made the groups of both lanes. */
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
