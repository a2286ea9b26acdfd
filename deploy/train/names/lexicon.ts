/** The lexicon of the tagger: names and parts of names of the lists, and how words of the data are usually written. */

import { WORD_CLASSES, type WordClass } from '../../../shared/policy/detectors/pii/names/classes.js';
import { hashOfWord } from '../../../shared/policy/detectors/pii/names/tokens.js';
import type { LexiconEntries } from '../../../shared/policy/models/lexicon.js';
import { GIVEN_LISTS, SURNAME_LISTS } from './slots.js';
import type { NameLists } from './texts.js';

/** By class: the lists whose words have it. */
const LISTS: Partial<Record<WordClass, readonly string[]>> = {
  given: GIVEN_LISTS,
  surname: SURNAME_LISTS,
  city: ['city'],
  region: ['country', 'region'],
  street: [
    'street type',
    'german street type',
    'french street type',
    'spanish street type',
    'italian street type',
    'portuguese street type',
    'dutch street type',
    'swedish street type',
    'polish street type',
  ],
  company: ['company suffix'],
  institution: ['institution', 'institution of', 'foreign institution', 'company field'],
  known: ['company'],
  title: ['title'],
  other: [
    'month',
    'day',
    'holiday',
    'language',
    'nationality',
    'product',
    'acronym',
    'food',
    'illness',
    'technical',
    'interjection',
  ],
  place: ['place start', 'place word'],
  unit: ['unit'],
  state: ['state'],
};
const PARTICLES = 'van von der den de da di del della dos das du la le al el bin ibn ten ter y e zu zur dela'.split(
  ' ',
);

/** Words that sentences begin with say nothing of how a word is written. */
const WORD = /[\p{L}][\p{L}\p{M}'’-]*/gu;
const MOST_COMMON = 44_000;
const MOST_PROPER = 6000;

/** How often words of texts are written in small letters, and with a capital within sentences. */
export class WordCounts {
  readonly lower = new Map<string, number>();
  readonly capital = new Map<string, number>();

  add(text: string): void {
    let behind = 0;
    for (const match of text.matchAll(WORD)) {
      const word = match[0];
      const between = text.slice(behind, match.index);
      const starts = behind === 0 || /[.!?:;"“”(\n*\]|-]/.test(between);
      behind = match.index + word.length;
      if (word.length < 2) continue;
      const small = word.toLowerCase();
      if (small === word) this.lower.set(word, (this.lower.get(word) ?? 0) + 1);
      else if (!starts) this.capital.set(small, (this.capital.get(small) ?? 0) + 1);
    }
  }
}

export function buildNameLexicon(lists: NameLists, counts: WordCounts): LexiconEntries {
  const classes = new Map<number, number>();
  const add = (word: string, name: WordClass): void => {
    const hash = hashOfWord(word);
    classes.set(hash, (classes.get(hash) ?? 0) | WORD_CLASSES[name]);
  };
  for (const [name, sources] of Object.entries(LISTS)) {
    for (const source of sources)
      for (const entry of lists.get(source) ?? []) for (const word of wordsOf(entry)) add(word, name as WordClass);
  }
  for (const word of PARTICLES) add(word, 'particle');
  for (const word of mostOf(counts, isCommon, MOST_COMMON, counts.lower)) add(word, 'common');
  for (const word of mostOf(counts, isProper, MOST_PROPER, counts.capital)) add(word, 'proper');
  const entries = [...classes].sort(([a], [b]) => a - b);
  return { hashes: Int32Array.from(entries, ([hash]) => hash), packed: Uint16Array.from(entries, ([, own]) => own) };
}

/** The words of an entry that tell something: no articles and the like. */
function wordsOf(entry: string): string[] {
  const words = entry.match(/[\p{L}\p{N}][\p{L}\p{M}\p{N}'’-]*/gu) ?? [];
  return words.length === 1
    ? words
    : words.filter(
        (word) => word.length > 2 && !PARTICLES.includes(word.toLowerCase()) && !/^(the|and|of)$/i.test(word),
      );
}

const isCommon = (lower: number, capital: number): boolean => lower >= 1 && lower >= 2 * capital;
const isProper = (lower: number, capital: number): boolean => capital >= 4 && capital > 5 * lower;

function mostOf(
  { lower, capital }: WordCounts,
  is: (lower: number, capital: number) => boolean,
  most: number,
  by: ReadonlyMap<string, number>,
): string[] {
  return [...by]
    .filter(([word]) => is(lower.get(word) ?? 0, capital.get(word) ?? 0))
    .sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
    .slice(0, most)
    .map(([word]) => word);
}
