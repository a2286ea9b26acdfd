/**
 * What a model scores by itself: a sentence of prose, a line of code or of a log, a quotation, a value, a cell, the text of an element of
 * markup, and a clause of a long sentence. What is hidden among others then counts by its own words.
 *
 * A short text is one, unless it has such structure or lines: what is short says what it means by all of its words.
 */
import { pageAt, readPage, units } from './page.js';
import { endsAt, isWideEnd, WIDE_ENDS } from './sentences.js';

/** Up to this length a text is short. */
export const WHOLE = 160;
/** Units that a segment has at least, so that what abbreviations and numbers of lists end is read with what follows. */
const LEAST = 12;
/** The same where data or a line end it. */
const LEAST_OF_DATA = 6;
/** The same of a label: `text: `. */
const LEAST_OF_LABEL = 4;
/** Units of a segment from which on a clause ends it. */
const CLAUSE = 80;
/** Units that a segment has at most. */
export const LONGEST_SEGMENT = 160;
/** Units that one without an end is shortened by at most, to be cut between words. */
const SLACK = 40;
/** A quotation of fewer units within a sentence is read with what is around it. */
const QUOTED = 20;
/** The same of a value: `class="c"`. */
const LEAST_OF_VALUE = 8;
/** Signs around a quotation that are looked at: a text of nothing else takes no longer. */
const FEW = 8;
/** Longest entity of HTML, such as `&rsquo;`. */
const LONGEST_ENTITY = 8;

const [TAB, NEWLINE, SPACE, QUOTE, APOSTROPHE, OPEN, CLOSE, COMMA, DASH] = [9, 10, 32, 34, 39, 40, 41, 44, 45] as const;
const [COLON, SEMICOLON, LESS, EQUALS, GREATER, BACKSLASH, CLOSE_SQUARE, BAR] = [
  58, 59, 60, 61, 62, 92, 93, 124,
] as const;
const [HASH, AMPERSAND] = [35, 38] as const;

/** By unit: whether it may end a segment, as a sign of data, of prose, as the second of two spaces, or as one beyond ASCII. */
const MAY_END = new Uint8Array(65536);
const [DATA, PROSE, BLANK, WIDE] = [1, 2, 4, 8] as const;
for (const char of '\t"\'<>]\\') MAY_END[char.charCodeAt(0)] = DATA;
for (const char of '\n.!?,;:|()-') MAY_END[char.charCodeAt(0)] = PROSE;
for (const char of `${WIDE_ENDS}–—`) MAY_END[char.charCodeAt(0)] = WIDE;
MAY_END[SPACE] = BLANK;

