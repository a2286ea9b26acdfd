/** Thresholds by the scores of examples that were held out. */
import type { HeldOutScore } from '../train.js';

/** Steps between scores that are tried. */
const STEPS = 400;

/**
 * The middle of the scores at which the balanced accuracy is within `tolerance` of the best. All sources count alike, each of its sides
 * by itself, however many examples it has.
 */
export function balanced(held: readonly HeldOutScore[], tolerance = 0.01): number {
  const shares = [sharesOf(held, 0), sharesOf(held, 1)] as const;
  const accuracies = Array.from({ length: STEPS - 1 }, (_, i) => (shares[1](i + 1) + 1 - shares[0](i + 1)) / 2);
  const best = Math.max(...accuracies);
  const near = accuracies.flatMap((accuracy, i) => (accuracy >= best - tolerance ? [(i + 1) / STEPS] : []));
  return (near[0]! + near.at(-1)!) / 2;
}

/** By threshold, in steps: the share of texts of a side that reach it, as a mean over sources. */
function sharesOf(held: readonly HeldOutScore[], side: 0 | 1): (step: number) => number {
  const sources = new Map<string, { counts: Float64Array; total: number }>();
  for (const { source, value, score } of held) {
    if (value !== side) continue;
    let known = sources.get(source);
    if (!known) {
      known = { counts: new Float64Array(STEPS + 1), total: 0 };
      sources.set(source, known);
    }
    const step = Math.min(STEPS, Math.floor(score * STEPS));
    known.counts[step] = known.counts[step]! + 1;
    known.total++;
  }
  const above = [...sources.values()].map(({ counts, total }) => {
    for (let step = STEPS - 1; step >= 0; step--) counts[step] = counts[step]! + counts[step + 1]!;
    return counts.map((count) => count / total);
  });
  return (step) => above.reduce((sum, shares) => sum + shares[step]!, 0) / Math.max(1, above.length);
}

/** The least threshold that at most `share` of the negatives of the sources that `of` names reach. */
export function falsePositives(
  held: readonly HeldOutScore[],
  share: number,
  of: (source: string) => boolean = () => true,
): number {
  const scores = held.filter(({ value, source }) => value === 0 && of(source)).map(({ score }) => score);
  if (scores.length === 0) return 0;
  scores.sort((a, b) => b - a);
  const next = scores[Math.min(scores.length - 1, Math.floor(scores.length * share))]!;
  return Math.min(0.9999, next + 1e-4);
}
