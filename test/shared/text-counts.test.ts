import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { createCounter } from '#weir/shared/text-counts';

/** Code points and bytes of a text, by the platform; of a lone surrogate as of U+FFFD. */
const sizes = (text: string): [number, number] => [Array.from(text).length, Buffer.byteLength(text)];
const splits = (text: string, at: number): boolean => (text.codePointAt(at - 1) ?? 0) > 0xffff;

describe('a range of a text', () => {
  it('is the same in each unit as far as the text is ASCII', () => {
    assert.equal(createCounter('plain text').rangeOf(2, 7), undefined);
    assert.equal(createCounter('a card, 😀').rangeOf(2, 6), undefined);
    assert.equal(createCounter('').rangeOf(0, 0), undefined);
    assert.equal(createCounter('é').rangeOf(0, 0), undefined);
  });

  it('is counted in code points and in bytes', () => {
    assert.deepEqual(createCounter('😀 a zebra').rangeOf(5, 10), [4, 9, 7, 12]);
    assert.deepEqual(createCounter('é€😀').rangeOf(1, 4), [1, 3, 2, 9]);
    assert.deepEqual(createCounter('é').rangeOf(1, 1), [1, 1, 2, 2]);
  });

  it('has all of a pair that it has half of', () => {
    assert.deepEqual(createCounter('a😀b').rangeOf(2, 4), [1, 3, 1, 6]);
    assert.deepEqual(createCounter('a😀b').rangeOf(0, 2), [0, 2, 0, 5]);
  });

  it('counts a surrogate without its other half as one, of three bytes', () => {
    assert.deepEqual(createCounter('\ud83d\ud83d\ude00\ude00x').rangeOf(1, 5), [1, 4, 3, 11]);
  });

  it('is as the platform counts it, wherever it is, in any order of questions', () => {
    const unit = fc.oneof(
      fc.constantFrom('a', 'é', '€', '😀', '\ud83d', '\ude00', '한', '\n'),
      fc.nat({ max: 0xffff }).map((code) => String.fromCharCode(code)),
    );
    const texts = fc.array(unit, { maxLength: 60 }).map((units) => units.join(''));
    const long = fc.tuple(texts, fc.nat({ max: 80 })).map(([text, times]) => text.repeat(times));
    fc.assert(
      fc.property(long, fc.array(fc.tuple(fc.nat(), fc.nat()), { minLength: 1, maxLength: 8 }), (text, pairs) => {
        const counter = createCounter(text);
        for (const [one, other] of pairs) {
          const [a, b] = [one % (text.length + 1), other % (text.length + 1)];
          const [start, end] = [Math.min(a, b), Math.max(a, b)];
          const from = splits(text, start) ? start - 1 : start;
          const to = splits(text, end) ? end + 1 : end;
          const [points, bytes] = sizes(text.slice(0, from));
          const [allPoints, allBytes] = sizes(text.slice(0, to));
          const expected = start === end && from !== to ? undefined : [points, allPoints, bytes, allBytes];
          if (expected === undefined) continue;
          assert.deepEqual(counter.rangeOf(start, end) ?? [start, end, start, end], expected);
        }
      }),
      { numRuns: 300 },
    );
  });
});
