/**
 * Walks over JSON without making anything of it. It stops at what is not JSON, at names that stand twice in an object, and at what is nested
 * too deep.
 */
import { isAscii } from 'node:buffer';
import { compact, unescaped } from '../../json.js';
import { LIMITS } from '../limits.js';
import { createPrints } from './prints.js';

const TAB = 9;
const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const SPACE = 32;
export const QUOTE = 34;
const PLUS = 43;
const COMMA = 44;
const MINUS = 45;
const POINT = 46;
const ZERO = 48;
const NINE = 57;
const COLON = 58;
export const OPEN_ARRAY = 91;
const BACKSLASH = 92;
const CLOSE_ARRAY = 93;
const SMALL_E = 101;
const SMALL_F = 102;
const SMALL_N = 110;
const SMALL_T = 116;
const SMALL_U = 117;
export const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;

/** In place of a position: the walk has stopped. */
export const STOPPED = -1;
const NO_BYTES: Buffer = Buffer.alloc(0);

/** what is being walked over */
let bytes = NO_BYTES;
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
let controls = false;

/** of the names of the objects that the walk is in */
const prints = createPrints(nameFrom);
/** Mixes the bytes of a name into its print. */
const PRIME = 0x01000193;

/** Walks over `body`, which is UTF-8, with `root`: whether that ends at its end. */
export function walk(body: Buffer, root: (at: number) => number): boolean {
  controls = hasControls(body);
  const whole = walkAll(body, root);
  controls = false;
  return whole;
}

/** Whether no object in `body`, which is JSON of any kind, has a name twice, and none is nested too deep. */
export const hasEachNameOnce = (body: Buffer): boolean => walkAll(body, (at) => valueEnd(at, 1));

