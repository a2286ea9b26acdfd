import assert from 'node:assert/strict';
import { setMaxListeners } from 'node:events';
import { describe, it } from 'node:test';
import { createRoom, type Stay } from '#weir/workers/evaluator/room';

const never = new AbortController().signal;
setMaxListeners(0, never);

describe('the room for entries whose images are looked at', () => {
  it('is for eight times as many as look at once: half for one team, half of the rest for each further one', () => {
    const room = createRoom({ entries: 2, bytes: 1000 });
    const all = (team: string) => {
      const stays: Stay[] = [];
      for (let stay = room.take(team, 0); stay; stay = room.take(team, 0)) stays.push(stay);
      return stays;
    };
    const [a, b, c] = ['a', 'b', 'c'].map(all);
    assert.deepEqual([a!.length, b!.length, c!.length], [16, 8, 4]);
    a![0]!.leave();
    assert.equal(room.take('a', 0), undefined, 'others would have less than it has');
    for (const stay of b!) stay.leave();
    assert.equal(all('d').length, 7, 'of 13 that are free');
    for (const stay of [...a!.slice(1), ...c!]) stay.leave();
    assert.equal(all('a').length, 13);
  });

  it('is for half of the bytes for one team, or for a single body of any size', () => {
    const room = createRoom({ entries: 2, bytes: 1000 });
    const large = room.take('a', 5000);
    assert.ok(large);
    assert.equal(room.take('a', 1), undefined);
    assert.ok(room.take('a', 0), 'what fetches nothing has no part in it');
    const b = room.take('b', 300);
    assert.ok(b, 'another team has room for one, too');
    assert.equal(room.take('b', 1), undefined);
    large.leave();
    const more = room.take('b', 200);
    assert.ok(more);
    assert.equal(room.take('b', 1), undefined);
    assert.ok(room.take('c', 100) && room.take('c', 150), 'half of what is left');
    assert.equal(room.take('c', 1), undefined);
  });

  it('gives one team half of the turns, in the order of arrival', async () => {
    const room = createRoom({ entries: 1, bytes: 1000 });
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

  it('lets an entry stop waiting for its turn', async () => {
    const room = createRoom({ entries: 1, bytes: 1000 });
    const end = await room.take('a', 0)!.turn(never);
    const ending = new AbortController();
    const waiting = room.take('a', 0)!.turn(ending.signal);
    ending.abort(new Error('the time is up'));
    await assert.rejects(waiting, /the time is up/);
    end();
    (await room.take('a', 0)!.turn(never))();
  });

  it('leaves turns to a team that comes after others that keep theirs', async () => {
    const room = createRoom({ entries: 4, bytes: 1000 });
    const turns: Record<string, number> = { a: 0, b: 0, c: 0 };
    for (const team of ['a', 'b', 'c']) {
      for (let i = 0; i < 5; i++) {
        void room
          .take(team, 0)!
          .turn(never)
          .then(() => turns[team]!++);
      }
      await new Promise((resolve) => setImmediate(resolve));
    }
    assert.deepEqual(turns, { a: 4, b: 2, c: 1 });
  });
});
