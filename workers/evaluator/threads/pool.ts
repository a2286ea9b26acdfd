/**
 * The evaluation threads: many for the fast lane, few for the slow one, and a lone one for what failed among others. A task
 * that passes its hard limit, or a thread that dies, rejects every task of that thread; whoever sent them tries again, alone.
 */
import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';
import type { Logger } from '../../../shared/log.js';
import type { ExtractResult, ExtractTask, Task, TaskResult, ThreadData } from './thread.js';

/** Tasks a thread holds at a time: one at work, one that is ready when it is done. */
export const TASKS_PER_THREAD = 2;

export type Done = Extract<TaskResult, { status: 'done' }>;
export type Found = Extract<ExtractResult, { status: 'done' }>;
type TaskName = 'evaluate' | 'extract';

export interface Pool {
  /** tasks that may be under way at once */
  capacity: number;
  /**
   * Runs a task, whose configuration goes to the thread only if that does not know it. Rejects when it throws, is ended at `limitMs`, or its thread dies. Bodies that are the task's alone are moved
   * and gone for who gave it, others cloned.
   */
  run(task: Task, limitMs: number): Promise<Done>;
  /** The same on the threads of the slow lane, so that a large body holds up no small one. */
  runSlow(task: Task, limitMs: number): Promise<Done>;
  /**
   * Runs a task on a thread that has nothing else to do, one at a time: who failed among others is tried so, and what
   * fails here has only itself to blame. `limitMs` counts from its start.
   */
  runAlone(task: Task, limitMs: number): Promise<Done>;
  /** Finds the images of an entry, on the threads of the slow lane. Its body is moved or cloned as those of {@link run}. */
  extract(task: ExtractTask, limitMs: number): Promise<Found>;
  /** The same on the lone thread, as {@link runAlone}. */
  extractAlone(task: ExtractTask, limitMs: number): Promise<Found>;
  /** Ends the threads, whatever they do. */
  end(): Promise<void>;
}

const memoryOf = (task: Task | ExtractTask): ArrayBuffer[] =>
  task.moves ? [('bodies' in task ? task.bodies : task.body).buffer as ArrayBuffer] : [];

/** How long the lone thread stays when nobody needs it. */
const LONE_IDLE_MS = 30_000;

export interface PoolOptions {
  /** threads of the fast lane */
  threads: number;
  /** threads of the slow lane, and how many tasks they may be given at once */
  slow: { threads: number; tasks: number };
  logger: Logger;
}

export function createPool({ threads, slow: slowly, logger }: PoolOptions): Pool {
  const shared = {
    filename: fileURLToPath(new URL('./thread.js', import.meta.url)),
    name: 'evaluate',
    atomics: 'async',
    recordTiming: false,
    workerHistogram: false,
  } as const;
  const many = new Piscina({
    ...shared,
    minThreads: threads,
    maxThreads: threads,
    idleTimeout: Number.POSITIVE_INFINITY,
    maxQueue: threads * TASKS_PER_THREAD * 2,
    concurrentTasksPerWorker: TASKS_PER_THREAD,
  });
  // What many wait for goes before what is large, or has failed: these threads get what the others leave.
  const yielding = { ...shared, workerData: { yields: true } satisfies ThreadData };
  const slow = new Piscina({
    ...yielding,
    // Started by the first such entry, and kept: many installations never see one.
    minThreads: 0,
    maxThreads: slowly.threads,
    idleTimeout: Number.POSITIVE_INFINITY,
    maxQueue: slowly.tasks,
    concurrentTasksPerWorker: 1,
  });
  const lone = new Piscina({
    ...yielding,
    minThreads: 0,
    maxThreads: 1,
    idleTimeout: LONE_IDLE_MS,
    maxQueue: 4,
    concurrentTasksPerWorker: 1,
  });
  // A thread that ends while it has nothing to do says so here; the pool starts another.
  for (const pool of [many, slow, lone]) {
    pool.on('error', (error: unknown) => logger.error({ error: String(error) }, 'an evaluation thread ended'));
  }

  async function limited<R>(pool: Piscina, name: TaskName, task: Task | ExtractTask, limitMs: number): Promise<R> {
    const abort = new AbortController();
    const timer = setTimeout(() => abort.abort(), Math.max(1, limitMs));
    try {
      return (await pool.run(task, { name, signal: abort.signal, transferList: memoryOf(task) })) as R;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Runs a task, once more with its configuration where the thread does not know that. */
  async function runOn<R extends { status: string }>(
    pool: Piscina,
    name: TaskName,
    task: Task | ExtractTask,
    limitMs: number,
  ): Promise<Extract<R, { status: 'done' }>> {
    const { configuration, ...first } = task;
    let result = await limited<R>(pool, name, first, limitMs);
    if (result.status === 'unknown_plan' && configuration !== undefined) {
      // It brings back what had gone with the task.
      const { status: _, ...back } = result;
      result = await limited<R>(pool, name, { ...first, ...back, configuration }, limitMs);
    }
    if (result.status !== 'done') throw new Error(`configuration ${task.version} could not be loaded on a thread`);
    return result as Extract<R, { status: 'done' }>;
  }

  let before: Promise<unknown> = Promise.resolve();

  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = before.then(work);
    before = result.catch(() => undefined);
    return result;
  }

  return {
    capacity: threads * TASKS_PER_THREAD,
    run: (task, limitMs) => runOn<TaskResult>(many, 'evaluate', task, limitMs),
    runSlow: (task, limitMs) => runOn<TaskResult>(slow, 'evaluate', task, limitMs),
    runAlone: (task, limitMs) => inTurn(() => runOn<TaskResult>(lone, 'evaluate', task, limitMs)),
    extract: (task, limitMs) => runOn<ExtractResult>(slow, 'extract', task, limitMs),
    extractAlone: (task, limitMs) => inTurn(() => runOn<ExtractResult>(lone, 'extract', task, limitMs)),
    async end() {
      await Promise.all([many, slow, lone].map((pool) => pool.destroy()));
    },
  };
}
