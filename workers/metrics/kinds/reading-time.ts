/**
 * How long people read a text, in seconds: 238 words a minute, which is what adults read silently in English on average (Brysbaert 2019),
 * and 300 characters a minute in scripts that part no words.
 */
import type { Compute } from './kind.js';
import { countWords } from './words.js';

const WORDS_A_SECOND = 238 / 60;
const DENSE_A_SECOND = 300 / 60;

export const readingTime: Compute = ({ text }) => {
  const { parted, dense } = countWords(text);
  return { value: Math.round((parted / WORDS_A_SECOND + dense / DENSE_A_SECOND) * 100) / 100 };
};
