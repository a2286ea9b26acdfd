/**
 * Tells which language a text is in, by its script, or by the words that stand in most sentences of a language (`words.txt`). A detector that
 * was made of one language has no verdict on another one (decisions, Languages).
 */
import { dataLines } from '../../data-file.js';

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

/** Scripts with letters that look like Latin ones. */
const ALIKE: ReadonlySet<string> = new Set(['Greek', 'Cyrillic', 'Armenian']);
const LOOK_ALIKES: ReadonlySet<number> = new Set(
  Array.from('аеорсухіѕјһԁԛԝվոսօАВЕКМНОРСТУХІЅЈοαινρυχΑΒΕΖΗΙΚΜΝΟΡΤΥΧ', (letter) => letter.charCodeAt(0)),
);

/** The language, by name, that most letters of `text` are in, where that is not English; '' where it is, and where a text has none. */
export function foreignLanguage(text: string): string {
  readLetters(text);
  if (letters < FEWEST_LETTERS) return '';
  let best = '';
  let most = 0;
  let foreign = 0;
  for (const [name, count] of tallies) {
    foreign += count;
    if (count > most) [best, most] = [name, count];
  }
  return 2 * foreign > letters ? nameOf(best) : '';
}

/** Kana and Han together are Japanese. */
const nameOf = (best: string): string => (best === 'Chinese' && tallies.has('Japanese') ? 'Japanese' : best);

const NAMES: string[] = [];
const ENGLISH = 0;
/** Hashes of words, in open addressing, and the languages of each, a bit for each. */
const SLOTS = 8192;
const hashes = new Int32Array(SLOTS);
const languages = new Int32Array(SLOTS);
/** the last group that had the word of a slot */
const met = new Uint32Array(SLOTS);
let groups = 0;

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

/** of the text that is read: its letters, and those of them that are in a language or script, by name */
let letters = 0;
let tallies: Map<string, number> = new Map();
const tally = (name: string, count: number): Map<string, number> => tallies.set(name, (tallies.get(name) ?? 0) + count);

/** of the words of a group, by language: how many are of it, how many of them differ, and how many are English, too */
const hits = new Uint32Array(NAMES.length);
const kinds = new Uint32Array(NAMES.length);
const shared = new Uint32Array(NAMES.length);
let words = 0;
let groupLetters = 0;

/** Counts a word of Latin letters. */
function count(hash: number, length: number): void {
  letters += length;
  groupLetters += length;
  words++;
  const slot = slotOf(hash);
  const of = languages[slot]!;
  if (of !== 0) {
    // Letters alone stand in tables and lists, too.
    const isNew = met[slot] !== groups && length > 1;
    const isEnglish = (of & 1) !== 0;
    met[slot] = groups;
    for (let bits = of; bits !== 0; bits &= bits - 1) {
      const language = 31 - Math.clz32(bits & -bits);
      hits[language]!++;
      if (isNew) kinds[language]!++;
      if (isEnglish) shared[language]!++;
    }
  }
  if (words === GROUP) endGroup();
}

/** Tells the language of a group by its words: at least two of it, and few of English that it has not, too. */
function endGroup(): void {
  let best = ENGLISH;
  for (let i = 1; i < hits.length; i++) {
    if (kinds[i]! > kinds[best]! || (kinds[i] === kinds[best] && hits[i]! > hits[best]!)) best = i;
  }
  const foreign = hits[best]!;
  const english = hits[ENGLISH]! - shared[best]!;
  if (best !== ENGLISH && kinds[best]! >= 2 && foreign * WORDS_A_HIT >= words && 4 * english <= foreign)
    tally(NAMES[best]!, groupLetters);
  beginGroup();
}

function beginGroup(): void {
  hits.fill(0);
  kinds.fill(0);
  shared.fill(0);
  words = 0;
  groupLetters = 0;
  groups++;
}

const isApostrophe = (unit: number): boolean => unit === 39 || unit === 0x2019;

/** Reads letters by script and, of those of Latin, words. A word in which scripts are mixed, or whose letters look like Latin ones, is disguised. */
function readLetters(text: string): void {
  letters = 0;
  tallies = new Map();
  beginGroup();
  let hash = 0;
  let latin = 0;
  let other = 0;
  let script = '';
  let disguised = true;
  const endWord = (): void => {
    if (other === 0) count(hash, latin);
    else if (latin > 0 || disguised) count(0, latin + other);
    else {
      letters += other;
      tally(script, other);
    }
    hash = 0;
    latin = 0;
    other = 0;
    disguised = true;
  };
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 128) {
      // Of ASCII, letters alone have these bits.
      const small = unit | 32;
      if (small >= 97 && small <= 122) {
        hash = mixed(hash, small);
        latin++;
        continue;
      }
    } else if (isLatin(unit)) {
      hash = mixed(hash, unit <= 0xde ? unit + 32 : smallOf(unit));
      latin++;
      continue;
    } else if (unit >= 0x370) {
      const of = scriptAt(unit);
      if (ALIKE.has(of)) {
        script = of;
        other++;
        disguised &&= LOOK_ALIKES.has(unit);
        continue;
      }
      if (of !== '') {
        letters++;
        tally(of, 1);
      }
    }
    if (latin + other > 0 && !isApostrophe(unit)) endWord();
  }
  if (latin + other > 0) endWord();
  if (words > 0) endGroup();
}

const isLatin = (unit: number): boolean =>
  unit >= 0xc0 &&
  (unit <= LAST_LATIN || (unit >= VIETNAMESE_FROM && unit <= VIETNAMESE_TO)) &&
  unit !== 0xd7 &&
  unit !== 0xf7;

/** The small form of a Latin letter beyond the capitals of Latin-1. */
const smallOf = (unit: number): number => (unit <= 0xff ? unit : String.fromCharCode(unit).toLowerCase().charCodeAt(0));

function scriptAt(unit: number): string {
  for (const [name, from, to] of SCRIPTS) if (unit >= from && unit <= to) return name;
  return '';
}
