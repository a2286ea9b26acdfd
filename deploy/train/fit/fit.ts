/**
 * Fits the weights: logistic loss of every label that an example has, by AdaGrad. Of a long text, the window that has the highest score
 * learns: it is the one that decides. In the first epoch, all of a text with the label learns, since no window is higher yet. For all labels but those that are `plain`, a feature
 * counts by its log-ratio between the two sides (as naive Bayes would weigh it), so that rare features of one side count more.
 */
import { BUCKETS } from '../../../shared/policy/models/features.js';
import { LANES, rootOf } from '../../../shared/policy/models/model.js';
import { createRandom, shuffle } from '../random.js';
import { type Corpus, type CorpusWindow, eachWindow, highestWindow, type WeightTable } from './corpus.js';

export interface FitOptions {
  seed: number;
  /** how each label is learned */
  labels: readonly LabelOptions[];
}

export interface LabelOptions {
  /** its features all count alike; absent: by their log-ratio */
  plain?: boolean;
  /** of a text without it, the highest window teaches alone; absent: each does */
  highestOnly?: boolean;
  /** what the sum of squared gradients begins at; less means larger first steps */
  start: number;
  epochs: number;
  /** pulls the weights of what is learned from towards 0 */
  decay: number;
}

export interface Weights {
  /** by bucket and label, {@link LANES} side by side */
  values: Float32Array;
  bias: Float32Array;
}

const RATE = 0.3;
/** Errors below this are not learned from. */
const KNOWN = 0.005;
/** Added to the counts of both sides. */
const SMOOTHING = 1;

/** Of each weight, side by side so that a step touches one line of the cache: its value, sum of squared gradients, log-ratio. */
const FIELDS = 4;
const SQUARES = 1;
const RATIO = 2;

/** `rows`: numbers of the examples to learn from. Labels are learned one after another: what one needs stays in the cache. */
export function fit(corpus: Corpus, rows: Int32Array, { seed, labels }: FitOptions): Weights {
  const values = new Float32Array(BUCKETS * LANES);
  const bias = new Float32Array(LANES);
  const state = new Float32Array(BUCKETS * FIELDS);
  for (const [lane, { plain, highestOnly, start, epochs, decay }] of labels.entries()) {
    const targets = targetsOf(corpus, rows, lane);
    for (let at = 0; at < state.length; at += FIELDS) {
      state[at] = 0;
      state[at + SQUARES] = start;
      state[at + RATIO] = 1;
    }
    if (!plain) setRatios(state, corpus, targets);
    const fitting = { state, targets, bias: bias.subarray(lane, lane + 1), decay, highestOnly, first: true };
    const random = createRandom(seed);
    const order = rows.slice();
    const steps = order.length * epochs;
    let step = 0;
    for (let epoch = 0; epoch < epochs; epoch++) {
      fitting.first = epoch === 0;
      shuffle(order, random);
      for (const row of order) learn(corpus, row, fitting, RATE * (1 - step++ / steps));
    }
    for (let bucket = 0; bucket < BUCKETS; bucket++) {
      values[bucket * LANES + lane] = state[bucket * FIELDS]! * state[bucket * FIELDS + RATIO]!;
    }
  }
  return { values, bias };
}

/** By row of the corpus: what it says of one label. A weight of 0: nothing. */
interface LabelColumn {
  values: Uint8Array;
  weights: Float64Array;
}

function targetsOf({ examples }: Corpus, rows: Int32Array, lane: number): LabelColumn {
  const targets = { values: new Uint8Array(examples.length), weights: new Float64Array(examples.length) };
  for (const row of rows) {
    const target = examples[row]!.targets.find((each) => each.lane === lane);
    if (!target) continue;
    targets.values[row] = target.value;
    targets.weights[row] = target.weight;
  }
  return targets;
}

interface Fitting {
  state: Float32Array;
  targets: LabelColumn;
  bias: Float32Array;
  decay: number;
  highestOnly: boolean | undefined;
  /** whether it is the first epoch */
  first: boolean;
}

const found: CorpusWindow = { from: 0, to: 0, value: 0 };
const tableOf = (state: Float32Array): WeightTable => ({ values: state, stride: FIELDS, offset: 0, ratio: RATIO });

/** Of a text without the label, each window says so; of a text with it, the highest does, and at first all of it. */
function learn(corpus: Corpus, row: number, fitting: Fitting, rate: number): void {
  const { state, targets, bias, highestOnly, first } = fitting;
  const [value, weight] = [targets.values[row]!, targets.weights[row]!];
  const { starts, firsts } = corpus;
  if (weight === 0 || starts[row] === starts[row + 1]) return;
  if (value === 0 && !highestOnly) {
    const sentences = firsts[row + 1]! - firsts[row]!;
    eachWindow(corpus, row, tableOf(state), (from, to, sum) => {
      const error = logistic(sum + bias[0]!) * weight;
      bias[0] = bias[0]! - (0.1 * rate * error) / sentences;
      step(corpus, { from, to, error }, fitting, rate);
    });
    return;
  }
  highestWindow(corpus, row, tableOf(state), found);
  const error = (logistic(found.value + bias[0]!) - value) * weight;
  bias[0] = bias[0]! - 0.1 * rate * error;
  const whole = first && value === 1;
  const [from, to] = whole ? [starts[row]!, starts[row + 1]!] : [found.from, found.to];
  step(corpus, { from, to, error }, fitting, rate);
}

const logistic = (value: number): number => 1 / (1 + Math.exp(-value));

interface WindowError {
  from: number;
  to: number;
  error: number;
}

function step({ features }: Corpus, { from, to, error }: WindowError, { state, decay }: Fitting, rate: number): void {
  // What is known by heart teaches nothing.
  if (error < KNOWN && error > -KNOWN) return;
  const root = rootOf(to - from);
  for (let i = from; i < to; i++) {
    const at = features[i]! * FIELDS;
    const gradient = error * state[at + RATIO]! * root + decay * state[at]!;
    const square = state[at + SQUARES]! + gradient * gradient;
    state[at + SQUARES] = square;
    state[at] = state[at]! - (rate * gradient) / Math.sqrt(square);
  }
}

/** Writes the log-ratios. */
function setRatios(state: Float32Array, { starts, features }: Corpus, { values, weights }: LabelColumn): void {
  const sides = new Float32Array(BUCKETS * 2).fill(SMOOTHING);
  const totals: [number, number] = [0, 0];
  for (let row = 0; row < weights.length; row++) {
    const weight = weights[row]!;
    if (weight === 0) continue;
    const value = values[row] as 0 | 1;
    const [from, to] = [starts[row]!, starts[row + 1]!];
    for (let i = from; i < to; i++) {
      const at = features[i]! * 2 + value;
      sides[at] = sides[at]! + weight;
    }
    totals[value] += weight * (to - from);
  }
  const offset = Math.log((totals[0] + BUCKETS) / (totals[1] + BUCKETS));
  for (let bucket = 0; bucket < BUCKETS; bucket++) {
    state[bucket * FIELDS + RATIO] = Math.log(sides[2 * bucket + 1]! / sides[2 * bucket]!) + offset;
  }
}

/** The sum of weights of the highest window of example `row` over the root of the number of its features, with the bias. */
export function rawScore(corpus: Corpus, row: number, { values, bias }: Weights, lane: number): number {
  if (corpus.starts[row] === corpus.starts[row + 1]) return bias[lane]!;
  highestWindow(corpus, row, { values, stride: LANES, offset: lane, ratio: -1 }, found);
  return found.value + bias[lane]!;
}
