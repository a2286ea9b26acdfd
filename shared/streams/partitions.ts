/**
 * What an installation keeps for good: the number of its partitions, which only grows, and its region. A process that misses that there are more
 * partitions leaves the new ones unread, or never uses them.
 */
import { repeat } from '../async.js';
import type { Logger } from '../log.js';
import { CannotStart } from '../process/cannot-start.js';
import { NO_REGION, ownRegion, type Region, regionFrom, regionText, useRegion } from '../region.js';
import type { Redis } from './client.js';
import { GROUP, keys, LANES } from './keys.js';
import { usePartitionLayout } from './partition-tags.js';
import { script } from './script.js';

/** How often a process asks for the number. */
const FOLLOW_MS = 2000;

const ensure = script('work/ensure-partitions');

/** What an installation keeps for good. */
export interface Layout {
  /** number of partitions; 0 before the first start */
  partitions: number;
  region: Region;
}

/** Reads the layout. The tags of this installation are in force from then on. */
export async function readLayout(redis: Redis): Promise<Layout> {
  return inForce(await redis.get(keys.partitions()));
}

/** The number of partitions, 0 before the first start. The tags of this installation are in force from then on. */
export const readPartitions = async (redis: Redis): Promise<number> => (await readLayout(redis)).partitions;

/**
 * Asks for at least `wanted` partitions, and for `region` where the installation has none. Returns the number of partitions in force; ids are of
 * the region in force from then on. Rejects with {@link CannotStart} when the installation is another region.
 */
export async function ensurePartitions(redis: Redis, wanted: number, region: Region = ownRegion()): Promise<number> {
  let layout = heldAgainst(region, await readLayout(redis));
  // No write without need: a process must also start on a Redis that refuses writes, to report why it is not ready.
  if (layout.partitions < wanted || (layout.region.number === 0 && region.number !== 0)) {
    layout = heldAgainst(
      region,
      inForce((await ensure(redis, [keys.partitions()], [wanted, regionText(region)])) as string),
    );
  }
  useRegion(layout.region);
  return layout.partitions;
}

function heldAgainst(wanted: Region, layout: Layout): Layout {
  const [asked, stored] = [regionText(wanted), regionText(layout.region)];
  if (asked === '' || stored === '' || asked === stored) return layout;
  throw new CannotStart(
    `This installation is the region ${stored}, and WEIR_REGION is ${asked}.`,
    `Set WEIR_REGION to ${stored} or to nothing, or WEIR_REDIS_URL to the Redis of the other region. A region keeps its number and name.`,
  );
}

/** What is stored is the number, the layout of the tags where they are not plain numbers, and the region where there is one. */
function inForce(stored: string | null): Layout {
  if (stored === null) return { partitions: 0, region: NO_REGION };
  const [count, layout = 'plain', region = ''] = stored.split(' ');
  if (layout !== 'plain' && layout !== 'even') {
    throw new Error(
      `This installation has partitions in the layout "${layout}", which a later release has made. Start that release.`,
    );
  }
  usePartitionLayout(layout);
  return { partitions: Number(count), region: regionFrom(region) };
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
