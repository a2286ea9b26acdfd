/** Scores of texts by a model, as detectors ask for them. */
import type { Find, WholeProbe } from '../engine/probes/probe.js';
import { type ClassifierModel, LANES, scoreInSteps, scoreText } from './model.js';

/** Scores of all labels, 0 to 1. The array is written again by one of the next calls. */
export type Scorer = (text: string) => Float64Array;

/** Texts up to this length are remembered, in UTF-16 units: a message has no more unless a setting allows it. */
const MAX_REMEMBERED = 1_048_576;

/**
 * Several detectors ask for the same text one after another, and with earlier texts for these in between (`lookAtWhole`). So the scores of
 * the last two texts are kept.
 */
export function createScorer(model: ClassifierModel): Scorer {
  let last: ScoredText = { text: undefined, scores: new Float64Array(LANES) };
  let before: ScoredText = { text: undefined, scores: new Float64Array(LANES) };
  return (text) => {
    if (text === last.text) return last.scores;
    [last, before] = [before, last];
    if (text !== last.text) {
      last.scores.set(scoreText(model, text));
      last.text = text.length <= MAX_REMEMBERED ? text : undefined;
    }
    return last.scores;
  };
}

interface ScoredText {
  text: string | undefined;
  scores: Float64Array;
}

/** Finds every text with something in it, with its score. `name`: what the evidence calls the probe. */
export function scoreProbe(name: string, score: (text: string) => number): WholeProbe {
  const look = (text: string): Find | undefined => (text.length === 0 ? undefined : findOf(text, score(text)));
  return { kind: 'whole', label: name, views: ['raw'], look };
}

/** The same by a label of a model. */
export function laneProbe(
  name: string,
  { model, scores }: { model: ClassifierModel; scores: Scorer },
  lane: number,
): WholeProbe {
  return {
    ...scoreProbe(name, (text) => scores(text)[lane]!),
    inSteps: {
      by: model,
      steps: (text) => scoreInSteps(model, text),
      find: (text, known) => (text.length === 0 ? undefined : findOf(text, (known as Float64Array)[lane]!)),
    },
  };
}

const findOf = ({ length }: string, score: number): Find => ({ start: 0, end: length, score });

/** Place of a label among the scores; -1 where the model does not have it. */
export const laneOf = ({ labels }: ClassifierModel, label: string): number =>
  labels.findIndex(({ name }) => name === label);
