/**
 * The views of the console over violations: as many rows as the look-ups have, each violates one to three of five policies that twenty conditions
 * chose, in 30 days of two environments. They are of a team of their own, of which the look-ups know nothing.
 */
import type { HistoryClient } from '../../../shared/history/client.js';
import { type FiguresQuestion, SPLITS } from '../../../shared/history/read/figures.js';
import type { PastFilter } from '../../../shared/history/read/past-filter.js';
import type { HistoryQueries } from '../../../shared/history/read/queries.js';

const TEAM = 'desk';
const SCOPES = ['prod', 'stage'] as const;
const DAYS = 30;
const DAY_MS = 86_400_000;
const AT_ONCE = 250_000;
const POLICIES = 5;
const CONDITIONS = 20;
/** Single values of the column `policies`: as many policies and conditions make. */
const MAPS = 400;
const ASKED = 5;

export interface ViewTime {
  view: string;
  /** the median, the first one, and CPU time of the engine for one */
  ms: number;
  first: number;
  cpu: number;
}

const policyOf = (n: string): string => `concat('7b000000-0000-4000-8000-00000000000', toString(${n}))`;

/** JSON of map `m`: each policy is there; which are flagged, and which two conditions chose each, follows from `m`. */
const MAP = `concat('{', arrayStringConcat(arrayMap(p -> concat('"', ${policyOf('p')}, '":{"flagged":', if(has(hits, p), 'true', 'false'), ',"name":"Policy ', toString(p),
  '","enabled_by_conditions":[{"id":"c-', toString((m + p) % ${CONDITIONS}), '","name":"Condition ', toString((m + p) % ${CONDITIONS}), '"},{"id":"c-', toString((m * 7 + p) % ${CONDITIONS}),
  '","name":"Condition ', toString((m * 7 + p) % ${CONDITIONS}), '"}]}'), range(${POLICIES})), ','), '}')`;

/** Rows `from` to `from + count` of `rows`. */
const insertOf = (rows: number, start: number, from: number, count: number): string => `INSERT INTO items
  (team, scope, kind, ts, id, request_id, version, sequence, config, key, received, completed, type, field, role, event_id, run_id, user_id, status,
   flagged, not_evaluated, policies, \`violation.id\`, \`violation.name\`, \`violation.severity\`, \`violation.sources\`)
  SELECT '${TEAM}', ['${SCOPES.join("','")}'][n % 2 + 1], 'events', fromUnixTimestamp64Milli(toInt64(ms), 'UTC') AS at,
    toUUID(concat(substring(time, 1, 8), '-', substring(time, 9, 4), '-7000-8000-', lower(leftPad(hex(n), 8, '0')), '0001')), generateUUIDv4(), 1, ms * 4096, 1, 'bench', at,
    at + toIntervalMillisecond(5 + n % 37), 'message', 'content', 'user', concat('event-', toString(n)), concat('run-', toString(intDiv(n, 50))),
    concat('user-', toString(cityHash64(n) % 5000)), 'completed', 1, n % 50 = 0, ${MAP}, arrayMap(p -> toUUID(${policyOf('p')}), hits),
    arrayMap(p -> concat('Policy ', toString(p)), hits), arrayMap(p -> CAST('high', 'Enum8(\\'low\\' = 1, \\'medium\\' = 2, \\'high\\' = 3)'), hits),
    arrayMap(p -> CAST([if(p = 4, 'image', 'text')], 'Array(Enum8(\\'text\\' = 1, \\'image\\' = 2))'), hits)
  FROM (
    SELECT number AS n, ${start} + intDiv(n * ${DAYS * DAY_MS}, ${rows}) AS ms, lower(leftPad(hex(ms), 12, '0')) AS time, cityHash64(n, 'map') % ${MAPS} AS m,
      arrayFilter(p -> p = m % ${POLICIES} OR (m % 3 = 0 AND p = (m + 1) % ${POLICIES}) OR (m % 7 = 0 AND p = (m + 3) % ${POLICIES}), range(${POLICIES})) AS hits
    FROM numbers(${from}, ${count})
  )`;

/** Makes `rows` violations up to a minute ago; returns the end of their time, in Unix ms. */
export async function fillViolations(
  client: HistoryClient,
  rows: number,
  say: (line: string) => void,
): Promise<number> {
  const end = Date.now() - 60_000;
  for (let from = 0; from < rows; from += AT_ONCE) {
    const count = Math.min(AT_ONCE, rows - from);
    await client.command({
      query: insertOf(rows, end - DAYS * DAY_MS, from, count),
      clickhouse_settings: { max_partitions_per_insert_block: '0' },
    });
    say(`${from + count} violations of ${rows}`);
  }
  return end;
}

/** What the views *History*, *Find* and *Risk* ask of the 30 days before `end`. */
export async function askViews(
  queries: HistoryQueries,
  end: number,
  cpuMs: () => number,
  say: (line: string) => void,
): Promise<ViewTime[]> {
  const any: PastFilter = {
    team: TEAM,
    seen: { environments: SCOPES, deployments: [] },
    from: end - DAYS * DAY_MS,
    to: end,
    policy: '',
    source: '',
    condition: '',
    user: '',
    run: '',
    session: '',
  };
  const filters: Record<string, Partial<PastFilter>> = {
    '': {},
    ', of a policy': { policy: 'Policy 2' },
    ', of a source': { source: 'image' },
    ', of a condition': { condition: 'c-3' },
    ', of a user': { user: 'user-17' },
  };
  const views: [string, () => Promise<boolean>][] = [];
  for (const [name, filter] of Object.entries(filters)) {
    for (const by of [undefined, ...SPLITS]) {
      const question: FiguresQuestion = { ...any, ...filter, stepMs: DAY_MS, by };
      const title = by === undefined ? `figures${name}` : `figures by ${by}${name}`;
      views.push([title, async () => (await queries.pastFigures(question)).total.flagged > 0]);
    }
    const items = { ...any, ...filter, verdict: '', before: '', limit: 50 } as const;
    views.push([`items${name}`, async () => (await queries.pastItems(items)).items.length > 0]);
  }
  const times: ViewTime[] = [];
  for (const [view, ask] of views) {
    const asked: number[] = [];
    const before = cpuMs();
    for (let i = 0; i <= ASKED; i++) {
      const from = performance.now();
      if (!(await ask())) throw new Error(`${view} found nothing.`);
      asked.push(performance.now() - from);
    }
    const [first, ...others] = asked;
    const ms = others.toSorted((a, b) => a - b)[Math.floor(ASKED / 2)]!;
    const cpu = (cpuMs() - before) / asked.length;
    say(`${view}: ${ms.toFixed(0)} ms, ${cpu.toFixed(0)} ms of CPU`);
    times.push({ view, ms, first: first!, cpu });
  }
  return times;
}
