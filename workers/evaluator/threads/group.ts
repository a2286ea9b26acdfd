/**
 * Threads that run the tasks of a program one after the other:
 *
 *     started ──> at work ⇄ without a task ──> ended
 *
 * - *started*: when a task needs it, or at once in a group that is `standing`. It may be given tasks from here on.
 * - *ended*: by an error of its own, by a task that takes too long, after `idleMs` without a task, or with the group. The task at work is
 *   rejected with the reason; those that were only given to it, with {@link ThreadLost}. A standing group starts another thread, unless this
 *   one has never finished a task: then the next task does.
 *
 * A task for which no thread is free waits; who asks bounds how many do. A thread answers in order, so neither tasks nor answers have
 * numbers. A task that goes on with an earlier one runs on the thread of that. One timer watches the limits of the tasks at work. A task that waits, here or behind another one of its thread, uses up no time:
 * those before it are limited.
 *
 * A task of piscina that can be cancelled has a thread for itself: the next one reaches the thread only when the main thread has heard of its
 * end. Measured, that and what it makes for each task take a sixth of the CPU of a worker. Metrics, which nobody waits for, use piscina.
 */
import { parentPort, type TransferListItem, Worker } from 'node:worker_threads';

export interface GroupOptions {
  /** path of what the threads run, which calls {@link answerTasks} */
  program: string;
  /** what each is started with */
  data?: unknown;
  /** most threads */
  threads: number;
  /** tasks that a thread is given at a time: one at work, the others ready when it is done */
  tasks: number;
  standing?: boolean;
  /** default: threads stay */
  idleMs?: number;
  /** the only report of a thread that ends without a task */
  onError(error: unknown): void;
}

