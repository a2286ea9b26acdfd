// How many disguised words the bundles find, and how many innocent ones, by disguise.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { bundleTerms } from '#weir/shared/policy/detectors/terms/bundles';
import { isPlainTerm } from '#weir/shared/policy/engine/probes/terms/lexicon';
import { evidenceOf } from '../../shared/policy/support.ts';
import { DISGUISES, randomFrom } from './disguises.ts';
import { DISGUISED, HARMLESS_SENTENCES, HARMLESS_WORDS, SPACED } from './everyday.ts';
import { FOREIGN } from './foreign.ts';
import { BAD, BAD_SENTENCES, INNOCENT, SENTENCES } from './words.ts';

const SEED = 20;
const BUNDLES = ['profanity', 'slurs', 'sexual', 'violence', 'self_harm', 'drugs', 'insults', 'weapons'];
const everything = { terms: { bundle: BUNDLES, severity: 'low' } };
const fires = (text: string): boolean => evidenceOf(everything, text).length > 0;
const firesOfItself = (text: string): boolean => evidenceOf({ terms: { bundle: BUNDLES } }, text).length > 0;

/** Least share that is found, where it is not nearly all. */
const LEAST: Record<string, number> = {
  'k for ck': 0.75,
  'ph for f': 0.75,
  'a masked vowel': 0.9,
  'z for s': 0.9,
  // Of the shortest words, marks make others.
  accents: 0.95,
  'digits and symbols': 0.9,
  // Some words are flags, two letters each.
  'regional indicators': 0.85,
};
/** With a letter hidden, an innocent word may be either. */
const AMBIGUOUS = ['a masked vowel'];

let cases = SENTENCES.length;

describe('the bundles of terms', () => {
  for (const [name, disguise] of Object.entries(DISGUISES)) {
    const random = randomFrom(SEED);
    const bad = BAD.flatMap((word) => disguise(word, random) ?? []);
    const innocent = INNOCENT.flatMap((word) => disguise(word, random) ?? []);
    cases += bad.length + innocent.length;

    it(`find bad words with ${name}`, () => {
      const missed = bad.filter((text) => !fires(text));
      const found = 1 - missed.length / bad.length;
      assert.ok(found >= (LEAST[name] ?? 0.97), `${found.toFixed(3)} found; missed ${missed.join(', ')}`);
    });

    if (!AMBIGUOUS.includes(name))
      it(`let innocent words with ${name} pass`, () => {
        const wrong = innocent.filter(fires);
        const most = name === 'as it is' || name === 'upper case' ? 0 : 0.025 + 1 / innocent.length;
        assert.ok(wrong.length <= innocent.length * most, `fired on ${wrong.join(', ')}`);
      });
  }

  it('have roots of letters and single spaces alone, which tries are made of', () => {
    const words = bundleTerms().flatMap(({ root, inflected }) => [root, ...inflected]);
    assert.deepEqual(
      words.filter((word) => !isPlainTerm(word)),
      [],
    );
  });

  it('find 90 of 100 ways in which people type profanity', () => {
    const texts = [...DISGUISED, ...SPACED];
    const missed = texts.filter((text) => !firesOfItself(text));
    assert.ok(texts.length >= 300);
    assert.ok(missed.length <= texts.length * 0.1, `missed ${missed.join(', ')}`);
  });

  it('let words, names and sentences of many languages pass', () => {
    const texts = [...HARMLESS_WORDS, ...HARMLESS_SENTENCES];
    assert.ok(texts.length >= 600);
    const wrong = texts.filter(firesOfItself);
    assert.ok(wrong.length <= texts.length * 0.005, `fired on ${wrong.join(' | ')}`);
  });

  for (const [language, texts] of Object.entries(FOREIGN)) {
    it(`find what is said in anger in ${language}`, () => {
      const missed = texts.filter((text) => !firesOfItself(text));
      assert.ok(missed.length <= 1, `missed ${missed.join(' | ')}`);
    });
  }

  it('find phrases in sentences', () => {
    assert.deepEqual(
      BAD_SENTENCES.filter((text) => !fires(text)),
      [],
    );
  });

  it('let innocent sentences pass', () => {
    assert.deepEqual(SENTENCES.filter(fires), []);
  });

  it('are tried with at least 700 texts, half of them innocent', () => {
    assert.ok(cases >= 700);
    assert.ok(INNOCENT.length + SENTENCES.length >= BAD.length);
  });
});
