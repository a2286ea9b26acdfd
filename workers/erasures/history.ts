/**
 * Erases in ClickHouse: finds the items by their marks, notes their ids in `erased`, and deletes by these in every table. Each statement may run
 * again. A deletion is a mutation: ClickHouse writes the parts that have such rows anew, and goes on with it after a crash.
 */

import { markIn, markOf, markPrefix } from '../../shared/erasure-marks.js';
import { receiptOf } from '../../shared/erasure-receipt.js';
import type { HistoryClient } from '../../shared/history/client.js';
import { onShards } from '../../shared/history/shards.js';
import { partsOf } from '../../shared/ids.js';
import type { ErasedExport, Erasure } from '../../shared/streams/erasures.js';

/** Tables with rows of items, which have the team, the time in the id, and the id. */
export const TABLES_OF_ITEMS = [
  'items',
  'contents',
  'images',
  'shadow_checks',
  'metrics',
  'user_checks',
  'names',
  'run_events',
  'labels',
  'appeals',
] as const;

/** A statement reads a team's rows of all times: long, and never in the way of others. */
const LONGEST_SECONDS = 3600;
const SETTINGS = {
  max_execution_time: LONGEST_SECONDS,
  max_threads: 2,
  priority: '10',
  // Of tables that are spread over shards: what was found on one is looked for on all.
  distributed_product_mode: 'global',
  distributed_foreground_insert: 1,
} as const;
/** Progress keeps the connection open while nothing is answered. */
const KEEP_ALIVE = { send_progress_in_http_headers: 1, http_headers_progress_interval_ms: '20000' } as const;

/** Identifiers that are looked for together, at most. */
const MOST_LINKED = 1000;

/** Exports that a receipt names. */
const MOST_EXPORTS = 100;

/** Of an item that is erased, where Redis may have something of it. Absent is empty. */
export interface ErasedItem {
  id: string;
  request: string;
  kind: 'events' | 'event' | 'session' | 'artifact';
  type: string;
  scope: string;
  runId: string;
  externalSessionId: string;
  externalArtifactId: string;
  userId: string;
  userEmail: string;
}

export interface HistoryEraser {
  /** The marks of identifiers that were seen together with those of the user. */
  linkedMarks(salt: string, erasure: Erasure): Promise<string[]>;
  /** Notes the ids of its items. Resolves to how many it is of by now. */
  find(salt: string, erasure: Erasure): Promise<number>;
  /** Its items that came after `since` (Unix ms), in pages. */
  itemsSince(erasure: Erasure, since: number): AsyncGenerator<ErasedItem[]>;
  /** Notes items of it that history does not have. */
  noteItems(erasure: Erasure, items: readonly ErasedItem[]): Promise<void>;
  /** Which of these ids are of erased items, with the erasure that each is of: of several one of them. */
  erasedAmong(erasures: readonly Erasure[], ids: readonly string[]): Promise<ReadonlyMap<string, Erasure>>;
  /** Asks for the deletion of what is noted; resolves to how many rows are still there. */
  remove(erasures: readonly Erasure[]): Promise<number>;
  /** Unix ms by the clock of ClickHouse. */
  now(): Promise<number>;
  /** Parts that ClickHouse had replaced by then, and still has on its disk. */
  staleParts(before: number): Promise<number>;
  /** Its rows are on other hosts, too, of which this one knows nothing. */
  isReplicated(): Promise<boolean>;
  note(erasures: readonly Erasure[]): Promise<void>;
  /** Exports of a time and scope in which it has items, the newest first: at most {@link MOST_EXPORTS}. */
  exportsOf(erasure: Erasure): Promise<ErasedExport[]>;
}

