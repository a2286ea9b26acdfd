/**
 * Walks over JSON without making anything of it. It stops at what is not JSON, and also at line breaks and at names with escapes:
 * nearly no program sends these.
 */
import { isAscii } from 'node:buffer';
import { compact } from '../../../json.js';
import { LIMITS } from '../../limits.js';

const SPACE = 32;
export const QUOTE = 34;
const COMMA = 44;
const COLON = 58;
export const OPEN_ARRAY = 91;
const BACKSLASH = 92;
const CLOSE_ARRAY = 93;
export const SMALL_N = 110;
const SMALL_U = 117;
export const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;

/** In place of a position: the walk has stopped. */
export const STOPPED = -1;
const NO_BYTES: Buffer = Buffer.alloc(0);

// What is being walked over: its bytes, and the same as characters of a byte each.
let bytes = NO_BYTES;
let text = '';
/** position of a backslash; the strings read so far have none behind it */
let slash = STOPPED;
/** the first backslash behind the start of the value that was passed last */
let firstSlash = STOPPED;
/** space was passed since this was last set to false */
let spaced = false;
/** whether `text` says what the bytes say; undefined: that was not asked yet */
let ascii: boolean | undefined;

/** Walks over `body`, which is UTF-8, with `root`: whether that ends at its end. */
export function walk(body: Buffer, root: (at: number) => number): boolean {
  if (hasControls(body)) return false;
  bytes = body;
  text = body.toString('latin1');
  slash = STOPPED;
  ascii = undefined;
  const end = root(afterSpace(0));
  const whole = end >= 0 && afterSpace(end) === text.length;
  bytes = NO_BYTES;
  text = '';
  return whole;
}

/** Whether there are control characters. Strings must not have them; elsewhere they are line breaks of JSON that people read. */
function hasControls(body: Buffer): boolean {
  const { buffer, byteOffset, length } = body;
  // Words begin at every fourth byte of the memory; a body need not.
  const from = Math.min(length, -byteOffset & 3);
  const words = new Uint32Array(buffer, (byteOffset + from) & ~3, (length - from) >> 2);
  let borrowed = 0;
  // Of the bytes below 128, those below 32 borrow their highest bit when 32 is taken from each.
  for (let i = 0; i < words.length; i++) borrowed |= (words[i]! - 0x20202020) & ~words[i]!;
  if ((borrowed & 0x80808080) !== 0) return true;
  for (let i = 0; i < from; i++) if (body[i]! < SPACE) return true;
  for (let i = from + 4 * words.length; i < length; i++) if (body[i]! < SPACE) return true;
  return false;
}

/** The byte at `at`; undefined behind the end. */
export const byteAt = (at: number): number | undefined => bytes[at];

/** A word, its bytes, and a bit that no other word of its list has. */
interface Word<W extends string> {
  word: W;
  codes: Uint8Array;
  bit: number;
}

/** Words by their length. */
export type Words<W extends string> = readonly (readonly Word<W>[])[];

export type WordOf<T> = T extends Words<infer W> ? W : never;

export function byLength<W extends string>(words: readonly W[]): Words<W> {
  const lengths: Word<W>[][] = Array.from({ length: 32 }, () => []);
  for (const [i, word] of words.entries()) lengths[word.length]!.push({ word, codes: Buffer.from(word), bit: 1 << i });
  return lengths;
}

/** What stands from `start` to `end`, if it is one of `words`. */
export function wordIn<W extends string>(words: Words<W>, start: number, end: number): Word<W> | undefined {
  const candidates = words[end - start];
  if (candidates === undefined) return undefined;
  for (let i = 0; i < candidates.length; i++) {
    const { codes } = candidates[i]!;
    let same = 0;
    while (same < codes.length && bytes[start + same] === codes[same]) same++;
    if (same === codes.length) return candidates[i];
  }
  return undefined;
}

