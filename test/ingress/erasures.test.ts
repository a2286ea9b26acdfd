/** Erasures at the HTTP edge: what they ask of Redis, and what its troubles are answered. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { userMarks } from '#weir/shared/erasure-marks';
import { type Erasure, type ErasureOrder, NOTHING_REMOVED } from '#weir/shared/streams/erasures';
import { type Answer, assertError, sharedIngress, storedItem } from './support.ts';

const ID = '01890000-0000-7000-8000-000000000001';

describe('an erasure that is asked for', () => {
  const orders: ErasureOrder[] = [];
  let answer: () => Promise<Erasure | undefined>;
  const taken = async (): Promise<Erasure> => {
    const { marks, actor, ...order } = orders.at(-1)!;
    const times = { requested: 1_795_000_000_000, erased: 0, complete: 0 };
    const rest = { state: 'waiting', held: [], waits: '', removed: NOTHING_REMOVED } as const;
    return { ...order, by: actor.id, ...times, ...rest, held: [], id: ID, marks: marks('salt'), until: 1 };
  };
  const ingress = sharedIngress(undefined, {
    erasures: {
      add(order) {
        orders.push(order);
        return answer();
      },
      find: async () => undefined,
    },
  });
  const remove = (path: string): Promise<Answer> =>
    ingress.call({
      method: 'DELETE',
      path,
      headers: { authorization: 'Bearer eraser', 'service-version': '2026-06-01' },
    });

  it('says whose it is, by marks alone', async () => {
    answer = taken;
    const told = await remove('/api/user?email=%20A@Example.com');
    assert.equal(told.status, 202, told.text);
    const { marks, actor, ...order } = orders.at(-1)!;
    assert.deepEqual(order, { team: 'acme', subject: 'user', scope: '', internal: '' });
    assert.deepEqual({ ...actor, request: '' }, { kind: 'key', id: 'eraser', address: '127.0.0.1', request: '' });
    assert.deepEqual(marks('s'), userMarks({ salt: 's', team: 'acme' }, 'email', 'a@example.com'));
  });

  it('is 503 where there is no room, with the time after which there may be, and where Redis is away', async () => {
    answer = async () => undefined;
    const full = await remove('/api/user?id=u');
    assertError(full, { status: 503, code: 'overloaded' });
    assert.equal(full.headers['retry-after'], '60');
    answer = () => Promise.reject(new Error('Connection is closed.'));
    assertError(await remove('/api/user?id=u'), { status: 503, code: 'unavailable' });
  });

  it('takes an event that is under way, and none that is absent or cannot be looked up', async () => {
    answer = taken;
    ingress.found = { status: 'pending', session: '' };
    assert.equal((await remove(`/api/event/${ID}?environment_id=prod`)).status, 202);
    ingress.found = { status: 'found', item: storedItem() };
    assert.equal((await remove(`/api/event/${ID}?environment_id=prod`)).status, 202);
    const many = orders.length;
    ingress.found = { status: 'absent' };
    assertError(await remove(`/api/event/${ID}?environment_id=prod`), { status: 404, code: 'not_found' });
    ingress.found = { status: 'unavailable' };
    assertError(await remove(`/api/event/${ID}?environment_id=prod`), { status: 503, code: 'unavailable' });
    assertError(await remove(`/api/event/${ID}?environment_id=staging`), { status: 503, code: 'unavailable' });
    assert.equal(orders.length, many);
  });
});
