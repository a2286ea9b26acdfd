/** What the log does not take along: letters, refused entries, deliveries, streams, earlier texts; and what comes back. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, beforeEach, test } from 'node:test';
import { Redis } from 'ioredis';
import { appendPiece } from '#weir/ingress/streams/state';
import type { StreamPiece } from '#weir/shared/api/validate/issues';
import { runMarks, sessionMarks, userMarks } from '#weir/shared/erasure-marks';
import { receiptOf } from '#weir/shared/erasure-receipt';
import { createHistoryClient, type HistoryClient } from '#weir/shared/history/client';
import { type ExportRun, storeExport } from '#weir/shared/history/exports';
import { itemId, partsOf, sequenceOf } from '#weir/shared/ids';
import { createLogger } from '#weir/shared/log';
import { listDeadLetters } from '#weir/shared/streams/dead-letters';
import {
  addErasure,
  type Erasure,
  type ErasureOrder,
  openErasures,
  readErasure,
  storeErasures,
} from '#weir/shared/streams/erasures';
import { addDeliveries } from '#weir/shared/streams/hooks';
import { keys } from '#weir/shared/streams/keys';
import { readRefused, replayRefused } from '#weir/shared/streams/refused';
import { script } from '#weir/shared/streams/script';
import { Registry } from '#weir/shared/telemetry';
import { createArchiver } from '#weir/workers/archiver/archiver';
import { createEraser, type Eraser } from '#weir/workers/erasures/eraser';
import { TABLES_OF_ITEMS } from '#weir/workers/erasures/history';
import { buryEntry, commitResults } from '#weir/workers/evaluator/commit/commit';
import { rowFormatOf } from '#weir/workers/rows/pack-rows';
import { readRows } from '#weir/workers/rows/read-rows';
import type { RowItem } from '#weir/workers/rows/row-types';
import { startTestHistory, type TestClickHouse } from '../../support/stores/clickhouse.ts';
import { encodeRows } from '../../support/stores/encoded.ts';
import { rowImage, rowItem, rowRequest } from '../../support/stores/history.ts';
import { startTestRedis, type TestRedis } from '../../support/stores/redis.ts';
import { until } from '../../support/wait.ts';

let server: TestClickHouse;
let redisServer: TestRedis;
let redis: Redis;
let clickhouse: HistoryClient;
let team = '';
/** One process erases at a time. */
let common: Eraser;

before(async () => {
  [server, redisServer] = await Promise.all([startTestHistory(), startTestRedis()]);
  clickhouse = createHistoryClient({ url: server.url, database: 'weir' });
  redis = new Redis(redisServer.port, '127.0.0.1');
  common = eraser();
});
beforeEach(async () => {
  await redis.flushall();
  team = `team-${process.hrtime.bigint()}`;
});
after(async () => {
  redis?.disconnect();
  await clickhouse?.close();
  await Promise.all([server?.close(), redisServer?.close()]);
});

const logger = createLogger('eraser', 'silent');
const eraser = (registry = new Registry()): Eraser =>
  createEraser({ redis, clickhouse, database: 'weir', partitions: () => 1, logger, registry });

const order = (change: Partial<ErasureOrder>): ErasureOrder => ({
  team,
  subject: 'user',
  scope: '',
  internal: '',
  actor: { kind: 'key', id: 'key', address: '10.0.0.7', request: 'r-1' },
  marks: () => [],
  ...change,
});
const ofUser = (user: string): ErasureOrder => order({ marks: (salt) => userMarks({ salt, team }, 'id', user) });

/** An archiver that runs until `work` has ended. */
async function archiving(work: () => Promise<void>, own: Eraser = { step: async () => 60_000, stop: async () => {} }) {
  const archiver = createArchiver({
    redis,
    clickhouse,
    eraser: own,
    partitions: () => 1,
    share: { own: async () => [0] },
    settings: {
      blockDelayMs: 0,
      blockRows: 50_000,
      blockBytes: 1 << 26,
      hotSeconds: 60,
      rewriteSeconds: 0,
      maxMemoryPercent: 70,
      metricsBacklogBytes: 1 << 26,
    },
    logger,
    registry: new Registry(),
  });
  archiver.start();
  await work().finally(() => archiver.stop());
}

