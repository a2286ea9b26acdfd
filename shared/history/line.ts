/**
 * A line before ClickHouse: a few questions at a time, the others wait their turn. The time limit of a question counts
 * from its turn on, so a burst of look-ups is answered one after the other instead of failing together by slowness that
 * they cause each other, and then opening the breaker.
 */
import { HistoryUnavailable } from './breaker.js';

export interface LineOptions {
  /** questions at a time, default 4 */
  atOnce?: number;
  /** most that wait, default 256 */
  longest?: number;
  /** longest that one waits, default 2,000 ms */
  waitMs?: number;
}

export interface Line {
  /** Runs `call` in its turn. Rejects with {@link HistoryUnavailable} when the line is full or the wait too long. */
  run<T>(call: () => Promise<T>): Promise<T>;
}

export function createLine({ atOnce = 4, longest = 256, waitMs = 2000 }: LineOptions = {}): Line {
  let running = 0;
  const waiting: (() => void)[] = [];

  function turn(): Promise<void> {
    if (running < atOnce) {
      running++;
      return Promise.resolve();
    }
    if (waiting.length >= longest)
      return Promise.reject(new HistoryUnavailable('too many look-ups wait for ClickHouse'));
    return new Promise((resolve, reject) => {
      const called = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        waiting.splice(waiting.indexOf(called), 1);
        reject(new HistoryUnavailable('ClickHouse is busy with other look-ups'));
      }, waitMs);
      waiting.push(called);
    });
  }

  // Whoever is next takes the place over, so that nobody gets in between.
  function leave(): void {
    const next = waiting.shift();
    if (next) next();
    else running--;
  }

  return {
    async run(call) {
      await turn();
      try {
        return await call();
      } finally {
        leave();
      }
    },
  };
}
