/** Waiting that ends when the process does, waiting with a limit, and waiting for one's turn. */

export interface Pause {
  /** Sleeps `ms`, or until `end` is called. */
  sleep(ms: number): Promise<void>;
  /** Wakes every sleeper and lets nobody sleep again. */
  end(): void;
}

export function createPause(): Pause {
  const wakers = new Set<() => void>();
  let ended = false;
  return {
    sleep(ms) {
      if (ended) return Promise.resolve();
      return new Promise((resolve) => {
        const wake = (): void => {
          clearTimeout(timer);
          wakers.delete(wake);
          resolve();
        };
        const timer = setTimeout(wake, ms);
        wakers.add(wake);
      });
    },
    end() {
      ended = true;
      for (const wake of [...wakers]) wake();
    },
  };
}

/** `answer`, or an error with `message` after `ms`. */
export async function within<T>(ms: number, answer: Promise<T>, message: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(message)), ms);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}

export interface Slots {
  /** Runs `task` as soon as fewer than the allowed number run. */
  run<T>(task: () => Promise<T>): Promise<T>;
}

export function createSlots(allowed: number): Slots {
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
