/** Limits how many queries run at once and how many wait. */
import { createSlots } from '../../../shared/slots.js';
import { ClickHouseError } from './errors.js';

export interface Gate {
  /** Runs `task` when a slot is free. Error 202 when the queue is full. A task that is aborted while it waits never runs. */
  run<T>(task: () => Promise<T>, signal: AbortSignal): Promise<T>;
  /** Refuses new tasks and settles when the last one has ended. */
  drain(): Promise<void>;
}

/** A gate for `total` tasks at once and at most `waiting` more. */
export function createGate(total: number, waiting: number): Gate {
  const slots = createSlots({ total, perHost: total, waiting });
  const admitted = new Set<Promise<unknown>>();
  let draining = false;

  async function inSlot<T>(task: () => Promise<T>, signal: AbortSignal): Promise<T> {
    if (draining) throw new ClickHouseError(210, 'NETWORK_ERROR', 'The server is shutting down');
    const leave = await slots.take('', signal);
    if (!leave) throw new ClickHouseError(202, 'TOO_MANY_SIMULTANEOUS_QUERIES', 'Too many simultaneous queries');
    return task().finally(leave);
  }

  return {
    run(task, signal) {
      const running = inSlot(task, signal).finally(() => admitted.delete(running));
      admitted.add(running);
      return running;
    },
    async drain() {
      draining = true;
      await Promise.allSettled(admitted);
    },
  };
}