export function createHistoryEraser(client: HistoryClient, database: string): HistoryEraser {
  const run = (query: string, query_params: Record<string, unknown>) =>
    client.command({ query, query_params, clickhouse_settings: { ...SETTINGS, ...KEEP_ALIVE, wait_end_of_query: 1 } });
  async function rows<T>(query: string, query_params: Record<string, unknown>): Promise<T[]> {
    const answer = await client.query({ query, query_params, format: 'JSONEachRow', clickhouse_settings: SETTINGS });
    return answer.json<T>();
  }
  const count = async (query: string, params: Record<string, unknown>): Promise<number> =>
    Number((await rows<{ n: number | string }>(query, params))[0]?.n ?? 0);

  /** The cluster whose shards have the rows; undefined: the tables are not spread. */
  async function shardsOf(): Promise<string | undefined> {
    const of = 'SELECT engine_full AS engine FROM system.tables WHERE database = {d:String} AND name = {t:String}';
    const [items] = await rows<{ engine: string }>(of, { d: database, t: 'items' });
    return /^Distributed\('((?:[^'\\]|\\.)+)'/.exec(items?.engine ?? '')?.[1];
  }

  async function isBusy(): Promise<boolean> {
    const undone = 'SELECT count() AS n FROM system.mutations WHERE database = {d:String} AND NOT is_done';
    return (await count(undone, { d: database })) > 0;
  }

  return {
    async linkedMarks(salt, erasure) {
      if (erasure.subject !== 'user') return [];
      const { where, params } = userCondition(salt, erasure);
      const query = `SELECT DISTINCT user_id AS id, user_email AS email FROM items
        WHERE team = {team:String} AND sequence <= {until:UInt64} AND user_id IS NOT NULL AND user_email IS NOT NULL
          AND (${where}) LIMIT ${MOST_LINKED}`;
      const seen = await rows<{ id: string; email: string }>(query, params);
      const owner = { salt, team: erasure.team };
      return seen.flatMap(({ id, email }) => [markOf(owner, 'lone-id', id), markOf(owner, 'lone-email', email)]);
    },
    async find(salt, erasure) {
      const { where, params } = conditionOf(salt, erasure);
      const insert = 'INSERT INTO erased (erasure, team, scope, ts, id)';
      await run(
        `${insert} SELECT {erasure:UUID}, team, scope, ts, id FROM items
          WHERE team = {team:String} AND sequence <= {until:UInt64} AND (${where})`,
        params,
      );
      if (erasure.subject !== 'event' && erasure.subject !== 'run') {
        const noted = 'SELECT team, scope, ts, id FROM erased WHERE erasure = {erasure:UUID}';
        // The images of a check name no user: they are of it.
        await run(
          `${insert} SELECT {erasure:UUID}, team, scope, ts, id FROM items
            WHERE team = {team:String} AND kind = 'session' AND (team, scope, ts) IN (SELECT team, scope, ts FROM erased WHERE erasure = {erasure:UUID})
              AND request_id IN (SELECT request_id FROM items WHERE kind = 'session' AND (team, scope, ts, id) IN (${noted}))`,
          params,
        );
        // So are those that were sent for it by themselves.
        await run(
          `${insert} SELECT {erasure:UUID}, team, scope, ts, id FROM images
            WHERE team = {team:String} AND ts <= fromUnixTimestamp64Milli({requested:Int64}, 'UTC')
              AND session_id IN (SELECT id FROM erased WHERE erasure = {erasure:UUID})`,
          params,
        );
      }
      return count('SELECT uniqExact(id) AS n FROM erased WHERE erasure = {erasure:UUID}', params);
    },
    async *itemsSince(erasure, since) {
      const page = 2000;
      let after = { ts: since, id: '00000000-0000-0000-0000-000000000000' };
      for (;;) {
        const query = `SELECT id, request_id AS request, kind, type, scope, toUnixTimestamp64Milli(ts) AS ms,
            ifNull(run_id, '') AS runId, ifNull(external_session_id, '') AS externalSessionId,
            ifNull(external_artifact_id, '') AS externalArtifactId, ifNull(user_id, '') AS userId, ifNull(user_email, '') AS userEmail
          FROM items
          WHERE team = {team:String} AND ts >= fromUnixTimestamp64Milli({ts:Int64}, 'UTC')
            AND (team, scope, ts, id) IN (SELECT team, scope, ts, id FROM erased WHERE erasure = {erasure:UUID})
            AND (toUnixTimestamp64Milli(ts), toString(id)) > ({ts:Int64}, {id:String})
          ORDER BY ms, toString(id) LIMIT ${page}`;
        const params = { team: erasure.team, erasure: erasure.id, ...after };
        const found = await rows<ErasedItem & { ms: number | string }>(query, params);
        if (found.length > 0) yield found;
        const last = found.at(-1);
        if (!last || found.length < page) return;
        after = { ts: Number(last.ms), id: last.id };
      }
    },
    async erasedAmong(erasures, ids) {
      if (ids.length === 0) return new Map();
      const query = `SELECT id, min(erasure) AS first FROM erased
        WHERE erasure IN (${listOf(erasures.map((one) => one.id))}) AND id IN (${listOf(ids)}) GROUP BY id`;
      const found = await rows<{ id: string; first: string }>(query, {});
      return new Map(found.map(({ id, first }) => [id, erasures.find((one) => one.id === first)!]));
    },
    async noteItems({ id: erasure, team }, items) {
      await client.insert({
        table: 'erased',
        values: items.map(({ id, scope }) => ({ erasure, team, scope, ts: time(partsOf(id)!.time), id })),
        format: 'JSONEachRow',
        clickhouse_settings: { distributed_foreground_insert: 1 },
      });
    },
    async remove(erasures) {
      const cluster = await shardsOf();
      const ids = listOf(erasures.map(({ id }) => id));
      const params = { teams: [...new Set(erasures.map(({ team }) => team))] };
      // Those of an earlier attempt, or of others, first.
      const busy = await isBusy();
      let left = 0;
      for (const table of TABLES_OF_ITEMS) {
        const n = await count(`SELECT count() AS n FROM ${table} WHERE ${noted('erased', ids)}`, params);
        left += n;
        if (n === 0 || busy) continue;
        for (const statement of deletion({ database, table, cluster, ids })) await run(statement, params);
      }
      return left;
    },
    now: () => count('SELECT toUnixTimestamp64Milli(now64(3)) AS n', {}),
    staleParts: (before) =>
      count(
        'SELECT count() AS n FROM system.parts WHERE database = {d:String} AND NOT active AND remove_time <= fromUnixTimestamp64Milli({before:Int64})',
        { d: database, before },
      ),
    async isReplicated() {
      const replicated =
        "SELECT count() AS n FROM system.tables WHERE database = {d:String} AND engine LIKE 'Replicated%'";
      return (await count(replicated, { d: database })) > 0;
    },
    async note(erasures) {
      if (erasures.length === 0) return;
      await client.insert({
        table: 'erasures',
        values: erasures.map(receiptRow),
        format: 'JSONEachRow',
        clickhouse_settings: { distributed_foreground_insert: 1 },
      });
    },
    async exportsOf({ id, team }) {
      // Items are taken together by hour, so a run that ends or begins within one may be named without need.
      const query = `SELECT DISTINCT toString(run.id) AS id, toUnixTimestamp64Milli(run.ts) AS begun, toUnixTimestamp64Milli(run.since) AS since,
          toUnixTimestamp64Milli(run.until) AS until, run.format AS format
        FROM (SELECT * FROM exports FINAL WHERE team = {team:String}) AS run
        CROSS JOIN (
          SELECT scope, min(ts) AS first, max(ts) AS last FROM erased WHERE erasure = {erasure:UUID} GROUP BY scope, toStartOfHour(ts)
        ) AS item
        WHERE (run.scope = '' OR run.scope = item.scope) AND item.first < run.until AND item.last >= run.since
        ORDER BY begun DESC, id LIMIT ${MOST_EXPORTS}`;
      const found = await rows<Record<keyof ErasedExport, string | number>>(query, { team, erasure: id });
      return found.map((run) => ({
        id: String(run.id),
        begun: Number(run.begun),
        since: Number(run.since),
        until: Number(run.until),
        format: String(run.format),
      }));
    },
  };
}

