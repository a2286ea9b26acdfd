/** What the form of a number says by itself, and its check. */
import { isAsciiLetter } from '../../engine/probes/characters.js';
import { isOfRow } from './edges.js';
import type { PiiSpan } from './find.js';
import type { LayoutEnding, PiiLayout } from './layouts.js';

/** What is written: its letters and digits in capitals, and what stands between them. */
export interface WrittenNumber {
  id: string;
  separators: string;
  /** it has small letters */
  small: boolean;
  /** its separators differ */
  mixed: boolean;
}

export function writtenAs({ id, separators }: Pick<LayoutEnding, 'id' | 'separators'>): WrittenNumber {
  const small = hasSmall(id);
  return { id: small ? id.toUpperCase() : id, separators, small, mixed: isMixed(separators) };
}

const isMixed = (separators: string): boolean => {
  for (let i = 1; i < separators.length; i++) if (separators[i] !== separators[0]) return true;
  return false;
};

/** Whether `id` has a small letter of ASCII, and would change in capitals. */
function hasSmall(id: string): boolean {
  for (let i = 0; i < id.length; i++) {
    const unit = id.charCodeAt(i);
    if (unit >= 97 && unit <= 122) return true;
  }
  return false;
}

/** The score of an identifier by its form alone; 0: it is none. */
export function scoreOf(
  { recogniser, score }: PiiLayout,
  written: WrittenNumber,
  text: string,
  { start, end }: PiiSpan,
): number {
  const { id, separators, small } = written;
  const { separators: allowed = ' -.', mixed = false, check } = recogniser;
  if (written.mixed && !mixed) return 0;
  const different = written.mixed ? separators.length : Math.min(separators.length, 1);
  for (let i = 0; i < different; i++) if (!allowed.includes(separators[i]!)) return 0;
  const checked = check ? check(id, separators, check.length > 2 ? text.slice(start, end) : '') : true;
  if (checked === false) return 0;
  const own = checked === true ? score : checked;
  const whole = recogniser.plain && own > MOST_OF_ROW && isAnyNumber(written, text, { start, end }) ? MOST_OF_ROW : own;
  if (whole === 1 || recogniser.sure || !small) return whole;
  return isHash(text.slice(start, end)) ? Math.min(whole, MOST_OF_ROW) : whole * LOWER_CASE;
}

/** What a number scores at most that any counter, id or cell of a table may be: it needs words. */
const MOST_OF_ROW = 0.4;
/** Digits up to which groups with spaces say nothing: three columns of a table are as long. */
const FEW_DIGITS = 9;

/**
 * Whether digits with a check digit are as likely something else: a check of one digit passes one number in ten, so the way in which the
 * number is written must speak for it. Unbroken digits have none, and spaces part the numbers of a row as well.
 */
function isAnyNumber({ id, separators }: WrittenNumber, text: string, { start, end }: PiiSpan): boolean {
  if (isAsciiLetter(id.charCodeAt(0))) return false;
  if (separators === '') return true;
  if (separators[0] !== ' ') return false;
  return id.length <= FEW_DIGITS || isOfRow(text, start, end);
}

/** Hexadecimal digits in small letters, of which more than one is a letter. */
const isHash = (written: string): boolean => /^\d*[a-f][\da-f]*[a-f]\d*$/.test(written);

/** Identifiers are written in capitals. In small letters, a form is less likely to be one. */
const LOWER_CASE = 0.8;
