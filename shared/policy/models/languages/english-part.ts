/** Sentences in English within a text in another language, which its own model does not know. */
import { type ClassifierModel, LANES, scoreText } from '../model.js';
import { endOfSentence } from '../sentences.js';
import type { LanguagesModel } from './format.js';
import { whichLanguage } from './which.js';

/** A word that stands in most sentences of English, and in few of other languages: without one a text is not read as English, too. */
const FREQUENT = /\b(?:the|and|you(?:r|rs|rself)?|they|them|this|that|with|are|should|people)\b/i;

/** Units of a sentence at most, and of a text that are scored at a time. */
const LONGEST = 320;
const STEP = 64 * 1024;

/** Whether a text may have a sentence in English. Takes a tenth of the time of a score. */
export const mayHaveEnglish = (text: string): boolean => FREQUENT.test(text);

/**
 * By label of `model`: the highest score of a sentence of `text` that is told as no other language, and at most that of the whole text; 0 where none reaches
 * the threshold. Takes time linear in the text, and hardly any where the `whole` reaches no threshold.
 */
export function* scoreEnglishPart(
  model: ClassifierModel,
  text: string,
  whole: Float64Array,
  models: () => LanguagesModel,
): Generator<undefined, Float64Array> {
  const best = new Float64Array(LANES);
  const reached = (scores: Float64Array): boolean =>
    model.labels.some(({ threshold }, lane) => scores[lane]! >= threshold && scores[lane]! > best[lane]!);
  if (!reached(whole) || !mayHaveEnglish(text)) return best;
  let next = STEP;
  for (let from = 0; from < text.length; ) {
    const to = endOfSentence(text, from, LONGEST);
    const sentence = text.slice(from, to);
    from = to;
    const scores = scoreText(model, sentence);
    if (reached(scores) && isEnglish(sentence, models)) {
      for (const [lane, { threshold }] of model.labels.entries()) {
        const score = scores[lane]!;
        if (score >= threshold) best[lane] = Math.max(best[lane]!, Math.min(score, whole[lane]!));
      }
    }
    if (from < next) continue;
    next = from + STEP;
    yield;
  }
  return best;
}

function isEnglish(sentence: string, models: () => LanguagesModel): boolean {
  const { foreign, entry } = whichLanguage(sentence, models);
  return foreign === '' && !entry;
}
