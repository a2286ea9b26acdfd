/** Where a term may begin and end, so that it is a word of its own. */
import { hasSigns, isSignAt, isWordAt } from '../characters.js';
import { isParticle } from './particles.js';
import { isBehindPrefix } from './prefixes.js';
import { HAN, HANGUL, SPACED, scriptOf } from './scripts.js';
import { isBoundary } from './segments.js';

/** A term of so many characters is none by chance, wherever words begin and end. */
const LONG_HAN = 4;
const LONG_KATAKANA = 5;
const LONG_SOUTH_EAST = 7;
/** Syllables of a Korean word behind a term that are read. */
const LONGEST_TAIL = 10;
const KATAKANA = /^[\u30a1-\u30ff]+$/;

/** Whether a word starts at `at`, where the term ends before `end`. */
export function startsWord(text: string, at: number, end: number): boolean {
  if (isEdge(text, at - 1, at)) return true;
  const script = scriptOf(text.charCodeAt(at));
  const outside = scriptOf(text.charCodeAt(at - 1));
  if (isSignAt(text, at)) return false;
  if (script !== outside) return true;
  if (script === SPACED) return isBehindPrefix(text, at, end - at);
  return script !== HANGUL && stands(text, at, at, end);
}

/** Whether a word ends before `end`, where the term starts at `at`. */
export function endsWord(text: string, at: number, end: number): boolean {
  if (isEdge(text, end, end - 1)) return true;
  const script = scriptOf(text.charCodeAt(end - 1));
  const outside = scriptOf(text.charCodeAt(end));
  if (isSignAt(text, end)) return false;
  if (script !== outside) return true;
  if (script === HANGUL) return isParticle(tailOf(text, end), end - at);
  return script !== SPACED && stands(text, end, at, end);
}

/** Whether the edge at `index` of a term is one of a word in a script without spaces. */
function stands(text: string, index: number, at: number, end: number): boolean {
  return isLong(text, at, end) || isBoundary(text, index, at, end);
}

function isLong(text: string, at: number, end: number): boolean {
  if (scriptOf(text.charCodeAt(at)) !== HAN) return end - at >= LONG_SOUTH_EAST;
  return end - at >= (KATAKANA.test(text.slice(at, end)) ? LONG_KATAKANA : LONG_HAN);
}

function tailOf(text: string, from: number): string {
  let to = from;
  while (to - from < LONGEST_TAIL && scriptOf(text.charCodeAt(to)) === HANGUL) to++;
  return text.slice(from, to);
}

/** Whether the term may end at `inside`, with `outside` next to it. A term that ends in a symbol may end anywhere. */
function isEdge(text: string, outside: number, inside: number): boolean {
  if (isWordAt(text, outside) && isWordAt(text, inside)) return false;
  return !signJoins(text, outside, inside) && !signJoins(text, inside, outside);
}

/** Whether a vowel sign at `sign` and its neighbour at `other`, a letter or sign of such a script, are one word. */
function signJoins(text: string, sign: number, other: number): boolean {
  if (!isSignAt(text, sign)) return false;
  return isSignAt(text, other) || (hasSigns(text.charCodeAt(other)) && isWordAt(text, other));
}
