/**
 * Words: runs of letters and digits, also with an apostrophe, a hyphen, a point or a comma within. Scripts that part no words count
 * each character, as word processors do. The segmenter of the engine knows their words, but takes 20 ms for a kilobyte.
 */
import type { Compute } from './kind.js';

const DENSE =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}';
const PART = `(?:(?![${DENSE}])[\\p{L}\\p{N}\\p{M}])+`;
const WORD = new RegExp(`(?<dense>(?=\\p{L})[${DENSE}])|${PART}(?:['’\\-.,_]${PART})*`, 'gu');

export interface WordCount {
  /** words that a space or a sign parts */
  parted: number;
  /** characters of scripts that part no words */
  dense: number;
}

export function countWords(text: string): WordCount {
  const count = { parted: 0, dense: 0 };
  WORD.lastIndex = 0;
  for (let match = WORD.exec(text); match !== null; match = WORD.exec(text)) {
    if (match.groups!.dense === undefined) count.parted++;
    else count.dense++;
  }
  return count;
}

export const words: Compute = ({ text }) => {
  const { parted, dense } = countWords(text);
  return { value: parted + dense };
};
