/** The role that computes metrics, with a real Redis and a real ClickHouse, and as a process that is killed. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { after, before, test } from 'node:test';
import { Redis } from 'ioredis';
import { statusLines } from '#weir/deploy/cli/commands/operation/status';
import { freePort } from '#weir/deploy/local/ports';
import { loadConfiguration } from '#weir/shared/configuration/configuration';
import { createHistoryClient, type HistoryClient } from '#weir/shared/history/client';
import { readStatus } from '#weir/shared/operation/state';
import { programPath } from '#weir/shared/paths';
import { activate, storeVersion } from '#weir/shared/streams/configuration';
import { keys } from '#weir/shared/streams/keys';
import { createArchiveScripts, nextId } from '#weir/workers/archiver/archive-scripts';
import { msOf } from '#weir/workers/archiver/read-log';
import { movePlace, placeOf } from '#weir/workers/log/places';
import { rowFormatOf } from '#weir/workers/rows/pack-rows';
import { startTestHistory, type TestClickHouse } from '../../support/stores/clickhouse.ts';
import { encodeRows } from '../../support/stores/encoded.ts';
import { rowItem, rowRequest } from '../../support/stores/history.ts';
import { startTestRedis, type TestRedis } from '../../support/stores/redis.ts';
import { until } from '../../support/wait.ts';

const METRIC = 'cccccccc-0000-4000-8000-000000000001';
const PARTITIONS = 3;
const BATCH = 20;
const DELAY_MS = 400;

let server: TestClickHouse;
let redisServer: TestRedis;
let redis: Redis;
let clickhouse: HistoryClient;
let config = 0;
let metricsPort = 0;
const workers = new Set<ChildProcess>();

before(async () => {
  [server, redisServer] = await Promise.all([startTestHistory(), startTestRedis()]);
  clickhouse = createHistoryClient({ url: server.url, database: 'weir' });
  redis = new Redis(redisServer.port, '127.0.0.1');
  await redis.set(keys.partitions(), `${PARTITIONS} even`);
  metricsPort = await freePort();
});
after(async () => {
  for (const worker of workers) worker.kill('SIGKILL');
  redis?.disconnect();
  await clickhouse?.close();
  await Promise.all([server?.close(), redisServer?.close()]);
});

async function apply(metrics: string[]): Promise<void> {
  const loaded = loadConfiguration(`version: 1
teams: [{id: acme}]
metrics: [{id: ${METRIC}, team: acme, name: Length, kind: characters}]
environments: [{id: prod, team: acme, conditions: [{id: c, name: C, when: "true", metrics: [${metrics.join()}]}]}]`);
  assert.ok(loaded.ok, JSON.stringify(loaded));
  config = await storeVersion(redis as never, JSON.stringify(loaded.configuration));
  await activate(redis as never, config);
}

/** Appends to the log as a commit does. */
async function put(partition: number, count = 1, logId = '*', length?: number): Promise<void> {
  for (let n = 0; n < count; n++) {
    const items = Array.from({ length: BATCH }, (_, i) => rowItem(i + 1, { content: 'x'.repeat(length ?? i) }));
    const request = rowRequest({ config });
    const rows = encodeRows(request, items);
    const fields = ['id', request.id, 'format', rowFormatOf(items), 'rows', rows, 'index', '[]'];
    await redis.xadd(keys.results(partition), logId, ...fields);
  }
}

function startWorker(): ChildProcess {
  const worker = spawn(process.execPath, [programPath('worker')], {
    env: {
      ...process.env,
      WEIR_ROLES: 'metrics',
      WEIR_REDIS_URL: `redis://127.0.0.1:${redisServer.port}`,
      WEIR_CLICKHOUSE_URL: server.url,
      WEIR_METRICS_PORT: String(metricsPort),
      WEIR_LOG_LEVEL: 'silent',
      WEIR_BLOCK_DELAY_MS: String(DELAY_MS),
    },
    stdio: 'ignore',
  });
  workers.add(worker);
  return worker;
}

async function kill(worker: ChildProcess, signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
  worker.kill(signal);
  await once(worker, 'exit');
  workers.delete(worker);
}

async function sql(query: string): Promise<Record<string, unknown>[]> {
  return (await clickhouse.query({ query, format: 'JSONEachRow' })).json();
}

const stored = async (): Promise<number> => Number((await sql('SELECT count() AS n FROM metrics FINAL'))[0]!.n);