/** The text between the quotes at `start` and before `end`, if it is short ASCII without escapes. `last`: what it may be once more. */
export function shortText(start: number, end: number, last: string | undefined): string | undefined {
  const at = start + 1;
  const length = end - 1 - at;
  if (length === last?.length && text.startsWith(last, at)) return last;
  if (length > LIMITS.nameCharacters) return undefined;
  for (let i = at; i < at + length; i++) if (bytes[i]! > 126 || bytes[i] === BACKSLASH) return undefined;
  // A longer slice of `text` would keep all of it in memory.
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

/** The object or array at `at` as it is written, but without space. It was passed last and ended at `end`. */
export const readSource = (at: number, end: number): string => (spaced ? compact(decoded(at, end)) : decoded(at, end));

function decoded(start: number, end: number): string {
  ascii ??= isAscii(bytes);
  return ascii ? text.slice(start, end) : bytes.toString('utf8', start, end);
}

/** All that is walked over, as characters of a byte each. */
export const writtenText = (): string => text;

/**
 * Position behind the object at `at`, which has members of these names only, each once. `read` takes the value at a position, and
 * returns that behind it.
 */
export function membersEnd<T, W extends string>(
  at: number,
  names: Words<W>,
  target: T,
  read: (target: T, name: W, at: number) => number,
): number {
  if (bytes[at] !== OPEN_OBJECT) return STOPPED;
  for (let seen = 0; ; ) {
    const start = afterSpace(at + 1);
    const quote = nameEnd(start);
    const name = wordIn(names, start + 1, quote);
    at = valueStart(quote);
    if (name === undefined || at < 0 || (seen & name.bit) !== 0) return STOPPED;
    seen |= name.bit;
    const end = read(target, name.word, at);
    if (end < 0) return STOPPED;
    at = afterSpace(end);
    if (bytes[at] === CLOSE_OBJECT) return at + 1;
    if (bytes[at] !== COMMA) return STOPPED;
  }
}

/** The same of the array at `at`, which has at least one element. `read` gets the position of each. */
export function elementsEnd(at: number, read: (at: number) => number): number {
  if (bytes[at] !== OPEN_ARRAY) return STOPPED;
  for (;;) {
    const end = read(afterSpace(at + 1));
    if (end < 0) return STOPPED;
    at = afterSpace(end);
    if (bytes[at] === CLOSE_ARRAY) return at + 1;
    if (bytes[at] !== COMMA) return STOPPED;
  }
}

function afterSpace(at: number): number {
  if (bytes[at] !== SPACE) return at;
  spaced = true;
  do at++;
  while (bytes[at] === SPACE);
  return at;
}

/** Position of the quote at the end of the name at `at`. */
function nameEnd(at: number): number {
  return bytes[at] === QUOTE ? stringEnd(at + 1) : STOPPED;
}

/** Position of the value of the name that ends with the quote at `quote`. */
function valueStart(quote: number): number {
  const colon = quote < 0 ? quote : afterSpace(quote + 1);
  return bytes[colon] === COLON ? afterSpace(colon + 1) : STOPPED;
}

const SIMPLE_ESCAPES: ReadonlySet<number | undefined> = new Set(Buffer.from('"\\/bfnrt'));
const HEX = /^[0-9a-fA-F]{4}$/;

/** Position of the quote at the end of the string whose first character is at `at`. */
function stringEnd(at: number): number {
  let quote = text.indexOf('"', at);
  if (slash < at) slash = slashFrom(at);
  while (slash < quote) {
    const sign = bytes[slash + 1];
    if (sign === SMALL_U ? !HEX.test(text.slice(slash + 2, slash + 6)) : !SIMPLE_ESCAPES.has(sign)) return STOPPED;
    const next = slash + 2;
    if (quote < next) quote = text.indexOf('"', next);
    slash = slashFrom(next);
  }
  return quote;
}

/** Position of the first backslash from `at` on; behind the text if there is none. */
function slashFrom(at: number): number {
  const found = text.indexOf('\\', at);
  return found < 0 ? text.length : found;
}

const LITERAL = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

/** Position behind the value at `at`. `level`: that of an object or array there; the body is on level 1. */
export function valueEnd(at: number, level: number): number {
  const first = bytes[at];
  if (first === QUOTE) {
    const quote = stringEnd(at + 1);
    return quote < 0 ? STOPPED : quote + 1;
  }
  if (first === OPEN_OBJECT || first === OPEN_ARRAY) return level > LIMITS.jsonDepth ? STOPPED : listEnd(at, level);
  LITERAL.lastIndex = at;
  return LITERAL.test(text) ? LITERAL.lastIndex : STOPPED;
}

/** The same of an object or array. */
function listEnd(at: number, level: number): number {
  const inObject = bytes[at] === OPEN_OBJECT;
  const close = inObject ? CLOSE_OBJECT : CLOSE_ARRAY;
  at = afterSpace(at + 1);
  if (bytes[at] === close) return at + 1;
  for (;;) {
    const start = inObject ? valueStart(nameEnd(at)) : at;
    const end = start < 0 ? STOPPED : valueEnd(start, level + 1);
    if (end < 0) return STOPPED;
    at = afterSpace(end);
    if (bytes[at] === close) return at + 1;
    if (bytes[at] !== COMMA) return STOPPED;
    at = afterSpace(at + 1);
  }
}
