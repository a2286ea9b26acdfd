import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { textOf } from '#weir/shared/policy/content';

describe('the text of a content field', () => {
  it('is the string itself', () => assert.equal(textOf('a\nb'), 'a\nb'));
  it('is the keys and strings of an object, in order', () => {
    assert.equal(
      textOf({ q: 'find', list: ['a', 1, null, { deep: 'b' }], flag: true }),
      'q\nfind\nlist\na\ndeep\nb\nflag',
    );
  });
  it('is empty for numbers, booleans and null', () => {
    for (const value of [1, true, null, undefined]) assert.equal(textOf(value), '');
  });
  it('includes keys that every object has', () => {
    assert.equal(textOf(JSON.parse('{"__proto__":"x","constructor":"y"}')), '__proto__\nx\nconstructor\ny');
  });
  it('does not overflow on deep values', () => {
    let value: unknown = 'deep';
    for (let i = 0; i < 100_000; i++) value = [value];
    assert.equal(textOf(value), '');
  });
});