export interface ThreadGroup {
  /**
   * Runs a task, to which `memory` moves, on `thread` where there is one: the thread that has answered an earlier task. Rejects when it throws, when it has been at work for `limitMs` and is not done, or when its thread
   * ends.
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

/** What a task has made, and the memory that moves with it. */
export interface TaskOutput {
  result: unknown;
  memory: readonly TransferListItem[];
}

type TaskAnswer = { result: unknown } | { error: unknown };

interface ThreadJob {
  task: unknown;
  memory: readonly TransferListItem[];
  limitMs: number;
  /** that it must run on; undefined: any */
  on: Thread | undefined;
  /** ms of the steady clock; Infinity before it is at work */
  until: number;
  resolve(ran: Ran): void;
  reject(error: unknown): void;
}

export interface Thread {
  worker: Worker;
  jobs: ThreadJob[];
  /** it has finished a task */
  served: boolean;
  idle?: NodeJS.Timeout;
}

const WATCH_MS = 50;

/** A task was at work for longer than it may be. */
export class TookTooLong extends Error {
  constructor() {
    super('the evaluation took too long and was ended');
    this.name = 'TookTooLong';
  }
}

/** The thread of a task ended while another task was at work on it. So it is no fault of this one, which may be run again. */
export class ThreadLost extends Error {
  constructor() {
    super('the evaluation thread ended while another task was at work on it');
    this.name = 'ThreadLost';
  }
}

/** In a thread: runs the tasks that it is given. */
export function answerTasks(run: (task: unknown) => TaskOutput): void {
  const port = parentPort!;
  port.on('message', (task: unknown) => {
    try {
      const { result, memory } = run(task);
      port.postMessage({ result } satisfies TaskAnswer, memory);
    } catch (error) {
      port.postMessage({ error } satisfies TaskAnswer);
    }
  });
}

export function createGroup(options: GroupOptions): ThreadGroup {
  const threads = new Set<Thread>();
  const waiting: ThreadJob[] = [];
  let watch: NodeJS.Timeout | undefined;
  let ended = false;

  function start(): Thread {
    const worker = new Worker(options.program, { workerData: options.data });
    const thread: Thread = { worker, jobs: [], served: false };
    threads.add(thread);
    // Starting is no work at its first task.
    worker.on('online', () => begin(thread));
    worker.on('message', (answer: TaskAnswer) => {
      // What came before its end may be handed on after it. Its tasks were rejected.
      if (!threads.has(thread)) return;
      thread.served = true;
      const job = thread.jobs.shift();
      begin(thread);
      // What the caller does next may take long. The thread need not wait for it.
      feed(thread);
      if ('error' in answer) job?.reject(answer.error);
      else job?.resolve({ result: answer.result, thread });
    });
    worker.on('error', (error) => lose(thread, error));
    worker.on('exit', () => lose(thread, new Error('an evaluation thread ended')));
    return thread;
  }

  /** The time of its first task counts from now on. */
  function begin({ jobs: [first] }: Thread): void {
    if (first) first.until = performance.now() + first.limitMs;
  }

  /** Gives it what waits, as much as it may have. */
  function feed(thread: Thread): void {
    while (thread.jobs.length < options.tasks) {
      const next = waiting.findIndex(({ on }) => on === undefined || on === thread);
      if (next < 0) break;
      give(thread, waiting.splice(next, 1)[0]!);
    }
    if (thread.jobs.length === 0) rest(thread);
  }

  function rest(thread: Thread): void {
    clearTimeout(thread.idle);
    if (options.idleMs === undefined) return;
    thread.idle = setTimeout(() => {
      threads.delete(thread);
      void thread.worker.terminate();
    }, options.idleMs).unref();
  }

  function lose(thread: Thread, error: unknown): void {
    if (!threads.delete(thread)) return;
    clearTimeout(thread.idle);
    void thread.worker.terminate();
    if (thread.jobs.length === 0) options.onError(error);
    const [first, ...others] = thread.jobs;
    first?.reject(error);
    for (const job of [...others, ...takeWaiting(({ on }) => on === thread)]) job.reject(new ThreadLost());
    if (ended) return;
    if (options.standing && thread.served) start();
    for (let next = freeFor(); next; next = freeFor()) feed(next);
  }

  /** The thread with the fewest tasks, if it may be given another. */
  function free(): Thread | undefined {
    let least: Thread | undefined;
    for (const thread of threads) if (!least || thread.jobs.length < least.jobs.length) least = thread;
    if ((!least || least.jobs.length > 0) && threads.size < options.threads) return start();
    return least && least.jobs.length < options.tasks ? least : undefined;
  }

  /** The thread for what waits for any; undefined where nothing does. */
  const freeFor = (): Thread | undefined => (waiting.some(({ on }) => on === undefined) ? free() : undefined);

  function takeWaiting(which: (job: ThreadJob) => boolean): ThreadJob[] {
    const taken = waiting.filter(which);
    for (const job of taken) waiting.splice(waiting.indexOf(job), 1);
    return taken;
  }

  /** The thread that a job can be given to now. */
  function threadFor({ on }: ThreadJob): Thread | undefined {
    if (!on) return free();
    return on.jobs.length < options.tasks ? on : undefined;
  }

  function give(thread: Thread, job: ThreadJob): void {
    clearTimeout(thread.idle);
    try {
      thread.worker.postMessage(job.task, job.memory);
      if (thread.jobs.push(job) === 1) begin(thread);
    } catch (error) {
      job.reject(error);
      if (thread.jobs.length === 0) rest(thread);
    }
  }

  function endLate(): void {
    const now = performance.now();
    // A new thread is given what waits, none of which is late.
    for (const thread of [...threads]) {
      if (thread.jobs.length > 0 && thread.jobs[0]!.until <= now) {
        lose(thread, new TookTooLong());
      }
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
        if (ended) reject(new Error('the evaluation threads were ended'));
        else if (on && !threads.has(on)) reject(new ThreadLost());
        else {
          const job = { task, memory, limitMs, on, until: Number.POSITIVE_INFINITY, resolve, reject };
          const thread = threadFor(job);
          if (thread) give(thread, job);
          else waiting.push(job);
          startWatch();
        }
      }),
    async end() {
      ended = true;
      clearTimeout(watch);
      const all = [...threads];
      const error = new Error('the evaluation threads were ended');
      for (const job of waiting.splice(0)) job.reject(error);
      for (const thread of all) {
        threads.delete(thread);
        clearTimeout(thread.idle);
        for (const job of thread.jobs) job.reject(error);
      }
      await Promise.all(all.map(({ worker }) => worker.terminate()));
    },
  };
}
