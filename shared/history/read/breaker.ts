/**
 * A circuit breaker. While calls keep failing, further calls fail at once and do not wait for a time-out.
 *
 * - `closed`: every call runs. A success resets the count of failures.
 * - `open`: after `failures` failures in a row no call runs, for `openMs`.
 * - `half-open`: then one call runs, and the others are refused. Its success closes the breaker, its failure opens it again.
 */

/** History cannot be asked now. The answer is 503, never 404. */
export class HistoryUnavailable extends Error {}

export interface BreakerOptions {
  /** failures in a row that open the breaker, default 5 */
  failures?: number;
  /** how long it stays open, default 1,000 ms */
  openMs?: number;
}

export interface HistoryBreaker {
  /** Runs `call`. Throws {@link HistoryUnavailable} when `call` throws or is refused. */
  run<T>(call: () => Promise<T>): Promise<T>;
  state(): 'closed' | 'open' | 'half-open';
}

export function createBreaker({ failures = 5, openMs = 1000 }: BreakerOptions = {}): HistoryBreaker {
  let failed = 0;
  let openUntil = 0;
  let trying = false;

  const state = (): 'closed' | 'open' | 'half-open' => {
    if (failed < failures) return 'closed';
    return performance.now() < openUntil ? 'open' : 'half-open';
  };

  return {
    state,
    async run(call) {
      const now = state();
      if (now === 'open' || (now === 'half-open' && trying)) {
        throw new HistoryUnavailable('ClickHouse failed repeatedly and is not asked for a moment');
      }
      const probe = now === 'half-open';
      if (probe) trying = true;
      try {
        const result = await call();
        failed = 0;
        return result;
      } catch (error) {
        failed++;
        openUntil = performance.now() + openMs;
        throw new HistoryUnavailable('ClickHouse could not be asked', { cause: error });
      } finally {
        if (probe) trying = false;
      }
    },
  };
}
