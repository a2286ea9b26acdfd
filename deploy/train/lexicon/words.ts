/** The words of classes, from the files of `words/`. */
import { readPhrases } from '../phrases.js';
import { formsOf, pluralOf } from './forms.js';

/** By name of a class, in the order of the file: its words with their forms. */
export type WordClasses = ReadonlyMap<string, readonly string[]>;

const FORMS: Record<string, (word: string) => string[]> = {
  nouns: (noun) => [noun, pluralOf(noun)],
  verbs: (verb) => [verb, ...formsOf(verb)],
  words: (word) => [word],
};
/** Its words are those of the data. */
const KNOWN = 'known';

/** `classes`: all that the file must have. */
export function readWords(file: string, classes: Readonly<Record<string, number>>): WordClasses {
  const words = new Map<string, string[]>();
  for (const [name, { words: list, at }] of readPhrases(`words/${file}`).lists) {
    const [of = '', kind = 'words'] = name.split(' ');
    const forms = FORMS[kind];
    if (!forms || !Object.hasOwn(classes, of)) throw new Error(`${at}: "${name}": expected the name of a class`);
    words.set(of, [...(words.get(of) ?? []), ...list.flatMap(forms)]);
  }
  const missing = Object.keys(classes).find((name) => name !== KNOWN && !words.has(name));
  if (missing !== undefined) throw new Error(`words/${file}.txt: expected words of the class "${missing}"`);
  return words;
}
