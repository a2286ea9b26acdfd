/** Examples made from phrases. They are a function of the seed. */
import { type TrainingExample, targetsOf } from '../example.js';
import type { PhraseSection } from '../phrases.js';
import { createRandom, hashOf, type TrainingRandom } from '../random.js';
import type { Term } from '../sources.js';
import type { Topic, TrainingTexts } from '../texts.js';
import { dress, expand, misspell, type Vocabulary } from './grammar.js';
import { makeFragments, makeMachineTexts } from './machine.js';
import { nameGroups, nameInSentences } from './named.js';
import { INNOCENT, targetsIn } from './targets.js';

/** Attacks that are put into other texts. */
const EMBEDDED = 1500;
/** Whole prompts of several sentences. */
const LONG = 800;
/** Sentences that one has. */
const LONG_SENTENCES = { least: 4, most: 9 };
/** Groups of whole prompts, each of which is held out as one. */
const LONG_GROUPS = 40;

/** Pages that are made of a section, and the sentences of one. */
const PAGES = 40;
const PAGE_SENTENCES = [3, 6, 12, 30];

/** Ordinary texts: attacks are put into `carriers`, groups into `talk`; `plain` are taken apart. */
export interface Ordinary {
  carriers: readonly string[];
  talk: readonly string[];
  plain: readonly string[];
}

/** `terms` are slurs of the data. */
export function makeExamples(
  seed: number,
  { topics, words, machine }: TrainingTexts,
  terms: readonly Term[],
  { carriers, talk, plain }: Ordinary,
): TrainingExample[] {
  const slurs = terms
    .filter(({ class: name, text }) => name === 'slur' && /^[a-z ]{4,14}$/i.test(text))
    .map(({ text }) => text.toLowerCase());
  const given = new Map(topics.hate.lists)
    .set(
      'slur',
      slurs.filter((text) => !text.endsWith('s')),
    )
    .set(
      'slurs',
      slurs.filter((text) => text.endsWith('s')),
    );
  return [
    ...ofTopic({ ...topics.hate, lists: given }, seed),
    ...ofTopic(topics.attacks, seed),
    ...ofTopic(topics.harm, seed),
    ...embed(seed, topics.attacks, carriers),
    ...composeLong(seed, topics.attacks),
    ...nameGroups(seed, topics.hate.lists, talk),
    ...nameInSentences(seed, { lists: topics.hate.lists, words: words.classes }, talk),
    ...ofTopic(topics.ordinary, seed),
    ...composePages(seed, topics.ordinary),
    ...makeMachineTexts(seed, machine),
    ...makeFragments(seed, plain),
  ];
}

/** A section without numbers is for other uses. */
const ofTopic = ({ files, lists }: Topic, seed: number): TrainingExample[] =>
  [...files.values()].flat().flatMap((section) => (section.each > 0 ? ofSection(section, lists, seed) : []));

function ofSection(section: PhraseSection, lists: Vocabulary, seed: number): TrainingExample[] {
  const { name, phrases, each, misspelt } = section;
  const targets = targetsIn(section);
  return phrases.flatMap((phrase) => {
    // Each phrase has random numbers of its own: a new one changes no other.
    const random = createRandom(seed ^ hashOf(phrase));
    const texts = new Set<string>();
    for (let i = 0; i < each; i++) {
      const text = dress(expand(phrase, lists, random), random);
      texts.add(random.below(100) < misspelt ? misspell(text, random) : text);
    }
    return [...texts].map((text) => ({ text, targets: targets(text), source: `template:${name}`, group: phrase }));
  });
}

/** Attacks within, before and after ordinary texts. */
function embed(seed: number, { files, lists }: Topic, carriers: readonly string[]): TrainingExample[] {
  const random = createRandom(seed ^ 0x5eed);
  const phrases = [...files.get('attacks')!, ...files.get('more')!]
    .filter(({ name }) => name !== 'attack:foreign')
    .flatMap((section) => section.phrases);
  return Array.from({ length: EMBEDDED }, () => {
    const phrase = random.pick(phrases);
    const attack = dress(expand(phrase, lists, random), random);
    const text = placed(attack, random.pick(carriers), random);
    return { text, targets: targetsOf({ injection: [1, 1] }), source: 'template:attack:embedded', group: phrase };
  });
}

function placed(attack: string, carrier: string, random: TrainingRandom): string {
  const short = carrier.slice(0, 80 + random.below(200));
  const middle = short.indexOf(' ', short.length >> 1);
  if (middle < 0 || random.chance(0.4)) return `${short}\n${attack}`;
  return random.chance(0.5) ? `${attack} ${short}` : `${short.slice(0, middle)}. ${attack} ${short.slice(middle + 1)}`;
}

/** Pages: sentences of a section in a row, as a text or a list. */
function composePages(seed: number, { files, lists }: Topic): TrainingExample[] {
  return [...files.values()].flat().flatMap(({ name, phrases, each }) => {
    if (each === 0) return [];
    const random = createRandom(seed ^ hashOf(name));
    return Array.from({ length: PAGES }, (_, i) => {
      const between = random.pick([' ', '\n', '\n\n', '\n- ']);
      const sentences = Array.from({ length: PAGE_SENTENCES[i % PAGE_SENTENCES.length]! }, () => {
        const text = expand(random.pick(phrases), lists, random);
        return `${text[0]!.toUpperCase()}${text.slice(1)}${/\w$/.test(text) ? '.' : ''}`;
      });
      const targets = targetsOf(INNOCENT);
      return {
        text: sentences.join(between),
        targets,
        source: 'template:ordinary:page',
        group: `page ${name} ${i % 8}`,
      };
    });
  });
}

/** Whole prompts: sentences in a row, each of another phrase. */
function composeLong(seed: number, { files, lists }: Topic): TrainingExample[] {
  const random = createRandom(seed ^ 0x10f6);
  const phrases = files.get('long')!.flatMap((section) => section.phrases);
  return Array.from({ length: LONG }, (_, i) => {
    const count = LONG_SENTENCES.least + random.below(LONG_SENTENCES.most - LONG_SENTENCES.least + 1);
    const first = random.below(phrases.length);
    const sentences = Array.from({ length: count }, (_, n) => {
      const text = expand(phrases[(first + n * 5) % phrases.length]!, lists, random);
      return text[0]!.toUpperCase() + text.slice(1);
    });
    const targets = targetsOf({ injection: [1, 1] });
    return { text: sentences.join(' '), targets, source: 'template:attack:long', group: `long ${i % LONG_GROUPS}` };
  });
}