interface Logged {
  id: string;
  fields: (string | Buffer)[];
}

function entryOf(items: RowItem[], change: Parameters<typeof rowRequest>[0] = {}): Logged {
  const request = rowRequest({ team, ...change });
  const fields = ['id', request.id, 'format', rowFormatOf(items), 'rows', encodeRows(request, items), 'index', '[]'];
  return { id: request.id, fields };
}

async function archived(...entries: Logged[]): Promise<void> {
  for (const { fields } of entries) await redis.xadd(keys.results(0), '*', ...fields);
  await archiving(() => until('the log is archived', async () => (await redis.xlen(keys.results(0))) === 0));
}

async function finished(asked: ErasureOrder, by = common): Promise<Erasure> {
  return erased((await addErasure(redis, asked))!.id, by);
}

/** Steps until an erasure is as `wanted`. */
async function stepped(id: string, wanted: (now: Erasure) => boolean, by = common): Promise<Erasure> {
  let now: Erasure | undefined;
  await until('the erasure is so far', async () => {
    await by.step();
    now = await readErasure(redis, id);
    return wanted(now!);
  });
  return now!;
}

const erased = (id: string, by = common): Promise<Erasure> => stepped(id, (now) => now.erased > 0, by);

/** Until what is in the log is archived, where erasures wait for that. */
const logArchived = (): Promise<void> =>
  archiving(() => until('the log is archived', async () => (await redis.xlen(keys.results(0))) === 0));
const waitsForLog = (now: Erasure): boolean => /not archived/.test(now.waits);

/** Without the eight minutes for which ClickHouse keeps replaced parts. */
async function complete(): Promise<void> {
  const open = await openErasures(redis, 10);
  await storeErasures(
    redis,
    open.map((one) => ({ ...one, state: 'complete', complete: Date.now() })),
  );
}

async function items(): Promise<string[]> {
  const answer = await clickhouse.query({
    query: 'SELECT DISTINCT id FROM items WHERE team = {team:String} ORDER BY id',
    query_params: { team },
    format: 'JSONEachRow',
  });
  return (await answer.json<{ id: string }>()).map(({ id }) => id);
}

async function letter(body: unknown, header: Record<string, unknown> = {}): Promise<string> {
  const { id } = entryOf([]);
  const whole = { id, kind: 'events', team, scope: 'prod', config: 1, key: 'k', received: 1, deadline: 1, reply: '' };
  const fields = ['header', JSON.stringify({ ...whole, ...header }), 'body', JSON.stringify(body)];
  const entry = `${Date.now()}-0`;
  await redis.incrby(keys.deadBytes(0), fields[1]!.length + fields[3]!.length);
  return (await redis.xadd(keys.dead(0), '*', ...fields, 'reason', 'r', 'attempts', '3', 'entry', entry))!;
}

test('dead letters that name what is erased go, and their bytes with them', async () => {
  const event = (metadata: unknown, run = 'r') => ({
    events: [{ type: 'reasoning', run_id: run, content: 'c', metadata }],
  });
  const gone = [
    await letter(event({ user: { id: 'u' } })),
    await letter({ messages: [{ role: 'user', content: 'c', metadata: { user: { id: 'u' } } }] }, { kind: 'session' }),
  ];
  const stay = [
    await letter(event({ user: { id: 'v' } })),
    await letter(event({ user: { id: 'u' } }), { team: 'other' }),
  ];
  const { removed } = await finished(ofUser('u'));
  assert.equal(removed.deadLetters, gone.length);
  assert.deepEqual(
    (await redis.xrange(keys.dead(0), '-', '+')).map(([id]) => id),
    stay,
  );
  const ofRun = {
    subject: 'run',
    scope: 'prod',
    marks: (salt: string) => runMarks({ salt, team, scope: 'prod' }, 'r'),
  } as const;
  assert.equal((await finished(order(ofRun))).removed.deadLetters, 1);
  const left = await redis.xrange(keys.dead(0), '-', '+');
  const bytes = left.reduce((sum, [, fields]) => sum + fields[1]!.length + fields[3]!.length, 0);
  assert.equal(Number(await redis.get(keys.deadBytes(0))), bytes);
});

