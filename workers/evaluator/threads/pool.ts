/**
 * The evaluation threads, in three groups:
 *
 * - *fast*: many, for the fast lane. They start with the process and stay.
 * - *slow*: few, for the slow lane, at a lower priority. Each starts when it is first needed and stays.
 * - *lone*: one, for entries whose attempt among others has failed, at a lower priority. It runs one task at a time. It starts when it
 *   is needed and ends after 30 s without a task.
 *
 * A task that passes its time limit ends its thread. A thread that ends rejects all of its tasks, and the group starts another one.
 * The caller retries the entries of those tasks, each on the lone thread.
 */
import { Piscina } from 'piscina';
import { createSemaphore } from '../../../shared/async.js';
import type { Logger } from '../../../shared/log.js';
import { readModelFile } from '../../../shared/model-file.js';
import { programPath } from '../../../shared/paths.js';
import type { ExtractResult, ExtractTask, Task, TaskResult, ThreadData } from './thread.js';

/** Tasks a thread holds at a time: one at work, one that is ready when it is done. */
export const TASKS_PER_THREAD = 2;

export type Done = Extract<TaskResult, { status: 'done' }>;
export type Found = Extract<ExtractResult, { status: 'done' }>;
type TaskName = 'evaluate' | 'extract';

export interface Pool {
  /** tasks that the fast threads take at once */
  capacity: number;
  /**
   * Runs a task on a fast thread. Its configuration is sent only if the thread does not know the plan. Bodies of a task that `moves`
   * are gone for the caller; others are cloned. Rejects when the task throws, when it takes longer than `limitMs`, or when its thread
   * ends.
   */
  run(task: Task, limitMs: number): Promise<Done>;
  /** The same on a slow thread, so that a large body delays no small one. */
  runSlow(task: Task, limitMs: number): Promise<Done>;
  /** The same on the lone thread, so that a failure has one possible cause. `limitMs` counts from the start of the task. */
  runAlone(task: Task, limitMs: number): Promise<Done>;
  /** Finds the images of an entry, on a slow thread. Its body is moved or cloned as those of {@link run}. */
  extract(task: ExtractTask, limitMs: number): Promise<Found>;
  /** The same on the lone thread, as {@link runAlone}. */
  extractAlone(task: ExtractTask, limitMs: number): Promise<Found>;
  /** Ends all threads at once. Tasks under way are rejected. */
  end(): Promise<void>;
}

/** How long the lone thread stays without a task. */
const LONE_IDLE_MS = 30_000;

export interface PoolOptions {
  /** threads of the fast lane */
  threads: number;
  /** threads of the slow lane, and how many tasks they may be given at once */
  slow: { threads: number; tasks: number };
  logger: Logger;
}

const SHARED = {
  filename: programPath('evaluation-thread'),
  name: 'evaluate',
  atomics: 'async',
  recordTiming: false,
  workerHistogram: false,
} as const;
/** Large tasks and retries get what the fast threads leave of a contended processor. */
const YIELDING = { ...SHARED, workerData: { yields: true } satisfies ThreadData };

export function createPool({ threads, slow: slowly, logger }: PoolOptions): Pool {
  // Threads that start after this share its memory.
  readModelFile();
  const fast = new Piscina({
    ...SHARED,
    minThreads: threads,
    maxThreads: threads,
    idleTimeout: Number.POSITIVE_INFINITY,
    maxQueue: threads * TASKS_PER_THREAD * 2,
    concurrentTasksPerWorker: TASKS_PER_THREAD,
  });
  const slow = new Piscina({
    ...YIELDING,
    minThreads: 0,
    maxThreads: slowly.threads,
    idleTimeout: Number.POSITIVE_INFINITY,
    maxQueue: slowly.tasks,
    concurrentTasksPerWorker: 1,
  });
  const lone = new Piscina({
    ...YIELDING,
    minThreads: 0,
    maxThreads: 1,
    idleTimeout: LONE_IDLE_MS,
    maxQueue: 4,
    concurrentTasksPerWorker: 1,
  });
  const groups = [fast, slow, lone];
  // The only report of a thread that ends without a task.
  for (const group of groups) {
    group.on('error', (error: unknown) => logger.error({ error: String(error) }, 'an evaluation thread ended'));
  }
  // The time limit of a task counts from its start, so tasks of the lone thread queue here rather than in the group.
  const oneAtATime = createSemaphore(1);
  return {
    capacity: threads * TASKS_PER_THREAD,
    run: (task, limitMs) => runTask<TaskResult>(fast, 'evaluate', task, limitMs),
    runSlow: (task, limitMs) => runTask<TaskResult>(slow, 'evaluate', task, limitMs),
    runAlone: (task, limitMs) => oneAtATime.run(() => runTask<TaskResult>(lone, 'evaluate', task, limitMs)),
    extract: (task, limitMs) => runTask<ExtractResult>(slow, 'extract', task, limitMs),
    extractAlone: (task, limitMs) => oneAtATime.run(() => runTask<ExtractResult>(lone, 'extract', task, limitMs)),
    async end() {
      await Promise.all(groups.map((group) => group.destroy()));
    },
  };
}

/** Runs a task, and again with its configuration if the thread does not know the plan. */
async function runTask<R extends { status: string }>(
  group: Piscina,
  name: TaskName,
  task: Task | ExtractTask,
  limitMs: number,
): Promise<Extract<R, { status: 'done' }>> {
  const { configuration, models, ...first } = task;
  let result = await limited<R>(group, name, first, limitMs);
  if (result.status === 'unknown_plan' && configuration !== undefined) {
    // The thread returns the memory that had moved to it.
    const { status: _, ...back } = result;
    result = await limited<R>(
      group,
      name,
      { ...first, ...back, configuration, ...(models ? { models } : {}) },
      limitMs,
    );
  }
  if (result.status !== 'done') throw new Error(`configuration ${task.version} could not be loaded on a thread`);
  return result as Extract<R, { status: 'done' }>;
}

async function limited<R>(group: Piscina, name: TaskName, task: Task | ExtractTask, limitMs: number): Promise<R> {
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort(), Math.max(1, limitMs));
  try {
    return (await group.run(task, { name, signal: abort.signal, transferList: memoryOf(task) })) as R;
  } finally {
    clearTimeout(timer);
  }
}

/** The memory that moves to the thread with the task. */
const memoryOf = (task: Task | ExtractTask): ArrayBuffer[] =>
  task.moves ? [('bodies' in task ? task.bodies : task.body).buffer as ArrayBuffer] : [];
