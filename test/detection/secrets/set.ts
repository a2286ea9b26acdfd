/** The development set of `secrets`: texts with made-up credentials by group, and innocent ones. */
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

export const POSITIVES: Record<string, { texts: string[]; recall: number }> = {
  forms: { texts: forms, recall: 0.99 },
  named: { texts: named, recall: 0.98 },
  generic: { texts: GENERIC.map(filled), recall: 0.95 },
  places: { texts: PLACES.map(filled), recall: 0.95 },
};
export const NEGATIVES: Record<string, string[]> = {
  placeholders: [...PLACEHOLDERS],
  random: RANDOM.flatMap((text) => Array.from({ length: TIMES }, () => fill(text))),
  sentences: RANDOM.flatMap((text) => Array.from({ length: TIMES }, () => `log: ${fill(text)}, then continue`)),
};
