import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { laneOf } from '#weir/ingress/lane';

const request = (more: object) => ({ images: 0, body: Buffer.alloc(10), ...more });

describe('the lane of a check', () => {
  it('is the fast one for what a thread is soon done with', () => {
    for (const more of [{}, { body: Buffer.alloc(256 * 1024) }, { values: 16_384 }])
      assert.equal(laneOf(request(more)), 'fast');
  });

  it('is the slow one for images, for many bytes, for many values', () => {
    for (const more of [{ images: 1 }, { body: Buffer.alloc(256 * 1024 + 1) }, { values: 16_385 }]) {
      assert.equal(laneOf(request(more)), 'slow');
    }
  });
});
