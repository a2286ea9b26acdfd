/**
 * Threads that run the tasks of a program one after the other. Each is a Piscina of one thread:
 *
 *     started ──> at work ⇄ without a task ──> ended
 *
 * - *started*: when a task needs it, or at once where they are `standing`. It may be given tasks from here on.
 * - *ended*: by an error of its own, by a task that takes too long, after `idleMs` without a task, or with the others. The task at work is
 *   rejected with the reason; those that were only given to it, with {@link ThreadLost}. Another standing thread starts, unless this
 *   one has never finished a task: then the next task does.
 *
 * A task for which no thread is free waits; who asks bounds how many do. A task that goes on with an earlier one is given to the thread of
 * that at once. A thread answers in order. One timer watches the limits of the tasks at work. A task that waits, here or behind another one
 * of its thread, uses up no time: those before it are limited.
 *
 * A Piscina of several threads gives a task to any of them, and one that can be cancelled has its thread for itself: the next one reaches
 * the thread only when the main thread has heard of its end. So which thread has what, and for how long, is decided here.
 */
import type { TransferListItem } from 'node:worker_threads';
import { move, Piscina, transferableSymbol, valueSymbol } from 'piscina';

export interface ThreadsOptions {
  /**
   * path of what the threads run: it exports a function `run`, which is given a task and returns its result or {@link moved}; at once,
   * where a thread has several tasks
   */
  program: string;
  /** what each is started with: `workerData` */
  data?: unknown;
  /** most threads */
  threads: number;
  /** tasks that a thread is given at a time: one at work, the others ready when it is done */
  tasks: number;
  standing?: boolean;
  /** default: threads stay */
  idleMs?: number;
  /** most of its heap; a thread that needs more ends */
  heapMb?: number;
  /** the only report of a thread that ends without a task */
  onError(error: unknown): void;
}

export interface Threads {
  /**
   * Runs a task, to which `memory` moves, on `thread` where there is one: the thread that has answered an earlier task. Rejects when it
   * throws, when it has been at work for `limitMs` and is not done, or when its thread ends.
   */
  run(task: unknown, memory: readonly TransferListItem[], limitMs: number, thread?: Thread): Promise<Ran>;
  /** Ends all threads at once. */
  end(): Promise<void>;
}

/** What a task has made, and the thread that has run it. */
export interface Ran {
  result: unknown;
  thread: Thread;
}

interface Job {
  task: unknown;
  memory: readonly TransferListItem[];
  limitMs: number;
  /** ms of the steady clock; Infinity before it is at work */
  until: number;
  resolve(ran: Ran): void;
  reject(error: unknown): void;
}

export interface Thread {
  pool: Piscina;
  jobs: Job[];
  /** it has finished a task */
  served: boolean;
  /** it takes no more tasks; those that it has are rejected in this turn of the loop */
  ended: boolean;
  idle?: NodeJS.Timeout;
}

const WATCH_MS = 50;

/** A task was at work for longer than it may be. */
export class TookTooLong extends Error {
  constructor() {
    super('the task took too long and was ended');
    this.name = 'TookTooLong';
  }
}

/** The thread of a task ended while another task was at work on it. So it is no fault of this one, which may be run again. */
export class ThreadLost extends Error {
  constructor() {
    super('the thread ended while another task was at work on it');
    this.name = 'ThreadLost';
  }
}

/** In a thread: a result with which `memory` moves. */
export const moved = (result: unknown, memory: readonly ArrayBufferLike[]): unknown =>
  move({ [transferableSymbol]: memory, [valueSymbol]: result } as never);

