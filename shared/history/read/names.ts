/** Finds items by callers' ids: the places first, then the items there. "Latest" is the highest sequence. */
import { TupleParam } from '@clickhouse/client';
import type { RecordOwner } from '../../api/results/record.js';
import { isOutcome, type StoredItem } from '../../api/results/record.js';
import { comparePlaces } from '../../latest.js';
import type { Ask } from './ask.js';
import { NAMED_EVENTS } from './graph.js';
import { type BesideItem, type ItemPlace, placeOf, selectItems } from './items.js';
import { createJoined, type Joined } from './joined.js';

export interface NameQueries {
  /** with its metadata */
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
  /**
   * artifacts of a session check, by its id: of its message, and those that came by themselves for it or for the caller's session. The
   * last created first, at most `most`
   */
  sessionArtifacts(
    team: string,
    deployment: string,
    session: { internal: string; external: string },
    most: number,
  ): Promise<StoredItem[]>;
}

// Items of one request share its sequence, and the last of them is the latest. Ids are compared as numbers, which is the order
// of their texts and that of Redis. The engine's own order of UUIDs differs. PREWHERE leaves the engine less to plan.
const LAST = 'argMax(id, (sequence, toUInt128(id))) AS id';
/** Most places of one name that are read to choose the latest here: planning an aggregation costs the engine a quarter more. */
const MOST_PLACES = 64;

/** How the places of names are asked for. */
interface PlaceQueries {
  /** all places of one name, at most {@link MOST_PLACES}; the parameter `name` is a list of what `tupleOf` returns */
  ofOne: string;
  tupleOf(owner: RecordOwner, name: ItemName): TupleParam;
  /** the latest place of each name */
  latest: string;
}

const eventPlaces = (before?: number): PlaceQueries => {
  const earlier = before === undefined ? '' : 'AND sequence < {before:UInt64}';
  return {
    ofOne: `SELECT id, sequence FROM run_events
  PREWHERE (team, scope, run_id, event_id) IN {name:Array(Tuple(String, String, String, String))} ${earlier}
  LIMIT ${MOST_PLACES}`,
    tupleOf: ({ team, scope }, [run, event]) => new TupleParam([team, scope, run, event]),
    latest: `SELECT run_id AS name, event_id, ${LAST} FROM run_events PREWHERE ${NAMED_EVENTS} ${earlier}
  GROUP BY run_id, event_id`,
  };
};
const SESSION = "team = {team:String} AND scope = {scope:String} AND kind = 'session'";
const SESSION_PLACES: PlaceQueries = {
  ofOne: `SELECT id, sequence FROM names
  PREWHERE (team, scope, kind, name) IN {name:Array(Tuple(String, String, String, String))} LIMIT ${MOST_PLACES}`,
  tupleOf: ({ team, scope }, [name]) => new TupleParam([team, scope, 'session', name]),
  latest: `SELECT name, '' AS event_id, ${LAST} FROM names PREWHERE ${SESSION} AND name IN {names:Array(String)}
  GROUP BY name`,
};

const NEWEST_SESSIONS = `SELECT toString(id) AS id FROM names
  PREWHERE ${SESSION} AND name = {name:String}
  GROUP BY sequence, id ORDER BY sequence DESC, id DESC LIMIT {most:UInt32} OFFSET {from:UInt32}`;
/** Most pages of {@link NEWEST_SESSIONS} that are read. */
const PAGES = 10;
/** Checks per page in search of one that has an outcome. */
const OUTCOME_PAGE = 100;

/** The artifacts of one name or several that were created last. Their ids begin with that time. */
const newestArtifacts = (wanted = ''): string => `SELECT toString(id) AS id FROM names
  PREWHERE team = {team:String} AND scope = {scope:String} AND kind = {kind:String} AND name IN {names:Array(String)}
  ${wanted} GROUP BY id ORDER BY id DESC LIMIT {most:UInt32}`;
const NEWEST_ARTIFACTS = newestArtifacts();
/** Of the caller's session those that came by themselves, which are the first item of their request: the last six bits of an id. */
const NEWEST_OF_SESSION = newestArtifacts('AND (name = {own:String} OR bitAnd(toUInt128(names.id), 63) = 1)');

/** What finds an item: run and event id, or external session id and ''. */
type ItemName = readonly [name: string, event: string];
type BeforeSequence = { before?: number | undefined };

interface PlaceRow {
  id: string;
  sequence: string | number;
}

interface TargetRow {
  name: string;
  event_id: string;
  id: string;
}

export function nameQueries(ask: Ask): NameQueries {
  return { ...latestQueries(ask), ...artifactQueries(ask) };
}

