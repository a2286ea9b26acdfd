/** Examples of a language from its phrases (`corpus/languages/`). They are a function of the seed. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../../shared/paths.js';
import { type PhraseSection, readPhrases } from '../phrases.js';
import { createRandom, hashOf, type TrainingRandom } from '../random.js';
import { expand } from '../templates/grammar.js';
import { type LanguageExample, SECTIONS } from './targets.js';

/** Texts of a phrase at most: what more of them teach is its words, and other phrases have these, too. */
const MOST_EACH = 40;

/** Those of the file `corpus/languages/CODE.txt`; none where it is not there. Throws an `Error` that names file, line and what was expected. */
export function makeExamples(code: string, language: number, seed: number): LanguageExample[] {
  const name = `corpus/languages/${code}`;
  if (!existsSync(join(packageRoot, 'deploy/train', `${name}.txt`))) return [];
  const { lists, sections, slots } = readPhrases(name);
  const vocabulary = new Map([...lists].map(([list, { words }]) => [list, words] as const));
  for (const [slot, at] of slots) if (!vocabulary.has(slot)) throw new Error(`${at}: there is no list "${slot}"`);
  const made = sections.flatMap((section) => ofSection(section, vocabulary, seed ^ hashOf(code)));
  return made.map((one) => ({ ...one, language }));
}

type MadeExample = Omit<LanguageExample, 'language'>;

function ofSection(
  { name, phrases, each, misspelt, at }: PhraseSection,
  lists: ReadonlyMap<string, readonly string[]>,
  seed: number,
): MadeExample[] {
  const targets = SECTIONS[name];
  if (!targets) throw new Error(`${at}: [${name}]: expected one of ${Object.keys(SECTIONS).join(', ')}`);
  return phrases.flatMap((phrase) => {
    const random = createRandom(seed ^ hashOf(phrase));
    const texts = new Set<string>();
    for (let i = 0; i < Math.min(each, MOST_EACH); i++) {
      const text = dress(expand(phrase, lists, random, false), random);
      if (text !== '') texts.add(random.below(100) < misspelt ? misspell(text, random) : text);
    }
    return [...texts].map((text) => ({ text, targets, source: name, group: phrase }));
  });
}

/** Writes a sentence as people do: begins with a capital or not, ends with a full stop or not. */
function dress(sentence: string, random: TrainingRandom): string {
  let text = sentence;
  if (text === '') return text;
  if (random.chance(0.5)) text = text[0]!.toUpperCase() + text.slice(1);
  if (random.chance(0.04)) text = text.toUpperCase();
  if (random.chance(0.1))
    text = text
      .normalize('NFD')
      .replaceAll(/[\u0300-\u036f]/g, '')
      .normalize('NFC');
  if (/[\p{L}\p{N}]$/u.test(text)) text += random.pick(['', '', '', '.', '.', '!', '!!']);
  return text;
}

const FROM = 'aeiost';
const AS_DIGITS = '431057';

/** Errors as people make them, or to hide a word: letters left out, swapped, doubled, apart, or as digits; words run together. */
function misspell(sentence: string, random: TrainingRandom): string {
  const words = sentence.split(' ');
  const long = words.map((word, i) => [word, i] as const).filter(([word]) => /^\p{L}{4,}[.!?]?$/u.test(word));
  if (long.length === 0) return sentence;
  const [word, at] = random.pick(long);
  const i = 1 + random.below(word.length - 2);
  const kind = random.below(6);
  if (kind === 0) words[at] = word.slice(0, i) + word.slice(i + 1);
  else if (kind === 1) words[at] = word.slice(0, i) + word[i + 1]! + word[i]! + word.slice(i + 2);
  else if (kind === 2) words[at] = `${word.slice(0, i)} ${word.slice(i)}`;
  else if (kind === 3 && at + 1 < words.length) words.splice(at, 2, word + words[at + 1]!);
  else if (kind === 4) words[at] = word.replaceAll(/[aeiost]/gi, (c) => AS_DIGITS[FROM.indexOf(c.toLowerCase())]!);
  else words[at] = word.slice(0, i) + word[i]! + word.slice(i);
  return words.join(' ');
}
