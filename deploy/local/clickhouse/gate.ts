/** Limits how many tasks run at once and how many wait. */
import { ClickHouseError } from './errors.js';

export interface Gate {
  /** Runs `task` when a slot is free. Error 202 when the queue is full. A task that is aborted while it waits never runs. */
  run<T>(task: () => Promise<T>, signal: AbortSignal): Promise<T>;
  /** Refuses new tasks and settles when the last one has ended. */
  drain(): Promise<void>;
}

/** A gate for `concurrency` tasks at once and at most `queue` waiting ones. */
export function createGate(concurrency: number, queue: number): Gate {
  const waiting = new Set<() => void>();
  let running = 0;
  let draining = false;
  let onIdle: (() => void) | undefined;

  const leave = (): void => {
    running--;
    const next = waiting.values().next();
    if (!next.done) next.value();
    else if (running === 0) onIdle?.();
  };

  async function enter(signal: AbortSignal): Promise<void> {
    if (draining) throw new ClickHouseError(210, 'NETWORK_ERROR', 'The server is shutting down');
    if (running < concurrency) {
      running++;
      return;
    }
    if (waiting.size >= queue) {
      throw new ClickHouseError(202, 'TOO_MANY_SIMULTANEOUS_QUERIES', 'Too many simultaneous queries');
    }
    await new Promise<void>((resolve, reject) => {
      const onAbort = (): void => {
        waiting.delete(start);
        reject(new ClickHouseError(394, 'QUERY_WAS_CANCELLED', 'The caller went away'));
      };
      const start = (): void => {
        waiting.delete(start);
        signal.removeEventListener('abort', onAbort);
        running++;
        resolve();
      };
      waiting.add(start);
      signal.addEventListener('abort', onAbort, { once: true });
    });
  }

  return {
    async run(task, signal) {
      if (signal.aborted) throw new ClickHouseError(394, 'QUERY_WAS_CANCELLED', 'The caller went away');
      await enter(signal);
      try {
        return await task();
      } finally {
        leave();
      }
    },
    drain() {
      draining = true;
      if (running === 0 && waiting.size === 0) return Promise.resolve();
      return new Promise((resolve) => {
        onIdle = resolve;
      });
    },
  };
}
