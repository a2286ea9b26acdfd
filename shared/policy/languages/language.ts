/**
 * Tells which language a text is in, by its script, or by the words that stand in most sentences of a language (`words.txt`). A detector that
 * was made of one language has no verdict on another one (decisions, Languages).
 */
import { readPage, units } from '../models/page.js';
import { firstOf, LANGUAGES, languagesAt, mayBeListed, mixed, SLOTS, slotOf } from './words.js';

/** Fewer letters tell no language. */
const FEWEST_LETTERS = 20;
/** Words are told in groups of so many: a text may be in several languages. */
const GROUP = 12;
/** Of so many words one at least is among those of the language. */
const WORDS_A_HIT = 6;

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

/** By unit: 1 and the place of its script; 0: it has none. */
const SCRIPT_AT = new Uint8Array(0x10000);
for (const [i, [, from, to]] of SCRIPTS.entries()) SCRIPT_AT.fill(i + 1, from, to + 1);
const KANA = SCRIPTS.findIndex(([name]) => name === 'Japanese');
/** Scripts with letters that look like Latin ones come first. */
const ALIKE = 3;
const LOOK_ALIKES: ReadonlySet<number> = new Set(
  Array.from('аеорсухіѕјһԁԛԝվոսօАВЕКМНОРСТУХІЅЈοαινρυχΑΒΕΖΗΙΚΜΝΟΡΤΥΧ', (letter) => letter.charCodeAt(0)),
);

/** The name of English, where enough words say so, or none of many says another language. */
export const ENGLISH = 'English';

/** The language, by name, that most letters of `text` are in; '' where too few words or letters tell it. */
export function toldLanguage(text: string): string {
  if (isPlainEnglish(text)) return ENGLISH;
  readLetters(text);
  if (letters < FEWEST_LETTERS) return '';
  let best = '';
  let most = 0;
  let foreign = 0;
  const add = (name: string, count: number): void => {
    foreign += count;
    if (count > most) [best, most] = [name, count];
  };
  for (let i = 0; i < inScript.length; i++) if (inScript[i]! > 0) add(SCRIPTS[i]![0], inScript[i]!);
  for (let i = 0; i < inLanguage.length; i++) if (inLanguage[i]! > 0) add(LANGUAGES[i]!.name, inLanguage[i]!);
  if (2 * foreign <= letters) return foreign === 0 && (isEnglish() || hasNoOther()) ? ENGLISH : '';
  // Kana and Han together are Japanese.
  return best === 'Chinese' && inScript[KANA]! > 0 ? 'Japanese' : best;
}

/** Up to so many units, a few words of English alone tell a text in a tenth of the time of reading all of its words. */
const SHORT = 400;
/** One is asked for in so many units, and one more. */
const UNITS_A_WORD = 260;
/** The most frequent come first. Each has three or four letters. */
const FREQUENT = ['the', 'you', 'and', 'that', 'with', 'this', 'your', 'are', 'have', 'what'];
/** One of the first so many must be among them: bits by their places. */
const MOST_FREQUENT = 0b11;
const SPACE = 32;

/** Up to four letters in a number. */
const packed = (a: number, b: number, c: number, d: number): number => a | (b << 8) | (c << 16) | (d << 24);
const slotOfFrequent = (word: number): number => Math.imul(word, 0x9e3779b1) >>> 26;
/** By slot: a packed word, and its bit. */
const frequentAt = new Int32Array(64);
const frequentBits = new Int32Array(64);
for (const [i, word] of FREQUENT.entries()) {
  const [a, b, c, d] = [0, 1, 2, 3].map((at) => word.charCodeAt(at) || 0) as [number, number, number, number];
  let slot = slotOfFrequent(packed(a, b, c, d));
  while (frequentBits[slot] !== 0) slot = (slot + 1) & 63;
  frequentAt[slot] = packed(a, b, c, d);
  frequentBits[slot] = 1 << i;
}

/** The bit of a packed word; 0 of another one. */
function frequentBit(word: number): number {
  let slot = slotOfFrequent(word);
  while (frequentBits[slot] !== 0 && frequentAt[slot] !== word) slot = (slot + 1) & 63;
  return frequentBits[slot]!;
}

