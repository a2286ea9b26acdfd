/**
 * The features of a window of text: numbers of buckets, the same for all labels.
 *
 * - words, and pairs of neighbours;
 * - four characters in a row, across words;
 * - pairs of neighbours of which one or both stand as their class;
 * - two to five coarse classes in a row, where a negation turns the class after it;
 * - which coarse classes occur, and which occur together;
 * - the same for classes of injection and for those of harm, two to four in a row.
 *
 * Nothing is allocated: what is written lasts until the next call. Time is linear in the window.
 */
import { LAST_LETTER } from './characters.js';
import { CLASSES, COARSE_OF, TURNS } from './classes.js';
import { type ClassLexicon, classesOf, isUnknown, nextHash, startHash } from './lexicon.js';
import { codes, MAX_CODES, normalise, wordEnds, wordHashes, wordStarts } from './normalise.js';
import { readPage } from './page.js';
import { endOfSegment, readSaid, said } from './segments.js';

/** Rises when a text gets other features. Weights hold for the features that they were fitted to, and for no others. */
export const FEATURES_VERSION = 4;

const BUCKET_BITS = 18;
export const BUCKETS = 1 << BUCKET_BITS;

const MAX_TOKENS = MAX_CODES;
/** Of classes that occur together, this many are paired. */
const MAX_PAIRED = 12;
/** Classed words that a negation reaches. */
const NEGATION_REACH = 5;
/** Shortest unknown word that is split, longest that is, and longest part. */
const MIN_SPLIT = 8;
const MAX_SPLIT = 28;
const MAX_PART = 14;

const OR = hashOfLetters('or');
const NOR = hashOfLetters('nor');

/** Sentences that are read at a time, and features after which no further one is: so many are in the cache at once. */
const MOST_SENTENCES = 16;
const ENOUGH_FEATURES = 512;

/** The buckets that {@link extract} or {@link extractSentences} wrote last. */
export const buckets = new Int32Array(ENOUGH_FEATURES + MAX_TOKENS * 15 + 1024);
/** By sentence that {@link extractSentences} read last: where its features end, and where it ends in the text. */
export const featureEnds = new Int32Array(MOST_SENTENCES);
export const textEnds = new Int32Array(MOST_SENTENCES);

const hashes = new Int32Array(MAX_TOKENS);
const starts = new Int32Array(MAX_TOKENS);
const ends = new Int32Array(MAX_TOKENS);
const classes = new Uint8Array(MAX_TOKENS);
const injections = new Uint8Array(MAX_TOKENS);
const harms = new Uint8Array(MAX_TOKENS);

let count = 0;
let tokens = 0;

function hashOfLetters(word: string): number {
  let hash = startHash();
  for (const char of word) hash = nextHash(hash, char.charCodeAt(0) - 96);
  return hash;
}

const SHIFT = 32 - BUCKET_BITS;
const bucketOf = (hash: number): number => Math.imul(hash ^ (hash >>> 15), 0x85ebca6b) >>> SHIFT;
function add(hash: number): void {
  buckets[count++] = bucketOf(hash);
}
const pairHash = (a: number, b: number, salt: number): number =>
  Math.imul(Math.imul(a, 0x2c1b3c6d) + b, 0x297a2d39) ^ salt;

/** A longer text is not remembered: it would be held in memory until the next. */
const MAX_REMEMBERED = 65_536;
let lastText: string | undefined;
let lastLexicon: ClassLexicon | undefined;
let lastFrom = 0;
let lastUntil = 0;
let sentences = 0;

/** Writes the features of the segment of `text` from `from` to `to` into {@link buckets}; returns how many. */
export function extract(lexicon: ClassLexicon, text: string, from: number, to: number): number {
  lastText = undefined;
  count = 0;
  readPage(text, from, to, false);
  readSaid(text, from, to);
  addFeatures(lexicon, normalise(said[0]!, said[1]!));
  return count;
}

/**
 * Writes the features of some of the sentences of `text` that begin from `from` on and before `until`; returns how many sentences these are,
 * one at least. Models with the same lexicon ask for the same ones one after another, so the last are remembered.
 */
