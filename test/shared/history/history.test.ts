import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, test } from 'node:test';
import { fill, rowOf } from '#weir/bench/workloads/history/fill';
import { questionsOf } from '#weir/bench/workloads/history/questions';
import { causeKey } from '#weir/shared/api/validate/issues';
import { createHistoryClient, type HistoryClient } from '#weir/shared/history/client';
import { DICTIONARY, INTERNAL, PEOPLE_READ } from '#weir/shared/history/dictionary';
import { migrate, readMigrations, statementsOf, tableStatements } from '#weir/shared/history/migrate';
import { HistoryUnavailable } from '#weir/shared/history/read/breaker';
import { createHistoryQueries } from '#weir/shared/history/read/queries';
import { itemId } from '#weir/shared/ids';
import { packageRoot } from '#weir/shared/paths';
import type { Verdict } from '#weir/shared/policy/types';
import { COLUMNS_OF } from '#weir/workers/rows/columns';
import type { RowImage, RowItem, RowRequest } from '#weir/workers/rows/row-types';
import { unpackRows } from '#weir/workers/rows/unpack-rows';
import { blocksOf, readPage } from '../../docs/pages.ts';
import { pluck } from '../../support/pluck.ts';
import {
  countQuestions,
  sharedHistory,
  startTestClickHouse,
  type TestClickHouse,
} from '../../support/stores/clickhouse.ts';
import { encodeRows } from '../../support/stores/encoded.ts';
import { FLAGGED, POLICY, rowImage, rowItem, rowRequest, violating } from '../../support/stores/history.ts';
import { insertAs, insertRows } from '../../support/stores/insert.ts';
import { type DictionaryColumn, renderDictionary } from './dictionary-page.ts';
import { answersOf, storeConfigurations, storePeople } from './people.ts';

const { engine: server, client, queries } = await sharedHistory();

/** An engine without tables. Each has one database for its users. */
async function withEngine(use: (engine: TestClickHouse) => Promise<void>): Promise<void> {
  const engine = await startTestClickHouse();
  await use(engine).finally(() => engine.close());
}

async function rows<T = Record<string, unknown>>(query: string): Promise<T[]> {
  return await (await client.query({ query, format: 'JSONEachRow' })).json<T>();
}

const store = (request: RowRequest, ...items: RowItem[]) =>
  insertRows(client, unpackRows('1', encodeRows(request, items)).bytes);

const storeImages = (request: RowRequest, ...items: RowItem[]) =>
  insertAs('2', client, [unpackRows('2', encodeRows(request, items)).bytes]);

const [QUIET, LOUD] = [POLICY.replace(/0$/, '1'), POLICY.replace(/0$/, '2')];
/** Detectors of the evidence of `violating`. */
const detectors = ['pii:CREDIT_CARD', 'terms'];

const storeShadow = (format: '3' | '4', request: RowRequest, ...items: RowItem[]) =>
  insertAs(format, client, [unpackRows(format, encodeRows(request, items)).bytes]);

test('a look-up by id asks one question, by name one more if it is there', async () => {
  const request = rowRequest();
  await store(request, rowItem(1));
  const counting = countQuestions(client);
  const queries = createHistoryQueries(counting.client, { timeoutMs: 20_000 });
  const key = { kind: 'event', team: 'acme', scope: 'prod' } as const;
  assert.equal(await queries.itemById({ ...key, id: itemId(request.id, 2) }), undefined);
  assert.equal(counting.asked(), 1);
  assert.equal(await queries.itemById({ ...key, kind: 'artifact', id: itemId(request.id, 2) }), undefined);
  assert.equal(await queries.latestEvent('acme', 'prod', 'absent', 'event-1'), undefined);
  assert.equal(await queries.latestEvent('acme', 'prod', 'run-1', 'absent'), undefined);
  assert.equal(counting.asked(), 4);
  assert.equal((await queries.itemById({ ...key, id: itemId(request.id, 1) }))?.eventId, 'event-1');
  assert.equal(counting.asked(), 5);
  assert.equal((await queries.latestEvent('acme', 'prod', 'run-1', 'event-1'))?.type, 'message');
  assert.equal(counting.asked(), 7);
});

test('migrations apply once, and again change nothing', async () => {
  assert.equal(await migrate({ url: server.url, database: 'weir' }), 0);
  await withEngine(async ({ url }) => {
    const both = await Promise.all([1, 2].map(() => migrate({ url, database: 'weir' })));
    assert.ok(Math.max(...both) >= 1);
    assert.equal(await migrate({ url, database: 'weir' }), 0);
  });
});

describe('rows of checks', () => {
  const texts = unpackRows('1', encodeRows(rowRequest(), [rowItem(1)])).bytes;
  const pictured = [rowItem(1, { type: 'artifact', image: rowImage() })];
  const images = unpackRows('2', encodeRows(rowRequest(), pictured)).bytes;
  const STORED = ['stored', 'stored'];

  async function becomeOf(to: HistoryClient): Promise<string[]> {
    const all = [insertAs('1', to, [texts]), insertAs('2', to, [images])];
    return (await Promise.allSettled(all)).map((one) => (one.status === 'fulfilled' ? 'stored' : String(one.reason)));
  }
  async function assertRefused(to: HistoryClient): Promise<void> {
    for (const one of await becomeOf(to))
      assert.match(one, /weir migrate has not finished|does not exist|No such column/);
  }

  it('are refused until all that stores them is there', async () => {
    await withEngine(async ({ url }) => {
      const options = { url, database: 'weir' };
      const [plain, to] = [createHistoryClient({ ...options, database: 'default' }), createHistoryClient(options)];
      const statements = tableStatements(options);
      const opening = statements.findIndex((statement) => /DROP COLUMN IF EXISTS/.test(statement));
      for (const query of statements.slice(0, opening)) {
        await plain.command({ query });
        await assertRefused(to);
      }
      for (const query of statements.slice(opening)) await plain.command({ query });
      assert.deepEqual(await becomeOf(to), STORED);
      await Promise.all([plain.close(), to.close()]);
    });
  });

  it('are refused also where migrations of an earlier release have run, as long as a further one does', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'weir-migrations-'));
    const [first] = readMigrations();
    writeFileSync(join(folder, `${first!.name}.sql`), first!.sql);
    await withEngine(async ({ url }) => {
      const options = { url, database: 'weir' };
      const [plain, to] = [createHistoryClient({ ...options, database: 'default' }), createHistoryClient(options)];
      assert.equal(await migrate({ ...options, folder }), 1);
      assert.deepEqual((await becomeOf(to))[0], 'stored');
      const statements = tableStatements(options);
      const made = statements.findIndex((statement) => /checked_with_images .*ENGINE = Null$/.test(statement));
      const opening = statements.findIndex((statement) => /DROP COLUMN IF EXISTS/.test(statement));
      for (const query of statements.slice(made - 1, opening)) {
        await plain.command({ query });
        await assertRefused(to);
      }
      assert.equal(await migrate(options), readMigrations().length - 1);
      assert.deepEqual(await becomeOf(to), STORED);
      await Promise.all([plain.close(), to.close()]);
    });
    rmSync(folder, { recursive: true });
  });

  it('are refused after migrations that were cut off, until they are whole', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'weir-migrations-'));
    cpSync(join(packageRoot, 'shared/history/migrations'), folder, { recursive: true });
    const next = String(readMigrations().length + 1).padStart(3, '0');
    writeFileSync(join(folder, `${next}_cut.sql`), 'SELECT cut off;\n');
    await withEngine(async ({ url }) => {
      const options = { url, database: 'weir' };
      const to = createHistoryClient(options);
      await assert.rejects(migrate({ ...options, folder }));
      await assertRefused(to);
      assert.equal(await migrate(options), 0);
      assert.deepEqual(await becomeOf(to), STORED);
      const counted = await to.query({ query: 'SELECT toUInt32(count()) AS n FROM results', format: 'JSONEachRow' });
      assert.deepEqual(await counted.json(), [{ n: 2 }]);
      await to.close();
    });
    rmSync(folder, { recursive: true });
  });
});

