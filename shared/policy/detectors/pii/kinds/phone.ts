/**
 * Telephone numbers: international ones by the numbering plans of all regions (libphonenumber, all metadata), national ones by how they
 * are written. A national number could be one of many countries, so it scores low unless its form is distinct or words speak for it.
 */
import { isDigit, unitAt } from '../../../engine/probes/characters.js';
import type { LookSteps } from '../../../engine/steps.js';
import { followsCode } from '../called.js';
import { isSequence } from '../checks.js';
import { type Contexts, isCalledElse, lowered, mayRise, mayRiseWithin, partsCells } from '../context.js';
import { isOfRow, joinsAt, joinsBefore } from '../edges.js';
import { findOf, type PiiFind } from '../find.js';
import { isWideSpace } from '../stretch.js';
import { international, isNational, OF_COUNTRIES } from './dialled.js';
import { PHONE_WORDS } from './phone-words.js';

const MOST_DIGITS = 15;
const MOST_RUNS = 16;

/** What a separator is, as flags. */
const [SPACE, DASH, PARTS, OPENS, DOT] = [1, 2, 4, 8, 16] as const;

/** The digits that were read last, with the separators of telephone numbers. One look runs at a time, so they are made once. */
const read = {
  runs: 0,
  digits: new Uint8Array(2 * MOST_DIGITS + 2),
  /** By run: its size, its end, the digits up to there, and the flags of the separator behind it. */
  sizes: new Uint8Array(MOST_RUNS),
  ends: new Int32Array(MOST_RUNS),
  lengths: new Uint8Array(MOST_RUNS),
  separators: new Uint8Array(MOST_RUNS),
};

/** Reads digits from `at` on. A run of one digit behind longer ones ends it, unless that may be abroad. */
function readDigits(text: string, at: number, plus: boolean): void {
  const { digits, sizes, ends, lengths, separators } = read;
  let [length, n] = [0, 0];
  for (let i = at; length <= MOST_DIGITS; ) {
    const from = i;
    for (let unit = unitAt(text, i); i - from <= MOST_DIGITS && isDigit(unit); unit = unitAt(text, ++i)) {
      digits[length++] = unit - 48;
    }
    if (i === from) break;
    sizes[n] = i - from;
    ends[n] = i;
    lengths[n] = length;
    const end = endOfSeparator(text, i);
    separators[n++] = end === i ? 0 : flagsOf(text, i, end);
    if (end === i || (n > 1 && i - from === 1 && n < length && !plus && !mayBeAbroad(length))) break;
    i = end;
  }
  read.runs = n;
}

/** Whether the first `length` of the digits that were read last may begin with 011, or with 00 and a calling code, which has no 0 first. */
function mayBeAbroad(length: number): boolean {
  const [first, second, third] = [read.digits[0]!, read.digits[1]!, read.digits[2]!];
  if (first !== 0 || second > 1) return false;
  return length < 3 || (second === 0 ? third !== 0 : third === 1);
}

/** End of the separator at `at`; `at`: there is none. */
function endOfSeparator(text: string, at: number): number {
  const unit = unitAt(text, at);
  let end = at + 1;
  if (unit === CLOSE) {
    if (unitAt(text, end) === 32) end++;
    if (unitAt(text, end) === 45) end++;
    return unitAt(text, end) === 32 ? end + 1 : end;
  }
  if (unit === OPEN) return end;
  if (!isBetween(unit)) return at;
  if (unit === 32 && unitAt(text, end + 1) === 32 && isDash(unitAt(text, end))) return end + 2;
  return unitAt(text, end) === OPEN ? end + 1 : end;
}

const [OPEN, CLOSE] = [40, 41] as const;
/** A hyphen or a slash, which may stand between spaces. */
const isDash = (unit: number): boolean => unit === 45 || unit === 47 || unit === 0x2013;

function isBetween(unit: number): boolean {
  if (unit < 128) return unit === 32 || (unit >= 45 && unit <= 47);
  return isWideSpace(unit) || (unit >= 0x2010 && unit <= 0x2013) || unit === 0x2212;
}

