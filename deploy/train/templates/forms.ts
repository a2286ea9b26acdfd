/** Sets of the templates that combine words of several lists: abuse, attacks on prompts, harm, and what looks like them. */
import type { Example } from '../example.js';
import { createRandom } from '../random.js';
import { type Targets, targetsOf } from '../sources.js';
import { FOREIGN_ATTACKS, FORMS_OF_ATTACKS, FORMS_VOCABULARY, LONG_ATTACK } from './attacks/attack-forms.js';
import { MORE_ATTACK_VOCABULARY, MORE_FORMS_OF_ATTACKS } from './attacks/attack-more.js';
import { INJECTION_VOCABULARY } from './attacks/injection-words.js';
import { FOREIGN_REQUESTS, LOOK_ALIKE_VOCABULARY, LOOK_ALIKES } from './attacks/look-alikes.js';
import { expand, type Vocabulary } from './grammar.js';
import { HARM_FORMS, HARM_FORMS_VOCABULARY } from './harm/harm-forms.js';
import { MORE_HARM, MORE_HARM_VOCABULARY } from './harm/harm-more.js';
import { HARM_VOCABULARY } from './harm/harm-words.js';
import { LOOKS_UNSAFE, LOOKS_UNSAFE_VOCABULARY } from './harm/looks-unsafe.js';
import { MORE_LOOKS_UNSAFE, MORE_UNSAFE_VOCABULARY } from './harm/looks-unsafe-more.js';
import {
  ABUSE_VOCABULARY,
  HINTED_HATE,
  HOMONYMS,
  NO_SEXIST_FORMS,
  NO_TOXIC_FORMS,
  SEXIST_FORMS,
  TOXIC_FORMS,
} from './hate/abuse-forms.js';
import { type Made, NO_HARM } from './made.js';

/** Sentences of each template. */
const EACH = { form: 40, unsafe: 60, language: 25 };
/** Whole prompts of several sentences. */
const LONG = 800;
/** Sentences that one has. */
const LONG_SENTENCES = { least: 4, most: 9 };
/** Groups of whole prompts, each of which is held out as one. */
const LONG_GROUPS = 40;

/** Insults and sexism in more forms; slurs that mean something else; hate that is hinted at. */
export function abuseSets(lists: Vocabulary): Made[] {
  const vocabulary = { ...lists, ...ABUSE_VOCABULARY };
  const of = (source: string, templates: readonly string[], targets: Targets): Made => ({
    source: `template:${source}`,
    templates,
    vocabulary,
    each: EACH.form,
    misspelt: 15,
    targets: () => targets,
  });
  const harmless: Targets = { hate: [0, 0.5], violence: [0, 0.3], self_harm: [0, 0.5], injection: [0, 0.5] };
  return [
    of('toxicity:1', TOXIC_FORMS, { toxicity: [1, 0.6], self_harm: [0, 0.3], injection: [0, 0.5] }),
    of('toxicity:0', NO_TOXIC_FORMS, { toxicity: [0, 0.8], sexism: [0, 0.3], ...harmless }),
    of('sexism:form:1', SEXIST_FORMS, { sexism: [1, 0.3], hate: [1, 0.3], toxicity: [1, 0.2] }),
    of('sexism:form:0', NO_SEXIST_FORMS, { sexism: [0, 0.4], toxicity: [0, 0.4], ...harmless }),
    of('hate:homonym:n', HOMONYMS, { hate: [0, 1], toxicity: [0, 0.3], sexism: [0, 0.3] }),
    of('hate:hinted:h', HINTED_HATE, { hate: [1, 0.5], toxicity: [1, 0.2] }),
  ];
}

export function formsOfInjection(): Made[] {
  const vocabulary = {
    ...INJECTION_VOCABULARY,
    ...FORMS_VOCABULARY,
    ...LOOK_ALIKE_VOCABULARY,
    ...MORE_ATTACK_VOCABULARY,
  };
  const of = (source: string, templates: readonly string[], each: number, targets: Targets): Made => ({
    source: `template:${source}`,
    templates,
    vocabulary,
    each,
    misspelt: 6,
    targets: () => targets,
  });
  const attack: Targets = { injection: [1, 1] };
  const request: Targets = { ...NO_HARM, injection: [0, 2] };
  return [
    ...[...Object.entries(FORMS_OF_ATTACKS), ...Object.entries(MORE_FORMS_OF_ATTACKS)].map(([kind, templates]) =>
      of(`attack:${kind}`, templates, EACH.form, attack),
    ),
    of('attack:foreign', FOREIGN_ATTACKS, EACH.language, attack),
    ...Object.entries(LOOK_ALIKES).map(([kind, templates]) => of(`request:${kind}`, templates, EACH.form, request)),
    of('request:foreign', FOREIGN_REQUESTS, EACH.language, request),
  ];
}

/** Kinds of violence against persons, whatever group they are of. */
const AT_PERSONS = new Set(['threat', 'hint']);

export function formsOfHarm(): Made[] {
  const bad = [...Object.entries(HARM_FORMS), ...Object.entries(MORE_HARM)].flatMap(([label, kinds]) =>
    Object.entries(kinds).map(
      ([kind, templates]): Made => ({
        source: `template:${label}:1:${kind}`,
        templates,
        vocabulary: { ...HARM_VOCABULARY, ...HARM_FORMS_VOCABULARY, ...MORE_HARM_VOCABULARY },
        each: EACH.form,
        misspelt: 12,
        targets: () => ({ ...harmTargets(label), ...(AT_PERSONS.has(kind) && { hate: [0, 0.5] }), [label]: [1, 1] }),
      }),
    ),
  );
  const fine = [...Object.entries(LOOKS_UNSAFE), ...Object.entries(MORE_LOOKS_UNSAFE)].map(
    ([kind, templates]): Made => ({
      source: `template:unsafe:0:${kind}`,
      templates,
      vocabulary: { ...LOOKS_UNSAFE_VOCABULARY, ...MORE_UNSAFE_VOCABULARY },
      each: EACH.unsafe,
      misspelt: 8,
      targets: () => ({ ...NO_HARM, injection: [0, 1] }),
    }),
  );
  return [...bad, ...fine];
}

/** What a harmful text of one label is not. */
function harmTargets(label: string): Targets {
  return {
    ...(label !== 'self_harm' && { self_harm: [0, 1] }),
    ...(label !== 'sexual' && { sexual: [0, 1] }),
    ...(label === 'sexual' && { violence: [0, 0.5] }),
    injection: [0, 0.5],
  } satisfies Targets;
}

/** Whole prompts: sentences in a row, each of another template. */
export function composeLong(seed: number): Example[] {
  const random = createRandom(seed ^ 0x10f6);
  const vocabulary = { ...INJECTION_VOCABULARY, ...FORMS_VOCABULARY };
  return Array.from({ length: LONG }, (_, i) => {
    const count = LONG_SENTENCES.least + random.below(LONG_SENTENCES.most - LONG_SENTENCES.least + 1);
    const first = random.below(LONG_ATTACK.length);
    const sentences = Array.from({ length: count }, (_, n) => {
      const template = LONG_ATTACK[(first + n * 5) % LONG_ATTACK.length]!;
      const text = expand(template, vocabulary, random);
      return text[0]!.toUpperCase() + text.slice(1);
    });
    const targets = targetsOf({ injection: [1, 1] });
    return { text: sentences.join(' '), targets, source: 'template:attack:long', group: `long ${i % LONG_GROUPS}` };
  });
}
