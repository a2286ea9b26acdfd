/** Numbers that are written digit by digit: `5 3 6 - 9 0 - 4 3 9 9`. They are looked at as what they are without what parts the digits. */
import { isSequence } from './checks.js';
import type { PiiSpan } from './find.js';

/** Spaces, or a sign with at most one space on each side. */
const GAP = '(?:[^\\S\\n]{1,3}|[^\\S\\n]?[-.,;_~|/*\\u00b7\\u2022\\u2010-\\u2015\\u2212][^\\S\\n]?)';
const SPREAD = new RegExp(`[\\dA-Za-z](?:${GAP}[\\dA-Za-z](?![\\dA-Za-z])){6,}`, 'y');
/** The letters of a country, which do not belong to the chunk of the digits behind them. */
const COUNTRY_BEFORE = new RegExp(`(?<![\\dA-Za-z])[A-Z]${GAP}[A-Z]${GAP}$`, 'i');
const LONGEST_BEFORE = 8;

/** Longer rows are of a matrix, fewer digits are no number, and fewer different ones are counts. */
const [MOST, FEWEST, FEWEST_DIFFERENT] = [34, 7, 4] as const;

export interface SpreadNumber extends PiiSpan {
  form: string;
  /** parted as the items of a list or the cells of a row may be */
  listed: boolean;
}

const LISTED = /[,;|/]|\d[^\S\n]+\d/;

/** The row of single digits and letters that starts at `start`, and where it ends; undefined: there is none. */
export function spreadAt(text: string, start: number): { end: number; number: SpreadNumber | undefined } | undefined {
  SPREAD.lastIndex = start;
  if (!SPREAD.test(text)) return undefined;
  const end = SPREAD.lastIndex;
  const from = beginOf(text, start, end);
  const form = text.slice(from, end).replace(/[^\dA-Za-z]/g, '');
  return {
    end,
    number: isNumber(form) ? { start: from, end, form, listed: LISTED.test(text.slice(from, end)) } : undefined,
  };
}

/** An IBAN begins with letters; what else begins with one has a word of one letter before it. */
function beginOf(text: string, start: number, end: number): number {
  const before = COUNTRY_BEFORE.exec(text.slice(Math.max(0, start - LONGEST_BEFORE), start));
  if (before) return start - before[0].length;
  const country = /^[A-Za-z][^\dA-Za-z]{1,3}[A-Za-z][^\dA-Za-z]{1,3}\d/.test(text.slice(start, start + 9));
  return country ? start : start + text.slice(start, end).search(/\d/);
}

function isNumber(form: string): boolean {
  const digits = form.replace(/\D/g, '');
  return (
    form.length <= MOST && digits.length >= FEWEST && new Set(digits).size >= FEWEST_DIFFERENT && !isSequence(digits)
  );
}
