/**
 * What a consumer does from timers, about four times within the time of a claim: renews the claims of the entries it holds; takes over
 * silent entries of its share of the partitions. Of these it also deletes the names of consumers that are gone, once a minute.
 */

import { createPause } from '../../shared/async.js';
import { isAway, loudness } from '../../shared/streams/client.js';
import { keys } from '../../shared/streams/keys.js';
import { withEntries } from '../../shared/streams/pressure.js';
import { makeGroups } from './groups.js';
import type { HeldEntries } from './held.js';
import type { LeftEntries } from './left.js';
import { deleteConsumers, renewEntries } from './pending.js';
import { createTakeOver, type TakeOverOptions } from './take-over.js';

export interface UpkeepTools extends Omit<TakeOverOptions, 'holds' | 'room'> {
  redis: TakeOverOptions['redis'];
  held: HeldEntries;
  partitions(): number;
  /** the partitions that this consumer looks after: each is looked after by one at least, within seconds */
  own(): Promise<readonly number[]>;
  /** entries that are not taken over */
  left?: LeftEntries | undefined;
  /** Called when all claims have been renewed. */
  renewed(): void;
}

export interface Upkeep {
  /** Starts the loops; they resolve once the consumer does not run any more. */
  start(): Promise<void>[];
  /** Ends their pauses. */
  stop(): void;
}

/** The name of a consumer that is gone is deleted after this much silence. */
const FORGET_MS = 10 * 60_000;
/** How often names are deleted. */
const FORGET_EVERY_MS = 60_000;
/** Claims that one script renews. While a script runs, Redis serves no other client. */
const RENEW_COUNT = 256;

export function createUpkeep(tools: UpkeepTools): Upkeep {
  const { redis, lane, name, held, partitions, running, logger } = tools;
  const all = (): number[] => Array.from({ length: partitions() }, (_, p) => p);
  // In a Cluster, others do not wait for partitions of a node that is away.
  const isThere = (partition: number): boolean => !isAway(redis, keys.checks(partition));
  const holds = (partition: number, id: string): boolean =>
    held.has(partition, id) || tools.left?.has(partition, id) === true;
  const takeOver = createTakeOver({ ...tools, holds, room: held.room });
  const pause = createPause();

  async function renewAll(): Promise<void> {
    for (const [partition, ids] of held.idsByPartition()) {
      for (let i = 0; i < ids.length && isThere(partition); i += RENEW_COUNT) {
        await renewEntries(redis, { partition, lane }, name, ids.slice(i, i + RENEW_COUNT));
      }
    }
    tools.renewed();
  }

  /** at random, so that workers that start together do not all look at everything together */
  let forgetAt = performance.now() + FORGET_EVERY_MS * Math.random();

  async function takeOverAndForget(): Promise<void> {
    const own = await tools.own();
    // What is pending has an entry, so there is nothing to take over where there are none.
    const filled = await withEntries(
      redis,
      own.map((partition) => ({ partition, lane })),
    );
    await takeOver(filled.map(({ partition }) => partition));
    if (performance.now() < forgetAt) return;
    for (const partition of own) if (running()) await deleteConsumers(redis, { partition, lane }, FORGET_MS);
    forgetAt = performance.now() + FORGET_EVERY_MS;
  }

  /** After an error `work` is tried again in the next round. */
  async function repeat(what: string, work: () => Promise<void>): Promise<void> {
    while (running()) {
      await pause.sleep((tools.claimIdleMs / 4) * (0.8 + 0.4 * Math.random()));
      try {
        if (running()) await work();
      } catch (error) {
        if (!running()) break;
        logger[loudness(error)]({ error: String(error) }, `${what} failed; trying again`);
        if (String(error).includes('NOGROUP')) {
          await makeGroups(redis, lane, all().filter(isThere)).catch((failed: unknown) =>
            logger[loudness(failed)]({ error: String(failed) }, 'consumer groups could not be made; trying again'),
          );
        }
      }
    }
  }

  return {
    start: () => [repeat('renewing claims', renewAll), repeat('taking over entries', takeOverAndForget)],
    stop: pause.end,
  };
}
