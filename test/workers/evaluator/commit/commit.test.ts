import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { beforeEach, describe, it } from 'node:test';
import { addEntry, carry } from '#weir/ingress/dispatch/add-entry';
import { newRequestId } from '#weir/shared/ids';
import { connectCommands, isOutOfMemory, isPassing } from '#weir/shared/streams/client';
import { requestOf, runMember } from '#weir/shared/streams/hot/indexes';
import { GROUP, keys, type WorkStream } from '#weir/shared/streams/keys';
import { segmentsKey } from '#weir/shared/streams/segments';
import { createArchiveScripts, nextId } from '#weir/workers/archiver/archive-scripts';
import { type LogEntry, readPage } from '#weir/workers/archiver/read-log';
import { buryEntry, commitResults, type Finished } from '#weir/workers/evaluator/commit/commit';
import { CONTEXT_BYTES, contextMember } from '#weir/workers/evaluator/gather/context';
import { movePlace, placeOf } from '#weir/workers/log/places';
import { sharedRedis } from '../../../support/stores/redis.js';
import { until } from '../../../support/wait.js';

const FAST: WorkStream = { partition: 0, lane: 'fast' };
const { server, redis } = await sharedRedis({ maxMemory: '64mb' });
beforeEach(async () => {
  await redis.xgroup('CREATE', keys.checks(0), GROUP, '0', 'MKSTREAM');
});

async function read(consumer: string): Promise<string> {
  const reply = (await redis.xreadgroup('GROUP', GROUP, consumer, 'COUNT', 1, 'STREAMS', keys.checks(0), '>')) as
    | [string, [string, string[]][]][]
    | null;
  return reply?.[0]?.[1][0]?.[0] ?? '';
}

async function add(id: string): Promise<void> {
  await redis.xadd(keys.checks(0), '*', 'header', JSON.stringify({ id }), 'body', '{}');
}

/** An entry that `a` has read: its request and its own id. */
async function held(): Promise<{ id: string; entry: string }> {
  const id = newRequestId(0);
  await add(id);
  return { id, entry: await read('a') };
}

function finished(entryId: string, requestId: string, record: string, more: Partial<Finished> = {}): Finished {
  return {
    entryId,
    requestId,
    reply: '',
    record: Buffer.from(record),
    rows: Buffer.from('rows'),
    segments: '',
    format: '1',
    trace: '',
    index: [],
    context: [],
    contextDepth: 0,
    contextBytes: 0,
    sequence: 1,
    replace: false,
    marked: false,
    ...more,
  };
}

/** The log, with the rows of its entries. */
const logged = (): Promise<LogEntry[]> => readPage(redis, 0, { from: '-', to: '+', count: 100 }, (answer) => answer);

const commit = (...some: Finished[]): Promise<boolean[]> => commitResults(redis, FAST, some, 0);