function latestQueries(ask: Ask): Omit<NameQueries, 'latestArtifact' | 'sessionArtifacts'> {
  const namedEvents = joinedPlaces(ask, eventPlaces());
  const namedSessions = joinedPlaces(ask, SESSION_PLACES);

  /** The latest item of one name. Names that wait at the same time share a query. */
  async function latestOne(
    names: Joined<ItemName, ItemPlace>,
    owner: RecordOwner,
    name: ItemName,
    beside?: BesideItem,
  ) {
    const place = await names.find(owner.team, owner.scope, name);
    if (!place) return undefined;
    const found = await ask.bounded(owner.team, (signal) =>
      selectItems(ask, owner, { places: [place], beside, signal }),
    );
    return found.get(place.id);
  }

  /** The latest item of each name, in their order: one query for the places, one for the items. */
  async function latest(kind: PlaceQueries, key: RecordOwner & BeforeSequence, names: readonly ItemName[]) {
    if (names.length === 0) return [];
    return await ask.bounded(key.team, async (signal) => {
      const places = await latestPlaces(ask, kind, { ...key, names, signal });
      const there = places.filter((place) => place !== undefined);
      const items = there.length === 0 ? undefined : await selectItems(ask, key, { places: there, signal });
      return places.map((place) => place && items?.get(place.id));
    });
  }

  return {
    latestEvent: (team, environment, run, event) =>
      latestOne(namedEvents, { team, scope: environment }, [run, event], 'metadata'),
    latestEvents: (team, environment, references, before) =>
      latest(
        eventPlaces(before),
        { team, scope: environment, before },
        references.map((reference) => [reference.run_id, reference.event_id]),
      ),
    async latestSession(team, deployment, external) {
      const item = await latestOne(namedSessions, { team, scope: deployment }, [external, '']);
      if (!item || isOutcome(item.error)) return item;
      // A name leads to such a check only when it was given up before its replay.
      const key = { team, scope: deployment, name: external };
      return (await newestChecks(ask, key, { page: OUTCOME_PAGE, most: 1, wanted: isOutcome }))[0];
    },
    latestSessions: (team, deployment, externals) =>
      latest(
        SESSION_PLACES,
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
    query: string,
    key: RecordOwner & { kind: 'artifact' | 'session_artifact'; names: readonly string[]; own?: string },
    most: number,
  ): Promise<StoredItem[]> =>
    ask.bounded(key.team, async (signal) => {
      const found = await ask.select<{ id: string }>(query, { ...key, most }, signal);
      if (found.length === 0) return [];
      const items = await selectItems(ask, key, {
        places: found.map(({ id }) => placeOf(id)),
        beside: 'session',
        signal,
      });
      return found.flatMap(({ id }) => items.get(id) ?? []);
    });
  return {
    async latestArtifact(team, deployment, external) {
      return (await newest(NEWEST_ARTIFACTS, { team, scope: deployment, kind: 'artifact', names: [external] }, 1))[0];
    },
    sessionArtifacts(team, deployment, { internal: own, external }, most) {
      const names = [own, external].filter((name) => name !== '');
      return newest(NEWEST_OF_SESSION, { team, scope: deployment, kind: 'session_artifact', names, own }, most);
    },
  };
}

const joinedPlaces = (ask: Ask, kind: PlaceQueries): Joined<ItemName, ItemPlace> =>
  createJoined(ask, {
    texts: (name) => name,
    ask: ({ team, kind: scope }, names, signal) => latestPlaces(ask, kind, { team, scope, names, signal }),
  });

/** The latest place of each of `names`, in their order. */
async function latestPlaces(
  { select }: Ask,
  kind: PlaceQueries,
  {
    team,
    scope,
    before,
    names,
    signal,
  }: RecordOwner & BeforeSequence & { names: readonly ItemName[]; signal: AbortSignal },
): Promise<(ItemPlace | undefined)[]> {
  const earlier = before === undefined ? {} : { before };
  const [name] = names;
  if (name && names.length === 1) {
    const parameters = { ...earlier, name: [kind.tupleOf({ team, scope }, name)] };
    const rows = await select<PlaceRow>(kind.ofOne, parameters, signal);
    const places = rows.map(({ id, sequence }) => ({ id, sequence: Number(sequence) }));
    const last = places.sort(comparePlaces).at(-1);
    if (rows.length < MOST_PLACES) return [last && placeOf(last.id)];
  }
  const texts = { names: names.map(([text]) => text), events: names.map(([, text]) => text) };
  const rows = await select<TargetRow>(kind.latest, { team, scope, ...earlier, ...texts }, signal);
  const byName = new Map(rows.map((row) => [`${row.name}\0${row.event_id}`, placeOf(row.id)]));
  return names.map(([name, event]) => byName.get(`${name}\0${event}`));
}

/** Checks of an external session id whose error is `wanted`, newest first, at most `most`, read `page` at a time. */
function newestChecks(
  ask: Ask,
  key: RecordOwner & { name: string },
  { page, most, wanted }: { page: number; most: number; wanted(error: StoredItem['error']): boolean },
): Promise<StoredItem[]> {
  return ask.bounded(key.team, async (signal) => {
    const sessions: StoredItem[] = [];
    for (let read = 0; read < PAGES && sessions.length < most; read++) {
      const parameters = { ...key, most: page, from: read * page };
      const places = await ask.select<{ id: string }>(NEWEST_SESSIONS, parameters, signal);
      if (places.length === 0) break;
      const found = await selectItems(ask, key, { places: places.map(({ id }) => placeOf(id)), signal });
      sessions.push(...places.flatMap(({ id }) => found.get(id) ?? []).filter(({ error }) => wanted(error)));
      if (places.length < page) break;
    }
    return sessions.slice(0, most);
  });
}
