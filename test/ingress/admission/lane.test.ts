import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { laneOf } from '#weir/ingress/admission/lane';

const SMALL = { images: 0, bytes: 10, values: 0, cost: 0 };

describe('the lane of a check', () => {
  it('is fast for what a thread finishes soon', () => {
    for (const more of [{}, { bytes: 256 * 1024 }, { values: 16_384 }, { cost: 384 * 1024 }])
      assert.equal(laneOf({ ...SMALL, ...more }), 'fast');
  });

  it('is slow for images, for many bytes, for many values and for texts that cost much', () => {
    for (const more of [{ images: 1 }, { bytes: 256 * 1024 + 1 }, { values: 16_385 }, { cost: 384 * 1024 + 1 }]) {
      assert.equal(laneOf({ ...SMALL, ...more }), 'slow');
    }
  });
});
