/** Whether a text may hold what is encoded, told without decoding it: most texts hold nothing. */
import type { InBytes } from '../automaton.js';
import { leansToTurned } from './rotated.js';

/** Shorter runs are words. */
export const MIN_RUN = 12;
/** Shorter runs hold no number and no key. */
export const FEW_UNITS = 16;

/**
 * Whether a text of ASCII, as bytes, may hold an encoded number or key, told by what is around its digits, the first `count` of `places`.
 * Base64 of either has a digit, or one of {@link HINTS}. That takes a tenth of the time of {@link decodedIn}.
 */
export function mayBeEncoded(
  { bytes, at: first }: InBytes,
  length: number,
  places: ArrayLike<number>,
  count: number,
): boolean {
  const end = first + length;
  for (let n = 0, seen = first; n < count; n++) {
    let from = first + places[n]!;
    while (n + 1 < count && places[n + 1] === places[n]! + 1) n++;
    let to = first + places[n]! + 1;
    if (from < seen) continue;
    // Most numbers stand by themselves.
    while (from > seen && ENCODING[bytes[from - 1]!] === 1) from--;
    while (to < end && ENCODING[bytes[to]!] === 1) to++;
    seen = to;
    if (to - from >= FEW_UNITS || (from > first && LEADING[bytes[from - 1]!] === 1)) return true;
  }
  return false;
}

/** By unit: a percent sign, an entity by its number, a backslash and x. */
const LEADING = Uint8Array.from({ length: 256 }, (_, unit) => Number('%#\\'.includes(String.fromCharCode(unit))));

/**
 * The same of encoded words, which are shorter, of a text in which no hint is: runs that are mixed as base64 is, or have digits, escapes,
 * and what leans to ROT13.
 */
export function mayBeEncodedWords({ bytes, at: first }: InBytes, text: string): boolean {
  const end = first + text.length;
  let last = first;
  for (let at = first + MIN_RUN - 1; at < end; at += MIN_RUN) {
    if (ENCODING[bytes[at]!] === 0) continue;
    let from = at;
    while (from > last && ENCODING[bytes[from - 1]!] === 1) from--;
    let to = at + 1;
    while (to < end && ENCODING[bytes[to]!] === 1) to++;
    if (to - from >= MIN_RUN && isMixed(bytes, from, to)) return true;
    last = to;
    at = to - 1;
  }
  return leansToTurned(bytes, first, end) || text.includes('%') || text.includes('\\x');
}

const [SMALL, CAPITAL, DIGIT] = [1, 2, 3] as const;
/** By unit: one of these; 0: none. */
const CASE = Uint8Array.from({ length: 256 }, (_, unit) => {
  const character = String.fromCharCode(unit);
  return [/[a-z]/, /[A-Z]/, /\d/].findIndex((sort) => sort.test(character)) + 1;
});

/** Whether a run has a digit, which hexadecimal needs, or a capital behind a small letter, which base64 has. */
function isMixed(bytes: Uint8Array, from: number, to: number): boolean {
  let before = 0;
  for (let i = from; i < to; i++) {
    const kind = CASE[bytes[i]!]!;
    if (kind === DIGIT || (kind === CAPITAL && before === SMALL)) return true;
    before = kind;
  }
  return false;
}

/** What also leads to something encoded: what pads base64, 111 in it, an entity. */
export const HINTS: readonly string[] = ['=', 'mtex', '&'];
/** So many units of base64 stand before what pads it. */
const BEFORE_PAD = 6;

/** Whether the hint at `at` is one, as it is written there. */
export function isHint(text: string, at: number): boolean {
  if (text[at] !== '=') return text[at] === '&' || text.startsWith('MTEx', at);
  for (let i = at - BEFORE_PAD; i < at; i++) if (ENCODING[text.charCodeAt(i)] !== 1) return false;
  return true;
}

/** By unit: it may stand in base64. */
export const ENCODING = new Uint8Array(0x10000);
for (let unit = 0; unit < 128; unit++) ENCODING[unit] = Number(/[A-Za-z0-9+/_-]/.test(String.fromCharCode(unit)));
