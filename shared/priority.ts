/** How much of a contended processor threads and processes get: what many wait for goes before what takes long anyway. */
import { readlinkSync, writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';

/** As much as leaves a quarter of a contended core, about: enough not to be starved. */
const NICENESS = 5;

/** Has the calling thread yield to others of its process. Does nothing where threads have no priority of their own. */
export function yieldToThreads(): void {
  if (process.platform !== 'linux') return;
  attempt(() => setPriority(Number(readlinkSync('/proc/thread-self').split('/').at(-1)), NICENESS));
}

/**
 * Has a process, which leads a session, be the last to get the processor, and the first to go when the machine runs out of
 * memory.
 */
export function yieldToProcesses(pid: number): void {
  attempt(() => setPriority(pid, NICENESS));
  if (process.platform !== 'linux') return;
  attempt(() => writeFileSync(`/proc/${pid}/oom_score_adj`, '1000'));
  // Where the kernel shares the processor among sessions first, the one above tells only within that session: see sched(7), autogroup.
  attempt(() => writeFileSync(`/proc/${pid}/autogroup`, String(NICENESS)));
}

/** Some sandboxes allow none of it, and a process may be gone already; whatever bounds it holds all the same. */
function attempt(change: () => void): void {
  try {
    change();
  } catch {
    // As it was.
  }
}
