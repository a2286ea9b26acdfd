/** The language of a text, of the first units of it. */
import { eld } from 'eld/small';
import type { Compute } from './kind.js';

/** A language shows in its first lines. */
const MOST_UNITS = 2048;

export const language: Compute = ({ text }) => {
  const found = eld.detect(text.slice(0, MOST_UNITS));
  if (found.language === '' || !found.isReliable()) return { note: 'the language cannot be told' };
  return { value: Math.round((found.getScores()[found.language] ?? 0) * 1000) / 1000, label: found.language };
};
