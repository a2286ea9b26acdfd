import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createSlots } from '#weir/workers/media/slots';

const never = new AbortController().signal;
const settled = async (promise: Promise<unknown>): Promise<boolean> => {
  let done = false;
  void promise.then(() => {
    done = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  return done;
};

describe('room for fetches', () => {
  it('limits all and each host, and serves who waits in order', async () => {
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

  it('turns away who would make the queue too long', async () => {
    const slots = createSlots({ total: 1, perHost: 1, waiting: 1 });
    const give = await slots.take('a', never);
    const next = slots.take('a', never);
    assert.equal(await slots.take('a', never), undefined);
    give?.();
    (await next)?.();
    assert.deepEqual(slots.counts(), { taken: 0, waiting: 0 });
  });

  it('forgets who stops waiting', async () => {
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
});
