/** Look-ups of an event by the caller's ids while events are late, or were finished late, with both stores. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type LateEvent, markAwaited, markLateEvents } from '#weir/ingress/lookups/hot/awaited';
import { createLookup } from '#weir/ingress/lookups/lookup';
import type { ItemAnswer } from '#weir/ingress/lookups/types';
import type { ResultRecord } from '#weir/shared/api/results/record';
import { RECORD_FORMATS } from '#weir/shared/formats';
import { itemId, partsOf } from '#weir/shared/ids';
import { runMember } from '#weir/shared/streams/hot/indexes';
import { keys } from '#weir/shared/streams/keys';
import { unpackRows } from '#weir/workers/rows/unpack-rows';
import { sharedHistory } from '../../support/stores/clickhouse.ts';
import { encodeRecord, encodeRows } from '../../support/stores/encoded.ts';
import { nextId, rowItem, rowRequest } from '../../support/stores/history.ts';
import { insertAs } from '../../support/stores/insert.ts';
import { sharedRedis } from '../../support/stores/redis.ts';
import { record, recordItem } from '../support.ts';

const { client, queries } = await sharedHistory();
const { redis } = await sharedRedis();
const lookup = createLookup(redis, queries);

const OWNER = { team: 'acme', scope: 'prod' };

async function late(id: string, events: LateEvent[]): Promise<void> {
  await markAwaited(redis, 0, id, { kind: 'event', ...OWNER });
  await markLateEvents(redis, id, OWNER, events);
}

const sequenceOf = (id: string): number => partsOf(id)!.time * 4096;

async function hot(id: string, run: string, change: Partial<ResultRecord> = {}): Promise<void> {
  const { time } = partsOf(id)!;
  const items = [1, 2].map((n) => recordItem(n, { runId: run, eventId: `e${n}` }));
  await redis.zadd(keys.run('acme', 'prod', run), sequenceOf(id), runMember(id, ['e1', 'e2']));
  const times = { sequence: sequenceOf(id), received: time, completed: time + 3 };
  await redis.set(keys.result(0, id), encodeRecord(record({ id, items, ...times, ...change })));
}

async function archive(id: string, run: string): Promise<void> {
  const request = rowRequest({ id, sequence: sequenceOf(id) }, partsOf(id)!.time);
  const rows = [1, 2].map((n) => rowItem(n, { runId: run, eventId: `e${n}` }));
  await insertAs('1', client, [unpackRows('1', encodeRows(request, rows)).bytes]);
}

const latest = (run: string, event = 'e1', team = 'acme'): Promise<ItemAnswer> =>
  lookup.latestEvent(team, 'prod', run, event);
const idOf = (found: ItemAnswer): string => (found.status === 'found' ? found.item.id : found.status);

describe('a hot result of a newer release', () => {
  it('is unavailable, and not taken for absent or for a fault of ours', async () => {
    const id = nextId();
    await hot(id, 'newer');
    await redis.setrange(keys.result(0, id), 0, String.fromCharCode(RECORD_FORMATS.newest + 1));
    assert.deepEqual(await latest('newer'), { status: 'unavailable' });
    assert.deepEqual(await lookup.byId('event', 'acme', 'prod', itemId(id, 1)), { status: 'unavailable' });
  });

  it('is absent for everybody else', async () => {
    const id = nextId();
    await hot(id, 'newer, of others');
    await redis.setrange(keys.result(0, id), 0, String.fromCharCode(RECORD_FORMATS.newest + 1));
    for (const [team, scope] of [
      ['globex', 'prod'],
      ['acme', 'staging'],
    ] as const)
      assert.deepEqual(await lookup.byId('event', team, scope, itemId(id, 1)), { status: 'absent' });
  });
});

describe('an event by the caller’s ids', () => {
  it('is the latest by sequence, though an earlier one is hot that was finished after it had left [4.9.latest]', async () => {
    const [first, second] = [nextId(), nextId()] as const;
    await archive(second, 'replayed');
    await hot(first, 'replayed', { version: 2, late: true });
    assert.equal(idOf(await latest('replayed')), itemId(second, 1));
    const third = nextId();
    await hot(third, 'replayed', { late: true });
    assert.equal(idOf(await latest('replayed')), itemId(third, 1));
  });

  it('is pending when it was answered 504, until it is stored, for its own team and by its own ids [deadline.event]', async () => {
    const id = nextId();
    await late(id, [
      { item: 1, run: 'late', event: 'e1' },
      { item: 2, run: 'late', event: 'e2' },
      { item: 3, run: 'other', event: 'e1' },
    ]);
    for (const [run, event] of [
      ['late', 'e1'],
      ['late', 'e2'],
      ['other', 'e1'],
    ] as const) {
      assert.equal((await latest(run, event)).status, 'pending');
    }
    assert.equal((await latest('late', 'e')).status, 'absent');
    assert.equal((await latest('third', 'e1')).status, 'absent');
    assert.equal((await latest('late', 'e1', 'others')).status, 'absent');
    assert.equal((await lookup.latestSession('acme', 'prod', 'late')).status, 'absent');
  });

  for (const [where, store] of [
    ['hot', hot],
    ['archived', archive],
  ] as const) {
    it(`is that one once it is ${where}, and any one that is stored after it [4.9.latest] [deadline.event]`, async () => {
      const run = `run-${where}`;
      const [first, second, third] = [nextId(), nextId(), nextId()] as const;
      await store(first, run);
      await late(second, [{ item: 2, run, event: 'e2' }]);
      assert.equal(idOf(await latest(run)), itemId(first, 1), 'another event of the run is not late');
      assert.equal((await latest(run, 'e2')).status, 'pending', 'what is stored is an earlier one');
      await store(second, run);
      assert.equal(idOf(await latest(run, 'e2')), itemId(second, 2));
      await store(third, run);
      assert.equal(idOf(await latest(run, 'e2')), itemId(third, 2));
    });
  }

  it('is remembered with so many others of its run, for an hour', async () => {
    for (let i = 0; i < 30; i++) {
      const events = Array.from({ length: 50 }, (_, n) => ({ item: n + 1, run: 'many', event: `e${n}` }));
      await markLateEvents(redis, nextId(), OWNER, events);
    }
    const key = keys.accepted('acme', 'prod', 'event', 'many');
    assert.equal(await redis.zcard(key), 1000);
    const life = await redis.ttl(key);
    assert.ok(life > 3500 && life <= 3600, String(life));
  });
});
