/**
 * The bytes of JSON that is walked over: space, strings, numbers and words in them, and what they say. Objects and arrays are those of
 * `walk.ts`.
 */
import { isAscii } from 'node:buffer';
import { compact } from '../../json.js';
import { LIMITS } from '../limits.js';

const TAB = 9;
const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const SPACE = 32;
export const QUOTE = 34;
const PLUS = 43;
const MINUS = 45;
const POINT = 46;
const ZERO = 48;
const NINE = 57;
export const OPEN_ARRAY = 91;
export const BACKSLASH = 92;
const SMALL_E = 101;
const SMALL_U = 117;
export const OPEN_OBJECT = 123;

/** In place of a position: the walk has stopped. */
export const STOPPED = -1;
const NO_BYTES: Buffer = Buffer.alloc(0);

/** what is being walked over */
export let bytes = NO_BYTES;
/** position of a backslash; the strings read so far have none behind it */
let slash = STOPPED;
/** the first backslash behind the start of the value that was passed last */
let firstSlash = STOPPED;
/** space was passed since this was last set to false */
let spaced = false;
/** the same as characters of a byte each, and whether these say what the bytes say; undefined: that was not asked yet */
let written: string | undefined;
let ascii: boolean | undefined;

/** there are control characters in the body: each string is looked at for them */
export let controls = false;

/** Begins with `body`, which is UTF-8. `strict`: strings that have control characters are not JSON. */
export function begin(body: Buffer, strict: boolean): void {
  bytes = body;
  controls = strict && hasControls(body);
  slash = STOPPED;
  written = undefined;
  ascii = undefined;
}

/** Lets go of it. */
export function letGo(): void {
  bytes = NO_BYTES;
  controls = false;
  written = undefined;
}

/** Begins with a value at `at` that {@link readString} or {@link readSource} may be asked for. */
export function beginValue(at: number): void {
  if (slash < at) slash = slashFrom(at);
  firstSlash = slash;
  spaced = false;
}

/** Of the bytes below 128, those below 32 borrow their highest bit when 32 is taken from each. */
const borrowedOf = (word: number): number => (word - 0x20202020) & ~word;

/** Whether there are control characters: strings must not have them; elsewhere they are line breaks of JSON that people read. */
function hasControls(body: Buffer): boolean {
  const { buffer, byteOffset, length } = body;
  // Words begin at every fourth byte of the memory; a body need not.
  const from = Math.min(length, -byteOffset & 3);
  const words = new Uint32Array(buffer, (byteOffset + from) & ~3, (length - from) >> 2);
  const { length: count } = words;
  let borrowed = 0;
  let i = 0;
  // Four at a time take half of the time.
  for (; i + 3 < count; i += 4)
    borrowed |=
      borrowedOf(words[i]!) | borrowedOf(words[i + 1]!) | borrowedOf(words[i + 2]!) | borrowedOf(words[i + 3]!);
  for (; i < count; i++) borrowed |= borrowedOf(words[i]!);
  if ((borrowed & 0x80808080) !== 0) return true;
  for (i = 0; i < from; i++) if (body[i]! < SPACE) return true;
  for (i = from + 4 * count; i < length; i++) if (body[i]! < SPACE) return true;
  return false;
}

/** The byte at `at`; undefined behind the end. */
export const byteAt = (at: number): number | undefined => bytes[at];

/** The bytes of a word as it stands in JSON. */
export const quoted = (word: string): Uint8Array => Uint8Array.from(Buffer.from(`"${word}"`));

/** Whether these bytes stand at `at`. */
export function isAt(codes: Uint8Array, at: number): boolean {
  const read = bytes;
  for (let i = 0; i < codes.length; i++) if (read[at + i] !== codes[i]) return false;
  return true;
}

/** Position of the first byte from `at` on that is not in `set`, which has a 1 for each byte in it. */
export function spanEnd(set: Uint8Array, at: number): number {
  const read = bytes;
  while (set[read[at]!] === 1) at++;
  return at;
}

export function isBegunAt(codes: Uint8Array, at: number, length: number): boolean {
  const read = bytes;
  for (let i = 0; i < length; i++) if (read[at + i] !== codes[i]) return false;
  return true;
}

export function afterSpace(at: number): number {
  // Nearly every byte of JSON is above the space: one comparison is enough for most. Behind the end there is none.
  if (!(bytes[at]! <= SPACE)) return at;
  spaced = true;
  while (isSpace(bytes[at])) at++;
  return at;
}

