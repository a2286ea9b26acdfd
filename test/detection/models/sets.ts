/** Sets of cases of the models: what a label is to be found in, and innocent texts that look like it. */
import { MORE_ATTACKS } from './cases/attacks.ts';
import { HARM, HARMLESS } from './cases/harm.ts';
import { HATE_CASES } from './cases/hate.ts';
import { HATE_SENTENCES, NO_HATE_SENTENCES } from './cases/hate-sentences.ts';
import { ORDINARY } from './cases/ordinary.ts';
import { PERSONS } from './cases/persons.ts';
import { ATTACKS, LOOK_ALIKES } from './cases/prompts.ts';
import { MORE_REQUESTS } from './cases/requests.ts';
import { NO_SELF_HARM, SELF_HARM } from './cases/self-harm.ts';
import { NO_SEXIST, SEXIST } from './cases/sexism.ts';
import { NO_SEXUAL, SEXUAL } from './cases/sexual.ts';
import { NO_TOXIC, TOXIC } from './cases/toxicity.ts';
import { NO_VIOLENCE, VIOLENCE } from './cases/violence.ts';

export const LABELS = ['toxicity', 'hate', 'sexism', 'sexual', 'violence', 'self_harm', 'injection'] as const;
export type Label = (typeof LABELS)[number];

export const detectOf = (label: Label): unknown =>
  label === 'injection' ? { injection: {} } : { classifier: { label } };
export const ANY = { any: LABELS.map(detectOf) };

type Kinds = Readonly<Record<string, readonly string[]>>;
const all = (kinds: Kinds): string[] => Object.values(kinds).flat();

/** By kind of attack. */
export const INJECTION: Kinds = Object.fromEntries(
  [...new Set([...Object.keys(ATTACKS), ...Object.keys(MORE_ATTACKS)])].map((kind) => [
    kind,
    [...(ATTACKS[kind] ?? []), ...(MORE_ATTACKS[kind] ?? [])],
  ]),
);
/** By kind of request that looks like an attack. */
export const REQUESTS: Kinds = { mixed: LOOK_ALIKES, ...MORE_REQUESTS };

const hate = (wanted: boolean): string[] => HATE_CASES.filter((each) => each.hate === wanted).map(({ text }) => text);

export interface ModelSet {
  name: string;
  label: Label;
  positive: readonly string[];
  innocent: readonly string[];
}

const WEAPONS = VIOLENCE.weapons!;
const set = (name: string, label: Label, positive: readonly string[], innocent: readonly string[]): ModelSet => ({
  name,
  label,
  positive,
  innocent,
});

export const SETS: readonly ModelSet[] = [
  ...Object.entries(INJECTION).map(([kind, texts]) => set(`injection: ${kind}`, 'injection', texts, [])),
  ...Object.entries(REQUESTS).map(([kind, texts]) => set(`injection: look-alikes, ${kind}`, 'injection', [], texts)),
  set('toxicity', 'toxicity', all(TOXIC), all(NO_TOXIC)),
  set('hate, groups', 'hate', hate(true), hate(false)),
  set('hate, sentences', 'hate', all(HATE_SENTENCES), all(NO_HATE_SENTENCES)),
  set('sexism', 'sexism', all(SEXIST), all(NO_SEXIST)),
  set('sexual', 'sexual', [...HARM.sexual, ...all(SEXUAL)], all(NO_SEXUAL)),
  set(
    'violence',
    'violence',
    [...HARM.violence, ...all(VIOLENCE).filter((text) => !WEAPONS.includes(text))],
    all(NO_VIOLENCE),
  ),
  set('violence, how weapons are made', 'violence', WEAPONS, []),
  set('self_harm', 'self_harm', [...HARM.self_harm, ...all(SELF_HARM)], all(NO_SELF_HARM)),
];

/** Innocent, whatever the label: they have words of harm in another sense, or speak of harm without doing any. */
export const ONLY_LOOK_UNSAFE: readonly string[] = [
  ...HARMLESS,
  ...all(NO_VIOLENCE),
  ...all(NO_SELF_HARM),
  ...all(NO_SEXUAL),
];

/** Innocent, whatever the label: ordinary sentences about persons. */
export const ABOUT_PERSONS: readonly string[] = all(PERSONS);

export { HARMLESS, ORDINARY };
