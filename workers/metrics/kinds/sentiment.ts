/**
 * How the words of a text sound, from -1 to 1, in English: the weights of words that praise or blame, with what stands before them. A
 * negation up to three words before a word turns and weakens it; a word of degree makes it stronger or weaker. The sum is divided by its
 * own size and a constant, so that one word alone is moderate and many are near the end of the scale.
 */
import type { Compute } from './kind.js';

/** Words by weight. Endings of {@link ENDINGS} are found with their stem. */
const LEXICON: readonly [weight: number, words: string][] = [
  [
    3,
    'love adore amazing awesome brilliant excellent fantastic magnificent outstanding perfect superb wonderful best thrilled delighted',
  ],
  [
    2,
    'good great happy nice glad enjoy beautiful impress helpful pleasant joy fun kind win success recommend elegant lovely charming cheerful grateful thank friendly proud excited satisfied reliable smooth favorite favourite',
  ],
  [
    1,
    'fine ok okay easy clear useful interesting fair hope like agree calm safe improve solve works worked benefit comfortable solid clean quick fresh welcome',
  ],
  [
    -1,
    'slow hard difficult unclear confusing boring doubt miss lack tired problem issue complain late odd weak expensive noisy worry concern delay unsure dull messy',
  ],
  [
    -2,
    'bad sad poor wrong fail failure broken broke annoy disappoint unhappy upset angry frustrate ugly hurt pain useless rude stupid lose lost afraid mistake unfair unpleasant unreliable dirty cheat lie refuse crash error',
  ],
  [
    -3,
    'hate awful terrible horrible disgust worst pathetic dreadful atrocious appalling abysmal nightmare disaster miserable despise furious scam garbage ruin',
  ],
];
const ENDINGS = ['s', 'es', 'd', 'ed', 'ing', 'ly', 'er', 'est', 'ful', 'ment', 'able'];
const NEGATIONS = new Set(
  'not no never none nobody nothing neither nor without hardly barely cannot cant dont doesnt didnt isnt wasnt arent werent wont wouldnt shouldnt couldnt hasnt havent aint'.split(
    ' ',
  ),
);
const DEGREES = new Map<string, number>([
  ...'very really extremely so incredibly totally absolutely completely utterly highly too'
    .split(' ')
    .map((word): [string, number] => [word, 1.3]),
  ...'slightly somewhat rather fairly kinda little bit mildly partly'
    .split(' ')
    .map((word): [string, number] => [word, 0.7]),
]);

const weights = new Map(
  LEXICON.flatMap(([weight, list]) => list.split(' ').map((word): [string, number] => [word, weight])),
);

/** Words before one that may turn it. */
const REACH = 3;
/** A negation turns a word, and what is not good is less than bad. */
const TURNED = -0.7;
const NEUTRAL = 0.1;
/** Weight of words at which the scale is half used. */
const HALF = 3;

export const sentiment: Compute = ({ text }) => {
  let sum = 0;
  let size = 0;
  const before: string[] = [];
  for (const [match] of text.matchAll(/[a-z]+(?:['’][a-z]+)*/gi)) {
    const word = match.toLowerCase().replaceAll(/['’]/g, '');
    const weight = weightOf(word);
    if (weight !== 0) {
      const degree = DEGREES.get(before.at(-1) ?? '') ?? 1;
      const turned = before.some((earlier) => NEGATIONS.has(earlier)) ? TURNED : 1;
      sum += weight * degree * turned;
      size += Math.abs(weight * degree);
    }
    before.push(word);
    if (before.length > REACH) before.shift();
  }
  const value = Math.round((sum / (size + HALF)) * 1000) / 1000;
  return { value, label: Math.abs(value) < NEUTRAL ? 'neutral' : value > 0 ? 'positive' : 'negative' };
};

function weightOf(word: string): number {
  const exact = weights.get(word);
  if (exact !== undefined) return exact;
  for (const ending of ENDINGS) {
    if (!word.endsWith(ending)) continue;
    const stem = word.slice(0, -ending.length);
    if (stem.length < 3) continue;
    const weight =
      weights.get(stem) ??
      weights.get(`${stem}e`) ??
      (stem.endsWith('i') ? weights.get(`${stem.slice(0, -1)}y`) : undefined);
    if (weight !== undefined) return weight;
  }
  return 0;
}
