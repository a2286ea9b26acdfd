/**
 * Look-ups of stored items. Every value is a bound parameter, every query has a time limit, and team and scope are part
 * of each key, so another team's item is found as little as one that does not exist. The newest is the highest
 * sequence; of one item, the row with the highest version.
 */
import { type ItemKind, isOutcome, kindOf, type ResultRecord, type StoredItem } from '../../api/results/record.js';
import type { CheckKind, EventStatus } from '../../api/types.js';
import { itemId, partsOf } from '../../ids.js';
import type { HistoryClient } from '../client.js';
import { type AskOptions, createAsk } from './ask.js';
import { type GraphQueries, graphQueries, NAMED_EVENT, NAMED_EVENTS } from './graph.js';
import { createJoined, type Joined } from './joined.js';
import { type RiskQueries, riskQueries } from './risk.js';

export interface ItemKey {
  /** an event is found as `event` whether it came alone or in a batch, an artifact also as a part of a session */
  kind: ItemKind;
  team: string;
  /** environment or deployment */
  scope: string;
  id: string;
}

/** A request, by its id (item 0). */
export interface RequestKey extends Omit<ItemKey, 'kind'> {
  kind: CheckKind;
}

/** All throw `HistoryUnavailable` when ClickHouse cannot be asked. */
export interface HistoryQueries extends GraphQueries, RiskQueries {
  itemById(key: ItemKey): Promise<StoredItem | undefined>;
  latestEvent(team: string, environment: string, run: string, event: string): Promise<StoredItem | undefined>;
  latestSession(team: string, deployment: string, external: string): Promise<StoredItem | undefined>;
  /** the latest check of each external session id, in their order, in one query */
  latestSessions(team: string, deployment: string, externals: readonly string[]): Promise<(StoredItem | undefined)[]>;
  /** checks of an external session id that have a verdict, newest first, at most `most` */
  sessions(team: string, deployment: string, external: string, most: number): Promise<StoredItem[]>;
  /** the last created artifact of an external id */
  latestArtifact(team: string, deployment: string, external: string): Promise<StoredItem | undefined>;
  /** artifacts that belong to a session by one of its ids, the last created first, at most `most` */
  sessionArtifacts(team: string, deployment: string, sessions: readonly string[], most: number): Promise<StoredItem[]>;
  /** the latest of each reference, in their order, in one query; only results with a sequence below `before` */
  latestEvents(
    team: string,
    environment: string,
    references: readonly { run_id: string; event_id: string }[],
    before?: number,
  ): Promise<(StoredItem | undefined)[]>;
  /** items `numbers` of a request, those that are there; in need of no metadata */
  requestItems(request: RequestKey, numbers: readonly number[]): Promise<StoredItem[]>;
}

const COLUMNS = `id, request_id, kind, team, scope, type, event_id, run_id, external_session_id, external_artifact_id, status, flagged, policies,
  note, error, sequence, version, toUnixTimestamp64Milli(received) AS received_ms, toUnixTimestamp64Milli(completed) AS completed_ms,
  toUnixTimestamp64Milli(ts) AS ms`;

/** Time and id of the wanted items: the rest of the sorting key, so that each costs one granule. */
const KEYS = `team = {team:String} AND scope = {scope:String} AND (ts, id) IN (
    SELECT arrayJoin(arrayMap((ms, id) -> (fromUnixTimestamp64Milli(ms, 'UTC'), id), {ms:Array(Int64)}, {ids:Array(UUID)})))
  ORDER BY version DESC LIMIT 1 BY id`;

// Items of one request share its sequence: the last of them is the latest. Ids are compared as numbers, which is
// as text, as in Redis; the engine's own order of UUIDs is another.
const LAST = 'argMax((toUnixTimestamp64Milli(ts), id), (sequence, toUInt128(id))) AS target';
const latestEvents = (count: number): string => `SELECT run_id AS name, event_id, ${LAST} FROM run_events
  WHERE ${count === 1 ? NAMED_EVENT : NAMED_EVENTS} AND sequence < {before:UInt64} GROUP BY run_id, event_id`;
const LATEST_SESSION = `SELECT name, event_id, ${LAST} FROM names
  WHERE team = {team:String} AND scope = {scope:String} AND kind = 'session' AND name IN {names:Array(String)} AND event_id = ''
  GROUP BY name, event_id`;