test('a number that is a user stays the number that was sent', async () => {
  const big = '9007199254740993';
  const body = `{"events":[{"metadata":{"user":{"id":${big}}}}]}`;
  const id = await letter({});
  const [, fields] = (await redis.xrange(keys.dead(0), id, id))[0]!;
  await redis.xdel(keys.dead(0), id);
  await redis.xadd(keys.dead(0), '*', ...fields.map((value, i) => (fields[i - 1] === 'body' ? body : value)));
  assert.equal((await finished(ofUser('9007199254740992'))).removed.deadLetters, 0);
  assert.equal((await finished(ofUser(big))).removed.deadLetters, 1);
});

test('of entries that ClickHouse had refused the others stay, to be archived later', async () => {
  const [both, alone] = [
    entryOf([rowItem(1, { userId: 'u', content: 'erased' }), rowItem(2, { content: 'stays' })]),
    entryOf([rowItem(1, { userId: 'u' })]),
  ];
  for (const { fields } of [both, alone]) await redis.xadd(keys.refused(0), '*', ...fields, 'reason', 'why');
  const { id: erasure } = (await addErasure(redis, ofUser('u')))!;
  const { removed } = await stepped(erasure, waitsForLog);
  assert.deepEqual([removed.refusedEntries, removed.items], [2, 2]);
  const left = await redis.xrange(keys.refused(0), '-', '+');
  assert.equal(left.length, 1);
  const entry = (await readRefused(redis, 0, left[0]![0]))!;
  const rows = readRows(entry.format, entry.rows, new Set(['content']));
  assert.deepEqual(
    rows.map(({ content }) => content),
    [['stays']],
  );
  // The other goes through the log without rows, so that its result leaves Redis.
  const [[, dropped]] = (await redis.xrange(keys.results(0), '-', '+')) as [[string, string[]]];
  assert.ok(dropped.includes('dropped') && dropped.includes(alone.id));
  await logArchived();
  assert.deepEqual((await erased(erasure)).removed, removed);
});

test('what Redis has of items that ClickHouse had refused goes with them', async () => {
  const [both, alone] = [
    entryOf([rowItem(1, { userId: 'u' }), rowItem(2, { userId: 'v' })]),
    entryOf([rowItem(1, { userId: 'u' })]),
  ];
  const queue = { partition: 0, hook: `${team}/old`, mostBytes: 1 << 20 };
  const [context, user, other] = [
    keys.context(team, 'prod', 'r:run-1'),
    keys.user(team, 'id', 'u'),
    keys.user(team, 'id', 'v'),
  ];
  for (const { id, fields } of [both, alone]) {
    await redis.xadd(keys.refused(0), '*', ...fields, 'reason', 'why');
    await redis.set(keys.result(0, id), 'record');
    await redis.zadd(user, 1, `${id}:v`);
    await redis.zadd(context, 1, `${id}01:of u`);
    const delivery = `msg_${itemId(id, 1).replaceAll('-', '')}0123456789abcdef`;
    await addDeliveries(redis, queue, [{ id: delivery, body: '{}' }]);
  }
  await redis.zadd(context, 1, `${both.id}02:of v`);
  await redis.zadd(other, 1, `${both.id}:v`);
  const { id } = (await addErasure(redis, ofUser('u')))!;
  await stepped(id, waitsForLog);
  assert.equal(await redis.exists(user, keys.result(0, both.id), keys.result(0, alone.id)), 0);
  assert.deepEqual(await redis.zrange(context, '0', '-1'), [`${both.id}02:of v`]);
  assert.deepEqual(await redis.zrange(other, '0', '-1'), [`${both.id}:v`]);
  await logArchived();
  const { removed } = await erased(id);
  assert.deepEqual(removed, {
    items: 2,
    deadLetters: 0,
    refusedEntries: 2,
    deliveries: 2,
    streams: 0,
    contexts: 2,
  });
  assert.equal(await redis.zcard(keys.hookDue(0, queue.hook)), 0);
});

