import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { Redis } from 'ioredis';
import { createHistoryClient, type HistoryClient } from '#weir/shared/history/client';
import { createLogger } from '#weir/shared/log';
import { keys } from '#weir/shared/streams/keys';
import { Registry } from '#weir/shared/telemetry';
import { createArchiveScripts, nextId } from '#weir/workers/archiver/archive-scripts';
import { type Archiver, type ArchiverOptions, createArchiver } from '#weir/workers/archiver/archiver';
import { createMetrics } from '#weir/workers/archiver/metrics';
import type { Part } from '#weir/workers/archiver/read-log';
import { encodeRows, rowFormatOf } from '#weir/workers/rows/pack-rows';
import type { RowItem } from '#weir/workers/rows/row-types';
import { startTestHistory, type TestClickHouse } from '../../support/stores/clickhouse.ts';
import { rowImage, rowItem, rowRequest } from '../../support/stores/history.ts';
import { startTestRedis, type TestRedis } from '../../support/stores/redis.ts';
import { until } from '../../support/wait.ts';

let server: TestClickHouse;
let redisServer: TestRedis;
let redis: Redis;
let clickhouse: HistoryClient;
let team = '';
let base = Math.floor(Date.now() / 1000) * 1000;
const running: Archiver[] = [];

before(async () => {
  [server, redisServer] = await Promise.all([startTestHistory(), startTestRedis()]);
  clickhouse = createHistoryClient({ url: server.url, database: 'weir' });
  redis = new Redis(redisServer.port, '127.0.0.1');
});
beforeEach(async () => {
  await stopAll();
  await redis.flushall();
  team = `team-${process.hrtime.bigint()}`;
  base -= 100_000;
});
after(async () => {
  await stopAll();
  redis?.disconnect();
  await clickhouse?.close();
  await Promise.all([server?.close(), redisServer?.close()]);
});

async function stopAll(): Promise<void> {
  await Promise.all(running.splice(0).map((archiver) => archiver.stop()));
}

function archiver(changes: Partial<ArchiverOptions> = {}, settings: Partial<ArchiverOptions['settings']> = {}) {
  const registry = new Registry();
  const created = createArchiver({
    redis,
    clickhouse,
    partitions: () => 1,
    settings: {
      blockDelayMs: 0,
      blockRows: 50_000,
      blockBytes: 1 << 26,
      hotSeconds: 60,
      rewriteSeconds: 0,
      maxMemoryPercent: 70,
      metricsBacklogBytes: 1 << 26,
      ...settings,
    },
    logger: createLogger('archiver', 'silent'),
    registry,
    ...changes,
  });
  running.push(created);
  created.start();
  return { registry, stop: () => created.stop(), progress: () => created.progress() };
}

interface Put {
  logId?: string;
  items?: RowItem[];
  rows?: Buffer;
  index?: string[];
  partition?: number;
}

/** Appends to the log as a commit does. Returns the request's id. */
async function put({ logId = '*', items = [rowItem(1), rowItem(2)], rows, index = [], partition = 0 }: Put = {}) {
  const request = rowRequest({ team });
  const packed = rows ?? encodeRows(request, items);
  const fields = ['id', request.id, 'format', rowFormatOf(items), 'rows', packed, 'index', JSON.stringify(index)];
  await redis.xadd(keys.results(partition), logId, ...fields);
  await redis.set(keys.result(partition, request.id), 'record');
  return request.id;
}

const drained = (partition = 0) => until('log drained', async () => (await redis.xlen(keys.results(partition))) === 0);

async function count(table: string, final = false): Promise<number> {
  const result = await clickhouse.query({
    query: `SELECT toUInt32(count()) AS n FROM ${table}${final ? ' FINAL' : ''} WHERE team = {team:String}`,
    query_params: { team },
    format: 'JSONEachRow',
  });
  return (await result.json<{ n: number }>())[0]!.n;
}

/** A time of the log that is past. Each test uses another one, so that their blocks have different tokens. */
const past = (ms = 0): number => base + ms;

