import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { hasNeeded, neededTexts, requiredLiterals } from '#weir/shared/policy/engine/probes/literals';

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

describe('texts that a pattern needs', () => {
  const rows: [string, string[][]][] = [
    ['abc', [['abc']]],
    ['\\brm\\s+-[a-z]*[rf]\\s+/', [['rm'], ['-'], ['/']]],
    ['(?:print|Show).{0,40}system prompt', [['print', 'show'], ['system prompt']]],
    ['(?:a|bc)?d+e', [['d'], ['e']]],
    ['(?:ab+){2}', [['a'], ['b']]],
    ['\\d+é', []],
    ['a|\\d', []],
    ['abc{x', []],
    // as many as are worth a search each
    ['a.b.c.d.e', [['a'], ['b'], ['c'], ['d']]],
    ['(?:a|b|c|d|e|f|g|h|i)\\d@', [['@']]],
  ];
  for (const [pattern, expected] of rows) {
    it(`of ${pattern} are ${JSON.stringify(expected)}`, () => assert.deepEqual(neededTexts(pattern), expected));
  }
  it('are there where one of each is', () => {
    assert.equal(hasNeeded('run rm -rf /', [['rm'], ['-', '+']]), true);
    assert.equal(hasNeeded('run rm', [['rm'], ['-', '+']]), false);
    assert.equal(hasNeeded('anything', []), true);
  });
});
