/**
 * Attempts of checks. The first ones, up to `attemptsTogether`, are made with other checks of a chunk, and are counted when the
 * entry is read. An attempt that fails (a thread threw, died or was at work for longer than the limit) says nothing about which check is at fault:
 *
 *     among others ──fails──> alone, counted beforehand ──fails──> alone … ──after `maxAttempts`──> dead letter
 *
 * Alone means on a thread that does nothing else, so that only the check itself can be at fault. What takes too long alone would take as
 * long again, and becomes a dead letter at once.
 */
import type { Logger } from '../../shared/log.js';
import { TookTooLong } from '../../shared/process/threads.js';
import type { Redis } from '../../shared/streams/client.js';
import { GROUP, keys } from '../../shared/streams/keys.js';
import { loggedTrace } from '../../shared/traces/context.js';
import type { EntriesSlot, RawEntry } from '../consumer/consumer.js';
import type { Check } from './check.js';
import type { Bury } from './commit/dead-letters.js';
import type { RedisRetry } from './commit/redis-retry.js';
import type { EvaluatorMetrics } from './meters.js';

export interface AttemptTools {
  redis: Redis;
  /** name under which this process reads */
  consumer: string;
  maxAttempts: number;
  retry: RedisRetry;
  bury: Bury;
  /** Evaluates a check on the lone thread. */
  evaluateAlone(check: Check, slot: EntriesSlot | undefined): Promise<void>;
  /** aborted when the evaluator stops */
  signal: AbortSignal;
  logger: Logger;
  metrics: EvaluatorMetrics;
}

export interface Attempts {
  /** Makes the attempt of `check` alone, or gives the check up when it has had all of its attempts. */
  alone(check: Check, slot: EntriesSlot | undefined): Promise<void>;
  /** Retries checks whose attempt failed, each alone. They are set aside if they may be: that can take long, and needs no slot. */
  failed(checks: Check[], error: unknown, slot: EntriesSlot | undefined): Promise<void>;
}

export function createAttempts(tools: AttemptTools): Attempts {
  const { redis, consumer, logger, metrics } = tools;

  async function alone(check: Check, slot: EntriesSlot | undefined): Promise<void> {
    const { raw, header, reason } = check;
    if (raw.attempt > tools.maxAttempts) return tools.bury(raw, header, reason);
    // Counted before it is made: if this process crashes, nothing else tells of the attempt.
    if (!(await tools.retry(() => countAttempt(redis, consumer, raw)))) return;
    check.alone = true;
    await tools.evaluateAlone(check, slot);
  }

  async function allAlone(checks: Check[], reason: string): Promise<void> {
    for (const check of checks) {
      check.raw.attempt += 1;
      check.reason = reason;
      await alone(check, undefined);
    }
  }

  return {
    alone,
    async failed(checks, error, slot) {
      // A process that stops ends its threads. That is no fault of their entries, which other workers take over.
      if (tools.signal.aborted) return;
      metrics.attemptsFailed.inc();
      const reason = error instanceof Error ? error.message : String(error);
      const entries = checks.map(({ raw }) => raw.id);
      const check_ids = checks.map(({ header }) => header.id);
      const { attempt } = checks[0]?.raw ?? {};
      const trace_ids = checks.flatMap(({ header }) => loggedTrace(header.traceparent).trace_id ?? []);
      const traces = trace_ids.length === 0 ? {} : { trace_ids };
      if (error instanceof TookTooLong && checks.every(({ alone }) => alone)) {
        for (const { raw, header } of checks) await tools.bury(raw, header, reason);
        return;
      }
      logger.warn({ error: reason, entries, check_ids, ...traces, attempt }, 'evaluating failed; each goes on alone');
      if (!slot) return await allAlone(checks, reason);
      const left = (failure: unknown): void =>
        logger.error(
          { error: String(failure), entries, check_ids },
          'trying entries alone failed; they are left to others',
        );
      slot.aside(
        checks.map(({ raw }) => raw),
        allAlone(checks, reason).catch(left),
        async () => undefined,
      );
    },
  };
}

async function countAttempt(redis: Redis, consumer: string, { partition, lane, id, attempt }: RawEntry): Promise<true> {
  await redis.xclaim(keys.checks(partition, lane), GROUP, consumer, 0, id, 'RETRYCOUNT', attempt, 'JUSTID');
  return true;
}
