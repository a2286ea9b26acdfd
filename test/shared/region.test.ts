import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { NO_REGION, REGION_SHAPE, regionFrom, regionText } from '#weir/shared/region';

describe('a region', () => {
  it('is a number from 1 to 15 and a name', () => {
    for (const text of ['1:eu', '15:us-east-1', '9:a', `3:${'a'.repeat(32)}`]) {
      assert.match(text, REGION_SHAPE.pattern);
      assert.equal(regionText(regionFrom(text)), text);
    }
    assert.deepEqual(regionFrom('12:us-east-1'), { number: 12, name: 'us-east-1' });
  });

  it('is nothing else, nor none', () => {
    for (const text of [
      '0:eu',
      '16:eu',
      '01:eu',
      'eu',
      '1',
      '1:',
      '1:EU',
      '1: eu',
      '1:-eu',
      '1:eu-',
      `1:${'a'.repeat(33)}`,
      '1:e u',
    ]) {
      assert.doesNotMatch(text, REGION_SHAPE.pattern, text);
      assert.deepEqual(regionFrom(text), NO_REGION, text);
    }
    assert.match('', REGION_SHAPE.pattern);
    assert.equal(regionText(regionFrom('')), '');
  });
});
