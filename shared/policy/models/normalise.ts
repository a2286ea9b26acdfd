/**
 * Writes a window of a text in the small alphabet of `characters.ts`, words apart by one separator. On the way,
 *
 * - runs of three and more of a character become two;
 * - a mention, a URL, a long number and an emoji are a word of one code;
 * - digits and signs become letters in words that have letters (`k1ll`, `b!tch`), and look-alikes of other scripts in words that
 *   have Latin letters;
 * - runs of single letters (`k i l l`) become one word.
 */
import {
  BANG,
  CODES,
  DOLLAR,
  ESCAPE,
  isHandle,
  LAST_DIGIT,
  LAST_LETTER,
  LETTER_OF_DIGIT,
  LOOK_ALIKES,
  letterOfAstral,
  MENTION,
  NUMBER,
  OTHER,
  otherCode,
  QUESTION,
  QUOTE,
  SEPARATOR,
  SKIP,
  STAR,
  SURROGATE,
  URL,
  ZERO,
} from './characters.js';
import { entity, isSpace, readEntity } from './escapes.js';
import { nextHash, startHash } from './lexicon.js';
import { pageAt, pointAt, units } from './page.js';

/** UTF-16 units that a window has at most. */
export const WINDOW = 320;
/** Single letters in a row that are one word. */
const APART = 3;
/** Letters after which a word ends, so that each step of a word takes a bounded time. */
const MAX_WORD = 40;
/** A separator for each unit, and one at each end, at most. */
export const MAX_CODES = 2 * WINDOW + 8;

/** The codes that {@link normalise} wrote last. */
export const codes = new Uint8Array(MAX_CODES + MAX_WORD);

/** The words of {@link codes}: the hash of each, and where it begins and ends there. */
export const wordHashes = new Int32Array(MAX_CODES / 2);
export const wordStarts = new Int32Array(MAX_CODES / 2);
export const wordEnds = new Int32Array(MAX_CODES / 2);

const [PLUS, COLON, QUESTION_MARK] = [43, 58, 63] as const;

let length = 0;
let words = 0;
/** where the word under way begins in `codes`, and in the page */
let wordAt = 0;
let sourceAt = 0;
let letters = 0;
let digits = 0;
let foreign = 0;
/** single letters in a row, and where the first stands */
let singles = 0;
let singlesAt = 0;
/** where each of them stands in the page */
const singleAt = new Int32Array(MAX_CODES);

/**
 * Writes what {@link readPage} has read of a text from `from` to `to` into {@link codes}. The first and the last code are separators. Returns how many words
 * there are.
 */
export function normalise(from: number, to: number): number {
  codes[0] = SEPARATOR;
  length = 1;
  words = 0;
  singles = 0;
  const first = from - pageAt;
  const end = to - pageAt;
  startWord(first);
  for (let i = first; i < end; i++) {
    const unit = units[i]!;
    const code = CODES[unit]!;
    if (code !== SEPARATOR && code <= LAST_LETTER && length === wordAt && singles < APART) {
      i = putWords(i, end) - 1;
    } else if (code <= LAST_DIGIT) {
      if (code === SEPARATOR) {
        if (unit === COLON && isScheme() && units[i + 1] === 47) i = skipUrl(i, end);
        else if (length > wordAt) endWord(i);
        else sourceAt = i + 1;
      } else {
        if (code <= LAST_LETTER) letters++;
        else digits++;
        put(code, i);
      }
    } else if (code >= OTHER) {
      const alike = LOOK_ALIKES[unit]!;
      if (alike !== 0) foreign++;
      if (unit < 0x2190 || unit > 0x2bff) {
        if (alike === 0) letters++;
        put(alike === 0 ? code : alike, i);
      } else putAlone(code, i);
    } else if (code !== SKIP) i = special(code, i, end);
  }
  if (length > wordAt) endWord(end);
  joinSingles();
  return words;
}

function startWord(source: number): void {
  wordAt = length;
  sourceAt = source;
  letters = 0;
  digits = 0;
  foreign = 0;
}

