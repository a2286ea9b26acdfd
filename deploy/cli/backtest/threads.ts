/** The threads of a backtest. Each evaluates one slice at a time. */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { programPath } from '../../../shared/paths.js';
import type { BacktestResult } from './result.js';
import type { SliceTask } from './slice.js';
import type { BacktestThreadData, ThreadAnswer } from './thread.js';

export interface Threads {
  readonly count: number;
  /** Evaluates on thread `number`, which must be free. Rejects with a sentence. */
  run(number: number, task: SliceTask): Promise<BacktestResult>;
  close(): Promise<void>;
}

export function startThreads(count: number, data: BacktestThreadData): Threads {
  const workers = Array.from({ length: count }, () => new Worker(programPath('backtest-thread'), { workerData: data }));
  return {
    count,
    async run(number, task) {
      const worker = workers[number]!;
      const ended = new AbortController();
      worker.postMessage(task);
      try {
        const [answer] = await Promise.race([
          once(worker, 'message', { signal: ended.signal }),
          once(worker, 'exit', { signal: ended.signal }).then(() => {
            throw new Error('a thread ended; it may have had too little memory');
          }),
        ]);
        const { ok, ...rest } = answer as ThreadAnswer;
        if (ok) return (rest as { result: BacktestResult }).result;
        throw new Error((rest as { message: string }).message);
      } finally {
        ended.abort();
      }
    },
    async close() {
      await Promise.all(workers.map((worker) => worker.terminate()));
    },
  };
}
