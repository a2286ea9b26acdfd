import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { TupleParam } from '@clickhouse/client';
import { Session } from 'chdb';
import { questionsOf } from '#weir/bench/workloads/history/questions';
import { quoteText } from '#weir/deploy/local/clickhouse/sql';
import { writeExplanation } from '#weir/shared/api/results/explanation';
import type { HistoryClient } from '#weir/shared/history/client';
import { PEOPLE_READ } from '#weir/shared/history/dictionary';
import { readMigrations, statementsOf } from '#weir/shared/history/migrate';
import { createHistoryQueries } from '#weir/shared/history/read/queries';
import { readerRules, readerStatements } from '#weir/shared/history/readers';
import { itemId } from '#weir/shared/ids';
import { insertOf } from '#weir/workers/rows/columns';
import { INSERT_SETTINGS } from '#weir/workers/rows/send-rows';
import { unpackRows } from '#weir/workers/rows/unpack-rows';
import { pluck } from '../../support/pluck.ts';
import { fillHistory } from '../../support/stores/clickhouse.ts';
import { encodeRows } from '../../support/stores/encoded.ts';
import { POLICY, rowItem, rowRequest, violating } from '../../support/stores/history.ts';

// The embedded engine keeps no users. So the roles, grants and filters of the statements stand in its configuration, and its one user has them.
const folder = mkdtempSync(join(tmpdir(), 'weir-readers-'));
await fillHistory(folder);
const { grants, guarded, filter } = readerRules('weir');
const roles = Object.entries(grants).map(
  ([role, all]) =>
    `<${role}><grants>${all.map((grant) => `<query>GRANT ${grant}</query>`).join('')}</grants></${role}>`,
);
/** Another installation has a database of the same server. */
const second = readerRules('second');
const filters = guarded.map((table) => `<${table}><filter>${filter}</filter></${table}>`);
const config = join(folder, 'reader.xml');
writeFileSync(
  config,
  `<clickhouse><users_config>${config}</users_config><tcp_port>9000</tcp_port><remote_servers><c><shard><replica><host>127.0.0.1</host>
  <port>9000</port></replica></shard></c><away><shard><replica><host>127.0.0.1</host><port>1</port></replica></shard></away></remote_servers><profiles><default/></profiles><quotas><default/></quotas>
  <roles>${roles.join('')}<weir_team_acme/></roles>
  <users><default><password></password><networks><ip>::/0</ip></networks><profile>default</profile><quota>default</quota>
    <grants><query>GRANT weir_reader, weir_team_acme</query><query>GRANT INSERT ON weir.*</query>
    <query>GRANT ALL ON shards.*</query><query>GRANT ALL ON second.*</query><query>GRANT REMOTE ON *.*</query></grants>
    <databases><weir>${filters.join('')}</weir><second><contents><filter>${second.filter}</filter></contents></second></databases></default></users></clickhouse>`,
);
const session = new Session(join(folder, 'clickhouse'), { connectionArgs: [`--config-file=${config}`] });
after(() => {
  session.close();
  rmSync(folder, { recursive: true });
});
const ask = (sql: string): unknown[] =>
  session
    .query(sql, 'JSONEachRow')
    .trim()
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));

/** A parameter of a look-up as the client writes it; no value here needs an escape. */
const parameterText = (value: unknown): string => {
  const quoted = (all: readonly unknown[]): string =>
    all.map((one) => (one instanceof TupleParam ? `(${quoted(one.values)})` : `'${one}'`)).join(',');
  return Array.isArray(value) ? `[${quoted(value)}]` : String(value);
};

