/**
 * Joins look-ups of names into one query. A query costs the engine milliseconds to plan, however little it finds, and anybody may
 * ask for names that do not exist. For one team and kind of name:
 *
 *     idle ──a name──> queued ──its turn: takes all names that wait──> asking ──> resting ──> queued, if names wait; else idle
 *
 * A name is asked for after its caller came, so the answer has everything that was stored by then. Nothing is cached.
 *
 * The rest grows with the number of names that do not exist. So a team that asks for such names is slowed down, and the engine
 * and this process stay free for others. Its callers wait and are not refused: a refusal costs nearly as much as an answer, and
 * they would retry at once.
 */
import type { Ask } from './ask.js';
import { HistoryUnavailable } from './breaker.js';
import { inQuestions } from './questions.js';

export interface Joined<N, T> {
  /** What `name` leads to. Names of one team and kind share queries. Throws `HistoryUnavailable`. */
  find(team: string, kind: string, name: N): Promise<T | undefined>;
}

export interface JoinedOptions<N, T> {
  /** the texts of a name, each for another array parameter; together they identify it */
  texts(name: N): readonly string[];
  /** what the names of a team lead to, in their order */
  ask(of: { team: string; kind: string }, names: readonly N[], signal: AbortSignal): Promise<(T | undefined)[]>;
}

/** Most callers of one team and kind that wait. */
const MOST_WAITING = 1024;
/** Rest per name that does not exist. */
const REST_MS_A_NAME = 1;
const MOST_REST_MS = 250;

interface WantedName<N, T> {
  name: N;
  callers: { resolve(found: T | undefined): void; reject(error: unknown): void }[];
}

/** The names that wait for the next query, with their callers. */
interface Waiting<N, T> {
  callers(): number;
  add(name: N): Promise<T | undefined>;
  /** Takes out the first names that fit into one query. */
  takeSome(): WantedName<N, T>[];
  takeAll(): WantedName<N, T>[];
}

export function createJoined<N, T>({ bounded }: Ask, { texts, ask }: JoinedOptions<N, T>): Joined<N, T> {
  const groups = new Map<string, Waiting<N, T>>();

  /** Runs one query for names that wait. Returns how many of them do not exist. */
  async function askOnce(of: { team: string; kind: string }, waiting: Waiting<N, T>): Promise<number> {
    let asked: WantedName<N, T>[] | undefined;
    try {
      const found = await bounded(of.team, async (signal) => {
        asked = waiting.takeSome();
        const names = asked.map(({ name }) => name);
        return await ask(of, names, signal);
      });
      asked?.forEach(({ callers }, i) => {
        for (const { resolve } of callers) resolve(found[i]);
      });
      return found.filter((one) => one === undefined).length;
    } catch (error) {
      // Without a turn no name was taken: all callers have waited as long as they may, or ClickHouse fails.
      for (const { callers } of asked ?? waiting.takeAll()) for (const { reject } of callers) reject(error);
      return 0;
    }
  }

  async function work(key: string, of: { team: string; kind: string }, waiting: Waiting<N, T>): Promise<void> {
    while (waiting.callers() > 0) {
      const absent = await askOnce(of, waiting);
      if (absent > 0) await rest(Math.min(MOST_REST_MS, absent * REST_MS_A_NAME));
    }
    groups.delete(key);
  }

  return {
    find(team, kind, name) {
      const key = keyOf([team, kind]);
      const waiting = groups.get(key);
      if (waiting && waiting.callers() >= MOST_WAITING) {
        return Promise.reject(new HistoryUnavailable('too many look-ups of the team wait for ClickHouse'));
      }
      if (waiting) return waiting.add(name);
      const group = createWaiting<N, T>(texts);
      const found = group.add(name);
      groups.set(key, group);
      void work(key, { team, kind }, group);
      return found;
    },
  };
}

function createWaiting<N, T>(texts: JoinedOptions<N, T>['texts']): Waiting<N, T> {
  const waiting = new Map<string, WantedName<N, T>>();
  let callers = 0;
  return {
    callers: () => callers,
    add(name) {
      callers++;
      return new Promise((resolve, reject) => {
        const id = keyOf(texts(name));
        const wanted = waiting.get(id);
        if (wanted) wanted.callers.push({ resolve, reject });
        else waiting.set(id, { name, callers: [{ resolve, reject }] });
      });
    },
    takeSome() {
      const [some = []] = inQuestions([...waiting.values()], ({ name }) => texts(name));
      for (const wanted of some) {
        waiting.delete(keyOf(texts(wanted.name)));
        callers -= wanted.callers.length;
      }
      return some;
    },
    takeAll() {
      const all = [...waiting.values()];
      waiting.clear();
      callers = 0;
      return all;
    },
  };
}

const keyOf = (texts: readonly string[]): string => JSON.stringify(texts);

const rest = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
