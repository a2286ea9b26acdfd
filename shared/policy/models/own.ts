/**
 * Models that the operator trained. A configuration names each by the SHA-256 of its file, and is compiled with those that are at hand.
 * A policy whose model is not there could not run; it is never taken for clean.
 */
import { type Interest, NotThere } from '../engine/probes/probe.js';
import { readModel } from './format.js';
import type { ClassifierModel } from './model.js';
import { createScorer, laneOf, laneProbe, type Scorer, scoreProbe } from './scorer.js';

/** Models that the policies of an installation name together at most. */
export const MAX_MODELS = 8;

export interface OwnModel {
  model: ClassifierModel;
  scores: Scorer;
}

/** By SHA-256 of the file, in lower-case hexadecimal digits. */
export type OwnModels = ReadonlyMap<string, OwnModel>;

export const NO_MODELS: OwnModels = new Map();

/** Throws an `Error` that says what is wrong where `bytes` are no model. The weights are not copied. */
export function prepareModel(bytes: Uint8Array): OwnModel {
  const { model } = readModel(bytes);
  return { model, scores: createScorer(model) };
}

/** What a detector asks of a model. */
export interface OwnLabel {
  sha256: string;
  label: string;
  /** least score; absent: that of the model */
  threshold: number | undefined;
  /** what the evidence calls it */
  name: string;
}

/** The interest in texts to which the model gives the label at least that score. */
export function interestInOwn({ sha256, label, threshold, name }: OwnLabel, models: OwnModels): Interest {
  const own = models.get(sha256);
  const lane = own ? laneOf(own.model, label) : -1;
  const least = threshold ?? own?.model.labels[lane]?.threshold ?? 1;
  return {
    key: `model:${sha256}:${label}`,
    probe: () => {
      if (own && lane >= 0) return laneProbe(name, own, lane);
      // The engine takes what throws for a detector that could not run.
      return scoreProbe(name, () => {
        throw new NotThere(`there is no model ${sha256} with the label ${label}`);
      });
    },
    accepts: ({ score }) => score >= least,
  };
}
