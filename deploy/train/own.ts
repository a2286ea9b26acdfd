/** Trains a model of labels of one's own, with the lexicon of the shipped models. */
import { basename } from 'node:path';
import { readModelFile } from '../../shared/model-file.js';
import { readModel } from '../../shared/policy/models/format.js';
import type { TrainingExample } from './example.js';
import { figuresOf, type TrainingFigure } from './figures/figures.js';
import { balanced } from './fit/thresholds.js';
import { type DataFile, readJsonLines } from './json-lines.js';
import { type HeldOutScore, train } from './train.js';

/** Rows with the name of where they are from. */
export interface NamedData extends DataFile {
  name: string;
}

export interface OwnOptions {
  files: readonly string[];
  /** rows that are in no file */
  more?: readonly NamedData[];
  /** names of the labels to learn */
  labels: readonly string[];
  name: string;
  seed: number;
  folds: number;
}

const EPOCHS = 6;
const MIN_OF_SIDE = 10;

/** Throws an `Error` that names file, line and what was expected. */
export function trainOwn(
  { files, more = [], labels, name, seed, folds }: OwnOptions,
  report: (line: string) => void,
): { bytes: Uint8Array; figures: TrainingFigure[]; hashes: Record<string, string> } {
  const hashes: Record<string, string> = {};
  const read = files.map((file): NamedData => ({ name: basename(file), ...readJsonLines(file) }));
  const examples = [...read, ...more].flatMap(({ name: source, rows, sha256 }): TrainingExample[] => {
    hashes[source] = sha256;
    return rows.map(({ text, labels: given, at }) => ({
      text,
      source,
      group: text,
      targets: labels.flatMap((label, lane) => {
        if (!Object.hasOwn(given, label)) return [];
        const value = given[label]!;
        if (value !== 0 && value !== 1) throw new Error(`${at}: "labels.${label}": expected 0 or 1`);
        return [{ lane, value, weight: 1 } as const];
      }),
    }));
  });
  for (const [lane, label] of labels.entries()) requireBoth(examples, label, lane);
  const { hashes: words, packed } = readModel(readModelFile('weir')).file;
  const plans = labels.map((label) => ({
    name: label,
    start: 0.001,
    epochs: EPOCHS,
    decay: 1e-6,
    threshold: (held: readonly HeldOutScore[]) => balanced(held),
  }));
  const trained = train(
    { name, labels: plans, examples, entries: { hashes: words, packed }, seed, folds, hashes },
    report,
  );
  return { bytes: trained.bytes, figures: figuresOf(trained), hashes };
}

/** The same text twice teaches nothing, and is always held out together. */
function requireBoth(examples: readonly TrainingExample[], label: string, lane: number): void {
  const sides = [new Set<string>(), new Set<string>()] as const;
  for (const { text, targets } of examples)
    for (const { lane: of, value } of targets) if (of === lane) sides[value].add(text);
  for (const value of [0, 1] as const) {
    const { size } = sides[value];
    if (size < MIN_OF_SIDE)
      throw new Error(`label "${label}": expected at least ${MIN_OF_SIDE} different texts with ${value}, got ${size}`);
  }
}
