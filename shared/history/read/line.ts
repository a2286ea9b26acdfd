/**
 * A line before ClickHouse: a few questions at a time, the others wait, and the teams take turns. The time limit of a question
 * counts from its turn on, so a burst of look-ups is answered one after the other instead of failing together by slowness
 * that they cause each other.
 *
 * A team runs and waits with a further question only while more places are free than it has. So one that asks without end has
 * half of the places, is refused itself, and the next team finds a place at once.
 */
import { createSlots } from '../../slots.js';
import { HistoryUnavailable } from './breaker.js';

export interface LineOptions {
  /** questions at a time, of one team half of them (rounded up); default 4 */
  atOnce?: number;
  /** most that wait, of one team half of them; default 256 */
  longest?: number;
  /** longest that one waits, default 2,000 ms */
  waitMs?: number;
}

export interface Line {
  /**
   * Runs `call` when it is the turn of `team`. Rejects with {@link HistoryUnavailable} when too many of its questions wait, or
   * one waits too long.
   */
  run<T>(team: string, call: () => Promise<T>): Promise<T>;
}

export function createLine({ atOnce = 4, longest = 256, waitMs = 2000 }: LineOptions = {}): Line {
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
