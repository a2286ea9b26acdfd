/**
 * Look-ups of names, put to ClickHouse together. A question costs the engine milliseconds to plan, however little it finds, and
 * anybody may ask for what is not there. For one team and kind of name:
 *
 *     idle ──a name──> in line ──its turn: all names that wait──> asking ──> resting ──> in line, if names wait; else idle
 *
 * A name is asked for after its caller came, so nothing that was stored by then is missed. Nothing is remembered.
 *
 * The rest grows with the names that were not there. A team that looks for what does not exist is thus answered at a pace, and
 * leaves the engine and the process that asks to the others. Its callers wait rather than being refused: a refusal costs
 * nearly as much as an answer, and they would be back at once.
 */
import type { Ask } from './ask.js';
import { HistoryUnavailable } from './breaker.js';
import { inQuestions } from './questions.js';

export interface Joined<N, T> {
  /** What there is of `name`; throws `HistoryUnavailable`. Names of one team and kind are asked for together. */
  find(team: string, kind: string, name: N): Promise<T | undefined>;
}

export interface JoinedOptions<N, T> {
  /** what one puts into array parameters, each into another; together they tell names apart */
  texts(name: N): readonly string[];
  /** the answers to names of a team, in their order */
  ask(of: { team: string; kind: string }, names: readonly N[], signal: AbortSignal): Promise<(T | undefined)[]>;
}

/** Callers of one team and kind that wait. */
const MOST_WAITING = 1024;
const REST_MS_A_NAME = 1;
const MOST_REST_MS = 250;

interface Wanted<N, T> {
  name: N;
  callers: { resolve(found: T | undefined): void; reject(error: unknown): void }[];
}

interface Group<N, T> {
  team: string;
  kind: string;
  waiting: Map<string, Wanted<N, T>>;
  callers: number;
}

export function createJoined<N, T>({ bounded }: Ask, { texts, ask }: JoinedOptions<N, T>): Joined<N, T> {
  const groups = new Map<string, Group<N, T>>();

  /** The first names that fit into a question; the others wait for the next. */
  function takeOut(group: Group<N, T>): Wanted<N, T>[] {
    const [first = []] = inQuestions([...group.waiting.values()], ({ name }) => texts(name));
    for (const { name, callers } of first) {
      group.waiting.delete(keyOf(texts(name)));
      group.callers -= callers.length;
    }
    return first;
  }

  /** How many names were not there. */
  async function askOnce(group: Group<N, T>): Promise<number> {
    let asked: Wanted<N, T>[] | undefined;
    try {
      const found = await bounded(group.team, async (signal) => {
        asked = takeOut(group);
        const names = asked.map(({ name }) => name);
        return await ask(group, names, signal);
      });
      asked?.forEach(({ callers }, i) => {
        for (const { resolve } of callers) resolve(found[i]);
      });
      return found.filter((one) => one === undefined).length;
    } catch (error) {
      // Without a turn nobody was asked for: whoever waits has waited as long as the line allows, or ClickHouse fails.
      for (const { callers } of asked ?? takeAll(group)) for (const { reject } of callers) reject(error);
      return 0;
    }
  }

  function takeAll(group: Group<N, T>): Wanted<N, T>[] {
    const all = [...group.waiting.values()];
    group.waiting.clear();
    group.callers = 0;
    return all;
  }

  async function work(key: string, group: Group<N, T>): Promise<void> {
    while (group.waiting.size > 0) {
      const absent = await askOnce(group);
      if (absent > 0) await rest(Math.min(MOST_REST_MS, absent * REST_MS_A_NAME));
    }
    groups.delete(key);
  }

  return {
    find(team, kind, name) {
      const key = keyOf([team, kind]);
      let group = groups.get(key);
      const begins = !group;
      group ??= { team, kind, waiting: new Map(), callers: 0 };
      if (group.callers >= MOST_WAITING) {
        return Promise.reject(new HistoryUnavailable('too many look-ups of the team wait for ClickHouse'));
      }
      group.callers++;
      const { waiting } = group;
      const found = new Promise<T | undefined>((resolve, reject) => {
        const id = keyOf(texts(name));
        const wanted = waiting.get(id);
        if (wanted) wanted.callers.push({ resolve, reject });
        else waiting.set(id, { name, callers: [{ resolve, reject }] });
      });
      if (begins) {
        groups.set(key, group);
        void work(key, group);
      }
      return found;
    },
  };
}

const keyOf = (texts: readonly string[]): string => JSON.stringify(texts);

const rest = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
