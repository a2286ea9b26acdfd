/** What history holds, by SQL: the items, and whether every other table, view and roll-up agrees with them. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import type { Stack } from '#weir/deploy/local/stack';
import { fetchSql } from '../stores/sql.js';
import type { Kind, Verdict } from './requests.js';

export interface Row extends Verdict {
  /** run id, or the caller's id of the session or artifact */
  request: string;
  requestId: string;
  kind: Kind;
  type: string;
  status: string;
}

/** Rows of a statement on the history. A question is asked again where its connection breaks: the engine may just have come back. */
export async function select<T>(stack: Stack, statement: string): Promise<T[]> {
  const ask = async (): Promise<[status: number, text: string]> => {
    const response = await fetchSql(`${stack.clickhouseUrl}/?database=weir&default_format=JSONEachRow`, {
      method: 'POST',
      body: statement,
      signal: AbortSignal.timeout(120_000),
    });
    return [response.status, await response.text()];
  };
  const [status, text] = await ask().catch((error: unknown) => {
    if (statement.startsWith('SELECT')) return ask();
    throw error;
  });
  assert.equal(status, 200, text);
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as T);
}

interface Stored extends Omit<Row, 'item' | 'request'> {
  run: string;
  event: string;
  session: string;
  artifact: string;
}

/** All items, as people read them. */
export async function readRows(stack: Stack): Promise<Row[]> {
  const maps = await select<{ policies: string }>(stack, 'SELECT DISTINCT policies FROM items FINAL');
  const known = new Map(maps.map(({ policies }) => [createHash('md5').update(policies).digest('hex'), policies]));
  const rows = await select<Stored>(
    stack,
    `SELECT id, request_id AS requestId, kind, type, ifNull(run_id, '') AS run, ifNull(event_id, '') AS event,
       ifNull(external_session_id, '') AS session, ifNull(external_artifact_id, '') AS artifact, status, flagged, lower(hex(MD5(policies))) AS policies
     FROM items FINAL`,
  );
  return rows.map(({ run, event, session, artifact, ...row }): Row => {
    const name = { session, artifact, event: run, events: run }[row.kind];
    const item = run === '' ? name : `${name} ${event}`;
    return { ...row, policies: known.get(row.policies) ?? '', request: name, item };
  });
}

/** What the configuration of a stack makes beside verdicts. */
export interface Beside {
  /** a policy in the shadow that is for every text */
  shadow: boolean;
  /** metrics `characters` of every text and `image_size` of every image */
  metrics: boolean;
}

/** How many rows of each table and view an item has, over the columns of `items`. A find of this load is one of each violated policy. */
function expectedRows({ shadow, metrics }: Beside): Record<string, string> {
  const texts = "type != 'artifact'";
  const flagged = `countSubstrings(policies, '"flagged":true')`;
  return {
    results: '1',
    'contents FINAL': '1',
    'names FINAL':
      "kind IN ('session', 'artifact') AND (external_session_id IS NOT NULL OR external_artifact_id IS NOT NULL)",
    'run_events FINAL': "kind IN ('event', 'events') AND run_id IS NOT NULL",
    'user_checks FINAL': "if(kind = 'session', (user_id IS NOT NULL) + (user_email IS NOT NULL), 0)",
    'images FINAL': "type = 'artifact'",
    violations: flagged,
    matches: flagged,
    findings: flagged,
    'shadow_checks FINAL': shadow ? texts : '0',
    'metrics FINAL': metrics ? '1' : '0',
  };
}

const MOST_TOLD = 5;

