import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { after, before, beforeEach, test } from 'node:test';
import { ClickHouseError } from '@clickhouse/client';
import { Redis } from 'ioredis';
import { decodeRecord } from '#weir/shared/api/results/record';
import { repeat } from '#weir/shared/async';
import { createHistoryClient, type HistoryClient } from '#weir/shared/history/client';
import { createLogger } from '#weir/shared/log';
import { heartbeat, LOOK_MS, SILENCE_MS } from '#weir/shared/streams/fleet';
import { keys } from '#weir/shared/streams/keys';
import { dropRefused, listRefused, replayRefused } from '#weir/shared/streams/refused';
import { Registry } from '#weir/shared/telemetry';
import { createArchiveScripts, nextId } from '#weir/workers/archiver/archive-scripts';
import { type ArchiverOptions, createArchiver } from '#weir/workers/archiver/archiver';
import { createBlockReader, type LogPiece } from '#weir/workers/archiver/block';
import { createMetrics } from '#weir/workers/archiver/meters';
import { msOf } from '#weir/workers/archiver/read-log';
import type { LogReader } from '#weir/workers/log/reader';
import { MOST_HALVED } from '#weir/workers/rows/narrow';
import { rowFormatOf } from '#weir/workers/rows/pack-rows';
import type { RowItem } from '#weir/workers/rows/row-types';
import { createShare } from '#weir/workers/share';
import { record } from '../../ingress/support.ts';
import { startTestHistory, type TestClickHouse } from '../../support/stores/clickhouse.ts';
import { encodeRecord, encodeRows } from '../../support/stores/encoded.ts';
import { rowImage, rowItem, rowRequest } from '../../support/stores/history.ts';
import { startTestRedis, type TestRedis } from '../../support/stores/redis.ts';
import { until } from '../../support/wait.ts';

