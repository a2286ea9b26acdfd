/**
 * Tells which language a text is in, by its script, or by the words that stand in most sentences of a language (`words.txt`). A detector that
 * was made of one language has no verdict on another one (decisions, Languages).
 */
import { dataLines } from '../../data-file.js';

/** Fewer letters tell no language. */
const FEWEST_LETTERS = 20;
/** Of so many words one at least is among those of the language. */
const WORDS_A_HIT = 7;

/** Scripts, by the ranges of UTF-16 units that most texts in them are written in. Surrogates have no letters that are told. */
const SCRIPTS: readonly (readonly [name: string, from: number, to: number])[] = [
  ['Greek', 0x370, 0x3ff],
  ['Cyrillic', 0x400, 0x52f],
  ['Armenian', 0x531, 0x587],
  ['Hebrew', 0x5d0, 0x5ea],
  ['Arabic', 0x620, 0x6ff],
  ['Devanagari', 0x900, 0x97f],
  ['Bengali', 0x980, 0x9ff],
  ['Gurmukhi', 0xa00, 0xa7f],
  ['Gujarati', 0xa80, 0xaff],
  ['Tamil', 0xb80, 0xbff],
  ['Telugu', 0xc00, 0xc7f],
  ['Kannada', 0xc80, 0xcff],
  ['Malayalam', 0xd00, 0xd7f],
  ['Sinhala', 0xd80, 0xdff],
  ['Thai', 0xe01, 0xe4e],
  ['Lao', 0xe81, 0xecd],
  ['Burmese', 0x1000, 0x109f],
  ['Georgian', 0x10a0, 0x10ff],
  ['Korean', 0x1100, 0x11ff],
  ['Ethiopic', 0x1200, 0x137f],
  ['Khmer', 0x1780, 0x17d2],
  ['Japanese', 0x3041, 0x30ff],
  ['Chinese', 0x3400, 0x9fff],
  ['Korean', 0xac00, 0xd7a3],
];
const LAST_LATIN = 0x24f;
const VIETNAMESE_FROM = 0x1e00;
const VIETNAMESE_TO = 0x1eff;

/** The language, by name, that most letters of `text` are in, where that is not English; '' where it is, and where a text has none. */
export function foreignLanguage(text: string): string {
  const counts = lettersOf(text);
  const { latin, others } = counts;
  if (latin + others < FEWEST_LETTERS) return '';
  if (others > latin) return scriptOf(counts.byScript);
  return byWords();
}

const NAMES: string[] = [];
const ENGLISH = 0;
/** Hashes of words, in open addressing, and the languages of each, a bit for each. */
const SLOTS = 4096;
const hashes = new Int32Array(SLOTS);
const languages = new Int32Array(SLOTS);
/** which text has met the word of a slot */
const met = new Uint32Array(SLOTS);
let texts = 0;

/** Mixes a unit into the hash of a word. */
const mixed = (hash: number, unit: number): number => Math.imul(hash ^ unit, 0x01000193);

function slotOf(hash: number): number {
  let slot = (hash ^ (hash >>> 15)) & (SLOTS - 1);
  while (hashes[slot] !== hash && languages[slot] !== 0) slot = (slot + 1) & (SLOTS - 1);
  return slot;
}

for (const line of dataLines('policy/languages/words')) {
  const [name, words] = line.split(': ') as [string, string];
  const bit = (1 << NAMES.push(name)) >> 1;
  for (const word of words.split(' ')) {
    let hash = 0;
    for (let i = 0; i < word.length; i++) if (word[i] !== "'") hash = mixed(hash, word.charCodeAt(i));
    const slot = slotOf(hash);
    hashes[slot] = hash;
    languages[slot]! |= bit;
  }
}

/** by language: words of it in the text that is looked at, and those of them that differ */
const hits = new Uint32Array(NAMES.length);
const kinds = new Uint32Array(NAMES.length);
let words = 0;

/** Counts a word. */
function count(hash: number): void {
  words++;
  const slot = slotOf(hash);
  const of = languages[slot]!;
  if (of === 0) return;
  const isNew = met[slot] !== texts;
  met[slot] = texts;
  for (let bits = of; bits !== 0; bits &= bits - 1) {
    const language = 31 - Math.clz32(bits & -bits);
    hits[language]!++;
    if (isNew) kinds[language]!++;
  }
}

function byWords(): string {
  let best = ENGLISH;
  for (let i = 1; i < hits.length; i++)
    if (kinds[i]! > kinds[best]! || (kinds[i] === kinds[best] && hits[i]! > hits[best]!)) best = i;
  const least = words < 10 ? 2 : 3;
  if (best === ENGLISH || kinds[best]! < least || hits[best]! * WORDS_A_HIT < words) return '';
  return hits[best]! > 1.5 * hits[ENGLISH]! ? NAMES[best]! : '';
}

interface LetterCounts {
  latin: number;
  others: number;
  byScript: ReadonlyMap<string, number>;
}

const isApostrophe = (unit: number): boolean => unit === 39 || unit === 0x2019;

/** Counts letters by script and, of those of Latin, words. */
function lettersOf(text: string): LetterCounts {
  hits.fill(0);
  kinds.fill(0);
  words = 0;
  texts++;
  let latin = 0;
  let others = 0;
  let byScript = NO_SCRIPTS;
  let hash = 0;
  let length = 0;
  for (let i = 0; i < text.length; i++) {
    let unit = text.charCodeAt(i);
    if (unit < 128) {
      // Of ASCII, letters alone have these bits.
      const small = unit | 32;
      if (small >= 97 && small <= 122) {
        hash = mixed(hash, small);
        length++;
        continue;
      }
    } else if (unit >= 0xc0 && (unit <= LAST_LATIN || (unit >= VIETNAMESE_FROM && unit <= VIETNAMESE_TO))) {
      if (unit !== 0xd7 && unit !== 0xf7) {
        unit = unit <= 0xde ? unit + 32 : smallOf(unit);
        hash = mixed(hash, unit);
        length++;
        continue;
      }
    } else if (unit >= 0x370) {
      const script = scriptAt(unit);
      if (script !== '') {
        if (byScript === NO_SCRIPTS) byScript = new Map();
        byScript.set(script, (byScript.get(script) ?? 0) + 1);
        others++;
      }
    }
    if (length === 0 || isApostrophe(unit)) continue;
    latin += length;
    count(hash);
    hash = 0;
    length = 0;
  }
  if (length > 0) {
    latin += length;
    count(hash);
  }
  return { latin, others, byScript };
}

const NO_SCRIPTS: Map<string, number> = new Map();

/** The small form of a Latin letter beyond Latin-1. */
const smallOf = (unit: number): number => String.fromCharCode(unit).toLowerCase().charCodeAt(0);

function scriptAt(unit: number): string {
  for (const [name, from, to] of SCRIPTS) if (unit >= from && unit <= to) return name;
  return '';
}

/** The script with most letters. Kana and Han together are Japanese. */
function scriptOf(byScript: ReadonlyMap<string, number>): string {
  const kana = byScript.get('Japanese') ?? 0;
  const all = [...byScript].map(([name, letters]): [string, number] =>
    name === 'Japanese' && kana > 0 ? [name, letters + (byScript.get('Chinese') ?? 0)] : [name, letters],
  );
  return all.reduce((best, each) => (each[1] > best[1] ? each : best))[0];
}