test('each erasure counts what was its own', async () => {
  const queue = { partition: 0, hook: `${team}/old`, mostBytes: 1 << 20 };
  const entries = ['u', 'u', 'v'].map((userId) => entryOf([rowItem(1, { userId })]));
  await archived(entries[0]!, entries[2]!);
  const { id, fields } = entries[1]!;
  await redis.xadd(keys.refused(0), '*', ...fields, 'reason', 'why');
  const delivery = `msg_${itemId(entries[0]!.id, 1).replaceAll('-', '')}0123456789abcdef`;
  await addDeliveries(redis, queue, [{ id: delivery, body: '{}' }]);
  const [second, first] = [(await addErasure(redis, ofUser('v')))!, (await addErasure(redis, ofUser('u')))!];
  await stepped(first.id, waitsForLog);
  await logArchived();
  assert.ok(id);
  const told = async ({ id }: Erasure) => {
    const { items, refusedEntries, deliveries } = (await erased(id)).removed;
    return { items, refusedEntries, deliveries };
  };
  assert.deepEqual(await told(first), { items: 2, refusedEntries: 1, deliveries: 1 });
  assert.deepEqual(await told(second), { items: 1, refusedEntries: 0, deliveries: 0 });
});

test('a refused entry that is replayed while its erasure removes goes, too', async () => {
  const refused = entryOf([rowItem(1, { userId: 'u' })]);
  const entry = (await redis.xadd(keys.refused(0), '*', ...refused.fields, 'reason', 'why'))!;
  const { id } = (await addErasure(redis, ofUser('u')))!;
  await stepped(id, ({ state }) => state === 'removing');
  assert.equal(await replayRefused(redis, 0, entry), true);
  await stepped(id, waitsForLog);
  await logArchived();
  assert.deepEqual(await items(), [itemId(refused.id, 1)]);
  assert.equal((await erased(id)).removed.items, 1);
  assert.deepEqual(await items(), []);
});

