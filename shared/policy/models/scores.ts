/** Scores of a text for labels of the models of Weir, whatever policies ask for: for those who judge by scores of their own. */
import type { LabelScores } from '../../api/results/record.js';
import { CLASSIFIER_LABELS } from '../detectors/classifier.js';
import { probeOf } from './shipped.js';

/** What can be scored. */
export const SCORED_LABELS: readonly string[] = [...CLASSIFIER_LABELS, 'injection'];

/** The scores of `labels`, which are known ones; 0 to 1, to four places. A model does not know every language. */
export function* scoresInSteps(labels: readonly string[], text: string): Generator<undefined, LabelScores> {
  const known = new Map<object, unknown>();
  const scores: Record<string, LabelScores[string]> = {};
  for (const label of labels) {
    if (!SCORED_LABELS.includes(label)) continue;
    const { by, steps, find } = probeOf(label, label).inSteps!;
    if (!known.has(by)) known.set(by, yield* all(steps(text)));
    const found = find(text, known.get(by));
    scores[label] = found?.foreign === undefined ? rounded(found?.score ?? 0) : { foreign: found.foreign };
  }
  return scores;
}

const rounded = (score: number): number => Math.round(score * 10_000) / 10_000;

function* all(steps: Iterator<undefined, unknown>): Generator<undefined, unknown> {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    yield;
  }
}
