/** The models that Weir ships, read when the first policy asks for one; those of other languages when the first text may be in one. */
import { readModelFile } from '../../model-file.js';
import type { Find, WholeProbe } from '../engine/probes/probe.js';
import { readModel } from './format.js';
import { mayHaveEnglish, scoreEnglishPart } from './languages/english-part.js';
import { LABELS, type LanguageEntry, type LanguagesModel, readLanguages } from './languages/format.js';
import { scoreLanguage } from './languages/score.js';
import { type WhichLanguage, whichLanguage } from './languages/which.js';
import { type ClassifierModel, LANES, scoreInSteps, scoreText } from './model.js';
import { laneOf, scoreProbe } from './scorer.js';

let loaded: ClassifierModel | undefined;
let languages: LanguagesModel | undefined;

export function shippedModel(): ClassifierModel {
  loaded ??= readModel(readModelFile('weir')).model;
  return loaded;
}

export function shippedLanguages(): LanguagesModel {
  languages ??= readLanguages(readModelFile('languages'));
  return languages;
}

/** The model of English has seen attacks in other languages: what such a text scores counts, though a low score says nothing. */
const WIDER: ReadonlySet<string> = new Set(['injection']);

/** Finds every text with something in it, with its score for a label, by the model of its language. */
export function probeOf(label: string, name: string): WholeProbe {
  const lane = shippedLane(label);
  const own = (LABELS as readonly string[]).indexOf(label);
  const least = thresholdOf(label);
  const find = (text: string, { english, englishPart, distances }: KnownScores): Find | undefined => {
    if (text.length === 0) return undefined;
    const { foreign, entry, alsoEnglish } = languageOf(text);
    const isWider = alsoEnglish || WIDER.has(label);
    if (entry && own >= 0 && entry.labels[LABELS[own]!]) {
      const score = scoreAt(distances(entry)[own]!, least);
      return { start: 0, end: text.length, score: Math.max(score, (isWider ? english() : englishPart())[lane]!) };
    }
    // Short texts have few frequent words: what tells the languages of models apart tells these.
    const told = foreign !== '' || alsoEnglish ? foreign : (entry?.name ?? '');
    if (told === '') return { start: 0, end: text.length, score: english()[lane]! };
    const counts = WIDER.has(label) || (foreign === '' && own < 0);
    return { start: 0, end: text.length, score: (counts ? english() : englishPart())[lane]!, foreign: told };
  };
  return {
    ...scoreProbe(name, (text) => englishOf(text)[lane]!),
    look: (text) =>
      find(text, {
        english: () => englishOf(text),
        englishPart: () => englishPartOf(text),
        distances: (entry) => distancesOf(entry, text),
      }),
    inSteps: {
      by: shippedModel(),
      steps: stepsOf,
      find: (text, known) => {
        const { english, englishPart, distances } = known as StepScores;
        return find(text, { english: () => english, englishPart: () => englishPart, distances: () => distances! });
      },
    },
  };
}

/** The score of a text by its distance to the default threshold, which stands at `least` in all languages. */
const scoreAt = (distance: number, least: number): number => {
  const at = Math.log(least / (1 - least));
  return 1 / (1 + Math.exp(-(distance + at)));
};

/** Scores by label of the shipped model, and distances by label of a language. */
interface KnownScores {
  english(): Float64Array;
  /** those of a sentence of the text that is in English; 0 where none reaches the threshold */
  englishPart(): Float64Array;
  distances(of: LanguageEntry): Float64Array;
}

interface StepScores {
  english: Float64Array;
  englishPart: Float64Array;
  distances: Float64Array | undefined;
}

function* stepsOf(text: string): Generator<undefined, StepScores> {
  const english = yield* scoreInSteps(shippedModel(), text);
  const { foreign, entry } = languageOf(text);
  const englishPart =
    foreign !== '' || entry ? yield* scoreEnglishPart(shippedModel(), text, english, shippedLanguages) : english;
  return { english, englishPart, distances: entry && (yield* scoreLanguage(shippedLanguages(), entry, text)) };
}

/** What is known of a text: the models of all labels look at the same ones. */
interface KnownText {
  text: string | undefined;
  language: WhichLanguage;
  isScored: boolean;
  english: Float64Array;
  englishPart: Float64Array | undefined;
  distances: Float64Array | undefined;
}
const newKnown = (): KnownText => ({
  text: undefined,
  language: { foreign: '', entry: undefined, alsoEnglish: false },
  isScored: false,
  english: new Float64Array(LANES),
  englishPart: undefined,
  distances: undefined,
});

/** The last two: earlier texts are looked at in between (`lookAtWhole`). */
let last = newKnown();
let before = newKnown();

/** Is written again by one of the next calls. */
function knownOf(text: string): KnownText {
  if (text === last.text) return last;
  [last, before] = [before, last];
  if (text === last.text) return last;
  last.text = undefined;
  last.language = whichLanguage(text, shippedLanguages);
  last.isScored = false;
  last.englishPart = undefined;
  last.distances = undefined;
  if (text.length <= MOST_REMEMBERED) last.text = text;
  return last;
}

const languageOf = (text: string): WhichLanguage => knownOf(text).language;

/** The scores of a text by the model of English. */
function englishOf(text: string): Float64Array {
  const own = knownOf(text);
  if (!own.isScored) {
    own.english.set(scoreText(shippedModel(), text));
    own.isScored = true;
  }
  return own.english;
}

const NO_ENGLISH = new Float64Array(LANES);

function englishPartOf(text: string): Float64Array {
  const own = knownOf(text);
  own.englishPart ??= mayHaveEnglish(text)
    ? toEnd(scoreEnglishPart(shippedModel(), text, englishOf(text), shippedLanguages))
    : NO_ENGLISH;
  return own.englishPart;
}

function distancesOf(entry: LanguageEntry, text: string): Float64Array {
  const own = knownOf(text);
  own.distances ??= toEnd(scoreLanguage(shippedLanguages(), entry, text));
  return own.distances;
}

function toEnd<Result>(steps: Generator<undefined, Result>): Result {
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  return step.value;
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