for (const fails of [true, false]) {
  test(`a dead letter that is replayed when it is asked for, and ${fails ? 'fails again' : 'has a verdict'}, goes, too`, async () => {
    const request = rowRequest({ team });
    const body = { events: [{ type: 'reasoning', run_id: 'r', content: 'c', metadata: { user: { id: 'u' } } }] };
    await letter(body, { id: request.id, lane: 'fast' });
    const stream = keys.checks(0, 'fast');
    await redis.xgroup('CREATE', stream, 'evaluators', '0', 'MKSTREAM');
    const { id } = (await addErasure(redis, ofUser('u')))!;
    await stepped(id, ({ state }) => state === 'removing');
    const [dead] = await listDeadLetters(redis, 0, 1);
    const header = { ...dead!.header!, replay: 1, sequence: sequenceOf(dead!.entry) };
    const names = [stream, keys.dead(0), keys.deadBytes(0)];
    const entryId = (await script('work/replay-dead-letter')(redis, names, [
      dead!.id,
      JSON.stringify(header),
    ])) as string;
    await redis.call('XREADGROUP', 'GROUP', 'evaluators', 'w', 'COUNT', '1', 'STREAMS', stream, '>');
    await stepped(id, ({ waits }) => /under way/.test(waits));
    const rows = [rowItem(1, { userId: 'u' })];
    const done = {
      entryId,
      requestId: request.id,
      reply: '',
      record: Buffer.from('a record'),
      rows: encodeRows({ ...request, sequence: header.sequence }, rows),
      segments: '',
      format: rowFormatOf(rows),
      trace: '',
      index: [[keys.user(team, 'id', 'u'), `${request.id}:v`]] as [string, string][],
      sequence: header.sequence,
      replace: true,
      marked: false,
    };
    const context = keys.context(team, 'prod', 'r:run-1');
    if (fails) {
      const given = { header: Buffer.from(JSON.stringify(header)), body: Buffer.from(JSON.stringify(body)) };
      await buryEntry(redis, { partition: 0, lane: 'fast' }, { ...done, ...given, reason: 'again', attempts: 3 });
    } else {
      const texts = { context: [[context, [`${request.id}01:of u`]]] as [string, string[]][], contextDepth: 50 };
      await commitResults(redis, { partition: 0, lane: 'fast' }, [{ ...done, ...texts, contextBytes: 65_536 }], 0);
    }
    await stepped(id, waitsForLog);
    await logArchived();
    const { removed } = await erased(id);
    assert.deepEqual([removed.items, removed.deadLetters, removed.contexts], [1, fails ? 1 : 0, fails ? 0 : 1]);
    assert.equal(await redis.xlen(keys.dead(0)), 0);
    assert.equal(await redis.exists(context, keys.user(team, 'id', 'u'), keys.result(0, request.id)), 0);
    assert.deepEqual(await items(), []);
  });
}

test('deliveries of its items go, also those of a webhook that is gone', async () => {
  const [mine, other] = [entryOf([rowItem(1, { userId: 'u' })]), entryOf([rowItem(1, { userId: 'v' })])];
  await archived(mine, other);
  const queue = { partition: 0, hook: `${team}/old`, mostBytes: 1 << 20 };
  const ids = [mine, other].map(({ id }) => `msg_${itemId(id, 1).replaceAll('-', '')}0123456789abcdef`);
  await addDeliveries(
    redis,
    queue,
    ids.map((id) => ({ id, body: '{}' })),
  );
  assert.equal((await finished(ofUser('u'))).removed.deliveries, 1);
  const left = await redis.hgetall(keys.hookDeliveries(0, queue.hook));
  assert.deepEqual(
    Object.keys(left).filter((id) => id.startsWith('msg_')),
    [ids[1]],
  );
  assert.deepEqual(await redis.zrange(keys.hookDue(0, queue.hook), '0', '-1'), [ids[1]]);
});

test('open streams of a user, a run and a session go', async () => {
  const add = async (id: string, fields: Record<string, string>, kind = 'environment'): Promise<string> => {
    const key = keys.stream(team, kind, 'prod', id);
    await redis.hset(key, { id: randomUUID(), status: 'open', run: '', session: '', metadata: '', ...fields });
    await redis.set(keys.streamText(key), 'text');
    await redis.zadd(keys.openStreams(3), 1, JSON.stringify([team, kind, 'prod', id]));
    return key;
  };
  const gone = await add('a', { metadata: JSON.stringify({ user: { id: 'u' } }) });
  const ofRun = await add('b', { run: 'r' });
  const ofSession = await add('c', { session: 's' }, 'deployment');
  assert.equal((await finished(ofUser('u'))).removed.streams, 1);
  assert.deepEqual(await redis.exists(gone, keys.streamText(gone)), 0);
  assert.deepEqual(await redis.exists(ofRun, ofSession), 2);
  const scope = 'prod';
  const marks = (salt: string) => sessionMarks({ salt, team, scope }, randomUUID(), 's');
  assert.equal(
    (await finished(order({ subject: 'session', scope, internal: randomUUID(), marks }))).removed.streams,
    1,
  );
  assert.deepEqual(await redis.exists(ofRun, ofSession), 1);
  assert.deepEqual(await redis.zcard(keys.openStreams(3)), 1);
});

