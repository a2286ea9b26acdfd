/** What the tagger knows of a token: buckets of the weights, by hashes of its words, forms and classes and of those around it. */
import { type ClassLexicon, classesOf } from '../../../models/lexicon.js';
import { SHAPES, type Tokens } from './tokens.js';

export const BUCKETS = 1 << 17;
const SHIFT = 32 - 17;
/** Features of a token. */
export const FEATURES = 24;

/** Changes where the same text gets other features. */
export const NAME_FEATURES_VERSION = 1;

/** Nothing stands there. */
const NONE = { word: 0x5bd1e995 | 0, shape: 15, classes: 0 } as const;
/** Signs between a word and the one before it that are looked over. */
const MOST_BETWEEN = 4;

/** Looks classes up for a passage. */
export function readClasses(tokens: Tokens, lexicon: ClassLexicon, classes: Uint16Array): void {
  const { count, word, shape } = tokens;
  for (let i = 0; i < count; i++) {
    const own = shape[i]!;
    classes[i] = own === SHAPES.sign || own === SHAPES.line || own === SHAPES.digits ? 0 : classesOf(lexicon, word[i]!);
  }
}

function bucketOf(template: number, value: number): number {
  let hash = Math.imul(value ^ Math.imul(template, 0x9e3779b1), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 15), 0xc2b2ae35);
  return (hash ^ (hash >>> 13)) >>> SHIFT;
}

const pair = (a: number, b: number): number => (Math.imul(a, 0x01000193) ^ Math.imul(b, 0x27d4eb2f)) + (a >>> 7);

const isSign = (shape: number): boolean => shape === SHAPES.sign || shape === SHAPES.line;

/** Place of the nearest word before `i` with few signs in between; -1: there is none. */
function wordBefore({ shape }: Tokens, i: number): number {
  for (let at = i - 1; at >= 0 && at >= i - MOST_BETWEEN; at--) if (!isSign(shape[at]!)) return at;
  return -1;
}

/** Writes the buckets of token `i` to `out`, {@link FEATURES} of them. */
export function featuresAt(tokens: Tokens, classes: Uint16Array, i: number, out: Int32Array): void {
  const { count, word, shape, begins, mode, first3, last2, last3 } = tokens;
  const own = word[i]!;
  const form = shape[i]!;
  const kind = classes[i]!;
  const w1 = i > 0 ? word[i - 1]! : NONE.word;
  const s1 = i > 0 ? shape[i - 1]! : NONE.shape;
  const k1 = i > 0 ? classes[i - 1]! : NONE.classes;
  const w2 = i > 1 ? word[i - 2]! : NONE.word;
  const s2 = i > 1 ? shape[i - 2]! : NONE.shape;
  const k2 = i > 1 ? classes[i - 2]! : NONE.classes;
  const n1 = i + 1 < count ? word[i + 1]! : NONE.word;
  const t1 = i + 1 < count ? shape[i + 1]! : NONE.shape;
  const c1 = i + 1 < count ? classes[i + 1]! : NONE.classes;
  const n2 = i + 2 < count ? word[i + 2]! : NONE.word;
  const t2 = i + 2 < count ? shape[i + 2]! : NONE.shape;
  const c2 = i + 2 < count ? classes[i + 2]! : NONE.classes;
  // How it is written, and whether that says something: a sentence begins with a capital anyway.
  const written = form | (begins[i]! << 4) | (mode[i]! << 5);
  const key = wordBefore(tokens, i);
  const keyWord = key < 0 ? NONE.word : word[key]!;
  out[0] = bucketOf(1, own);
  out[1] = bucketOf(2, pair(w1, form));
  out[2] = bucketOf(3, pair(n1, form));
  out[3] = bucketOf(4, pair(w2, form));
  out[4] = bucketOf(5, pair(n2, form));
  out[5] = bucketOf(6, pair(w1, own));
  out[6] = bucketOf(7, pair(own, n1));
  out[7] = bucketOf(8, written);
  out[8] = bucketOf(9, form | (s1 << 4) | (t1 << 8));
  out[9] = bucketOf(10, pair(kind, written));
  out[10] = bucketOf(11, pair(pair(k1, s1), kind));
  out[11] = bucketOf(12, pair(pair(kind, form), pair(c1, t1)));
  out[12] = bucketOf(13, pair(pair(k1, kind), c1));
  out[13] = bucketOf(14, first3[i]!);
  out[14] = bucketOf(15, pair(last3[i]!, form));
  out[15] = bucketOf(16, pair(last2[i]!, written));
  out[16] = bucketOf(17, pair(pair(w2, w1), form));
  out[17] = bucketOf(18, pair(pair(n1, n2), form));
  out[18] = bucketOf(19, pair(pair(k2, k1), pair(form, kind)));
  out[19] = bucketOf(20, pair(keyWord, pair(form, i - key)));
  out[20] = bucketOf(21, pair(pair(w1, n1), form));
  out[21] = bucketOf(22, pair(pair(s2, s1), pair(pair(t1, t2), form)));
  out[22] = bucketOf(23, pair(pair(k1, c1), pair(c2, form)));
  out[23] = bucketOf(24, pair(keyWord, pair(kind, form)));
}
