/** Figures of a classifier. */
import { createRandom } from './random.js';

/** A score, and whether the label holds. */
export interface Scored {
  score: number;
  value: 0 | 1;
}

/** Area under the ROC curve: how often a positive scores above a negative, ties counted half. */
export function auroc(scored: readonly Scored[]): number {
  const sorted = [...scored].sort((a, b) => a.score - b.score);
  let [positives, ranks] = [0, 0];
  for (let i = 0; i < sorted.length; ) {
    let end = i;
    while (end < sorted.length && sorted[end]!.score === sorted[i]!.score) end++;
    for (let j = i; j < end; j++) {
      if (sorted[j]!.value === 0) continue;
      positives++;
      ranks += (i + 1 + end) / 2;
    }
    i = end;
  }
  const negatives = sorted.length - positives;
  return positives === 0 || negatives === 0
    ? Number.NaN
    : (ranks - (positives * (positives + 1)) / 2) / (positives * negatives);
}

export interface Counts {
  tp: number;
  fp: number;
  tn: number;
  fn: number;
}

export function countsAt(scored: readonly Scored[], threshold: number): Counts {
  const counts = { tp: 0, fp: 0, tn: 0, fn: 0 };
  for (const { score, value } of scored) {
    if (score >= threshold) counts[value === 1 ? 'tp' : 'fp']++;
    else counts[value === 1 ? 'fn' : 'tn']++;
  }
  return counts;
}

export const recallOf = ({ tp, fn }: Counts): number => tp / (tp + fn);
export const falsePositivesOf = ({ fp, tn }: Counts): number => fp / (fp + tn);

/** Mean of the F1 of both sides. */
export function macroF1({ tp, fp, tn, fn }: Counts): number {
  const f1 = (hit: number, miss: number): number => (hit === 0 ? 0 : (2 * hit) / (2 * hit + miss));
  return (f1(tp, fp + fn) + f1(tn, fp + fn)) / 2;
}

/** A 95 % interval by drawing again, with a seed. */
export function intervalOf(
  scored: readonly Scored[],
  figure: (scored: Scored[]) => number,
  draws = 100,
): [number, number] {
  const random = createRandom(1);
  const values = Array.from({ length: draws }, () => figure(scored.map(() => random.pick(scored))))
    .filter((value) => !Number.isNaN(value))
    .sort((a, b) => a - b);
  const at = (share: number): number =>
    values[Math.min(values.length - 1, Math.floor(share * values.length))] ?? Number.NaN;
  return [at(0.025), at(0.975)];
}
