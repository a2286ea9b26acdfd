/** Where a number may begin and end. */
import { isDigit, isWordAt, unitAt } from '../../engine/probes/characters.js';

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

const isHyphen = (unit: number): boolean => unit === 45 || unit === 0x2212 || (unit >= 0x2010 && unit <= 0x2015);

/** Whether a number may begin at `start`: not within a word, a decimal, a path or a longer number. */
export function beginsAt(text: string, start: number): boolean {
  if (start === 0) return true;
  if (joinsAt(text, start - 1)) return false;
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
  return behind > end && isDigit(unitAt(text, behind));
}

/** Whether a number may end before `end`. */
export function endsAt(text: string, end: number): boolean {
  const unit = unitAt(text, end);
  if (unit < 0 || unit === 32) return true;
  if (joinsAt(text, end)) return false;
  const next = unitAt(text, end + 1);
  // Quotes and line breaks are escaped in JSON within JSON.
  if (unit === 92) return next === 34 || next === 39 || next === 110 || next === 114;
  if (unit === 64) return false;
  if (unit === 46 || unit === 47 || unit === 43 || unit === 58) return !isDigit(next);
  if (unit === 95 || isHyphen(unit)) return !joinsAt(text, end + 1);
  // A decimal comma has one or two digits behind it.
  if (unit === 44 && isDigit(next)) return isDigit(unitAt(text, end + 2)) && isDigit(unitAt(text, end + 3));
  return true;
}