const isSpace = (byte: number | undefined): boolean =>
  byte === SPACE || byte === LINE_FEED || byte === CARRIAGE_RETURN || byte === TAB;

const SIMPLE_ESCAPES: ReadonlySet<number | undefined> = new Set(Buffer.from('"\\/bfnrt'));
const HEX = Uint8Array.from({ length: 256 }, (_, byte) => (/[0-9a-fA-F]/.test(String.fromCharCode(byte)) ? 1 : 0));

/** Bytes that are looked at one by one: most strings are names, and end within them. Searching costs more than that at first. */
const SHORT = 16;

function quoteFrom(at: number): number {
  const read = bytes;
  for (let i = at; i < at + SHORT; i++) if (read[i] === QUOTE) return i;
  return read.indexOf(QUOTE, at + SHORT);
}

/** Position of the quote at the end of the string whose first character is at `at`. */
export function stringEnd(at: number): number {
  let quote = quoteFrom(at);
  if (slash < at) slash = slashFrom(at);
  while (slash < quote) {
    const sign = bytes[slash + 1];
    if (sign === SMALL_U ? spanEnd(HEX, slash + 2) < slash + 6 : !SIMPLE_ESCAPES.has(sign)) return STOPPED;
    const next = slash + 2;
    if (quote < next) quote = quoteFrom(next);
    slash = slashFrom(next);
  }
  return controls && quote >= 0 && hasControl(at, quote) ? STOPPED : quote;
}

export function hasControl(start: number, end: number): boolean {
  const read = bytes;
  for (let i = start; i < end; i++) if (read[i]! < SPACE) return true;
  return false;
}

/** Position of the first backslash from `at` on; behind the body if there is none. */
function slashFrom(at: number): number {
  const found = bytes.indexOf(BACKSLASH, at);
  return found < 0 ? bytes.length : found;
}

const KEYWORDS = ['null', 'true', 'false'].map((word) => Uint8Array.from(Buffer.from(word)));

export function keywordEnd(at: number): number {
  for (const word of KEYWORDS) if (isAt(word, at)) return at + word.length;
  return STOPPED;
}

function digitsEnd(at: number): number {
  const read = bytes;
  let end = at;
  while (read[end]! >= ZERO && read[end]! <= NINE) end++;
  return end === at ? STOPPED : end;
}

export function numberEnd(at: number): number {
  if (bytes[at] === MINUS) at++;
  at = bytes[at] === ZERO ? at + 1 : digitsEnd(at);
  if (at > 0 && bytes[at] === POINT) at = digitsEnd(at + 1);
  // In lower case, E is e.
  if (at < 0 || (bytes[at]! | SPACE) !== SMALL_E) return at;
  const signed = bytes[at + 1] === PLUS || bytes[at + 1] === MINUS;
  return digitsEnd(signed ? at + 2 : at + 1);
}

/** The text between the quotes at `start` and before `end`, if it is short ASCII without escapes. `last`: what it may be once more. */
export function shortText(start: number, end: number, last: string | undefined): string | undefined {
  const at = start + 1;
  const length = end - 1 - at;
  const text = writtenText();
  if (length === last?.length && text.startsWith(last, at)) return last;
  if (length > LIMITS.nameCharacters) return undefined;
  for (let i = at; i < at + length; i++) if (bytes[i]! > 126 || bytes[i] === BACKSLASH) return undefined;
  // A longer slice would keep all of the text in memory.
  return length < 13 ? text.slice(at, at + length) : bytes.toString('latin1', at, at + length);
}

/** What the string at `at` says, which was passed last and ended at `end`. */
export function readString(at: number, end: number): string {
  if (firstSlash < end) return JSON.parse(decoded(at, end)) as string;
  return decoded(at + 1, end - 1);
}

/** Whether what the string that was passed last and ended at `end` says stands between its quotes, a byte for each character. */
export const isAsWritten = (end: number): boolean => firstSlash >= end && isAsciiWritten();

/** The object or array at `at` as it is written, but without space. It was passed last and ended at `end`. */
export const readSource = (at: number, end: number): string => (spaced ? compact(decoded(at, end)) : decoded(at, end));

function isAsciiWritten(): boolean {
  ascii ??= isAscii(bytes);
  return ascii;
}

function decoded(start: number, end: number): string {
  return isAsciiWritten() ? writtenText().slice(start, end) : bytes.toString('utf8', start, end);
}

/** All that is walked over, as characters of a byte each. */
export function writtenText(): string {
  written ??= bytes.toString('latin1');
  return written;
}
