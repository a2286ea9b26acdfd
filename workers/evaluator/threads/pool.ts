/**
 * The evaluation threads, in groups:
 *
 * - *fast*: many, for the fast lane. They start with the process and stay.
 * - *slow*: few, for the slow lane, at a lower priority. Each starts when it is first needed and stays. There are two more while teams need
 *   them that have nothing at work there: a single text may take long, and the system shares the processor between threads. Each of these ends
 *   after 30 s without a task. Teams take turns, between slices too.
 * - *lone*: one, for entries whose attempt among others has failed, at a lower priority. It runs one task at a time. It starts when it
 *   is needed and ends after 30 s without a task.
 *
 * A task that is at work for longer than its time limit ends its thread. The group starts another one. The caller retries the entries of
 * that task, each on the lone thread; those of tasks that only waited for the thread are evaluated as if nothing had happened.
 */
import type { Logger } from '../../../shared/log.js';
import { readModelFile } from '../../../shared/model-file.js';
import { programPath } from '../../../shared/paths.js';
import { createTurns } from '../../consumer/turns.js';
import { createGroup, type Group, type Thread, ThreadLost } from './group.js';
import type { ExtractResult, ExtractTask, Task, TaskResult, ThreadData, ThreadTask } from './thread.js';

/** Tasks a thread holds at a time: one at work, one that is ready when it is done. */
export const TASKS_PER_THREAD = 2;

export type Done = Extract<TaskResult, { status: 'done' }>;
/** A slice of a task is over. `goOn` has its thread go on with it, and rejects as {@link Pool.run}. */
export interface Paused extends Omit<Extract<TaskResult, { status: 'paused' }>, 'number'> {
  goOn(limitMs: number): Promise<Step>;
}
export type Step = Done | Paused;
export type Found = Extract<ExtractResult, { status: 'done' }>;

export interface Pool {
  /** tasks that the fast threads take at once */
  capacity: number;
  /**
   * Runs a task on a fast thread, until it is done or its slice is over. Its configuration is sent only if the thread does not know the plan. Bodies of a task that `moves`
   * are gone for the caller; others are cloned. Rejects when the task throws, with {@link TookTooLong} when it has been at work for
   * `limitMs`, when its thread ends, or with {@link ThreadLost} when another task has ended its thread.
   */
  run(task: Task, limitMs: number): Promise<Step>;
  /** The same on a slow thread, so that a large body delays no small one. */
  runSlow(task: Task, limitMs: number): Promise<Step>;
  /** The same on the lone thread, so that a failure has one possible cause. */
  runAlone(task: Task, limitMs: number): Promise<Step>;
  /** Finds the images of an entry, on a slow thread. Its body is moved or cloned as those of {@link run}. */
  extract(task: ExtractTask, limitMs: number): Promise<Found>;
  /** The same on the lone thread, as {@link runAlone}. */
  extractAlone(task: ExtractTask, limitMs: number): Promise<Found>;
  /** Ends all threads at once. Tasks under way are rejected. */
  end(): Promise<void>;
}

/** How long a lone or spare thread stays without a task. */
const IDLE_MS = 30_000;
/** Teams that need not wait for a large text of another one. Each thread has a plan of its own in memory. */
const SPARE_THREADS = 2;

export interface PoolOptions {
  /** threads of the fast lane */
  threads: number;
  /** threads of the slow lane */
  slow: number;
  logger: Logger;
}

/** Large tasks and retries get what the fast threads leave of a contended processor. */
const YIELDING: ThreadData = { yields: true };

