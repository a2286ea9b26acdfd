/** Weights as bytes: a scale for each label, and values beyond 127 steps cut off where that loses least. */

export interface QuantiseOptions {
  /** weights side by side in a bucket, and the first of them that are labels: the others are 0 */
  lanes: number;
  labels: number;
  /** shares of the largest weight at which larger ones may be cut off */
  clips: readonly number[];
  /** how often each bucket occurs for a label, by which an error there counts; absent: all count alike */
  uses?: (lane: number) => Float32Array;
}

export interface Quantised {
  /** a weight plus 128 */
  bytes: Uint8Array;
  /** by label: what a step is worth */
  scales: number[];
}

export function quantise(values: Float32Array, { lanes, labels, clips, uses }: QuantiseOptions): Quantised {
  const bytes = new Uint8Array(values.length).fill(128);
  const scales: number[] = [];
  for (let lane = 0; lane < labels; lane++) {
    const used = uses?.(lane);
    let largest = 1e-9;
    for (let at = lane; at < values.length; at += lanes) largest = Math.max(largest, Math.abs(values[at]!));
    const errorOf = (step: number): number => {
      let error = 0;
      for (let at = lane, bucket = 0; at < values.length; at += lanes, bucket++) {
        const difference = values[at]! - inSteps(values[at]!, step) * step;
        error += (used ? used[bucket]! : 1) * difference * difference;
      }
      return error;
    };
    let [scale, least] = [0, Number.POSITIVE_INFINITY];
    for (const clip of clips) {
      const step = (largest * clip) / 127;
      const error = errorOf(step);
      if (error < least) [scale, least] = [step, error];
    }
    for (let at = lane; at < values.length; at += lanes) bytes[at] = 128 + inSteps(values[at]!, scale);
    scales.push(scale);
  }
  return { bytes, scales };
}

const inSteps = (value: number, step: number): number => Math.max(-127, Math.min(127, Math.round(value / step)));

/** Numbers beside the weights are written in JSON, with as many digits as matter. */
export const rounded = (value: number): number => Number(value.toPrecision(9));