test('open streams go while an erasure waits, those that were begun later stay', async () => {
  await redis.xadd(keys.checks(0), '*', 'header', '{}', 'body', '');
  const open = async (id: string): Promise<string> => {
    const name = { team, kind: 'deployment', scope: 'chat', id } as const;
    const metadata = JSON.stringify({ user: { id: 'u' } });
    const piece = { ...name, sequence: 0, delta: 'a text', final: false, role: '', run: '', session: '', metadata };
    await appendPiece(redis, name, piece as unknown as StreamPiece, { key: 'k', room: 65_536, most: 65_536 });
    await redis.zadd(keys.openStreams(3), 1, JSON.stringify([team, 'deployment', 'chat', id]));
    return keys.stream(team, 'deployment', 'chat', id);
  };
  const before = await open('before');
  const { id, requested } = (await addErasure(redis, ofUser('u')))!;
  const clock = async (): Promise<number> => Number((await redis.time())[0]) * 1000;
  await until('the clock goes on', async () => (await clock()) > requested);
  const later = await open('later');
  const { state, removed } = await stepped(id, ({ waits }) => /under way/.test(waits));
  assert.deepEqual([state, removed.streams], ['waiting', 1]);
  assert.deepEqual([await redis.exists(before), await redis.exists(later)], [0, 1]);
  await redis.del(keys.checks(0));
  assert.equal((await erased(id)).removed.streams, 1);
  assert.equal(await redis.exists(later), 1);
});

for (const of of ['the session', 'its user']) {
  test(`images that were sent for a session without a name go with ${of}, whatever has become of them`, async () => {
    const scope = 'chat';
    const session = entryOf([rowItem(1, { type: 'session', userId: 'u', runId: '' })], { kind: 'session', scope });
    await archived(session);
    const internal = itemId(session.id, 1);
    const image = (of: string): Logged => {
      const item = rowItem(1, { type: 'artifact', runId: '', image: rowImage({ internalSessionId: of }) });
      return entryOf([item], { kind: 'artifact', scope });
    };
    const [mine, other] = [image(internal), image(randomUUID())];
    for (const { fields } of [mine, other]) await redis.xadd(keys.refused(0), '*', ...fields, 'reason', 'why');
    const content = { content: { kind: 'image', data: 'x' } };
    await letter(content, { kind: 'artifact', scope, session: { internal, external: '' } });
    const stays = await letter(content, { kind: 'artifact', scope, session: { internal: randomUUID(), external: '' } });
    const marks = (salt: string) => sessionMarks({ salt, team, scope }, internal, '');
    const asked = of === 'its user' ? ofUser('u') : order({ subject: 'session', scope, internal, marks });
    const { id } = (await addErasure(redis, asked))!;
    await stepped(id, waitsForLog);
    await logArchived();
    const { removed } = await erased(id);
    assert.deepEqual([removed.items, removed.deadLetters, removed.refusedEntries], [2, 1, 1]);
    assert.deepEqual(
      (await redis.xrange(keys.dead(0), '-', '+')).map(([letter]) => letter),
      [stays],
    );
    assert.equal(await redis.xlen(keys.refused(0)), 1);
    // What is archived again is left out, where the erasure says which session it was.
    if (of === 'its user') return;
    await archived(mine);
    assert.deepEqual(await items(), []);
  });
}

test('earlier texts and members of indexes go, those of others stay', async () => {
  const mine = entryOf([rowItem(1, { userId: 'u', runId: 'r' }), rowItem(2, { runId: 'r' })]);
  await archived(mine);
  const context = keys.context(team, 'prod', 'r:r');
  await redis.zadd(context, 1, `${mine.id}01:hello`, 2, `${mine.id}02:stays`);
  const [run, user] = [keys.run(team, 'prod', 'r'), keys.user(team, 'id', 'u')];
  const other = entryOf([]).id;
  await redis.zadd(run, 1, `${mine.id}:AAAA`, 2, `${other}:AAAA`);
  await redis.zadd(user, 1, `${mine.id}:v`);
  assert.equal((await finished(ofUser('u'))).removed.contexts, 1);
  assert.deepEqual(await redis.zrange(context, '0', '-1'), [`${mine.id}02:stays`]);
  assert.deepEqual(await redis.zrange(run, '0', '-1'), [`${other}:AAAA`]);
  assert.equal(await redis.exists(user), 0);
  assert.deepEqual(await items(), [itemId(mine.id, 2)]);
});

