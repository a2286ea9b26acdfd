/** Look-ups of a session by the caller's id while checks of it are late, with both stores. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { markAwaited, markedSessions } from '#weir/ingress/lookups/hot/awaited';
import { createLookup } from '#weir/ingress/lookups/lookup';
import type { ItemAnswer } from '#weir/ingress/lookups/types';
import type { ResultRecord } from '#weir/shared/api/results/record';
import { itemId, partsOf } from '#weir/shared/ids';
import { connectCommands } from '#weir/shared/streams/client';
import { keys } from '#weir/shared/streams/keys';
import type { RowRequest } from '#weir/workers/rows/row-types';
import { unpackRows } from '#weir/workers/rows/unpack-rows';
import { sharedHistory } from '../../support/stores/clickhouse.ts';
import { encodeRecord, encodeRows } from '../../support/stores/encoded.ts';
import { nextId, rowItem, rowRequest } from '../../support/stores/history.ts';
import { insertAs } from '../../support/stores/insert.ts';
import { sharedRedis } from '../../support/stores/redis.ts';
import { record, recordItem } from '../support.ts';

const { client, queries, away } = await sharedHistory();
const { server, redis } = await sharedRedis();
const lookup = createLookup(redis, queries);

const late = (id: string, session: string, team = 'acme'): Promise<void> =>
  markAwaited(redis, 0, id, { kind: 'session', team, scope: 'chat', session });

async function hot(id: string, session: string, change: Partial<ResultRecord> = {}): Promise<void> {
  const { time } = partsOf(id)!;
  const items = [recordItem(1, { type: 'session', eventId: '', runId: '', externalSessionId: session })];
  await redis.zadd(keys.ext('acme', 'chat', session), time, id);
  const sequence = time * 4096;
  const times = { sequence, received: time, completed: time + 3 };
  const stored = record({ kind: 'session', id, scope: 'chat', items, ...times, ...change });
  await redis.set(keys.result(0, id), encodeRecord(stored));
}

async function archive(id: string, session: string, change: Partial<RowRequest> = {}): Promise<void> {
  const { time } = partsOf(id)!;
  const request = rowRequest({ kind: 'session', id, scope: 'chat', sequence: time * 4096, ...change }, time);
  const row = rowItem(1, { type: 'session', eventId: '', runId: '', externalSessionId: session });
  await insertAs('1', client, [unpackRows('1', encodeRows(request, [row])).bytes]);
}

const latest = (session: string, team = 'acme'): Promise<ItemAnswer> => lookup.latestSession(team, 'chat', session);
const idOf = (found: ItemAnswer): string => (found.status === 'found' ? found.item.id : found.status);

describe('a session by the caller’s id', () => {
  it('is not marked while Redis is away, of which its caller hears, and nobody else', async () => {
    const gone = connectCommands({ redisUrl: server.url }, 'test');
    await gone.connect();
    gone.disconnect();
    const unheard: unknown[] = [];
    const hear = (reason: unknown): void => void unheard.push(reason);
    process.prependListener('unhandledRejection', hear);
    try {
      const awaited = { kind: 'session', team: 'acme', scope: 'chat', session: 'away' } as const;
      await assert.rejects(markAwaited(gone, 0, nextId(), awaited), /closed|writeable/);
      await new Promise(setImmediate);
      assert.deepEqual(unheard, []);
    } finally {
      process.off('unhandledRejection', hear);
    }
  });

  it('is pending while a check that was submitted last is late, for its own team [4.3.answer] [error.result_not_ready]', async () => {
    const id = nextId();
    await late(id, 'chat-1');
    assert.equal((await latest('chat-1')).status, 'pending');
    assert.equal((await latest('chat-2')).status, 'absent');
    assert.equal((await latest('chat-1', 'other')).status, 'absent');
    assert.equal((await lookup.latestSession('acme', 'support', 'chat-1')).status, 'absent');
    assert.equal((await lookup.hotSession('acme', 'chat', 'chat-1')).status, 'absent');
  });

  for (const [where, store] of [
    ['hot', hot],
    ['archived', archive],
  ] as const) {
    it(`is that check once it is ${where}, and any one that is stored after it [4.3.answer]`, async () => {
      const [first, second, third] = [nextId(), nextId(), nextId()] as const;
      const session = `chat-${where}`;
      await store(first, session);
      assert.equal(idOf(await latest(session)), itemId(first, 1));
      await late(second, session);
      const waiting = await latest(session);
      assert.equal(waiting.status, 'pending');
      assert.equal(waiting.status === 'pending' && waiting.earlier?.id, itemId(first, 1));
      await store(second, session);
      assert.equal(idOf(await latest(session)), itemId(second, 1));
      await store(third, session);
      assert.equal(idOf(await latest(session)), itemId(third, 1));
      // A late check that was submitted earlier hides nothing.
      await redis.del(keys.result(0, second));
      assert.equal(idOf(await latest(session)), itemId(third, 1));
    });
  }

  it('is the latest by sequence, though an earlier one is hot that was finished after it had left [4.3.answer]', async () => {
    const [first, second] = [nextId(), nextId()] as const;
    await archive(second, 'replayed');
    await hot(first, 'replayed', { version: 2 });
    assert.equal(idOf(await latest('replayed')), itemId(first, 1), 'what is hot in time is the newest');
    await hot(first, 'replayed', { version: 2, late: true });
    assert.equal(idOf(await latest('replayed')), itemId(second, 1));
    const alike = (await lookup.hotSession('acme', 'chat', 'replayed')).status;
    assert.equal(alike, 'absent', 'nobody knows from Redis alone');
    const third = nextId();
    await hot(third, 'replayed', { late: true });
    assert.equal(idOf(await latest('replayed')), itemId(third, 1));
    // Of one check, the hot version is the newer one.
    await archive(third, 'replayed', { version: 1 });
    await hot(third, 'replayed', { late: true, version: 2 });
    const found = await latest('replayed');
    assert.equal(found.status === 'found' && found.item.version, 2);
    const alone = createLookup(redis, away);
    assert.equal((await alone.latestSession('acme', 'chat', 'replayed')).status, 'unavailable');
  });

  it('is the newest check that has a verdict or was given up: one that was answered 400 or 503 hides none [session.no-verdict]', async () => {
    const faults = [400, 503].map((status) => ({ status, code: 'c', message: 'the image cannot be had' }));
    const givenUp = { status: 500, code: 'internal_error', message: 'the check could not be finished' };
    for (const [where, store] of [
      ['hot', hot],
      ['archived', archive],
    ] as const) {
      const session = `hidden-${where}`;
      const flagged = nextId();
      await store(flagged, session);
      for (const error of faults) await store(nextId(), session, { error });
      assert.equal(idOf(await latest(session)), itemId(flagged, 1), where);
      const late = nextId();
      await markAwaited(redis, 0, late, { kind: 'session', team: 'acme', scope: 'chat', session });
      await store(late, session, { error: faults[0]! });
      const found = idOf(await latest(session));
      assert.equal(found, itemId(flagged, 1), `${where}, though its caller was answered 504 first`);
      const dead = nextId();
      await store(dead, session, { error: givenUp });
      assert.equal(idOf(await latest(session)), itemId(dead, 1), where);
      await store(nextId(), `only-${where}`, { error: faults[0]! });
      assert.equal((await latest(`only-${where}`)).status, 'absent');
    }
    // A check that leads nowhere now, and did when it was archived: many of them.
    const session = 'hidden-long-ago';
    const flagged = nextId();
    await archive(flagged, session);
    for (let i = 0; i < 3; i++) {
      const id = nextId();
      await archive(id, session);
      await archive(id, session, { version: 2, error: faults[0]! });
    }
    assert.equal(idOf(await latest(session)), itemId(flagged, 1));
  });

  it('remembers so many unfinished checks, for an hour', async () => {
    const ids = Array.from({ length: 110 }, nextId);
    for (const id of ids) await late(id, 'chat-1');
    const key = keys.accepted('acme', 'chat', 'late', 'chat-1');
    assert.equal(await redis.zcard(key), 100);
    const life = await redis.ttl(key);
    assert.ok(life > 3500 && life <= 3600, String(life));
    const owner = { team: 'acme', scope: 'chat' };
    assert.deepEqual(await markedSessions(redis, owner, 'chat-1', 1), [itemId(ids.at(-1)!, 1)]);
  });

  it('without an id of the caller’s is noted by its internal id alone', async () => {
    const id = nextId();
    await markAwaited(redis, 0, id, { kind: 'session', team: 'acme', scope: 'chat' });
    await markAwaited(redis, 0, nextId(), { kind: 'event', team: 'acme', scope: 'prod' });
    assert.deepEqual(await redis.keys('accepted:*'), []);
  });
});
