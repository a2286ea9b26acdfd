/**
 * The sessions that artifacts name by the caller's id and that are no longer hot. To ask ClickHouse costs as much as to decode a
 * small image, so artifacts that come close together share a question, and between questions nothing is asked for twice as
 * long as the last one took: that is a third of one connection, however many images come.
 */
import type { StoredItem } from '../../../shared/api/results/record.js';
import type { WorkHeader } from '../../../shared/streams/work.js';

export interface Links {
  /**
   * The header with our id of the latest check of the session that its artifact names, where it lacks that and there is one.
   * Waits no longer than a moment after `image` has settled: whoever reads the artifact looks for its session again. Never
   * rejects.
   */
  complete(header: WorkHeader, image: Promise<unknown>): Promise<WorkHeader>;
}

/** Latest checks of external session ids, in their order; rejects when nobody can tell. */
export type LatestSessions = (
  team: string,
  deployment: string,
  externals: readonly string[],
) => Promise<(Pick<StoredItem, 'id'> | undefined)[]>;

/**
 * Names that are asked for at once: of 256 characters each, in any script, they are less than ClickHouse takes in a parameter
 * (128 KiB).
 */
const MOST = 100;
const REST = 2;
const LONGEST_REST_MS = 250;
/** How long the link is waited for once the image has been looked at. */
const PATIENCE_MS = 200;

interface Group {
  team: string;
  deployment: string;
  /** who waits, by name; names that nobody waits for any more go */
  names: Map<string, Set<(id: string) => void>>;
}

export function createLinks(ask: LatestSessions): Links {
  /** by team and deployment, in the order in which they came */
  const groups = new Map<string, Group>();
  let asking = false;

  async function askAll(): Promise<void> {
    asking = true;
    for (const [key, group] of groups) {
      groups.delete(key);
      const started = performance.now();
      await askFor(group);
      const rest = Math.min(LONGEST_REST_MS, REST * (performance.now() - started));
      await new Promise<void>((resolve) => setTimeout(resolve, rest));
    }
    asking = false;
  }

  async function askFor({ team, deployment, names }: Group): Promise<void> {
    while (names.size > 0) {
      const some = [...names.keys()].slice(0, MOST);
      const waiting = some.map((name) => names.get(name)!);
      for (const name of some) names.delete(name);
      // Counted where ClickHouse is asked.
      const found = await ask(team, deployment, some).catch(() => []);
      for (const [i, all] of waiting.entries()) for (const resolve of all) resolve(found[i]?.id ?? '');
    }
  }

  function find(team: string, deployment: string, external: string, image: Promise<unknown>): Promise<string> {
    const key = `${team}\0${deployment}`;
    const group = groups.get(key) ?? { team, deployment, names: new Map() };
    groups.set(key, group);
    const all = group.names.get(external) ?? new Set();
    group.names.set(external, all);
    return new Promise((resolve) => {
      let timer: NodeJS.Timeout | undefined;
      const end = (id: string): void => {
        clearTimeout(timer);
        resolve(id);
      };
      const leave = (): void => {
        all.delete(end);
        if (all.size === 0 && group.names.get(external) === all) group.names.delete(external);
        end('');
      };
      const wait = (): void => {
        timer = setTimeout(leave, PATIENCE_MS);
      };
      all.add(end);
      image.then(wait, wait);
      if (!asking) void askAll();
    });
  }

  return {
    async complete(header, image) {
      const { kind, team, scope, session } = header;
      if (kind !== 'artifact' || !session || session.internal !== '') return header;
      return { ...header, session: { ...session, internal: await find(team, scope, session.external, image) } };
    },
  };
}