describe('the commit', () => {
  it('stores the result, appends to the log and deletes the work entry', async () => {
    const { id, entry } = await held();
    const key = keys.run('acme', 'prod', 'run-1');
    const index = [[key, runMember(id, ['e'])]] as const;
    assert.deepEqual(await commit(finished(entry, id, 'verdict', { index })), [true]);
    assert.equal(await redis.get(keys.result(0, id)), 'verdict');
    assert.equal(await redis.ttl(keys.result(0, id)), -1);
    assert.equal(await redis.xlen(keys.checks(0)), 0);
    const [[, fields]] = (await redis.xrange(keys.results(0), '-', '+')) as [[string, string[]]];
    assert.deepEqual(fields, ['id', id, 'format', '1', 'rows', 'rows', 'index', JSON.stringify([key])]);
    assert.deepEqual(await redis.zrange(key, '0', '-1'), [runMember(id, ['e'])]);
  });

  // Large ones are staged beside the script, small ones given to it.
  for (const [size, times, rows] of [
    ['small', 1, Buffer.from('rows')],
    ['large', 10_000, Buffer.from('rows')],
    ['small (with rows in segments)', 1, randomBytes(600_000)],
    ['large (with rows in segments)', 10_000, randomBytes(600_000)],
  ] as const) {
    const text = (name: string): string => name.repeat(times);
    const done = (entry: string, id: string, name: string, more: Partial<Finished> = {}): Finished =>
      finished(entry, id, text(name), { rows, ...more });
    /** Requests in the log. */
    const rowsOf = async (): Promise<string[]> =>
      (await logged()).map((entry) => {
        assert.ok(entry.rows.equals(rows));
        return entry.request;
      });

    it(`lets only one of two workers that hold the same entry decide, of ${size} results`, async () => {
      const { id, entry } = await held();
      await redis.xclaim(keys.checks(0), GROUP, 'b', 0, entry);
      assert.deepEqual(await commit(done(entry, id, 'b')), [true]);
      const other = await held();
      const both = [done(entry, id, 'a'), done(other.entry, other.id, 'c')];
      assert.deepEqual(await commit(...both), [false, true]);
      assert.equal(await redis.get(keys.result(0, id)), text('b'));
      assert.equal(await redis.get(keys.result(0, other.id)), text('c'));
      assert.deepEqual(await rowsOf(), [id, other.id]);
      assert.deepEqual(await redis.keys('staged:*'), []);
    });

    it(`makes one ${size} result of a request that was added twice, and leaves no entry behind`, async () => {
      const id = newRequestId(0);
      await add(id);
      await add(id);
      const first = await read('a');
      const second = await read('a');
      const both = [done(first, id, '1'), done(second, id, '2')];
      assert.deepEqual(await commit(...both), [true, false]);
      assert.equal(await redis.get(keys.result(0, id)), text('1'));
      assert.deepEqual(await rowsOf(), [id]);
      assert.equal(await redis.xlen(keys.checks(0)), 0);
      assert.deepEqual(await redis.keys('staged:*'), []);
      const [pending] = (await redis.xpending(keys.checks(0), GROUP)) as [number];
      assert.equal(pending, 0);
    });

    it(`leaves an entry that nobody holds and that has no ${size} result: it will be read again`, async () => {
      const { id, entry } = await held();
      // As after a crash of Redis that lost what the group knew.
      await redis.xgroup('DESTROY', keys.checks(0), GROUP);
      await redis.xgroup('CREATE', keys.checks(0), GROUP, '0');
      assert.deepEqual(await commit(done(entry, id, 'a')), [false]);
      assert.deepEqual(await rowsOf(), []);
      assert.equal(await read('b'), entry);
      assert.deepEqual(await commit(done(entry, id, 'b')), [true]);
      assert.equal(await redis.get(keys.result(0, id)), text('b'));
    });

    it(`works in a Redis that is full, so that it can drain ${size} results`, async () => {
      const { id, entry } = await held();
      await redis.config('SET', 'maxmemory', '1mb');
      await assert.rejects(redis.set('x', 'y'), (error) => isOutOfMemory(error));
      const index = [[keys.run('t', 'e', 'r'), runMember(id, ['a'])]] as const;
      assert.deepEqual(await commit(done(entry, id, 'v', { index })), [true]);
      assert.deepEqual(await rowsOf(), [id]);
    });

    it(`replaces the stored failure of a replayed dead letter by a ${size} result`, async () => {
      const id = newRequestId(0);
      await redis.set(keys.result(0, id), 'failed', 'EX', 60);
      await add(id);
      assert.deepEqual(await commit(done(await read('a'), id, 'g', { replace: true })), [true]);
      assert.equal(await redis.get(keys.result(0, id)), text('g'));
      assert.equal(await redis.ttl(keys.result(0, id)), -1);
    });
  }

  it('commits nothing of what Redis refuses to stage, which passes', async () => {
    const { id, entry } = await held();
    const large = finished(entry, id, 'x'.repeat(10_000));
    await redis.config('SET', 'min-replicas-to-write', '1');
    await assert.rejects(commit(large), (error) => isPassing(error));
    await redis.config('SET', 'min-replicas-to-write', '0');
    assert.equal(await redis.xlen(keys.results(0)), 0);
    assert.deepEqual(await commit(large), [true]);
  });

  it('takes back what was staged when its script fails', async () => {
    const { id, entry } = await held();
    await redis.set(keys.checks(0), 'no stream');
    await assert.rejects(commit(finished(entry, id, 'x'.repeat(10_000))), /WRONGTYPE/);
    assert.equal(await redis.xlen(keys.results(0)), 0);
    assert.equal(await redis.exists(keys.staged(0, 0), keys.result(0, id)), 0);
  });

  it('publishes small replies whole, large ones by their ids, and those of one commit in one message', async () => {
    const listener = connectCommands({ redisUrl: server.url }, 'listener');
    await listener.connect();
    const heard: string[] = [];
    listener.on('smessage', (_channel: string, message: string) => heard.push(message));
    await listener.ssubscribe(keys.reply(0, '+me'));
    const ids = Array.from({ length: 5 }, () => newRequestId(0));
    for (const id of ids) await add(id);
    const entries: string[] = [];
    for (const _ of ids) entries.push(await read('a'));
    const large = 'x'.repeat(300_000);
    const results = ['small', large, 'small', 'one', 'other'].map((text, i) =>
      finished(entries[i]!, ids[i]!, text, { reply: '+me' }),
    );
    await commit(results[0]!);
    await commit(...results.slice(1, 3));
    await commit(...results.slice(3));
    await until('all are heard', () => heard.length >= 3);
    listener.disconnect();
    const part = (i: number, record: string): string => `${ids[i]}\0\0\0${String.fromCharCode(record.length)}${record}`;
    assert.deepEqual(heard, [
      `${ids[0]}small`,
      `+${part(1, '')}${part(2, '')}`,
      `+${part(3, 'one')}${part(4, 'other')}`,
    ]);
    assert.equal(await redis.strlen(keys.result(0, ids[1]!)), large.length);
  });

  it('publishes each reply by itself to an ingress of the release before', async () => {
    const listener = connectCommands({ redisUrl: server.url }, 'listener');
    await listener.connect();
    const heard: string[] = [];
    listener.on('smessage', (_channel: string, message: string) => heard.push(message));
    await listener.ssubscribe(keys.reply(0, 'me'));
    const ids = [newRequestId(0), newRequestId(0)];
    for (const id of ids) await add(id);
    const results: Finished[] = [];
    for (const id of ids) results.push(finished(await read('a'), id, 'text', { reply: 'me' }));
    await commit(...results);
    await until('both are heard', () => heard.length >= 2);
    listener.disconnect();
    assert.deepEqual(
      heard,
      ids.map((id) => `${id}text`),
    );
  });

  /** Commits a request that `key` finds; returns its id. */
  async function commitTo(key: string, sequence: number, more: Partial<Finished> = {}, below = 0): Promise<string> {
    const id = more.requestId ?? newRequestId(0);
    await add(id);
    const index = [[key, runMember(id, ['e'])]] as const;
    await commitResults(redis, FAST, [finished(await read('a'), id, 'v', { index, sequence, ...more })], below);
    return id;
  }

  const found = async (key: string): Promise<string[]> => (await redis.zrange(key, '0', '-1')).map(requestOf);
  const archive = async (key: string, requests: string[], archivedMs = 1): Promise<boolean> => {
    const [gone] = await createArchiveScripts(redis).expireIndexes([{ key, requests, archivedMs, hotMs: 1000 }]);
    return gone!;
  };

  it('drops old index members that are archived, and no others', async () => {
    const key = keys.run('acme', 'prod', 'r');
    const first = await commitTo(key, 10);
    const second = await commitTo(key, 15);
    const third = await commitTo(key, 30, {}, 20);
    assert.deepEqual(await found(key), [first, second, third], 'nothing is archived');
    await archive(key, [first, third]);
    const fourth = await commitTo(key, 40, {}, 20);
    assert.deepEqual(await found(key), [second, third, fourth]);
    await archive(key, [second]);
    const fifth = await commitTo(key, 50, {}, 20);
    assert.deepEqual(await found(key), [third, fourth, fifth]);
  });

  it('keeps the index of an entry that was committed long after it was submitted', async () => {
    const key = keys.run('acme', 'prod', 'late');
    const late = await commitTo(key, 10, {}, 1000);
    assert.deepEqual(await found(key), [late]);
    const next = await commitTo(key, 2000, {}, 1500);
    assert.deepEqual(await found(key), [late, next]);
    assert.equal(await archive(key, [next], 1_000_000), false);
    assert.deepEqual(await found(key), [late, next]);
    assert.ok((await redis.ttl(key)) > 86_400);
  });

  it('keeps what it has just added when the index is full', async () => {
    const key = keys.run('acme', 'prod', 'full');
    const members = Array.from({ length: 10_000 }, (_, i) => [String(100 + i), `member ${i}`]).flat();
    await redis.zadd(key, ...members);
    const late = await commitTo(key, 10);
    assert.equal(await redis.zcard(key), 10_000);
    assert.equal((await found(key))[0], late);
    assert.equal(await redis.zscore(key, 'member 0'), null);
  });

  it('does not hold an index for a worker that comes after the archiver', async () => {
    const key = keys.run('acme', 'prod', 'zombie');
    const id = await commitTo(key, 10);
    assert.equal(await archive(key, [id]), true);
    await commitTo(key, 10, { requestId: id });
    assert.equal(await redis.exists(keys.unarchived(key)), 0);
    await commitTo(key, 10, { requestId: id, replace: true });
    assert.equal(await redis.exists(keys.unarchived(key)), 1, 'what is replaced is archived again');
  });
});

