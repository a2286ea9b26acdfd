import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { reliabilityOf } from '#weir/deploy/train/figures/measure';

describe('reliability', () => {
  it('says by tenth of the score how often the label holds, with both sides alike', () => {
    const scored = [
      { score: 0.05, value: 0, weight: 1 },
      { score: 0.05, value: 0, weight: 1 },
      { score: 0.95, value: 1, weight: 3 },
      { score: 0.92, value: 0, weight: 1 },
      { score: 1, value: 1, weight: 3 },
    ] as const;
    const bins = reliabilityOf(scored);
    assert.equal(bins.length, 10);
    assert.deepEqual(bins[0], { texts: 2, share: 0 });
    assert.deepEqual(bins[5], { texts: 0, share: undefined });
    // All of those with it, and a third of those without.
    assert.equal(bins[9]!.texts, 3);
    assert.ok(Math.abs(bins[9]!.share! - 0.75) < 1e-9);
  });
});
