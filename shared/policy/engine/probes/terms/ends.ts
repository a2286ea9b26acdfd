/** Where words end that may be disguised. */
import { isWordAt } from '../characters.js';
import { DIGIT, PLAIN, UNITS } from './units.js';

/** Whether a word may end before `i`. */
export function isEnd(text: string, i: number): boolean {
  if (i >= text.length) return true;
  const code = text.charCodeAt(i);
  return code < 128 ? (UNITS[code]! & (PLAIN | DIGIT)) === 0 : !isWordAt(text, i);
}
