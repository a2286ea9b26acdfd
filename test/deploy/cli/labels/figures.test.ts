import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { agreementOf, shareOf, thresholdOf } from '#weir/deploy/cli/labels/figures';

const close = (is: number, expected: number): void =>
  assert.ok(Math.abs(is - expected) < 5e-4, `${is}, not ${expected}`);

describe('figures of labels', () => {
  it('have the interval of Wilson, which is never outside of 0 and 1', () => {
    // Values of the table in Newcombe (1998), method 3.
    for (const [part, of, low, high] of [
      [81, 263, 0.2553, 0.3662],
      [15, 148, 0.0624, 0.1605],
      [0, 20, 0, 0.1611],
      [1, 29, 0.0061, 0.1718],
    ] as const) {
      const share = shareOf(part, of)!;
      close(share.value, part / of);
      close(share.low, low);
      close(share.high, high);
    }
    assert.equal(shareOf(20, 20)!.high, 1);
    assert.equal(shareOf(0, 0), null);
  });

  it("have Cohen's kappa", () => {
    const times = (n: number, one: boolean, other: boolean): [boolean, boolean][] =>
      Array.from({ length: n }, () => [one, other]);
    const pairs = [
      ...times(20, true, true),
      ...times(5, true, false),
      ...times(10, false, true),
      ...times(15, false, false),
    ];
    const { items, agreed, kappa } = agreementOf(['a', 'b'], pairs);
    assert.deepEqual([items, agreed], [50, 0.7]);
    close(kappa!, 0.4);
    assert.equal(agreementOf(['a', 'b'], times(9, true, true)).kappa, null);
    close(agreementOf(['a', 'b'], times(5, true, false)).kappa!, 0);
  });

  it('suggest the highest threshold that keeps 95 % of the true alarms, where there are enough of both', () => {
    const alarms = (scores: number[], isTrue: boolean) => scores.map((score) => ({ score, isTrue }));
    const range = (n: number, from: number): number[] => Array.from({ length: n }, (_, i) => from + i / 100);
    const found = thresholdOf([...alarms(range(40, 0.6), true), ...alarms(range(20, 0.5), false)])!;
    close(found.threshold, 0.62);
    assert.deepEqual([found.kept, found.true_alarms, found.removed, found.false_alarms], [38, 40, 12, 20]);
    assert.equal(thresholdOf([...alarms(range(9, 0.6), true), ...alarms(range(20, 0.5), false)]), null);
    assert.equal(thresholdOf([...alarms(range(40, 0.6), true), ...alarms(range(9, 0.5), false)]), null);
    assert.equal(
      thresholdOf([...alarms(range(40, 0.1), true), ...alarms(range(20, 0.5), false)]),
      null,
      'it removes none',
    );
  });
});
