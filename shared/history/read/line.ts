/**
 * The queue before ClickHouse: a few look-ups run at a time, the others wait, and the teams take turns. The time limit of a
 * look-up counts from its turn on. So a burst is answered one by one, and its look-ups do not make each other time out.
 *
 * A team may take another slot, to run or to wait, only while more slots are free than it holds. So a team that asks without
 * end holds half of the slots and is refused then, and the next team gets a slot at once.
 */
import { createSlots } from '../../slots.js';
import { HistoryUnavailable } from './breaker.js';

export interface LineOptions {
  /** look-ups at a time, default 4; one team gets half of them, rounded up */
  atOnce?: number;
  /** most look-ups that wait, default 256; one team gets half of them */
  longest?: number;
  /** longest wait, default 2,000 ms */
  waitMs?: number;
}

export interface QueryLine {
  /** Runs `call` when it is its turn. Rejects with {@link HistoryUnavailable} when too many of the team wait, or it waits too long. */
  run<T>(team: string, call: () => Promise<T>): Promise<T>;
}

export function createLine({ atOnce = 4, longest = 256, waitMs = 2000 }: LineOptions = {}): QueryLine {
  const slots = createSlots({ total: atOnce, perHost: atOnce, waiting: longest, spare: true });

  async function turn(team: string): Promise<() => void> {
    const patience = new AbortController();
    const timer = setTimeout(() => {
      patience.abort(new HistoryUnavailable('ClickHouse is busy with other look-ups'));
    }, waitMs);
    try {
      const leave = await slots.take('', patience.signal, team);
      if (!leave) throw new HistoryUnavailable('too many look-ups wait for ClickHouse');
      return leave;
    } finally {
      clearTimeout(timer);
    }
  }

  return {
    async run(team, call) {
      const leave = await turn(team);
      try {
        return await call();
      } finally {
        leave();
      }
    },
  };
}
