import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { withoutBoundaries } from '#weir/shared/policy/engine/probes/pattern-set';
import { assertBounded } from '../../../support/effort.ts';
import { evidenceOf, pieces } from '../support.ts';

const regex = (patterns: string[], flags = '') => ({ regex: { patterns, flags } });

describe('regex', () => {
  const cases: [string, unknown, string, string[]][] = [
    ['finds a pattern with a literal', regex(['PRJ-\\d{4}']), 'see PRJ-1234 now', ['PRJ-1234']],
    ['heeds case', regex(['PRJ-\\d{4}']), 'see prj-1234', []],
    ['ignores case with the flag i', regex(['PRJ-\\d{4}'], 'i'), 'see prj-1234', ['prj-1234']],
    ['ignores case beyond ASCII with the flag i', regex(['task\\d'], 'i'), 'taſ\u212a1', ['taſ\u212a1']],
    [
      'finds what folding keeps in a text of another script',
      regex(['t.k\\d'], 'i'),
      'да t\u212a\u0308 T\u00e9K7',
      ['T\u00e9K7'],
    ],
    ['finds it beside letters that combine', regex(['a.c=']), '\u0430b a\u0301 \u0301a\u0301c a1c=\u0338', ['a1c=']],
    ['finds a pattern without any literal', regex(['\\b\\d{3}-\\d{2}\\b']), 'no 123-45 here', ['123-45']],
    ['heeds word boundaries that the set leaves out', regex(['\\b\\d{3}-\\d{2}\\b']), 'no 9123-45 here', []],
    ['finds either branch', regex(['(?:alpha|omega)\\d']), 'omega7', ['omega7']],
    ['finds a short literal', regex(['rm\\s+-rf']), 'rm  -rf /', ['rm  -rf']],
    ['lets ^ match at lines with the flag m', regex(['^end$'], 'm'), 'a\nend\nb', ['end']],
    ['keeps ^ at the start without it', regex(['^end$']), 'a\nend\nb', []],
    ['lets the dot match line breaks with the flag s', regex(['aaa.bbb'], 's'), 'aaa\nbbb', ['aaa\nbbb']],
    ['finds a large repetition', regex(['\\d.{0,90}q.{0,90}\\d']), 'x1 and q then 2', ['1 and q then 2']],
    ['sees through full-width digits', regex(['PRJ-[0-9]{4}']), 'PRJ-１２34', ['PRJ-１２34']],
    ['sees through zero-width characters', regex(['PRJ-[0-9]{4}']), 'P\u200bRJ-1234', ['P\u200bRJ-1234']],
    ['heeds accents and letters of other scripts', regex(['cafe', 'scam']), 'café, sc\u0430m', []],
    ['heeds digits and signs that stand for letters', regex(['spam']), 'sp4m, s.p.a.m, sp*m', []],
    ['does not decode', regex(['spam']), 'c3BhbSBpcyBoZXJl, %73%70%61%6d', []],
    ['finds non-ASCII literals', regex(['straße\\d']), 'in straße7', ['straße7']],
  ];
  for (const [name, detect, text, expected] of cases) {
    it(name, () => assert.deepEqual(pieces(detect, text), expected));
  }

  it('says which pattern it was', () => {
    const [evidence] = evidenceOf(regex(['zzz', 'abc\\d']), 'abc1');
    assert.equal(evidence?.detector, 'regex:1');
    assert.equal(evidence?.view, 'raw');
  });

  it('leaves word boundaries out of patterns, but not backspaces in classes', () => {
    assert.equal(withoutBoundaries('\\bab\\B[\\b]\\\\b'), '(?:)ab(?:)[\\b]\\\\b');
    assert.equal(withoutBoundaries('[]\\b]\\b'), '[]\\b](?:)');
    assert.equal(withoutBoundaries('[[:alpha:]\\b]\\b'), '[[:alpha:]\\b](?:)');
  });

  it('matches long hostile text in bounded time', () => {
    const detect = regex(['(?:x+x+)+y', '(\\w{1,20}\\s?){1,20}!', '.{0,100}b.{0,100}q']);
    assertBounded(() => {
      assert.deepEqual(pieces(detect, 'x'.repeat(256 * 1024)), []);
    });
  });

  it('takes a bounded time where a thousand patterns share their literal', () => {
    const patterns = (n: number): unknown => regex(Array.from({ length: 256 }, (_, i) => `secret\\d${n}${i}\\w`));
    const detect = { any: Array.from({ length: 8 }, (_, n) => patterns(n)) };
    evidenceOf(detect, '');
    assertBounded(() => {
      assert.deepEqual(pieces(detect, 'secret '.repeat(30_000)), []);
    });
  });
});
