/**
 * A linear model over hashed features. The weights of all labels of a bucket lie side by side, eight bytes, so that a text is read
 * once for all labels. A score is the logistic function of the calibrated sum, divided by the root of the number of features. No part of it
 * grows with the text.
 */
import { buckets, extract, extractSentences, featureEnds, textEnds } from './features.js';
import type { ClassLexicon } from './lexicon.js';
import { isCode } from './prose.js';
import { isOfLines, WHOLE } from './segments.js';

/** Labels that a model has at most. */
export const LANES = 8;

export interface Label {
  name: string;
  /** of the sum of weights over the root of the number of features */
  scale: number;
  bias: number;
  /** least score at which a detector fires unless its policy says otherwise */
  threshold: number;
}

export interface ClassifierModel {
  labels: readonly Label[];
  lexicon: ClassLexicon;
  /** two numbers a bucket, four lanes of a byte in each: a weight plus 128 */
  weights: Int32Array;
}

/** Segments in a row that are scored as one, at most. */
export const TOGETHER = 3;
/**
 * The longer a text, the more chances to be wrong: the odds of one {@link WHOLE} times n units long are divided by n to the power of this. Without it,
 * the longest texts set the thresholds of all; with more, what one sentence says is lost among others.
 */
const CHANCES = 0.15;
/** A text with fewer features counts as one with so many: one word alone has to mean a lot. */
const LEAST_FEATURES = 48;
/** Features that are summed before a lane of 16 bits is full. */
const FULL = 256;

const sums = new Int32Array(LANES);
/** Takes what {@link touch} returns, so that its reads are not left out. */
const touched = new Int32Array(1);
/** Those of neighbouring sentences together. */
const joined = new Int32Array(LANES);
const scores = new Float64Array(LANES);

/** How far a text is scored. */
interface ScoringProgress {
  from: number;
  sentences: number;
  /** by lane: the highest sum of what was read, and that of a score of a half, which code does not exceed */
  best: Float64Array;
  most: Float64Array;
  /** sums and numbers of features of the last sentences, and where they begin */
  sums: Int32Array;
  features: Int32Array;
  starts: Int32Array;
  /** of the last sentences: 1 where one was found to be code, or with those before it */
  codes: Uint8Array;
}

const createProgress = (): ScoringProgress => ({
  from: 0,
  sentences: 0,
  best: new Float64Array(LANES),
  most: new Float64Array(LANES),
  sums: new Int32Array(LANES * TOGETHER),
  features: new Int32Array(TOGETHER),
  starts: new Int32Array(TOGETHER),
  codes: new Uint8Array(TOGETHER),
});

/** Of the text that is scored at once. */
const progress = createProgress();

/**
 * The scores of `text`, 0 to 1, by label. The array is written again by the next call. A text has the score of its highest segment, of two or three in
 * a row where that is higher, or, if it is short and has lines, of all of it. Takes time linear in the text: each segment is read once, and such a short
 * text twice.
 */
export function scoreText(model: ClassifierModel, text: string): Float64Array {
  progress.from = 0;
  progress.sentences = 0;
  scoreUntil(model, text, progress, text.length);
  return calibrated(model, progress, text.length);
}

/** Units of a text that are scored at a time. */
const STEP = 64 * 1024;

/** The same in steps, of which others are scored between. */
export function* scoreInSteps(model: ClassifierModel, text: string): Generator<undefined, Float64Array> {
  const own = createProgress();
  for (;;) {
    scoreUntil(model, text, own, own.from + STEP);
    if (own.from >= text.length) return calibrated(model, own, text.length).slice();
    yield;
  }
}

/** Scores the sentences that begin before `until`. */
function scoreUntil(model: ClassifierModel, text: string, own: ScoringProgress, until: number): void {
  let { from } = own;
  while (from < text.length && from < until) {
    const many = extractSentences(model.lexicon, text, from, until);
    touched[0] = touch(model.weights, featureEnds[many - 1]!);
    for (let sentence = 0, first = 0; sentence < many; sentence++) {
      const [end, to] = [featureEnds[sentence]!, textEnds[sentence]!];
      if (end > first) {
        own.from = from;
        sum(model.weights, first, end);
        keep(model, own, end - first, text, to);
      }
      from = to;
      first = end;
    }
  }
  own.from = from;
  if (from >= text.length && own.sentences > 1 && isOfLines(text)) keepWhole(model, own, text);
}

/** All words of a short text with lines together. */
function keepWhole(model: ClassifierModel, own: ScoringProgress, text: string): void {
  const n = extract(model.lexicon, text, 0, text.length);
  sum(model.weights, 0, n);
  raise(own, sums, rootOf(n), text, 0, text.length);
}

/** The factor by which a sum of so many weights counts. */
export const rootOf = (features: number): number => 1 / Math.sqrt(Math.max(features, LEAST_FEATURES));