/** What is wrong in tables and views beside `items`, a line for each difference; some of each table. */
export async function compareTables(stack: Stack, beside: Beside): Promise<string[]> {
  const expected = Object.entries(expectedRows(beside));
  const list = (values: readonly string[]): string => `CAST([${values}], 'Array(UInt32)')`;
  const zeros = expected.map(() => '0');
  const counted = expected.map(
    ([table], i) =>
      `UNION ALL SELECT id, '', ${list(zeros)}, ${list(zeros.with(i, 'count()'))} FROM ${table} GROUP BY id`,
  );
  // Queries cost more than rows: one for all.
  const found = await select<{ id: string; item: string; wanted: number[]; there: number[] }>(
    stack,
    `SELECT id, any(name) AS item, CAST(sumForEach(w), 'Array(UInt32)') AS wanted, CAST(sumForEach(t), 'Array(UInt32)') AS there
     FROM (
       SELECT id, concat(coalesce(run_id, external_session_id, ''), ' ', coalesce(event_id, external_artifact_id, '')) AS name,
         ${list(expected.map(([, rows]) => rows))} AS w, ${list(zeros)} AS t
       FROM items FINAL
       ${counted.join(' ')}
     ) GROUP BY id HAVING wanted != there ORDER BY id`,
  );
  return expected.flatMap(([table], i) => {
    const wrong = found.filter((row) => row.wanted[i] !== row.there[i]);
    const lines = wrong
      .slice(0, MOST_TOLD)
      .map(
        ({ id, item, wanted, there }) =>
          `${table}: ${there[i]} rows instead of ${wanted[i]} of ${id} (${item.trim() || 'in no other table'})`,
      );
    if (wrong.length > MOST_TOLD) lines.push(`${table}: so ${wrong.length - MOST_TOLD} more items`);
    return lines;
  });
}

/** Whether sums that people read are those of the rows, which were compared with the answers. */
export async function compareRollUps(stack: Stack, rows: readonly Row[], { metrics }: Beside): Promise<string[]> {
  const sums: Record<string, [items: number, flagged: number]> = {};
  const maps = new Map<string, [id: string, flagged: boolean][]>();
  for (const { policies } of rows) {
    let map = maps.get(policies);
    if (!map) {
      const parsed = JSON.parse(policies) as Record<string, { flagged: boolean }>;
      map = Object.entries(parsed).map(([id, { flagged }]) => [id, flagged]);
      maps.set(policies, map);
    }
    for (const [id, flagged] of map) {
      sums[id] ??= [0, 0];
      const sum = sums[id];
      sum[0]++;
      if (flagged) sum[1]++;
    }
  }
  const sessions = rows.filter(({ kind }) => kind === 'session');
  const flagged = sessions.filter((row) => row.flagged).length;
  const wanted = { policy_hourly: sums, user_activity: [sessions.length, flagged] };
  const hourly = await select<{ id: string; n: number; f: number }>(
    stack,
    'SELECT policy_id AS id, toUInt32(sum(items)) AS n, toUInt32(sum(flagged)) AS f FROM policy_hourly GROUP BY id',
  );
  const [activity] = await select<{ n: number; f: number }>(
    stack,
    'SELECT toUInt32(sum(checks)) AS n, toUInt32(sum(flagged)) AS f FROM user_activity',
  );
  const found = {
    policy_hourly: Object.fromEntries(hourly.map(({ id, n, f }) => [id, [n, f]])),
    user_activity: [activity!.n, activity!.f],
  };
  const problems = differences(wanted, found);
  if (metrics) problems.push(...(await compareMetrics(stack)));
  return problems;
}

/** The characters of all texts, and the bytes of all images. */
async function compareMetrics(stack: Stack): Promise<string[]> {
  const [wanted] = await select<Record<string, number>>(
    stack,
    `SELECT toUInt32(countIf(type != 'artifact')) AS texts, toUInt32(countIf(type = 'artifact')) AS images,
       toUInt32(sumIf(lengthUTF8(content), type = 'message')) AS characters
     FROM items AS i FINAL INNER JOIN (SELECT id, content FROM contents FINAL) AS c ON c.id = i.id`,
  );
  const [found] = await select<Record<string, number>>(
    stack,
    // An image that could not be looked at has no size.
    `SELECT toUInt32(sumIf(items, kind = 'characters')) AS texts,
       toUInt32(sumIf(items + without_value, kind = 'image_size')) AS images,
       (SELECT toUInt32(sum(value)) FROM metrics AS m FINAL INNER JOIN (SELECT id, type FROM results) AS r ON r.id = m.id
        WHERE m.kind = 'characters' AND r.type = 'message') AS characters
     FROM metrics_hourly`,
  );
  return differences({ metrics_hourly: wanted }, { metrics_hourly: found });
}

function differences(wanted: Record<string, unknown>, found: Record<string, unknown>): string[] {
  const text = (value: unknown): string =>
    JSON.stringify(value, (_, inner: unknown) =>
      inner !== null && typeof inner === 'object' && !Array.isArray(inner)
        ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
        : inner,
    );
  return Object.keys(wanted)
    .filter((name) => text(wanted[name]) !== text(found[name]))
    .map((name) => `${name}: ${text(found[name])} instead of ${text(wanted[name])}`);
}
