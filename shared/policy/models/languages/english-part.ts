/** Sentences in English within a text in another language, which its own model does not know. */
import { endOfSentence } from '../sentences.js';
import type { LanguagesModel } from './format.js';
import { whichLanguage } from './which.js';

/** A word that stands in most sentences of English, and in few of other languages: without one a text is not read as English, too. */
const FREQUENT = /\b(?:the|and|you(?:r|rs|rself)?|they|them|this|that|with|are|should|people)\b/i;
export const mayHaveEnglish = (text: string): boolean => FREQUENT.test(text);

/** Units of a sentence at most. */
const LONGEST = 320;

/**
 * The highest score of a sentence of `text` that is told as no other language; 0: none scores `least`. Time is linear in the text.
 */
export function scoreOfEnglishPart(
  text: string,
  least: number,
  scoreOf: (sentence: string) => number,
  models: () => LanguagesModel,
): number {
  let best = 0;
  for (let from = 0; from < text.length; ) {
    const to = endOfSentence(text, from, LONGEST);
    const sentence = text.slice(from, to);
    from = to;
    const score = scoreOf(sentence);
    if (score < least || score <= best) continue;
    const { foreign, entry } = whichLanguage(sentence, models);
    if (foreign === '' && !entry) best = score;
  }
  return best;
}
