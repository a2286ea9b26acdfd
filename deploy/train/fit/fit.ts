/**
 * Fits the weights: logistic loss of every label that an example has, by AdaGrad. For all labels but those that are `plain`, a feature
 * counts by its log-ratio between the two sides (as naive Bayes would weigh it), so that rare features of one side count more.
 */
import { BUCKETS } from '../../../shared/policy/models/features.js';
import { LANES } from '../../../shared/policy/models/model.js';
import { createRandom, shuffle } from '../random.js';
import type { Corpus } from './corpus.js';

export interface FitOptions {
  seed: number;
  /** how each label is learned */
  labels: readonly LabelOptions[];
}

export interface LabelOptions {
  /** its features all count alike; absent: by their log-ratio */
  plain?: boolean;
  /** what the sum of squared gradients begins at; less means larger first steps */
  start: number;
  epochs: number;
}

export interface Weights {
  /** by bucket and label, {@link LANES} side by side */
  values: Float32Array;
  bias: Float32Array;
}

const RATE = 0.3;
const L2 = 1e-6;
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
  for (const [lane, { plain, start, epochs }] of labels.entries()) {
    const targets = targetsOf(corpus, rows, lane);
    for (let at = 0; at < state.length; at += FIELDS) {
      state[at] = 0;
      state[at + SQUARES] = start;
      state[at + RATIO] = 1;
    }
    if (!plain) setRatios(state, corpus, targets);
    const fitting = { state, targets, bias: bias.subarray(lane, lane + 1) };
    const random = createRandom(seed);
    const order = rows.slice();
    const steps = order.length * epochs;
    let step = 0;
    for (let epoch = 0; epoch < epochs; epoch++) {
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
}

function learn({ starts, features }: Corpus, row: number, { state, targets, bias }: Fitting, rate: number): void {
  const weight = targets.weights[row]!;
  const [from, to] = [starts[row]!, starts[row + 1]!];
  if (weight === 0 || from === to) return;
  const root = 1 / Math.sqrt(to - from);
  let sum = 0;
  for (let i = from; i < to; i++) {
    const at = features[i]! * FIELDS;
    sum += state[at]! * state[at + RATIO]!;
  }
  const error = (1 / (1 + Math.exp(-(sum * root + bias[0]!))) - targets.values[row]!) * weight;
  bias[0] = bias[0]! - 0.1 * rate * error;
  // What is known by heart teaches nothing.
  if (error < KNOWN && error > -KNOWN) return;
  for (let i = from; i < to; i++) {
    const at = features[i]! * FIELDS;
    const gradient = error * state[at + RATIO]! * root + L2 * state[at]!;
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

/** The sum of weights of example `row` over the root of the number of its features, with the bias. */
export function rawScore({ starts, features }: Corpus, row: number, { values, bias }: Weights, lane: number): number {
  const [from, to] = [starts[row]!, starts[row + 1]!];
  if (from === to) return bias[lane]!;
  let sum = 0;
  for (let i = from; i < to; i++) sum += values[features[i]! * LANES + lane]!;
  return sum / Math.sqrt(to - from) + bias[lane]!;
}
