/**
 * What a consumer does from timers, about four times within the time of a claim: renews the claims of the entries it holds; takes over
 * silent entries, and deletes the names of consumers that are gone.
 */

import { createPause } from '../../shared/async.js';
import { loudness } from '../../shared/streams/client.js';
import { makeGroups } from './groups.js';
import type { HeldEntries } from './held.js';
import { deleteConsumers, renewEntries } from './pending.js';
import { createTakeOver, type TakeOverOptions } from './take-over.js';

export interface UpkeepTools extends Omit<TakeOverOptions, 'holds' | 'room'> {
  redis: TakeOverOptions['redis'];
  held: HeldEntries;
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
/** Claims that one script renews. While a script runs, Redis serves no other client. */
const RENEW_COUNT = 256;

export function createUpkeep(tools: UpkeepTools): Upkeep {
  const { redis, lane, name, held, partitions, running, logger } = tools;
  const takeOver = createTakeOver({ ...tools, holds: held.has, room: held.room });
  const pause = createPause();

  async function renewAll(): Promise<void> {
    for (const [partition, ids] of held.idsByPartition()) {
      for (let i = 0; i < ids.length; i += RENEW_COUNT) {
        await renewEntries(redis, { partition, lane }, name, ids.slice(i, i + RENEW_COUNT));
      }
    }
    tools.renewed();
  }

  async function takeOverAndForget(): Promise<void> {
    await takeOver();
    for (let partition = 0; partition < partitions() && running(); partition++) {
      await deleteConsumers(redis, { partition, lane }, FORGET_MS);
    }
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
          await makeGroups(redis, lane, 0, partitions()).catch((failed: unknown) =>
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