/** `PARTS`: a number may end before it, such as a space, also before or behind a parenthesis. */
function flagsOf(text: string, at: number, end: number): number {
  const unit = text.charCodeAt(at);
  const opens = text.charCodeAt(end - 1) === OPEN;
  const isSpaced = unit === 32 || isWideSpace(unit);
  const parts = isSpaced || (unit === CLOSE && end === at + 2 && text.charCodeAt(at + 1) === 32);
  return (
    (unit === 32 && end === at + 1 ? SPACE : 0) |
    ((unit === 45 || unit === 46 || unit === 0x2011) && end === at + 1 ? DASH : 0) |
    (unit === 46 && end === at + 1 ? DOT : 0) |
    (unit === 32 && end === at + 3 ? DASH : 0) |
    (parts ? PARTS : 0) |
    (opens ? OPENS : 0)
  );
}

/** The first `length` digits from digit `from` on. */
function digitsOf(length: number, from = 0): string {
  let digits = '';
  for (let i = from; i < length; i++) digits += read.digits[i];
  return digits;
}

const isNanpAt = (digits: Uint8Array, at: number): boolean =>
  digits[at]! >= 2 && digits[at + 3]! >= 2 && (digits[at + 1] !== 1 || digits[at + 2] !== 1);

const [COLON, HASH] = [58, 35] as const;
/** Behind `#`: red, green, blue and how much is seen through. */
const COLOUR = /^\d{8}(?!\d)/;
/** The sign of a currency, or a second plus. */
const isBare = (unit: number): boolean => unit === 36 || unit === 43 || unit === 0x20ac || unit === 0xa3;
const GLUE = Uint8Array.from({ length: 128 }, (_, unit) => Number('.-/#,_\\@'.includes(String.fromCharCode(unit))));
/** It joins a number to what stands before it. */
const isGlue = (unit: number): boolean => unit >= 0 && unit < 128 && GLUE[unit] === 1;

/** What stands before the first digits. */
interface Lead {
  start: number;
  plus: boolean;
  open: boolean;
}

function leadAt(text: string, at: number, contexts: Contexts): Lead | undefined {
  let start = at;
  let [plus, open] = [false, false];
  // A parenthesis that is closed behind the area code or the country code belongs to the number.
  let end = at;
  const isOpen = unitAt(text, at - 1) === OPEN;
  while (end - at < 6 && (isDigit(unitAt(text, end)) || (isOpen && unitAt(text, end) === 32))) end++;
  const closed = unitAt(text, end) === CLOSE;
  if (closed && isOpen) {
    open = true;
    start--;
    if (unitAt(text, start - 1) === 32 && unitAt(text, start - 2) === PLUS) start--;
  }
  if (unitAt(text, start - 1) === PLUS) {
    plus = true;
    start--;
    if (closed && unitAt(text, start - 1) === OPEN) start--;
  }
  // The rest of an international number is none by itself.
  if (!plus && followsCode(text, at)) return undefined;
  // "Tel(011)" is a word and an area code.
  if (!open && joinsBefore(text, start)) return undefined;
  const glue = unitAt(text, start - 1);
  const glued = isGlue(glue) && joinsAt(text, start - 2) && !partsCells(contexts, start - 1);
  if (!plus && (isBare(glue) || glued)) return undefined;
  if (glue === COLON && isDigit(unitAt(text, start - 2))) return undefined;
  if (glue === HASH && COLOUR.test(text.slice(at, at + 9))) return undefined;
  return { start, plus, open };
}

const [PLUS, ZERO, ONE] = [43, 48, 49] as const;

