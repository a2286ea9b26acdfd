/** Lowers the priority of threads and processes whose work takes long, so that work which many wait for goes first. */
import { readlinkSync, writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';

/** Leaves about a quarter of a contended core: enough not to starve. */
const NICENESS = 5;

/** Lowers the calling thread below others of its process. Does nothing on systems where threads have no priority of their own. */
export function yieldToThreads(): void {
  if (process.platform !== 'linux') return;
  attempt(() => setPriority(Number(readlinkSync('/proc/thread-self').split('/').at(-1)), NICENESS));
}

/**
 * Makes a process, which leads a session, the last to get the processor, and the first to be killed when the machine runs out of
 * memory.
 */
export function yieldToProcesses(pid: number): void {
  attempt(() => setPriority(pid, NICENESS));
  if (process.platform !== 'linux') return;
  attempt(() => writeFileSync(`/proc/${pid}/oom_score_adj`, '1000'));
  // Where the kernel first shares the processor among sessions, the priority above counts only within one: sched(7), autogroup.
  attempt(() => writeFileSync(`/proc/${pid}/autogroup`, String(NICENESS)));
}

/** Errors are ignored: some sandboxes allow none of it, and a process may be gone already. Its limits hold anyway. */
function attempt(change: () => void): void {
  try {
    change();
  } catch {
    // The priority stays as it was.
  }
}
