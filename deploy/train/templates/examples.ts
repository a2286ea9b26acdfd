/** Examples made from templates. They are a function of the seed. */
import type { Example } from '../example.js';
import { createRandom, type Random } from '../random.js';
import { type Targets, type Term, targetsOf } from '../sources.js';
import { ATTACKS, REQUESTS } from './attacks/injection.js';
import { AGENT_TALK, MORE_ATTACKS, OTHER_LANGUAGES } from './attacks/injection-more.js';
import { INJECTION_VOCABULARY } from './attacks/injection-words.js';
import { EVERYDAY } from './everyday.js';
import { abuseSets, composeLong, formsOfHarm, formsOfInjection } from './forms.js';
import { dress, expand, type Vocabulary } from './grammar.js';
import { HARM_TEMPLATES } from './harm/harm.js';
import { HARM_VOCABULARY } from './harm/harm-words.js';
import { FRAME_WORDS, HATE_FRAMES } from './hate/frames.js';
import { HATE_TEMPLATES, type Mark } from './hate/hate.js';
import { HATE_IN_CONTEXT } from './hate/hate-context.js';
import { MORE_HATE_TEMPLATES } from './hate/hate-more.js';
import { ABOUT_WOMEN, HATE_WORDS } from './hate/hate-words.js';
import { nameGroups, nameInSentences } from './hate/named.js';
import { SEXISM_TEMPLATES } from './hate/sexism.js';
import { makeFragments, makeMachineTexts } from './machine.js';
import { type Made, make, NO_HARM } from './made.js';

/** Sentences of each template. */
const EACH = { hate: 60, wide: 150, sexism: 40, attack: 45, request: 40, harm: 30, everyday: 60 };
/** Attacks that are put into other texts. */
const EMBEDDED = 1500;

/** Ordinary texts: attacks are put into `carriers`, groups into `talk`; `plain` are taken apart. */
export interface Ordinary {
  carriers: readonly string[];
  talk: readonly string[];
  plain: readonly string[];
}

/** `terms` are slurs of the data. */
export function makeExamples(seed: number, terms: readonly Term[], { carriers, talk, plain }: Ordinary): Example[] {
  const slurs = terms
    .filter(({ class: name, text }) => name === 'slur' && /^[a-z ]{4,14}$/i.test(text))
    .map(({ text }) => text.toLowerCase());
  const vocabulary: Vocabulary = {
    ...HATE_WORDS,
    ...FRAME_WORDS,
    slur: slurs.filter((text) => !text.endsWith('s')),
    slurs: slurs.filter((text) => text.endsWith('s')),
  };
  const sets = [
    ...hateSets(vocabulary),
    ...sexismSets(vocabulary),
    ...abuseSets(vocabulary),
    ...injectionSets(),
    ...formsOfInjection(),
    ...harmSets(),
    ...formsOfHarm(),
  ];
  return [
    ...sets.flatMap((set) => make(set, seed)),
    ...embed(seed, carriers),
    ...composeLong(seed),
    ...nameGroups(seed, talk),
    ...nameInSentences(seed, talk),
    ...makeMachineTexts(seed),
    ...makeFragments(seed, plain),
  ];
}

/** Kinds of templates of which each has many sentences. */
const WIDE = new Set(['mundane', 'present', 'frame', 'slighted', 'stated']);
/** Kinds of templates without words of violence, which say what harm is not. */
const HARMLESS = new Set(['emotion', 'attribute', 'identity', 'reclaimed', 'profanity', 'individual', 'stated']);

function hateSets(vocabulary: Vocabulary): Made[] {
  const kinds = [HATE_TEMPLATES, HATE_IN_CONTEXT, MORE_HATE_TEMPLATES, HATE_FRAMES].flatMap((templates) =>
    Object.entries(templates),
  );
  return kinds.flatMap(([kind, marked]) =>
    Object.entries(marked).map(([mark, templates]): Made => {
      const calm: Targets =
        HARMLESS.has(kind) && mark === 'n' ? { violence: [0, 0.3], self_harm: [0, 0.3], injection: [0, 0.3] } : {};
      const targets = (text: string): Targets => ({ ...hateTargets(mark as Mark, kind, text), ...calm });
      return {
        source: `template:hate:${kind}:${mark}`,
        templates,
        vocabulary,
        each: WIDE.has(kind) ? EACH.wide : EACH.hate,
        misspelt: 33,
        targets,
      };
    }),
  );
}

