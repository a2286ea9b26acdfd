/** Builds the lexicon: hashes of words with their classes, from the files of `words/` and from the data. */

import { prepareCharacters } from '../../../shared/policy/models/characters.js';
import { CLASSES, type ClassName, HARM_CLASSES, INJECTION_CLASSES } from '../../../shared/policy/models/classes.js';
import type { LexiconEntries } from '../../../shared/policy/models/lexicon.js';
import { normalise, wordHashes } from '../../../shared/policy/models/normalise.js';
import { readPage } from '../../../shared/policy/models/page.js';
import type { TrainingTexts } from '../texts.js';
import { typosOf } from './forms.js';
import type { WordClasses } from './words.js';

/** Classes whose words are also known with typing errors. */
const MISSPELT =
  /^(religion|race|woman|lgbt|disabled|migrant|slur|femaleSlur|profanity|insult|dehumanising|negative|hate|violence)$/;
const MIN_MISSPELT = 5;

/** `terms`: more words by class, from data. `counts`: how often words occur in the data. */
export function buildEntries(
  words: TrainingTexts['words'],
  terms: ReadonlyMap<string, ClassName>,
  counts: ReadonlyMap<string, number>,
): LexiconEntries {
  const classes = classed(words.classes, CLASSES);
  for (const [word, name] of terms) if (!classes.has(word)) classes.set(word, CLASSES[name]);
  const misspelt = new Set<number>(
    Object.entries(CLASSES).flatMap(([name, number]) => (MISSPELT.test(name) ? [number] : [])),
  );
  for (const [word, number] of [...classes]) {
    if (!misspelt.has(number) || word.length < MIN_MISSPELT) continue;
    for (const typo of typosOf(word)) {
      if (typo.length >= 4 && (counts.get(typo) ?? 0) < 2 && !classes.has(typo)) classes.set(typo, number);
    }
  }
  for (const [word, count] of counts)
    if (count >= 12 && word.length > 1 && !classes.has(word)) classes.set(word, CLASSES.known);
  return entriesOf(classes, classed(words.injection, INJECTION_CLASSES), classed(words.harm, HARM_CLASSES));
}

/** The number of the class of each word; of two classes, the first has it. */
function classed(lists: WordClasses, numbers: Readonly<Record<string, number>>): Map<string, number> {
  const classes = new Map<string, number>();
  for (const [name, words] of lists) {
    for (const word of words) if (!classes.has(word)) classes.set(word, numbers[name]!);
  }
  return classes;
}

type Classes = ReadonlyMap<string, number>;

function entriesOf(classes: Classes, injections: Classes, harms: Classes): LexiconEntries {
  const entries = new Map<number, number>();
  for (const word of new Set([...classes.keys(), ...injections.keys(), ...harms.keys()])) {
    const hash = hashOfWord(word);
    if (hash === undefined || entries.has(hash)) continue;
    const [injection, harm] = [injections.get(word) ?? 0, harms.get(word) ?? 0];
    entries.set(hash, (classes.get(word) ?? CLASSES.known) | (injection << 6) | (harm << 11));
  }
  const sorted = [...entries].sort(([a], [b]) => a - b);
  return {
    hashes: Int32Array.from(sorted, ([hash]) => hash),
    packed: Uint16Array.from(sorted, ([, packed]) => packed),
  };
}

/** The hash of a word as features read it; undefined where it reads as several words. */
function hashOfWord(word: string): number | undefined {
  prepareCharacters();
  readPage(word, 0, word.length, false);
  return normalise(0, word.length) === 1 ? wordHashes[0] : undefined;
}

/** How often each word of letters occurs in `texts`, case and apostrophes aside. */
export function countWords(texts: Iterable<string>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const text of texts) {
    for (const [word] of text
      .toLowerCase()
      .replaceAll(/['’]/g, '')
      .matchAll(/[a-z]{1,20}/g)) {
      counts.set(word, (counts.get(word) ?? 0) + 1);
    }
  }
  return counts;
}