describe('segments', () => {
  const rows = randomBytes(700_000);

  /** An entry with a body in segments, read by `a`. */
  async function large(): Promise<{ id: string; entry: string; segments: string }> {
    const id = newRequestId(0);
    const body = await carry({ redis, large: redis }, 0, randomBytes(400_000));
    await addEntry(redis, FAST, JSON.stringify({ id }), body);
    return { id, entry: await read('a'), segments: body.value as string };
  }
  const lives = async (reference: string): Promise<number> => await redis.pttl(segmentsKey(0, reference));

  it('of a body go with its entry; those of rows stay until the log is archived', async () => {
    const [one, other] = [await large(), await held()];
    const both = [
      finished(other.entry, other.id, 'b'),
      finished(one.entry, one.id, 'a', { rows, segments: one.segments }),
    ];
    assert.deepEqual(await commit(...both), [true, true]);
    assert.equal(await lives(one.segments), -2);
    const [small, entry] = await logged();
    assert.deepEqual([small!.segments, small!.rows.toString()], ['', 'rows']);
    assert.equal(await lives(entry!.segments), -1);
    assert.deepEqual(await redis.zrange(keys.logSegments(0), '0', '-1', 'WITHSCORES'), [
      entry!.segments,
      String(entry!.ms),
    ]);
    const scripts = createArchiveScripts(redis);
    const archived = { from: '', requests: [], hotMs: 1000, entries: 1, bytes: 1 };
    assert.equal(await scripts.advance(0, { ...archived, to: small!.id }), true);
    assert.equal(await lives(entry!.segments), -1);
    assert.equal(await scripts.advance(0, { ...archived, from: small!.id, to: entry!.id }), true);
    assert.deepEqual(await redis.keys('segments:*'), []);
  });

  it('of rows stay while a follower has not read them', async () => {
    const { id, entry } = await held();
    await placeOf(redis, 'metrics', 0);
    await commit(finished(entry, id, 'a', { rows }));
    const [read] = await logged();
    const to = nextId(read!.id);
    const archived = { from: '', to: read!.id, requests: [], hotMs: 1000, entries: 1, bytes: 1 };
    assert.equal(await createArchiveScripts(redis).advance(0, archived), true);
    assert.ok((await logged())[0]!.rows.equals(rows));
    const moved = { partition: 0, from: '0-1', to, bytes: 1, entries: 1 };
    assert.equal(await movePlace(redis, 'metrics', moved), true);
    assert.deepEqual(await redis.keys('segments:*'), []);
  });

  it('of what is not committed expire, and those of a body stay with an entry that will be read again', async () => {
    const { id, entry, segments } = await large();
    await redis.xgroup('DESTROY', keys.checks(0), GROUP);
    await redis.xgroup('CREATE', keys.checks(0), GROUP, '0');
    assert.deepEqual(await commit(finished(entry, id, 'a', { rows, segments })), [false]);
    assert.equal(await lives(segments), -1);
    assert.equal(await redis.exists(keys.logSegments(0)), 0);
    const others = (await redis.keys(keys.segments(0, '*'))).filter((key) => key !== segmentsKey(0, segments));
    assert.equal(others.length, 1);
    assert.ok((await redis.pttl(others[0]!)) > 0);
  });

  it('that are read when their entry has been archived are gone, and so is their entry', async () => {
    const { id, entry } = await held();
    await commit(finished(entry, id, 'a', { rows }));
    await redis.del(...(await redis.keys(keys.segments(0, '*'))));
    const [read] = await logged();
    assert.deepEqual([read!.gone, read!.rows.length], [true, 0]);
  });

  it('of the body of an entry that is given up go too', async () => {
    const { id, entry, segments } = await large();
    const dead = { ...finished(entry, id, 'failed', { segments }), header: Buffer.from('{}'), body: rows };
    assert.equal(await buryEntry(redis, FAST, { ...dead, reason: 'why', attempts: 3 }), true);
    assert.deepEqual(await redis.keys('segments:*'), []);
    assert.equal(await redis.xlen(keys.dead(0)), 1);
  });
});

