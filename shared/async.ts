/**
 * Timers and turns: repeat work, wait with a time limit, sleep until the process ends, run so many tasks at once.
 *
 * Two ways to wait with a limit: `within` gives undefined when the time is over, `inTime` rejects.
 */
import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

/** Calls `work` every `everyMs`, never twice at once. `work` must not reject. Returns a function that stops it. */
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

export interface WaitBounds {
  /** time limit from now on; default: none */
  ms?: number;
  signal?: AbortSignal;
}

/**
 * The result of `work`, or undefined when it takes longer than `ms` or `signal` is aborted first. The work itself goes on; its result
 * or error is then dropped.
 */
export function within<T>(work: Promise<T>, { ms, signal }: WaitBounds): Promise<T | undefined> {
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

/** The result of `work`. Rejects with `message` when it takes longer than `ms`: the work goes on, its result or error is dropped. */
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

/** Sleep that can be ended for all sleepers, when a process stops. */
export function createPause(): Pause {
  const ended = new AbortController();
  // One listener for each sleeper, of which there may be any number.
  setMaxListeners(0, ended.signal);
  return {
    async sleep(ms) {
      await sleep(ms, undefined, { signal: ended.signal }).catch(() => undefined);
    },
    end: () => ended.abort(),
  };
}
