// The cases are for figures: none of their texts is among those that the models are trained on.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { makeExamples } from '#weir/deploy/train/templates/examples';
import { ONLY_LOOK_UNSAFE, ORDINARY, SETS } from './sets.ts';

/** Letters and digits alone: case, signs and spaces make no other text. */
const plain = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
/** Those that the shipped weights were trained with (`docs/model-card.md`). */
const SEED = 1;

describe('the cases of the models', () => {
  const cases = new Set(
    [...SETS.flatMap(({ positive, innocent }) => [...positive, ...innocent]), ...ONLY_LOOK_UNSAFE, ...ORDINARY].map(
      plain,
    ),
  );

  it('are not made by the templates of training', () => {
    const terms = [
      { text: 'slurs', class: 'slur' as const, severity: 3 },
      { text: 'slur', class: 'slur' as const, severity: 3 },
    ];
    const made = makeExamples(SEED, terms, { carriers: ['a text'], talk: [] });
    assert.ok(made.length > 40_000, `${made.length} texts`);
    assert.deepEqual([...new Set(made.map(({ text }) => plain(text)).filter((text) => cases.has(text)))], []);
  });

  it('are each there once', () => {
    const texts = SETS.flatMap(({ positive, innocent }) => [...positive, ...innocent]);
    assert.deepEqual(
      texts.filter((text, i) => texts.indexOf(text) !== i),
      [],
    );
  });
});
