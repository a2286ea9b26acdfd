/**
 * The words that stand in most sentences of a language (`words.txt`), by a hash of their letters. They tell the language of a text
 * (`language.ts`) and of the sentence around a find (`detectors/terms/languages.ts`).
 */
import { dataLines } from '../../data-file.js';

export interface ListedLanguage {
  name: string;
  code: string;
}

/** English is the first. The place of a language is its bit in {@link languagesAt}. */
export const LANGUAGES: readonly ListedLanguage[] = [];

/** Hashes of words, in open addressing, and the languages of each. */
export const SLOTS = 8192;
const hashes = new Int32Array(SLOTS);
/** By slot: a bit for each language of its word; 0: there is no word. */
export const languagesAt = new Int32Array(SLOTS);
/** A bit for each hash of a word, by its last bits: most words of a text are in no list, and this much stays in the fastest cache. */
const FILTER_BITS = 0x7fff;
const filter = new Int32Array((FILTER_BITS + 1) >> 5);

/** Mixes a unit of a small letter into the hash of a word, which begins as 0. */
export const mixed = (hash: number, unit: number): number => Math.imul(hash ^ unit, 0x01000193);

/** Whether a word may be listed. */
export const mayBeListed = (hash: number): boolean => ((filter[(hash & FILTER_BITS) >> 5]! >>> hash) & 1) === 1;

/** The slot of a word, or an empty one. */
export function slotOf(hash: number): number {
  let slot = (hash ^ (hash >>> 15)) & (SLOTS - 1);
  while (hashes[slot] !== hash && languagesAt[slot] !== 0) slot = (slot + 1) & (SLOTS - 1);
  return slot;
}

/** The bits of the languages of a word in small letters. */
export const languagesOf = (word: string): number => {
  const hash = hashOf(word);
  return mayBeListed(hash) ? languagesAt[slotOf(hash)]! : 0;
};

/** The place of the first of the languages of some bits, which are not 0. */
export const firstOf = (bits: number): number => 31 - Math.clz32(bits & -bits);

function hashOf(word: string): number {
  let hash = 0;
  for (let i = 0; i < word.length; i++) if (word[i] !== "'") hash = mixed(hash, word.charCodeAt(i));
  return hash;
}

for (const line of dataLines('policy/languages/words')) {
  const [, name, code, words] = /^(.+) (\w\w): (.+)$/.exec(line) as unknown as [string, string, string, string];
  const bit = (1 << (LANGUAGES as ListedLanguage[]).push({ name, code })) >> 1;
  for (const hash of words.split(' ').map(hashOf)) {
    const slot = slotOf(hash);
    hashes[slot] = hash;
    languagesAt[slot]! |= bit;
    filter[(hash & FILTER_BITS) >> 5]! |= 1 << hash;
  }
}