const PLAIN = /^[0-9a-f-]{36,64}$/;

/** Ids and marks for the text of a statement: parameters stand in the address, where many have no room. Throws where one is of another form. */
function listOf(values: readonly string[]): string {
  const other = values.find((value) => !PLAIN.test(value));
  if (other !== undefined) throw new Error('an erasure has an id or a mark that is none');
  return values.map((value) => `'${value}'`).join(',');
}

const noted = (erased: string, ids: string): string =>
  `team IN {teams:Array(String)} AND (team, ts, id) IN (SELECT team, ts, id FROM ${erased} WHERE erasure IN (${ids}))`;

/** A shard has the ids of its own rows, as both are dealt out by id. */
function deletion({
  database,
  table,
  cluster,
  ids,
}: {
  database: string;
  table: string;
  cluster: string | undefined;
  ids: string;
}): string[] {
  const on = cluster === undefined ? '' : ` ON CLUSTER ${cluster}`;
  const erased = `${database}.erased${cluster === undefined ? '' : '_local'}`;
  // A subquery is the same on every replica: nothing is added to what is noted of an erasure while it is deleted.
  const statement = `ALTER TABLE ${database}.${table}${on} DELETE WHERE ${noted(erased, ids)} SETTINGS allow_nondeterministic_mutations = 1`;
  return cluster === undefined ? [statement] : onShards(statement, cluster);
}

