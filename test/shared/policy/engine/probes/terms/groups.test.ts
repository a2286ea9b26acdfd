import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { groupTerms } from '#weir/shared/policy/engine/probes/terms/groups';
import { assertBounded } from '../../../../../support/effort.ts';
import { evidenceOf, pieces } from '../../../support.ts';

describe('terms that begin alike', () => {
  const group = groupTerms(
    ['how to', 'how', 'how to make', 'how to be', 'сор', 'ho', 'how to make it'],
    (term) => term,
  );
  const found: [string, string, string[]][] = [
    [
      'are all found that are there, in their order',
      'how to make it',
      ['how to', 'how', 'how to make', 'ho', 'how to make it'],
    ],
    ['are found where another one stands between them in the alphabet', 'how to bz', ['how to', 'how', 'ho']],
    ['are found over any white space', 'how \n\t to make', ['how to', 'how', 'how to make', 'ho']],
    ['are found with look-alikes', 'cop', ['сор']],
    ['are not found where less of them is there', 'h', []],
    ['are not found in what comes after all of them', 'z', []],
  ];
  for (const [name, text, terms] of found) {
    it(name, () => assert.deepEqual(group.at(`-${text}`, 1), terms));
  }

  const list = Array.from({ length: 50 }, (_, i) => `how to make thing${i}`);
  it('are found like others, in each view', () => {
    for (const view of ['raw', 'nfkc', 'folded']) {
      const detect = { terms: { list, views: [view] } };
      const text = 'x how to make  thing42, how to make thing7; how to make thing99';
      assert.deepEqual(pieces(detect, text), ['how to make  thing42', 'how to make thing7'], view);
      assert.deepEqual(pieces(detect, `é ${text}`), ['how to make  thing42', 'how to make thing7'], view);
      assert.equal(pieces(detect, text.toUpperCase()).length, view === 'folded' ? 2 : 0, view);
    }
  });
  it('take a bounded time, however many', () => {
    const phrases = Array.from({ length: 10_000 }, (_, i) => `how to make thing${i}`);
    const words = Array.from({ length: 10_000 }, (_, i) => `internationalization${i}`);
    const detect = { terms: { list: [...phrases, ...words], match: 'substring' } };
    evidenceOf(detect, '');
    assertBounded(() => {
      for (const unit of ['how to make ', 'how to make thin', 'internationalization', 'hоw to make ']) {
        assert.deepEqual(pieces(detect, unit.repeat(100_000 / unit.length)), []);
      }
    });
  });
});
