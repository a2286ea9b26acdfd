/** Weights as bytes: a scale for each label, and values beyond 127 steps cut off where that loses least. */
import { BUCKETS } from '../../../shared/policy/models/features.js';
import { LANES } from '../../../shared/policy/models/model.js';
import type { Weights } from './fit.js';

export interface Quantised {
  /** a weight plus 128 */
  bytes: Uint8Array;
  /** by label: what a step is worth */
  scales: number[];
}

/** Shares of the largest weight at which larger ones are cut off. */
const CLIPS = [1, 0.8, 0.65, 0.5, 0.4, 0.32, 0.25, 0.2, 0.16, 0.12];

/** `uses`: how often each bucket occurs, by which an error there counts. */
export function quantise({ values }: Weights, labels: number, uses: Float32Array): Quantised {
  const bytes = new Uint8Array(BUCKETS * LANES).fill(128);
  const scales: number[] = [];
  for (let lane = 0; lane < labels; lane++) {
    let largest = 1e-9;
    for (let at = lane; at < values.length; at += LANES) largest = Math.max(largest, Math.abs(values[at]!));
    let [scale, least] = [0, Number.POSITIVE_INFINITY];
    for (const clip of CLIPS) {
      const step = (largest * clip) / 127;
      const error = errorOf(values, lane, step, uses);
      if (error < least) [scale, least] = [step, error];
    }
    for (let bucket = 0; bucket < BUCKETS; bucket++) {
      bytes[bucket * LANES + lane] = 128 + rounded(values[bucket * LANES + lane]!, scale);
    }
    scales.push(scale);
  }
  return { bytes, scales };
}

const rounded = (value: number, step: number): number => Math.max(-127, Math.min(127, Math.round(value / step)));

function errorOf(values: Float32Array, lane: number, step: number, uses: Float32Array): number {
  let error = 0;
  for (let bucket = 0; bucket < BUCKETS; bucket++) {
    const value = values[bucket * LANES + lane]!;
    const difference = value - rounded(value, step) * step;
    error += uses[bucket]! * difference * difference;
  }
  return error;
}
