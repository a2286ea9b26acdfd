/** Real talk in which a word for people is that of a group: to name one is no hate. */
import { type TrainingExample, targetsOf } from '../example.js';
import type { WordClasses } from '../lexicon/words.js';
import { createRandom } from '../random.js';
import type { Vocabulary } from './grammar.js';

/** Texts, and single sentences, that are made to be about groups. */
const TEXTS = 5000;
const SENTENCES = 6000;
/** Characters of a sentence. */
const LEAST = 20;
const MOST = 120;

const SEVERAL =
  /\b(people|users|editors|members|students|folks|everyone|men|fans|kids|readers|authors|customers|friends|others|players|writers|parents)\b/i;
const SOMEONE =
  /\b(user|person|editor|man|guy|friend|student|author|actor|reader|player|writer|member|artist|community|family)\b/i;
/** What a sentence begins with that stands for somebody. */
const THEY = /^(they|we|people|some|others|most) (?=[a-z]+)/i;
const ONE = /^(he|she|someone|this guy|the user) (?=[a-z]+)/i;

/** Classes of words that no sentence has which is said of a group in earnest. */
const UNKIND =
  'insult dehumanising negative hate violence removal slur femaleSlur profanity crime death negation'.split(' ');

const TARGETS = targetsOf({ hate: [0, 1], toxicity: [0, 0.5], sexism: [0, 0.4] });

export function nameGroups(seed: number, lists: Vocabulary, talk: readonly string[]): TrainingExample[] {
  const random = createRandom(seed ^ 0x6a09);
  const named = (text: string): string => {
    const group = random.pick(lists.get('group')!);
    const adjective = random.pick(lists.get('adj')!);
    if (SEVERAL.test(text)) return text.replace(SEVERAL, group);
    return text.replace(SOMEONE, (word) => `${adjective} ${word}`);
  };
  return examplesOf(talk, TEXTS, named, 'template:named');
}

/** Short sentences without an unkind word, about a group in the place of whoever they are about. */
export function nameInSentences(
  seed: number,
  { lists, words }: { lists: Vocabulary; words: WordClasses },
  talk: readonly string[],
): TrainingExample[] {
  const unkind = new Set(UNKIND.flatMap((name) => words.get(name)!));
  const random = createRandom(seed ^ 0x4e5a);
  const named = (text: string): string => {
    const group = random.pick(lists.get('group')!);
    const one = random.pick(lists.get('one')!);
    const adjective = random.pick(lists.get('adj')!);
    if (THEY.test(text)) return text.replace(THEY, `${group} `);
    if (ONE.test(text)) return text.replace(ONE, `${random.pick(['a', 'this', 'the', 'one'])} ${one} `);
    if (SEVERAL.test(text)) return text.replace(SEVERAL, group);
    return text.replace(SOMEONE, (word) => `${adjective} ${word}`);
  };
  const sentences = talk
    .flatMap((text) => text.split(/(?<=[.!?])\s+|\n+/))
    .filter((text) => text.length >= LEAST && text.length <= MOST && isKind(text, unkind));
  return examplesOf([...new Set(sentences)], SENTENCES, named, 'template:named:sentence');
}

const isKind = (text: string, unkind: ReadonlySet<string>): boolean =>
  !text
    .toLowerCase()
    .replaceAll(/['’]/g, '')
    .split(/[^a-z]+/)
    .some((word) => unkind.has(word));

/** At most `many` of the texts that `named` changes. */
function examplesOf(
  texts: readonly string[],
  many: number,
  named: (text: string) => string,
  source: string,
): TrainingExample[] {
  const examples: TrainingExample[] = [];
  for (const text of texts) {
    if (examples.length === many) break;
    const changed = named(text);
    if (changed !== text) examples.push({ text: changed, targets: TARGETS, source, group: text });
  }
  return examples;
}