/** Archives everything that is in the log of a partition, as an archiver moves its position. */
async function archive(p: number, backlog?: number): Promise<void> {
  const scripts = createArchiveScripts(
    redis,
    backlog === undefined ? undefined : { backlog: () => backlog, refused: () => 0 },
  );
  const { after: from } = await scripts.look(p);
  const found = (await redis.xrangeBuffer(keys.results(p), from === '' ? '-' : `(${from}`, '+')) as [
    Buffer,
    Buffer[],
  ][];
  if (found.length === 0) return;
  const bytes = found
    .flatMap(([, fields]) => fields.filter((_, i) => i % 2 === 1))
    .reduce((n, each) => n + each.length, 0);
  const to = found.at(-1)![0].toString();
  assert.equal(await scripts.advance(p, { from, to, requests: [], hotMs: 1, entries: found.length, bytes }), true);
}

const logged = (p: number): Promise<number> => redis.xlen(keys.results(p));
const THRESHOLDS = { maxMemoryPercent: 70, maxAgeMs: 1000, redisReplicas: 0 };

test('where no metric is in use, the log is not read for any, and goes as it is archived', async () => {
  await apply([]);
  const worker = startWorker();
  await until('it lives', async () => (await redis.zcard(keys.configMembers('metrics'))) === 1);
  await put(0, 2);
  await archive(0);
  assert.equal(await logged(0), 0);
  assert.deepEqual(await redis.keys('metrics:*'), []);
  await kill(worker, 'SIGTERM');
  assert.equal(await redis.zcard(keys.configMembers('metrics')), 0, 'it has left');
  assert.doesNotMatch(statusLines(await readStatus(redis as never, THRESHOLDS)).join('\n'), /^metrics/m);
});

test('every item of every partition has its row once, with a worker that is killed at any moment', async () => {
  await apply([METRIC]);
  let requests = 0;
  let worker = startWorker();
  for (let round = 0; round < 3; round++) {
    await until('the log is read for metrics', async () => (await redis.keys('metrics:*')).length === PARTITIONS);
    for (let p = 0; p < PARTITIONS; p++) {
      await put(p, 10);
      requests += 10;
    }
    // Somewhere between a read, an insert and a move.
    const before = await stored();
    if (round > 0) await until('some are stored', async () => (await stored()) > before);
    for (let p = 0; p < PARTITIONS; p++) await archive(p);
    await kill(worker);
    worker = startWorker();
  }
  await until('all are stored', async () => (await stored()) === requests * BATCH);
  await until('all are moved', async () => (await Promise.all([0, 1, 2].map(logged))).every((n) => n === 0));
  const [row] = await sql('SELECT uniqExact(id) AS ids, sum(value) AS sum, any(kind) AS kind FROM metrics FINAL');
  const sum = (requests * BATCH * (BATCH - 1)) / 2;
  assert.deepEqual([Number(row!.ids), row!.sum, row!.kind], [requests * BATCH, sum, 'characters']);
  const status = await readStatus(redis as never, THRESHOLDS);
  assert.match(statusLines(status).join('\n'), /^metrics {8}1 in use, workers: \d$/m);
  assert.deepEqual(
    status.partitions.map(({ unmeasured, metricsDropped, unarchived }) => [unmeasured, metricsDropped, unarchived]),
    Array.from({ length: PARTITIONS }, () => [0, 0, 0]),
  );
  // A constraint refuses the metrics of three requests.
  await clickhouse.command({ query: 'ALTER TABLE metrics ADD CONSTRAINT taken CHECK value != 777' });
  for (const length of [777, undefined, 777, 777, undefined]) await put(1, 1, '*', length);
  const [[youngest]] = (await redis.xrevrange(keys.results(1), '+', '-', 'COUNT', 1)) as unknown as [[string]];
  await archive(1);
  await until('the others are stored', async () => (await stored()) === (requests + 2) * BATCH);
  const [seconds, micros] = await redis.time();
  const age = Number(seconds) * 1000 + Number(micros) / 1000 - msOf(youngest);
  assert.ok(age > DELAY_MS, `stored when it was ${age} ms old, which Redis may still lose`);
  await until('all are moved', async () => (await logged(1)) === 0);
  const said = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  assert.equal(/^weir_metric_requests_refused_total\S* (\d+)/m.exec(said)?.[1], '3');
  await clickhouse.command({ query: 'ALTER TABLE metrics DROP CONSTRAINT taken' });
  await kill(worker);
});