/** Writes words of letters from `i` on, where one begins: most of a text. Returns where something else stands, which may go on with the last. */
function putWords(i: number, to: number): number {
  // What stands outside is loaded anew for each unit.
  const [from, put, codeOf] = [units, codes, CODES];
  const [hashes, starts, ends] = [wordHashes, wordStarts, wordEnds];
  let [many, single] = [words, singles];
  let at = length;
  let start = at;
  let hash = startHash();
  let [last, before] = [-1, -1];
  let next = i;
  for (; next < to && single < APART; next++) {
    const unit = from[next]!;
    const code = codeOf[unit]!;
    if (code === SEPARATOR) {
      if (at === start) continue;
      if (unit === COLON) break;
    } else {
      if (code > LAST_LETTER) break;
      // As in `put`.
      if (code === last && code === before) continue;
      before = last;
      last = code;
      put[at++] = code;
      hash = nextHash(hash, code);
      if (at - start < MAX_WORD) continue;
    }
    if (at > start + 1) single = 0;
    else {
      if (single === 0) singlesAt = start;
      singleAt[single++] = next - 1;
    }
    hashes[many] = hash;
    starts[many] = start;
    ends[many++] = at;
    put[at++] = SEPARATOR;
    start = at;
    hash = startHash();
    last = -1;
    before = -1;
  }
  words = many;
  singles = single;
  length = start;
  startWord(next - (at - start));
  length = at;
  letters = at - start;
  return next;
}

/** A third equal code in a row is left out. */
function put(code: number, at: number): void {
  if (codes[length - 1] === code && codes[length - 2] === code && length - 2 >= wordAt) return;
  codes[length++] = code;
  if (length - wordAt >= MAX_WORD) endWord(at + 1);
}

/** A word of one code. The same one three times in a row is left out. */
function putAlone(code: number, at: number): void {
  if (length > wordAt) endWord(at);
  if (singles > 0) joinSingles();
  if (length < 5 || codes[length - 2] !== code || codes[length - 4] !== code) {
    codes[length++] = code;
    tellWord(length - 1, length);
    codes[length++] = SEPARATOR;
  }
  startWord(at + 1);
}

/** Characters that are words of their own, or letters within a word. Returns the last unit that was read. */
function special(code: number, i: number, to: number): number {
  const next = i + 1 < to ? CODES[units[i + 1]!]! : SEPARATOR;
  const nextLetter = next !== SEPARATOR && next <= LAST_LETTER;
  if (code === SURROGATE) return astral(i);
  if (code === ESCAPE) return decode(i, to);
  if (code === STAR) {
    // It hides a letter: "f*ck" reads as "fck".
    if (!(length > wordAt && (nextLetter || next === STAR))) separate(i);
    return i;
  }
  if (code === DOLLAR) {
    if (nextLetter || (length > wordAt && letters > 0)) {
      letters++;
      put(19, i);
    } else separate(i);
    return i;
  }
  if (code === MENTION) {
    if (length > wordAt && letters > 0 && nextLetter && !isAddress(i, to)) {
      put(1, i);
      return i;
    }
    if (!nextLetter) {
      separate(i);
      return i;
    }
    putAlone(MENTION, i);
    while (i + 1 < to && isHandle(units[i + 1]!)) i++;
    startWord(i + 1);
    return i;
  }
  if (code === BANG && length > wordAt && nextLetter) {
    put(9, i);
    return i;
  }
  if (code === BANG || code === QUESTION || code === QUOTE) putAlone(code, i);
  return i;
}

function separate(at: number): void {
  if (length > wordAt) endWord(at);
  else sourceAt = at + 1;
}

/** Whether the word that `@` at `i` continues into has a dot: an address rather than a letter in disguise. */
function isAddress(i: number, to: number): boolean {
  for (let at = i + 1; at < to && at < i + 40; at++) {
    const unit = units[at]!;
    if (unit === 46) return true;
    if (!isHandle(unit)) return false;
  }
  return false;
}

/** A character of two units: a letter of a mathematical alphabet, or an emoji. */
function astral(i: number): number {
  const point = pointAt(i);
  if (point < 0x10000) return i;
  const alike = letterOfAstral(point);
  if (alike !== 0) {
    letters++;
    put(alike, i);
  } else if (point >= 0x1f000 && !(point >= 0x1f3fb && point <= 0x1f3ff) && point < 0xe0000) {
    putAlone(otherCode(point), i + 1);
  } else if (point < 0x1f000) {
    letters++;
    put(otherCode(point), i);
  }
  return i + 1;
}

