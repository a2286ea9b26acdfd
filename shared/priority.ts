/** How much of a contended processor threads and processes get: what many wait for goes before what takes long anyway. */
import { readlinkSync, writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';

/** Of threads that parse and evaluate what is large: a tenth of what a thread of the fast lane gets, while both have work. */
const LARGE_WORK = 10;
/** Of processes that look at images: a quarter of a contended core, about. */
const IMAGES = 5;

/** Has the calling thread yield to others of its process. Does nothing where threads have no priority of their own. */
export function yieldToThreads(): void {
  if (process.platform !== 'linux') return;
  attempt(() => setPriority(Number(readlinkSync('/proc/thread-self').split('/').at(-1)), LARGE_WORK));
}

/** Has a process be the last to get the processor, and the first to go when the machine runs out of memory. */
export function yieldToProcesses(pid: number): void {
  attempt(() => setPriority(pid, IMAGES));
  if (process.platform !== 'linux') return;
  attempt(() => writeFileSync(`/proc/${pid}/oom_score_adj`, '1000'));
  // Where the kernel groups processes by session, the one above tells only within the group: see sched(7), autogroup.
  attempt(() => writeFileSync(`/proc/${pid}/autogroup`, String(IMAGES)));
}

/** Some sandboxes allow none of it, and a process may be gone already; whatever bounds it holds all the same. */
function attempt(change: () => void): void {
  try {
    change();
  } catch {
    // As it was.
  }
}
