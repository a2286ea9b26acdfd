/** The threads of a backtest. Each evaluates one slice at a time, and keeps what it needs of the slices before. */
import { programPath } from '../../../shared/paths.js';
import { createThreads } from '../../../shared/process/threads.js';
import type { BacktestResult } from './result.js';
import type { SliceTask } from './slice.js';
import type { BacktestThreadData } from './thread.js';

export interface BacktestThreads {
  readonly count: number;
  /** Evaluates on thread `number`. Rejects with a sentence. */
  run(number: number, task: SliceTask): Promise<BacktestResult>;
  close(): Promise<void>;
}

export function startThreads(count: number, data: BacktestThreadData): BacktestThreads {
  // The next slice fails, too.
  const onError = (): void => undefined;
  const program = programPath('backtest-thread');
  const threads = Array.from({ length: count }, () => createThreads({ program, data, threads: 1, tasks: 1, onError }));
  return {
    count,
    run: async (number, task) =>
      (await threads[number]!.run(task, [], Number.POSITIVE_INFINITY)).result as BacktestResult,
    async close() {
      await Promise.all(threads.map((thread) => thread.end()));
    },
  };
}
