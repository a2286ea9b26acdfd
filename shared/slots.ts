/**
 * Slots: limits how many run at once in all and per host, and how many wait. A waiter holds no slot, so a host that hangs delays
 * only callers of that host. Waiting teams take turns.
 *
 * With `spare`, a team may take another slot only while more slots are free than it holds. So one team holds half of them at
 * most. Even when the hosts of four teams hang, a fifth team gets a slot: of 16 slots the four hold 8, 4, 2 and 1. The same
 * rule limits the waiters of a team.
 */
import { createLines } from './lines.js';

export interface Slots {
  /**
   * Waits for a slot at `host` for `team`. Callers that name no team are one more team, bound by the totals alone. Resolves to a
   * function that frees the slot (further calls do nothing), or to undefined when too many wait already, in all or, with
   * `spare`, of the team. Rejects with the signal's reason when that ends the wait.
   */
  take(host: string, signal: AbortSignal, team?: string): Promise<(() => void) | undefined>;
  /** slots taken, and callers waiting */
  counts(): { taken: number; waiting: number };
}

export interface SlotLimits {
  total: number;
  perHost: number;
  waiting: number;
  /** a team leaves as many slots free as it holds; default: it may hold all */
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

  /** Starts waiters while there are slots. Skips hosts that are full, and teams that hold their share. */
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
