/**
 * What of a text that goes on is open: more text may still make it a find, or part of one. A detector of bounded reach says so by how much its
 * finds span, together with what is read around them. Characters that readings leave out do not count, so that none of them stretches a find
 * beyond its bound.
 */
import { isAsciiLetter, isDigit, isSpace } from './probes/characters.js';
import { isIgnoredAt } from './views/normalise.js';

/** Where the open part of a text begins: a UTF-16 offset up to its length. Takes time linear in what is open. */
export type OpenFrom = (text: string) => number;

/** What ends a run of characters without white space: quotes and brackets, which no address and nothing encoded has. */
const ENDS = /[\s"`<>{}[\]|]/;
/** Units from which on scripts have no spaces between words; the ones of South East Asia are told by `isUnspaced`. */
const WIDE = 0x2e80;

/** Where the run without white space that `at` stands in begins. In scripts without spaces each character stands by itself. */
export function runStart(text: string, at: number): number {
  let start = at;
  while (start > 0) {
    const unit = text.charCodeAt(start - 1);
    if (unit < 128 ? ENDS_ASCII[unit] === 1 : isUnspaced(unit) || ENDS.test(text[start - 1]!)) break;
    start--;
  }
  return start;
}

const ENDS_ASCII = Uint8Array.from({ length: 128 }, (_, unit) => Number(ENDS.test(String.fromCharCode(unit))));

const isUnspaced = (unit: number): boolean =>
  (unit >= WIDE && !(unit >= 0xd800 && unit <= 0xdfff) && !(unit >= 0xff01 && unit <= 0xff5e)) ||
  (unit >= 0xe00 && unit <= 0xeff) ||
  (unit >= 0x1000 && unit <= 0x109f) ||
  (unit >= 0x1780 && unit <= 0x17ff);

/** The last `count` characters that are seen, and all that is not seen between them; spaces in a row are one. */
export function lastShown(text: string, count: number): number {
  let left = count;
  let at = text.length;
  let spaces = false;
  while (at > 0 && left > 0) {
    const unit = text.charCodeAt(--at);
    const isBlank = unit <= 32 || (unit > 127 && isSpace(unit));
    if (unit > 127 && isIgnoredAt(text, at)) continue;
    if (!isBlank || !spaces) left--;
    spaces = isBlank;
  }
  return at;
}

/** The last `count` letters and digits, one that is repeated counting once, and all signs between them. */
export function lastLetters(text: string, count: number): number {
  let left = count;
  let at = text.length;
  let last = -1;
  while (at > 0) {
    const unit = text.charCodeAt(at - 1);
    const counts = unit < 128 ? isAsciiLetter(unit) || isDigit(unit) : !isIgnoredAt(text, at - 1);
    if (counts && (unit | 32) !== last) {
      if (left === 0) break;
      left--;
      last = unit | 32;
    }
    at--;
  }
  return at;
}

/** A line of what is encoded in several lines has at least so many units. */
const ENCODED_LINE = 32;
const BREAK = /(?:[^\s]|^)(\\r)?(\\n|\s+)$/;

/**
 * `at`, or where what it lies in begins: a run without white space, and the lines before that may be of the same data, since each is a run
 * that is as long.
 */
export function encodedFrom(text: string, at: number): number {
  let start = runStart(text, at);
  for (;;) {
    const gap = BREAK.exec(text.slice(Math.max(0, start - 40), start));
    if (!gap) return start;
    const end = start - gap[2]!.length;
    const before = runStart(text, end);
    if (end - before < ENCODED_LINE) return start;
    start = before;
  }
}

/** The first of several. */
export const firstOpen =
  (...all: readonly OpenFrom[]): OpenFrom =>
  (text) =>
    all.reduce((first, open) => Math.min(first, open(text)), text.length);
