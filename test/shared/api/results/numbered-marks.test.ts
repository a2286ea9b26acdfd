/** Numbers of marks: one for each value, and none that the request may have by itself. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createMarkNumbers } from '#weir/shared/api/results/numbered-marks';
import type { Marked } from '#weir/shared/api/results/record';
import { assertBounded } from '../../../support/effort.ts';

/** A body with `json` behind what it has of its own; each of `finds` in it is marked, in order. */
function numbered(json: string, finds: readonly (readonly [find: string, stored: string])[], own = '') {
  const text = `${own}${json}`;
  const body = Buffer.from(text);
  const start = Buffer.byteLength(own);
  const cuts: number[] = [];
  let from = start;
  let searched = own.length;
  for (const [i, [find]] of finds.entries()) {
    const at = text.indexOf(find, searched);
    const byte = Buffer.byteLength(text.slice(0, at));
    const length = Buffer.byteLength(find);
    cuts.push(byte - from, length, i);
    from = byte + length;
    searched = at + find.length;
  }
  const marked: Marked = { at: [start, body.length], texts: finds.map(([, stored]) => stored), cuts };
  const values = new Map<string, string>();
  const made = createMarkNumbers(body).number(marked, values);
  const texts = made?.cuts?.flatMap((place, i) => (i % 3 === 2 ? [made.texts![place]!] : []));
  return { texts, values: Object.fromEntries(values) };
}

const MAIL = '[EMAIL_ADDRESS]';

describe('the number of a mark', () => {
  it('is the same for the same value of the same kind, and another for another', () => {
    const { texts, values } = numbered('"a@b.c x@y.z a@b.c 7 a@b.c"', [
      ['a@b.c', MAIL],
      ['x@y.z', MAIL],
      ['a@b.c', MAIL],
      ['7', '[TERM]'],
      ['a@b.c', '[TERM]'],
    ]);
    assert.deepEqual(texts, ['[EMAIL_ADDRESS_1]', '[EMAIL_ADDRESS_2]', '[EMAIL_ADDRESS_1]', '[TERM_1]', '[TERM_2]']);
    assert.deepEqual(values, { EMAIL_ADDRESS_1: 'a@b.c', EMAIL_ADDRESS_2: 'x@y.z', TERM_1: '7', TERM_2: 'a@b.c' });
  });

  it('counts what is written with escapes as what it says, and keeps the quotes of a number', () => {
    const { texts, values } = numbered('["\\u0061@b.c","a@b.c",42,"{\\"n\\":42}"]', [
      ['\\u0061@b.c', MAIL],
      ['a@b.c', MAIL],
      ['42', '"[US_SSN]"'],
      ['42', '\\"[US_SSN]\\"'],
    ]);
    assert.deepEqual(texts, ['[EMAIL_ADDRESS_1]', '[EMAIL_ADDRESS_1]', '"[US_SSN_1]"', '\\"[US_SSN_1]\\"']);
    assert.deepEqual(values, { EMAIL_ADDRESS_1: 'a@b.c', US_SSN_1: '42' });
  });

  it('takes the place of the number that names apart have', () => {
    const { texts } = numbered('{"a@b.c":1,"x@y.z":2}', [
      ['a@b.c', '[EMAIL_ADDRESS]'],
      ['x@y.z', '[EMAIL_ADDRESS_2]'],
    ]);
    assert.deepEqual(texts, ['[EMAIL_ADDRESS_1]', '[EMAIL_ADDRESS_2]']);
  });

  it('is none that stands in the request, also in escapes and in JSON in a string', () => {
    const first = (own: string): string => numbered('"a@b.c"', [['a@b.c', MAIL]], own).texts![0]!;
    assert.equal(first('["[EMAIL_ADDRESS_1] and [EMAIL_ADDRESS_3]",'), '[EMAIL_ADDRESS_2]');
    assert.equal(first('["[EMAIL_ADDRESS_1] and [EMAIL_ADDRESS_2]",'), '[EMAIL_ADDRESS_3]');
    assert.equal(first('["[TERM_1]",'), '[EMAIL_ADDRESS_1]');
    assert.equal(first('["\\u005bEMAIL\\u005fADDRESS_\\u0031]",'), '[EMAIL_ADDRESS_2]');
    assert.equal(first('["{\\"a\\":\\"[EMAIL_\\\\u0041DDRESS_1]\\"}",'), '[EMAIL_ADDRESS_2]');
    assert.equal(first('["[EMAIL_ADDRESS_\\u005cu0031]",'), '[EMAIL_ADDRESS_2]');
    assert.equal(first('["caf\\u00e9 \\u003cb\\u003e",'), '[EMAIL_ADDRESS_1]');
    assert.equal(first('["[EMAIL_ADDRESS_999999999999]",'), '[EMAIL_ADDRESS_1]');
  });

  it('is not looked for without end', () => {
    const of = (own: string) => numbered('"a@b.c"', [['a@b.c', MAIL]], own).texts;
    assert.deepEqual(of('[EMAIL_ADDRESS_1]'.repeat(100_000)), ['[EMAIL_ADDRESS_2]']);
    assert.equal(of('[TERM_1]'.repeat(100_001)), undefined);
    assert.equal(of(`${'x'.repeat(256 * 1024)}\\u0041`), undefined, 'escapes of a large body are not read');
    assert.deepEqual(of(`${'x'.repeat(256 * 1024)}\\u00e9`), ['[EMAIL_ADDRESS_1]']);
  });

  it('takes time that grows with the body alone', () => {
    assertBounded(() => {
      for (const unit of ['\\\\', '[', '[A', 'A_', '[A_1', `[${'A'.repeat(63)}`, '\\\\u00', 'u005c']) {
        numbered('"a@b.c"', [['a@b.c', MAIL]], `u0041${unit.repeat(256 * 1024).slice(0, 256 * 1024 - 100)}`);
      }
    });
  });
});
