/**
 * Tells languages in Latin letters that `languages/language.ts` cannot tell by frequent words, which short texts lack: a linear model of
 * the words, and of three letters in a row.
 */
import { fold, units } from './features.js';
import { SEPARATOR } from './letters.js';

const TELL_BITS = 14;
export const TELL_BUCKETS = 1 << TELL_BITS;
/** Languages at most. */
export const TELL_LANES = 16;
/** Units of a text that are read. So a lane of 16 bits is never full. */
const TOLD = 150;
/** How much more a text has to be in a language than in English. */
const MARGIN = 3;

export interface TellModel {
  /** by lane: its name. The first is English, and whatever has no language */
  languages: readonly string[];
  /** four numbers a bucket, four lanes of a byte in each: a weight plus 128 */
  weights: Int32Array;
  scale: number;
  bias: readonly number[];
}

const MOST_FEATURES = 256;
/** The buckets that {@link tellFeatures} wrote last. */
export const tellBuckets = new Int32Array(MOST_FEATURES);
const SHIFT = 32 - TELL_BITS;
const MIX = 0x01000193;
const FIRST = 0x2545f491;
const bucketOf = (hash: number): number => Math.imul(hash ^ (hash >>> 15), 0x85ebca6b) >>> SHIFT;
const isLatin = (unit: number): boolean => unit >= 97 && unit <= 122;

/** Writes the features of the beginning of a text; returns how many. What is not in Latin letters is none. */
export function tellFeatures(text: string): number {
  const length = fold(text, 0, Math.min(text.length, TOLD));
  let n = 0;
  let word = FIRST;
  for (let at = 0; at < length && n < MOST_FEATURES - 1; at++) {
    const unit = units[at]!;
    if (unit === SEPARATOR) {
      if (word !== FIRST) tellBuckets[n++] = bucketOf(word);
      word = FIRST;
    } else word = Math.imul(word ^ unit, MIX);
    if (at < 2 || !isLatin(units[at - 1]!)) continue;
    const two = Math.imul(units[at - 2]!, 0x9e3779b1) ^ units[at - 1]!;
    tellBuckets[n++] = bucketOf(Math.imul(two, MIX) ^ Math.imul(unit, 0x85ebca6b));
  }
  return n;
}

/** Few features tell less: sums count by the root of their number, and of at least so many. */
export const tellRoot = (features: number): number => 1 / Math.sqrt(Math.max(12, features));

const sums = new Int32Array(TELL_LANES);

/** The language that a text is in by far more than in English: its name; '' where that is English, or none. */
export function tell({ languages, weights, scale, bias }: TellModel, text: string): string {
  const n = tellFeatures(text);
  for (let word = 0; word < TELL_LANES / 4; word++) sum(weights, word, n);
  const root = scale * tellRoot(n);
  let best = 0;
  let most = sums[0]! * root + bias[0]! + MARGIN;
  for (let lane = 1; lane < languages.length; lane++) {
    const value = sums[lane]! * root + bias[lane]!;
    if (value > most) [best, most] = [lane, value];
  }
  return best > 0 ? languages[best]! : '';
}

/** Sums four lanes: even and odd bytes are taken apart, so that each has 16 bits. */
function sum(weights: Int32Array, word: number, n: number): void {
  let [even, odd] = [0, 0];
  for (let i = 0; i < n; i++) {
    const four = weights[tellBuckets[i]! * (TELL_LANES / 4) + word]!;
    even = (even + (four & 0xff00ff)) | 0;
    odd = (odd + ((four >>> 8) & 0xff00ff)) | 0;
  }
  const lane = 4 * word;
  const offset = 128 * n;
  sums[lane] = (even & 0xffff) - offset;
  sums[lane + 1] = (odd & 0xffff) - offset;
  sums[lane + 2] = (even >>> 16) - offset;
  sums[lane + 3] = (odd >>> 16) - offset;
}
