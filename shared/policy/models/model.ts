/**
 * A linear model over hashed features. The weights of all labels of a bucket lie side by side, eight bytes, so that a text is read
 * once for all labels. A score is the logistic function of the calibrated sum, divided by the root of the number of features.
 */
import { buckets, extract } from './features.js';
import type { ClassLexicon } from './lexicon.js';
import { WINDOW } from './normalise.js';

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

/** Units from the start of a window to that of the next. */
const STRIDE = 256;
/** Most units that a window is shortened by to end between words. */
const SLACK = 40;
/** Features that are summed before a lane of 16 bits is full. */
const FULL = 256;

const sums = new Int32Array(LANES);
/** Takes what {@link touch} returns, so that its reads are not left out. */
const touched = new Int32Array(1);
const whole = new Float64Array(LANES);
const best = new Float64Array(LANES);
const scores = new Float64Array(LANES);

/**
 * The scores of `text`, 0 to 1, by label. The array is written again by the next call. A long text has the score of its highest
 * window, or of the whole where that is higher. Takes time linear in the text.
 */
export function scoreText(model: ClassifierModel, text: string): Float64Array {
  best.fill(-Infinity);
  whole.fill(0);
  const progress: ScoringProgress = { from: 0, features: 0, windows: 0 };
  scoreUntil(model, text, progress, text.length);
  return calibrated(model, progress);
}

/** Units of a text that are scored at a time. */
const STEP = 64 * 1024;

/** The same in steps, of which others are scored between. */
export function* scoreInSteps(model: ClassifierModel, text: string): Generator<undefined, Float64Array> {
  const progress: ScoringProgress = { from: 0, features: 0, windows: 0 };
  const [keptBest, keptWhole] = [new Float64Array(LANES).fill(-Infinity), new Float64Array(LANES)];
  for (;;) {
    best.set(keptBest);
    whole.set(keptWhole);
    scoreUntil(model, text, progress, progress.from + STEP);
    if (progress.from >= text.length) return calibrated(model, progress).slice();
    keptBest.set(best);
    keptWhole.set(whole);
    yield;
  }
}

/** How far a text is scored. */
interface ScoringProgress {
  from: number;
  features: number;
  windows: number;
}

/** Scores the windows that begin before `until`. */
function scoreUntil(model: ClassifierModel, text: string, progress: ScoringProgress, until: number): void {
  let { from, features, windows } = progress;
  while (from < text.length && from < until) {
    const to = windowEnd(text, from);
    const n = extract(model.lexicon, text, from, to);
    if (n > 0) {
      sum(model.weights, n);
      keep(n);
      features += n;
      windows++;
    }
    from = to >= text.length ? to : windowEnd(text, from, STRIDE);
  }
  progress.from = from;
  progress.features = features;
  progress.windows = windows;
}

/** Where a window of `size` units that begins at `from` ends: between words if it can. */
export function windowEnd(text: string, from: number, size = WINDOW): number {
  const end = from + size;
  if (end >= text.length) return text.length;
  for (let at = end; at > end - SLACK; at--) if (text.charCodeAt(at) <= 32) return at;
  return end;
}

function keep(features: number): void {
  const root = 1 / Math.sqrt(features);
  for (let lane = 0; lane < LANES; lane++) {
    const value = sums[lane]!;
    whole[lane] = whole[lane]! + value;
    if (value * root > best[lane]!) best[lane] = value * root;
  }
}

function calibrated({ labels }: ClassifierModel, { features, windows }: ScoringProgress): Float64Array {
  if (windows > 1) {
    const root = 1 / Math.sqrt(features);
    for (let lane = 0; lane < LANES; lane++) best[lane] = Math.max(best[lane]!, whole[lane]! * root);
  }
  for (let lane = 0; lane < labels.length; lane++) {
    const { scale, bias } = labels[lane]!;
    scores[lane] = windows === 0 ? 0 : 1 / (1 + Math.exp(-(best[lane]! * scale + bias)));
  }
  return scores;
}

/**
 * Sums the weights of the first `n` buckets by lane. Four lanes are added at a time, two in each half of a number: even and odd
 * bytes are taken apart, so that each has 16 bits.
 */
function sum(weights: Int32Array, n: number): void {
  sums.fill(0);
  touched[0] = touch(weights, n);
  for (let from = 0; from < n; from += FULL) sumFull(weights, from, Math.min(n, from + FULL));
}

/**
 * Reads each weight once and does nothing else. The table is larger than the cache of a core, and in so short a loop the processor waits
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
