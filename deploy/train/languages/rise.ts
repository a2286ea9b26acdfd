/**
 * How much a long text has to say more than a sentence alone. A text scores as its highest sentence does, and the highest of many
 * ordinary ones is high by chance: for a tail that falls by a factor *e* with each step of so many, it is so many steps higher with each
 * factor *e* of sentences (the extreme value of an exponential tail).
 */
import { LABELS, type LanguageLabel, type LanguagesModel } from '../../../shared/policy/models/languages/format.js';
import { logSentences, scoreLanguage } from '../../../shared/policy/models/languages/score.js';
import { rounded } from '../fit/quantise.js';
import { createRandom, hashOf, type TrainingRandom } from '../random.js';
import type { LanguageExample } from './targets.js';

/** Sentences of a page, and pages of each number and source. */
const SENTENCES = [10, 30, 100, 300] as const;
const PAGES = 100;
/** The share of pages of a source that may reach the threshold. */
const SHARE = 0.01;
/** Texts that a source has at least: a page of fewer says one thing again and again. */
const LEAST = 50;
const SOURCES = ['sentence', 'message', 'document'] as const;

export interface Page {
  text: string;
  sentences: number;
}

/** One half makes the pages that set the rise, the other those that measure it. */
export type Half = 'sets' | 'measures';
const halfOf = (group: string): Half => (hashOf(`${group} rise`) % 2 === 0 ? 'sets' : 'measures');

/** Pages of lines of ordinary texts that nothing was learned from, each of one source. */
export function pagesOf(kept: readonly LanguageExample[], half: Half, seed: number): Page[] {
  return SOURCES.flatMap((source) => {
    const texts = kept.filter((one) => one.source === source && halfOf(one.group) === half).map(({ text }) => text);
    if (texts.length < LEAST) return [];
    const random = createRandom(seed ^ hashOf(`${source} ${half}`));
    return SENTENCES.flatMap((sentences) => Array.from({ length: PAGES }, () => pageOf(texts, sentences, random)));
  });
}

const pageOf = (texts: readonly string[], sentences: number, random: TrainingRandom): Page => ({
  text: Array.from({ length: sentences }, () => random.pick(texts)).join('\n'),
  sentences,
});

/** Sentences before and behind one that is looked for. */
const AROUND = 10;

/** Each sentence in the middle of an ordinary page. */
export function withinOf(sentences: readonly string[], kept: readonly LanguageExample[], seed: number): string[] {
  const measures = kept.filter(({ group }) => halfOf(group) === 'measures');
  const own = measures.filter(({ source }) => source === 'sentence');
  const texts = own.length > 0 ? own : measures.filter(({ source }) => source === 'document');
  if (texts.length === 0) return [];
  const random = createRandom(seed ^ hashOf('within'));
  const some = (): string[] => Array.from({ length: AROUND }, () => random.pick(texts).text);
  return sentences.map((sentence) => [...some(), sentence, ...some()].join('\n'));
}

/**
 * The rises at least. Pages are of the sources that the weights learned from; manuals of other people (5,995 to 7,567 excerpts and pages of 17
 * languages) need so much for {@link SHARE} of them to reach the threshold.
 */
const LEAST_RISES: Readonly<Record<LanguageLabel, number>> = { toxicity: 0.3, hate: 0.4, injection: 0.9 };
/** So many times as much at most: one odd sentence among those that pages are made of would have hints pass in all long texts. */
const MOST = 2;

/**
 * By label: the rise with which at most {@link SHARE} of the pages of each source of a language reach the threshold. `model` has none yet.
 */
export function risesOf(
  model: LanguagesModel,
  language: number,
  kept: readonly LanguageExample[],
  seed: number,
): Record<LanguageLabel, number> {
  const rises = { ...LEAST_RISES };
  for (const source of SOURCES) {
    const needed: number[][] = LABELS.map(() => []);
    const own = kept.filter((one) => one.source === source);
    for (const { text, sentences } of pagesOf(own, 'sets', seed)) {
      const distances = distancesOf(model, language, text);
      for (const [lane, steps] of needed.entries())
        if (!Number.isNaN(distances[lane])) steps.push(distances[lane]! / logSentences(sentences));
    }
    for (const [lane, label] of LABELS.entries()) {
      const rise = Math.min(rounded(reachedBy(needed[lane]!)), MOST * LEAST_RISES[label]);
      rises[label] = Math.max(rises[label], rise);
    }
  }
  return rises;
}

function reachedBy(steps: number[]): number {
  steps.sort((a, b) => b - a);
  return steps[Math.floor(steps.length * SHARE)] ?? 0;
}

/** The distances of a text to the default thresholds, by label, by the model of a language. */
export function distancesOf(model: LanguagesModel, language: number, text: string): Float64Array {
  const steps = scoreLanguage(model, model.header.languages[language]!, text);
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  return step.value;
}
