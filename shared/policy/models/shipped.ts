/** The models that Weir ships, read when the first policy asks for one. */
import { readModelFile } from '../../model-file.js';
import type { Find, WholeProbe } from '../engine/probes/probe.js';
import { readModel } from './format.js';
import { type Model, scoreText } from './model.js';

let loaded: Model | undefined;

export function shippedModel(): Model {
  loaded ??= readModel(readModelFile()).model;
  return loaded;
}

let lastText: string | undefined;
let lastScores: Float64Array = new Float64Array(0);

/** Scores of all labels. Several detectors ask for the same text one after another, so the last one is kept. */
function scoresOf(text: string): Float64Array {
  if (text !== lastText) {
    lastScores = scoreText(shippedModel(), text);
    // Of a long text, this would be the last that holds it in memory.
    lastText = text.length <= 65_536 ? text : undefined;
  }
  return lastScores;
}

/** Finds every text with something in it, with its score for a label. */
export function probeOf(label: string, name: string): WholeProbe {
  const lane = laneOf(label);
  return {
    kind: 'whole',
    label: name,
    views: ['raw'],
    look(text): Find | undefined {
      if (text.length === 0) return undefined;
      return { start: 0, end: text.length, score: scoresOf(text)[lane]! };
    },
  };
}

/** The least score at which a detector fires where its policy says none. */
export const thresholdOf = (label: string): number => shippedModel().labels[laneOf(label)]!.threshold;

function laneOf(label: string): number {
  const lane = shippedModel().labels.findIndex(({ name }) => name === label);
  if (lane < 0) throw new Error(`the shipped model has no label ${label}`);
  return lane;
}
