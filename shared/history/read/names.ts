/** Finds items by callers' ids: the places first, then the items there. "Latest" is the highest sequence. */
import { isOutcome, type StoredItem } from '../../api/results/record.js';
import type { Ask } from './ask.js';
import { NAMED_EVENT, NAMED_EVENTS } from './graph.js';
import { atPlaces, complete, type ItemPlace, type Owner, selectItems, withoutMetadata } from './items.js';
import { createJoined, type Joined } from './joined.js';

export interface NameQueries {
  latestEvent(team: string, environment: string, run: string, event: string): Promise<StoredItem | undefined>;
  /** the latest event of each reference with a sequence below `before`, in the order of the references, in one query */
  latestEvents(
    team: string,
    environment: string,
    references: readonly { run_id: string; event_id: string }[],
    before?: number,
  ): Promise<(StoredItem | undefined)[]>;
  latestSession(team: string, deployment: string, external: string): Promise<StoredItem | undefined>;
  /** the latest check of each external session id, in their order, in one query */
  latestSessions(team: string, deployment: string, externals: readonly string[]): Promise<(StoredItem | undefined)[]>;
  /** checks of an external session id that have a verdict, newest first, at most `most` */
  sessions(team: string, deployment: string, external: string, most: number): Promise<StoredItem[]>;
  /** the artifact of an external id that was created last */
  latestArtifact(team: string, deployment: string, external: string): Promise<StoredItem | undefined>;
  /** artifacts that belong to a session by one of its ids, the last created first, at most `most` */
  sessionArtifacts(team: string, deployment: string, sessions: readonly string[], most: number): Promise<StoredItem[]>;
}

// Items of one request share its sequence, and the last of them is the latest. Ids are compared as numbers, which is the order
// of their texts and that of Redis. The engine's own order of UUIDs differs.
const LAST = 'argMax((toUnixTimestamp64Milli(ts), id), (sequence, toUInt128(id))) AS target';
const latestEventsQuery = (count: number): string => `SELECT run_id AS name, event_id, ${LAST} FROM run_events
  WHERE ${count === 1 ? NAMED_EVENT : NAMED_EVENTS} AND sequence < {before:UInt64} GROUP BY run_id, event_id`;
const LATEST_SESSIONS = `SELECT name, event_id, ${LAST} FROM names
  WHERE team = {team:String} AND scope = {scope:String} AND kind = 'session' AND name IN {names:Array(String)} AND event_id = ''
  GROUP BY name, event_id`;

const NEWEST_SESSIONS = `SELECT toUnixTimestamp64Milli(any(ts)) AS ms, toString(id) AS id FROM names
  WHERE team = {team:String} AND scope = {scope:String} AND kind = 'session' AND name = {name:String} AND event_id = ''
  GROUP BY sequence, id ORDER BY sequence DESC, id DESC LIMIT {most:UInt32} OFFSET {from:UInt32}`;
/** Most pages of {@link NEWEST_SESSIONS} that are read. */
const PAGES = 10;
/** Checks per page in search of one that has an outcome. */
const OUTCOME_PAGE = 100;

/** The artifacts of one name or several that were created last. Their ids begin with that time. */
const NEWEST_ARTIFACTS = `SELECT toUnixTimestamp64Milli(any(ts)) AS ms, toString(id) AS id FROM names
  WHERE team = {team:String} AND scope = {scope:String} AND kind = {kind:String} AND name IN {names:Array(String)}
  AND event_id = '' GROUP BY id ORDER BY ms DESC, id DESC LIMIT {most:UInt32}`;

/** What finds an item: run and event id, or external session id and ''. */
type Name = readonly [name: string, event: string];
type Before = { before?: number | undefined };

interface TargetRow {
  name: string;
  event_id: string;
  target: [ms: string | number, id: string];
}

interface PlaceRow {
  ms: string;
  id: string;
}

const placeOf = ({ ms, id }: PlaceRow): ItemPlace => ({ ms: Number(ms), id });

export function nameQueries(ask: Ask): NameQueries {
  return { ...latestQueries(ask), ...artifactQueries(ask) };
}

