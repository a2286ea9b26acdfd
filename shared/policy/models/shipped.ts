/** The models that Weir ships, read when the first policy asks for one. */
import { readModelFile } from '../../model-file.js';
import type { Find, WholeProbe } from '../engine/probes/probe.js';
import { foreignLanguage } from '../languages/language.js';
import { readModel } from './format.js';
import type { ClassifierModel } from './model.js';
import { createScorer, laneOf, laneProbe, type Scorer } from './scorer.js';

let loaded: { model: ClassifierModel; scores: Scorer } | undefined;

function load(): { model: ClassifierModel; scores: Scorer } {
  if (!loaded) {
    const { model } = readModel(readModelFile());
    loaded = { model, scores: createScorer(model) };
  }
  return loaded;
}

export const shippedModel = (): ClassifierModel => load().model;

/** Finds every text with something in it, with its score for a label. The models were made of English. */
export function probeOf(label: string, name: string): WholeProbe {
  const { look, inSteps, ...probe } = laneProbe(name, load(), shippedLane(label));
  return {
    ...probe,
    look: (text) => foreignFind(text) ?? look(text),
    inSteps: inSteps && { ...inSteps, find: (text, known) => foreignFind(text) ?? inSteps.find(text, known) },
  };
}

/** What is known of the last two texts: the models of all labels look at the same ones (`scorer.ts`). */
const known: { text: string; find: Find | undefined }[] = [];

/** What is found in a text of a language that the models do not know; undefined: it is none. */
function foreignFind(text: string): Find | undefined {
  for (const last of known) if (last.text === text) return last.find;
  const foreign = foreignLanguage(text);
  const find = foreign === '' ? undefined : { start: 0, end: text.length, score: 0, foreign };
  if (text.length > MOST_REMEMBERED) return find;
  if (known.unshift({ text, find }) > 2) known.pop();
  return find;
}

/** Longer texts are not kept. */
const MOST_REMEMBERED = 1_048_576;

/** The least score at which a detector fires where its policy says none. */
export const thresholdOf = (label: string): number => shippedModel().labels[shippedLane(label)]!.threshold;

function shippedLane(label: string): number {
  const lane = laneOf(shippedModel(), label);
  if (lane < 0) throw new Error(`the shipped model has no label ${label}`);
  return lane;
}
