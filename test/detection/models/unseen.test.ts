// The cases are for figures: none of their texts is among those that the models are trained on, nor nearly so.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { makeExamples } from '#weir/deploy/train/templates/examples';
import { readTexts } from '#weir/deploy/train/texts';
import { ABOUT_PERSONS, ONLY_LOOK_UNSAFE, ORDINARY, SETS } from './sets.ts';

/** Case, signs and spaces make no other text. */
const wordsOf = (text: string): string[] =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
    .split(' ');
/** That of the shipped weights (`docs/detectors/model-card.md`). */
const SEED = 1;
/** Texts that share this much of their words are nearly the same, where they have at least so many. */
const ALIKE = 0.8;
const LEAST_WORDS = 5;
const MOST_WORDS = 30;
/** Cases are compared where they share a word that at most so many of them have. */
const RARE = 150;

/** By word: the cases that have it. */
function indexOf(cases: readonly Set<string>[]): Map<string, number[]> {
  const index = new Map<string, number[]>();
  cases.forEach((words, i) => {
    for (const word of words) index.set(word, [...(index.get(word) ?? []), i]);
  });
  return index;
}

function isAlike(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  let shared = 0;
  for (const word of a) if (b.has(word)) shared++;
  return shared / (a.size + b.size - shared) >= ALIKE;
}

describe('the cases of the models', () => {
  const texts = SETS.flatMap(({ positive, innocent }) => [...positive, ...innocent]);
  const cases = [...new Set([...texts, ...ONLY_LOOK_UNSAFE, ...ABOUT_PERSONS])];
  const terms = ['slur', 'slurs'].map((text) => ({ text, class: 'slur' as const, severity: 3 }));
  const made = makeExamples(SEED, readTexts(), terms, { carriers: ['a text'], talk: [], plain: [] }).map(
    ({ text }) => text,
  );

  it('are not made by the templates of training', () => {
    assert.ok(made.length > 40_000, `${made.length} texts`);
    const known = new Set([...cases, ...ORDINARY].map((text) => wordsOf(text).join(' ')));
    assert.deepEqual([...new Set(made.map((text) => wordsOf(text).join(' ')).filter((text) => known.has(text)))], []);
  });

  it('do not share most words with a text of the templates', () => {
    const bags = cases.map((text) => new Set(wordsOf(text)));
    const index = indexOf(bags);
    const alike = new Map<string, string>();
    for (const text of made) {
      const words = new Set(wordsOf(text));
      if (words.size < LEAST_WORDS || words.size > MOST_WORDS) continue;
      const lists = [...words].map((word) => index.get(word) ?? []).sort((one, other) => one.length - other.length);
      // What is alike lacks a fifth of the words at most, so it has one of any that are more than a fifth.
      const rarest = lists.slice(0, Math.ceil(words.size * (1 - ALIKE)) + 1).filter(({ length }) => length <= RARE);
      for (const i of new Set(rarest.flat())) if (isAlike(words, bags[i]!)) alike.set(cases[i]!, text);
    }
    assert.deepEqual([...alike], []);
  });

  it('are each there once', () => {
    assert.deepEqual(
      texts.filter((text, i) => texts.indexOf(text) !== i),
      [],
    );
  });
});
