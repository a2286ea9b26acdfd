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
    const { model } = readModel(readModelFile('weir'));
    loaded = { model, scores: createScorer(model) };
  }
  return loaded;
}

export const shippedModel = (): ClassifierModel => load().model;

/** Labels that were made of some texts in other languages, too: what such a text scores counts, though a low score says nothing. */
const WIDER: ReadonlySet<string> = new Set(['injection']);

/** Finds every text with something in it, with its score for a label. The models were made of English. */
export function probeOf(label: string, name: string): WholeProbe {
  const { look, inSteps, ...probe } = laneProbe(name, load(), shippedLane(label));
  const judged = (text: string, find: () => Find | undefined): Find | undefined => {
    const foreign = languageOf(text);
    if (foreign === '') return find();
    return { start: 0, end: text.length, score: WIDER.has(label) ? (find()?.score ?? 0) : 0, foreign };
  };
  return {
    ...probe,
    look: (text) => judged(text, () => look(text)),
    inSteps: inSteps && { ...inSteps, find: (text, scores) => judged(text, () => inSteps.find(text, scores)) },
  };
}

/** The languages of the last two texts: the models of all labels look at the same ones (`scorer.ts`). */
const known: { text: string; language: string }[] = [];

/** The language of a text where that is not English, else ''. */
function languageOf(text: string): string {
  for (const last of known) if (last.text === text) return last.language;
  const language = foreignLanguage(text);
  if (text.length > MOST_REMEMBERED) return language;
  if (known.unshift({ text, language }) > 2) known.pop();
  return language;
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
