/** What the texts of a section count for, by its name. */

import { type LabelTarget, type Targets, targetsOf } from '../example.js';
import type { PhraseSection } from '../phrases.js';

/** What an innocent text is not. */
export const NO_HARM: Targets = {
  sexual: [0, 1],
  violence: [0, 1],
  self_harm: [0, 1],
  toxicity: [0, 0.5],
  hate: [0, 0.5],
  sexism: [0, 0.2],
};
const HARMLESS: Targets = { hate: [0, 0.5], violence: [0, 0.3], self_harm: [0, 0.5], injection: [0, 0.5] };
export const INNOCENT: Targets = { ...NO_HARM, injection: [0, 1] };
/** What nobody wrote as a template: it counts for more. */
export const ORDINARY: Targets = {
  sexual: [0, 1.5],
  violence: [0, 1.5],
  self_harm: [0, 1.5],
  toxicity: [0, 1],
  hate: [0, 0.6],
  sexism: [0, 0.5],
  injection: [0, 1.5],
};

const weighted = (targets: Targets, by: number): Targets =>
  Object.fromEntries(Object.entries(targets).map(([name, [value, weight]]) => [name, [value, weight * by]]));

const BY_NAME: Readonly<Record<string, Targets>> = {
  'sexism:1': { sexism: [1, 0.25], hate: [1, 0.3] },
  'sexism:0': { sexism: [0, 0.25], hate: [0, 0.3], toxicity: [0, 0.3] },
  'sexism:form:1': { sexism: [1, 0.3], hate: [1, 0.3], toxicity: [1, 0.2] },
  'sexism:form:0': { sexism: [0, 0.4], toxicity: [0, 0.4], ...HARMLESS },
  'sexism:quiet:0': { sexism: [0, 1], toxicity: [0, 0.4], ...HARMLESS },
  'sexism:aside:1': { sexism: [1, 0.3], toxicity: [1, 0.2] },
  'sexism:aside:0': { sexism: [0, 0.4], toxicity: [0, 0.4], ...HARMLESS },
  'toxicity:1': { toxicity: [1, 0.6], self_harm: [0, 0.3], injection: [0, 0.5] },
  'toxicity:0': { toxicity: [0, 0.8], sexism: [0, 0.3], ...HARMLESS },
  'hate:homonym:n': { hate: [0, 1], toxicity: [0, 0.3], sexism: [0, 0.3] },
  'hate:hinted:h': { hate: [1, 0.5], toxicity: [1, 0.2] },
  'request:agent': { injection: [0, 2] },
  // Each is one text, where others make dozens.
  'request:plain': { ...NO_HARM, injection: [0, 6] },
  'ordinary:plain': weighted(INNOCENT, 5),
  'ordinary:short': { ...weighted(INNOCENT, 3), sexism: [0, 2] },
  'ordinary:name': { ...weighted(INNOCENT, 4), sexism: [0, 2] },
  'ordinary:emoji': weighted(INNOCENT, 2),
  'ordinary:flag': weighted(INNOCENT, 10),
  'ordinary:peoples': weighted(INNOCENT, 2),
  'ordinary:persons': weighted(INNOCENT, 2),
  'ordinary:persons:more': weighted(INNOCENT, 2),
  'ordinary:persons:health': weighted(INNOCENT, 2),
  'ordinary:persons:namesakes': weighted(INNOCENT, 2),
  'ordinary:injury': weighted(INNOCENT, 2),
  'ordinary:training': weighted(INNOCENT, 2),
  'ordinary:figures': weighted(INNOCENT, 2),
  'ordinary:tongues': weighted(INNOCENT, 3),
};

/** By beginning of a name: the targets of the rest of it. */
const BY_KIND: readonly [begins: RegExp, targets: (kind: string, mark: string, text: string) => Targets][] = [
  [/^hate:(\w+):([hntx])$/, ofHate],
  [/^attack:(\w+)$/, () => ({ injection: [1, 1] })],
  [/^request:(\w+)$/, () => ({ ...NO_HARM, injection: [0, 2] })],
  [/^(?:everyday|sexual|violence|self_harm|unsafe):0(?::\w+)?$|^everyday:1$|^ordinary:\w+(?::more)?$/, () => INNOCENT],
  [/^(sexual|violence|self_harm):1(?::(\w+))?$/, ofHarm],
];

/** Throws where nothing says what a text of the section counts for. */
export function targetsIn({ name, at }: PhraseSection): (text: string) => LabelTarget[] {
  const known = BY_NAME[name];
  if (known) {
    const targets = targetsOf(known);
    return () => targets;
  }
  for (const [begins, targets] of BY_KIND) {
    const [found, kind = '', mark = ''] = begins.exec(name) ?? [];
    if (found !== undefined) return (text) => targetsOf(targets(kind, mark, text));
  }
  throw new Error(`${at}: [${name}]: nothing in deploy/train/templates/targets.ts says what its texts count for`);
}

/** Where these stand for a group, the sentence is about women. */
const ABOUT_WOMEN = /\b(wom[ae]n|girls?|females?|wives|wife|ladies|lady|feminists?|mothers)\b/i;
/** Kinds of phrases without words of violence, which say what harm is not. */
const CALM = new Set(['emotion', 'attribute', 'identity', 'reclaimed', 'profanity', 'individual', 'stated']);

function ofHate(kind: string, mark: string, text: string): Targets {
  const women = ABOUT_WOMEN.test(text);
  if (mark === 'h') return { hate: [1, 0.5], toxicity: [1, 0.3], ...(women && { sexism: [1, 0.2] }) };
  if (mark === 't') return { hate: [0, 0.5], toxicity: [1, 0.3] };
  if (mark === 'x') return { hate: [0, 0.5], ...(kind === 'threat' && { violence: [0, 0.5] }) };
  const calm: Targets = CALM.has(kind) ? { violence: [0, 0.3], self_harm: [0, 0.3], injection: [0, 0.3] } : {};
  // Quoted and reclaimed slurs are no hate; whether they are toxic is left open.
  if (kind === 'slurs' || kind === 'reclaimed' || kind === 'profanity') return { hate: [0, 0.5], ...calm };
  return {
    hate: [0, kind === 'present' ? 1 : 0.5],
    toxicity: [0, 0.3],
    ...(women && { sexism: [0, 0.2] }),
    ...calm,
  };
}

/** Kinds of violence against persons, whatever group they are of. */
const AT_PERSONS = new Set(['threat', 'hint']);

/** A harmful text of one label, and what it is not. */
function ofHarm(label: string, kind: string): Targets {
  return {
    ...(label !== 'self_harm' && { self_harm: [0, 1] }),
    ...(label !== 'sexual' && { sexual: [0, 1] }),
    ...(label === 'sexual' && kind !== '' && { violence: [0, 0.5] }),
    injection: [0, 0.5],
    ...(AT_PERSONS.has(kind) && { hate: [0, 0.5] }),
    [label]: [1, 1],
  };
}
