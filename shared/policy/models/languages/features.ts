/**
 * The features of a window of text in another language than English: words, pairs of neighbours, and characters in a row, across words. Each
 * language has a part of the table to itself, so what one has learned is never read for another, and the weights of a text stand close to each
 * other. Nothing is allocated, and time is linear in the window.
 */
import { LETTER_OF_DIGIT } from '../characters.js';
import { WINDOW } from '../normalise.js';
import { BANG, DIGIT, FOLDED, MENTION, QUESTION, QUOTE, SEPARATOR, SKIP, URL } from './letters.js';

/** Rises when a text gets other features. */
export const LANGUAGES_VERSION = 3;

const BUCKET_BITS = 17;
/** of one language */
export const BUCKETS = 1 << BUCKET_BITS;
const SHIFT = 32 - BUCKET_BITS;

/** How a script is read: how many characters in a row are features, and whether words are apart. */
export interface Reading {
  shortest: number;
  longest: number;
  words: boolean;
}

/** Signs take three units, and a mention or an address two that are not in the text. */
const MAX_UNITS = 3 * WINDOW + 8;
/** What {@link fold} wrote last, and what is behind it. */
export const units = new Uint16Array(MAX_UNITS + 8);

const LONGEST = 4;
/** The buckets that {@link extract} wrote last. */
export const buckets = new Int32Array(MAX_UNITS * (LONGEST + 2));

const LATIN_A = 97;
const LATIN_Z = 122;
const LATIN_H = 104;
const isLatin = (unit: number): boolean => unit >= LATIN_A && unit <= LATIN_Z;
const isDigit = (unit: number): boolean => unit >= 48 && unit <= 57;

/** Writes `text` from `from` to `to` into {@link units}; returns how many. The first and the last are separators. */
export function fold(text: string, from: number, to: number): number {
  let n = 0;
  units[n++] = SEPARATOR;
  for (let i = from; i < to; i++) {
    const unit = text.charCodeAt(i);
    let code = FOLDED[unit]!;
    const last = units[n - 1]!;
    // Most of a text: a letter that does not repeat its neighbour, and begins no address.
    if (code > MENTION && code !== last && code !== LATIN_H) {
      units[n++] = code;
      continue;
    }
    if (code === SKIP) continue;
    if (code === DIGIT) code = digitAt(text, i, last);
    if (code === SEPARATOR) {
      if (last !== SEPARATOR) units[n++] = SEPARATOR;
      continue;
    }
    if (code === MENTION || code === BANG || code === QUESTION || code === QUOTE) {
      if (last !== SEPARATOR) units[n++] = SEPARATOR;
      else if (n > 2 && units[n - 2] === code) continue;
      if (code === MENTION) i = skipHandle(text, i, to);
      units[n++] = code;
      units[n++] = SEPARATOR;
      continue;
    }
    if (code === LATIN_H && last === SEPARATOR && isUrl(text, i)) {
      i = skipUrl(text, i, to);
      units[n++] = URL;
      continue;
    }
    // A third equal one in a row is left out, and a number is one digit.
    if (code === last && (code === DIGIT || units[n - 2] === code)) continue;
    units[n++] = code;
  }
  if (units[n - 1] !== SEPARATOR) units[n++] = SEPARATOR;
  return n;
}

/** A digit beside a Latin letter stands for one. */
function digitAt(text: string, at: number, last: number): number {
  const unit = text.charCodeAt(at);
  if (!isDigit(unit)) return DIGIT;
  const next = FOLDED[text.charCodeAt(at + 1)] ?? SEPARATOR;
  if (!isLatin(last) && !isLatin(next)) return DIGIT;
  const letter = LETTER_OF_DIGIT[unit - 48]!;
  return letter === 0 ? DIGIT : letter + LATIN_A - 1;
}

function skipHandle(text: string, at: number, to: number): number {
  let i = at;
  while (i + 1 < to && isHandle(text.charCodeAt(i + 1))) i++;
  return i;
}

const isHandle = (unit: number): boolean => unit === 95 || isDigit(unit) || isLatin(unit | 32);

const isUrl = (text: string, at: number): boolean => text.startsWith('http://', at) || text.startsWith('https://', at);

function skipUrl(text: string, at: number, to: number): number {
  let i = at;
  while (i + 1 < to && text.charCodeAt(i + 1) > 32) i++;
  return i;
}

const MIX = 0x01000193;
const WORD = 0x51ed27;
const PAIR = 0x1b8735;
const bucketOf = (hash: number): number => Math.imul(hash ^ (hash >>> 15), 0x85ebca6b) >>> SHIFT;

const SEED = 0x811c9dc5;

/** Writes the features of `text` from `from` to `to`, in the language of that place, into {@link buckets}; returns how many. */
export function extract(place: number, reading: Reading, text: string, from: number, to: number): number {
  const length = fold(text, from, to);
  if (length < 2) return 0;
  const first = place << BUCKET_BITS;
  const n = addCharacters(first, reading, length);
  return reading.words ? addWords(first, length, n) : n;
}

function addCharacters(first: number, { shortest, longest }: Reading, length: number): number {
  const [read, to] = [units, buckets];
  // Behind the end stands nothing that the last text left.
  for (let i = length; i < length + longest; i++) read[i] = 0;
  let n = 0;
  for (let at = 0; at < length; at++) {
    let hash = SEED;
    for (let k = 1; k <= longest; k++) {
      const unit = read[at + k - 1]!;
      if (unit === 0) break;
      hash = Math.imul(hash ^ unit, MIX);
      if (k >= shortest) to[n++] = first | bucketOf(hash);
    }
  }
  return n;
}

function addWords(first: number, length: number, from: number): number {
  let n = from;
  const start = SEED ^ WORD;
  let hash = start;
  let last = 0;
  for (let at = 1; at < length; at++) {
    const unit = units[at]!;
    if (unit !== SEPARATOR) hash = Math.imul(hash ^ unit, MIX);
    else if (hash !== start) {
      buckets[n++] = first | bucketOf(hash);
      buckets[n++] = first | bucketOf(Math.imul(Math.imul(last, 0x2c1b3c6d) + hash, 0x297a2d39) ^ PAIR);
      last = hash;
      hash = start;
    }
  }
  return n;
}