function latestQueries(ask: Ask): Omit<NameQueries, 'latestArtifact' | 'sessionArtifacts'> {
  const namedEvents = joinedPlaces(ask, latestEventsQuery);
  const namedSessions = joinedPlaces(ask, () => LATEST_SESSIONS);

  /** The latest item of one name. Names that wait at the same time share a query. */
  async function latestOne(names: Joined<Name, ItemPlace>, owner: Owner, name: Name): Promise<StoredItem | undefined> {
    const place = await names.find(owner.team, owner.scope, name);
    if (!place) return undefined;
    return (await ask.bounded(owner.team, (signal) => itemsAt(ask, owner, { places: [place], signal })))[0];
  }

  /** The latest item of each name, in their order: one query for the places, one for the items. */
  async function latest(query: string, key: Owner & Before, names: readonly Name[]) {
    if (names.length === 0) return [];
    return await ask.bounded(key.team, async (signal) => {
      const places = await latestPlaces(ask, query, { ...key, names, signal });
      return await itemsAt(ask, key, { places, signal });
    });
  }

  return {
    latestEvent: (team, environment, run, event) => latestOne(namedEvents, { team, scope: environment }, [run, event]),
    latestEvents: (team, environment, references, before) =>
      latest(
        latestEventsQuery(references.length),
        { team, scope: environment, before },
        references.map((reference) => [reference.run_id, reference.event_id]),
      ),
    async latestSession(team, deployment, external) {
      const item = await latestOne(namedSessions, { team, scope: deployment }, [external, '']);
      if (!item || isOutcome(item.error)) return item;
      // A name leads to such a check only when an earlier release archived it, or when it was given up before its replay.
      const key = { team, scope: deployment, name: external };
      return (await newestChecks(ask, key, { page: OUTCOME_PAGE, most: 1, wanted: isOutcome }))[0];
    },
    latestSessions: (team, deployment, externals) =>
      latest(
        LATEST_SESSIONS,
        { team, scope: deployment },
        externals.map((external) => [external, '']),
      ),
    sessions: (team, deployment, external, most) =>
      newestChecks(
        ask,
        { team, scope: deployment, name: external },
        { page: most, most, wanted: (error) => error === null },
      ),
  };
}

function artifactQueries(ask: Ask): Pick<NameQueries, 'latestArtifact' | 'sessionArtifacts'> {
  const newest = (
    key: Owner & { kind: 'artifact' | 'session_artifact'; names: readonly string[] },
    most: number,
  ): Promise<StoredItem[]> =>
    ask.bounded(key.team, async (signal) => {
      const found = await ask.select<PlaceRow>(NEWEST_ARTIFACTS, { ...key, most }, signal);
      if (found.length === 0) return [];
      const at = atPlaces(key, found.map(placeOf));
      const items = await complete(ask, selectItems(ask, at, signal), { at, signal, artifacts: true });
      return found.flatMap(({ id }) => items.get(id) ?? []);
    });
  return {
    async latestArtifact(team, deployment, external) {
      return (await newest({ team, scope: deployment, kind: 'artifact', names: [external] }, 1))[0];
    },
    sessionArtifacts: (team, deployment, sessions, most) =>
      newest({ team, scope: deployment, kind: 'session_artifact', names: sessions }, most),
  };
}

const joinedPlaces = (ask: Ask, query: (count: number) => string): Joined<Name, ItemPlace> =>
  createJoined(ask, {
    texts: (name) => name,
    ask: ({ team, kind: scope }, names, signal) =>
      latestPlaces(ask, query(names.length), { team, scope, names, signal }),
  });

/** The places that `query` returns as the latest of `names`, in their order. */
async function latestPlaces(
  { select }: Ask,
  query: string,
  { team, scope, before, names, signal }: Owner & Before & { names: readonly Name[]; signal: AbortSignal },
): Promise<(ItemPlace | undefined)[]> {
  const rows = await select<TargetRow>(
    query,
    {
      team,
      scope,
      before: before ?? Number.MAX_SAFE_INTEGER,
      names: names.map(([name]) => name),
      events: names.map(([, event]) => event),
    },
    signal,
  );
  const byName = new Map(rows.map(({ name, event_id, target }) => [`${name}\0${event_id}`, target]));
  return names.map(([name, event]) => {
    const target = byName.get(`${name}\0${event}`);
    return target && { ms: Number(target[0]), id: target[1] };
  });
}

/** The items at `places`, in their order. */
async function itemsAt(
  ask: Ask,
  owner: Owner,
  { places, signal }: { places: readonly (ItemPlace | undefined)[]; signal: AbortSignal },
): Promise<(StoredItem | undefined)[]> {
  const there = places.filter((place) => place !== undefined);
  if (there.length === 0) return places.map(() => undefined);
  const at = atPlaces(owner, there);
  const found = await complete(ask, selectItems(ask, at, signal), { at, signal });
  return places.map((place) => place && found.get(place.id));
}

/** Checks of an external session id whose error is `wanted`, newest first, at most `most`, read `page` at a time. */
function newestChecks(
  ask: Ask,
  key: Owner & { name: string },
  { page, most, wanted }: { page: number; most: number; wanted(error: StoredItem['error']): boolean },
): Promise<StoredItem[]> {
  return ask.bounded(key.team, async (signal) => {
    const sessions: StoredItem[] = [];
    for (let read = 0; read < PAGES && sessions.length < most; read++) {
      const parameters = { ...key, most: page, from: read * page };
      const places = await ask.select<PlaceRow>(NEWEST_SESSIONS, parameters, signal);
      if (places.length === 0) break;
      const found = withoutMetadata(await selectItems(ask, atPlaces(key, places.map(placeOf)), signal));
      sessions.push(...places.flatMap(({ id }) => found.get(id) ?? []).filter(({ error }) => wanted(error)));
      if (places.length < page) break;
    }
    return sessions.slice(0, most);
  });
}
