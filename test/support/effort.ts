import assert from 'node:assert/strict';

/** Seconds. What takes one or less where it is linear takes minutes where it is not. */
const BOUND = 20;

/**
 * Asserts that `work` takes a bounded time, of this process's own: what else runs on the machine does not count, and a slow one
 * has room.
 */
export function assertBounded(work: () => void): void {
  const started = process.cpuUsage();
  work();
  const seconds = process.cpuUsage(started).user / 1e6;
  assert.ok(seconds < BOUND, `it took ${seconds} s of its own`);
}