export function extractSentences(lexicon: ClassLexicon, text: string, from: number, until: number): number {
  if (lexicon === lastLexicon && from === lastFrom && until === lastUntil && text === lastText) return sentences;
  lastText = undefined;
  count = 0;
  sentences = 0;
  let at = from;
  do {
    const to = endOfSegment(text, at, at > from);
    readSaid(text, at, to);
    addFeatures(lexicon, normalise(said[0]!, said[1]!));
    featureEnds[sentences] = count;
    textEnds[sentences] = to;
    sentences++;
    at = to;
  } while (at < text.length && at < until && sentences < MOST_SENTENCES && count < ENOUGH_FEATURES);
  lastText = text.length <= MAX_REMEMBERED ? text : undefined;
  lastLexicon = lexicon;
  lastFrom = from;
  lastUntil = until;
  return sentences;
}

/** Of a window with so many words. */
function addFeatures(lexicon: ClassLexicon, words: number): void {
  const first = count;
  tokens = 0;
  if (words > 0) addCharacters(wordEnds[words - 1]! + 1);
  for (let i = 0; i < words; i++) addWord(lexicon, wordHashes[i]!, wordStarts[i]!, wordEnds[i]!);
  if (tokens === 0) {
    count = first;
    return;
  }
  joinNeighbours(lexicon);
  addPairs();
  addSequences();
  addClassed(injections, 0xbb67ae, 0xa54ff5);
  addClassed(harms, 0x510e52, 0x9b0568);
}

/** Four in a row of the first `length` codes. */
function addCharacters(length: number): void {
  const [from, to] = [codes, buckets];
  let n = count;
  let last4 = (from[1]! << 8) | from[2]!;
  for (let i = 3; i < length; i++) {
    last4 = (last4 << 8) | from[i]!;
    to[n++] = Math.imul(last4, 0x9e3779b1) >>> SHIFT;
  }
  count = n;
}

/** A word and its classes. */
function addWord(lexicon: ClassLexicon, hash: number, start: number, end: number): void {
  add(hash);
  const packed = classesOf(lexicon, hash);
  if (packed === 0 && end - start >= MIN_SPLIT && codes[start]! <= LAST_LETTER && splitWord(lexicon, start, end))
    return;
  addToken(hash, start, end, packed);
}

function addToken(hash: number, start: number, end: number, packed: number): void {
  hashes[tokens] = hash;
  starts[tokens] = start;
  ends[tokens] = end;
  classes[tokens] = packed & 63;
  injections[tokens] = (packed >>> 6) & 31;
  harms[tokens] = packed >>> 11;
  tokens++;
}

/** Reads an unknown word as several known ones, the longest first, if they cover four fifths of it. */
function splitWord(lexicon: ClassLexicon, start: number, end: number): boolean {
  const first = tokens;
  const stop = Math.min(end, start + MAX_SPLIT);
  const { bits } = lexicon;
  const from = codes;
  let covered = 0;
  let parts = 0;
  for (let at = start; at < stop; ) {
    let hash = startHash();
    let best = 0;
    let bestHash = 0;
    let bestPacked = 0;
    const limit = Math.min(stop, at + MAX_PART);
    for (let i = at; i < limit; i++) {
      hash = nextHash(hash, from[i]!);
      if (i === at || isUnknown(bits, hash)) continue;
      const packed = classesOf(lexicon, hash);
      // Two letters are too few unless they end what is left.
      if (packed === 0 || (i - at < 2 && i + 1 < stop && at > start)) continue;
      best = i + 1 - at;
      bestHash = hash;
      bestPacked = packed;
    }
    if (best === 0) {
      at++;
      if ((at - start - covered) * 5 > stop - start) break;
      continue;
    }
    addToken(bestHash, at, at + best, bestPacked);
    covered += best;
    parts++;
    at += best;
  }
  if (parts >= 2 && covered * 5 >= (stop - start) * 4) {
    for (let i = first; i < tokens; i++) add(hashes[i]!);
    return true;
  }
  tokens = first;
  return false;
}

/** Two neighbours that mean nothing apart may be a word that was cut. */
function joinNeighbours(lexicon: ClassLexicon): void {
  for (let i = 1; i < tokens; i++) {
    const [first, second] = [classes[i - 1]!, classes[i]!];
    // Of two whole words of everyday use, none is a part of another.
    if (first > 1 || second > 1 || (first === 1 && second === 1)) continue;
    const [a, b] = [ends[i - 1]! - starts[i - 1]!, ends[i]! - starts[i]!];
    if (a + b < 4 || a + b > MAX_PART || codes[starts[i]!]! > LAST_LETTER) continue;
    let hash = hashes[i - 1]!;
    for (let at = starts[i]!; at < ends[i]!; at++) hash = nextHash(hash, codes[at]!);
    const packed = classesOf(lexicon, hash);
    if ((packed & 63) <= 1) continue;
    add(hash);
    classes[i] = packed & 63;
    injections[i] = (packed >>> 6) & 31;
    harms[i] = packed >>> 11;
    hashes[i] = hash;
  }
}

