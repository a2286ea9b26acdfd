/** Where a number may begin and end. */
import { isDigit, isHex, isWordAt, unitAt } from '../../engine/probes/characters.js';

/** Thai, Lao, Khmer, Chinese, Japanese and Korean, which are written without spaces, or add particles to numbers. */
export function isUnspaced(unit: number): boolean {
  if (unit < 0xe00) return false;
  return (
    unit <= 0xeff ||
    (unit >= 0x1780 && unit <= 0x17ff) ||
    (unit >= 0x3040 && unit <= 0x9fff) ||
    (unit >= 0xac00 && unit <= 0xd7a3)
  );
}

/** Whether a letter or digit stands at `index` that makes a number next to it part of a longer word. */
export function joinsAt(text: string, index: number): boolean {
  return isWordAt(text, index) && !isUnspaced(unitAt(text, index));
}

/** Whether a line break or a tab is escaped right before `at`, as in JSON within JSON. */
export function isBehindBreak(text: string, at: number): boolean {
  const before = unitAt(text, at - 1);
  return (before === 110 || before === 116 || before === 114) && unitAt(text, at - 2) === 92;
}

/** Whether an escape of JSON or of an address ends before `start`: `\\n`, `%7B`. */
function isBehindEscape(text: string, start: number): boolean {
  if (isBehindBreak(text, start)) return true;
  const unit = unitAt(text, start - 1);
  return isHex(unit) && isHex(unitAt(text, start - 2)) && unitAt(text, start - 3) === 37;
}

/** Whether a letter or digit before `start` makes what begins there a part of a longer word. */
export const joinsBefore = (text: string, start: number): boolean =>
  joinsAt(text, start - 1) && !isBehindEscape(text, start);

const isHyphen = (unit: number): boolean => unit === 45 || unit === 0x2212 || (unit >= 0x2010 && unit <= 0x2015);

/** Whether a number may begin at `start`: not within a word, a decimal, a path or a longer number. */
export function beginsAt(text: string, start: number): boolean {
  if (start === 0) return true;
  if (joinsBefore(text, start)) return false;
  const unit = unitAt(text, start - 1);
  // After "No." there may be a number, after "1." the rest of one, after "gdr_x." a part of a name.
  if (unit === 46)
    return (
      !joinsAt(text, start - 2) || /(?:^|[\s(:,;"'])\p{L}{1,9}\.$/u.test(text.slice(Math.max(0, start - 12), start))
    );
  // A comma is a decimal one, or parts the numbers of a list.
  if (unit === 44) return !isDigit(unitAt(text, start - 2)) || /[\dA-Za-z]{4},$/.test(text.slice(start - 5, start));
  if (unit === 47 || unit === 92 || unit === 95 || unit === 64 || isHyphen(unit)) return !joinsAt(text, start - 2);
  return unit !== 43;
}

/** White space, and what parts the cells of a table. */
const isBetweenCells = (unit: number): boolean =>
  unit === 32 || unit === 9 || unit === 44 || unit === 59 || unit === 124 || unit === 0xa0;

/** Whether another number stands beside the one from `start` to `end`, in the same line, with no more than two such characters between. */
export function isOfRow(text: string, start: number, end: number): boolean {
  let before = start - 1;
  while (start - before <= 2 && isBetweenCells(unitAt(text, before))) before--;
  if (before < start - 1 && isDigit(unitAt(text, before))) return true;
  let behind = end;
  while (behind - end < 2 && isBetweenCells(unitAt(text, behind))) behind++;
  return (behind > end && isDigit(unitAt(text, behind))) || isOfHex(text, start, end);
}

/** Four digits of a dump or of a code point, of which some are letters. */
const HEX_BEFORE = /(?<![\dA-Za-z])(?=\d{0,3}[A-Fa-f])(?=[A-Fa-f]{0,3}\d)[\dA-Fa-f]{4} $/;
const HEX_BEHIND = /^ (?=\d{0,3}[A-Fa-f])(?=[A-Fa-f]{0,3}\d)[\dA-Fa-f]{4}(?![\dA-Za-z])/;

/** Whether such digits stand beside the groups from `start` to `end`. */
export const isOfHex = (text: string, start: number, end: number): boolean =>
  HEX_BEFORE.test(text.slice(Math.max(0, start - 6), start)) || HEX_BEHIND.test(text.slice(end, end + 6));

/** Whether a number may end before `end`. */
export function endsAt(text: string, end: number): boolean {
  const unit = unitAt(text, end);
  if (unit < 0 || unit === 32) return true;
  if (joinsAt(text, end)) return false;
  // Quotes, line breaks and tabs are escaped in JSON within JSON.
  if (unit === 92) return /^\\{1,4}["'nrt]/.test(text.slice(end, end + 5));
  const next = unitAt(text, end + 1);
  if (unit === 64) return false;
  if (unit === 46 || unit === 47 || unit === 43 || unit === 58) return !isDigit(next);
  if (unit === 95 || isHyphen(unit)) return !joinsAt(text, end + 1);
  // A decimal comma has one or two digits behind it.
  if (unit === 44 && isDigit(next)) return isDigit(unitAt(text, end + 2)) && isDigit(unitAt(text, end + 3));
  return true;
}
