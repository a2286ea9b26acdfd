/**
 * Room for fetches: so many at once in all, so many per host, and so many that wait. Who waits holds nothing, so a host
 * that hangs keeps up only those who want something from it, up to its own limit.
 */
export interface Slots {
  /**
   * Waits for a place at `host`. Resolves to what gives it back (call once; more calls do nothing), or to undefined when
   * too many wait already. Rejects with the signal's reason when that ends the wait.
   */
  take(host: string, signal: AbortSignal): Promise<(() => void) | undefined>;
  /** places taken, and callers waiting */
  counts(): { taken: number; waiting: number };
}

export interface SlotLimits {
  total: number;
  perHost: number;
  waiting: number;
}

interface Waiter {
  host: string;
  start(): void;
}

export function createSlots(limits: SlotLimits): Slots {
  const taken = new Map<string, number>();
  const waiters: Waiter[] = [];
  let total = 0;

  const free = (host: string): boolean => total < limits.total && (taken.get(host) ?? 0) < limits.perHost;

  function occupy(host: string): () => void {
    total++;
    taken.set(host, (taken.get(host) ?? 0) + 1);
    let given = false;
    return () => {
      if (given) return;
      given = true;
      total--;
      const left = (taken.get(host) ?? 1) - 1;
      if (left === 0) taken.delete(host);
      else taken.set(host, left);
      next();
    };
  }

  function next(): void {
    // In order of arrival, passing over those whose host is full.
    for (let i = 0; i < waiters.length && total < limits.total; ) {
      const waiter = waiters[i]!;
      if (!free(waiter.host)) {
        i++;
        continue;
      }
      waiters.splice(i, 1);
      waiter.start();
    }
  }

  return {
    async take(host, signal) {
      signal.throwIfAborted();
      if (free(host)) return occupy(host);
      if (waiters.length >= limits.waiting) return undefined;
      return new Promise((resolve, reject) => {
        const abort = (): void => {
          waiters.splice(waiters.indexOf(waiter), 1);
          reject(signal.reason);
        };
        const waiter: Waiter = {
          host,
          start: () => {
            signal.removeEventListener('abort', abort);
            resolve(occupy(host));
          },
        };
        waiters.push(waiter);
        signal.addEventListener('abort', abort, { once: true });
      });
    },
    counts: () => ({ taken: total, waiting: waiters.length }),
  };
}