export function createPool(options: PoolOptions): Pool {
  const { threads, logger } = options;
  // Threads that start after this share its memory.
  readModelFile();
  const shared = {
    program: programPath('evaluation-thread'),
    onError: (error: unknown) => logger.error({ error: String(error) }, 'an evaluation thread ended'),
  };
  const fast = createGroup({ ...shared, threads, tasks: TASKS_PER_THREAD, standing: true });
  const most = options.slow + SPARE_THREADS;
  const slow = createGroup({ ...shared, data: YIELDING, threads: most, stay: options.slow, tasks: 1, idleMs: IDLE_MS });
  const lone = createGroup({ ...shared, data: YIELDING, threads: 1, tasks: 1, idleMs: IDLE_MS });
  const inTurn = createInTurn(options.slow, SPARE_THREADS);
  return {
    capacity: threads * TASKS_PER_THREAD,
    run: (task, limitMs) => evaluateOn(fast, task, limitMs),
    runSlow: (task, limitMs) => stepInTurn(inTurn, task.entries[0]!.header.team, () => evaluateOn(slow, task, limitMs)),
    runAlone: (task, limitMs) => evaluateOn(lone, task, limitMs),
    extract: (task, limitMs) => inTurn(task.header.team, () => extractOn(slow, task, limitMs)),
    extractAlone: (task, limitMs) => extractOn(lone, task, limitMs),
    async end() {
      await Promise.all([fast, slow, lone].map((group) => group.end()));
    },
  };
}

/** A thread is lost again only if yet another entry ends it, so this many times in a row are none by chance. */
const MOST_LOST = 10;

/** Does what runs a task, and does it again where the thread was lost to another task. */
export async function whileLost<T>(work: () => Promise<T>): Promise<T> {
  for (let lost = 1; ; lost++) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof ThreadLost) || lost === MOST_LOST) throw error;
    }
  }
}

/** Runs a step of a task of a team when it is its turn. */
type InTurn = <T>(team: string, step: () => Promise<T>) => Promise<T>;

function createInTurn(slots: number, spare: number): InTurn {
  const turns = createTurns(slots, spare);
  return (team, step) => new Promise((resolve, reject) => turns.add(team, () => step().then(resolve, reject)));
}

/** Between two slices it is the turn of others. */
async function stepInTurn(inTurn: InTurn, team: string, step: () => Promise<Step>): Promise<Step> {
  const made = await inTurn(team, step);
  if (made.status === 'done') return made;
  return { ...made, goOn: (limitMs) => stepInTurn(inTurn, team, () => made.goOn(limitMs)) };
}

async function evaluateOn(group: Group, task: Task, limitMs: number): Promise<Step> {
  return stepOf(group, await runTask<TaskResult>(group, { name: 'evaluate', task }, limitMs));
}

async function extractOn(group: Group, task: ExtractTask, limitMs: number): Promise<Found> {
  return (await runTask<ExtractResult>(group, { name: 'extract', task }, limitMs)).result;
}

type Begins = Exclude<ThreadTask, { name: 'goOn' }>;
/** What a task has come to, and the thread that has run it. */
interface On<R> {
  result: R;
  thread: Thread;
}
type Known<R> = Exclude<R, { status: 'unknown_plan' }>;

function stepOf(group: Group, { result, thread }: On<Known<TaskResult>>): Step {
  if (result.status === 'done') return result;
  const { status, number, microseconds } = result;
  const goOn = async (limitMs: number): Promise<Step> => {
    const task: ThreadTask = { name: 'goOn', task: number };
    return stepOf(group, (await group.run(task, [], limitMs, thread)) as On<Known<TaskResult>>);
  };
  return { status, microseconds, goOn };
}

/** Runs a task, and again with its configuration if the thread does not know the plan. */
async function runTask<R extends { status: string }>(
  group: Group,
  { name, task }: Begins,
  limitMs: number,
): Promise<On<Known<R>>> {
  const { configuration, models, ...first } = task;
  let ran = await run<R>(group, name, first, limitMs);
  if (ran.result.status === 'unknown_plan' && configuration !== undefined) {
    // The thread returns what had moved to it.
    const { status: _, ...back } = ran.result;
    const again = { ...first, ...back, configuration, ...(models ? { models } : {}) };
    ran = await run<R>(group, name, again, limitMs);
  }
  if (ran.result.status === 'unknown_plan')
    throw new Error(`configuration ${task.version} could not be loaded on a thread`);
  return ran as On<Known<R>>;
}

const run = <R>(group: Group, name: Begins['name'], task: Begins['task'], limitMs: number): Promise<On<R>> =>
  group.run({ name, task } as ThreadTask, memoryOf(task), limitMs) as Promise<On<R>>;

/** The memory that moves to the thread with the task. */
const memoryOf = (task: Begins['task']): ArrayBuffer[] =>
  task.moves ? [('bodies' in task ? task.bodies : task.body).buffer as ArrayBuffer] : [];
