/** One call of a reader: it waits for its turn, then runs, and ends early when one of several signals is aborted. */
export interface CallTimes {
  /** from call to end, waiting included */
  ms: number;
  /** of these, waiting for a slot */
  waitedMs: number;
}

/** `work` calls `started` when its turn has come. Not `AbortSignal.any`: a long-lived signal would keep a trace of each call. */
export async function timedCall<T>(
  signals: readonly (AbortSignal | undefined)[],
  work: (signal: AbortSignal, started: () => void) => Promise<T>,
): Promise<{ outcome: T; times: CallTimes }> {
  const called = performance.now();
  let startedAt: number | undefined;
  const ending = new AbortController();
  const abort = (): void => ending.abort();
  for (const signal of signals) {
    if (signal?.aborted) abort();
    signal?.addEventListener('abort', abort, { once: true });
  }
  const outcome = await work(ending.signal, () => {
    startedAt = performance.now();
  });
  for (const signal of signals) signal?.removeEventListener('abort', abort);
  const now = performance.now();
  return { outcome, times: { ms: now - called, waitedMs: (startedAt ?? now) - called } };
}
