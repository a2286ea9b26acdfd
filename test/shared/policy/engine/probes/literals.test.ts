import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { requiredLiterals } from '#weir/shared/policy/engine/probes/literals';

describe('required literals', () => {
  const rows: [string, string[] | undefined][] = [
    ['abc', ['abc']],
    ['\\bPRJ-\\d{4}\\b', ['PRJ-']],
    ['foo|barbaz', ['foo', 'barbaz']],
    ['(?:foo|barbaz)\\d', ['foo', 'barbaz']],
    ['(foo|bar)(x|y)', ['foox', 'fooy', 'barx', 'bary']],
    ['(?i)Secret\\s+key', ['Secret']],
    ['a.*longest.*abc', ['longest']],
    ['ab+cdef', ['cdef']],
    ['(?:abc)+d', ['abc']],
    ['(?:abc){2,3}', ['abc']],
    ['\\Qa.b\\E', undefined],
    ['a\\.b\\.c', ['a.b.c']],
    ['(?P<x>abc)def', ['abcdef']],
    ['[[:alpha:]]xyz', ['xyz']],
    ['[]a]xyz', ['xyz']],
    ['\\p{Greek}xyz', ['xyz']],
    ['^start$', ['start']],
    ['straße', ['stra']],
    ['éabc', ['abc']],
    // nothing is certain
    ['a*', undefined],
    ['abc|', undefined],
    ['abc|\\d+', undefined],
    ['(?:abc)?d', undefined],
    ['(?:abc)*', undefined],
    ['(?:abc){0,3}', undefined],
    ['ab', undefined],
    ['\\d{3}-\\d{2}', undefined],
    ['\\x61bcd', undefined],
    ['abc{x', undefined],
    ['(((', undefined],
  ];
  for (const [pattern, expected] of rows) {
    it(`of ${pattern} are ${expected ? expected.join(', ') : 'unknown'}`, () => {
      assert.deepEqual(requiredLiterals(pattern), expected);
    });
  }
  it('are unknown where there would be too many, and where groups nest without end', () => {
    assert.equal(requiredLiterals(`(?:${Array.from({ length: 65 }, (_, i) => `word${i}`).join('|')})`), undefined);
    assert.equal(requiredLiterals(`${'('.repeat(200)}abc${')'.repeat(200)}`), undefined);
  });
});
