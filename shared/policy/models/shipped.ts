/** The models that Weir ships, read when the first policy asks for one. */
import { readModelFile } from '../../model-file.js';
import type { WholeProbe } from '../engine/probes/probe.js';
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

/** Finds every text with something in it, with its score for a label. */
export function probeOf(label: string, name: string): WholeProbe {
  return laneProbe(name, load(), shippedLane(label));
}

/** The least score at which a detector fires where its policy says none. */
export const thresholdOf = (label: string): number => shippedModel().labels[shippedLane(label)]!.threshold;

function shippedLane(label: string): number {
  const lane = laneOf(shippedModel(), label);
  if (lane < 0) throw new Error(`the shipped model has no label ${label}`);
  return lane;
}