/** A client of ClickHouse that loses the answers of inserts when `lost` says so. */
function unreliable(lost: (attempt: number) => boolean): HistoryClient {
  let attempt = 0;
  return {
    exec: async (parameters: Parameters<HistoryClient['exec']>[0]) => {
      const answer = await clickhouse.exec(parameters);
      if (!lost(++attempt)) return answer;
      answer.stream.resume();
      throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
    },
  } as unknown as HistoryClient;
}

const metric = async (registry: Registry, name: string): Promise<number> => {
  const found = await registry.getSingleMetric(name)!.get();
  return found.values.reduce((sum, { value }) => sum + value, 0);
};

test('logged entries become rows and leave the log, and their results expire', async () => {
  const ids = [
    await put({ logId: `${past()}-1` }),
    await put({ logId: `${past()}-2` }),
    await put({ logId: `${past(500)}-0`, items: [] }),
  ];
  const { registry } = archiver();
  await drained();
  assert.equal(await count('items'), 4);
  assert.equal(await count('contents'), 4);
  assert.equal(await count('run_events'), 4);
  for (const id of ids) {
    const ttl = await redis.pttl(keys.result(0, id));
    assert.ok(ttl > 50_000 && ttl <= 60_000, `ttl ${ttl}`);
  }
  await until('counted', async () => (await metric(registry, 'weir_archived_rows_total')) === 4);
  assert.equal(await metric(registry, 'weir_archived_blocks_total'), 1);
});

test('a second is not read until the delay after its end is over', async () => {
  await put();
  const [[logged]] = (await redis.xrange(keys.results(0), '-', '+')) as [[string, string[]]];
  const second = Math.floor(Number(logged.split('-')[0]) / 1000);
  archiver({}, { blockDelayMs: 2500 });
  await until('it is stored', async () => (await count('items')) > 0);
  const [seconds, micros] = await redis.time();
  const stored = Number(seconds) * 1000 + Number(micros) / 1000;
  assert.ok(stored > (second + 1) * 1000 + 2500, `${stored - second * 1000} ms after its second began`);
  await drained();
  assert.equal(await count('items'), 2);
});

test('requests with and without images and policies in the shadow are stored once, even when answers are lost', async () => {
  const image = (item: number) => rowItem(item, { type: 'artifact', image: rowImage() });
  await put({ logId: `${past()}-1` });
  await put({ logId: `${past()}-2`, items: [rowItem(1), image(2), image(3)] });
  await put({ logId: `${past()}-3` });
  const verdict = { ...rowItem(1).verdict, shadow: { evaluated: [], violations: [], notEvaluated: 1 } };
  await put({ logId: `${past()}-4`, items: [rowItem(1, { verdict }), rowItem(2)] });
  await put({ logId: `${past()}-5`, items: [rowItem(1, { verdict }), image(2)] });
  archiver({ clickhouse: unreliable((attempt) => [2, 5, 9].includes(attempt)) });
  await drained();
  assert.deepEqual([await count('items'), await count('contents')], [11, 11]);
  assert.deepEqual([await count('images'), await count('shadow_checks')], [3, 2]);
});

test('an insert whose answer is lost is repeated and counts once', async () => {
  for (let i = 0; i < 5; i++) await put({ logId: `${past(i * 1000)}-0` });
  archiver({ clickhouse: unreliable((attempt) => attempt % 2 === 1) });
  await drained();
  for (const table of ['items', 'contents', 'run_events']) assert.equal(await count(table), 10, table);
});

test('an archiver that ends between insert and position leaves it to the next one, and rows count once', async () => {
  for (let i = 0; i < 4; i++) await put({ logId: `${past()}-${i + 1}` });
  const first = archiver({ clickhouse: unreliable(() => true) }, { blockRows: 4 });
  await until('first part inserted', async () => (await count('items')) === 4);
  await first.stop();
  assert.equal(await redis.xlen(keys.results(0)), 4);
  archiver({}, { blockRows: 4 });
  await drained();
  for (const table of ['items', 'contents', 'run_events']) assert.equal(await count(table), 8, table);
});

