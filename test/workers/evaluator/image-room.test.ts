import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createImageRoom } from '#weir/workers/evaluator/image-room';

const never = new AbortController().signal;

describe('the room for entries whose images are looked at', () => {
  it('is for eight times as many as look at once, of a team half of all', () => {
    const room = createImageRoom({ entries: 2, bytes: 1000 });
    const taken = Array.from({ length: 16 }, () => room.take('a', 0));
    assert.ok(taken.every((stay) => stay));
    assert.equal(room.take('a', 0), undefined);
    for (let i = 0; i < 15; i++) assert.ok(room.take('b', 0));
    assert.ok(room.take('c', 0));
    assert.equal(room.take('c', 0), undefined, 'nor is there any for all together');
    taken[0]!.leave();
    assert.equal(room.take('b', 0) && room.take('b', 0), undefined);
    taken[1]!.leave();
    assert.ok(room.take('c', 0));
  });

  it('is for half of the bytes, of a team, or for one body whatever its size', () => {
    const room = createImageRoom({ entries: 2, bytes: 1000 });
    const large = room.take('a', 5000);
    assert.ok(large);
    assert.equal(room.take('a', 1), undefined);
    assert.ok(room.take('a', 0), 'what fetches nothing has no part in it');
    assert.ok(room.take('b', 300) && room.take('b', 200));
    assert.equal(room.take('b', 1), undefined);
    large.leave();
    assert.ok(room.take('a', 500));
    assert.equal(room.take('a', 1), undefined);
  });

  it('gives turns, of a team to half as many as in all, in the order of arrival', async () => {
    const room = createImageRoom({ entries: 1, bytes: 1000 });
    const order: string[] = [];
    const turn = async (team: string, name: string): Promise<() => void> => {
      const end = await room.take(team, 0)!.turn(never);
      order.push(name);
      return end;
    };
    const first = turn('a', 'a1');
    const second = turn('a', 'a2');
    const other = turn('b', 'b1');
    const third = turn('a', 'a3');
    (await other)();
    assert.deepEqual(order, ['a1', 'b1']);
    (await first)();
    (await second)();
    (await third)();
    assert.deepEqual(order, ['a1', 'b1', 'a2', 'a3']);
  });

  it('lets who waits for a turn end that', async () => {
    const room = createImageRoom({ entries: 1, bytes: 1000 });
    const end = await room.take('a', 0)!.turn(never);
    const ending = new AbortController();
    const waiting = room.take('a', 0)!.turn(ending.signal);
    ending.abort(new Error('the time is up'));
    await assert.rejects(waiting, /the time is up/);
    end();
    (await room.take('a', 0)!.turn(never))();
  });
});
