/** Values in place of their marks. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { restoredTexts } from '#weir/ingress/seals/restore';

const MARKS = new Map([
  ['EMAIL_ADDRESS_1', 'anna@example.org'],
  ['TERM_1', '[TERM_2] $& $1'],
  ['TERM_2', 'zebra'],
  ['TERM_11', 'é'],
]);
const restored = (text: string, most = 1000): string | undefined => restoredTexts([text], MARKS, most)?.[0];

describe('a restored text', () => {
  it('has each value in place of its mark, and in one pass', () => {
    assert.equal(restored('**[EMAIL_ADDRESS_1]**, [TERM_11][TERM_2]'), '**anna@example.org**, ézebra');
    assert.equal(restored('[TERM_1]'), '[TERM_2] $& $1');
    assert.equal(restored('[TERM_[TERM_2]]'), '[TERM_zebra]');
    assert.deepEqual(restoredTexts(['[TERM_2]', '', 'a'], MARKS, 100), ['zebra', '', 'a']);
  });

  it('keeps what is not a mark to the last character', () => {
    const others = [
      '[TERM_3]',
      '[TERM]',
      '[term_2]',
      '[TERM_02]',
      '[ TERM_2]',
      '[TERM\\_2]',
      'TERM_2',
      '[TERM_2',
      '[__proto___1]',
    ];
    for (const text of [...others, '[constructor_1]', '[TERM_2\n]']) assert.equal(restored(text), text);
  });

  it('has a bound, which counts what it has in the end', () => {
    assert.equal(restored('[EMAIL_ADDRESS_1]', 15), undefined);
    assert.equal(restored('[EMAIL_ADDRESS_1]', 16), 'anna@example.org', 'shorter than its mark');
    assert.deepEqual(restoredTexts(['ab', '[TERM_2][TERM_2]'], MARKS, 12), ['ab', 'zebrazebra']);
    assert.equal(restoredTexts(['ab', '[TERM_2][TERM_2]'], MARKS, 11), undefined);
    assert.equal(restored('[TERM_1]', 13), undefined);
    assert.equal(restored('[TERM_1]', 14), '[TERM_2] $& $1');
    assert.equal(restoredTexts(['[TERM_1]', '[TERM_1]'], MARKS, 27), undefined);
    const value = 'x'.repeat(1 << 20);
    assert.equal(restoredTexts(['[A_1]'.repeat(100_000)], new Map([['A_1', value]]), 1 << 22), undefined);
  });

  it('takes time that grows with the text alone', () => {
    const texts = ['['.repeat(1 << 20), '[A'.repeat(1 << 19), 'A_'.repeat(1 << 19), `[${'A_1'.repeat(1 << 18)}`];
    const started = performance.now();
    assert.deepEqual(restoredTexts(texts, MARKS, 1 << 24), texts);
    assert.ok(performance.now() - started < 5000);
  });
});
