/** The number of partitions only grows. A process that misses that leaves the new ones unread, or never uses them. */
import { repeat } from '../async.js';
import type { Logger } from '../log.js';
import type { Redis } from './client.js';
import { GROUP, keys, LANES } from './keys.js';
import { usePartitionLayout } from './partition-tags.js';
import { script } from './script.js';

/** How often a process asks for the number. */
const FOLLOW_MS = 2000;

const ensure = script('work/ensure-partitions');

/** The number of partitions, 0 before the first start. The tags of this installation are in force from then on. */
export async function readPartitions(redis: Redis): Promise<number> {
  return inForce(await redis.get(keys.partitions()));
}

/** Asks for at least `wanted` partitions. Returns the number in force. */
export async function ensurePartitions(redis: Redis, wanted: number): Promise<number> {
  const now = await readPartitions(redis);
  // No write without need: a process must also start on a Redis that refuses writes, to report why it is not ready.
  if (now >= wanted) return now;
  return inForce((await ensure(redis, [keys.partitions()], [wanted])) as string);
}

/** What is stored is the number, and the layout of the tags where they are not plain numbers. */
function inForce(stored: string | null): number {
  if (stored === null) return 0;
  const [count, layout = 'plain'] = stored.split(' ');
  if (layout !== 'plain' && layout !== 'even') {
    throw new Error(
      `This installation has partitions in the layout "${layout}", which a later release has made. Start that release.`,
    );
  }
  usePartitionLayout(layout);
  return Number(count);
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