test('a block that comes again brings nothing back, and what is found past that is deleted', async () => {
  const mine = entryOf([rowItem(1, { userId: 'u' }), rowItem(2, { userId: 'v' })]);
  await archived(mine);
  const erasure = await finished(ofUser('u'));
  assert.equal(erasure.removed.items, 1);
  assert.deepEqual(await items(), [itemId(mine.id, 2)]);
  await archived(mine);
  assert.deepEqual(await items(), [itemId(mine.id, 2)]);
  // Past the archiver: as by one that was stopped in the middle of an insert.
  const ts = partsOf(mine.id)!.time;
  const row = { team, scope: 'prod', kind: 'events', ts, id: itemId(mine.id, 1), request_id: mine.id, user_id: 'u' };
  await complete();
  await clickhouse.insert({
    table: 'items',
    values: [{ ...row, ts: new Date(ts).toISOString().slice(0, -1) }],
    format: 'JSONEachRow',
  });
  assert.equal((await items()).length, 2);
  await redis.del(keys.erasureLease());
  const sweeps = new Registry();
  await eraser(sweeps).step();
  const returned = await sweeps.getSingleMetric('weir_erased_rows_returned_total')!.get();
  assert.equal(returned.values[0]!.value, 1);
  await until('it is gone again', async () => (await items()).length === 1);
});

test('what was accepted before is waited for, and what comes later stays', async () => {
  const by = common;
  const work = await redis.xadd(keys.checks(0), '*', 'header', '{}', 'body', '');
  const { id } = (await addErasure(redis, ofUser('u')))!;
  const waits = async (): Promise<string | undefined> => {
    await by.step();
    return (await readErasure(redis, id))?.waits;
  };
  assert.match((await waits())!, /under way/);
  const before = entryOf([rowItem(1, { userId: 'u' })], { sequence: Number(work!.split('-')[0]) * 4096 });
  const later = entryOf([rowItem(1, { userId: 'u' })], { sequence: (Date.now() + 60_000) * 4096 });
  for (const { fields } of [before, later]) await redis.xadd(keys.results(0), '*', ...fields);
  await redis.xdel(keys.checks(0), work!);
  assert.match((await waits())!, /not archived/);
  await archiving(() => until('the log is archived', async () => (await redis.xlen(keys.results(0))) === 0));
  await until('it is erased', async () => {
    await by.step();
    return (await readErasure(redis, id))!.erased > 0;
  });
  assert.deepEqual(await items(), [itemId(later.id, 1)]);
});

test('two that erase at once, and one that begins again after another, end in the same', async () => {
  await archived(...Array.from({ length: 20 }, (_, i) => entryOf([rowItem(1, { userId: i % 2 ? 'u' : 'v' })])));
  const { id } = (await addErasure(redis, ofUser('u')))!;
  await until('it is erased', async () => {
    // Each takes the lease from the one before, as if that had died in the middle.
    await redis.del(keys.erasureLease());
    const some = [eraser(), eraser()];
    await Promise.all(some.map((one) => one.step()));
    return (await readErasure(redis, id))!.erased > 0;
  });
  assert.equal((await readErasure(redis, id))!.removed.items, 10);
  assert.equal((await items()).length, 10);
});