/** Whether a short text has enough of the most frequent words of English. What says no of a text says nothing of it. */
function isPlainEnglish(text: string): boolean {
  if (text.length > SHORT) return false;
  readPage(text, 0, text.length, false);
  const enough = 2 + Math.floor(text.length / UNITS_A_WORD);
  let met = 0;
  let count = 0;
  for (let i = 0, last = text.length - 4; i < last; i++) {
    if (units[i] !== SPACE) continue;
    const short = units[i + 4] === SPACE;
    if (!short && units[i + 5] !== SPACE) continue;
    const bit = frequentBit(packed(units[i + 1]!, units[i + 2]!, units[i + 3]!, short ? 0 : units[i + 4]!));
    if (bit === 0 || (met & bit) !== 0) continue;
    met |= bit;
    if (++count >= enough && (met & MOST_FREQUENT) !== 0) return true;
  }
  return false;
}

/** Words that only English has, of those of a text: so many, and one in so many, tell it. */
const FEWEST_ENGLISH = 3;
const WORDS_AN_ENGLISH = 6;
const isEnglish = (): boolean =>
  allEnglish >= FEWEST_ENGLISH && allEnglish * WORDS_AN_ENGLISH >= allWords && allEnglish > 3 * allOthers;

/**
 * A text of so many words in Latin letters has one of another language in so many, at least, if it is in one of those that are known here. In
 * English it has as many of English: Lithuanian, Zulu or Javanese have neither.
 */
const MANY_WORDS = 60;
const WORDS_AN_OTHER = 25;
const hasNoOther = (): boolean => hasManyWords() && allOthers * WORDS_AN_OTHER < allWords && !hasHardlyEnglish();
const hasManyWords = (): boolean => allWords >= MANY_WORDS;
const hasHardlyEnglish = (): boolean => allEnglish * WORDS_AN_OTHER < allWords;

