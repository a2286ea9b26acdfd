/** Waits for a Redis that is away. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../../../shared/log.js';
import { isPassing, loudness } from '../../../shared/streams/client.js';
import type { Pass } from '../../consumer/turns.js';
import type { EvaluatorMetrics } from '../meters.js';

export interface RedisRetryTools {
  /** aborted when the evaluator stops */
  signal: AbortSignal;
  logger: Logger;
  metrics: Pick<EvaluatorMetrics, 'redisErrors'>;
}

/**
 * Repeats `work` while it fails because Redis is away, so that this never counts as an attempt of an entry. Resolves to undefined
 * once the evaluator is stopped. Other errors are thrown. With `pass`, others have the slot between two attempts: in a Cluster, their Redis
 * may be there.
 */
export type RedisRetry = <T>(work: () => Promise<T>, pass?: Pass) => Promise<T | undefined>;

const FIRST_WAIT_MS = 50;
const LONGEST_WAIT_MS = 1000;

export function createRedisRetry({ signal, logger, metrics }: RedisRetryTools): RedisRetry {
  return async (work, pass) => {
    for (let wait = FIRST_WAIT_MS; ; wait = Math.min(wait * 2, LONGEST_WAIT_MS)) {
      try {
        return await work();
      } catch (error) {
        if (signal.aborted) return undefined;
        if (!isPassing(error)) throw error;
        metrics.redisErrors.inc();
        logger[loudness(error)]({ error: String(error) }, 'Redis did not answer; trying again');
        const paused = sleep(wait * (0.5 + Math.random()));
        await (pass ? pass(paused) : paused);
      }
    }
  };
}
