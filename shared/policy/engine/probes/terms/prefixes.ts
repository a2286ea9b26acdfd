/** What Arabic and Hebrew write before a noun without a space: the article, "and", "in", "to" and the like. */
import { isWordAt } from '../characters.js';

const FIRST_HEBREW = 0x5d0;
const LAST_ARABIC = 0x6ff;
const LONGEST = 4;
/** With the article, or "and": a word of three letters behind it is none by chance. */
const SURE = /^(?:[\u0648\u0641]?[\u0628\u0643]?\u0627\u0644|[\u0648\u0641]?\u0644\u0644|[\u05d5]?[\u05d4]|[\u05d5])$/;
const SURE_LETTERS = 3;
/** Other ones: a word has four. */
const OTHER =
  /^(?:[\u0648\u0641]?[\u0628\u0643\u0644]|[\u0648\u0641]|\u05d5?(?:\u05db\u05e9|\u05e9|\u05de\u05e9)?(?:[\u05d1\u05db\u05dc\u05de\u05d4]|\u05de\u05d4)?)$/;
const OTHER_LETTERS = 4;

/** Whether what stands before a word of so many letters, up to where that which is written together begins, is such a prefix. */
export function isBehindPrefix(text: string, at: number, letters: number): boolean {
  const unit = text.charCodeAt(at);
  if (unit < FIRST_HEBREW || unit > LAST_ARABIC || letters < SURE_LETTERS) return false;
  let from = at;
  while (at - from <= LONGEST && from > 0 && isWordAt(text, from - 1)) from--;
  const prefix = text.slice(from, at);
  return SURE.test(prefix) || (letters >= OTHER_LETTERS && OTHER.test(prefix));
}
