/**
 * The evaluation threads, in groups:
 *
 * - *fast*: many, for the fast lane. They start with the process and stay.
 * - *slow*: few, for the slow lane, at a lower priority. Each starts when it is first needed and stays. There are two more while teams need
 *   them that have nothing at work there: a single text may take long, and the system shares the processor between threads. Each of these ends
 *   after 30 s without a task.
 * - *trying*: two, for tries, at a lower priority and with a limit of memory. What callers edit is compiled there and nowhere else. The second
 *   one is for teams that have nothing at work on the first. Each ends after minutes without a task.
 * - *lone*: one, for entries whose attempt among others has failed, at a lower priority. It runs one task at a time. It starts when it
 *   is needed and ends after 30 s without a task.
 *
 * At slow threads, at those that try, and at the lone one, teams wait in one line:
 *
 *     waiting for a thread ──> at work ⇄ paused, waiting for the same thread ──> done
 *
 * - The next slice is of the team that has been at work there for the shortest time (`consumer/turns.ts`).
 * - Within a team the task that came first is next. It goes on before a later one begins or goes on. Several are at work at once only on
 *   several threads. While the first one waits for the thread that has it, the later ones wait too.
 *
 * A task that is at work for longer than its time limit ends its thread. The group starts another one. The caller retries the entries of
 * that task, each on the lone thread; those of tasks that only waited for the thread are evaluated as if nothing had happened.
 */
import type { Logger } from '../../../shared/log.js';
import { MODEL_FILES, readModelFile } from '../../../shared/model-file.js';
import { programPath } from '../../../shared/paths.js';
import { createThreads, type Thread, ThreadLost, type Threads, TookTooLong } from '../../../shared/process/threads.js';
import { createTurns, type Pass } from '../../consumer/turns.js';
import type {
  ChunkTask,
  EvaluationThreadData,
  ExtractResult,
  ExtractTask,
  ManyResult,
  ManyTask,
  PlanReference,
  PrepareResult,
  TaskResult,
  ThreadTask,
} from './thread.js';

/** Tasks a thread holds at a time: one at work, one that is ready when it is done. */
const TASKS_PER_THREAD = 2;

export type FinishedTask = Extract<TaskResult, { status: 'done' }>;
export type FinishedExtract = Extract<ExtractResult, { status: 'done' }>;
export type FinishedMany = Extract<ManyResult, { status: 'done' }>;

/** What the caller does between the slices of a task. */
export interface Slices {
  /** Called after each one. */
  spent?(microseconds: number): void;
  /** Called before each further one, which begins when it resolves. For fast threads: at the others teams have their turn anyway. */
  pass?: Pass | undefined;
}

export interface Pool {
  /** tasks that the fast threads take at once */
  capacity: number;
  /**
   * Runs a task on a fast thread, slice by slice. Its configuration is sent only if the thread does not know the plan. Bodies of a task
   * that `moves` are gone for the caller; others are cloned. Rejects when the task throws, with {@link TookTooLong} when a slice has been at
   * work for `limitMs`, when its thread ends, or with {@link ThreadLost} when another task has ended its thread.
   */
  run(task: ChunkTask, limitMs: number, slices?: Slices): Promise<FinishedTask>;
  /** The same on a slow thread, so that a large body delays no small one. */
  runSlow(task: ChunkTask, limitMs: number, slices?: Slices): Promise<FinishedTask>;
  /** The same on the lone thread, so that a failure has one possible cause. */
  runAlone(task: ChunkTask, limitMs: number, slices?: Slices): Promise<FinishedTask>;
  /**
   * The same on a thread that tries, which is prepared first: what it is given first, after minutes without a task, takes a second or more on a
   * slow machine. That counts, but does not end the thread.
   */
  runTry(task: ChunkTask, limits: TryLimits, slices?: Slices): Promise<FinishedTask>;
  /** Finds the images of an entry, on a slow thread. Its body is moved or cloned as those of {@link run}. */
  extract(task: ExtractTask, limitMs: number): Promise<FinishedExtract>;
  /** The same on a thread that tries. */
  extractTry(task: ExtractTask, limits: TryLimits): Promise<FinishedExtract>;
  /** Tries stored items, or cases, on a thread that tries. */
  tryMany(task: ManyTask, limits: TryLimits): Promise<FinishedMany>;
  /** The same on the lone thread, as {@link runAlone}. */
  extractAlone(task: ExtractTask, limitMs: number): Promise<FinishedExtract>;
  /** Ends all threads at once. Tasks under way are rejected. */
  end(): Promise<void>;
}