test('an archiver that stops while its block is inserted releases the block', async () => {
  await put({ logId: `${past()}-1` });
  let stopped: Promise<void> | undefined;
  const stopping = {
    exec: async (parameters: Parameters<HistoryClient['exec']>[0]) => {
      const answer = await clickhouse.exec(parameters);
      stopped = first.stop();
      return answer;
    },
  } as unknown as HistoryClient;
  const first = archiver({ clickhouse: stopping });
  await until('inserted', async () => stopped !== undefined);
  await stopped;
  assert.equal(await redis.xlen(keys.results(0)), 0);
  assert.equal(await count('items'), 2);
});

test('another limit of rows after a restart loses nothing', async () => {
  for (let i = 0; i < 6; i++) await put({ logId: `${past()}-${i + 1}` });
  const first = archiver({ clickhouse: unreliable(() => true) }, { blockRows: 4 });
  await until('first part inserted', async () => (await count('items')) === 4);
  await first.stop();
  archiver();
  await drained();
  assert.equal(await count('items', true), 12);
});

test('two archivers of one partition store every row once', async () => {
  const unlocked = new Proxy(redis, {
    get: (target, name) => {
      if (name === 'archive/hold-lease') return async () => 1;
      const value = Reflect.get(target, name) as unknown;
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  for (let second = 0; second < 3; second++) {
    for (let i = 0; i < 20; i++) await put({ logId: `${past(second * 1000)}-${i + 1}` });
  }
  archiver({ redis: unlocked }, { blockRows: 20 });
  archiver({ redis: unlocked }, { blockRows: 20 });
  await drained();
  assert.equal(await count('items', true), 120);
});

test('blocks are cut at rows and at bytes, and an entry larger than a block is a block of its own', async () => {
  const sizes = [10, 10, 200_000, 10, 10];
  for (const [i, size] of sizes.entries()) {
    await put({ logId: `${past()}-${i + 1}`, items: [rowItem(1, { content: 'x'.repeat(size) })] });
  }
  const byBytes = archiver({}, { blockBytes: 100_000 });
  await drained();
  await byBytes.stop();
  assert.equal(await metric(byBytes.registry, 'weir_archived_blocks_total'), 3);
  for (let i = 0; i < 5; i++) await put({ logId: `${past(5000)}-${i + 1}` });
  const byRows = archiver({}, { blockRows: 5 });
  await drained();
  await byRows.stop();
  assert.equal(await metric(byRows.registry, 'weir_archived_blocks_total'), 3);
  assert.equal(await count('items'), 15);
});

test('entries whose rows are damaged are set aside once, with the reason, and the others are stored', async () => {
  await put({ logId: `${past()}-1` });
  const damaged = await put({ logId: `${past()}-2`, rows: Buffer.from('nonsense, not rows') });
  await redis.xadd(keys.results(0), `${past()}-3`, 'other', 'fields');
  await put({ logId: `${past()}-4` });
  const { registry } = archiver({ clickhouse: unreliable((attempt) => attempt === 1) });
  await drained();
  assert.equal(await count('items'), 4);
  const refused = await redis.xrange(keys.refused(0), '-', '+');
  assert.equal(refused.length, 2);
  assert.equal(refused[0]![1][1], damaged);
  assert.match(refused[0]![1][3]!, /checksum/);
  await until('counted', async () => (await metric(registry, 'weir_archive_refused_total')) === 2);
});

test('refused entries are limited in bytes and number: the oldest make room', async () => {
  const scripts = createArchiveScripts(redis);
  const kept = async (): Promise<string[]> => (await redis.xrange(keys.refused(0), '-', '+')).map(([id]) => id);
  const refuse = (id: string, rows: string | Buffer) => scripts.refuseEntry(0, id, ['id', 'x', 'rows', rows]);
  for (let i = 1; i <= 4; i++) await refuse(`${i}-0`, Buffer.alloc(20 << 20, 'x'));
  await refuse('4-0', 'again');
  assert.deepEqual(await kept(), ['2-0', '3-0', '4-0']);
  assert.equal(Number(await redis.get(keys.refusedBytes(0))), 3 * ((20 << 20) + 1));
  await refuse('5-0', Buffer.alloc(70 << 20, 'x'));
  assert.deepEqual(await kept(), ['5-0']);
  await redis.del(keys.refused(0), keys.refusedBytes(0));
  const fill = "for i = 1, 10001 do redis.call('XADD', KEYS[1], i .. '-0', 'id', '') end";
  await redis.eval(fill, 1, keys.refused(0));
  await refuse('10002-0', '');
  const [first, ...others] = await kept();
  assert.deepEqual([first, others.length], ['3-0', 9999]);
});

test('rows that only ClickHouse finds unreadable are narrowed down and set aside', async () => {
  const { crc32 } = await import('node:zlib');
  const bad = Buffer.from(encodeRows(rowRequest({ team }), [rowItem(1)]));
  bad.fill(0xff, 40, bad.length);
  bad.writeUInt32LE(crc32(bad.subarray(4)), 0);
  for (let i = 1; i <= 7; i++) await put({ logId: `${past()}-${i}`, ...(i === 3 ? { rows: bad } : {}) });
  archiver();
  await drained();
  assert.equal(await count('items'), 12);
  const refused = await redis.xrange(keys.refused(0), '-', '+');
  const kept = refused.map(([id]) => id);
  assert.deepEqual(kept, [`${past()}-3`]);
  assert.match(refused[0]![1][3]!, /ClickHouse cannot read/);
});

test('sealing keeps later entries out of a second when the clock is set back', async () => {
  const scripts = createArchiveScripts(redis);
  const now = Date.now();
  await redis.xadd(keys.results(0), `${now - 5000}-0`, 'a', '1');
  assert.deepEqual((await scripts.sealSpan(0, now + 60_000, { delayMs: 0 })).closed, false);
  // A second that ends after Redis's clock: as if the clock had been set back after it was closed.
  await redis.eval("redis.call('XSETID', KEYS[1], ARGV[1])", 1, keys.results(0), `${now + 60_000}-0`);
  const id = await redis.xadd(keys.results(0), '*', 'a', '2');
  assert.equal(id, `${now + 60_000}-1`);
  assert.equal((await scripts.sealSpan(0, now - 4000, { delayMs: 0 })).closed, true);
  await redis.del(keys.results(0));
  assert.equal((await scripts.sealSpan(0, now - 4000, { delayMs: 0 })).closed, true);
  assert.equal(await redis.exists(keys.results(0)), 0);
  await redis.xadd(keys.results(0), `${now - 5000}-0`, 'a', '1');
  await scripts.sealSpan(0, now - 4000, { delayMs: 0 });
  await assert.rejects(redis.xadd(keys.results(0), `${now - 4500}-0`, 'a', '2'), /equal or smaller/);
});

test('the position moves forward only, and only from where it was read', async () => {
  const scripts = createArchiveScripts(redis);
  const at = (second: number, part: number) => ({ span: 1000, second, part, last: `${second}000-${part}` });
  const move = (from: ReturnType<typeof at> | undefined, to: ReturnType<typeof at>) =>
    scripts.advance(0, { from, to, requests: [], hotMs: 1000, entries: 1, bytes: 10 });
  assert.equal(await scripts.position(0), undefined);
  assert.equal(await move(undefined, at(5, 1)), true);
  assert.equal(await move(undefined, at(6, 0)), false);
  assert.equal(await move(at(5, 0), at(6, 0)), false);
  await assert.rejects(move(at(5, 1), at(4, 9)), /forward only/);
  await assert.rejects(move(at(5, 1), at(5, 1)), /forward only/);
  assert.equal(await move(at(5, 1), at(6, 0)), true);
  assert.deepEqual(await scripts.position(0), at(6, 0));
  assert.equal(nextId('5-18446744073709551615'), '6-0');
});

test('an index key expires only when everything that it names is archived', async () => {
  const done = keys.run(team, 'prod', 'done');
  const open = keys.run(team, 'prod', 'open');
  const ms = past();
  const id = await put({ logId: `${ms}-1`, index: [done, open] });
  const score = (at: number): string => String(at * 4096);
  for (const key of [done, open]) {
    await redis.zadd(key, score(ms - 120_000), 'old', score(ms), id);
    await redis.zadd(keys.unarchived(key), score(ms), id);
  }
  // Another partition is far behind: its entry is older than everything that this one has archived.
  await redis.zadd(open, score(ms - 90_000), 'behind');
  await redis.zadd(keys.unarchived(open), score(ms - 90_000), 'behind');
  await redis.expire(open, 604_800);
  archiver();
  await drained();
  assert.deepEqual(await redis.zrange(done, '0', '-1'), [id]);
  const ttl = await redis.pttl(done);
  assert.ok(ttl > 50_000 && ttl <= 60_000, `ttl ${ttl}`);
  assert.equal(await redis.exists(keys.unarchived(done)), 0);
  assert.deepEqual(await redis.zrange(open, '0', '-1'), ['behind', id]);
  assert.ok((await redis.pttl(open)) > 86_400_000);
});

test('while ClickHouse is down the log waits, and drains when it is back', async () => {
  await server.kill('SIGKILL');
  for (let i = 0; i < 5; i++) await put({ logId: `${past(i * 1000)}-0` });
  const { registry, progress } = archiver();
  await until('errors counted', async () => (await metric(registry, 'weir_archive_errors_total')) >= 2);
  assert.equal(await redis.xlen(keys.results(0)), 5);
  assert.ok(performance.now() - progress().lastAdvance < 60_000);
  assert.ok((await metric(registry, 'weir_archive_lag_seconds')) > 9);
  server = await server.restart();
  await drained();
  assert.equal(await count('items'), 10);
});

test('after a restart of Redis archiving continues from the same position', async () => {
  const own = await startTestRedis({ appendfsync: 'always' });
  const connection = new Redis(own.port, '127.0.0.1', { retryStrategy: () => 50 });
  connection.on('error', () => {});
  const shared = redis;
  redis = connection;
  try {
    await put({ logId: `${past()}-1` });
    const { stop } = archiver({ redis: connection });
    await drained();
    await own.kill('SIGKILL');
    const again = await own.restart();
    await put({ logId: '*' });
    await drained();
    await stop();
    assert.equal(await count('items'), 4);
    await again.close();
  } finally {
    redis = shared;
    connection.disconnect();
  }
});

test('a full Redis can still be drained', async () => {
  for (let i = 0; i < 20; i++) await put({ logId: `${past()}-${i + 1}` });
  await redis.config('SET', 'maxmemory', '1mb');
  try {
    await assert.rejects(redis.set('x', 'y'), /OOM/);
    archiver();
    await drained();
  } finally {
    await redis.config('SET', 'maxmemory', '512mb');
  }
  assert.equal(await count('items'), 40);
});

test('partitions are archived side by side, and the headroom for an outage is known', async () => {
  for (let p = 0; p < 8; p++) await put({ partition: p, logId: `${past()}-1` });
  const { registry } = archiver({ partitions: () => 8 });
  for (let p = 0; p < 8; p++) await drained(p);
  assert.equal(await count('items'), 16);
  assert.ok((await metric(registry, 'weir_outage_seconds_left')) > 0);
});

test('a partition that is added while the archiver runs is archived too', async () => {
  let partitions = 1;
  await put({ logId: `${past()}-1` });
  archiver({ partitions: () => partitions });
  await drained();
  await put({ partition: 1, logId: `${past()}-2` });
  partitions = 2;
  await drained(1);
  assert.equal(await count('items'), 4);
});

test('an archiver that has lost a partition to another one no longer reports its lag', async () => {
  let broken = true;
  const failing = {
    exec: (parameters: Parameters<HistoryClient['exec']>[0]) =>
      broken ? Promise.reject(new Error('cut off')) : clickhouse.exec(parameters),
  } as unknown as HistoryClient;
  await put({ logId: `${past()}-1` });
  const { registry } = archiver({ clickhouse: failing });
  await until('it lags', async () => (await metric(registry, 'weir_archive_lag_seconds')) > 0);
  await redis.del(keys.lease(0));
  const other = archiver();
  await drained();
  // A part is released before the next reading says that nothing is left.
  await until('the other has caught up', async () => (await metric(other.registry, 'weir_archive_lag_seconds')) === 0);
  broken = false;
  await until('it says nothing of it', async () => (await metric(registry, 'weir_archive_lag_seconds')) === 0);
});

test('large entries that follow small ones are not read in one page', async () => {
  const content = 'x'.repeat(1 << 20);
  for (let i = 0; i < 300; i++) await put({ logId: `${past()}-${i + 1}` });
  for (let i = 0; i < 40; i++) await put({ logId: `${past()}-${i + 301}`, items: [rowItem(1, { content })] });
  let most = 0;
  const watched = new Proxy(redis, {
    get: (target, name) => {
      if (name === 'xrangeBuffer') {
        return async (...parameters: Parameters<Redis['xrangeBuffer']>) => {
          const page = await target.xrangeBuffer(...parameters);
          const bytes = page.flatMap(([, fields]) => fields).reduce((sum, field) => sum + field.length, 0);
          most = Math.max(most, bytes);
          return page;
        };
      }
      const value = Reflect.get(target, name) as unknown;
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  archiver({ redis: watched });
  await drained();
  assert.equal(await count('items'), 640);
  assert.ok(most < 16 << 20, `${most} bytes at once`);
});

test('entries that were logged while the clock of Redis was ahead are archived at once', async () => {
  const ahead = (Math.floor(Date.now() / 1000) + 86_400) * 1000;
  await put({ logId: `${ahead}-1` });
  await put();
  archiver();
  await drained();
  // What comes now is logged under that time, too.
  await put();
  await put();
  await drained();
  assert.equal(await count('items', true), 8);
  assert.equal(await count('items'), 8);
});

test('the headroom without ClickHouse counts all partitions, and all parts of a second', async () => {
  const { id } = rowRequest({ team });
  const part = (partition: number, second: number, archivedMs: number): Part => ({
    from: undefined,
    to: { span: 1000, second: second + 1, part: 0, last: '' },
    token: `${partition}:${second}:0:1:1-1`,
    entries: [],
    refused: [],
    requests: [id],
    index: new Map(),
    rows: 0,
    logEntries: 1,
    logBytes: 100_000,
    bytes: 100_000,
    archivedMs,
    firstMs: second * 1000,
    lastMs: second * 1000,
  });
  async function left(parts: readonly Part[], maxMemoryPercent = 70): Promise<number> {
    const registry = new Registry();
    const metrics = createMetrics(registry, maxMemoryPercent);
    for (const one of parts) metrics.archived(one, 0);
    await metrics.measureHeadroom(redis);
    return await metric(registry, 'weir_outage_seconds_left');
  }
  const second = base / 1000;
  const at = (later: number): number => (second + later) * 1000;
  await redis.config('SET', 'maxmemory', 1 << 30);
  try {
    const whole = (partition: number) => [1, 2, 3].map((later) => part(partition, second + later, at(later + 1)));
    const cut = [1, 2, 3].flatMap((later) => [
      part(0, second + later, at(later) + 400),
      part(0, second + later, at(later) + 800),
      part(0, second + later, at(later + 1)),
    ]);
    const one = await left(whole(0));
    const eight = await left(Array.from({ length: 8 }, (_, partition) => whole(partition)).flat());
    assert.ok(Math.abs(one / eight - 8) < 0.5, `${one} s at one partition, ${eight} s at eight`);
    const half = await left(whole(0), 35);
    assert.ok(Math.abs(one / half - 2) < 0.1, `${one} s until 70 % of memory, ${half} s until 35 %`);
    const thrice = await left(Array.from({ length: 30 }, () => cut).flatMap((parts, i) => shifted(parts, 3 * i)));
    assert.ok(one / thrice > 2, `${one} s at one part a second, ${thrice} s at three`);
  } finally {
    await redis.config('SET', 'maxmemory', 0);
  }
});

const shifted = (parts: readonly Part[], seconds: number): Part[] =>
  parts.map((part) => ({ ...part, archivedMs: part.archivedMs + seconds * 1000 }));
