/**
 * The sessions that artifacts name by the caller's id and that are no longer hot. To ask ClickHouse costs as much as to decode a
 * small image, so artifacts that come close together share a question, and between questions nothing is asked for twice as
 * long as the last one took: that is a third of one connection, however many images come.
 */
import type { StoredItem } from '../../shared/api/record.js';
import type { WorkHeader } from '../../shared/streams/work.js';

export interface Links {
  /**
   * The header with our id of the latest check of the session that its artifact names, where it lacks that and there is one.
   * Never rejects.
   */
  complete(header: WorkHeader): Promise<WorkHeader>;
}

/** Latest checks of external session ids, in their order; rejects when nobody can tell. */
export type LatestSessions = (
  team: string,
  deployment: string,
  externals: readonly string[],
) => Promise<(Pick<StoredItem, 'id'> | undefined)[]>;

/** Names that are asked for at once. */
const MOST = 256;
const REST = 2;
const LONGEST_REST_MS = 250;

interface Group {
  team: string;
  deployment: string;
  /** who waits, by name */
  names: Map<string, ((id: string) => void)[]>;
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
    const all = [...names.keys()];
    for (let at = 0; at < all.length; at += MOST) {
      const some = all.slice(at, at + MOST);
      // Counted where ClickHouse is asked. The session is looked for again whenever the artifact is read.
      const found = await ask(team, deployment, some).catch(() => []);
      for (const [i, name] of some.entries()) for (const resolve of names.get(name)!) resolve(found[i]?.id ?? '');
    }
  }

  function find(team: string, deployment: string, external: string): Promise<string> {
    const key = `${team}\0${deployment}`;
    const group = groups.get(key) ?? { team, deployment, names: new Map() };
    groups.set(key, group);
    const found = new Promise<string>((resolve) => {
      const waiting = group.names.get(external);
      if (waiting) waiting.push(resolve);
      else group.names.set(external, [resolve]);
    });
    if (!asking) void askAll();
    return found;
  }

  return {
    async complete(header) {
      const { kind, team, scope, session } = header;
      if (kind !== 'artifact' || !session || session.internal !== '') return header;
      return { ...header, session: { ...session, internal: await find(team, scope, session.external) } };
    },
  };
}
