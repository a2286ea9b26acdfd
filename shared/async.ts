/** Calls `work` every `everyMs`, never twice at once; `work` deals with its own errors. Returns what stops it. */
export function repeat(everyMs: number, work: () => Promise<void>): () => void {
  let busy = false;
  const timer = setInterval(() => {
    if (busy) return;
    busy = true;
    void work().finally(() => {
      busy = false;
    });
  }, everyMs);
  return () => clearInterval(timer);
}