const AT = `SELECT ${COLUMNS} FROM items WHERE ${KEYS}`;

const NEWEST_SESSIONS = `SELECT toUnixTimestamp64Milli(any(ts)) AS ms, toString(id) AS id FROM names
  WHERE team = {team:String} AND scope = {scope:String} AND kind = 'session' AND name = {name:String} AND event_id = ''
  GROUP BY sequence, id ORDER BY sequence DESC, id DESC LIMIT {most:UInt32} OFFSET {from:UInt32}`;
/** Pages of {@link NEWEST_SESSIONS} that are gone through. */
const PAGES = 10;

/** Of one name or several, the last created artifacts: their ids begin with that time. */
const NEWEST_ARTIFACTS = `SELECT toUnixTimestamp64Milli(any(ts)) AS ms, toString(id) AS id FROM names
  WHERE team = {team:String} AND scope = {scope:String} AND kind = {kind:String} AND name IN {names:Array(String)}
  AND event_id = '' GROUP BY id ORDER BY ms DESC, id DESC LIMIT {most:UInt32}`;
const LINKED = `SELECT id, session_id FROM images WHERE ${KEYS}`;
const NOT_LINKED = '00000000-0000-0000-0000-000000000000';

const METADATA = `SELECT id, metadata FROM contents WHERE ${KEYS}`;

/** Where an item is: time and id are the rest of the sorting key. */
interface Target {
  /** Unix ms */
  ms: number;
  id: string;
}

interface TargetRow {
  name: string;
  event_id: string;
  target: [string | number, string];
}

interface ItemRow {
  id: string;
  request_id: string;
  kind: CheckKind;
  team: string;
  scope: string;
  type: string;
  event_id: string;
  run_id: string;
  external_session_id: string;
  external_artifact_id: string;
  status: EventStatus;
  flagged: boolean | null;
  policies: string;
  note: string;
  error: string;
  sequence: string | number;
  version: number;
  received_ms: string | number;
  completed_ms: string | number;
  ms: string | number;
}

export interface QueryOptions extends AskOptions {
  /** where the questions of runs (`GraphQueries`) differ from these, in a line and with a breaker of their own */
  runs?: Omit<AskOptions, 'onFailure'>;
}

/**
 * Questions of runs wait in a line of their own and open a breaker of their own: they are the costly ones, and however
 * many there are or fail, single items are asked for as if there were none.
 */
const RUNS_AT_ONCE = 3;

