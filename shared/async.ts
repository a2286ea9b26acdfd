/** Promises and time: what is done again and again, what is waited for with a limit, and waiting for one's turn. */
import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

/** Calls `work` every `everyMs`, never twice at once; `work` deals with its own errors. Returns what stops it. */
export function repeat(everyMs: number, work: () => Promise<void>): () => void {
  let busy = false;
  const timer = setInterval(() => {
    if (busy) return;
    busy = true;
    void work().finally(() => {
      busy = false;
    });
  }, everyMs);
  return () => clearInterval(timer);
}

export interface Bounds {
  /** from now on; default: any time */
  ms?: number;
  signal?: AbortSignal;
}

/**
 * What `work` comes to, or undefined where it takes longer than `ms` or `signal` is aborted first. It goes on then, and nobody
 * hears what becomes of it.
 */
export function within<T>(work: Promise<T>, { ms, signal }: Bounds): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', leave);
    };
    const leave = (): void => {
      end();
      resolve(undefined);
    };
    const timer = ms === undefined ? undefined : setTimeout(leave, Math.max(0, ms));
    signal?.addEventListener('abort', leave, { once: true });
    if (signal?.aborted) leave();
    work.then(
      (value) => {
        end();
        resolve(value);
      },
      (error: unknown) => {
        end();
        reject(error);
      },
    );
  });
}

/** What `work` comes to. Rejects with `message` where it takes longer than `ms`; it goes on, and nobody hears of it any more. */
export function inTime<T>(work: Promise<T>, ms: number, message: string): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(message)), Math.max(0, ms));
    void work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

export interface Pause {
  /** Sleeps `ms`, or until `end` is called. */
  sleep(ms: number): Promise<void>;
  /** Wakes every sleeper and lets nobody sleep again. */
  end(): void;
}

/** Sleep that ends when the process does. */
export function createPause(): Pause {
  const ended = new AbortController();
  // There are as many as sleep at once, however many that may be.
  setMaxListeners(0, ended.signal);
  return {
    async sleep(ms) {
      await sleep(ms, undefined, { signal: ended.signal }).catch(() => undefined);
    },
    end: () => ended.abort(),
  };
}

export interface Semaphore {
  /** Runs `task` as soon as fewer than the allowed number run. */
  run<T>(task: () => Promise<T>): Promise<T>;
}

export function createSemaphore(allowed: number): Semaphore {
  const waiting: (() => void)[] = [];
  let free = allowed;
  return {
    async run(task) {
      if (free > 0) free--;
      else await new Promise<void>((resolve) => waiting.push(resolve));
      try {
        return await task();
      } finally {
        const next = waiting.shift();
        if (next) next();
        else free++;
      }
    },
  };
}
