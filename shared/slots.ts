/**
 * Places: so many at once in all, so many per host, and so many that wait. Who waits holds nothing, so a host that hangs keeps up
 * only those who want something from it, up to its own limit. Teams that wait are served in turn.
 *
 * With `spare`, a team has a further place only while more are free than it has. So one team has half of them at most, and
 * whatever it does with them, others find some: of 16 places the first team that lets all it gets hang has 8, the second 4,
 * the third 2, the fourth 1, and there is one left for the next. The same holds for those that wait.
 */
import { createLines } from './lines.js';

export interface Slots {
  /**
   * Waits for a place at `host`, for `team` if it is named: who names none is one more team, bound by the totals alone.
   * Resolves to what gives it back (call once; more calls do nothing), or to undefined when too many wait already, in all or,
   * with `spare`, of the team. Rejects
   * with the signal's reason when that ends the wait.
   */
  take(host: string, signal: AbortSignal, team?: string): Promise<(() => void) | undefined>;
  /** places taken, and callers waiting */
  counts(): { taken: number; waiting: number };
}

export interface SlotLimits {
  total: number;
  perHost: number;
  waiting: number;
  /** a team leaves others as many places as it has; default: it may have all */
  spare?: boolean;
}

interface Waiter {
  host: string;
  start(): void;
}

export function createSlots(limits: SlotLimits): Slots {
  const hosts = new Map<string, number>();
  const teams = new Map<string, number>();
  const lines = createLines<Waiter>();
  let total = 0;

  const hasShare = (team: string): boolean =>
    limits.spare && team !== '' ? (teams.get(team) ?? 0) < limits.total - total : total < limits.total;
  const mayWait = (team: string): boolean =>
    limits.spare && team !== '' ? lines.of(team).length < limits.waiting - lines.size() : lines.size() < limits.waiting;
  const isFree = (host: string): boolean => (hosts.get(host) ?? 0) < limits.perHost;

  function occupy(host: string, team: string): () => void {
    total++;
    count(hosts, host, 1);
    count(teams, team, 1);
    let given = false;
    return () => {
      if (given) return;
      given = true;
      total--;
      count(hosts, host, -1);
      count(teams, team, -1);
      next();
    };
  }

  /** Passes over those whose host is full, and teams that have their share. */
  function next(): void {
    while (total < limits.total) {
      const waiter = lines.next(hasShare, ({ host }) => isFree(host));
      if (!waiter) return;
      waiter.start();
    }
  }

  return {
    async take(host, signal, team = '') {
      signal.throwIfAborted();
      if (hasShare(team) && isFree(host)) return occupy(host, team);
      if (!mayWait(team)) return undefined;
      return new Promise((resolve, reject) => {
        const abort = (): void => {
          lines.remove(team, waiter);
          reject(signal.reason);
        };
        const waiter: Waiter = {
          host,
          start: () => {
            signal.removeEventListener('abort', abort);
            resolve(occupy(host, team));
          },
        };
        lines.push(team, waiter);
        signal.addEventListener('abort', abort, { once: true });
      });
    },
    counts: () => ({ taken: total, waiting: lines.size() }),
  };
}

function count(held: Map<string, number>, of: string, change: number): void {
  const now = (held.get(of) ?? 0) + change;
  if (now === 0) held.delete(of);
  else held.set(of, now);
}
