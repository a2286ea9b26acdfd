/** What a request with an Idempotency-Key is answered when its check can be neither begun nor found, and how that is counted. */
import { ApiError } from '../../../shared/api/errors.js';
import { HistoryUnavailable } from '../../../shared/history/read/breaker.js';
import type { Logger } from '../../../shared/log.js';
import { isOutOfMemory, isPassing, isRefusal } from '../../../shared/streams/client.js';
import { metersOf, type Registry } from '../../../shared/telemetry.js';
import type { ClaimLimits } from './claims.js';
import { PartlyThere } from './rebuild-result.js';

export interface IdempotencyErrors {
  /** 409: the key was used for another request. */
  mismatch(): ApiError;
  /** 409: a claim is so young that its check may be being added now. It is no longer young in `ms`. */
  inProgress(ms: number): ApiError;
  /** 429: the API key has as many Idempotency-Keys as are remembered. One is forgotten in `ms`. */
  tooMany(ms: number): ApiError;
  /** The 503 for an error of Redis or ClickHouse. An error of any other kind is returned as it is. */
  unavailable(error: unknown): unknown;
}

/** `full` is called when Redis said that it is full. */
export function createIdempotencyErrors(
  limits: ClaimLimits,
  full: () => void,
  { logger, registry }: { logger: Logger; registry: Registry },
): IdempotencyErrors {
  const reasons = ['mismatch', 'in_progress', 'full'] as const;
  const help = 'Idempotency-Keys refused';
  const refusals = metersOf(registry).counterBy('reason', reasons, 'weir_idempotency_refused_total', help);
  let logged = Number.NEGATIVE_INFINITY;

  /** An operator must mend it: a full disk, missing rights. Logged at most once a second, however many requests meet it. */
  function logRefusal(error: unknown): void {
    if (performance.now() - logged < 1000) return;
    logged = performance.now();
    logger.error({ err: error }, 'Redis refuses what an Idempotency-Key needs');
  }

  return {
    mismatch() {
      refusals.inc({ reason: 'mismatch' });
      const message =
        'This Idempotency-Key was used with another body, route, environment or deployment. Use a new one.';
      return new ApiError('idempotency_mismatch', message, { param: 'Idempotency-Key' });
    },
    inProgress(ms) {
      refusals.inc({ reason: 'in_progress' });
      const message = 'A request with this Idempotency-Key is just being accepted. Try again.';
      return new ApiError('idempotency_in_progress', message, { retryAfter: Math.max(1, Math.ceil(ms / 1000)) });
    },
    tooMany(ms) {
      refusals.inc({ reason: 'full' });
      const seconds = Math.max(1, Math.ceil(ms / 1000));
      const message = `This API key has as many Idempotency-Keys as are remembered. One is forgotten in ${seconds} s; until then, send the request without one.`;
      const quota = { name: 'idempotency-keys', most: limits.most, seconds: Math.ceil(limits.lifeMs / 1000) };
      return new ApiError('rate_limited', message, { retryAfter: seconds, quota });
    },
    unavailable(error) {
      if (isOutOfMemory(error)) {
        full();
        return new ApiError('overloaded', 'The queue is full. Try again.');
      }
      if (error instanceof ApiError) return error;
      if (isRefusal(error)) logRefusal(error);
      else if (!(error instanceof HistoryUnavailable || error instanceof PartlyThere || isPassing(error))) return error;
      return new ApiError('unavailable', 'Whether this request was made before cannot be found out now. Try again.');
    },
  };
}