describe('burying', () => {
  const dead = (entryId: string, requestId: string): Parameters<typeof buryEntry>[2] => ({
    ...finished(entryId, requestId, 'failed'),
    header: Buffer.from('header'),
    body: Buffer.from('body'),
    reason: 'why',
    attempts: 3,
  });

  it('commits a terminal result and keeps the entry with its reason', async () => {
    const { id, entry } = await held();
    assert.equal(await buryEntry(redis, FAST, dead(entry, id)), true);
    assert.equal(await redis.get(keys.result(0, id)), 'failed');
    assert.equal(await redis.xlen(keys.checks(0)), 0);
    const [[, fields]] = (await redis.xrange(keys.dead(0), '-', '+')) as [[string, string[]]];
    assert.deepEqual(fields, ['header', 'header', 'body', 'body', 'reason', 'why', 'attempts', '3', 'entry', entry]);
  });

  it('says its trace in the log, where that is recorded', async () => {
    const [first, second] = [await held(), await held()];
    await buryEntry(redis, FAST, { ...dead(first.entry, first.id), trace: '["00-…"]' });
    await buryEntry(redis, FAST, dead(second.entry, second.id));
    assert.deepEqual(
      (await logged()).map(({ trace }) => trace),
      ['["00-…"]', ''],
    );
  });

  it('does nothing when somebody else has finished the entry', async () => {
    const { id, entry } = await held();
    await commit(finished(entry, id, 'good'));
    assert.equal(await buryEntry(redis, FAST, dead(entry, id)), false);
    assert.equal(await redis.get(keys.result(0, id)), 'good');
    assert.equal(await redis.xlen(keys.dead(0)), 0);
  });

  it('keeps an entry whose header cannot be read, without a result', async () => {
    await redis.xadd(keys.checks(0), '*', 'nonsense', 'x');
    const entry = await read('a');
    assert.equal(await buryEntry(redis, FAST, dead(entry, '')), true);
    assert.equal(await redis.xlen(keys.results(0)), 0);
    assert.equal(await redis.xlen(keys.dead(0)), 1);
  });
});