interface ErasureCondition {
  where: string;
  params: Record<string, unknown>;
}

function conditionOf(salt: string, erasure: Erasure): ErasureCondition {
  const { team, scope, internal, subject } = erasure;
  if (subject === 'user') return userCondition(salt, erasure);
  const params = { ...paramsOf(erasure), scope, internal, ts: partsOf(internal)?.time ?? 0 };
  const own = `scope = {scope:String} AND ts = fromUnixTimestamp64Milli({ts:Int64}, 'UTC') AND id = toUUIDOrZero({internal:String})`;
  if (subject === 'event' || erasure.marks.length === 0) return { where: own, params };
  const prefix = markPrefix({ salt, team, scope }, subject);
  const [kinds, name] =
    subject === 'run' ? ["('events', 'event')", 'run_id'] : ["('session', 'artifact')", 'external_session_id'];
  const mark = markIn('{prefix:String}', name);
  const marked = `scope = {scope:String} AND kind IN ${kinds} AND ${name} IS NOT NULL AND has([${listOf(erasure.marks)}], ${mark})`;
  return { where: internal === '' ? marked : `(${own}) OR (${marked})`, params: { ...params, prefix } };
}

function userCondition(salt: string, erasure: Erasure): ErasureCondition {
  const owner = { salt, team: erasure.team };
  const has = (kind: string, column: string): string =>
    `ifNull(has([${listOf(erasure.marks)}], ${markIn(`{${kind}:String}`, column)}), 0)`;
  return {
    where: `(user_id IS NOT NULL OR user_email IS NOT NULL) AND (${has('byId', 'user_id')} OR ${has('byEmail', 'user_email')}
      OR (user_email IS NULL AND ${has('loneId', 'user_id')}) OR (user_id IS NULL AND ${has('loneEmail', 'user_email')}))`,
    params: {
      ...paramsOf(erasure),
      byId: markPrefix(owner, 'user-id'),
      byEmail: markPrefix(owner, 'user-email'),
      loneId: markPrefix(owner, 'lone-id'),
      loneEmail: markPrefix(owner, 'lone-email'),
    },
  };
}

const paramsOf = ({ id, team, until, requested }: Erasure) => ({ erasure: id, team, until, requested });

const time = (ms: number): string | null =>
  ms === 0 ? null : new Date(ms).toISOString().slice(0, -1).replace('T', ' ');

function receiptRow(erasure: Erasure) {
  const { id, team, subject, scope, by, requested, erased, complete, removed } = erasure;
  return {
    ts: time(requested),
    id,
    team,
    subject,
    scope,
    by_key: by,
    erased: time(erased),
    complete: time(complete),
    items: removed.items,
    removed: JSON.stringify(receiptOf(erasure).removed),
  };
}
