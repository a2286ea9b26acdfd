/**
 * Finds the sessions that artifacts name by the caller's id and that are no longer hot. A query of ClickHouse costs as much as decoding a
 * small image, so artifacts that come close together share one. After a query there is a rest of twice its time. It is longer
 *
 * - where many artifacts have shared the query, until as many wait for nothing but their session as have images to be looked at;
 * - while images whose sessions are known already are still being looked at: whoever came after them waits for its own image anyway.
 *
 * So the queries take a third of one connection at most, and less the more images come.
 */
import type { StoredItem } from '../../../shared/api/results/record.js';
import type { WorkHeader } from '../../../shared/streams/work.js';

export interface Links {
  /**
   * The header, completed with our id of the latest check of the session that its artifact names, if there is one. Waits no longer than a
   * moment after `image` has settled: a session that is not found by then is looked for again whenever the artifact is read. Never
   * rejects.
   */
  complete(header: WorkHeader, image: Promise<unknown>): Promise<WorkHeader>;
}

/** Latest checks of external session ids, in their order; rejects when history cannot be asked. */
export type LatestSessions = (
  team: string,
  deployment: string,
  externals: readonly string[],
) => Promise<(Pick<StoredItem, 'id'> | undefined)[]>;

/** Names of one query. With 256 characters each, in any script, they fit into a parameter of ClickHouse (128 KiB). */
const MOST = 100;
const REST = 2;
const LONGEST_REST_MS = 250;
/** Up to here, a longer rest is as many times the query as it had names: each of them would have been a query of its own. */
const SHARED_REST_MS = 100;
/** How long the session is waited for once the image has been looked at. */
const PATIENCE_MS = 200;

/** Images with a known session of which so many are being looked at: the next query has the time until one of them is done. */
const AHEAD = 1;

/** Session ids of one team and deployment that are to be asked for. */
interface LinkGroup {
  team: string;
  deployment: string;
  /** by name, the callbacks of those that wait for it */
  names: Map<string, Set<(id: string) => void>>;
}

export function createLinks(ask: LatestSessions): Links {
  /** by team and deployment, in the order in which they came */
  const groups = new Map<string, LinkGroup>();
  const need = createNeed();
  let asking = false;

  async function askAll(): Promise<void> {
    asking = true;
    for (const [key, group] of groups) {
      groups.delete(key);
      const names = group.names.size;
      const started = performance.now();
      await askFor(ask, group);
      const took = performance.now() - started;
      const rest = Math.min(LONGEST_REST_MS, REST * took);
      const shared = Math.max(rest, Math.min(SHARED_REST_MS, names * took));
      await new Promise((resolve) => setTimeout(resolve, rest));
      await need.presses(shared - rest);
      await need.arises(LONGEST_REST_MS - shared);
    }
    asking = false;
  }

  function groupOf(team: string, deployment: string): LinkGroup {
    const key = `${team}\0${deployment}`;
    const group = groups.get(key) ?? { team, deployment, names: new Map() };
    groups.set(key, group);
    return group;
  }

  return {
    async complete(header, image) {
      const { kind, team, scope, session } = header;
      if (kind !== 'artifact' || !session || session.internal !== '') return header;
      const found = waitFor(groupOf(team, scope), session.external, { image, need });
      if (!asking) void askAll();
      return { ...header, session: { ...session, internal: await found } };
    },
  };
}

/** Asks for all names of a group, and tells those that wait what was found; '' where there is nothing. */
async function askFor(ask: LatestSessions, { team, deployment, names }: LinkGroup): Promise<void> {
  while (names.size > 0) {
    const some = [...names.keys()].slice(0, MOST);
    const waiting = some.map((name) => names.get(name)!);
    for (const name of some) names.delete(name);
    // A failure is counted where ClickHouse is asked.
    const found = await ask(team, deployment, some).catch(() => []);
    for (const [i, all] of waiting.entries()) for (const resolve of all) resolve(found[i]?.id ?? '');
  }
}

/** Says when the next query is needed. */
function createNeed() {
  /** artifacts whose image is being looked at: those whose session is known, and those that wait for it */
  let ahead = 0;
  let behind = 0;
  /** artifacts whose image has been looked at and that wait for their session */
  let late = 0;
  let tell = (): void => undefined;

  /** Resolves when `isMet`, after `ms` at the latest. */
  function until(isMet: () => boolean, ms: number): Promise<void> {
    return new Promise((resolve) => {
      if (ms <= 0 || isMet()) return resolve();
      const timer = setTimeout(resolve, ms);
      tell = () => {
        if (!isMet()) return;
        clearTimeout(timer);
        resolve();
      };
    });
  }

  return {
    count(more: { ahead?: number; behind?: number; late?: number }): void {
      ahead += more.ahead ?? 0;
      behind += more.behind ?? 0;
      late += more.late ?? 0;
      tell();
    },
    /** Resolves when it is urgent, after `ms` at the latest: callers that wait for a session send no further images to decode. */
    presses: (ms: number): Promise<void> => until(() => late > 0 && late >= ahead + behind, ms),
    /** Resolves when it is of use, after `ms` at the latest. */
    arises: (ms: number): Promise<void> => until(() => ahead <= AHEAD || late > 0, ms),
  };
}

/** Resolves to the id that is found for a name, or to '' a moment after `image` has settled. */
function waitFor(
  { names }: LinkGroup,
  name: string,
  { image, need }: { image: Promise<unknown>; need: ReturnType<typeof createNeed> },
): Promise<string> {
  const all = names.get(name) ?? new Set();
  names.set(name, all);
  return new Promise((resolve) => {
    let timer: NodeJS.Timeout | undefined;
    let known = false;
    const end = (id: string): void => {
      known = true;
      need.count(timer ? { late: -1 } : { behind: -1, ahead: 1 });
      clearTimeout(timer);
      resolve(id);
    };
    const leave = (): void => {
      all.delete(end);
      if (all.size === 0 && names.get(name) === all) names.delete(name);
      end('');
    };
    const settle = (): void => {
      if (known) {
        need.count({ ahead: -1 });
        return;
      }
      timer = setTimeout(leave, PATIENCE_MS);
      need.count({ behind: -1, late: 1 });
    };
    all.add(end);
    need.count({ behind: 1 });
    image.then(settle, settle);
  });
}
