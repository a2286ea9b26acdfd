/** Telephone numbers: international (E.164), North American, and national ones with a leading zero. */
import { isDigit, isWordAt } from '../../engine/probes/characters.js';
import type { Find } from '../../engine/probes/probe.js';
import { findCard, findIban } from './numbers.js';

const WORDS =
  /\b(?:phone|tel|telephone|telefon|call|calls|mobile|cell|cellphone|fax|whatsapp|sms|dial|handy|number)\b/i;
const CONTEXT_BEFORE = 40;
const CONTEXT_SCORE = 0.35;

/** Country calling codes of one and two digits; all others have three (ITU-T E.164). */
const SHORT_CODES = new Set(
  (
    '1 7 20 27 30 31 32 33 34 36 39 40 41 43 44 45 46 47 48 49 51 52 53 54 55 56 57 58 60 61 62 63 64 65 66 81 82 84 86 ' +
    '90 91 92 93 94 95 98'
  ).split(' '),
);
const LONG_CODE = /^(?:2[1-689]\d|3[578]\d|42[013]|5[09]\d|6[789]\d|8[05-8]\d|9[67]\d|99[2-68])$/;

interface Digits {
  /** digits alone */
  digits: string;
  /** sizes of the runs */
  sizes: number[];
  /** separators as written */
  separators: string[];
  end: number;
}

/** Digits from `at` with the separators of telephone numbers; at most 15 digits. */
function digitsAt(text: string, at: number): Digits {
  const read: Digits = { digits: '', sizes: [], separators: [], end: at };
  let i = at;
  while (read.digits.length <= 15) {
    const from = i;
    while (i - from <= 15 && isDigit(text.charCodeAt(i))) i++;
    if (i === from) break;
    read.sizes.push(i - from);
    read.digits += text.slice(from, i);
    read.end = i;
    const separator = /^(?:\) ?|[ .\-/\u00a0\u2010-\u2013]\(?|\()/.exec(text.slice(i, i + 2))?.[0];
    if (!separator) break;
    read.separators.push(separator);
    i += separator.length;
  }
  return read;
}

function isNanp(digits: string): boolean {
  return /^[2-9]\d\d[2-9]\d{6}$/.test(digits) && !/^[2-9]11/.test(digits);
}

function isE164(digits: string): boolean {
  if (digits.length < 8 || digits.length > 15) return false;
  if (digits[0] === '1') return digits.length === 11 && isNanp(digits.slice(1));
  if (digits[0] === '7') return digits.length === 11;
  return SHORT_CODES.has(digits.slice(0, 2)) || LONG_CODE.test(digits.slice(0, 3));
}

/** `at` is where the first digits start; a plus or a parenthesis before them belongs to the number. */
export function findPhone(text: string, at: number): Find | undefined {
  const before = text[at - 1] ?? '';
  const open = before === '(';
  const plus = before === '+' || (open && text[at - 2] === '+');
  const start = plus ? at - (open ? 2 : 1) : open ? at - 1 : at;
  if (isWordAt(text, start - 1) || isDigit(text.charCodeAt(at - 1))) return undefined;
  const glue = text[start - 1] ?? '';
  if (!plus && /[.\-/+#$€£:,_=]/.test(glue) && isWordAt(text, start - 2) && glue !== ':' && glue !== '=')
    return undefined;
  const read = digitsAt(text, at);
  if (isWordAt(text, read.end)) return undefined;
  const score = plus ? international(read) : national(read, open);
  if (score === 0 || isPartOf(findIban, LONGEST_IBAN, text, { start, end: read.end })) return undefined;
  if (isPartOf(findCard, LONGEST_CARD, text, { start, end: read.end })) return undefined;
  const named = WORDS.test(text.slice(Math.max(0, start - CONTEXT_BEFORE), start));
  return { start, end: read.end, score: Math.min(1, score + (named ? CONTEXT_SCORE : 0)) };
}

/** With a gap before each group of four, and before each digit of a card. */
const LONGEST_IBAN = 34 + 8;
const LONGEST_CARD = 2 * 19;

/** Whether a longer number with a checksum covers all of it. Then it is no telephone number: each number is found once. */
function isPartOf(
  look: (text: string, at: number) => Find | undefined,
  longest: number,
  text: string,
  { start, end }: Pick<Find, 'start' | 'end'>,
): boolean {
  for (let at = start; at >= 0 && end - at <= longest; at--) {
    if (!isDigit(text.charCodeAt(at)) || isDigit(text.charCodeAt(at - 1))) continue;
    const found = look(text, at);
    if (found && found.start <= start && found.end >= end) return true;
  }
  return false;
}

function international(read: Digits): number {
  // "+44 (0)20 7946 0958": the zero in parentheses is not dialled.
  const trunk = read.separators.findIndex((separator) => separator.endsWith('('));
  const digits = trunk >= 0 && read.sizes[trunk + 1] === 1 ? withoutTrunk(read, trunk) : read.digits;
  return isE164(digits) ? 0.75 : 0;
}

function withoutTrunk(read: Digits, trunk: number): string {
  const before = read.sizes.slice(0, trunk + 1).reduce((sum, size) => sum + size, 0);
  return read.digits[before] === '0' ? read.digits.slice(0, before) + read.digits.slice(before + 1) : read.digits;
}

function national(read: Digits, open: boolean): number {
  const { digits, sizes } = read;
  const shape = sizes.join('-');
  if (digits.length === 10 && isNanp(digits)) {
    if (shape === '3-3-4') return open ? 0.7 : 0.5;
    return shape === '10' ? 0.25 : 0;
  }
  if (digits.length === 11 && digits[0] === '1' && isNanp(digits.slice(1))) {
    if (shape === '1-3-3-4') return 0.6;
    return shape === '11' ? 0.25 : 0;
  }
  if (digits.startsWith('00') && isE164(digits.slice(2))) return 0.5;
  const grouped = sizes.length > 1 && sizes.length <= 5 && sizes[0]! >= 2;
  if (digits[0] === '0' && digits[1] !== '0' && digits.length >= 9 && digits.length <= 12) return grouped ? 0.4 : 0.25;
  return 0;
}