test('repeated rows count once by the hour, and those without a value apart', async () => {
  const [before] = await sql('SELECT sum(items) AS n, sum(value_sum) AS sum FROM metrics_hourly');
  const columns = 'ts, team, scope, id, metric_id, metric_name, kind, value, note, version';
  const id = '01900000-0000-7000-8000-000000000001';
  const ts = new Date(Date.now() - 5 * 86_400_000).toISOString().slice(0, 19).replace('T', ' ');
  const values = (value: string, note: string, version: number) =>
    `('${ts}', 'acme', 'prod', '${id}', '${METRIC}', 'Length', 'characters', ${value}, ${note}, ${version})`;
  for (const row of [
    values('5', 'NULL', 1),
    values('5', 'NULL', 1),
    values('NULL', "'why'", 2),
    values('NULL', "'why'", 2),
  ]) {
    await clickhouse.command({ query: `INSERT INTO metrics (${columns}) VALUES ${row}` });
  }
  const [after] = await sql('SELECT sum(items) AS n, sum(value_sum) AS sum FROM metrics_hourly');
  assert.deepEqual(after, before);
  const hour = 'SELECT items, without_value, value_avg FROM metrics_hourly WHERE hour < now() - INTERVAL 1 DAY';
  assert.deepEqual(
    (await sql(hour)).map((row) => Object.values(row).map((value) => value && Number(value))),
    [[0, 1, null]],
  );
  const [all] = await sql('SELECT quantilesTDigestMerge(0.5, 0.9, 0.99)(quantiles) AS q FROM metrics_hourly');
  assert.ok(Math.abs((all!.q as number[])[0]! - (BATCH - 1) / 2) < 0.5, String(all!.q));
});

test('what a worker that is away leaves unread stays up to the bound, and is then dropped and counted', async () => {
  const p = 0;
  await put(p, 5);
  await archive(p);
  assert.equal(await logged(p), 5, 'it waits to be read');
  let status = await readStatus(redis as never, THRESHOLDS);
  assert.deepEqual([status.partitions[p]!.unmeasured, status.partitions[p]!.unarchived], [5, 0]);
  assert.equal(status.partitions[p]!.archiveLag, 0);
  const place = await placeOf(redis, 'metrics', p);
  await put(p, 2);
  await archive(p, 10);
  assert.equal(await logged(p), 0);
  status = await readStatus(redis as never, THRESHOLDS);
  assert.deepEqual([status.partitions[p]!.unmeasured, status.partitions[p]!.metricsDropped], [0, 7]);
  assert.match(statusLines(status).join('\n'), /requests dropped unread: 7$/m);
  const late = { partition: p, from: place.next, to: nextId(place.next), bytes: 1, entries: 1 };
  assert.equal(await movePlace(redis, 'metrics', late), false, 'a worker that had read them before is late');
  await put(p);
  await archive(p);
  assert.equal(await logged(p), 1, 'and what comes then waits again');
});

test('nothing waits to be read for longer than an hour, and quiet hours before it do not count', async () => {
  const p = 2;
  const hoursAgo = (hours: number): string => `${Date.now() - hours * 3_600_000}-0`;
  await redis.del(keys.results(p), keys.position(p), keys.place('metrics', p));
  await placeOf(redis, 'metrics', p);
  await put(p, 1, hoursAgo(3));
  await archive(p);
  assert.equal(await logged(p), 1);
  await put(p, 1, hoursAgo(1));
  await archive(p);
  assert.equal(await logged(p), 0);
  await put(p);
  await archive(p);
  assert.equal(await logged(p), 1);
});

test('what is read before it is archived stays for the archiver', async () => {
  const p = 1;
  await put(p, 3);
  const { next: from } = await placeOf(redis, 'metrics', p);
  const found = (await redis.xrangeBuffer(keys.results(p), '-', '+')) as [Buffer, Buffer[]][];
  const to = nextId(found[1]![0].toString());
  const bytes = 1000;
  assert.equal(await movePlace(redis, 'metrics', { partition: p, from, to, bytes, entries: 2 }), true);
  assert.equal(await movePlace(redis, 'metrics', { partition: p, from, to, bytes, entries: 2 }), false);
  assert.equal(await logged(p), 3);
  await archive(p);
  assert.equal(await logged(p), 1);
});