/** Neighbours as words, and as classes where they have one. */
function addPairs(): void {
  const to = buckets;
  let n = count;
  let word = 0;
  let symbol = 0;
  for (let i = 0; i < tokens; i++) {
    const hash = hashes[i]!;
    const kind = classes[i]!;
    const classed = kind > 1 ? kind : hash;
    to[n++] = bucketOf(pairHash(word, hash, 0x51ed27));
    if (kind > 1 || symbol !== word) {
      to[n++] = bucketOf(pairHash(symbol, classed, 0x1b8735));
      if (kind > 1 && symbol !== word) to[n++] = bucketOf(pairHash(word, classed, 0x1b8735));
    }
    word = hash;
    symbol = classed;
  }
  count = n;
}

function addSequences(): void {
  let present = 0;
  const to = buckets;
  let n = count;
  let sequence = 0;
  let read = 0;
  let negation = 0;
  for (let i = 0; i < tokens; i++) {
    const kind = classes[i]!;
    if (kind === CLASSES.negation) {
      negation = NEGATION_REACH;
      continue;
    }
    let coarse = COARSE_OF[kind]!;
    if (coarse === 0) continue;
    if (negation > 0) {
      negation--;
      if (TURNS[coarse] === 1) {
        coarse += 16;
        // "Neither bad nor stupid": what is joined to a negated word is negated, too.
        const next = hashes[i + 1]!;
        negation = i + 1 < tokens && (next === OR || next === NOR) ? 1 : 0;
      }
    }
    present |= 1 << coarse;
    sequence = ((sequence << 5) | coarse) & 0x1ffffff;
    read++;
    if (read > 1) to[n++] = bucketOf(pairHash(sequence & 0x3ff, 2, 0x6a09e6));
    if (read > 2) to[n++] = bucketOf(pairHash(sequence & 0x7fff, 3, 0x6a09e6));
    if (read > 3) to[n++] = bucketOf(pairHash(sequence & 0xfffff, 4, 0x6a09e6));
    if (read > 4) to[n++] = bucketOf(pairHash(sequence, 5, 0x6a09e6));
  }
  count = n;
  addPresent(present, 0x3c6ef3);
}

/** Classes in a row, two to four of them, and which occur. */
function addClassed(classed: Uint8Array, salt: number, presentSalt: number): void {
  const to = buckets;
  let n = count;
  let present = 0;
  let sequence = 0;
  let read = 0;
  for (let i = 0; i < tokens; i++) {
    const kind = classed[i]!;
    if (kind === 0) continue;
    present |= 1 << kind;
    sequence = ((sequence << 5) | kind) & 0xfffff;
    read++;
    if (read > 1) to[n++] = bucketOf(pairHash(sequence & 0x3ff, 2, salt));
    if (read > 2) to[n++] = bucketOf(pairHash(sequence & 0x7fff, 3, salt));
    if (read > 3) to[n++] = bucketOf(pairHash(sequence, 4, salt));
  }
  count = n;
  if (read > 0) addPresent(present, presentSalt);
}

const occurring = new Uint8Array(MAX_PAIRED);
/** Which classes occur, and which occur together. `present`: a bit for each class that does. */
function addPresent(present: number, salt: number): void {
  const [to, kinds] = [buckets, occurring];
  let many = 0;
  for (let bits = present & ~1; bits !== 0 && many < MAX_PAIRED; bits &= bits - 1)
    kinds[many++] = 31 - Math.clz32(bits & -bits);
  let n = count;
  for (let i = 0; i < many; i++) {
    const first = Math.imul(kinds[i]!, 0x2c1b3c6d);
    to[n++] = bucketOf(Math.imul(first, 0x297a2d39) ^ salt);
    for (let j = i + 1; j < many; j++) to[n++] = bucketOf(Math.imul(first + kinds[j]!, 0x297a2d39) ^ salt);
  }
  count = n;
}