const EXTENSION = /(?:,? ?(?:ext(?:ension)?|durchwahl|poste|int)\.?:? ?| ?[x#] ?)\d{1,6}(?![\dA-Za-z])/iy;

const NONE: readonly PiiFind[] = [];

/** What a number is looked at in. */
export interface NumberSurroundings {
  text: string;
  contexts: Contexts;
  steps: LookSteps;
  /** finds that are not sure and score less are of no use */
  least: number;
}

/** Units of what belongs to a number before its first digits, and of a number with separators and an extension. */
const [LONGEST_LEAD, LONGEST] = [3, 4 * MOST_DIGITS + 24] as const;
/** The most that a number scores by its form where {@link mayBeStrong} is false. */
const MOST_WEAK = 0.4;

/**
 * Whether a number whose digits start at `at` may score more than {@link MOST_WEAK} by its form: an international one, one in the way of
 * North America, or one with a parenthesis. Most groups of a table are none of these.
 */
function mayBeStrong(text: string, at: number): boolean {
  const before = unitAt(text, at - 1);
  const first = text.charCodeAt(at);
  if (before === PLUS || before === OPEN || first === ZERO) return true;
  if (digitsAt(text, at) === 3) return true;
  if (first !== ONE || digitsAt(text, at) > 1) return false;
  const next = endOfSeparator(text, at + 1);
  return next > at + 1 && digitsAt(text, next) === 3;
}

/** How many digits stand side by side from `at` on, counted up to four. */
function digitsAt(text: string, at: number): number {
  let end = at;
  while (end - at < 4 && isDigit(unitAt(text, end))) end++;
  return end - at;
}

/**
 * `at` is where the first digits start; a plus or a parenthesis before them belongs to the number. Of the numbers that begin there, the
 * longest one counts.
 */
export function findPhones(at: number, around: NumberSurroundings): readonly PiiFind[] {
  const { text, steps, contexts, least } = around;
  const isWeak = least > MOST_WEAK && !mayBeStrong(text, at);
  if (isWeak && !mayRiseWithin(contexts, Math.max(0, at - LONGEST_LEAD), at, at + LONGEST)) return NONE;
  const lead = leadAt(text, at, contexts);
  if (!lead) return NONE;
  readDigits(text, at, lead.plus);
  const { lengths, ends, separators } = read;
  const last = read.runs - 1;
  for (let n = last; n >= 0 && lengths[n]! >= 7; n--) {
    if (lengths[n]! > MOST_DIGITS || (n < last && (separators[n]! & PARTS) === 0)) continue;
    if (!endsPhone(text, ends[n]!)) continue;
    const mayBeDecimal = !lead.plus && !lead.open && hasDecimal(n);
    if (mayBeDecimal && !(isOfAmerica(n) && !isOfRow(text, lead.start, ends[n]!))) continue;
    const own = lead.plus ? (isPlace(n) ? 0 : international(withoutTrunk(n), steps)) : national(n, lead.open, steps);
    const spaced = own === 0.5 && read.digits[0] !== 0 && (separators[0]! & SPACE) !== 0;
    const score = spaced && isOfRow(text, lead.start, ends[n]!) ? MOST_WEAK : own;
    if (score > 0) return areKeys(n) ? NONE : numbersOf(n, score, lead, around);
  }
  return NONE;
}

/**
 * Whether two runs up to run `last` are a decimal: with one dot between them and none beside them, behind a single 0, or among numbers with
 * spaces between them. An area code with its 0 may stand before one that is parted by a dot, as in "030 901.820".
 */
function hasDecimal(last: number): boolean {
  const { digits, sizes, lengths, separators } = read;
  let isSpaced = false;
  for (let n = 0; n < last; n++) isSpaced ||= (separators[n]! & SPACE) !== 0;
  const isRow = isSpaced && !(digits[0] === 0 && sizes[0]! > 2);
  for (let n = 0; n < last; n++) {
    const isDecimal =
      (separators[n]! & DOT) !== 0 &&
      (n === 0 || (separators[n - 1]! & DOT) === 0) &&
      (n + 1 === last || (separators[n + 1]! & DOT) === 0);
    if (isDecimal && (isRow || (sizes[n] === 1 && digits[lengths[n]! - 1] === 0))) return true;
  }
  return false;
}

/** Whether the runs are as long as those of "212 555.0199". */
const isOfAmerica = (last: number): boolean =>
  last === 2 && read.sizes[0] === 3 && read.sizes[1] === 3 && read.sizes[2] === 4;

function endsPhone(text: string, end: number): boolean {
  if (joinsAt(text, end)) return /^ ?x\d/i.test(text.slice(end, end + 3));
  const next = unitAt(text, end);
  if (next < 0 || next === 32) return true;
  const joins = next === 45 || next === 64 || next === 47 || next === PLUS || next === 58 || next === 95;
  if (joins || (next >= 0x2010 && next <= 0x2013)) return !joinsAt(text, end + 1);
  return next !== 46 || !isDigit(unitAt(text, end + 1));
}

/** Score of what is called something else. */
const MOST_ELSE = 0.3;

/** The number up to run `last`, as what it is. */
function numbersOf(
  last: number,
  score: number,
  lead: Lead,
  { text, contexts, steps, least }: NumberSurroundings,
): readonly PiiFind[] {
  let end = read.ends[last]!;
  const { start } = lead;
  EXTENSION.lastIndex = end;
  const extension = EXTENSION.exec(text);
  if (extension) end += extension[0].length;
  if (Math.max(score, isAbroad(lead) ? ABROAD : MOST_NATIONAL) < least && !mayRise(contexts, { start, end }))
    return NONE;
  const entities = [['PHONE_NUMBER', score] as const, ...ofCountries(last, lead)];
  const isElse = !lead.plus && isCalledElse(contexts, { start, end });
  let first = 1;
  return entities.map(([entity, own]) => {
    const whole = isElse ? Math.min(own, MOST_ELSE) : lowered(contexts, own, PHONE_WORDS, { start, end });
    // A number without the code of a country is as likely one of another.
    const judged = lead.plus ? whole : Math.min(whole, first);
    if (entity === 'PHONE_NUMBER') first = judged;
    // Words make a number of a form that many have a telephone number only if some region has it.
    const plain = own < 0.5 && judged > own && !isNational(digitsOf(read.lengths[last]!), steps);
    const find = findOf(entity, { start, end }, plain ? own : judged);
    find.spoken = find.score > own;
    return find;
  });
}

/** The digits up to run `last`. "+44 (0)20 7946 0958": the zero in parentheses is not dialled. */
function withoutTrunk(last: number): string {
  const { digits, sizes, lengths, separators } = read;
  const length = lengths[last]!;
  for (let n = 0; n < last; n++) {
    if ((separators[n]! & OPENS) === 0) continue;
    const trunk = lengths[n]!;
    return sizes[n + 1] === 1 && digits[trunk] === 0 ? digitsOf(trunk) + digitsOf(length, trunk + 1) : digitsOf(length);
  }
  return digitsOf(length);
}

/** Whether the runs up to run `last` are the keys of a telephone: 1 2 3 4 5 6 7 8 9. */
const areKeys = (last: number): boolean => read.lengths[last] === last + 1 && isSequence(digitsOf(last + 1));

/** "252.227-7013" is a clause of a regulation. */
const isClause = (): boolean => (read.separators[0]! & DOT) !== 0 && (read.separators[1]! & DOT) === 0;
const isSpaced = (): boolean => (read.separators[0]! & read.separators[1]! & SPACE) !== 0;

/** Whether the runs up to run `last` have four digits each, as the digits of a dump or of code points do. */
const areFours = (last: number): boolean => read.sizes.subarray(0, last + 1).every((size) => size === 4);

/** `+4439-06336`, `+624900-0920459`: latitude and longitude (ISO 6709). */
const isPlace = (last: number): boolean =>
  last === 1 &&
  (read.sizes[0] === 4 || read.sizes[0] === 6) &&
  read.sizes[1] === read.sizes[0]! + 1 &&
  read.digits[read.sizes[0]!]! < 2;

/** `last`: the number ends with this run. */
function national(last: number, open: boolean, steps: LookSteps): number {
  const { digits, sizes, lengths, separators } = read;
  const length = lengths[last]!;
  // Digit by digit, it says no more than in one run.
  const runs = length === last + 1 ? 1 : last + 1;
  if (length === 10 && isNanpAt(digits, 0)) {
    if (runs === 3 && sizes[0] === 3 && sizes[1] === 3)
      return open ? 0.7 : isClause() ? MOST_WEAK : isSpaced() ? (areRound(digits) ? 0.3 : 0.5) : 0.6;
    if (runs === 1) return 0.25;
    if (runs === 2 && sizes[0] === 3) return open ? 0.5 : 0.3;
  }
  if (length === 11 && digits[0] === 1 && isNanpAt(digits, 1)) {
    if (runs === 4 && sizes[0] === 1 && sizes[1] === 3 && sizes[2] === 3) return 0.6;
    if (runs === 1 || (runs === 2 && sizes[0] === 1)) return 0.25;
  }
  // "0 0 400 1193" are four numbers.
  if (digits[0] === 0 && digits[1] === 0 && sizes[0] === 1 && runs > 1) return 0;
  if (digits[0] === 0 && digits[1] === 0 && length >= 10)
    // No calling code begins with 0.
    return digits[2] === 0 || international(digitsOf(length, 2), steps) === 0
      ? 0
      : runs > 1 && !areFours(last)
        ? 0.5
        : MOST_WEAK;
  const abroad = digits[0] === 0 && digits[1] === 1 && digits[2] === 1 && length >= 12 && runs > 1;
  if (abroad && international(digitsOf(length, 3), steps) > 0.5) return 0.5;
  if (runs === 2 && sizes[0] === 3 && length === 7 && digits[0]! >= 2 && (separators[0]! & DASH) !== 0) return 0.15;
  return Math.max(ofAnyRegion(runs - 1, length), open && isAreaInBrackets(last) ? 0.5 : 0);
}

/** Whether the first of two or three runs is as long as an area code and the others as what follows one, as in `(11) 91234-5678`. */
function isAreaInBrackets(last: number): boolean {
  const { digits, sizes, lengths } = read;
  const area = sizes[0]!;
  const rest = lengths[last]! - area;
  if (last < 1 || last > 2 || area < 2 || area > 4 || rest < 7 || rest > 9 || sizes[last]! < 4) return false;
  return area === 2 || digits[0] === 0;
}

/** Whether the area and the exchange end with 0, as numbers of a list do, and one in a hundred telephone numbers. */
const areRound = (digits: Uint8Array): boolean => digits[2] === 0 && digits[5] === 0;

/** "1933-1945" */
const DAY = /^(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:[0-2]\d|3[01])$/;
const YEARS = /^1\d{3}(?:1\d|20)\d\d$|^20\d\d20\d\d$/;

function ofAnyRegion(last: number, length = read.lengths[last]!): number {
  const { digits, sizes } = read;
  const trunk = digits[0] === 0 && digits[1] !== 0;
  if (length < (trunk ? 9 : 8) || length > 12) return 0;
  if (last === 0) return trunk ? 0.25 : length === 8 && DAY.test(digitsOf(length)) ? 0 : 0.1;
  // Of Russia and its neighbours, which dial 8 first.
  const eight = sizes[0] === 1 && digits[0] === 8 && length === 11;
  if (last > 5 || (sizes[0]! < 2 && !trunk && !eight)) return 0;
  for (let n = 1; n <= last; n++) if (sizes[n]! < 2) return 0;
  if (last === 1 && sizes[0] === 4 && YEARS.test(digitsOf(length))) return 0;
  return trunk ? 0.4 : 0.2;
}

/** Scores of the number of a country: with the code of the country, and at most without it. */
const [ABROAD, MOST_NATIONAL] = [0.75, 0.4] as const;

/** Whether a code of a country comes first. */
const isAbroad = ({ plus }: Lead): boolean => plus || (read.digits[0] === 0 && read.digits[1] === 0);

function ofCountries(last: number, lead: Lead): (readonly [string, number])[] {
  const found: (readonly [string, number])[] = [];
  const length = read.lengths[last]!;
  const abroad = isAbroad(lead);
  const digits = lead.plus ? withoutTrunk(last) : digitsOf(length, abroad ? 2 : 0);
  for (const { entity, code, pattern, bare } of OF_COUNTRIES) {
    if (abroad) {
      if (digits.startsWith(code) && pattern.test(digits.slice(code.length))) found.push([entity, ABROAD]);
    } else if (digits[0] === '0') {
      if (pattern.test(digits.slice(1))) found.push([entity, last > 0 ? MOST_NATIONAL : 0.3]);
    } else if (bare > 0 && pattern.test(digits)) found.push([entity, bare]);
  }
  return found;
}
