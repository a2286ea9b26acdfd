import assert from 'node:assert/strict';
import { setMaxListeners } from 'node:events';
import { describe, it } from 'node:test';
import { createSlots } from '#weir/shared/slots';

const never = new AbortController().signal;
setMaxListeners(0, never);
const settled = async (promise: Promise<unknown>): Promise<boolean> => {
  let done = false;
  void promise.then(() => {
    done = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  return done;
};

describe('room for fetches', () => {
  it('limits slots in all and per host, and serves waiters in order', async () => {
    const slots = createSlots({ total: 3, perHost: 2, waiting: 10 });
    const a1 = await slots.take('a', never);
    await slots.take('a', never);
    const a3 = slots.take('a', never);
    const b1 = await slots.take('b', never);
    const b2 = slots.take('b', never);
    assert.equal(await settled(a3), false);
    assert.equal(await settled(b2), false);
    b1?.();
    assert.equal(await settled(b2), true);
    assert.equal(await settled(a3), false);
    a1?.();
    a1?.();
    assert.equal(await settled(a3), true);
    assert.deepEqual(slots.counts(), { taken: 3, waiting: 0 });
  });

  it('lets another host pass those that wait for a full one', async () => {
    const slots = createSlots({ total: 3, perHost: 1, waiting: 10 });
    await slots.take('slow', never);
    const waiting = [slots.take('slow', never), slots.take('slow', never)];
    assert.equal(await settled(slots.take('quick', never)), true);
    assert.deepEqual(slots.counts(), { taken: 2, waiting: 2 });
    assert.equal(await settled(waiting[0]!), false);
  });

  it('rejects a waiter that would make the queue too long', async () => {
    const slots = createSlots({ total: 1, perHost: 1, waiting: 1 });
    const give = await slots.take('a', never);
    const next = slots.take('a', never);
    assert.equal(await slots.take('a', never), undefined);
    give?.();
    (await next)?.();
    assert.deepEqual(slots.counts(), { taken: 0, waiting: 0 });
  });

  it('forgets waiters that leave', async () => {
    const slots = createSlots({ total: 1, perHost: 1, waiting: 5 });
    const give = await slots.take('a', never);
    const gone = new AbortController();
    const first = slots.take('a', gone.signal);
    const second = slots.take('a', never);
    gone.abort(new Error('enough'));
    await assert.rejects(first, /enough/);
    await assert.rejects(slots.take('b', gone.signal), /enough/);
    give?.();
    (await second)?.();
    assert.deepEqual(slots.counts(), { taken: 0, waiting: 0 });
  });

  it('leaves slots to a further team even when several teams hold all they can get', async () => {
    const slots = createSlots({ total: 16, perHost: 16, waiting: 1000, spare: true });
    const taken: Record<string, number> = {};
    for (const team of ['a', 'b', 'c', 'd', 'e']) {
      const all = Array.from({ length: 20 }, () => slots.take('host', never, team));
      taken[team] = (await Promise.all(all.map(settled))).filter(Boolean).length;
    }
    assert.deepEqual(taken, { a: 8, b: 4, c: 2, d: 1, e: 1 });
  });

  it('gives a team one slot of one or two', async () => {
    const one = createSlots({ total: 1, perHost: 1, waiting: 10, spare: true });
    assert.equal(await settled(one.take('host', never, 'a')), true);
    const two = createSlots({ total: 2, perHost: 2, waiting: 10, spare: true });
    await two.take('host', never, 'a');
    assert.equal(await settled(two.take('host', never, 'a')), false);
    assert.equal(await settled(two.take('host', never, 'b')), true);
  });

  it('gives freed slots to waiting teams in turn, and to none beyond its share', async () => {
    const slots = createSlots({ total: 4, perHost: 4, waiting: 1000, spare: true });
    const gives = await Promise.all(['a', 'a', 'b', 'c'].map((team) => slots.take('host', never, team)));
    const order: string[] = [];
    for (const team of ['a', 'a', 'b', 'd', 'd']) {
      void slots.take('host', never, team).then(() => order.push(team));
    }
    const given: string[] = [];
    for (const give of gives) {
      give?.();
      await settled(Promise.resolve());
      given.push(order.splice(0).join());
    }
    // Teams a and b hold one slot each while one is free, team d none. Then it is the turn of a, then of b.
    assert.deepEqual(given, ['d', 'a', 'b', '']);
    assert.deepEqual(slots.counts(), { taken: 3, waiting: 2 });
  });

  it('limits callers without a team by the total alone', async () => {
    const slots = createSlots({ total: 3, perHost: 3, waiting: 10, spare: true });
    for (let i = 0; i < 3; i++) assert.equal(await settled(slots.take('host', never)), true);
    assert.equal(await settled(slots.take('host', never)), false);
  });
});
