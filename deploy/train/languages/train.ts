/** Trains the models of other languages than English: the weights of the labels, and what tells the languages. */
import { LANGUAGES_VERSION } from '../../../shared/policy/models/languages/features.js';
import {
  LABELS,
  LANES,
  type LanguageEntry,
  type LanguageLabel,
  type LanguagesHeader,
  type LanguagesModel,
  readLanguages,
  type Scale,
  writeLanguages,
} from '../../../shared/policy/models/languages/format.js';
import { prepareLetters } from '../../../shared/policy/models/languages/letters.js';
import { auroc } from '../figures/measure.js';
import { calibrate } from '../fit/calibrate.js';
import type { Corpus } from '../fit/corpus.js';
import { fitParts } from '../fit/parts.js';
import { quantise, rounded } from '../fit/quantise.js';
import { hashOf } from '../random.js';
import { readLanguageData, wordsOf } from './data.js';
import { LABEL_OPTIONS, readCorpus } from './fit.js';
import { LANGUAGES } from './list.js';
import { makeExamples } from './make.js';
import { risesOf } from './rise.js';
import { readRude } from './rude.js';
import type { LanguageExample } from './targets.js';
import { TOLD_LANGUAGES, trainTell } from './tell.js';
import { MARGINS, type ScoredRow, thresholdOf } from './thresholds.js';

export interface LanguagesOptions {
  data: string;
  seed: number;
  folds: number;
}

/** The distance to the default threshold, of an example by weights that did not see its group. */
export interface HeldOutDistance {
  language: number;
  source: string;
  value: 0 | 1;
  distance: number;
}

export interface TrainedLanguages {
  bytes: Uint8Array;
  header: LanguagesHeader;
  /** by label */
  held: HeldOutDistance[][];
  examples: readonly LanguageExample[];
}

/** A quarter of what is ordinary is neither learned from nor sets thresholds of sentences: it only measures (`rise.ts`, `figures.ts`). */
export const isKept = ({ source, group }: Pick<LanguageExample, 'source' | 'group'>): boolean =>
  /^(sentence|message|document|manual|word)$/.test(source) && hashOf(`${group} kept`) % 4 === 0;

/** Texts of a side of a label that a language has at least; it has the label where the sides differ by so much. */
const LEAST_EXAMPLES = 100;
const LEAST_AUROC = 0.75;

/** The same data, phrases and seed give the same bytes. Throws where the data cannot be read. */
export function trainLanguages(
  { data, seed, folds }: LanguagesOptions,
  report: (line: string) => void,
): TrainedLanguages {
  prepareLetters();
  const { examples: real, hashes } = readLanguageData(data);
  const made = LANGUAGES.flatMap(({ code }, language) => makeExamples(code, language, seed));
  const rude = readRude();
  const examples = [...real, ...made, ...wordsOf([...real, ...made], rude.has), ...rude.examples];
  const corpus = readCorpus(examples);
  report(`${examples.length} texts of other languages, ${corpus.features.length} features`);
  const fitted = fitParts(corpus, { seed, folds, labels: LABEL_OPTIONS, isAside: isKept, learnsAside: false }, report);
  const { values, bias } = fitted.weights;
  const { bytes: weights, scales } = quantise(values, { lanes: LANES, labels: LABELS.length, clips: CLIPS });
  const held: HeldOutDistance[][] = LABELS.map(() => []);
  const languages = LANGUAGES.map(({ code, name, reading, labels }, language): LanguageEntry => {
    const known: LanguageEntry['labels'] = {};
    for (const label of labels) {
      const lane = LABELS.indexOf(label);
      const scored = scoredOf(corpus, fitted.raw, { language, lane });
      const scale = scaleOf(scored, label, {
        bias: bias[language * LANES + lane]!,
        step: scales[lane]!,
      });
      if (scale) known[label] = scale.scale;
      if (scale)
        for (const { value, raw, source } of scored)
          held[lane]!.push({ language, source, value, distance: scale.distanceOf(raw) });
    }
    return { code, name, reading, labels: known };
  });
  const tell = trainTell(data, examples, seed);
  report('trained what tells languages');
  const header: LanguagesHeader = {
    version: 1,
    features: LANGUAGES_VERSION,
    languages,
    tell: { languages: [...TOLD_LANGUAGES], scale: tell.scale, bias: tell.bias },
    seed,
    data: hashes,
  };
  raise(header, readLanguages(writeLanguages(header, weights, tell.bytes)), examples.filter(isKept));
  report('measured how high the highest of many sentences is');
  return { bytes: writeLanguages(header, weights, tell.bytes), header, held, examples };
}

/** Sets what the distances of each language fall by in long texts; `model` is that of the header, where nothing is set yet. */
function raise({ languages, seed }: LanguagesHeader, model: LanguagesModel, kept: readonly LanguageExample[]): void {
  for (const [language, { labels }] of languages.entries()) {
    const own = kept.filter((one) => one.language === language);
    for (const [label, rise] of Object.entries(risesOf(model, language, own, seed))) {
      const scale = labels[label as LanguageLabel];
      if (scale) scale.rise = rise;
    }
  }
}

function scoredOf(
  { examples }: Corpus<LanguageExample>,
  raw: Float32Array,
  { language, lane }: { language: number; lane: number },
): ScoredRow[] {
  return examples.flatMap((one, row) => {
    const target = one.language === language ? one.targets[lane] : undefined;
    if (!target) return [];
    return [
      { raw: raw[row * LANES + lane]!, value: target[0], weight: target[1], source: one.source, kept: isKept(one) },
    ];
  });
}

/** Undefined where the label is not known of the language: too few texts, or their sides are too much alike. */
function scaleOf(
  scored: readonly ScoredRow[],
  label: (typeof LABELS)[number],
  { bias, step }: { bias: number; step: number },
): { scale: Scale; distanceOf: (raw: number) => number } | undefined {
  const learned = scored.filter(({ kept }) => !kept);
  const both = learned.filter(({ source }) => !/^(sentence|message|document|manual|plain|word|rude)$/.test(source));
  const positives = both.filter(({ value }) => value === 1).length;
  if (positives < LEAST_EXAMPLES || both.length - positives < LEAST_EXAMPLES) return undefined;
  if (auroc(both.map(({ raw: score, value }) => ({ score, value }))) < LEAST_AUROC) return undefined;
  const { slope } = calibrate(both);
  const threshold = thresholdOf(label, learned);
  const margin = MARGINS[label];
  return {
    scale: { scale: rounded(slope * step), bias: rounded(slope * (bias - threshold) - margin), rise: 0 },
    distanceOf: (raw) => slope * (raw - threshold) - margin,
  };
}

/** Shares of the largest weight at which larger ones may be cut off. */
const CLIPS = [1, 0.7, 0.5, 0.35, 0.25, 0.18, 0.12, 0.08];
