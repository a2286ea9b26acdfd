// The development set of the detector: recall and false alarms, by group.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { evidenceOf } from '../../shared/policy/support.ts';
import { generator } from './generate.ts';
import { PLACEHOLDERS, RANDOM } from './negatives.ts';
import { ASSIGNMENTS, FORMS, GENERIC, HOLDERS, NAMED, PLACES } from './positives.ts';

const TIMES = 5;
const { fill, some } = generator(20_240_517);

const forms = FORMS.flatMap((form) => HOLDERS.map((holder) => holder.replace('$', () => fill(form.replace('~', '')))));
const named = NAMED.flatMap(([provider, form]) =>
  ASSIGNMENTS.map((assignment) => assignment.replace('@', provider).replace('$', () => fill(form))),
);
/** A password as people make them: letters, digits and a symbol. */
const password = (): string => `${some('letters', 4)}${some('digits', 2)}_${some('letters', 3)}${some('digits', 1)}!`;
const filled = (text: string): string =>
  fill(text)
    .replace(/\$(?!password)/, password)
    .replace('#', () => `${some('alnum', 39)}7`)
    .replace('%', () => `${some('hex', 30)}a4`);

const POSITIVES: Record<string, { texts: string[]; recall: number }> = {
  forms: { texts: forms, recall: 0.99 },
  named: { texts: named, recall: 0.98 },
  generic: { texts: GENERIC.map(filled), recall: 0.95 },
  places: { texts: PLACES.map(filled), recall: 0.95 },
};
const NEGATIVES: Record<string, string[]> = {
  placeholders: [...PLACEHOLDERS],
  random: RANDOM.flatMap((text) => Array.from({ length: TIMES }, () => fill(text))),
  sentences: RANDOM.flatMap((text) => Array.from({ length: TIMES }, () => `log: ${fill(text)}, then continue`)),
};

const isFound = (text: string): boolean => evidenceOf({ secrets: {} }, text).length > 0;

describe('the development set of secrets', () => {
  it('has at least 700 cases, half of them innocent', () => {
    const found = Object.values(POSITIVES).flatMap(({ texts }) => texts).length;
    const innocent = Object.values(NEGATIVES).flat().length;
    assert.ok(found >= 350 && innocent >= 350, `${found} and ${innocent}`);
  });

  for (const [group, { texts, recall }] of Object.entries(POSITIVES)) {
    it(`finds at least ${recall * 100} % of ${group}`, () => {
      const missed = texts.filter((text) => !isFound(text));
      assert.ok(
        1 - missed.length / texts.length >= recall,
        `missed ${missed.length} of ${texts.length}:\n${missed.join('\n')}`,
      );
    });
  }

  for (const [group, texts] of Object.entries(NEGATIVES)) {
    it(`finds at most 2 % of innocent ${group}`, () => {
      const found = texts.filter(isFound);
      assert.ok(found.length <= texts.length * 0.02, `found ${found.length} of ${texts.length}:\n${found.join('\n')}`);
    });
  }
});
