import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createEarlierTexts, inOrder } from '#weir/deploy/cli/backtest/conversations';

const HOUR = 3_600_000;

describe('earlier texts', () => {
  it('are the last ones before an event, also those of its own request', () => {
    const texts = createEarlierTexts(2);
    for (const [sequence, text] of [
      [1, 'a'],
      [2, 'b'],
      [3, 'c'],
      [3, 'd'],
    ] as const)
      texts.add('r', { sequence }, 0, text); // prettier-ignore
    assert.deepEqual(texts.before('r', 3, 0), ['c', 'd']);
    assert.deepEqual(texts.before('r', 4, 0), ['c', 'd']);
    assert.deepEqual(texts.before('other', 4, 0), []);
  });

  it('are forgotten an hour after the last', () => {
    const texts = createEarlierTexts(2);
    texts.add('r', { sequence: 1 }, 0, 'a');
    assert.deepEqual(texts.before('r', 2, HOUR), ['a']);
    texts.add('r', { sequence: 2 }, HOUR, 'b');
    assert.deepEqual(texts.before('r', 3, 2 * HOUR), ['a', 'b']);
    assert.deepEqual(texts.before('r', 4, 3 * HOUR + 1), []);
  });

  it('are not known while one of them is not stored any more', () => {
    const texts = createEarlierTexts(2);
    texts.add('r', { sequence: 1 }, 0, null);
    assert.equal(texts.before('r', 2, 0), undefined);
    for (const sequence of [2, 3]) texts.add('r', { sequence }, 0, 'x');
    assert.deepEqual(texts.before('r', 4, 0), ['x', 'x']);
  });

  it('have 64 KiB at most, and the end of a text that is longer', () => {
    const texts = createEarlierTexts(3);
    texts.add('r', { sequence: 1 }, 0, 'a'.repeat(40_000));
    texts.add('r', { sequence: 2 }, 0, 'b'.repeat(40_000));
    assert.deepEqual(
      texts.before('r', 3, 0)?.map(({ length }) => length),
      [40_000],
    );
    texts.add('r', { sequence: 3 }, 0, `${'c'.repeat(70_000)}d`);
    assert.equal(texts.before('r', 3, 0)?.at(-1)?.length, 70_001, 'of its own request as a whole');
    const [last] = texts.before('r', 4, 0)!;
    assert.ok(last!.length < 65_536 && last!.endsWith('cd'));
  });

  it('are dropped when their time is over', () => {
    const texts = createEarlierTexts(1);
    texts.add('old', { sequence: 1 }, 0, 'a');
    texts.add('new', { sequence: 2 }, HOUR, 'b');
    texts.drop(HOUR + 1);
    assert.deepEqual(texts.before('old', 3, HOUR), []);
    assert.deepEqual(texts.before('new', 3, HOUR), ['b']);
  });

  it('of a slice come in the order of results, with those after it that came before one of the slice', () => {
    const event = (id: string, sequence: number, time: number, conversation = 'r') => ({
      id,
      sequence,
      time,
      conversation,
    });
    const events = [event('b', 2, 90), event('a', 1, 101), event('c', 3, 102), event('d', 1, 103, 'other')];
    const early = new Set<string>();
    assert.deepEqual(
      inOrder(events, 100, early).map(({ id }) => id),
      ['a', 'b'],
    );
    assert.deepEqual([...early], ['a']);
    assert.deepEqual(
      inOrder(events.slice(1), 200, early).map(({ id }) => id),
      ['d', 'c'],
    );
    assert.equal(early.size, 0);
  });
});