export function createThreads(options: ThreadsOptions): Threads {
  const threads = new Set<Thread>();
  const waiting: Job[] = [];
  let watch: NodeJS.Timeout | undefined;
  let ended = false;

  function start(): Thread {
    const { program: filename, data: workerData, heapMb } = options;
    const pool = new Piscina({
      filename,
      name: 'run',
      workerData,
      ...(heapMb === undefined ? {} : { resourceLimits: { maxOldGenerationSizeMb: heapMb } }),
      minThreads: 1,
      maxThreads: 1,
      // It hands on at once what it is given here.
      concurrentTasksPerWorker: Number.POSITIVE_INFINITY,
      // With them a thread may take two tasks at once, and answer the first one after the second.
      atomics: 'disabled',
      recordTiming: false,
    });
    const thread: Thread = { pool, jobs: [], served: false, ended: false };
    threads.add(thread);
    // Starting is no work at its first task.
    pool.threads[0]!.on('online', () => begin(thread));
    pool.on('error', (error: unknown) => lose(thread, error));
    pool.on('workerDestroy', () => {
      thread.ended = true;
      // Its tasks are rejected with the reason before.
      setImmediate(() => lose(thread, new Error('a thread ended')));
    });
    return thread;
  }

  /** The time of its first task counts from now on. */
  function begin({ jobs: [first] }: Thread): void {
    if (first) first.until = performance.now() + first.limitMs;
  }

  function done(thread: Thread, job: Job, settle: () => void): void {
    // Those of a thread that was lost were rejected; one that came to it since is now.
    if (!threads.has(thread)) {
      job.reject(new ThreadLost());
      return;
    }
    thread.served = true;
    thread.jobs.splice(thread.jobs.indexOf(job), 1);
    begin(thread);
    // What the caller does next may take long. The thread need not wait for it.
    while (thread.jobs.length < options.tasks && waiting.length > 0) give(thread, waiting.shift()!);
    if (thread.jobs.length === 0) rest(thread);
    settle();
  }

  function rest(thread: Thread): void {
    if (options.idleMs === undefined) return;
    thread.idle = setTimeout(() => {
      threads.delete(thread);
      void thread.pool.destroy();
    }, options.idleMs).unref();
  }

  function lose(thread: Thread, error: unknown): void {
    if (!threads.delete(thread)) return;
    clearTimeout(thread.idle);
    void thread.pool.destroy();
    const [first, ...others] = thread.jobs;
    if (first) first.reject(error);
    else options.onError(error);
    for (const job of others) job.reject(new ThreadLost());
    if (ended) return;
    if (options.standing && thread.served) start();
    for (let next = freeFor(); next; next = freeFor()) give(next, waiting.shift()!);
  }

  /** The thread with the fewest tasks, if it may be given another. */
  function free(): Thread | undefined {
    let least: Thread | undefined;
    for (const thread of threads) {
      if (!thread.ended && (!least || thread.jobs.length < least.jobs.length)) least = thread;
    }
    if ((!least || least.jobs.length > 0) && threads.size < options.threads) return start();
    return least && least.jobs.length < options.tasks ? least : undefined;
  }

  /** The thread for what waits; undefined where nothing does. */
  const freeFor = (): Thread | undefined => (waiting.length > 0 ? free() : undefined);

  function give(thread: Thread, job: Job): void {
    clearTimeout(thread.idle);
    if (thread.jobs.push(job) === 1) begin(thread);
    thread.pool.run(job.task, { transferList: job.memory as TransferListItem[] }).then(
      (result: unknown) => done(thread, job, () => job.resolve({ result, thread })),
      (error: unknown) => (thread.ended ? lose(thread, error) : done(thread, job, () => job.reject(error))),
    );
  }

  function endLate(): void {
    const now = performance.now();
    // A new thread is given what waits, none of which is late.
    for (const thread of [...threads]) {
      if (thread.jobs.length > 0 && thread.jobs[0]!.until <= now) lose(thread, new TookTooLong());
    }
    watch = undefined;
    if ([...threads].some(({ jobs }) => jobs.length > 0)) startWatch();
  }

  /** Answers that have come while this process did something else are taken first. */
  function startWatch(): void {
    watch ??= setTimeout(() => setImmediate(endLate), WATCH_MS).unref();
  }

  if (options.standing) while (threads.size < options.threads) start();
  return {
    run: (task, memory, limitMs, on) =>
      new Promise((resolve, reject) => {
        if (ended) return reject(new Error('the threads were ended'));
        if (on && (on.ended || !threads.has(on))) return reject(new ThreadLost());
        const job = { task, memory, limitMs, until: Number.POSITIVE_INFINITY, resolve, reject };
        const thread = on ?? free();
        if (thread) give(thread, job);
        else waiting.push(job);
        startWatch();
      }),
    async end() {
      ended = true;
      clearTimeout(watch);
      const all = [...threads];
      threads.clear();
      const error = new Error('the threads were ended');
      for (const job of [...waiting.splice(0), ...all.flatMap(({ jobs }) => jobs)]) job.reject(error);
      for (const { idle } of all) clearTimeout(idle);
      await Promise.all(all.map(({ pool }) => pool.destroy()));
    },
  };
}
