/**
 * A circuit breaker: when what it guards keeps failing, callers hear so at once instead of each waiting for its limit.
 *
 * - `closed`: every call goes through; each success starts the count of failures anew.
 * - `open`: entered after `failures` failures in a row; no call goes through. Left after `openMs`.
 * - `half-open`: one call goes through, the others are refused; its success closes the breaker, its failure opens it.
 */

/** History cannot be asked now: the caller answers 503, never 404. */
export class HistoryUnavailable extends Error {}

export interface BreakerOptions {
  /** failures in a row that open it, default 5 */
  failures?: number;
  /** how long it stays open, default 1,000 ms */
  openMs?: number;
}

export interface Breaker {
  /** Runs `call`; whatever it throws, and a refusal, arrive as {@link HistoryUnavailable}. */
  run<T>(call: () => Promise<T>): Promise<T>;
  state(): 'closed' | 'open' | 'half-open';
}

export function createBreaker({ failures = 5, openMs = 1000 }: BreakerOptions = {}): Breaker {
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