/** Six words and more in a row, of which the first alone may be a name: programs, lists and records have few. */
const SENTENCES = /(?:^|[ \n(“"«])\p{L}[\p{Ll}'’-]*(?:,? \p{Ll}[\p{Ll}'’-]*){5,}/gu;
const MOST_SENTENCES = 4000;

/** Whether most of a long text, of which {@link toldLanguage} has just told none, is sentences without English: its language is not known here. */
export function isInNoneKnown(text: string): boolean {
  if (!hasManyWords() || !hasHardlyEnglish()) return false;
  const part = text.slice(0, MOST_SENTENCES);
  let within = 0;
  for (const [sentence] of part.matchAll(SENTENCES)) within += sentence.length;
  return 2 * within > part.length;
}

const AT_ENGLISH = 0;
/** By slot of a word: the last group that had it. */
const met = new Uint32Array(SLOTS);
let groups = 1;

/** of the text that is read: its letters, and those of them that are in each of the scripts, and of the languages */
let letters = 0;
/** its words: all of Latin letters, those of English alone, and those that are of another language, too */
let allWords = 0;
let allEnglish = 0;
let allOthers = 0;
const inScript = new Uint32Array(SCRIPTS.length);
const inLanguage = new Uint32Array(LANGUAGES.length);

/** of the words of a group, by language: how many are of it, how many of them differ, and how many are English, too */
const hits = new Uint32Array(LANGUAGES.length);
const kinds = new Uint32Array(LANGUAGES.length);
const shared = new Uint32Array(LANGUAGES.length);
let words = 0;
let groupLetters = 0;
/** words of English alone, and how many of them differ */
let englishHits = 0;
let englishKinds = 0;
/** there are words of other languages, and some that English has not: without these, it has all that they have */
let isCounted = false;
let isOpen = false;

/** Counts a word of Latin letters. */
function count(hash: number, length: number): void {
  letters += length;
  groupLetters += length;
  words++;
  allWords++;
  if (mayBeListed(hash)) countListed(slotOf(hash), length);
  if (words === GROUP) endGroup();
}

function countListed(slot: number, length: number): void {
  const of = languagesAt[slot]!;
  if (of === 0) return;
  // Letters alone stand in tables and lists, too.
  const isNew = met[slot] !== groups && length > 1;
  met[slot] = groups;
  if (of === 1) {
    englishHits++;
    allEnglish++;
    if (isNew) englishKinds++;
    return;
  }
  isCounted = true;
  if ((of & 1) === 0) {
    isOpen = true;
    allOthers++;
  }
  for (let bits = of; bits !== 0; bits &= bits - 1) {
    const language = firstOf(bits);
    hits[language]!++;
    if (isNew) kinds[language]!++;
    if ((of & 1) === 1) shared[language]!++;
  }
}

/** Tells the language of a group by its words: at least two of it, and few of English that it has not, too. */
function endGroup(): void {
  if (isOpen) tellGroup();
  if (isCounted) {
    hits.fill(0);
    kinds.fill(0);
    shared.fill(0);
    isCounted = false;
    isOpen = false;
  }
  words = 0;
  groupLetters = 0;
  englishHits = 0;
  englishKinds = 0;
  groups++;
}

function tellGroup(): void {
  hits[AT_ENGLISH]! += englishHits;
  kinds[AT_ENGLISH]! += englishKinds;
  let best = AT_ENGLISH;
  for (let i = 1; i < hits.length; i++) {
    if (kinds[i]! > kinds[best]! || (kinds[i] === kinds[best] && hits[i]! > hits[best]!)) best = i;
  }
  const foreign = hits[best]!;
  const english = hits[AT_ENGLISH]! - shared[best]!;
  if (best !== AT_ENGLISH && kinds[best]! >= 2 && foreign * WORDS_A_HIT >= words && 4 * english <= foreign)
    inLanguage[best]! += groupLetters;
}

const isApostrophe = (unit: number): boolean => unit === 39 || unit === 0x2019;

/** A word: a word of Latin letters, or letters of one of the scripts that look like them. */
function endWord(hash: number, latin: number, other: number, script: number): void {
  if (other === 0) count(hash, latin);
  // Where both are mixed, or the letters all look like Latin ones, it is disguised, and counts as one of Latin letters.
  else if (latin > 0 || script < 0) count(0, latin + other);
  else {
    letters += other;
    inScript[script - 1]! += other;
  }
}

/** By unit below 128: the small letter, or 0. */
const SMALL = Uint8Array.from({ length: 128 }, (_, unit) => {
  const small = unit | 32;
  return small >= 97 && small <= 122 ? small : 0;
});

/** Reads letters by script and, of those of Latin, words. */
function readLetters(text: string): void {
  letters = 0;
  allWords = 0;
  allEnglish = 0;
  allOthers = 0;
  inScript.fill(0);
  inLanguage.fill(0);
  let hash = 0;
  let latin = 0;
  let other = 0;
  // Below 0 as long as all letters that are not Latin look as if they were.
  let script = -1;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 128) {
      const small = SMALL[unit]!;
      if (small !== 0) {
        hash = mixed(hash, small);
        latin++;
        continue;
      }
    } else if (isLatin(unit)) {
      hash = mixed(hash, unit <= 0xde ? unit + 32 : smallOf(unit));
      latin++;
      continue;
    } else {
      const of = SCRIPT_AT[unit]!;
      if (of > 0 && of <= ALIKE) {
        other++;
        if (!LOOK_ALIKES.has(unit)) script = of;
        continue;
      }
      if (of > 0) {
        letters++;
        inScript[of - 1]!++;
      }
    }
    if (latin + other === 0 || isApostrophe(unit)) continue;
    endWord(hash, latin, other, script);
    hash = 0;
    latin = 0;
    other = 0;
    script = -1;
  }
  if (latin + other > 0) endWord(hash, latin, other, script);
  if (words > 0) endGroup();
}

const isLatin = (unit: number): boolean =>
  unit >= 0xc0 &&
  (unit <= LAST_LATIN || (unit >= VIETNAMESE_FROM && unit <= VIETNAMESE_TO)) &&
  unit !== 0xd7 &&
  unit !== 0xf7;

/** The small form of a Latin letter beyond the capitals of Latin-1. */
const smallOf = (unit: number): number => (unit <= 0xff ? unit : String.fromCharCode(unit).toLowerCase().charCodeAt(0));