test('a team leaves as many places free as it holds', async () => {
  const taken = async (name: string): Promise<number> => {
    let many = 0;
    while (await addErasure(redis, { ...ofUser('u'), team: name })) many++;
    return many;
  };
  assert.equal(await taken(team), 500);
  assert.equal(await taken('another'), 250);
  const firsts = (await openErasures(redis, 4)).map((one) => one.team);
  assert.deepEqual(firsts, [team, 'another', team, 'another']);
});

test('every table with rows of items is searched, those of labels, too', async () => {
  const query = `SELECT table FROM system.columns JOIN system.tables ON system.columns.table = system.tables.name
    WHERE database = 'weir' AND system.tables.database = 'weir' AND engine LIKE '%MergeTree' AND system.columns.name IN ('team', 'ts', 'id')
    GROUP BY table HAVING count() = 3`;
  const answer = await clickhouse.query({ query, format: 'JSONEachRow' });
  const found = (await answer.json<{ table: string }>()).map(({ table }) => table).sort();
  assert.deepEqual(found, [...TABLES_OF_ITEMS, 'audit', 'erased', 'erasures', 'exports'].sort());
  const mine = entryOf([rowItem(1, { userId: 'u' }), rowItem(2, { userId: 'v' })]);
  await archived(mine);
  const ts = new Date(partsOf(mine.id)!.time).toISOString().slice(0, -1);
  const labels = [1, 2].map((item) => ({ team, scope: 'prod', ts, id: itemId(mine.id, item), note: 'what was said' }));
  await clickhouse.insert({ table: 'labels', values: labels, format: 'JSONEachRow' });
  await finished(ofUser('u'));
  const left = await clickhouse.query({ query: `SELECT id FROM labels WHERE team = '${team}'`, format: 'JSONEachRow' });
  assert.deepEqual(await left.json(), [{ id: itemId(mine.id, 2) }]);
});

test('its receipt names the exports that were begun before and may have it [erase.exports]', async () => {
  const mine = entryOf([rowItem(1, { userId: 'u' })]);
  await archived(mine);
  const at = partsOf(mine.id)!.time;
  const run = {
    format: 'jsonl',
    tables: ['results'],
    user: 'ann',
    host: 'h',
    folder: '/f',
    files: 0,
    rows: 0,
    bytes: 0,
  };
  const store = async (begun: number, range: Partial<ExportRun>): Promise<string> => {
    const id = randomUUID();
    const all = { team, kind: 'team', scope: '', since: 0, until: at + 1, ended: 0 } as const;
    await storeExport(clickhouse, { ...run, format: 'jsonl', ...all, ...range, id, begun }, begun);
    return id;
  };
  const [older, newer] = [await store(at - 5000, {}), await store(at - 4000, { kind: 'environment', scope: 'prod' })];
  await store(at, { until: at - 86_400_000 });
  await store(at, { kind: 'environment', scope: 'other' });
  await store(at, { team: 'another' });
  const { exports } = receiptOf(await finished(ofUser('u')));
  assert.deepEqual(
    exports!.map(({ export_id }) => export_id),
    [newer, older],
  );
  assert.deepEqual([exports![1]!.format, exports![1]!.to], ['jsonl', new Date(at + 1).toISOString()]);
});

test('one that is erased does not wait for those that come later', async () => {
  const by = eraser();
  await redis.del(keys.erasureLease());
  // Its deletion replaces parts, which ClickHouse keeps for eight minutes.
  await archived(entryOf([rowItem(1, { userId: 'u' }), rowItem(2, { userId: 'v' })]));
  const first = (await finished(ofUser('u'), by)).id;
  const waits = async (id: string): Promise<string> => (await readErasure(redis, id))!.waits;
  await until('its file is written anew', async () => {
    await by.step();
    return (await waits(first)) !== 'Redis writes its file anew' && (await waits(first)) !== '';
  });
  const told = await waits(first);
  const second = (await finished(ofUser('v'), by)).id;
  await by.step();
  assert.equal(await waits(first), told);
  assert.equal(await waits(second), '');
});
