/**
 * Walks over JSON without making anything of it. It stops at what is not JSON, at names that stand twice in an object, and at what is nested
 * too deep.
 */
import { unescaped } from '../../json.js';
import { LIMITS } from '../limits.js';
import { createPrints } from './prints.js';
import {
  afterSpace,
  BACKSLASH,
  begin,
  beginValue,
  bytes,
  controls,
  hasControl,
  isAt,
  isBegunAt,
  keywordEnd,
  letGo,
  numberEnd,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
  STOPPED,
  stringEnd,
} from './scan.js';

const COMMA = 44;
const COLON = 58;
const CLOSE_ARRAY = 93;
const SMALL_F = 102;
const SMALL_N = 110;
const SMALL_T = 116;
const CLOSE_OBJECT = 125;

/** of the names of the objects that the walk is in */
const prints = createPrints(nameFrom);
/** Mixes the bytes of a name into its print. */
const PRIME = 0x01000193;

/** Walks over `body`, which is UTF-8, with `root`: whether that ends at its end. */
export const walk = (body: Buffer, root: ReadValue): boolean => walkOver(body, root, true);

/** Whether no object in `body`, which is JSON of any kind, has a name twice, and none is nested too deep. */
export const hasEachNameOnce = (body: Buffer): boolean => walkOver(body, (at) => valueEnd(at, 1), false);

function walkOver(body: Buffer, root: ReadValue, strict: boolean): boolean {
  begin(body, strict);
  prints.clear();
  const last = root(afterSpace(0));
  // No byte behind the body is looked at where it ends here: V8 reads bytes faster as long as none was missing.
  const whole = last === body.length || (last >= 0 && afterSpace(last) === body.length);
  letGo();
  return whole;
}

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

/** Position behind the value at `at`, which {@link readString} or {@link readSource} may be asked for next. */
export function valueToRead(at: number, level: number): number {
  beginValue(at);
  return valueEnd(at, level);
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
