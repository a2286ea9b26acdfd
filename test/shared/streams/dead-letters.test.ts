import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { newRequestId, sequenceOf } from '#weir/shared/ids';
import { listDeadLetters, readDeadLetter, replayDeadLetter } from '#weir/shared/streams/dead-letters';
import { GROUP, keys, type WorkStream } from '#weir/shared/streams/keys';
import type { WorkHeader } from '#weir/shared/streams/work';
import { buryEntry } from '#weir/workers/evaluator/commit/commit';
import { pluck } from '../../support/pluck.ts';
import { sharedRedis } from '../../support/stores/redis.js';

const MIB = 1024 * 1024;
const FAST: WorkStream = { partition: 0, lane: 'fast' };
const { redis } = await sharedRedis();
beforeEach(async () => {
  await redis.xgroup('CREATE', keys.checks(0), GROUP, '0', 'MKSTREAM');
  await redis.set(keys.configInstallation(), 'installation');
  await redis.hset(keys.configVersions(), '7', '{}');
  await redis.hset(keys.configContents(), '7', 'seven', '9', 'nine');
  await redis.set(keys.configActive(), '7');
});

/** Buries an entry; returns the id it had in its work stream. */
async function give(change: Partial<WorkHeader> = {}, body: string | Buffer = 'body'): Promise<string> {
  const id = newRequestId(0);
  const header = { id, kind: 'events', team: 'acme', scope: 'prod', config: 7, reply: 'somebody', ...change };
  const text = JSON.stringify(header);
  const entry = (await redis.xadd(keys.checks(0), '*', 'header', text, 'body', body))!;
  await redis.xreadgroup('GROUP', GROUP, 'a', 'COUNT', 10, 'STREAMS', keys.checks(0), '>');
  const dead = { entryId: entry, requestId: id, reply: '', record: Buffer.from('r'), rows: Buffer.from('r') };
  const rest = {
    format: '1',
    segments: '',
    trace: '',
    replace: false,
    index: [],
    sequence: 1,
    reason: 'why',
    attempts: 3,
  };
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(body);
  assert.equal(await buryEntry(redis, FAST, { ...dead, ...rest, header: Buffer.from(text), body: bytes }), true);
  return entry;
}

async function work(): Promise<{ header: WorkHeader; body: string }[]> {
  const entries = await redis.xrange(keys.checks(0), '-', '+');
  return entries.map(([, fields]) => ({ header: JSON.parse(fields[1]!) as WorkHeader, body: fields[3]! }));
}

const only = async (): Promise<string> => (await listDeadLetters(redis, 0, 10))[0]!.id;

describe('a replayed dead letter', () => {
  it('keeps the sequence of its submission, however often it is replayed', async () => {
    const entry = await give();
    await replayDeadLetter(redis, 0, await only());
    const [first] = await work();
    assert.equal(first!.header.sequence, sequenceOf(entry));
    assert.deepEqual([first!.header.replay, first!.header.reply, first!.body], [1, '', 'body']);
    await redis.xtrim(keys.checks(0), 'MAXLEN', 0);
    await give(first!.header);
    await replayDeadLetter(redis, 0, await only());
    const [second] = await work();
    assert.deepEqual([second!.header.sequence, second!.header.replay], [sequenceOf(entry), 2]);
  });

  it('goes back to work once, whoever else replays it at the same time', async () => {
    await give();
    const id = await only();
    const outcomes = await Promise.allSettled(Array.from({ length: 4 }, () => replayDeadLetter(redis, 0, id)));
    assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1);
    assert.equal((await work()).length, 1);
    await assert.rejects(replayDeadLetter(redis, 0, id), /no dead letter/);
  });

  it('is judged by the active version when its own is no longer kept', async () => {
    await give({ config: 3 });
    await replayDeadLetter(redis, 0, await only());
    await give({ config: 7 });
    await redis.set(keys.configActive(), '9');
    await replayDeadLetter(redis, 0, await only());
    const versions = (await work()).map(({ header }) => header.config);
    assert.deepEqual(versions, [7, 7]);
  });

  it('stays where it is while no version can judge it', async () => {
    await redis.del(keys.configVersions(), keys.configActive());
    await give();
    await assert.rejects(replayDeadLetter(redis, 0, await only()), /weir apply/);
    assert.equal(await redis.xlen(keys.dead(0)), 1);
  });
});

describe('dead letters', () => {
  it('are bounded by bytes: the oldest make room', async () => {
    const body = Buffer.alloc(20 * MIB, 'x');
    const entries: string[] = [];
    for (let i = 0; i < 4; i++) entries.push(await give({}, body));
    const kept = await listDeadLetters(redis, 0, 10);
    assert.deepEqual(pluck(kept, 'entry'), entries.slice(1).reverse());
    assert.ok((await redis.memory('USAGE', keys.dead(0)))! < 80 * MIB);
    await replayDeadLetter(redis, 0, kept[0]!.id);
    const bytes = Number(await redis.get(keys.deadBytes(0)));
    assert.ok(bytes > 40 * MIB && bytes < 40 * MIB + 1000, String(bytes));
  });

  it('are bounded by number', async () => {
    const add = "redis.call('XADD', KEYS[1], '*', 'header', '{}', 'body', '', 'entry', i .. '-0')";
    await redis.eval(`for i = 0, 9999 do ${add} end`, 1, keys.dead(0));
    await give();
    assert.equal(await redis.xlen(keys.dead(0)), 10_000);
  });

  it('count from nothing after somebody has deleted them all', async () => {
    await give({}, Buffer.alloc(30 * MIB));
    await redis.del(keys.dead(0));
    await give();
    assert.ok(Number(await redis.get(keys.deadBytes(0))) < 1000);
  });

  it('are listed newest first without their bodies, over several pages', async () => {
    const entries: string[] = [];
    for (let i = 0; i < 45; i++) entries.push(await give({}, 'b'.repeat(i)));
    const listed = await listDeadLetters(redis, 0, 42);
    assert.deepEqual(pluck(listed, 'entry'), entries.reverse().slice(0, 42));
    const { bodyBytes, reason, attempts } = listed[0]!;
    assert.deepEqual({ bodyBytes, reason, attempts }, { bodyBytes: 44, reason: 'why', attempts: 3 });
    assert.equal(listed[0]!.header?.team, 'acme');
    const found = await readDeadLetter(redis, 0, listed[0]!.id);
    assert.equal(found?.body.toString(), 'b'.repeat(44));
    assert.deepEqual(found?.letter, listed[0]);
  });

  it('do not cross the network with their bodies when they are listed', async () => {
    for (let i = 0; i < 3; i++) await give({}, Buffer.alloc(10 * MIB));
    const sent = async (): Promise<number> =>
      Number(/total_net_output_bytes:(\d+)/.exec(await redis.info('stats'))?.[1] ?? 0);
    const before = await sent();
    assert.equal((await listDeadLetters(redis, 0, 100)).length, 3);
    assert.ok((await sent()) - before < MIB);
  });
});
