/**
 * Fills history with rows that the engine makes of numbers. Row `n` of `rows`: its time, ids and verdict follow from `n`, so look-ups know what
 * is there. Times are spread over 30 days. Nine of ten are events, 50 a run; the others are session checks of a thousand users. One in
 * twenty violates a policy. Of 100 rows 80 are of the team `acme`, the rest of eight others.
 */
import type { HistoryClient } from '../../../shared/history/client.js';

const DAYS = 30;
const CARDS = '7a000000-0000-4000-8000-000000000001';
const NAMES = '7a000000-0000-4000-8000-000000000002';
const USERS = 1000;
/** An INSERT makes one block in memory. */
const ROWS_AT_ONCE = 250_000;

export interface Filled {
  rows: number;
  /** Unix ms of row 0 */
  start: number;
}

const spanMs = DAYS * 86_400_000;

/** What is stored of row `n`, as the SQL below makes it. */
export function rowOf({ rows, start }: Filled, n: number) {
  const ms = start + Math.floor((n * spanMs) / rows);
  const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0');
  const time = hex(ms, 12);
  const session = n % 10 === 0;
  return {
    id: `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${hex(n, 8)}0001`,
    team: n % 100 < 80 ? 'acme' : `team-${n % 8}`,
    scope: session ? 'chat' : 'prod',
    session,
    run: `run-${Math.floor(n / 50)}`,
    name: session ? `session-${n}` : `event-${n}`,
    user: `user-${Math.floor(n / 10) % USERS}`,
  };
}

/** Columns that all statements use. */
const rowsOf = ({ rows, start }: Filled, from: number, count: number): string => `(
  SELECT number AS n, ${start} + intDiv(n * ${spanMs}, ${rows}) AS ms, lower(leftPad(hex(ms), 12, '0')) AS time,
    toUUID(concat(substring(time, 1, 8), '-', substring(time, 9, 4), '-7000-8000-', lower(leftPad(hex(n), 8, '0')), '0001')) AS id,
    fromUnixTimestamp64Milli(toInt64(ms), 'UTC') AS ts, if(n % 100 < 80, 'acme', concat('team-', toString(n % 8))) AS team,
    n % 10 = 0 AS session, if(session, 'chat', 'prod') AS scope, n % 20 = 7 OR n % 40 = 10 AS hit, n % 500 = 3 AS lost,
    concat('run-', toString(intDiv(n, 50))) AS run, concat(if(session, 'session-', 'event-'), toString(n)) AS name,
    concat('user-', toString(intDiv(n, 10) % ${USERS})) AS user, ms * 4096 AS sequence
  FROM numbers(${from}, ${count}))`;

const map = (hit: boolean): string =>
  `{"${CARDS}":{"flagged":${hit},"name":"Cards"},"${NAMES}":{"flagged":false,"name":"Names"}}`;
const found = `["hl",{"${CARDS}":[{"detector":"pii:CREDIT_CARD","view":"raw","source":"text","start":5,"end":24}]},0]`;

/** Table, columns and what they are for a row. */
const INSERTS: readonly (readonly [table: string, columns: Record<string, string>, where?: string])[] = [
  [
    'items',
    {
      team: 'team', scope: 'scope', kind: "if(session, 'session', 'events')", ts: 'ts', id: 'id', request_id: 'id', version: '1',
      sequence: 'sequence', config: '901 + intDiv(n, 1000000000)', key: "'bench'", received: 'ts',
      completed: 'ts + toIntervalMillisecond(5 + n % 37)', type: "if(n % 10 = 1, 'tool', 'message')", field: "'content'",
      role: "if(n % 10 = 1, NULL, 'user')", name: "if(n % 10 = 1, concat('tool-', toString(n % 7)), NULL)",
      event_id: 'if(session, NULL, name)', run_id: 'if(session, NULL, run)', external_session_id: 'if(session, name, NULL)',
      user_id: 'if(session, user, NULL)', status: "if(lost, 'failed', 'completed')", flagged: 'if(lost, NULL, hit)',
      not_evaluated: 'lost', note: "if(lost, 'the backend gave no answer', NULL)",
      policies: `if(lost, '{}', if(hit, '${map(true)}', '${map(false)}'))`, explained: `if(hit, '${found}', '["hl"]')`,
      '`violation.id`': `if(hit, [toUUID('${CARDS}')], [])`, '`violation.name`': "if(hit, ['Cards'], [])",
      '`violation.severity`': "CAST(if(hit, ['high'], []), 'Array(Enum8(\\'low\\' = 1, \\'medium\\' = 2, \\'high\\' = 3))')",
      '`violation.sources`': "CAST(if(hit, [['text']], []), 'Array(Array(Enum8(\\'text\\' = 1, \\'image\\' = 2)))')",
    },
  ],
  [
    'contents',
    {
      team: 'team', scope: 'scope', ts: 'ts', id: 'id', version: '1', metadata: 'NULL',
      content: "concat('card 4111 1111 1111 1111 of the order ', toString(n % 5000), repeat(' and so on', 20))",
    },
  ],
  ['run_events', { team: 'team', scope: 'scope', run_id: 'run', event_id: 'name', sequence: 'sequence', ts: 'ts', id: 'id' }, 'NOT session'],
  ['names', { team: 'team', scope: 'scope', kind: "'session'", name: 'name', sequence: 'sequence', ts: 'ts', id: 'id' }, 'session'],
  [
    'user_checks',
    {
      team: 'team', kind: "'id'", user: 'user', scope: 'scope', ts: 'ts', id: 'id', version: '1',
      violations: `if(hit, [toUUID('${CARDS}')], [])`,
    },
    'session',
  ],
  [
    'metrics',
    {
      ts: 'ts', team: 'team', scope: 'scope', id: 'id', run_id: 'NULL', external_session_id: 'NULL', version: '1', note: 'NULL',
      metric_id: `toUUID('${CARDS}')`, metric_name: "'Tokens'", kind: "'tokens'", value: 'n % 400', label: 'NULL',
    },
  ],
  [
    'metrics',
    {
      ts: 'ts', team: 'team', scope: 'scope', id: 'id', run_id: 'NULL', external_session_id: 'NULL', version: '1', note: 'NULL',
      metric_id: `toUUID('${NAMES}')`, metric_name: "'Language'", kind: "'language'", value: '0.9', label: "['en', 'de', 'fr'][n % 3 + 1]",
    },
  ],
]; // biome-ignore format: columns of tables

/** Makes `rows` rows. `say` is told how far it is. */
export async function fill(client: HistoryClient, rows: number, say: (line: string) => void): Promise<Filled> {
  // A minute ago is the last one.
  const filled = { rows, start: Date.now() - 60_000 - spanMs };
  const started = performance.now();
  for (let from = 0; from < rows; from += ROWS_AT_ONCE) {
    const count = Math.min(ROWS_AT_ONCE, rows - from);
    for (const [table, columns, where] of INSERTS) {
      const query = `INSERT INTO ${table} (${Object.keys(columns).join(', ')}) SELECT ${Object.values(columns).join(', ')}
        FROM ${rowsOf(filled, from, count)} ${where === undefined ? '' : `WHERE ${where}`}`;
      await client.command({ query, clickhouse_settings: { max_partitions_per_insert_block: '0' } });
    }
    const seconds = (performance.now() - started) / 1000;
    const left = (seconds / (from + count)) * (rows - from - count);
    say(`${from + count} rows of ${rows}: ${seconds.toFixed(0)} s, ${left.toFixed(0)} s to go`);
  }
  return filled;
}