/** Takes the sums of a sentence that ends at `to`, and those of it and the ones before it together. */
function keep({ labels }: ClassifierModel, own: ScoringProgress, n: number, text: string, to: number): void {
  const { sums: recent, features, starts, codes, best, most, sentences } = own;
  const place = sentences % TOGETHER;
  if (sentences === 0) {
    best.fill(-Infinity);
    for (let lane = 0; lane < labels.length; lane++) most[lane] = -labels[lane]!.bias / labels[lane]!.scale;
    recent.fill(0);
    features.fill(0);
    starts.fill(0);
    codes.fill(0);
  }
  own.sentences = sentences + 1;
  features[place] = n;
  starts[place] = own.from;
  for (let lane = 0; lane < LANES; lane++) recent[place * LANES + lane] = sums[lane]!;
  codes[place] = Number(raise(own, sums, rootOf(n), text, own.from, to));
  if (!mayRaise(own, place)) return;
  let [all, first] = [n, own.from];
  joined.set(sums);
  for (let back = 1; back < TOGETHER && back <= sentences; back++) {
    const before = (place + TOGETHER - back) % TOGETHER;
    for (let lane = 0; lane < LANES; lane++) joined[lane]! += recent[before * LANES + lane]!;
    all += features[before]!;
    first = starts[before]!;
    if (raise(own, joined, rootOf(all), text, first, to)) codes[place] = 1;
  }
}

/**
 * Whether the sentence at `place` and those before it may have a higher sum together than apart. Where the last or the first sum of a lane is not positive, what is
 * left without it is as high, as one over the root of more features is less: of ordinary texts, one sentence in twenty is left. What is code has its sums
 * cut, so it does not stand for what it is a part of.
 */
function mayRaise({ sums: recent, codes }: ScoringProgress, place: number): boolean {
  const [one, other] = [(place + 1) % TOGETHER, (place + 2) % TOGETHER];
  if (codes[0]! + codes[1]! + codes[2]! > 0) return true;
  for (let lane = 0; lane < LANES; lane++) {
    if (recent[place * LANES + lane]! <= 0) continue;
    if (recent[one * LANES + lane]! > 0 || recent[other * LANES + lane]! > 0) return true;
  }
  return false;
}

/**
 * Raises the highest sums by lane to those of what stands from `from` to `to`. Code within a long text speaks for no label: its sums stay
 * at those of `most`. Whether it is code is asked where a sum is higher. Returns whether it was found to be.
 */
export function raise(
  { best, most }: { best: Float64Array; most: Float64Array },
  values: Int32Array,
  root: number,
  text: string,
  from: number,
  to: number,
): boolean {
  const speaks = text.length <= WHOLE;
  let asks = false;
  for (let lane = 0; lane < values.length; lane++) {
    const value = values[lane]! * root;
    if (value <= best[lane]!) continue;
    if (speaks || value <= most[lane]!) best[lane] = value;
    else asks = true;
  }
  if (!asks) return false;
  const code = isCode(text, from, to);
  for (let lane = 0; lane < values.length; lane++) {
    const value = values[lane]! * root;
    best[lane] = Math.max(best[lane]!, code ? Math.min(value, most[lane]!) : value);
  }
  return code;
}

/** What the calibrated sum of a text of so many units is less by. */
export const chanceOf = (units: number): number => CHANCES * Math.log(Math.max(1, units / WHOLE));

function calibrated({ labels }: ClassifierModel, { best, sentences }: ScoringProgress, length: number): Float64Array {
  const chance = chanceOf(length);
  for (let lane = 0; lane < labels.length; lane++) {
    const { scale, bias } = labels[lane]!;
    scores[lane] = sentences === 0 ? 0 : 1 / (1 + Math.exp(chance - best[lane]! * scale - bias));
  }
  return scores;
}

/**
 * Sums the weights of the buckets `first` to `end` by lane. Four lanes are added at a time, two in each half of a number: even and odd
 * bytes are taken apart, so that each has 16 bits.
 */
function sum(weights: Int32Array, first: number, end: number): void {
  sums.fill(0);
  for (let from = first; from < end; from += FULL) sumFull(weights, from, Math.min(end, from + FULL));
}

/**
 * Reads each weight of the first `n` buckets once and does nothing else. The table is larger than the cache of a core, and in so short a loop the processor waits
 * for many reads at a time: {@link sum} takes half as long after it. Returns all of them in one number.
 */
function touch(weights: Int32Array, n: number): number {
  const list = buckets;
  let read = 0;
  for (let i = 0; i + 3 < n; i += 4) {
    read |=
      weights[list[i]! << 1]! | weights[list[i + 1]! << 1]! | weights[list[i + 2]! << 1]! | weights[list[i + 3]! << 1]!;
  }
  return read;
}

function sumFull(weights: Int32Array, from: number, to: number): void {
  const list = buckets;
  let even0 = 0;
  let odd0 = 0;
  let even1 = 0;
  let odd1 = 0;
  for (let i = from; i < to; i++) {
    const at = list[i]! << 1;
    const a = weights[at]!;
    const b = weights[at + 1]!;
    even0 = (even0 + (a & 0xff00ff)) | 0;
    odd0 = (odd0 + ((a >>> 8) & 0xff00ff)) | 0;
    even1 = (even1 + (b & 0xff00ff)) | 0;
    odd1 = (odd1 + ((b >>> 8) & 0xff00ff)) | 0;
  }
  const offset = 128 * (to - from);
  unpack(0, even0, odd0, offset);
  unpack(4, even1, odd1, offset);
}

function unpack(lane: number, even: number, odd: number, offset: number): void {
  sums[lane] = sums[lane]! + (even & 0xffff) - offset;
  sums[lane + 1] = sums[lane + 1]! + (odd & 0xffff) - offset;
  sums[lane + 2] = sums[lane + 2]! + (even >>> 16) - offset;
  sums[lane + 3] = sums[lane + 3]! + (odd >>> 16) - offset;
}