function walkAll(body: Buffer, root: (at: number) => number): boolean {
  bytes = body;
  slash = STOPPED;
  prints.clear();
  written = undefined;
  ascii = undefined;
  const end = root(afterSpace(0));
  // No byte behind the body is looked at where it ends here: V8 reads bytes faster as long as none was missing.
  const whole = end === body.length || (end >= 0 && afterSpace(end) === body.length);
  bytes = NO_BYTES;
  written = undefined;
  return whole;
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

/** Reads the value at a position. Returns the position behind it. */
export type ReadValue = (at: number) => number;

/** Reads `null`, which says that a member is absent. No other literal may stand where this is asked for. */
export const readNull: ReadValue = (at) => (bytes[at] === SMALL_N ? keywordEnd(at) : STOPPED);

/** Whether the value at `at` is `null`, if it is JSON. */
export const isNullAt = (at: number): boolean => bytes[at] === SMALL_N;

/**
 * A name with its quotes and the colon behind it, how the value of its member is read, and a bit that no other name of its list has; 0: it is
 * told from others by its print.
 */
interface MemberName {
  codes: Uint8Array;
  read: ReadValue;
  bit: number;
}

/** The members of an object. */
export interface Members {
  /** names by their first byte */
  byFirst: readonly (readonly MemberName[] | undefined)[];
  byName: ReadonlyMap<string, MemberName>;
  /** reads the value of a member with another name */
  others: ReadValue;
}

/** So many names have a bit. */
const BITS = 31;

/** Of names with the same first letter, those that are sent most come first. */
export function membersOf(named: Readonly<Record<string, ReadValue>>, others: ReadValue): Members {
  const byFirst: MemberName[][] = [];
  const byName = new Map<string, MemberName>();
  for (const [i, [text, read]] of Object.entries(named).entries()) {
    const codes = Uint8Array.from(Buffer.from(`"${text}":`));
    const name = { codes, read, bit: i < BITS ? 1 << i : 0 };
    byFirst[codes[1]!] ??= [];
    byFirst[codes[1]!]!.push(name);
    byName.set(text, name);
  }
  return { byFirst, byName, others };
}

function nameAt({ byFirst }: Members, at: number): MemberName | undefined {
  const candidates = byFirst[bytes[at + 1]!];
  if (candidates === undefined) return undefined;
  for (let i = 0; i < candidates.length; i++) {
    const name = candidates[i]!;
    if (isAt(name.codes, at)) return name;
  }
  return undefined;
}

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

/** Position behind the value at `at`, which {@link readString} or {@link readSource} may be asked for next. */
export function valueToRead(at: number, level: number): number {
  if (slash < at) slash = slashFrom(at);
  firstSlash = slash;
  spaced = false;
  return valueEnd(at, level);
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

/** Position behind the object at `at`, which has each name once. */
export function membersEnd(at: number, members: Members): number {
  if (bytes[at] !== OPEN_OBJECT) return STOPPED;
  const first = prints.count();
  for (let seen = 0; ; ) {
    const start = afterSpace(at + 1);
    if (bytes[start] === CLOSE_OBJECT && bytes[at] === OPEN_OBJECT) return start + 1;
    const name = nameAt(members, start);
    let end: number;
    if (name !== undefined && name.bit !== 0) {
      if ((seen & name.bit) !== 0) return STOPPED;
      seen |= name.bit;
      end = name.read(afterSpace(start + name.codes.length));
    } else {
      end = otherEnd(start, members, seen);
      seen |= lastBit;
    }
    if (end < 0) return STOPPED;
    at = afterSpace(end);
    if (bytes[at] === CLOSE_OBJECT) return prints.count() === first || prints.takeDistinct(first) ? at + 1 : STOPPED;
    if (bytes[at] !== COMMA) return STOPPED;
  }
}

/** of the member that {@link otherEnd} read last; 0: it has none */
let lastBit = 0;

/** Position behind the member at `at` with a name that is not listed, has no bit, or is written in an unusual way. */
function otherEnd(at: number, members: Members, seen: number): number {
  lastBit = 0;
  const quote = nameEnd(at);
  const value = quote < 0 ? STOPPED : behindColon(quote);
  if (value < 0) return STOPPED;
  const name = nameWithin(members, at, quote);
  if (name === undefined) return members.others(value);
  if (name.bit !== 0) {
    prints.takeLast();
    if ((seen & name.bit) !== 0) return STOPPED;
  }
  const end = name.read(value);
  lastBit = name.bit;
  return end;
}

/** The listed name between the quotes at `at` and `quote`. */
function nameWithin({ byFirst, byName }: Members, at: number, quote: number): MemberName | undefined {
  if (escaped) return byName.get(unescaped(bytes.toString('utf8', at + 1, quote)));
  const candidates = byFirst[bytes[at + 1]!];
  if (candidates === undefined) return undefined;
  // Codes have two quotes and a colon beside the name.
  const length = quote - at + 2;
  for (let i = 0; i < candidates.length; i++) {
    const name = candidates[i]!;
    if (name.codes.length === length && isBegunAt(name.codes, at, length - 1)) return name;
  }
  return undefined;
}

function isBegunAt(codes: Uint8Array, at: number, length: number): boolean {
  const read = bytes;
  for (let i = 0; i < length; i++) if (read[at + i] !== codes[i]) return false;
  return true;
}

/** The same of the array at `at`. `read` gets the position of each element. */
export function elementsEnd(at: number, read: ReadValue): number {
  if (bytes[at] !== OPEN_ARRAY) return STOPPED;
  const first = afterSpace(at + 1);
  if (bytes[first] === CLOSE_ARRAY) return first + 1;
  for (;;) {
    const end = read(afterSpace(at + 1));
    if (end < 0) return STOPPED;
    at = afterSpace(end);
    if (bytes[at] === CLOSE_ARRAY) return at + 1;
    if (bytes[at] !== COMMA) return STOPPED;
  }
}

function afterSpace(at: number): number {
  // Nearly every byte of JSON is above the space: one comparison is enough for most. Behind the end there is none.
  if (!(bytes[at]! <= SPACE)) return at;
  spaced = true;
  while (isSpace(bytes[at])) at++;
  return at;
}

const isSpace = (byte: number | undefined): boolean =>
  byte === SPACE || byte === LINE_FEED || byte === CARRIAGE_RETURN || byte === TAB;

/** Position of the value of the name at `at`. */
function valueStart(at: number): number {
  const quote = nameEnd(at);
  return quote < 0 ? STOPPED : behindColon(quote);
}

/** Position of the value of the name whose last quote is at `quote`. */
function behindColon(quote: number): number {
  const colon = afterSpace(quote + 1);
  return bytes[colon] === COLON ? afterSpace(colon + 1) : STOPPED;
}

/** the name that was passed last has escapes */
let escaped = false;

/** Position of the quote at the end of the name at `at`, of which a print is kept. */
function nameEnd(at: number): number {
  if (bytes[at] !== QUOTE) return STOPPED;
  const read = bytes;
  escaped = false;
  let print = 0;
  for (let i = at + 1; ; i++) {
    const byte = read[i];
    if (byte === QUOTE) {
      if (controls && hasControl(at + 1, i)) return STOPPED;
      prints.add(print, at);
      return i;
    }
    if (byte === BACKSLASH || byte === undefined) return escapedNameEnd(at);
    print = Math.imul(print ^ byte, PRIME);
  }
}

/** The same of a name with escapes: it may be one that stands without them, too. */
function escapedNameEnd(at: number): number {
  const quote = stringEnd(at + 1);
  if (quote < 0) return STOPPED;
  escaped = true;
  let print = 0;
  const name = unescaped(bytes.toString('utf8', at + 1, quote));
  for (const byte of Buffer.from(name)) print = Math.imul(print ^ byte, PRIME);
  prints.add(print, at);
  return quote;
}

/** The name at `at`, which was passed before. */
function nameFrom(at: number): string {
  let end = at + 1;
  while (bytes[end] !== QUOTE) end += bytes[end] === BACKSLASH ? 2 : 1;
  return unescaped(bytes.toString('utf8', at + 1, end));
}

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
function stringEnd(at: number): number {
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

function hasControl(start: number, end: number): boolean {
  const read = bytes;
  for (let i = start; i < end; i++) if (read[i]! < SPACE) return true;
  return false;
}

/** Position of the first backslash from `at` on; behind the body if there is none. */
function slashFrom(at: number): number {
  const found = bytes.indexOf(BACKSLASH, at);
  return found < 0 ? bytes.length : found;
}

/** Position behind the value at `at`. `level`: that of an object or array there; the body is on level 1. */
export function valueEnd(at: number, level: number): number {
  const first = bytes[at];
  if (first === QUOTE) {
    const quote = stringEnd(at + 1);
    return quote < 0 ? STOPPED : quote + 1;
  }
  if (first === OPEN_OBJECT || first === OPEN_ARRAY) return level > LIMITS.jsonDepth ? STOPPED : listEnd(at, level);
  if (first === SMALL_N || first === SMALL_T || first === SMALL_F) return keywordEnd(at);
  return numberEnd(at);
}

const KEYWORDS = ['null', 'true', 'false'].map((word) => Uint8Array.from(Buffer.from(word)));

function keywordEnd(at: number): number {
  for (const word of KEYWORDS) if (isAt(word, at)) return at + word.length;
  return STOPPED;
}

function digitsEnd(at: number): number {
  const read = bytes;
  let end = at;
  while (read[end]! >= ZERO && read[end]! <= NINE) end++;
  return end === at ? STOPPED : end;
}

function numberEnd(at: number): number {
  if (bytes[at] === MINUS) at++;
  at = bytes[at] === ZERO ? at + 1 : digitsEnd(at);
  if (at > 0 && bytes[at] === POINT) at = digitsEnd(at + 1);
  // In lower case, E is e.
  if (at < 0 || (bytes[at]! | SPACE) !== SMALL_E) return at;
  const signed = bytes[at + 1] === PLUS || bytes[at + 1] === MINUS;
  return digitsEnd(signed ? at + 2 : at + 1);
}

/** The same of an object or array. */
function listEnd(at: number, level: number): number {
  const inObject = bytes[at] === OPEN_OBJECT;
  const close = inObject ? CLOSE_OBJECT : CLOSE_ARRAY;
  const first = prints.count();
  at = afterSpace(at + 1);
  if (bytes[at] === close) return at + 1;
  for (;;) {
    const start = inObject ? valueStart(at) : at;
    const end = start < 0 ? STOPPED : valueEnd(start, level + 1);
    if (end < 0) return STOPPED;
    at = afterSpace(end);
    if (bytes[at] === close) return inObject && !prints.takeDistinct(first) ? STOPPED : at + 1;
    if (bytes[at] !== COMMA) return STOPPED;
    at = afterSpace(at + 1);
  }
}
