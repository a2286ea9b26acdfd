/** Turns sums of weights into probabilities: a slope and an offset, fitted to scores of examples that the weights did not see. */

export interface Calibration {
  slope: number;
  offset: number;
}

export interface Raw {
  raw: number;
  value: 0 | 1;
  weight: number;
}

const STEPS = 60;
/** Pulls the slope towards 1, so that sides without an overlap have a slope, too. */
const PULL = 1e-3;

/** Fits `1 / (1 + exp(-(slope * raw + offset)))` by Newton's method with halved steps. Both sides count alike. */
export function calibrate(scores: readonly Raw[]): Calibration {
  const totals = [1e-9, 1e-9];
  for (const { value, weight } of scores) totals[value] = totals[value]! + weight;
  let [slope, offset] = [1, 0];
  let loss = lossOf(scores, totals, slope, offset);
  for (let step = 0; step < STEPS; step++) {
    const [d0, d1] = newtonStep(scores, totals, slope, offset);
    let size = 1;
    let next = lossOf(scores, totals, slope - d0, offset - d1);
    while (!(next <= loss) && size > 1e-4) {
      size /= 2;
      next = lossOf(scores, totals, slope - size * d0, offset - size * d1);
    }
    if (!(next < loss - 1e-10)) break;
    [slope, offset, loss] = [slope - size * d0, offset - size * d1, next];
  }
  return { slope, offset };
}

function lossOf(scores: readonly Raw[], totals: readonly number[], slope: number, offset: number): number {
  if (slope <= 0) return Number.POSITIVE_INFINITY;
  let loss = PULL * (slope - 1) ** 2;
  for (const { raw, value, weight } of scores) {
    const z = (slope * raw + offset) * (value === 1 ? 1 : -1);
    loss += (weight / totals[value]!) * (z > 0 ? Math.log1p(Math.exp(-z)) : Math.log1p(Math.exp(z)) - z);
  }
  return loss;
}

function newtonStep(
  scores: readonly Raw[],
  totals: readonly number[],
  slope: number,
  offset: number,
): [number, number] {
  let [g0, g1, h00, h01, h11] = [2 * PULL * (slope - 1), 0, 2 * PULL, 0, 1e-6];
  for (const { raw, value, weight } of scores) {
    const share = weight / totals[value]!;
    const p = 1 / (1 + Math.exp(-(slope * raw + offset)));
    const [g, h] = [(p - value) * share, p * (1 - p) * share];
    g0 += g * raw;
    g1 += g;
    h00 += h * raw * raw;
    h01 += h * raw;
    h11 += h;
  }
  const determinant = h00 * h11 - h01 * h01;
  return [(h11 * g0 - h01 * g1) / determinant, (h00 * g1 - h01 * g0) / determinant];
}
