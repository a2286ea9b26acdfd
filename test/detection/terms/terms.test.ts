// How many disguised words the bundles find, and how many innocent ones, by disguise.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { bundleTerms } from '#weir/shared/policy/detectors/terms/bundles';
import { isPlainTerm } from '#weir/shared/policy/engine/probes/terms/lexicon';
import { evidenceOf } from '../../shared/policy/support.ts';
import { DISGUISES, randomFrom } from './disguises.ts';
import { BAD, BAD_SENTENCES, INNOCENT, SENTENCES } from './words.ts';

const SEED = 20;
const BUNDLES = ['profanity', 'slurs', 'sexual', 'violence', 'self_harm', 'drugs', 'insults', 'weapons'];
const everything = { terms: { bundle: BUNDLES, severity: 'low' } };
const fires = (text: string): boolean => evidenceOf(everything, text).length > 0;

/** Least share that is found, where it is not nearly all. */
const LEAST: Record<string, number> = {
  'k for ck': 0.75,
  'ph for f': 0.75,
  'a masked vowel': 0.9,
  'z for s': 0.9,
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
    assert.deepEqual(
      bundleTerms().filter(({ root }) => !isPlainTerm(root)),
      [],
    );
  });

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