let server: TestClickHouse;
let redisServer: TestRedis;
let redis: Redis;
let clickhouse: HistoryClient;
let team = '';
let base = Math.floor(Date.now() / 1000) * 1000;
const running: LogReader[] = [];

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
  const partitions = changes.partitions ?? (() => 1);
  const created = createArchiver({
    redis,
    clickhouse,
    eraser: { step: async () => 60_000, stop: async () => undefined },
    partitions,
    share: { own: async () => Array.from({ length: partitions() }, (_, p) => p) },
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
  return { registry, stop: () => created.stop(), lastProgress: () => created.lastProgress() };
}

interface Put {
  logId?: string;
  items?: RowItem[];
  rows?: Buffer;
  index?: string[];
  partition?: number;
  format?: string;
}

/** Appends to the log as a commit does. Returns the request's id. */
async function put(given: Put = {}) {
  const { logId = '*', items = [rowItem(1), rowItem(2)], rows, index = [], partition = 0, format } = given;
  const request = rowRequest({ team });
  const packed = rows ?? encodeRows(request, items);
  const fields = [
    'id',
    request.id,
    'format',
    format ?? rowFormatOf(items),
    'rows',
    packed,
    'index',
    JSON.stringify(index),
  ];
  await redis.xadd(keys.results(partition), logId, ...fields);
  await redis.set(keys.result(partition, request.id), encodeRecord(record({ id: request.id })));
  return request.id;
}

const drained = (partition = 0) => until('log drained', async () => (await redis.xlen(keys.results(partition))) === 0);

/** Rows as people read them. */
async function count(table: string): Promise<number> {
  const result = await clickhouse.query({
    query: `SELECT toUInt32(count()) AS n FROM ${table} FINAL WHERE team = {team:String}`,
    query_params: { team },
    format: 'JSONEachRow',
  });
  return (await result.json<{ n: number }>())[0]!.n;
}

/** A time of the log that is past. Each test uses another one. */
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
    query: clickhouse.query.bind(clickhouse),
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

test('an entry is not archived before it is as old as the delay says', async () => {
  await put();
  const [[logged]] = (await redis.xrange(keys.results(0), '-', '+')) as [[string, string[]]];
  archiver({}, { blockDelayMs: 1500 });
  await until('it is stored', async () => (await count('items')) > 0);
  const [seconds, micros] = await redis.time();
  const age = Number(seconds) * 1000 + Number(micros) / 1000 - msOf(logged);
  assert.ok(age > 1500, `stored when it was ${age} ms old`);
  await drained();
});

test('a block of large pages leaves the thread to others between them', async () => {
  for (let i = 0; i < 40; i++) await put({ items: [rowItem(1, { content: 'x'.repeat(20_000) })] });
  const pauses: number[] = [];
  let answered = 0;
  const reader = createBlockReader({
    redis: Object.assign(Object.create(redis), {
      xrangeBuffer: async (...args: unknown[]) => {
        if (answered > 0) pauses.push(performance.now() - answered);
        const found = await redis.callBuffer('XRANGE', ...(args as string[]));
        answered = performance.now();
        return found;
      },
    }) as Redis,
    scripts: createArchiveScripts(redis),
    limits: { blockRows: 1000, blockBytes: 1 << 26, blockDelayMs: 0 },
    erased: async () => undefined,
    oldest: () => undefined,
    newer: assert.fail,
    asked: (answer) => answer,
  });
  const block = await reader.next([0]);
  assert.equal(block.entries.length, 40);
  // Pages of eight, and an empty one. A timer of 2 ms ends after one at least.
  assert.equal(pauses.length, 5);
  for (const pause of pauses) assert.ok(pause >= 1, `${pause} ms`);
});

test('a block is sent in pieces that leave the thread to others between them', async () => {
  for (let i = 0; i < 40; i++) await put({ items: [rowItem(1, { content: `${i}`.repeat(20_000) })] });
  let turn = 0;
  const turns: number[] = [];
  let turning = setImmediate(function next() {
    turn++;
    turning = setImmediate(next);
  });
  const exec = async (parameters: { values: AsyncIterable<Buffer> }) => {
    async function* watched() {
      for await (const piece of parameters.values) {
        turns.push(turn);
        yield piece;
      }
    }
    return await clickhouse.exec({ ...parameters, values: Readable.from(watched()) } as never);
  };
  archiver({ clickhouse: { exec, query: clickhouse.query.bind(clickhouse) } as unknown as HistoryClient });
  await drained();
  clearImmediate(turning);
  assert.ok(turns.length >= 4, `${turns.length} pieces`);
  assert.equal(new Set(turns).size, turns.length);
  assert.equal(await count('items'), 40);
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

test('an entry of a newer release waits for its archiver with all behind it, and nothing is set aside', async () => {
  const known = await put({ logId: `${past()}-1` });
  await put({ logId: `${past()}-2`, format: '9' });
  await put({ logId: `${past()}-3` });
  await put({ logId: `${past()}-1`, partition: 1 });
  const lines: string[] = [];
  const logger = createLogger('archiver', 'silent');
  logger.warn = (about: unknown, text?: string) => void lines.push(`${JSON.stringify(about)} ${text}`);
  const { stop } = archiver({ partitions: () => 2, logger });
  await drained(1);
  await until('what comes before is archived', async () => (await redis.xlen(keys.results(0))) === 2);
  await until('it is said', () => lines.length > 0);
  assert.ok((await redis.pttl(keys.result(0, known))) > 0);
  await stop();
  assert.equal(await redis.xlen(keys.refused(0)), 0);
  const said = `{"partition":0,"entry":"${past()}-2"} an entry of the log has format 9, of a newer release: archiving and all that follows of this partition wait for a worker of that release`;
  assert.deepEqual(lines, [said], 'once, however often it is met');
});

test('an entry whose format is none is set aside, and says so', async () => {
  for (const format of ['0', 'x', '1.5']) await put({ format });
  archiver();
  await drained();
  const refused = (await redis.xrange(keys.refused(0), '-', '+')) as [string, string[]][];
  assert.equal(refused.length, 3);
  for (const [, fields] of refused) assert.match(fields.join(' '), /rows of format "(0|x|1\.5)" are unknown/);
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
    query: clickhouse.query.bind(clickhouse),
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
  assert.equal(await count('items'), 12);
});

test('two archivers of one partition at the same time leave every row once', async () => {
  for (let second = 0; second < 3; second++) {
    for (let i = 0; i < 20; i++) await put({ logId: `${past(second * 1000)}-${i + 1}` });
  }
  archiver({}, { blockRows: 20 });
  archiver({}, { blockRows: 15 });
  await drained();
  assert.equal(await count('items'), 120);
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
  assert.equal(await redis.pttl(keys.result(0, damaged)), -1, 'the only place that has it');
});

test('refused entries are limited in bytes and number: without room nothing changes, but a single one has room', async () => {
  const scripts = createArchiveScripts(redis, { backlog: () => 0, refused: () => 50 });
  const kept = async (): Promise<string[]> => (await redis.xrange(keys.refused(0), '-', '+')).map(([id]) => id);
  const refuse = (id: string, rows: string, from = '') =>
    scripts.refuseEntry(0, from, { id, request: '', fields: ['id', '', 'rows', rows] });
  assert.equal(await refuse('1-0', 'x'.repeat(70)), 'aside');
  assert.equal(await refuse('2-0', 'x'), 'full');
  assert.deepEqual(await kept(), ['1-0']);
  assert.equal(await redis.hget(keys.position(0), 'full'), '1');
  assert.equal(await dropRefused(redis, 0, '1-0'), true);
  assert.equal(await redis.xlen(keys.results(0)), 0, 'nothing else was kept of it');
  assert.equal(await refuse('1-0', 'again'), 'again');
  assert.deepEqual(await kept(), [], 'it was set aside before');
  assert.equal(await refuse('2-0', 'x'), 'aside');
  assert.equal(await refuse('3-0', 'x', '2-0'), 'moved', 'another archiver has this position');
  const fill = "for i = 3, 10001 do redis.call('XADD', KEYS[1], i .. '-0', 'id', '') end";
  await redis.eval(fill, 1, keys.refused(0));
  assert.equal(await refuse('10002-0', ''), 'full');
  assert.equal(await refuse('2-0', 'x'), 'again');
  await scripts.advance(0, { from: '', to: '2-0', requests: [], hotMs: 1, entries: 0, bytes: 0 });
  assert.deepEqual(await redis.hgetall(keys.position(0)), { last: '2-0' }, 'it does not wait any more');
});

test('an entry that is refused only when its block is repeated is set aside behind those that were before', async () => {
  const scripts = createArchiveScripts(redis);
  const refuse = (id: string) => scripts.refuseEntry(0, '', { id, request: '', fields: ['id', '', 'rows', id] });
  const said = [
    await refuse('7-3'),
    await refuse('5-0'),
    await refuse('7-3'),
    await refuse('5-0'),
    await refuse('7-4'),
  ];
  assert.deepEqual(said, ['aside', 'aside', 'again', 'again', 'aside']);
  const kept = (await redis.xrange(keys.refused(0), '-', '+')).map(([id, fields]) => [id, fields[3]]);
  assert.deepEqual(kept, [
    ['7-3', '7-3'],
    ['7-4', '5-0'],
    ['7-5', '7-4'],
  ]);
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
  assert.match(refused[0]![1][3]!, /^ClickHouse refuses its rows: [A-Z_]+$/);
});

test('the position moves forward only, and only from where it was read', async () => {
  const scripts = createArchiveScripts(redis);
  const move = (from: string, to: string) =>
    scripts.advance(0, { from, to, requests: [], hotMs: 1000, entries: 1, bytes: 10 });
  assert.equal((await scripts.look(0)).after, '');
  assert.equal(await move('', '5-1'), true);
  assert.equal(await move('', '6-0'), false);
  assert.equal(await move('5-0', '6-0'), false);
  await assert.rejects(move('5-1', '4-9'), /forward only/);
  await assert.rejects(move('5-1', '5-1'), /forward only/);
  assert.equal(await move('5-1', '5-10'), true);
  for (const id of ['5-10', '5-11', '7-0']) await redis.xadd(keys.results(0), id, 'a', '1');
  const { after, oldest } = await scripts.look(0);
  assert.deepEqual([after, oldest], ['5-10', '5-11']);
  assert.equal((await scripts.look(0, '5-11')).oldest, '7-0');
  assert.equal(await move('5-10', '5-11'), true);
  assert.equal(await redis.xlen(keys.results(0)), 1);
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
  const { registry, lastProgress } = archiver();
  await until('errors counted', async () => (await metric(registry, 'weir_archive_errors_total')) >= 2);
  assert.equal(await redis.xlen(keys.results(0)), 5);
  assert.ok(performance.now() - lastProgress() < 60_000);
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

test('partitions are archived in one block, and the headroom for an outage is known', async () => {
  for (let p = 0; p < 8; p++) await put({ partition: p, logId: `${past()}-1` });
  const { registry } = archiver({ partitions: () => 8 });
  for (let p = 0; p < 8; p++) await drained(p);
  assert.equal(await count('items'), 16);
  await until('counted', async () => (await metric(registry, 'weir_archived_blocks_total')) > 0);
  assert.equal(await metric(registry, 'weir_archived_blocks_total'), 1);
  assert.ok((await metric(registry, 'weir_outage_seconds_left')) > 0);
});

test('a backlog of one partition does not keep the others waiting', async () => {
  for (let i = 0; i < 40; i++) await put({ logId: `${past()}-${i + 1}` });
  for (let p = 1; p < 4; p++) await put({ partition: p, logId: `${past()}-1` });
  let lengths: number[] = [];
  const inserts = {
    exec: async (parameters: Parameters<HistoryClient['exec']>[0]) => {
      const answer = await clickhouse.exec(parameters);
      const left = await Promise.all([0, 1, 2, 3].map((p) => redis.xlen(keys.results(p))));
      if (left.slice(1).some((length) => length > 0)) lengths = left;
      return answer;
    },
    query: clickhouse.query.bind(clickhouse),
  } as unknown as HistoryClient;
  archiver({ partitions: () => 4, clickhouse: inserts }, { blockRows: 4 });
  for (let p = 0; p < 4; p++) await drained(p);
  assert.ok(lengths[0]! > 20, `the others were archived when ${lengths[0]} of 40 were left`);
  assert.equal(await count('items'), 86);
});

const FORBIDDEN = 'not to be taken';

/** Puts five requests into each of eight partitions; one row of partition 3 is `FORBIDDEN`. Returns the id of its request. */
async function putForbidden(index: string[] = []): Promise<string> {
  let forbidden = '';
  for (let p = 0; p < 8; p++) {
    for (let i = 0; i < 5; i++) {
      const bad = p === 3 && i === 2;
      const items = [rowItem(1, { content: bad ? FORBIDDEN : 'fine' }), rowItem(2)];
      const id = await put({ partition: p, logId: `${past()}-${i + 1}`, items, index: bad ? index : [] });
      if (bad) forbidden = id;
    }
  }
  return forbidden;
}

/** Refuses a row while `use` runs. */
async function constrained(use: () => Promise<void>): Promise<void> {
  await clickhouse.command({ query: `ALTER TABLE contents ADD CONSTRAINT taken CHECK content != '${FORBIDDEN}'` });
  await use().finally(() => clickhouse.command({ query: 'ALTER TABLE contents DROP CONSTRAINT taken' }));
}

test('a row that ClickHouse refuses is set aside and found meanwhile, holds up nothing, and is stored when it is replayed', async () => {
  const run = keys.run(team, 'prod', 'refused');
  const id = await putForbidden([run]);
  for (const key of [run, keys.unarchived(run)]) await redis.zadd(key, past() * 4096, id);
  const logged: string[] = [];
  const logger = createLogger('archiver', 'silent');
  logger.error = (said: unknown) => void logged.push(JSON.stringify(said));
  logger.warn = logger.error;
  await constrained(async () => {
    const { registry } = archiver({ partitions: () => 8, logger });
    for (let p = 0; p < 8; p++) await drained(p);
    assert.equal(await count('contents'), 78);
    const [refused, ...others] = await listRefused(redis, 3, { from: '-', to: '+', most: 10 });
    assert.deepEqual([refused?.request, refused?.id, others], [id, `${past()}-3`, []]);
    const reason = 'ClickHouse refuses its rows: VIOLATED_CONSTRAINT (constraint taken of weir.contents)';
    assert.equal(refused?.reason, reason);
    assert.equal(logged.length, 1);
    assert.doesNotMatch(logged[0]!, new RegExp(FORBIDDEN), 'content goes into no log');
    // Look-ups find it in Redis, and ask ClickHouse whether a later result has left.
    assert.equal(await redis.pttl(keys.result(3, id)), -1);
    assert.equal(decodeRecord((await redis.getBuffer(keys.result(3, id)))!).late, true);
    assert.deepEqual(await redis.zrange(keys.unarchived(run), '0', '-1'), [id]);
    assert.equal(await replayRefused(redis, 3, refused!.id), true);
    await until('it is refused again', async () => (await metric(registry, 'weir_archive_refused_total')) === 2);
    await drained(3);
  });
  const [refused] = await listRefused(redis, 3, { from: '-', to: '+', most: 10 });
  assert.equal(await replayRefused(redis, 3, refused!.id), true);
  assert.equal(await replayRefused(redis, 3, refused!.id), false);
  await drained(3);
  for (const table of ['items', 'contents', 'run_events']) assert.equal(await count(table), 80, table);
  assert.ok((await redis.pttl(keys.result(3, id))) > 0);
  assert.equal(await redis.exists(keys.unarchived(run)), 0);
  assert.equal(await redis.get(keys.refusedBytes(3)), '0');
});

test('a refused entry that is dropped leaves Redis as if it were archived, once an archiver has passed it', async () => {
  const run = keys.run(team, 'prod', 'dropped');
  const id = await put({ logId: `${past()}-1`, rows: Buffer.from('nonsense, not rows'), index: [run] });
  for (const key of [run, keys.unarchived(run)]) await redis.zadd(key, past() * 4096, id);
  const first = archiver();
  await drained();
  await first.stop();
  assert.equal(await dropRefused(redis, 0, `${past()}-1`), true);
  assert.equal(await replayRefused(redis, 0, `${past()}-1`), false);
  assert.equal(await redis.pttl(keys.result(0, id)), -1, 'nothing goes before that');
  const { registry } = archiver();
  await drained();
  const ttl = await redis.pttl(keys.result(0, id));
  assert.ok(ttl > 50_000 && ttl <= 60_000, `ttl ${ttl}`);
  assert.equal(await redis.exists(keys.unarchived(run)), 0);
  assert.deepEqual([await count('items'), await metric(registry, 'weir_archive_refused_total')], [0, 0]);
});

test('a partition without room for a refused row waits and says so, the others go on', async () => {
  // Read by nobody: it only takes the room.
  await redis.xadd(keys.refused(3), '1-0', 'id', '', 'rows', 'x');
  await redis.set(keys.refusedBytes(3), 1 << 30);
  await putForbidden();
  await constrained(async () => {
    const { registry } = archiver({ partitions: () => 8 });
    for (const p of [0, 1, 2, 4, 5, 6, 7]) await drained(p);
    await until('it says so', async () => (await redis.hget(keys.position(3), 'full')) === '1');
    assert.equal(await redis.xlen(keys.results(3)), 5);
    assert.equal(await redis.xlen(keys.refused(3)), 1);
    const { values } = await registry.getSingleMetric('weir_archive_errors_total')!.get();
    assert.ok(values.some(({ labels, value }) => labels.kind === 'full' && value > 0));
  });
});

/** A client of ClickHouse that gets the rows of an insert before they are sent. */
function watched(look: (rows: Buffer) => void | Promise<void>): HistoryClient {
  return {
    exec: async (parameters: { values: AsyncIterable<Buffer> }) => {
      const values: Buffer[] = [];
      for await (const value of parameters.values) values.push(value);
      const rows = Buffer.concat(values);
      await look(rows);
      return clickhouse.exec({ ...parameters, values: Readable.from([rows], { objectMode: false }) } as never);
    },
    query: clickhouse.query.bind(clickhouse),
  } as unknown as HistoryClient;
}

test('very many rows that ClickHouse refuses cost a bounded number of inserts, and hold up other partitions once', async () => {
  const bad = [rowItem(1, { content: FORBIDDEN })];
  const count3 = 400;
  for (let i = 0; i < count3; i++)
    await put({ partition: 3, logId: `${past()}-${i + 1}`, items: i === 9 ? [rowItem(1)] : bad });
  await put({ partition: 0, logId: `${past()}-1`, items: [rowItem(1)] });
  const refusal = { message: 'Constraint', code: '469', type: 'VIOLATED_CONSTRAINT' };
  let inserts = 0;
  let open = Promise.resolve();
  const refusing = watched(async (rows) => {
    inserts++;
    if (!rows.includes(FORBIDDEN)) return;
    await open;
    throw new ClickHouseError(refusal);
  });
  const { registry } = archiver({ partitions: () => 4, clickhouse: refusing });
  for (const p of [0, 3]) await drained(p);
  assert.ok(inserts <= 1 + 2 * MOST_HALVED, `${inserts} inserts`);
  const refused = await listRefused(redis, 3, { from: '-', to: '+', most: count3 });
  // What was sent together with others that are refused is among them.
  assert.deepEqual([(await count('items')) + refused.length, refused.length >= count3 - 1], [count3 + 1, true]);
  assert.match(refused[0]!.reason, /^ClickHouse refuses its rows, or those of one of \d that were sent together: VIO/);
  await until('counted', async () => (await metric(registry, 'weir_archive_refused_total')) === refused.length);
  // Refused rows of that partition that take for ever to be found.
  let release = (): void => {};
  open = new Promise((resolve) => {
    release = resolve;
  });
  await put({ partition: 3, logId: `${past(1)}-1`, items: bad });
  await put({ partition: 0, logId: `${past(1)}-1` });
  await drained(0);
  assert.equal(await redis.xlen(keys.results(3)), 1);
  release();
  await drained(3);
  await put({ partition: 3, logId: `${past(2)}-1` });
  await drained(3);
  assert.equal((await count('items')) + refused.length, count3 + 5);
});

test('a row that ClickHouse does not take for another reason holds up its own partition, and goes through when it is taken', async () => {
  await putForbidden();
  let broken = true;
  const full = watched((rows) => {
    if (!broken || !rows.includes(FORBIDDEN)) return;
    throw new ClickHouseError({ message: `Too many parts, ${FORBIDDEN}`, code: '252', type: 'TOO_MANY_PARTS' });
  });
  const { registry } = archiver({ partitions: () => 8, clickhouse: full });
  for (const p of [0, 1, 2, 4, 5, 6, 7]) await drained(p);
  assert.equal(await redis.xlen(keys.results(3)), 5);
  assert.equal(await redis.xlen(keys.refused(3)), 0);
  assert.ok((await metric(registry, 'weir_archive_errors_total')) > 0);
  await put({ partition: 4, logId: `${past(1)}-1` });
  await drained(4);
  assert.equal(await redis.xlen(keys.results(3)), 5);
  broken = false;
  await drained(3);
  for (const table of ['items', 'contents', 'run_events']) assert.equal(await count(table), 82, table);
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

test('archivers share the partitions as they come and go', async () => {
  const lasting = new Redis(redisServer.port, '127.0.0.1');
  const join = async (name: string) => {
    const sign = { kind: 'archiver', name } as const;
    await heartbeat(lasting, sign);
    const stop = repeat(500, async () => void (await heartbeat(lasting, sign)));
    const share = createShare('archiver', { redis: lasting, partitions: () => 5, name });
    return { share, leave: stop };
  };
  const one = await join('one');
  assert.deepEqual(await one.share.own(), [0, 1, 2, 3, 4]);
  const two = await join('two');
  try {
    assert.deepEqual(await two.share.own(), [1, 3]);
    await until('the first gives some away', async () => (await one.share.own()).length === 3);
    // The first is not heard of any more.
    one.leave();
    await until('the second has them all', async () => (await two.share.own()).length === 5);
    assert.ok(SILENCE_MS + LOOK_MS < 10_000, 'the times that this takes');
    assert.deepEqual(await one.share.own(), []);
  } finally {
    one.leave();
    two.leave();
    lasting.disconnect();
  }
});

test('an archiver that has lost a partition to another one no longer reports its lag', async () => {
  let [broken, own] = [true, [0]];
  const failing = {
    exec: (parameters: Parameters<HistoryClient['exec']>[0]) =>
      broken ? Promise.reject(new Error('cut off')) : clickhouse.exec(parameters),
    query: clickhouse.query.bind(clickhouse),
  } as unknown as HistoryClient;
  await put({ logId: `${past()}-1` });
  const { registry } = archiver({ clickhouse: failing, share: { own: async () => own } });
  await until('it lags', async () => (await metric(registry, 'weir_archive_lag_seconds')) > 0);
  own = [];
  const other = archiver();
  await drained();
  await until('the other has caught up', async () => (await metric(other.registry, 'weir_archive_lag_seconds')) === 0);
  broken = false;
  await until('it says nothing of it', async () => (await metric(registry, 'weir_archive_lag_seconds')) === 0);
  assert.equal(await count('items'), 2);
});

test('large entries that follow small ones are not read in one page', async () => {
  const content = 'x'.repeat(1 << 20);
  for (let i = 0; i < 300; i++) await put({ logId: `${past()}-${i + 1}` });
  for (let i = 0; i < 40; i++) await put({ logId: `${past()}-${i + 301}`, items: [rowItem(1, { content })] });
  let most = 0;
  const measured = new Proxy(redis, {
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
  archiver({ redis: measured });
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
  assert.equal(await count('items'), 8);
  assert.equal(await count('items'), 8);
});

test('the headroom without ClickHouse counts all partitions, and all pieces of a second', async () => {
  const { id } = rowRequest({ team });
  const piece = (partition: number, lastMs: number): LogPiece => ({
    partition,
    from: '',
    to: '',
    refused: [],
    requests: [id],
    index: new Map(),
    rows: 0,
    entries: 1,
    bytes: 100_000,
    firstMs: lastMs,
    lastMs,
  });
  async function left(pieces: readonly LogPiece[], maxMemoryPercent = 70): Promise<number> {
    const registry = new Registry();
    const metrics = createMetrics(registry, maxMemoryPercent);
    for (const one of pieces) metrics.archived(one);
    await metrics.measure(redis);
    return await metric(registry, 'weir_outage_seconds_left');
  }
  const at = (seconds: number): number => base + seconds * 1000;
  await redis.config('SET', 'maxmemory', 1 << 30);
  try {
    const whole = (partition: number) => [1, 2, 3].map((second) => piece(partition, at(second)));
    const one = await left(whole(0));
    const eight = await left(Array.from({ length: 8 }, (_, partition) => whole(partition)).flat());
    assert.ok(Math.abs(one / eight - 8) < 0.5, `${one} s at one partition, ${eight} s at eight`);
    const half = await left(whole(0), 35);
    assert.ok(Math.abs(one / half - 2) < 0.1, `${one} s until 70 % of memory, ${half} s until 35 %`);
    const thrice = await left(Array.from({ length: 270 }, (_, i) => piece(0, at(i / 3))));
    assert.ok(one / thrice > 2, `${one} s at one piece a second, ${thrice} s at three`);
  } finally {
    await redis.config('SET', 'maxmemory', 0);
  }
});
