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

/** UTF-16 units that a window has at most. */
export const WINDOW = 320;
/** Letters after which a word ends, so that each step of a word takes a bounded time. */
const MAX_WORD = 40;
/** A separator for each unit, and one at each end, at most. */
export const MAX_CODES = 2 * WINDOW + 8;

/** The codes that {@link normalise} wrote last. */
export const codes = new Uint8Array(MAX_CODES + MAX_WORD);

/** The units of the window, and two that follow it. To ask the string for each of them takes three times as long. */
const units = new Uint16Array(WINDOW + 2);
const unitBytes = Buffer.from(units.buffer);

let length = 0;
/** where the word under way begins in `codes`, and in the window */
let wordAt = 0;
let sourceAt = 0;
let letters = 0;
let digits = 0;
let foreign = 0;
/** single letters in a row, and where the first stands */
let singles = 0;
let singlesAt = 0;

/** Writes `text` from `from` to `to` into {@link codes}; returns how many. The first and the last code are separators. */
export function normalise(text: string, from: number, to: number): number {
  codes[0] = SEPARATOR;
  length = 1;
  singles = 0;
  startWord(0);
  readUnits(text, from, to);
  const size = to - from;
  for (let i = 0; i < size; i++) {
    const unit = units[i]!;
    const code = CODES[unit]!;
    if (code !== SEPARATOR && code <= LAST_LETTER && code !== codes[length - 1]) {
      i = putLetters(i, size) - 1;
    } else if (code <= LAST_DIGIT) {
      if (code === SEPARATOR) {
        if (unit === 58 /* : */ && isScheme() && units[i + 1] === 47) i = skipUrl(i, size);
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
    } else if (code !== SKIP) i = special(code, i, size);
  }
  if (length > wordAt) endWord(size);
  joinSingles();
  return length;
}

/** Fills {@link units}; what is behind the end of the text is 0. */
function readUnits(text: string, from: number, to: number): void {
  const size = Math.min(text.length, to + 2) - from;
  unitBytes.write(size === text.length ? text : text.slice(from, from + size), 0, 2 * size, 'utf16le');
  for (let i = size; i < to + 2 - from; i++) units[i] = 0;
}

function startWord(source: number): void {
  wordAt = length;
  sourceAt = source;
  letters = 0;
  digits = 0;
  foreign = 0;
}

/** Writes the letters from `i` on up to one that repeats its neighbour, which is most of a text; returns where they end. */
function putLetters(i: number, to: number): number {
  let at = length;
  const stop = Math.min(to, i + MAX_WORD - (at - wordAt));
  let next = i;
  let last = -1;
  while (next < stop) {
    const code = CODES[units[next]!]!;
    if (code === SEPARATOR || code > LAST_LETTER || code === last) break;
    codes[at++] = code;
    last = code;
    next++;
  }
  letters += at - length;
  length = at;
  if (at - wordAt >= MAX_WORD) endWord(next);
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
    codes[length++] = SEPARATOR;
  }
  startWord(at + 1);
}

/** Characters that are words of their own, or letters within a word. Returns the last unit that was read. */
function special(code: number, i: number, to: number): number {
  const next = i + 1 < to ? CODES[units[i + 1]!]! : SEPARATOR;
  const nextLetter = next !== SEPARATOR && next <= LAST_LETTER;
  if (code === SURROGATE) return astral(i);
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

/** The character at `i`, of one unit or two. */
function pointAt(i: number): number {
  const [high, low] = [units[i]!, units[i + 1]!];
  const paired = high < 0xdc00 && low >= 0xdc00 && low <= 0xdfff;
  return paired ? 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00) : high;
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

const isHandle = (unit: number): boolean => unit === 95 || (CODES[unit]! !== SEPARATOR && CODES[unit]! <= LAST_DIGIT);

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

/** The scheme becomes the token of a URL, and the rest is passed over. */
function skipUrl(i: number, to: number): number {
  length = wordAt;
  putAlone(URL, i);
  while (i + 1 < to && units[i + 1]! > 32) i++;
  startWord(i + 1);
  return i;
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
  if (single && singles++ === 0) singlesAt = wordAt;
  codes[length++] = SEPARATOR;
  startWord(source + 1);
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

/** Takes the separators out of a run of three and more single letters. The word under way moves with it. */
function joinSingles(): void {
  const count = singles;
  singles = 0;
  if (count < 3) return;
  for (let i = 1; i < count; i++) codes[singlesAt + i] = codes[singlesAt + 2 * i]!;
  const shift = count - 1;
  codes.copyWithin(singlesAt + count, singlesAt + 2 * count - 1, length);
  length -= shift;
  wordAt -= shift;
}
