import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inQuestions } from '#weir/shared/history/read/questions';
import { pluck } from '../../../support/pluck.ts';

const parts = (texts: string[]): number[] => inQuestions(texts, (text) => [text]).map((part) => part.length);

describe('what is asked for at once', () => {
  it('is nothing where there is nothing, and all of few', () => {
    const none = inQuestions([], () => []);
    assert.deepEqual(none, []);
    const one = inQuestions(['a', 'b', ''], (text) => [text]);
    assert.deepEqual(one, [['a', 'b', '']]);
  });

  it('is bounded in number and stays in order', () => {
    const all = Array.from({ length: 1001 }, (_, n) => String(n));
    const found = inQuestions(all, (text) => [text]);
    assert.deepEqual(pluck(found, 'length'), [500, 500, 1]);
    assert.deepEqual(found.flat(), all);
  });

  it('is bounded in the bytes of a parameter, as they are written there', () => {
    const kib = (letter: string, bytes: number) => letter.repeat((1024 - 3) / bytes);
    for (const [letter, bytes] of [
      ['x', 1],
      ["'", 2],
      ['\\', 2],
      ['\n', 2],
      ['事', 3],
    ] as const) {
      assert.deepEqual(parts(Array.from({ length: 121 }, () => kib(letter, bytes))), [120, 1], JSON.stringify(letter));
    }
    assert.deepEqual(parts(['x'.repeat(200_000), 'y', 'z']), [1, 2], 'one by itself where it is too long');
  });

  it('has several parameters, each with bytes of its own', () => {
    const one = 'x'.repeat(1021);
    assert.deepEqual(inQuestions(Array(240).fill(one), (text) => [text, text, '']).length, 2);
  });
});