const setOf = (chars: string): Uint8Array => {
  const set = new Uint8Array(256);
  for (const char of chars) set[char.charCodeAt(0)] = 1;
  return set;
};
const has = (set: Uint8Array, unit: number): boolean => unit < 256 && set[unit] === 1;
/** Before a quotation that is a value. */
const BEFORE_VALUE = setOf('=([{,:');
/** Behind one. */
const BEHIND_VALUE = setOf(',:;)]}');
/** A quotation ends with its last sentence. */
const SENTENCE_END = setOf('.!?');
/** What may stand before a quotation in its segment. */
const BEFORE_QUOTATION = setOf(' :,\\');
/** What may stand behind it there. */
const BEHIND_QUOTATION = setOf(' ,:;)');
/** A short text that ends where a long one does: it begins as data, or has attributes, objects, calls, elements, names of logs or columns. */
const OF_DATA = /^(?:[{[<]|\d{2,}[-,;:.\t])|[={[]"|":|\);|\{ |<\/|\/>|\]: |\t/;

/** Whether a text is short and has lines, but no such structure. Each line may say something, and so may all together. */
export const isOfLines = (text: string): boolean => text.length <= WHOLE && text.includes('\n') && !OF_DATA.test(text);

/**
 * Behind the last unit of the segment of `text` that begins at `from`. Reads the page there. `isSame`: no other text was read since this one.
 */
export function endOfSegment(text: string, from: number, isSame = false): number {
  const limit = Math.min(text.length, from + LONGEST_SEGMENT);
  readPage(text, from, limit, isSame);
  if (text.length <= WHOLE && !text.includes('\n') && !OF_DATA.test(text)) return text.length;
  const [first, end] = [from - pageAt, limit - pageAt];
  /** where the tag begins that is not closed */
  let tag = -1;
  for (let i = first; i < first + LEAST_OF_LABEL && i < end; i++) {
    if (units[i] === LESS) tag = pageAt + i;
    else if (units[i] === NEWLINE && i > first && isBeforeEmpty(text, pageAt + i)) return pageAt + i + 1;
  }
  // What stands outside is loaded anew for each unit, and there is no call between those that end nothing.
  const [from16, mayEnd] = [units, MAY_END];
  let last = 0;
  for (let i = first + LEAST_OF_LABEL; i < end; i++) {
    let kind = mayEnd[from16[i]!]!;
    // A space between two words goes the way of a letter.
    while (((kind & ~BLANK) | (kind & last)) === 0) {
      last = kind;
      if (++i === end) break;
      kind = mayEnd[from16[i]!]!;
    }
    if (i === end) break;
    last = kind;
    const to = endAt(text, from, pageAt + i, tag);
    if (to > from) return Math.min(limit, to);
    const unit = units[i]!;
    if (unit === LESS) tag = pageAt + i;
    else if (unit === GREATER) tag = -1;
  }
  if (limit === text.length) return limit;
  for (let i = end; i > end - SLACK; i--) if (units[i]! <= SPACE) return pageAt + i;
  return limit;
}

/** Where a segment ends at a sign that may end it; 0: it does not. */
function endAt(text: string, from: number, at: number, tag: number): number {
  const unit = text.charCodeAt(at);
  const kind = MAY_END[unit];
  const least = unit === COLON ? LEAST_OF_LABEL : kind === DATA || unit === NEWLINE ? LEAST_OF_DATA : LEAST;
  if (at < from + least && !(unit === NEWLINE && isBeforeEmpty(text, at))) return 0;
  if (kind === DATA) return endOfData(text, from, at, tag);
  if (kind !== WIDE) return endOfProse(text, from, at, unit);
  if (isWideEnd(unit)) return at + 1;
  return isApart(text, from, at) ? at - 1 : 0;
}

/** Whether a line that says something ends at `at`, and the next is empty. */
const isBeforeEmpty = (text: string, at: number): boolean =>
  text.charCodeAt(at - 1) > SPACE && text.charCodeAt(at + 1) === NEWLINE;

/** Whether a dash at `at` stands between spaces, and is none of a list. */
const isApart = (text: string, from: number, at: number): boolean =>
  at > from + LEAST &&
  text.charCodeAt(at - 1) === SPACE &&
  text.charCodeAt(at - 2) !== NEWLINE &&
  text.charCodeAt(at + 1) <= DASH;

/** Where a segment ends at a sign of data; 0: it does not. */
function endOfData(text: string, from: number, at: number, tag: number): number {
  const before = text.charCodeAt(at - 1);
  const next = text.charCodeAt(at + 1);
  switch (text.charCodeAt(at)) {
    case TAB:
      return at + 1;
    case LESS:
      return isBlock(text, at) ? at : 0;
    case GREATER:
      return tag >= 0 && isBlock(text, tag) ? at + 1 : 0;
    case CLOSE_SQUARE:
      return next === COLON ? at + 2 : 0;
    case BACKSLASH:
      return next === 110 && before !== BACKSLASH ? at + 2 : 0;
    default:
      return endOfQuotation(text, from, at);
  }
}

/** A quotation ends where it opens, as a segment before it, and where it closes. Its sign may be escaped. */
function endOfQuotation(text: string, from: number, at: number): number {
  const sign = text.charCodeAt(at);
  let open = at;
  while (open > at - FEW && text.charCodeAt(open - 1) === BACKSLASH) open--;
  const before = text.charCodeAt(open - 1);
  const next = text.charCodeAt(at + 1);
  if (has(BEFORE_VALUE, before)) return isLong(text, at, sign, LEAST_OF_VALUE) ? open : 0;
  if (before === SPACE) {
    const sooner = text.charCodeAt(open - 2);
    const isValue = sooner === EQUALS || sooner === COLON || (sign === APOSTROPHE && sooner === COMMA);
    if (isValue) return isLong(text, at, sign, LEAST_OF_VALUE) ? open : 0;
    return sign === QUOTE && next > SPACE && isLong(text, at, sign, QUOTED) ? open : 0;
  }
  if (sign === QUOTE && (has(BEHIND_VALUE, next) || (next <= SPACE && has(SENTENCE_END, before)))) return at + 1;
  // What began as a quotation ends with it.
  let first = from;
  while (first < from + FEW && has(BEFORE_QUOTATION, text.charCodeAt(first))) first++;
  if (text.charCodeAt(first) !== sign || first >= at) return 0;
  return has(BEHIND_VALUE, next) || next === GREATER || (sign === QUOTE && next <= SPACE) ? at + 1 : 0;
}

/** Whether a quotation that opens at `at` has so many units. A sign that stands twice is a part of it, as in SQL. */
function isLong(text: string, at: number, sign: number, units: number): boolean {
  const to = at + units;
  if (to >= text.length) return false;
  for (let i = at + 1; i < to; i++) {
    if (text.charCodeAt(i) !== sign) continue;
    if (text.charCodeAt(i + 1) !== sign) return false;
    i++;
  }
  return true;
}

/** Elements that stand within a sentence. */
const INLINE = /^<\/?(?:a|b|i|u|s|q|em|strong|mark|small|sub|sup|code|kbd)[\s/>]/i;
/** Whether a tag begins that no sentence goes on behind. */
function isBlock(text: string, at: number): boolean {
  const next = text.charCodeAt(at + 1);
  if (next !== 33 && next !== 47 && !((next | 32) >= 97 && (next | 32) <= 122)) return false;
  return !INLINE.test(text.slice(at, at + 9));
}

/** Whether an entity ends at `at`. */
function isEntity(text: string, at: number): boolean {
  for (let i = at - 1; i > at - LONGEST_ENTITY; i--) {
    const unit = text.charCodeAt(i);
    if (unit === AMPERSAND) return true;
    if (!(unit >= 48)) return unit === HASH && text.charCodeAt(i - 1) === AMPERSAND;
  }
  return false;
}

/** One word at the beginning of a segment or of its last line, such as `text` and `- bob`. */
const LABEL = /(?:^|\n)[ \-*]*\S+$/;

function endOfProse(text: string, from: number, at: number, unit: number): number {
  const next = text.charCodeAt(at + 1);
  const long = at - from >= CLAUSE;
  switch (unit) {
    case COLON:
      return next === SPACE && (at >= from + LEAST || LABEL.test(text.slice(from, at))) ? at + 1 : 0;
    case SEMICOLON:
      return isEntity(text, at) ? 0 : at + 1;
    case BAR:
      return at + 1;
    case COMMA:
      if (next <= SPACE) return long ? at + 1 : 0;
      return next < 48 || next > 57 ? at + 1 : 0;
    case OPEN:
      return long && text.charCodeAt(at - 1) === SPACE ? at : 0;
    case CLOSE:
      return long && next === SPACE ? at + 1 : 0;
    case SPACE:
      // Columns.
      return at > from + LEAST && text.charCodeAt(at - 2) > SPACE ? at : 0;
    case DASH:
      return isApart(text, from, at) ? at - 1 : 0;
    default:
      return endsAt(text, at, unit) ? at + 1 : 0;
  }
}

/**
 * Where what is said in the segment of `text` from `from` to `to` begins and ends: without a tag before it, and without the quotes of a value that
 * it is all of, or the first or last part of. They say nothing of it, while those within a sentence do. Written into {@link said}.
 */
export function readSaid(text: string, from: number, to: number): void {
  said[0] = from;
  said[1] = to;
  if (text.length === to - from) return;
  let first = behindTag(text, from, to);
  said[0] = first;
  while (first < to && has(BEFORE_QUOTATION, text.charCodeAt(first))) first++;
  let last = to - 1;
  while (last > first && has(BEHIND_QUOTATION, text.charCodeAt(last))) last--;
  const [opens, closes] = [text.charCodeAt(first) === QUOTE, last > first && text.charCodeAt(last) === QUOTE];
  if (!opens && !closes) return;
  for (let i = first + 1; i < last; i++) if (text.charCodeAt(i) === QUOTE) return;
  if (opens) said[0] = first + 1;
  if (closes) said[1] = last;
}
export const said = new Int32Array(2);

/** Where what follows the tag begins that a segment begins with. */
function behindTag(text: string, from: number, to: number): number {
  if (text.charCodeAt(from) !== LESS || !isBlock(text, from)) return from;
  for (let at = from + 2; at < to - 1; at++) if (text.charCodeAt(at) === GREATER) return at + 1;
  return from;
}
