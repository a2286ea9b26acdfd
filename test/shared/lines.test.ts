import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createLines } from '#weir/shared/lines';

describe('lines by team', () => {
  const filled = (...of: string[]) => {
    const lines = createLines<string>();
    for (const one of of) lines.push(one[0]!, one);
    return lines;
  };
  const drain = (lines: ReturnType<typeof filled>): string[] => {
    const order: string[] = [];
    for (let one = lines.next(); one !== undefined; one = lines.next()) order.push(one);
    return order;
  };

  it('are served in turn, each in the order of arrival', () => {
    const lines = filled('a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1');
    assert.deepEqual([lines.size(), lines.of('b'), lines.all().length], [7, ['b1', 'b2'], 7]);
    assert.equal(lines.first(), 'a1');
    assert.deepEqual(drain(lines), ['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4']);
    assert.deepEqual([lines.size(), lines.of('a'), lines.all(), lines.first()], [0, [], [], undefined]);
  });

  it('keep their turn: the first of a team waits for one of another team at most', () => {
    const lines = filled('a1', 'a2', 'a3');
    assert.equal(lines.next(), 'a1');
    lines.push('b', 'b1');
    assert.equal(lines.next(), 'a2');
    assert.equal(lines.next(), 'b1');
    lines.push('b', 'b2');
    assert.deepEqual(drain(lines), ['a3', 'b2']);
  });

  it('skip what does not fit, and teams that are not open, which keep their turn', () => {
    const lines = filled('a1', 'a2', 'b1', 'b2');
    const chosen = lines.next(undefined, (one) => one.endsWith('2'));
    assert.equal(chosen, 'a2');
    const first = lines.next((team) => team === 'a');
    assert.equal(first, 'a1');
    const none = lines.next(undefined, () => false);
    assert.equal(none, undefined);
    assert.deepEqual(drain(lines), ['b1', 'b2']);
  });

  it('forget what is removed', () => {
    const lines = filled('a1', 'a2', 'b1');
    assert.equal(lines.remove('a', 'a1'), true);
    assert.equal(lines.remove('a', 'a1'), false);
    assert.equal(lines.remove('c', 'a2'), false);
    assert.equal(lines.remove('b', 'b1'), true);
    assert.deepEqual([lines.size(), drain(lines)], [1, ['a2']]);
  });
});