/** Whether the word under way is "http" or "https". */
function isScheme(): boolean {
  const at = length - wordAt === 5 && codes[length - 1] === 19 ? length - 5 : length - 4;
  return at === wordAt && codes[at] === 8 && codes[at + 1] === 20 && codes[at + 2] === 20 && codes[at + 3] === 16;
}

/** The scheme becomes the token of a URL, and the rest is passed over, but for a query that has words. */
function skipUrl(i: number, to: number): number {
  length = wordAt;
  putAlone(URL, i);
  let query = 0;
  for (; i + 1 < to && units[i + 1]! > 32; i++) {
    const unit = units[i + 1]!;
    if (unit === QUESTION_MARK && query === 0) query = i + 1;
    else if (query > 0 && (unit === PLUS || isSpace(i + 1, to))) {
      i = query;
      break;
    }
  }
  startWord(i + 1);
  return i;
}

/** What stands for a character at `i`: a space of a URL, or an entity of HTML. Returns the last unit of it; a sign that stands for itself ends a word. */
function decode(i: number, to: number): number {
  if (isSpace(i, to)) {
    separate(i);
    return i + 2;
  }
  const end = readEntity(i, to);
  if (end === i) separate(i);
  else if (entity.code === SEPARATOR) separate(end);
  else if (entity.code !== SKIP) {
    letters++;
    put(entity.code, end);
  }
  return end;
}

function endWord(source: number): void {
  if (digits > 0) {
    if (letters > 0) for (let i = wordAt; i < length; i++) codes[i] = unleet(codes[i]!);
    else if (length - wordAt > 4 || length - wordAt === 3) {
      codes[wordAt] = NUMBER;
      length = wordAt + 1;
    }
  }
  if (foreign > 0 && letters === 0) restore(source);
  const single = length - wordAt === 1 && codes[wordAt]! <= LAST_LETTER;
  if (!single && singles > 0) joinSingles();
  if (single) {
    if (singles === 0) singlesAt = wordAt;
    singleAt[singles++] = sourceAt;
  }
  tellWord(wordAt, length);
  codes[length++] = SEPARATOR;
  startWord(source + 1);
}

function tellWord(start: number, end: number): void {
  if (start === end) return;
  let hash = startHash();
  for (let at = start; at < end; at++) hash = nextHash(hash, codes[at]!);
  wordHashes[words] = hash;
  wordStarts[words] = start;
  wordEnds[words++] = end;
}

function unleet(code: number): number {
  if (code < ZERO || code > LAST_DIGIT) return code;
  const alike = LETTER_OF_DIGIT[code - ZERO]!;
  return alike === 0 ? code : alike;
}

/** A word without Latin letters is one of another script: its letters are no look-alikes. */
function restore(source: number): void {
  let at = wordAt;
  for (let i = sourceAt; i < source && at < length; i++) {
    const code = CODES[units[i]!]!;
    if (code >= OTHER || (code !== SEPARATOR && code <= LAST_DIGIT)) codes[at++] = code;
  }
  length = at;
}

/**
 * Takes the separators out of a run of three and more single letters, but for those that are wider than the first: between words. The word under
 * way moves with it.
 */
function joinSingles(): void {
  const count = singles;
  singles = 0;
  if (count < APART) return;
  words -= count;
  const usual = singleAt[1]! - singleAt[0]!;
  const behind = singlesAt + 2 * count - 1;
  let start = singlesAt;
  let at = singlesAt;
  for (let i = 0; i < count; i++) {
    if (i > 0 && singleAt[i]! - singleAt[i - 1]! > usual) {
      tellWord(start, at);
      codes[at++] = SEPARATOR;
      start = at;
    }
    codes[at++] = codes[singlesAt + 2 * i]!;
  }
  tellWord(start, at);
  codes.copyWithin(at, behind, length);
  length -= behind - at;
  wordAt -= behind - at;
}