test('a reader of a team sees the rows of that team alone, in every table and view', () => {
  for (const team of ['acme', 'others']) {
    const map = `{"7a000000-0000-4000-8000-000000000001":{"flagged":true,"name":"Cards"}}`;
    const explained = `["h",{"7a000000-0000-4000-8000-000000000001":[{"detector":"terms","view":"raw","source":"text","start":0,"end":4}]}]`;
    const row = `'${team}', 'chat', now64(3), generateUUIDv4()`;
    const violation = `['7a000000-0000-4000-8000-000000000001'], ['Cards'], ['high'], [['text']]`;
    session.query(`INSERT INTO weir.items (team, scope, ts, id, kind, type, user_id, policies, explained, flagged, violation.id, violation.name,
      violation.severity, violation.sources) VALUES (${row}, 'session', 'message', 'u', '${map}', '${explained}', 1, ${violation})`);
    for (const table of ['contents', 'images', 'metrics'])
      session.query(`INSERT INTO weir.${table} (team, scope, ts, id) VALUES (${row})`);
    session.query(`INSERT INTO weir.shadow_checks (team, scope, ts, id, violation.id, violation.name, violation.severity, violation.sources,
      violation.detectors) VALUES (${row}, ${violation}, [['terms']])`);
    session.query(`INSERT INTO weir.labels (team, scope, ts, id, label, reviewer) VALUES (${row}, 'missed', 'ann')`);
    session.query(`INSERT INTO weir.appeals (team, scope, ts, id, item) VALUES (${row}, 'session')`);
    session.query(
      `INSERT INTO weir.erasures (team, ts, id, subject) VALUES ('${team}', now64(3), generateUUIDv4(), 'user')`,
    );
    session.query(
      `INSERT INTO weir.exports (team, ts, id, kind) VALUES ('${team}', now64(3), generateUUIDv4(), 'team')`,
    );
    session.query(
      `INSERT INTO weir.traces (team, scope, ts, request_id, kind, trace_id) VALUES (${row}, 'event', 't')`,
    );
  }
  const people = Object.keys(PEOPLE_READ).filter((table) => !table.startsWith('config'));
  for (const table of ['items', ...people]) {
    assert.deepEqual(
      ask(`SELECT team, count() AS n FROM weir.${table} GROUP BY team`),
      [{ team: 'acme', n: 1 }],
      table,
    );
  }
});

test('a reader of a team sees nothing of the team of that name in another database of the server, whose roles are others', () => {
  session.query('CREATE DATABASE second');
  session.query('CREATE TABLE second.contents (team String, id UInt8) ENGINE = MergeTree ORDER BY id');
  session.query("INSERT INTO second.contents VALUES ('acme', 1)");
  assert.deepEqual(ask('SELECT id FROM second.contents'), []);
  session.query('DROP TABLE second.contents');
  const granted = (database: string): Set<string> =>
    new Set(readerStatements({ database }).flatMap((one) => /^GRANT .* TO (\S+)$/.exec(one)?.slice(1) ?? []));
  assert.deepEqual(granted('weir'), new Set(['weir_reader', 'weir_all_teams']));
  assert.deepEqual(granted('second'), new Set(['`second/weir_reader`', '`second/weir_all_teams`']));
  assert.deepEqual(Object.keys(second.grants), ['second/weir_reader', 'second/weir_all_teams']);
  // A reader of an earlier release, whom no row policy of the second one would filter, has no more rights there.
  const revoked = readerStatements({ database: 'second' }).filter((one) => one.startsWith('REVOKE'));
  assert.deepEqual(revoked, [
    'REVOKE SELECT ON second.* FROM weir_reader',
    'REVOKE SELECT ON second.* FROM weir_all_teams',
  ]);
});

test('a reader of a team may not read what is of all teams, nor change anything', () => {
  assert.deepEqual(ask('SELECT number, user, message FROM weir.configurations'), []);
  for (const sql of [
    'SELECT configuration FROM weir.configurations',
    'SELECT * FROM weir.configuration_policies',
    'SELECT * FROM weir.names',
    'SELECT * FROM weir.user_checks',
    'SELECT * FROM weir.run_events',
    'TRUNCATE TABLE weir.items',
    'ALTER TABLE weir.items DROP COLUMN note',
    "SELECT * FROM file('/etc/passwd', 'LineAsString')",
  ]) {
    assert.throws(() => session.query(sql), /ACCESS_DENIED/, sql);
  }
});

test('a reader of a team may ask all questions but one', () => {
  const refused = questionsOf().filter(({ sql }) => {
    try {
      session.query(sql);
      return false;
    } catch (error) {
      assert.match(String(error), /ACCESS_DENIED/);
      return true;
    }
  });
  assert.deepEqual(pluck(refused, 'question'), ['Which policies never fire?']);
});

const SETTINGS = `SETTINGS ${Object.entries(INSERT_SETTINGS)
  .map(([name, value]) => `${name} = ${value}`)
  .join(', ')}`;

