import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MOST_HALVED, type NarrowedSending, sendAll } from '#weir/workers/rows/narrow';

class Refused extends Error {}
const isRefused = (error: unknown): error is Refused => error instanceof Refused;

const numbers = (count: number): number[] => Array.from({ length: count }, (_, i) => i);
const ordered = (items: Iterable<number>): number[] => [...items].sort((a, b) => a - b);

/** What was sent of the numbers below `count` when those of `bad` are refused, and in how many calls. */
async function sent(count: number, bad: readonly number[]) {
  const sending: NarrowedSending<number, Refused> = { left: [numbers(count)], refused: new Map() };
  const taken: number[] = [];
  const faulty = new Set(bad);
  let calls = 0;
  await sendAll(
    sending,
    async (group) => {
      calls++;
      if (group.some((item) => faulty.has(item))) throw new Refused();
      taken.push(...group);
    },
    isRefused,
  );
  return {
    taken: ordered(taken),
    refused: ordered(sending.refused.keys()),
    among: [...sending.refused.values()],
    calls,
    left: sending.left,
  };
}

describe('narrowing down', () => {
  it('finds every item at fault, and sends each of the others once', async () => {
    for (const count of [0, 1, 2, 3, 7, 64, 100]) {
      for (const bad of [[], [0], [count - 1], [0, count - 1], [3, 4, 5], numbers(Math.min(count, 64))]) {
        const known = [...new Set(bad)].filter((item) => item >= 0 && item < count);
        const { taken, refused, left } = await sent(count, known);
        assert.deepEqual(refused, known);
        assert.deepEqual(
          taken,
          numbers(count).filter((i) => !known.includes(i)),
        );
        assert.deepEqual(left, []);
      }
    }
  });

  it('takes twice the logarithm of calls for one item at fault, and finds five among 50,000', async () => {
    assert.equal((await sent(1024, [700])).calls, 21);
    const five = [3, 12_000, 23_456, 34_567, 49_999];
    assert.deepEqual((await sent(50_000, five)).refused, five);
  });

  it('halves so many groups at most, however many are at fault, and then refuses what is with them', async () => {
    const most = 1 + 2 * MOST_HALVED;
    const all = await sent(2000, numbers(2000));
    assert.deepEqual([all.calls, all.refused.length], [most, 2000]);
    assert.ok(Math.max(...all.among.map(({ among }) => among)) <= 2000 / 64 + 1);
    const third = numbers(2000).filter((i) => i % 3 === 0);
    const some = await sent(2000, third);
    assert.equal(some.calls, most);
    assert.deepEqual(ordered([...some.taken, ...some.refused]), numbers(2000));
    assert.ok(some.taken.every((i) => i % 3 !== 0));
    // Halving goes on where the others are: what is in the second half is stored.
    const half = await sent(2000, numbers(1000));
    assert.ok(half.taken.length === 1000 && half.calls <= most);
  });

  it('goes on where another error has ended it', async () => {
    const sending: NarrowedSending<number, Refused> = { left: [[1, 2, 3, 4, 5, 6], [9]], refused: new Map() };
    const taken: number[] = [];
    let away = true;
    const send = async (group: readonly number[]): Promise<void> => {
      if (away && taken.length === 5 && group.includes(2)) throw new Error('away');
      if (group.includes(3)) throw new Refused();
      taken.push(...group);
    };
    await assert.rejects(sendAll(sending, send, isRefused), /away/);
    assert.deepEqual([taken, sending.left], [[9, 4, 5, 6, 1], [[2, 3]]]);
    away = false;
    await sendAll(sending, send, isRefused);
    assert.deepEqual([ordered(taken), [...sending.refused.keys()]], [[1, 2, 4, 5, 6, 9], [3]]);
  });
});
