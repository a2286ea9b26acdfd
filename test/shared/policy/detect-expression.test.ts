import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type Expression,
  evaluateExpression,
  NO,
  type Truth,
  UNKNOWN,
  YES,
} from '#weir/shared/policy/detect-expression';

const leaf = (detector: number): Expression => ({ kind: 'detector', detector });

describe('three-valued expressions', () => {
  const rows: [Truth, Truth, Truth, Truth][] = [
    // a, b, any, all
    [NO, NO, NO, NO],
    [NO, YES, YES, NO],
    [YES, NO, YES, NO],
    [YES, YES, YES, YES],
    [NO, UNKNOWN, UNKNOWN, NO],
    [UNKNOWN, NO, UNKNOWN, NO],
    [YES, UNKNOWN, YES, UNKNOWN],
    [UNKNOWN, YES, YES, UNKNOWN],
    [UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN],
  ];
  for (const [a, b, any, all] of rows) {
    it(`any and all of ${a} and ${b} are ${any} and ${all}`, () => {
      const truth = (detector: number): Truth => (detector === 0 ? a : b);
      assert.equal(evaluateExpression({ kind: 'any', of: [leaf(0), leaf(1)] }, truth), any);
      assert.equal(evaluateExpression({ kind: 'all', of: [leaf(0), leaf(1)] }, truth), all);
    });
  }
  it('not turns yes and no around and keeps what could not run', () => {
    const not = (value: Truth) => evaluateExpression({ kind: 'not', of: leaf(0) }, () => value);
    assert.deepEqual([not(NO), not(YES), not(UNKNOWN)], [YES, NO, UNKNOWN]);
  });
});