test('an insert is not acknowledged while a shard is away, also behind a view', () => {
  session.query('CREATE DATABASE IF NOT EXISTS shards');
  session.query('CREATE TABLE shards.enter (id UInt8) ENGINE = Null');
  session.query("CREATE TABLE shards.far (id UInt8) ENGINE = Distributed('away', 'shards', 'near', id)");
  session.query('CREATE MATERIALIZED VIEW shards.passes TO shards.far AS SELECT id FROM shards.enter');
  const insert = (settings: string) => session.query(`INSERT INTO shards.enter ${settings} VALUES (1)`);
  assert.throws(() => insert(SETTINGS), /Connection refused/);
  assert.doesNotThrow(() => insert(''), 'without them it is');
  for (const table of ['passes', 'far', 'enter']) session.query(`DROP TABLE shards.${table} SYNC`);
});

test('the tables of a cluster of shards take rows and give them back as plain ones do', async () => {
  // Without Keeper and a second host: tables that are not replicated, of a shard that is this engine.
  const here = (statement: string): string =>
    statement.replace(/ON CLUSTER c\b/g, '').replace(/Replicated(\w+)\('[^']*', '\{replica\}'(?:, )?/g, '$1(');
  const options = { url: '', database: 'shards', cluster: 'c', sharded: true };
  session.query('CREATE DATABASE IF NOT EXISTS shards');
  const statements = readMigrations().flatMap(({ sql }) => statementsOf(sql, options));
  for (const statement of statements.map(here)) {
    if (!statement.startsWith('SYSTEM'))
      session.query(
        statement.replaceAll(
          ', replicated_deduplication_window = 10000, replicated_deduplication_window_seconds = 604800',
          '',
        ),
      );
  }
  const find = { detector: 'terms', view: 'raw', source: 'text' as const, start: 3, end: 8 };
  const explained = writeExplanation('h', [{ id: POLICY, evidence: [find] }]);
  const flagged = rowItem(1, { verdict: violating, flagged: true, explained, content: '😀 zebra' });
  const [request, items] = [rowRequest(), [flagged, rowItem(2)]];
  const rows = join(folder, 'rows');
  writeFileSync(rows, unpackRows('3', encodeRows(request, items)).bytes);
  session.query('USE shards');
  for (let time = 0; time < 2; time++) {
    session.query(insertOf('1').replace(' FORMAT', ` FROM INFILE '${rows}' ${SETTINGS} FORMAT`));
  }
  const count = (table: string): unknown => (ask(`SELECT count() AS n FROM ${table}`) as { n: number }[])[0]!.n;
  const tables = [
    'results',
    'items_local FINAL',
    'contents FINAL',
    'run_events FINAL',
    'violations',
    'matches',
    'findings',
    'policy_hourly',
  ];
  assert.deepEqual(tables.map(count), [2, 2, 2, 2, 1, 1, 1, 1]);
  assert.deepEqual(ask('SELECT matched FROM findings'), [{ matched: 'zebra' }]);
  const placed = ask(
    "SELECT name, engine FROM system.tables WHERE database = 'shards' AND name LIKE 'items%' ORDER BY name",
  );
  assert.deepEqual(placed, [
    { name: 'items', engine: 'Distributed' },
    { name: 'items_local', engine: 'ReplacingMergeTree' },
  ]);
  const client = {
    query: async ({ query, query_params }: { query: string; query_params: Record<string, unknown> }) => {
      const values = Object.entries(query_params).map(
        ([name, value]) => `param_${name} = ${quoteText(parameterText(value))}`,
      );
      session.query(`SET ${values.join(', ')}`);
      return { json: async () => ask(query) };
    },
  };
  const queries = createHistoryQueries(client as unknown as HistoryClient);
  const id = itemId(request.id, 1);
  const found = await Promise.all([
    queries.itemById({ team: 'acme', scope: 'prod', kind: 'event', id }),
    queries.latestEvent('acme', 'prod', 'run-1', 'event-1'),
    queries
      .runEvents({ team: 'acme', environment: 'prod', run: 'run-1', after: undefined, most: 1 })
      .then((page) => page.events[0]),
  ]);
  assert.deepEqual(
    found.map((one) => one?.id),
    [id, id, id],
  );
  session.query('USE weir');
});
