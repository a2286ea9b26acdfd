import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Sending, sendAll } from '#weir/workers/archiver/narrow';

class Refused extends Error {}
const isRefused = (error: unknown): error is Refused => error instanceof Refused;

/** What was sent of the numbers below `count` when those of `bad` are refused, and in how many calls. */
async function sent(count: number, bad: readonly number[]) {
  const sending: Sending<number, Refused> = { left: [Array.from({ length: count }, (_, i) => i)], refused: new Map() };
  const taken: number[] = [];
  let calls = 0;
  await sendAll(
    sending,
    async (group) => {
      calls++;
      if (group.some((item) => bad.includes(item))) throw new Refused();
      taken.push(...group);
    },
    isRefused,
  );
  return { taken, refused: [...sending.refused.keys()], calls, left: sending.left };
}

describe('narrowing down', () => {
  it('finds every item at fault, and sends each of the others once and in order', async () => {
    for (const count of [0, 1, 2, 3, 7, 64, 100]) {
      for (const bad of [[], [0], [count - 1], [0, count - 1], [3, 4, 5], Array.from({ length: count }, (_, i) => i)]) {
        const known = [...new Set(bad)].filter((item) => item >= 0 && item < count);
        const { taken, refused, left } = await sent(count, known);
        assert.deepEqual(refused, known);
        assert.deepEqual(
          taken,
          Array.from({ length: count }, (_, i) => i).filter((i) => !known.includes(i)),
        );
        assert.deepEqual(left, []);
      }
    }
  });

  it('takes twice the logarithm of calls for one item at fault, and two an item at most', async () => {
    assert.equal((await sent(1024, [700])).calls, 21);
    assert.equal(
      (
        await sent(
          64,
          Array.from({ length: 64 }, (_, i) => i),
        )
      ).calls,
      127,
    );
  });

  it('goes on where another error has ended it', async () => {
    const sending: Sending<number, Refused> = { left: [[9], [1, 2, 3, 4, 5, 6]], refused: new Map() };
    const taken: number[] = [];
    const send = async (group: readonly number[]): Promise<void> => {
      if (taken.length === 2 && group.includes(4)) throw new Error('away');
      if (group.includes(3)) throw new Refused();
      taken.push(...group);
    };
    await assert.rejects(sendAll(sending, send, isRefused), /away/);
    assert.deepEqual([taken, [...sending.refused.keys()]], [[1, 2], [3]]);
    taken.push(0);
    await sendAll(sending, send, isRefused);
    assert.deepEqual(taken, [1, 2, 0, 4, 5, 6, 9]);
  });
});