function hateTargets(mark: Mark, kind: string, text: string): Targets {
  const women = ABOUT_WOMEN.test(text);
  if (mark === 'h') return { hate: [1, 0.5], toxicity: [1, 0.3], ...(women && { sexism: [1, 0.2] }) };
  if (mark === 't') return { hate: [0, 0.5], toxicity: [1, 0.3] };
  if (mark === 'x') return { hate: [0, 0.5], ...(kind === 'threat' && { violence: [0, 0.5] }) };
  // Quoted and reclaimed slurs are no hate; whether they are toxic is left open.
  if (kind === 'slurs' || kind === 'reclaimed' || kind === 'profanity') return { hate: [0, 0.5] };
  return { hate: [0, kind === 'present' ? 1 : 0.5], toxicity: [0, 0.3], ...(women && { sexism: [0, 0.2] }) };
}

function sexismSets(vocabulary: Vocabulary): Made[] {
  const of = (templates: readonly string[], value: 0 | 1): Made => ({
    source: `template:sexism:${value}`,
    templates,
    vocabulary,
    each: EACH.sexism,
    misspelt: 20,
    targets: () => ({ sexism: [value, 0.25], hate: [value, 0.3], ...(value === 0 && { toxicity: [0, 0.3] }) }),
  });
  return [of(SEXISM_TEMPLATES.sexist, 1), of(SEXISM_TEMPLATES.fine, 0)];
}

function injectionSets(): Made[] {
  const vocabulary = INJECTION_VOCABULARY;
  return [
    ...[...Object.entries(ATTACKS), ...Object.entries(MORE_ATTACKS)].map(
      ([kind, templates]): Made => ({
        source: `template:attack:${kind}`,
        templates,
        vocabulary,
        each: EACH.attack,
        misspelt: 10,
        targets: () => ({ injection: [1, 1] }),
      }),
    ),
    ...Object.entries(REQUESTS).map(
      ([kind, templates]): Made => ({
        source: `template:request:${kind}`,
        templates,
        vocabulary,
        each: EACH.request,
        misspelt: 5,
        targets: () => ({ ...NO_HARM, injection: [0, 2] }),
      }),
    ),
    {
      source: 'template:request:agent',
      templates: AGENT_TALK,
      vocabulary,
      each: EACH.request,
      misspelt: 5,
      targets: () => ({ injection: [0, 2] }),
    },
  ];
}

function harmSets(): Made[] {
  const vocabulary = HARM_VOCABULARY;
  const sets = Object.entries(HARM_TEMPLATES).flatMap(([label, { bad, fine }]): Made[] => [
    {
      source: `template:${label}:1`,
      templates: bad,
      vocabulary,
      each: EACH.harm,
      misspelt: 15,
      targets: () => ({
        [label]: [1, 1],
        ...(label !== 'self_harm' && { self_harm: [0, 1] }),
        ...(label !== 'sexual' && { sexual: [0, 1] }),
        injection: [0, 0.5],
      }),
    },
    {
      source: `template:${label}:0`,
      templates: fine,
      vocabulary,
      each: EACH.harm,
      misspelt: 10,
      targets: () => ({ ...NO_HARM, injection: [0, 1] }),
    },
  ]);
  const everyday: Made = {
    source: 'template:everyday:0',
    templates: EVERYDAY,
    vocabulary: {},
    each: EACH.everyday,
    misspelt: 10,
    targets: () => ({ ...NO_HARM, injection: [0, 1] }),
  };
  const otherLanguages: Made = {
    source: 'template:everyday:1',
    templates: OTHER_LANGUAGES,
    vocabulary: {},
    each: EACH.everyday,
    misspelt: 5,
    targets: () => ({ ...NO_HARM, injection: [0, 1] }),
  };
  return [...sets, everyday, otherLanguages];
}

/** Attacks within, before and after ordinary texts. */
function embed(seed: number, carriers: readonly string[]): Example[] {
  const random = createRandom(seed ^ 0x5eed);
  const templates = [...Object.entries(ATTACKS), ...Object.entries(MORE_ATTACKS)]
    .filter(([kind]) => kind !== 'foreign')
    .flatMap(([, list]) => list);
  return Array.from({ length: EMBEDDED }, () => {
    const template = random.pick(templates);
    const attack = dress(expand(template, INJECTION_VOCABULARY, random), random);
    const text = placed(attack, random.pick(carriers), random);
    return { text, targets: targetsOf({ injection: [1, 1] }), source: 'template:attack:embedded', group: template };
  });
}

function placed(attack: string, carrier: string, random: Random): string {
  const short = carrier.slice(0, 80 + random.below(200));
  const middle = short.indexOf(' ', short.length >> 1);
  if (middle < 0 || random.chance(0.4)) return `${short}\n${attack}`;
  return random.chance(0.5) ? `${attack} ${short}` : `${short.slice(0, middle)}. ${attack} ${short.slice(middle + 1)}`;
}