/** How long a lone or spare thread stays without a task. */
const IDLE_MS = 30_000;
/** Teams that need not wait for a large text of another one. Each thread has a plan of its own in memory. */
const SPARE_THREADS = 2;
/** Threads that try: people try several times within minutes. What they try has the heap that a large configuration of one team needs. */
const TRYING = { idleMs: 300_000, heapMb: 1024 };

/**
 * How much longer than its caller waits a try may be at work. What it has compiled is there for who tries again. Else each one would begin from nothing where
 * checks leave a thread too little of the processors to compile within two seconds.
 */
const OVERTIME_MS = 4000;

/** How a thread is prepared for a try, and how long what is tried may be at work. */
export interface TryLimits {
  /** of the version as it is, of the same team */
  plan: PlanReference;
  planMs: number;
  /** ms that are left, asked once the thread is ready */
  left(): number;
}

export interface PoolOptions {
  /** threads of the fast lane */
  threads: number;
  /** threads of the slow lane */
  slow: number;
  /** how much longer than its caller waits a try may be at work, default {@link OVERTIME_MS} */
  overtimeMs?: number;
  logger: Logger;
}

/** Large tasks and retries get what the fast threads leave of a contended processor. */
const YIELDING: EvaluationThreadData = { yields: true };

export function createPool(options: PoolOptions): Pool {
  const { threads, logger, overtimeMs = OVERTIME_MS } = options;
  // Threads that start after this share its memory.
  for (const name of MODEL_FILES) readModelFile(name);
  const shared = {
    program: programPath('evaluation-thread'),
    onError: (error: unknown) => logger.error({ error: String(error) }, 'an evaluation thread ended'),
  };
  const fast = createThreads({ ...shared, threads, tasks: TASKS_PER_THREAD, standing: true });
  const one = (idleMs?: number): Threads =>
    createThreads({ ...shared, data: YIELDING, threads: 1, tasks: 1, ...(idleMs ? { idleMs } : {}) });
  const staying = Array.from({ length: options.slow }, () => one());
  const spare = Array.from({ length: SPARE_THREADS }, () => one(IDLE_MS));
  const alone = one(IDLE_MS);
  const trying = [1, 2].map(() => createThreads({ ...shared, data: YIELDING, threads: 1, tasks: 1, ...TRYING }));
  const slow = createLine([...staying, ...spare], SPARE_THREADS);
  const lone = createLine([alone], 0);
  const tries = createLine(trying, 1);
  const ready = async (thread: Threads, limits: TryLimits): Promise<number> =>
    (await prepared(thread, limits)) + overtimeMs;
  return {
    capacity: threads * TASKS_PER_THREAD,
    run: (task, limitMs, slices = {}) => evaluateOn(fast, task, limitMs, slices),
    runSlow: (task, limitMs, slices = {}) => evaluateIn(slow, task, limitMs, slices),
    runAlone: (task, limitMs, slices = {}) => evaluateIn(lone, task, limitMs, slices),
    runTry: (task, limits, slices = {}) =>
      tries(task.entries[0]!.header.team, async (thread, pass) => {
        return evaluateOn(thread, task, await ready(thread, limits), { ...slices, pass });
      }),
    extract: (task, limitMs) => extractIn(slow, task, limitMs),
    extractTry: (task, limits) =>
      tries(task.header.team, async (thread) => extractOn(thread, task, await ready(thread, limits))),
    tryMany: (task, limits) =>
      tries(task.header.team, async (thread) => {
        return (await runTask<ManyResult>(thread, { name: 'many', task }, await ready(thread, limits))).result;
      }),
    extractAlone: (task, limitMs) => extractIn(lone, task, limitMs),
    async end() {
      await Promise.all([fast, ...staying, ...spare, alone, ...trying].map((group) => group.end()));
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

/** Threads that teams wait for in one line. Runs work of a team on the thread whose turn it is; `lend` gives the thread to others meanwhile. */
type ThreadLine = <T>(team: string, work: (thread: Threads, lend: Pass) => Promise<T>) => Promise<T>;

/** The last `spare` ones are for teams that are at work on none. */
function createLine(threads: readonly Threads[], spare: number): ThreadLine {
  const turns = createTurns({ slots: threads.length - spare, spare });
  return (team, work) =>
    new Promise((resolve, reject) =>
      turns.add(team, ({ slot, lend }) => work(threads[slot]!, lend).then(resolve, reject)),
    );
}

const evaluateIn = (line: ThreadLine, task: ChunkTask, limitMs: number, slices: Slices): Promise<FinishedTask> =>
  line(task.entries[0]!.header.team, (thread, pass) => evaluateOn(thread, task, limitMs, { ...slices, pass }));

const extractIn = (line: ThreadLine, task: ExtractTask, limitMs: number): Promise<FinishedExtract> =>
  line(task.header.team, (thread) => extractOn(thread, task, limitMs));

/** Has a thread compile a version. Resolves to the ms that are left then; rejects with {@link TookTooLong} where none are. */
async function prepared(group: Threads, { plan, planMs, left }: TryLimits): Promise<number> {
  const { configuration: _, ...named } = plan;
  const prepare = (task: PlanReference): Promise<On<PrepareResult>> =>
    group.run({ name: 'prepare', task } as ThreadTask, [], planMs) as Promise<On<PrepareResult>>;
  if ((await prepare(named)).result.status === 'unknown_plan') await prepare(plan);
  const ms = left();
  if (ms <= 0) throw new TookTooLong();
  return ms;
}

/** Evaluates slice by slice, each on the thread of the first one. */
async function evaluateOn(
  group: Threads,
  task: ChunkTask,
  limitMs: number,
  { spent, pass }: Slices,
): Promise<FinishedTask> {
  const first = await runTask<TaskResult>(group, { name: 'evaluate', task }, limitMs);
  let { result } = first;
  spent?.(result.microseconds);
  while (result.status === 'paused') {
    await pass?.();
    const goOn: ThreadTask = { name: 'goOn', task: result.number };
    result = (await group.run(goOn, [], limitMs, first.thread)).result as OfKnownPlan<TaskResult>;
    spent?.(result.microseconds);
  }
  return result;
}

async function extractOn(group: Threads, task: ExtractTask, limitMs: number): Promise<FinishedExtract> {
  return (await runTask<ExtractResult>(group, { name: 'extract', task }, limitMs)).result;
}

type Begins = Exclude<ThreadTask, { name: 'goOn' | 'prepare' }>;
/** What a task has come to, and the thread that has run it. */
interface On<R> {
  result: R;
  thread: Thread;
}
type OfKnownPlan<R> = Exclude<R, { status: 'unknown_plan' }>;

/** Runs a task, and again with its configuration if the thread does not know the plan. */
async function runTask<R extends { status: string }>(
  group: Threads,
  { name, task }: Begins,
  limitMs: number,
): Promise<On<OfKnownPlan<R>>> {
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
  return ran as On<OfKnownPlan<R>>;
}

const run = <R>(group: Threads, name: Begins['name'], task: Begins['task'], limitMs: number): Promise<On<R>> =>
  group.run({ name, task } as ThreadTask, memoryOf(task), limitMs) as Promise<On<R>>;

/** The memory that moves to the thread with the task. */
const memoryOf = (task: Begins['task']): ArrayBuffer[] =>
  task.moves ? [('bodies' in task ? task.bodies : task.body).buffer as ArrayBuffer] : [];
