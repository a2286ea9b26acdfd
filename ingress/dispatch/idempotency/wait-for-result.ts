/**
 * Waiting for a check that another request has begun. The reply goes to the request that began it, so the stored result is read
 * here: at growing intervals, once for all who wait for the same check. One group of waiters:
 *
 *     begun by its first waiter ──> sleeping ──> reading ──result──> all answered, group gone
 *                                      ^            └──none──> those past their deadline are answered with nothing
 *                                      └───────────────────────────┘ while anybody waits
 */
import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ResultRecord } from '../../../shared/api/results/record.js';
import { within } from '../../../shared/async.js';

export interface ResultWaits {
  /** The record, or undefined when `deadline` (ms of the steady clock) comes first. Rejects when all are let go. */
  wait(requestId: string, deadline: number): Promise<ResultRecord | undefined>;
  /** how many wait */
  count(): number;
  /** Rejects all who wait. */
  letGo(error: Error): void;
}

interface Waiter {
  deadline: number;
  resolve(record: ResultRecord | undefined): void;
  reject(error: Error): void;
}

const FIRST_MS = 10;
const LONGEST_MS = 200;

/** Any number of groups may wait for it. */
function untilLetGo(): AbortController {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  return controller;
}

/** `read` gives the stored record of a request, or undefined. It may reject: then it is asked again. */
export function createResultWaits(read: (requestId: string) => Promise<ResultRecord | undefined>): ResultWaits {
  const groups = new Map<string, Set<Waiter>>();
  /** ended when all are let go: their reads are not waited for */
  let going = untilLetGo();

  async function look(requestId: string, group: Set<Waiter>): Promise<void> {
    let interval = FIRST_MS;
    while (group.size > 0) {
      const first = Math.min(...[...group].map(({ deadline }) => deadline));
      await sleep(Math.max(1, Math.min(interval, first - performance.now())));
      interval = Math.min(interval * 1.5, LONGEST_MS);
      // A Redis that does not answer delays nobody beyond the deadline.
      const asked = read(requestId).catch(() => undefined);
      const ms = Math.max(0, first - performance.now()) + LONGEST_MS;
      const record = await within(asked, { ms, signal: going.signal });
      const now = performance.now();
      for (const waiter of group) {
        if (!record && waiter.deadline > now) continue;
        group.delete(waiter);
        waiter.resolve(record);
      }
    }
    groups.delete(requestId);
  }

  return {
    wait(requestId, deadline) {
      return new Promise((resolve, reject) => {
        const waiter = { deadline, resolve, reject };
        const group = groups.get(requestId);
        if (group) {
          group.add(waiter);
          return;
        }
        const begun = new Set([waiter]);
        groups.set(requestId, begun);
        void look(requestId, begun);
      });
    },
    count: () => [...groups.values()].reduce((sum, group) => sum + group.size, 0),
    letGo(error) {
      for (const group of groups.values()) {
        for (const waiter of group) waiter.reject(error);
        group.clear();
      }
      going.abort();
      going = untilLetGo();
    },
  };
}