describe('the context of a conversation', () => {
  const texts = (key: string): Promise<string[]> => redis.zrange(key, '0', '-1');
  const write = async (kind: 'events' | 'session', sequence: number, text: string): Promise<string> => {
    const id = newRequestId(0);
    await add(id);
    const key = keys.context('t', 'e', kind);
    const context = [[key, [contextMember(kind, id, 1, text)]]] as const;
    const bytes = CONTEXT_BYTES[kind];
    const entry = finished(await read('a'), id, 'v', { context, contextDepth: 50, contextBytes: bytes, sequence });
    await commit(entry);
    return key;
  };

  it('is the last 64 KiB of events, and the last 256 KiB of messages of a session [6.9] [event.context] [session.kept]', async () => {
    for (const [kind, fit] of [
      ['events', 2],
      ['session', 8],
    ] as const) {
      let key = '';
      for (let i = 1; i <= 12; i++) key = await write(kind, i, `${i} ${'ü'.repeat(15 * 1024)}`);
      const kept = await texts(key);
      assert.equal(kept.length, fit, kind);
      assert.match(kept.at(-1)!, /:12 ü/, 'the newest stays');
      assert.ok(Buffer.byteLength(kept.join('')) <= CONTEXT_BYTES[kind]);
      for (const letter of ['x', 'ü', '🦊']) {
        await write(kind, 20, `start ${letter.repeat(300_000)}`);
        const [only, ...more] = await texts(key);
        assert.deepEqual(more, []);
        const bytes = Buffer.byteLength(only!);
        assert.ok(bytes <= CONTEXT_BYTES[kind] && bytes > CONTEXT_BYTES[kind] - 8, `${kind} ${bytes}`);
        assert.equal(only!.endsWith(letter.repeat(100)), true);
        assert.equal(only!.includes('\ufffd'), false, 'no character is cut');
        await redis.del(key);
      }
    }
  });

  it('is the last 50 texts, for an hour [6.9] [event.context]', async () => {
    let key = '';
    for (let i = 1; i <= 60; i++) key = await write('events', i, `${i}`);
    const kept = await texts(key);
    assert.equal(kept.length, 50);
    assert.match(kept[0]!, /:11$/);
    const seconds = await redis.ttl(key);
    assert.ok(seconds > 3500 && seconds <= 3600);
  });

  it('is there for as long as the check says, and an hour once another adds to it [session.joins]', async () => {
    const key = keys.context('t', 'e', 'joined');
    for (const [sequence, seconds, most] of [
      [1, 600, 600],
      [2, undefined, 3600],
    ] as const) {
      const id = newRequestId(0);
      await add(id);
      const members = [contextMember('session', id, 1, 'x')];
      const context: [string, string[], number?][] = [seconds === undefined ? [key, members] : [key, members, seconds]];
      await commit(finished(await read('a'), id, 'v', { context, contextDepth: 5, contextBytes: 1000, sequence }));
      const left = await redis.ttl(key);
      assert.ok(left > most - 100 && left <= most, `${left}`);
    }
  });
});