export function createHistoryQueries(client: HistoryClient, options: QueryOptions = {}): HistoryQueries {
  const ask = createAsk(client, options);
  const askRuns = createAsk(client, { ...options, atOnce: RUNS_AT_ONCE, ...options.runs });
  const { select, bounded } = ask;

  /**
   * Items whose `rows` these are, with what is in other tables: metadata, and of artifacts the sessions they are linked to. Both
   * are asked for only of what is there, at the same time as rows that are still on their way: each question costs the engine
   * milliseconds to plan, however little it finds, and anybody may ask for what is not there.
   */
  async function whole(
    rows: ItemRow[] | Promise<ItemRow[]>,
    at: Record<string, unknown>,
    { signal, artifacts = false }: { signal: AbortSignal; artifacts?: boolean },
  ): Promise<Map<string, StoredItem>> {
    const [found, contents, linked] = await Promise.all([
      rows,
      select<{ id: string; metadata: string }>(METADATA, at, signal),
      artifacts ? select<{ id: string; session_id: string }>(LINKED, at, signal) : [],
    ]);
    const metadata = new Map(contents.map((row) => [row.id, row.metadata]));
    const sessions = new Map(linked.map((row) => [row.id, row.session_id]));
    const items = new Map(found.map((row) => [row.id, storedItem(row, metadata.get(row.id) ?? '')]));
    for (const { id, artifact } of items.values()) {
      const session = sessions.get(id) ?? NOT_LINKED;
      if (artifact) artifact.session = session === NOT_LINKED ? '' : session;
    }
    return items;
  }

  const newestArtifacts = (
    key: { team: string; scope: string; kind: 'artifact' | 'session_artifact'; names: readonly string[] },
    most: number,
  ): Promise<StoredItem[]> =>
    bounded(key.team, async (signal) => {
      const names = await select<{ ms: string; id: string }>(NEWEST_ARTIFACTS, { ...key, most }, signal);
      if (names.length === 0) return [];
      const { team, scope } = key;
      const at = { team, scope, ms: names.map(({ ms }) => Number(ms)), ids: names.map(({ id }) => id) };
      const found = await whole(select<ItemRow>(AT, at, signal), at, { signal, artifacts: true });
      return names.flatMap(({ id }) => found.get(id) ?? []);
    });

  /** Checks of an external session id whose error is `wanted`, newest first, at most `most`, read `page` at a time. */
  const checks = (
    key: { team: string; scope: string; name: string },
    { page, most }: { page: number; most: number },
    wanted: (error: StoredItem['error']) => boolean,
  ): Promise<StoredItem[]> =>
    bounded(key.team, async (signal) => {
      const { team, scope } = key;
      const sessions: StoredItem[] = [];
      for (let read = 0; read < PAGES && sessions.length < most; read++) {
        const parameters = { ...key, most: page, from: read * page };
        const names = await select<{ ms: string; id: string }>(NEWEST_SESSIONS, parameters, signal);
        if (names.length === 0) break;
        const at = { team, scope, ms: names.map(({ ms }) => Number(ms)), ids: names.map(({ id }) => id) };
        const found = asItems(await select<ItemRow>(AT, at, signal));
        sessions.push(...names.flatMap(({ id }) => found.get(id) ?? []).filter(({ error }) => wanted(error)));
        if (names.length < page) break;
      }
      return sessions.slice(0, most);
    });

  /** Where the items are that `query` says are the latest of `wanted`, in their order. */
  async function targets(
    query: string,
    { before = Number.MAX_SAFE_INTEGER, ...key }: { team: string; scope: string; before?: number | undefined },
    { wanted, signal }: { wanted: readonly (readonly [string, string])[]; signal: AbortSignal },
  ): Promise<(Target | undefined)[]> {
    const parameters = { ...key, before, names: wanted.map((w) => w[0]), events: wanted.map((w) => w[1]) };
    const names = await select<TargetRow>(query, parameters, signal);
    const byName = new Map(names.map(({ name, event_id, target }) => [`${name}\0${event_id}`, target]));
    return wanted.map(([name, event]) => {
      const target = byName.get(`${name}\0${event}`);
      return target && { ms: Number(target[0]), id: target[1] };
    });
  }

  /** The items at `places`, in their order. */
  async function itemsAt(
    owner: { team: string; scope: string },
    places: readonly (Target | undefined)[],
    signal: AbortSignal,
  ): Promise<(StoredItem | undefined)[]> {
    const there = places.filter((place) => place !== undefined);
    if (there.length === 0) return places.map(() => undefined);
    const at = { ...owner, ms: there.map(({ ms }) => ms), ids: there.map(({ id }) => id) };
    const found = await whole(select<ItemRow>(AT, at, signal), at, { signal });
    return places.map((place) => place && found.get(place.id));
  }

  /** The latest of `wanted`, in their order, in one question and one more for what is there. */
  async function latest(
    query: string,
    key: { team: string; scope: string; before?: number | undefined },
    wanted: readonly (readonly [string, string])[],
  ) {
    if (wanted.length === 0) return [];
    const { team, scope } = key;
    return await bounded(team, async (signal) =>
      itemsAt({ team, scope }, await targets(query, key, { wanted, signal }), signal),
    );
  }

  const joined = (query: (count: number) => string): Joined<readonly [string, string], Target> =>
    createJoined(ask, {
      texts: (name) => name,
      ask: ({ team, kind: scope }, wanted, signal) =>
        targets(query(wanted.length), { team, scope }, { wanted, signal }),
    });
  const namedEvents = joined(latestEvents);
  const namedSessions = joined(() => LATEST_SESSION);
  const rowsById = createJoined<Target, ItemRow>(ask, {
    texts: ({ id }) => [id],
    async ask({ team, kind: scope }, wanted, signal) {
      const at = { team, scope, ms: wanted.map(({ ms }) => ms), ids: wanted.map(({ id }) => id) };
      const rows = new Map((await select<ItemRow>(AT, at, signal)).map((row) => [row.id, row]));
      return wanted.map(({ id }) => rows.get(id));
    },
  });

  async function latestOne(
    names: Joined<readonly [string, string], Target>,
    owner: { team: string; scope: string },
    name: readonly [string, string],
  ): Promise<StoredItem | undefined> {
    const place = await names.find(owner.team, owner.scope, name);
    if (!place) return undefined;
    return (await bounded(owner.team, (signal) => itemsAt(owner, [place], signal)))[0];
  }

  return {
    async itemById({ kind, team, scope, id }) {
      const parts = partsOf(id);
      if (parts === undefined || parts.item === 0) return undefined;
      const lower = id.toLowerCase();
      const row = await rowsById.find(team, scope, { ms: parts.time, id: lower });
      if (!row || kindOf(storedItem(row, '')) !== kind) return undefined;
      const at = { team, scope, ms: [parts.time], ids: [lower] };
      const found = await bounded(team, (signal) => whole([row], at, { signal, artifacts: kind === 'artifact' }));
      return found.get(lower);
    },
    latestEvent: (team, environment, run, event) => latestOne(namedEvents, { team, scope: environment }, [run, event]),
    async latestSession(team, deployment, external) {
      const item = await latestOne(namedSessions, { team, scope: deployment }, [external, '']);
      if (!item || isOutcome(item.error)) return item;
      // Names lead to such a check only where it was archived by an earlier release, or given up before it was replayed.
      return (await checks({ team, scope: deployment, name: external }, { page: 100, most: 1 }, isOutcome))[0];
    },
    latestSessions: (team, deployment, externals) =>
      latest(
        LATEST_SESSION,
        { team, scope: deployment },
        externals.map((external) => [external, '']),
      ),
    sessions: (team, deployment, external, most) =>
      checks({ team, scope: deployment, name: external }, { page: most, most }, (error) => error === null),
    async latestArtifact(team, deployment, external) {
      const key = { team, scope: deployment, kind: 'artifact', names: [external] } as const;
      return (await newestArtifacts(key, 1))[0];
    },
    sessionArtifacts: (team, deployment, sessions, most) =>
      newestArtifacts({ team, scope: deployment, kind: 'session_artifact', names: sessions }, most),
    ...graphQueries(askRuns),
    ...riskQueries(ask),
    latestEvents: (team, environment, references, before) =>
      latest(
        latestEvents(references.length),
        { team, scope: environment, before },
        references.map((reference) => [reference.run_id, reference.event_id]),
      ),
    async requestItems({ kind, team, scope, id: requestId }, numbers) {
      const time = partsOf(requestId)?.time;
      if (time === undefined || numbers.length === 0) return [];
      const ids = numbers.map((number) => itemId(requestId, number));
      const at = { team, scope, ms: ids.map(() => time), ids };
      const found = await bounded(team, async (signal) => {
        const rows = await select<ItemRow>(AT, at, signal);
        return kind === 'artifact' && rows.length > 0 ? whole(rows, at, { signal, artifacts: true }) : asItems(rows);
      });
      return [...found.values()];
    },
  };
}

const asItems = (rows: readonly ItemRow[]): Map<string, StoredItem> =>
  new Map(rows.map((row) => [row.id, storedItem(row, '')]));

function storedItem(row: ItemRow, metadata: string): StoredItem {
  const isArtifact = kindOf(row) === 'artifact';
  return {
    ...(isArtifact ? { artifact: { external: row.external_artifact_id, session: '' } } : {}),
    id: row.id,
    requestId: row.request_id,
    kind: row.kind,
    team: row.team,
    scope: row.scope,
    type: row.type,
    eventId: row.event_id,
    runId: row.run_id,
    externalSessionId: row.external_session_id,
    status: row.status,
    flagged: row.flagged,
    policies: row.policies,
    metadata,
    note: row.note,
    sequence: Number(row.sequence),
    version: row.version,
    created: Number(row.received_ms),
    completed: Number(row.completed_ms),
    error: row.error === '' ? null : (JSON.parse(row.error) as ResultRecord['error']),
  };
}
