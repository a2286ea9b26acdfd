/** Numbers with an exponent. */
import { isDigit, unitAt } from '../../engine/probes/characters.js';

const [DOT, HYPHEN] = [46, 45] as const;

/** Digits of a number that may be one in its plain form alone; fewer stand before an e in hexadecimal numbers. */
export const FEWEST_OF_PLAIN = 8;

/** End of the number at `start`, as far as that has an exponent; 0: it has none. */
export function endOfExponent(text: string, start: number): number {
  let i = endOfDigits(text, start);
  if (unitAt(text, i) === DOT) i = endOfDigits(text, i + 1);
  if ((unitAt(text, i) | 32) !== 101 || i - start < FEWEST_OF_PLAIN) return 0;
  const sign = unitAt(text, i + 1);
  const exponent = sign === 43 || sign === HYPHEN ? i + 2 : i + 1;
  const end = endOfDigits(text, exponent);
  return end === exponent ? 0 : end;
}

/** Longer numbers are nobody's, whatever their exponent. */
const MOST_WRITTEN = 64;

function endOfDigits(text: string, from: number): number {
  let end = from;
  while (end - from < MOST_WRITTEN && isDigit(unitAt(text, end))) end++;
  return end;
}
