/** Reads texts of a request: where they stand, and whether they have the characters and the length that they may have. */
import { isUuid } from '../../ids.js';
import { compactBytes } from '../../json.js';
import { LIMITS } from '../limits.js';
import { charactersExceed, isId } from '../validate/measure.js';
import { byteAt, QUOTE, STOPPED, spanEnd } from './scan.js';
import { request, type TextPlace, textAt } from './slots.js';
import { type ReadValue, readNull, valueEnd } from './walk.js';

/** Position behind the string at `at`, on whatever level. */
const stringEnd = (at: number): number => valueEnd(at, 1);

/** The value that stands between two positions. */
export const valueAt = (start: number, end: number): unknown => JSON.parse(request.body.toString('utf8', start, end));

export const stringAt = (start: number, end: number): string => valueAt(start, end) as string;

/** Of 256 bytes a 1 for each that `is` is true of. */
const bytesThat = (is: (text: string) => boolean): Uint8Array =>
  Uint8Array.from({ length: 256 }, (_, byte) => (is(String.fromCharCode(byte)) ? 1 : 0));

const IN_ID = bytesThat(isId);
const IN_UUID = bytesThat((text) => /[0-9a-fA-F-]/.test(text));
/** ASCII without escapes. */
export const IN_TEXT = bytesThat((text) => text >= ' ' && text <= '~' && text !== '"' && text !== '\\');

/** Reads a text, which is plain where all its bytes are in `set`. `null` says that it is absent. */
export function readPlace(to: TextPlace, at: number, set: Uint8Array): number {
  if (byteAt(at) !== QUOTE) return readNull(at);
  const plain = spanEnd(set, at + 1);
  to.coded = byteAt(plain) !== QUOTE;
  const end = to.coded ? stringEnd(at) : plain + 1;
  to.start = at + 1;
  to.end = end - 1;
  return end;
}

/** Reads a text that has only characters of `set`, and may be written with escapes. */
function readWord(to: TextPlace, at: number, set: Uint8Array, is: (text: string) => boolean): number {
  const end = readPlace(to, at, set);
  if (end < 0 || to.end < 0) return end;
  const length = to.end - to.start;
  const isKnown = !to.coded && length > 0 && length <= LIMITS.idCharacters && set === IN_ID;
  return isKnown || is(textAt(request.body, to)) ? end : STOPPED;
}

export const readId = (to: TextPlace, at: number): number => readWord(to, at, IN_ID, isId);

export const readUuid = (to: TextPlace, at: number): number => readWord(to, at, IN_UUID, isUuid);

export function readText(to: TextPlace, at: number): number {
  const end = readPlace(to, at, IN_TEXT);
  return to.end < 0 || hasAtMost(LIMITS.nameCharacters, at, end) ? end : STOPPED;
}

/** Whether the string between two positions has at most so many characters: no more than bytes. */
const hasAtMost = (characters: number, at: number, end: number): boolean =>
  end - at - 2 <= characters || !charactersExceed(stringAt(at, end), characters);

/** Reads a text of at most so many characters. */
export const readShort =
  (characters: number): ReadValue =>
  (at) => {
    if (byteAt(at) !== QUOTE) return readNull(at);
    const end = stringEnd(at);
    return end < 0 || hasAtMost(characters, at, end) ? end : STOPPED;
  };

/** Whether the JSON between two positions has more bytes than `most`, without space. */
export const isLarger = (most: number, start: number, end: number): boolean =>
  compactBytes(request.body.toString('utf8', start, end)) > most;