test('a migration that was changed after it was applied is refused', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'weir-migrations-'));
  try {
    cpSync(join(packageRoot, 'shared/history/migrations'), folder, { recursive: true });
    writeFileSync(join(folder, '001_results.sql'), 'SELECT 1;\n');
    await assert.rejects(migrate({ url: server.url, database: 'weir', folder }), /was changed after it was applied/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('retention can be changed by migrating again', async () => {
  const retention = { resultsDays: 90, contentDays: 7 };
  const migrateTo = (kept: { resultsDays: number; contentDays: number }) =>
    migrate({ url: server.url, database: 'weir', retention: kept });
  await migrateTo(retention);
  await migrateTo({ resultsDays: 90, contentDays: 8 });
  const queryOf = async (table: string) => {
    const query = `SELECT create_table_query AS q FROM system.tables WHERE database = 'weir' AND name = '${table}'`;
    return (await rows<{ q: string }>(query))[0]!.q;
  };
  assert.match(await queryOf('contents'), /toIntervalDay\(8\)/);
  assert.match(await queryOf('run_events'), /TTL toStartOfMonth\(ts\) \+ toIntervalDay\(121\)/);
  const ninety = async () => {
    const like = "database = 'weir' AND create_table_query LIKE '%toIntervalDay(90)%'";
    const found = await rows<{ name: string }>(`SELECT name FROM system.tables WHERE ${like} ORDER BY name`);
    return found.map(({ name }) => name);
  };
  assert.deepEqual(await ninety(), ['images', 'items', 'metrics', 'shadow_checks', 'traces']);
  await migrateTo({ resultsDays: 91, contentDays: 8 });
  assert.deepEqual(await ninety(), []);
  await assert.rejects(migrateTo({ resultsDays: 91, contentDays: -1 }), /from 0 to/);
  await store(rowRequest(), rowItem(1));
  const stored = async () => Number((await rows<{ n: string }>('SELECT count() AS n FROM contents'))[0]!.n);
  assert.ok((await stored()) > 0);
  await migrateTo({ resultsDays: 91, contentDays: 0 });
  assert.equal(await stored(), 0, 'contents of before are gone at once');
  await assert.rejects(migrateTo({ resultsDays: 0, contentDays: 8 }), /whole number of days/);
  await migrateTo({ resultsDays: 365, contentDays: 30 });
});

test('the replicated variant differs in engine, cluster and deduplication window only', () => {
  const sql =
    'CREATE TABLE {{database}}.t {{on_cluster}} (a Int8) ENGINE = {{engine:ReplacingMergeTree(a)}} SETTINGS x = 1{{replicated:, y = 2}};\n';
  const options = { url: '', database: 'weir' };
  assert.equal(
    statementsOf(sql, options)[0],
    'CREATE TABLE weir.t  (a Int8) ENGINE = ReplacingMergeTree(a) SETTINGS x = 1',
  );
  assert.equal(
    statementsOf(sql, { ...options, cluster: 'c' })[0],
    "CREATE TABLE weir.t ON CLUSTER c (a Int8) ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}', a) SETTINGS x = 1, y = 2",
  );
});

test('every statement of a cluster runs on all of its hosts, and makes replicated tables', () => {
  const options = { url: '', database: 'weir', cluster: 'c' };
  for (const { name, sql } of readMigrations()) {
    for (const statement of statementsOf(sql, options)) {
      // Rows that are copied go to the other replicas by themselves.
      if (/^(INSERT|SYSTEM SYNC REPLICA) /.test(statement)) continue;
      assert.match(statement, /^[A-Z ]+ weir\.\w+ +ON CLUSTER c\b/, name);
      for (const [, engine] of statement.matchAll(/ENGINE = (\w+)/g)) assert.match(engine!, /^Replicated|^Null$/, name);
    }
  }
});

test('a quorum of replicas is asked for, which tables without replicas do not heed', async () => {
  const demanding = createHistoryClient({ url: server.url, database: 'weir', quorum: '2' });
  try {
    const query = "SELECT getSetting('insert_quorum') AS quorum, getSetting('insert_quorum_timeout') AS timeout";
    const [set] = await (await demanding.query({ query, format: 'JSONEachRow' })).json<Record<string, unknown>>();
    assert.deepEqual([String(set!.quorum), Number(set!.timeout)], ['2', 30_000]);
    const request = rowRequest();
    await insertRows(demanding, unpackRows('1', encodeRows(request, [rowItem(1)])).bytes);
    const key = { kind: 'event', team: 'acme', scope: 'prod', id: itemId(request.id, 1) } as const;
    assert.equal((await queries.itemById(key))?.id, itemId(request.id, 1));
  } finally {
    await demanding.close();
  }
});

test('a replica that may lack what has left Redis is not asked, and plain tables are asked about once', async () => {
  const request = rowRequest();
  await store(request, rowItem(1));
  const key = { kind: 'event', team: 'acme', scope: 'prod', id: itemId(request.id, 1) } as const;
  const reader = createHistoryClient({ url: server.readerUrl, database: 'weir' });
  const counting = countQuestions(reader);
  const plain = createHistoryQueries(counting.client, { timeoutMs: 20_000, hotMs: 1 });
  await plain.itemById(key);
  const asked = counting.asked();
  await plain.itemById(key);
  assert.equal(counting.asked() - asked, asked - 1, 'whether they are replicated is known');
  /** ClickHouse as it answers where tables are replicated. */
  const replica = (state: string): HistoryClient => {
    const query = (given: { query: string }) =>
      reader.query({ ...given, query: given.query.includes('system.replicas') ? `SELECT ${state}` : given.query });
    return { query } as unknown as HistoryClient;
  };
  const read = (state: string, hotMs = 60_000) =>
    createHistoryQueries(replica(state), { timeoutMs: 20_000, hotMs }).itemById(key);
  const cause = async (found: Promise<unknown>): Promise<string> => {
    const error: Error = await found.then(
      () => assert.fail('it was asked'),
      (reason) => reason,
    );
    assert.ok(error instanceof HistoryUnavailable);
    return (error.cause as Error).message;
  };
  try {
    assert.equal((await read('8 AS replicated, 29 AS delay, 0 AS severed'))?.id, itemId(request.id, 1));
    assert.equal((await read('no_right_to_ask'))?.id, itemId(request.id, 1));
    assert.match(await cause(read("throwIf(1, 'in trouble')")), /in trouble/);
    assert.match(await cause(read('8 AS replicated, 31 AS delay, 0 AS severed')), /is 31 s behind and may lack rows/);
    assert.match(await cause(read('8 AS replicated, 0 AS delay, 1 AS severed')), /severed/);
  } finally {
    await reader.close();
  }
});

test('the columns of a packed entry are those of the table they go to', async () => {
  for (const [format, table] of [
    ['1', 'checked'],
    ['2', 'checked_with_images'],
    ['4', 'checked_with_shadow'],
  ] as const) {
    const found = await rows<{ name: string; type: string }>(
      `SELECT name, type FROM system.columns WHERE database = 'weir' AND table = '${table}' ORDER BY position`,
    );
    assert.deepEqual(found, COLUMNS_OF[format]);
  }
});

test('every column comes back as it went in, hostile values included', async () => {
  const hostile = 'a\0b\n\t\\\'"`é😀\u2028{{database}} ';
  const links = [
    { kind: 'parent' as const, relation: '', runId: 'run-0', eventId: 'first', internalId: '' },
    {
      kind: 'link' as const,
      relation: hostile,
      runId: hostile,
      eventId: hostile,
      internalId: itemId(rowRequest().id, 4),
    },
  ];
  const item = rowItem(63, {
    type: 'tool',
    field: 'output',
    role: '',
    name: hostile,
    stored: [hostile, hostile],
    eventId: 'e.1:2_3-4',
    runId: hostile,
    externalSessionId: hostile,
    externalArtifactId: hostile,
    content: `${hostile}${'ü'.repeat(131_000)}`,
    metadata: JSON.stringify({ a: hostile }),
    tags: [
      ['a', hostile],
      ['b.c', '1'],
    ],
    userId: hostile,
    userEmail: 'a@example.org',
    status: 'failed',
    note: hostile,
    links,
    explained: hostile,
    verdict: violating,
    flagged: null,
  });
  const request = rowRequest({ team: hostile, scope: hostile, version: 3, sequence: 2 ** 53 - 1, config: 2 ** 32 - 1 });
  request.error = { status: 500, code: 'internal_error', message: hostile };
  await store(request, item, rowItem(1, { content: '\ud800lone\udfff', flagged: true }));
  const [row] = await rows(`SELECT *, evaluated, toUnixTimestamp64Milli(ts) AS ms, toString(sequence) AS seq FROM items
    WHERE id = '${itemId(request.id, 63)}'`);
  const { created: _created, ...expected } = {
    created: 0,
    team: hostile, scope: hostile, kind: 'events', id: itemId(request.id, 63), request_id: request.id, version: 3,
    seq: String(2 ** 53 - 1), config: 2 ** 32 - 1, key: 'acme-prod', ms: request.received, type: 'tool', field: 'output',
    role: null, name: hostile, call_id: hostile, format: hostile, event_id: 'e.1:2_3-4', run_id: hostile,
    external_session_id: hostile, external_artifact_id: hostile, user_id: hostile, user_email: 'a@example.org',
    status: 'failed', flagged: null, not_evaluated: 2, note: hostile, error: JSON.stringify(request.error),
    policies: FLAGGED, explained: hostile, tags: { a: hostile, 'b.c': '1' }, evaluated: [POLICY],
    'link.kind': ['parent', 'link'], 'link.relation': ['', hostile], 'link.run_id': ['run-0', hostile],
    'link.event_id': ['first', hostile],
    'link.internal_id': ['00000000-0000-0000-0000-000000000000', links[1]!.internalId],
    'violation.id': [POLICY], 'violation.name': ['No card data'], 'violation.severity': ['high'],
    'violation.sources': [['text', 'image']],
    'evidence.policy': [POLICY, POLICY], 'evidence.detector': ['pii:CREDIT_CARD', 'terms'],
    'evidence.view': ['raw', 'folded'], 'evidence.source': ['text', 'image'], 'evidence.start': [3, 0],
    'evidence.end': [19, 70_000],
  }; // biome-ignore format: a table of columns
  for (const [name, value] of Object.entries(expected)) {
    const got = name === 'ms' ? Number(row![name]) : row![name];
    assert.deepEqual(got, value, name);
  }
  const contents = await rows(
    `SELECT id, content, metadata FROM contents WHERE team = (SELECT team FROM items WHERE request_id = '${request.id}' LIMIT 1) ORDER BY id`,
  );
  assert.deepEqual(contents, [
    { id: itemId(request.id, 1), content: '\ufffdlone\ufffd', metadata: null },
    { id: itemId(request.id, 63), content: item.content, metadata: item.metadata },
  ]);
});

const NOTHING = {
  role: '',
  eventId: '',
  runId: '',
  explained: '',
  content: '',
  verdict: violating,
  flagged: true,
} satisfies Partial<RowItem>;

test('what an item does not have is null in each table and view that people read', async () => {
  const team = 'absent';
  const verdict: Verdict = {
    ...violating,
    shadow: { evaluated: [QUIET], violations: violating.violations, notEvaluated: 0 },
  };
  const link = { kind: 'link' as const, relation: '', runId: '', eventId: '', internalId: '' };
  const explained = `["h",{"${POLICY}":[{"detector":"terms","view":"raw","source":"text","start":0,"end":1}]}]`;
  const failed = rowImage({ kind: '', width: 0, height: 0, bytes: 0, hash: '', quality: 0 });
  const session = rowRequest({ team, kind: 'session', scope: 'chat' });
  await storeShadow(
    '4',
    session,
    rowItem(1, { ...NOTHING, explained, verdict, links: [link] }),
    rowItem(2, { ...NOTHING, type: 'artifact', image: failed }),
  );
  const of = { team, scope: 'chat', ts: new Date(session.received).toISOString().slice(0, -1), version: 1 };
  const metric = { ...of, id: itemId(session.id, 1), metric_id: QUIET, metric_name: 'Tokens', kind: 'tokens' };
  await client.insert({ table: 'metrics', values: [metric], format: 'JSONEachRow' });
  const names = (list: string): string[] => list.split(' ');
  const identity = 'role run_id event_id external_session_id';
  const absent: Record<string, string[]> = {
    results: names(`${identity} name call_id format external_artifact_id user_id user_email note error region`),
    violations: names(`${identity} name user_id user_email region`),
    matches: names(`${identity} path`),
    findings: names(`${identity} name user_id user_email path index matched`),
    'contents FINAL': ['metadata'],
    'images FINAL': names('kind width height bytes hash quality session_id region'),
    'shadow_checks FINAL': names(`${identity} region`),
    shadow_violations: names(identity),
    'metrics FINAL': names('run_id external_session_id value label note region'),
    metrics_hourly: ['label', 'value_sum', 'value_min', 'value_max', 'value_avg'],
  };
  for (const [table, expected] of Object.entries(absent)) {
    const found = await rows(`SELECT * FROM ${table} WHERE team = '${team}'`);
    assert.ok(found.length > 0, table);
    for (const row of found) {
      const nulls = Object.keys(row).filter((name) => row[name] === null);
      assert.deepEqual(nulls.filter((name) => name !== 'explained').sort(), [...expected].sort(), table);
      const blank = Object.keys(row).filter((name) => row[name] === '' || /^[0-]{36}$/.test(String(row[name])));
      assert.deepEqual(blank, table === 'contents FINAL' ? ['content'] : [], table);
    }
  }
  const [links] =
    await rows(`SELECT link.kind AS kind, link.relation AS relation, link.run_id AS run, link.event_id AS event,
    link.internal_id AS internal, explained FROM results WHERE team = '${team}' AND type != 'artifact'`);
  assert.deepEqual(links, {
    kind: ['link'],
    relation: [null],
    run: [null],
    event: [null],
    internal: [null],
    explained,
  });
  const [image] = await rows(`SELECT explained FROM results WHERE team = '${team}' AND type = 'artifact'`);
  assert.deepEqual(image, { explained: null });
  const [activity] = await rows(`SELECT user_id FROM user_activity WHERE team = '${team}'`);
  assert.equal(activity, undefined, "a session without a user is nobody's");
});

test('people find a run and a session by their indexes', async () => {
  await store(rowRequest(), rowItem(1));
  for (const name of ['run_id', 'external_session_id']) {
    const plan = await rows<{ explain: string }>(
      `EXPLAIN indexes = 1 SELECT id FROM results WHERE ${name} = 'no such'`,
    );
    const text = plan.map(({ explain }) => explain).join('\n');
    assert.match(text, new RegExp(`Skip\\s+Name: ${name}\\s[\\s\\S]*Granules: 0/`), text);
  }
});

test('the violations view has one row per violated policy, of the newest version only', async () => {
  const request = rowRequest({ team: 'viewers' });
  await store(request, rowItem(1, { verdict: violating, flagged: true }), rowItem(2));
  await store({ ...request, version: 2, completed: request.completed + 5 }, rowItem(2));
  const found = await rows("SELECT policy_id, sources, severity FROM violations WHERE team = 'viewers'");
  assert.deepEqual(found, [{ policy_id: POLICY, sources: ['text', 'image'], severity: 'high' }]);
  assert.equal((await rows("SELECT id FROM results WHERE team = 'viewers'")).length, 2);
});

test('results say how long each check took, none where a clock was set back', async () => {
  const request = rowRequest({ team: 'timed' });
  const at = (ms: number): RowRequest => ({
    ...rowRequest({ team: 'timed' }),
    received: request.received,
    completed: request.received + ms,
  });
  for (const ms of [0, 42, 3_600_000, 60 * 86_400_000, -5]) await store(at(ms), rowItem(1));
  const found = await rows("SELECT duration_ms FROM results WHERE team = 'timed' ORDER BY duration_ms");
  assert.deepEqual(
    found.map(({ duration_ms: ms }) => ms),
    [0, 0, 42, 3_600_000, 4_294_967_295],
  );
});

test('tags are read by their path, in results and violations, and are null where an item has none', async () => {
  const tags: RowItem['tags'] = [
    ['tenant', 'a'],
    ['user.tier', 'pro'],
  ];
  const request = rowRequest({ team: 'tagged' });
  await store(request, rowItem(1, { tags, verdict: violating, flagged: true }), rowItem(2));
  await storeImages(rowRequest({ team: 'tagged' }), rowItem(3, { type: 'artifact', tags, image: rowImage() }));
  const of = (table: string) =>
    rows(
      `SELECT tags['tenant'] AS tenant, tags['user.tier'] AS tier FROM ${table} WHERE team = 'tagged' ORDER BY bitAnd(toUInt128(id), 63)`,
    );
  const pro = { tenant: 'a', tier: 'pro' };
  assert.deepEqual(await of('results'), [pro, { tenant: null, tier: null }, pro]);
  assert.deepEqual(await of('violations'), [pro]);
  const [row] = await rows(
    "SELECT count(tags['tenant']) AS n FROM results WHERE team = 'tagged' AND tags['tenant'] = 'a'",
  );
  assert.equal(Number(row!.n), 2);
  const [documented] = blocksOf(readPage('docs/history.md')).filter(({ language }) => language === 'sql');
  const found = await rows(documented!.code.replace("'acme'", "'tagged'"));
  assert.deepEqual(pluck(found, 'tenant'), ['a']);
});

test('the violations view says which tool, version of the configuration and conditions they are of', async () => {
  const conditions = [{ id: 'c-free', name: 'Free tier' }];
  const policies = JSON.stringify({
    [POLICY]: { flagged: true, name: 'No card data', enabled_by_conditions: conditions },
  });
  const request = rowRequest({ team: 'conditional', config: 12 });
  const verdict = { ...violating, policies };
  await store(request, rowItem(1, { type: 'tool', name: 'search', verdict, flagged: true }));
  await store(
    rowRequest({ team: 'conditional', config: 11, kind: 'session' }),
    rowItem(1, { verdict: violating, flagged: true }),
  );
  const found = await rows(
    "SELECT name, config, conditions FROM violations WHERE team = 'conditional' ORDER BY config",
  );
  assert.deepEqual(found, [
    { name: null, config: 11, conditions: [] },
    { name: 'search', config: 12, conditions },
  ]);
});

test('what policies in the shadow say is stored apart, beside what was answered, of the newest version only', async () => {
  const shadow = (hits: number): Verdict['shadow'] => ({
    evaluated: [QUIET, LOUD],
    violations: [
      { ...violating.violations[0]!, id: LOUD, name: 'Louder', severity: 'low' as const },
      { ...violating.violations[0]!, id: QUIET, name: 'Quieter', sources: [], evidence: [] },
    ].slice(0, hits),
    notEvaluated: 1,
  });
  const request = rowRequest({ team: 'shady' });
  const clean = rowItem(1).verdict;
  const items = [
    rowItem(1, { verdict: { ...violating, shadow: shadow(2) }, flagged: true }),
    rowItem(2, { verdict: { ...clean, shadow: shadow(0) } }),
    rowItem(3),
  ];
  await storeShadow('3', request, ...items);
  await storeShadow('3', request, ...items);
  const image = rowItem(1, { type: 'artifact', image: rowImage(), verdict: { ...clean, shadow: shadow(1) } });
  const second = rowRequest({ team: 'shady', kind: 'artifact' });
  await storeShadow('4', second, image);
  await storeShadow('4', { ...second, version: 2 }, { ...image, flagged: null });
  const found = await rows(`SELECT id, policy_id, policy_name, severity, sources, detectors, live_flagged, live_policies
    FROM shadow_violations WHERE team = 'shady' ORDER BY ts, toString(id), policy_name`);
  const [first, third] = [itemId(request.id, 1), itemId(second.id, 1)];
  const louder = { policy_id: LOUD, policy_name: 'Louder', severity: 'low', sources: ['text', 'image'], detectors };
  const quieter = { policy_id: QUIET, policy_name: 'Quieter', severity: 'high', sources: [], detectors: [] };
  assert.deepEqual(found, [
    { id: first, ...louder, live_flagged: true, live_policies: [POLICY] },
    { id: first, ...quieter, live_flagged: true, live_policies: [POLICY] },
    { id: third, ...louder, live_flagged: null, live_policies: [] },
  ]);
  const checks = await rows(`SELECT id, evaluated, not_evaluated FROM shadow_checks FINAL WHERE team = 'shady'
    ORDER BY ts, toString(id)`);
  assert.deepEqual(
    pluck(checks, 'id'),
    [first, itemId(request.id, 2), third],
    'an item without such a policy has no row',
  );
  assert.deepEqual(checks[1], { id: itemId(request.id, 2), evaluated: [QUIET, LOUD], not_evaluated: 1 });
  const of = async (table: string) => (await rows(`SELECT id FROM ${table} FINAL WHERE team = 'shady'`)).length;
  assert.deepEqual([await of('items'), await of('contents'), await of('images'), await of('run_events')], [4, 4, 1, 3]);
  assert.equal((await rows("SELECT id FROM violations WHERE team = 'shady'")).length, 1);
});

test('an image comes back as it went in, and only artifacts have one', async () => {
  const linked = itemId(rowRequest().id, 1);
  const session = rowRequest({ team: 'imaged', kind: 'session', scope: 'chat' });
  const first = rowImage({ internalSessionId: linked, width: 2 ** 32 - 1, quality: 100 });
  const failed = rowImage({ kind: '', width: 0, height: 0, bytes: 0, hash: '', quality: 0, decodeMs: 0 });
  const artifact = { type: 'artifact', eventId: '', runId: '', externalSessionId: 'chat-1' };
  await storeImages(
    session,
    rowItem(1, { eventId: '', runId: '', externalSessionId: 'chat-1' }),
    rowItem(2, { ...artifact, externalArtifactId: 'pic', image: first, verdict: violating, flagged: true }),
    rowItem(3, { ...artifact, image: failed, status: 'failed', flagged: null, note: 'why' }),
  );
  const event = rowRequest({ team: 'imaged' });
  await storeImages(event, rowItem(1, { type: 'artifact', externalArtifactId: 'pic', image: rowImage() }));
  const text = rowRequest({ team: 'imaged' });
  await store(text, rowItem(1));
  const stored = await rows(
    "SELECT id, kind, width, height, bytes, hash, quality, fetch_ms, decode_ms, session_id FROM images WHERE team = 'imaged' ORDER BY ts, scope, toString(id)",
  );
  const expected = (id: string, image: RowImage): Record<string, unknown> => {
    const { internalSessionId, fetchMs, decodeMs, ...same } = image;
    return { id, ...same, fetch_ms: fetchMs, decode_ms: decodeMs, session_id: internalSessionId || null };
  };
  const unknown = { kind: null, width: null, height: null, bytes: null, hash: null, quality: null };
  const found = new Map(stored.map((row) => [row.id, row]));
  assert.deepEqual(
    found,
    new Map([
      [itemId(session.id, 2), expected(itemId(session.id, 2), first)],
      [itemId(session.id, 3), { ...expected(itemId(session.id, 3), failed), ...unknown }],
      [itemId(event.id, 1), expected(itemId(event.id, 1), rowImage())],
    ]),
  );
  const named = await rows(
    "SELECT kind, name, toString(id) AS id FROM names WHERE team = 'imaged' ORDER BY kind, name, id",
  );
  assert.deepEqual(named, [
    { kind: 'session', name: 'chat-1', id: itemId(session.id, 1) },
    { kind: 'artifact', name: 'pic', id: itemId(session.id, 2) },
    { kind: 'session_artifact', name: linked, id: itemId(session.id, 2) },
    { kind: 'session_artifact', name: 'chat-1', id: itemId(session.id, 2) },
    { kind: 'session_artifact', name: 'chat-1', id: itemId(session.id, 3) },
  ]);
  assert.equal((await rows("SELECT id FROM violations WHERE team = 'imaged'")).length, 1);
});

test('session checks are noted for their user, events are not', async () => {
  const session = rowRequest({ team: 'risky', kind: 'session' });
  const user = { userId: 'u1', userEmail: 'u1@example.org', verdict: violating, flagged: true };
  await store(session, rowItem(1, { type: 'session', externalSessionId: 'chat', ...user }));
  await store(session, rowItem(1, { type: 'session', externalSessionId: 'chat', ...user }));
  await store(rowRequest({ team: 'risky' }), rowItem(1, user));
  const found = await rows("SELECT kind, user, violations FROM user_checks FINAL WHERE team = 'risky' ORDER BY kind");
  assert.deepEqual(found, [
    { kind: 'id', user: 'u1', violations: [POLICY] },
    { kind: 'email', user: 'u1@example.org', violations: [POLICY] },
  ]);
});

test('an item is found by its id, for its own team, scope and kind only', async () => {
  const request = rowRequest();
  await store(request, rowItem(2, { metadata: '{"a":1}', note: 'noted' }));
  const id = itemId(request.id, 2);
  const key = { kind: 'event', team: 'acme', scope: 'prod', id } as const;
  const item = await queries.itemById(key);
  const { received: created, completed, sequence } = request;
  const expected = { eventId: 'event-2', metadata: '{"a":1}', requestId: request.id, created, completed, sequence };
  assert.deepEqual({ ...item, ...expected, flagged: false, error: null }, item);
  assert.deepEqual(await queries.itemById({ ...key, id: id.toUpperCase() }), item);
  for (const other of [
    { team: 'other' },
    { scope: 'other' },
    { kind: 'session' as const },
    { id: itemId(id, 3) },
    { id: 'x' },
    // The first and the last time that an id may have.
    { id: '00000000-0000-7000-8000-000000000001' },
    { id: 'ffffffff-ffff-7fff-bfff-ffffffff0001' },
  ]) {
    assert.equal(await queries.itemById({ ...key, ...other }), undefined);
  }
});

test('the latest event of a run is the one with the highest sequence, and of that the highest version', async () => {
  const now = Date.now();
  const run = "run'\\\0😀";
  const older = rowRequest({ sequence: (now - 5) * 4096 }, now);
  const newer = rowRequest({ sequence: now * 4096 }, now - 100);
  await store(
    newer,
    rowItem(1, { runId: run, eventId: 'same', note: 'newer' }),
    rowItem(2, { runId: run, eventId: 'b' }),
  );
  await store(older, rowItem(1, { runId: run, eventId: 'same', note: 'older' }));
  assert.equal((await queries.latestEvent('acme', 'prod', run, 'same'))?.note, 'newer');
  await store({ ...newer, version: 2 }, rowItem(1, { runId: run, eventId: 'same', note: 'replayed' }));
  assert.equal((await queries.latestEvent('acme', 'prod', run, 'same'))?.note, 'replayed');
  const found = await queries.latestEvents('acme', 'prod', [
    { run_id: run, event_id: 'b' },
    { run_id: run, event_id: 'absent' },
    { run_id: run, event_id: 'same' },
  ]);
  const notes = found.map((item) => item?.note);
  assert.deepEqual(notes, ['', undefined, 'replayed']);
  assert.equal(await queries.latestEvent('other', 'prod', run, 'same'), undefined);
  assert.deepEqual(await queries.latestEvents('acme', 'prod', []), []);
});

test('one item and many of a request are found, with their metadata, whatever team and scope are called', async () => {
  const owner = { team: "team',\\(\n😀", scope: "scope'),(\t" };
  const request = rowRequest(owner);
  const numbers = Array.from({ length: 9 }, (_, i) => i + 1);
  const metadata = (item: number) => `{"a":["\\"\\\\ä/\\n",${item}]}`;
  await store(request, ...numbers.map((item) => rowItem(item, { metadata: metadata(item) })));
  const key = { ...owner, kind: 'events', id: request.id } as const;
  for (const count of [1, 4, 5, 9]) {
    const found = await queries.requestItems(key, [...numbers.slice(0, count), 10]);
    assert.deepEqual(
      pluck(found, 'eventId').sort(),
      numbers.slice(0, count).map((item) => `event-${item}`),
    );
  }
  const ids = numbers.map((item) => itemId(request.id, item));
  const found = await Promise.all(ids.map((id) => queries.itemById({ ...owner, kind: 'event', id })));
  assert.deepEqual(
    found.map((item) => item?.metadata),
    numbers.map(metadata),
  );
  assert.deepEqual(await queries.requestItems({ ...key, team: 'acme' }, numbers), []);
});

test('what belongs to an item is read from a server that names the columns of tuples', async () => {
  const clickhouse_settings = { enable_named_columns_in_function_tuple: 1 } as const;
  const named = createHistoryQueries({
    query: (question) =>
      client.query({ ...question, clickhouse_settings: { ...question.clickhouse_settings, ...clickhouse_settings } }),
  });
  const request = rowRequest();
  await store(request, rowItem(1, { metadata: '{"a":1}' }));
  const artifact = rowRequest({ kind: 'artifact', scope: 'chat' });
  await storeImages(artifact, rowItem(1, { type: 'artifact', runId: '', image: rowImage() }));
  const event = { team: 'acme', scope: 'prod', kind: 'event', id: itemId(request.id, 1) } as const;
  const image = { team: 'acme', scope: 'chat', kind: 'artifact', id: itemId(artifact.id, 1) } as const;
  for (const asked of [queries, named]) {
    assert.equal((await asked.itemById(event))?.metadata, '{"a":1}');
    assert.equal((await asked.itemById(image))?.type, 'artifact');
  }
});

test('the latest check of one name is found, however often the name was used', async () => {
  const now = Date.now();
  const [run, session] = ['often', 'often in a session'];
  const used = Array.from({ length: 200 }, (_, n) => n);
  // The latest is neither the first nor the last that is stored, and two of a batch have one sequence.
  const at = (n: number) => ({ sequence: (now - ((n + 100) % 200)) * 4096 });
  const events = used.map((n) =>
    unpackRows(
      '3',
      encodeRows(
        rowRequest(at(n), now - n),
        [1, 2].map((item) => rowItem(item, { runId: run, eventId: 'e' })),
      ),
    ),
  );
  const checks = used.map((n) => {
    const request = rowRequest({ kind: 'session', scope: 'chat', ...at(n) }, now - n);
    return unpackRows(
      '3',
      encodeRows(request, [rowItem(1, { type: 'session', externalSessionId: session, runId: '' })]),
    );
  });
  for (const [count, latest, before] of [
    [1, now - 100, undefined],
    [60, now - 100, now - 101],
    [200, now, now - 1],
  ] as const) {
    await insertRows(client, ...[...events.slice(0, count), ...checks.slice(0, count)].map(({ bytes }) => bytes));
    const event = await queries.latestEvent('acme', 'prod', run, 'e');
    assert.equal(event?.sequence, latest * 4096);
    assert.equal(event.id.endsWith('0002'), true);
    assert.equal((await queries.latestSession('acme', 'chat', session))?.sequence, latest * 4096);
    const [earlier] = await queries.latestEvents('acme', 'prod', [{ run_id: run, event_id: 'e' }], latest * 4096);
    assert.equal(earlier?.sequence, before && before * 4096);
  }
});

test('the latest session of an external id is found in its deployment only', async () => {
  const request = rowRequest({
    kind: 'session',
    scope: 'chat',
    error: { status: 500, code: 'internal_error', message: 'm' },
  });
  await store(
    request,
    rowItem(1, { type: 'session', externalSessionId: 'ext-1', runId: '', flagged: null, status: 'failed' }),
  );
  const item = await queries.latestSession('acme', 'chat', 'ext-1');
  assert.equal(item?.id, itemId(request.id, 1));
  assert.deepEqual(item?.error, request.error);
  assert.equal(await queries.latestSession('acme', 'prod', 'ext-1'), undefined);
  assert.equal(await queries.latestEvent('acme', 'chat', 'ext-1', ''), undefined);
});

test('a look-up by id reads one granule', async () => {
  const request = rowRequest({ team: 'wide' });
  const items = Array.from({ length: 25 }, (_, n) => rowItem(n + 1));
  const packed = (n: number) =>
    unpackRows('1', encodeRows(rowRequest({ team: 'wide' }, request.received - n), items)).bytes;
  for (let i = 0; i < 3; i++) await insertRows(client, ...Array.from({ length: 200 }, (_, n) => packed(n)));
  await store(request, rowItem(1));
  const plan = await rows<{
    explain: string;
  }>(`EXPLAIN indexes = 1 SELECT note FROM items WHERE team = 'wide' AND scope = 'prod'
    AND (ts, id) IN (SELECT fromUnixTimestamp64Milli(${request.received}, 'UTC'), toUUID('${itemId(request.id, 1)}'))`);
  const granules = plan.map((row) => /Granules: (\d+)\/(\d+)/.exec(row.explain)).filter((match) => match !== null);
  assert.ok(granules.length > 0, plan.map((row) => row.explain).join('\n'));
  const read = Math.min(...granules.map((match) => Number(match[1])));
  assert.ok(read <= 6, plan.map((row) => row.explain).join('\n'));
});

test('a page of a run and a look-up of its events read little of it, however long the run is', async () => {
  const start = Date.now() * 4096;
  // Every other one is inserted twice, and nothing is merged: each event counts once all the same.
  await client.command({ query: 'SYSTEM STOP MERGES run_events' });
  const id = (n: string) => `toUUID(concat('01900000-0000-7000-8000-', leftPad(lower(hex(${n})), 12, '0')))`;
  for (const step of [1, 2]) {
    await client.command({
      query: `INSERT INTO run_events (team, scope, run_id, event_id, sequence, ts, id)
        SELECT 'acme', 'prod', 'long', concat('e-', toString(number * ${step})), ${start} + intDiv(number * ${step}, 50), now64(3), ${id(`number * ${step}`)}
        FROM numbers(${200_000 / step})`,
    });
  }
  let read = 0;
  const counting = {
    async query(parameters: Parameters<HistoryClient['query']>[0]) {
      const result = await client.query({ ...parameters, format: 'JSON' });
      const { data, statistics } = await result.json<Record<string, unknown>>();
      read += statistics!.rows_read;
      return { json: async () => data };
    },
  } as unknown as HistoryClient;
  const queries = createHistoryQueries(counting, { timeoutMs: 20_000 });
  const run = { team: 'acme', environment: 'prod', run: 'long' };
  for (const from of [0, 25, 99_990, 199_400]) {
    read = 0;
    const place = (n: number) => ({
      sequence: start + Math.floor(n / 50),
      id: `01900000-0000-7000-8000-${n.toString(16).padStart(12, '0')}`,
    });
    const after = from === 0 ? undefined : place(from - 1);
    const { places } = await queries.runEvents({ ...run, after, most: 500 });
    assert.deepEqual(
      places,
      Array.from({ length: 500 }, (_, i) => place(from + i)),
    );
    assert.ok(read < 20_000, `${read} rows were read for 500 of 200,000`);
  }
  for (const n of [7, 123_456, 199_999]) {
    read = 0;
    const cause = { run_id: 'long', event_id: `e-${n}`, internal_event_id: '' };
    const [found] = [...(await queries.causes('acme', 'prod', [cause])).values()];
    assert.equal(found?.sequence, start + Math.floor(n / 50));
    assert.ok(read < 100_000, `${read} rows were read for one of 300,000`);
  }
  await client.command({ query: 'SYSTEM START MERGES run_events' });
});

test('as many causes as a batch can declare are found, with ids as long and as costly as they may be', async () => {
  for (const letter of ['事', "'", 'x']) {
    const idOf = (n: number) => letter.repeat(252) + String(n).padStart(4, '0');
    const request = rowRequest({ sequence: 7 });
    await store(
      request,
      rowItem(1, { runId: letter, eventId: idOf(1) }),
      rowItem(2, { runId: letter, eventId: idOf(2499) }),
    );
    const cause = (run: string, event: string, id: string) => ({ run_id: run, event_id: event, internal_event_id: id });
    const causes = Array.from({ length: 2500 }, (_, n) => cause(letter, idOf(n), ''));
    const found = await queries.causes('acme', 'prod', [...causes, cause('', '', itemId(request.id, 2))]);
    const named = (n: number) => causeKey(letter, idOf(n), '');
    const ids = [...found].map(([key, { id }]) => [key, id]).toSorted();
    assert.deepEqual(
      ids,
      [
        [named(1), itemId(request.id, 1)],
        [named(2499), itemId(request.id, 2)],
        [causeKey('', '', itemId(request.id, 2)), itemId(request.id, 2)],
      ].toSorted(),
    );
  }
});

test('questions of runs that fail do not keep single items from being asked for', async () => {
  const queries = createHistoryQueries(client, {
    failures: 2,
    openMs: 60_000,
    timeoutMs: 20_000,
    runs: { timeoutMs: 0 },
  });
  const page = { team: 'acme', environment: 'prod', run: 'run-1', after: undefined, most: 10 };
  for (let i = 0; i < 3; i++) await assert.rejects(queries.runEvents(page), HistoryUnavailable);
  await assert.rejects(queries.runEvents(page), /is not asked for a moment/);
  const cause = { run_id: 'run-1', event_id: 'event-1', internal_event_id: '' };
  await assert.rejects(queries.causes('acme', 'prod', [cause]), HistoryUnavailable);
  const request = rowRequest();
  await store(request, rowItem(1));
  const key = { kind: 'event', team: 'acme', scope: 'prod', id: itemId(request.id, 1) } as const;
  assert.equal((await queries.itemById(key))?.id, itemId(request.id, 1));
});

test('lists have five seconds, and as long as a look-up where that may take longer', async () => {
  for (const [timeoutMs, seconds] of [
    [50, [1, 5]],
    [20_000, [20, 20]],
  ] as const) {
    const asked: unknown[] = [];
    const queries = createHistoryQueries(
      {
        query(question) {
          asked.push(question.clickhouse_settings?.max_execution_time);
          return Promise.resolve({ json: () => Promise.resolve([]) });
        },
      },
      { timeoutMs },
    );
    await queries.itemById({ kind: 'event', team: 'acme', scope: 'prod', id: itemId(rowRequest().id, 1) });
    await queries.openAppeals({ team: 'acme', policy: '', limit: 1 });
    assert.deepEqual(asked, seconds);
  }
});

test('when ClickHouse cannot be asked, look-ups say so at once and recover', async () => {
  const absent = createHistoryClient({ url: 'http://127.0.0.1:1', database: 'weir' });
  const queries = createHistoryQueries(absent, { failures: 2, openMs: 60_000 });
  const key = { kind: 'event', team: 'acme', scope: 'prod', id: itemId(rowRequest().id, 1) } as const;
  for (let i = 0; i < 3; i++) await assert.rejects(queries.itemById(key), HistoryUnavailable);
  await assert.rejects(queries.itemById(key), /is not asked for a moment/);
  await absent.close();
});

test('the questions of the documents are answered as they should be, whatever was stored again', async () => {
  const answers = answersOf(await storePeople(client, ['people', 'others'], Date.now()));
  await storeConfigurations(client, 'people');
  const found: typeof answers = {};
  for (const { question, sql } of questionsOf()) {
    assert.match(sql, /team = 'acme'/, question);
    const answer = await rows(sql.replaceAll("'acme'", "'people'"));
    // Of a row the columns that are expected. Large numbers are strings in JSON.
    found[question] = answer.map((row, n) =>
      Object.fromEntries(
        Object.entries(answers[question]?.[n] ?? row).map(([name, expected]) => [
          name,
          typeof expected === 'number' ? Number(row[name]) : row[name],
        ]),
      ),
    );
  }
  assert.deepEqual(found, answers);
});

test('the panel of Grafana in the documents is answered, with what its macros stand for', async () => {
  const now = Date.now();
  await store(rowRequest({ team: 'panel' }, now), rowItem(1, { verdict: violating, flagged: true }), rowItem(2));
  await store(rowRequest({ team: 'panel' }, now - 7_200_000), rowItem(1, { verdict: violating, flagged: true }));
  const [panel] = blocksOf(readPage('docs/history/tools.md')).filter(({ language }) => language === 'sql');
  const [from, to] = [Math.floor(now / 1000) - 3600, Math.floor(now / 1000) + 1];
  // As its data source writes them.
  const sql = panel!.code
    .replace('$__timeInterval(ts)', 'toStartOfInterval(toDateTime(ts), INTERVAL 20 second)')
    .replace('$__timeFilter(ts)', `ts >= toDateTime(${from}) AND ts <= toDateTime(${to})`)
    .replace("'acme'", "'panel'");
  assert.doesNotMatch(sql, /\$/);
  const found = await rows<{ time: string; policy_name: string; items: string }>(sql);
  assert.deepEqual(
    found.map((row) => [row.policy_name, Number(row.items)]),
    [[violating.violations[0]!.name, 1]],
  );
});

test('every table and column says what it is, and the dictionary is made of that', async () => {
  const tables = await rows<{ name: string; engine: string; comment: string }>(
    "SELECT name, engine, comment FROM system.tables WHERE database = 'weir'",
  );
  const columns = await rows<DictionaryColumn>(
    "SELECT table, name, type, comment FROM system.columns WHERE database = 'weir' ORDER BY table, position",
  );
  const people = tables.filter(({ comment }) => !comment.startsWith(INTERNAL)).map(({ name }) => name);
  assert.deepEqual(people.sort(), Object.keys(PEOPLE_READ).sort(), 'comments tell what is for people');
  const passed = tables.filter(({ engine }) => ['Null', 'MaterializedView'].includes(engine)).map(({ name }) => name);
  const silent = columns.filter(({ table, comment }) => comment === '' && !passed.includes(table));
  assert.deepEqual([...tables.filter(({ comment }) => comment === ''), ...silent], []);
  for (const [table, { columns: words = {} }] of Object.entries(DICTIONARY)) {
    const there = columns.filter((column) => column.table === table).map(({ name }) => name);
    const gone = Object.keys(words).filter((name) => !there.includes(name));
    assert.deepEqual(gone, [], table);
  }
  for (const [path, sections] of Object.entries(renderDictionary(columns))) {
    const { text } = readPage(path);
    const page = `${text.slice(0, text.indexOf('\n## weir.') + 1)}${sections}`;
    if (process.env.DOCS === 'write') writeFileSync(join(packageRoot, path), page);
    else assert.equal(text, page, 'DOCS=write node test/run.mjs test/shared/history writes the pages');
  }
});

test('the rows of the benchmark are where look-ups seek them', async () => {
  const filled = await fill(client, 1000, () => {});
  for (const n of [11, 10, 999]) {
    const { id, team, scope, session, run, name, user } = rowOf(filled, n);
    assert.equal((await queries.itemById({ team, scope, id, kind: session ? 'session' : 'event' }))?.id, id);
    if (session) assert.equal((await queries.latestSession(team, scope, name))?.id, id);
    else assert.equal((await queries.latestEvent(team, scope, run, name))?.id, id);
    if (!session) continue;
    const question = { user: { team, kind: 'id' as const, user }, since: 0, except: [], known: false };
    assert.ok(await queries.userViolations(question, () => true));
  }
});
