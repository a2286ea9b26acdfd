/** Scores of a text for labels of the models of Weir, whatever policies ask for: for those who judge by scores of their own. */
import type { AskedScores, LabelScores, TextScores } from '../../api/results/record.js';
import { CLASSIFIER_LABELS } from '../detectors/classifier.js';
import { endOfSentence } from './sentences.js';
import { probeOf, thresholdOf } from './shipped.js';

/** What can be scored. */
const SCORED_LABELS: readonly string[] = [...CLASSIFIER_LABELS, 'injection'];
/** Sentences that are scored by themselves; what follows is the last one. */
const MOST_SENTENCES = 200;

/** The scores of a text; then those of its sentences, where these are asked for and there are several. Labels that are not known are left out. */
export function* scoresInSteps({ labels, sentences }: AskedScores, text: string): Generator<undefined, TextScores[]> {
  const known = labels.filter((label) => SCORED_LABELS.includes(label));
  const all: TextScores[] = [{ start: 0, end: text.length, of: yield* labelScores(known, text) }];
  const ends = sentences ? sentenceEnds(text) : [];
  for (let i = 0, start = 0; i < ends.length && ends.length > 1; i++) {
    const end = ends[i]!;
    all.push({ start, end, of: yield* labelScores(known, text.slice(start, end)) });
    start = end;
  }
  return all;
}

function sentenceEnds(text: string): number[] {
  const ends: number[] = [];
  for (let at = 0; at < text.length; ) {
    at = ends.length === MOST_SENTENCES - 1 ? text.length : endOfSentence(text, at, text.length);
    ends.push(at);
  }
  return ends;
}

function* labelScores(labels: readonly string[], text: string): Generator<undefined, LabelScores> {
  const known = new Map<object, unknown>();
  const scores: Record<string, LabelScores[string]> = {};
  for (const label of labels) {
    const { by, steps, find } = probeOf(label, label).inSteps!;
    if (!known.has(by)) known.set(by, yield* outcomeOf(steps(text)));
    const found = find(text, known.get(by));
    scores[label] =
      found?.foreign === undefined
        ? { score: rounded(found?.score ?? 0), least: thresholdOf(label) }
        : { foreign: found.foreign };
  }
  return scores;
}

const rounded = (score: number): number => Math.round(score * 10_000) / 10_000;

function* outcomeOf(steps: Iterator<undefined, unknown>): Generator<undefined, unknown> {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    yield;
  }
}
