/** Text that is encoded: base64, hexadecimal, percent-encoding and ROT13, where what comes out reads as text. */
import { isUtf8 } from 'node:buffer';
import { isFrequent, letterOf } from './pairs.js';
import type { Payload } from './payload.js';

/** Encodings within each other. */
export const MAX_DEPTH = 2;
/** Shorter runs are words. */
const MIN_RUN = 12;
/** Padded ones may be as short as this. */
const PADDED = 6;
const HEX = /^(?:0x)?[0-9A-Fa-f]+$/;
const ESCAPES = /(?:\\x[0-9A-Fa-f]{2}){4,}/g;
const BYTES = /(?:%[0-9A-Fa-f]{2})+/g;
/** Fewer are in many addresses. */
const MIN_BYTES = 3;

const NONE: readonly Payload[] = [];

/** What is encoded in `text`. */
export function decodedIn(text: string): readonly Payload[] {
  const runs = runsIn(text);
  const turned = rotatedIn(text);
  const percent = text.includes('%');
  const escapes = text.includes('\\x');
  if (runs.length === 0 && turned.length === 0 && !percent && !escapes) return NONE;
  const found: Payload[] = [];
  const add = (start: number, end: number, decode: (run: string) => string | undefined): void => {
    const said = decode(text.slice(start, end));
    if (said !== undefined) found.push({ view: 'decoded', start, end, text: said });
  };
  for (const [start, end] of runs) add(start, end, fromRun);
  if (escapes) for (const { 0: run, index } of text.matchAll(ESCAPES)) add(index, index + run.length, fromHex);
  if (percent) for (const [start, end] of percentIn(text)) add(start, end, fromPercent);
  found.push(...turned);
  return found;
}

/** By unit: it may stand in base64. */
const ENCODING = Uint8Array.from({ length: 0x10000 }, (_, unit) =>
  Number(/[A-Za-z0-9+/_-]/.test(String.fromCharCode(unit))),
);

/** Runs of at least {@link MIN_RUN} characters, which are found by looking at one character in so many, and padded ones. */
function runsIn(text: string): [number, number][] {
  const runs: [number, number][] = [];
  let last = 0;
  for (let at = MIN_RUN - 1; at < text.length; at += MIN_RUN) {
    if (ENCODING[text.charCodeAt(at)] === 0) continue;
    let from = at;
    while (from > last && ENCODING[text.charCodeAt(from - 1)] === 1) from--;
    let to = at + 1;
    while (to < text.length && ENCODING[text.charCodeAt(to)] === 1) to++;
    if (to - from >= MIN_RUN) runs.push([from, paddedEnd(text, to)]);
    last = to;
    at = to - 1;
  }
  for (let at = text.indexOf('='); at > 0; at = text.indexOf('=', at + 1)) {
    let from = at;
    while (from > 0 && at - from < MIN_RUN && ENCODING[text.charCodeAt(from - 1)] === 1) from--;
    const to = paddedEnd(text, at);
    if (at - from >= PADDED && at - from < MIN_RUN && (to - from) % 4 === 0) runs.push([from, to]);
    at = to - 1;
  }
  return runs;
}

/** Characters of ASCII that are seen, in a row, with a percent sign among them. A pattern would look at each from every one before it. */
function percentIn(text: string): [number, number][] {
  const runs: [number, number][] = [];
  for (let at = text.indexOf('%'), last = 0; at >= 0; at = text.indexOf('%', last)) {
    let from = at;
    while (from > last && isSeen(text.charCodeAt(from - 1))) from--;
    last = at + 1;
    while (last < text.length && isSeen(text.charCodeAt(last))) last++;
    runs.push([from, last]);
  }
  return runs;
}

const isSeen = (unit: number): boolean => unit > 32 && unit < 127;

/** Where what pads a run that ends at `to` ends. */
const paddedEnd = (text: string, to: number): number => to + (text[to] !== '=' ? 0 : text[to + 1] === '=' ? 2 : 1);

function fromRun(run: string): string | undefined {
  if (HEX.test(run) && /\d/.test(run)) return fromHex(run);
  // Words are of one case; what is encoded is of both, or has digits.
  const mixed = /[a-z][A-Z0-9]/.test(run) && /[A-Z0-9][a-z]/.test(run);
  return mixed ? fromBase64(run) : undefined;
}

function fromBase64(run: string): string | undefined {
  if (run.replace(/=+$/, '').length % 4 === 1) return undefined;
  return textOf(Buffer.from(run.replaceAll('-', '+').replaceAll('_', '/'), 'base64'));
}

function fromHex(run: string): string | undefined {
  const digits = run.replace(/^0x/, '').replaceAll(/\\x|[ :]/g, '');
  return digits.length % 2 === 0 ? textOf(Buffer.from(digits, 'hex')) : undefined;
}

function fromPercent(run: string): string | undefined {
  let bytes = 0;
  const said = run.replace(BYTES, (encoded) => {
    bytes += encoded.length / 3;
    return Buffer.from(encoded.replaceAll('%', ''), 'hex').toString('utf8');
  });
  return bytes < MIN_BYTES ? undefined : said.replaceAll('+', ' ');
}

/** Share of the characters that must be letters or spaces. */
const MOSTLY = 0.75;

/** Bytes as a text, if it reads as one. */
function textOf(bytes: Buffer): string | undefined {
  // Most of what looks encoded is not. It is told without an error, which takes longer than all else here.
  if (bytes.length < 4 || !isUtf8(bytes)) return undefined;
  const text = bytes.toString();
  let letters = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 32 && code !== 9 && code !== 10 && code !== 13) return undefined;
    if (code === 32 || code > 127 || ((code | 32) >= 97 && (code | 32) <= 122)) letters++;
  }
  return letters >= text.length * MOSTLY ? text : undefined;
}

/** Letters in a hundred of English, a to z. */
const FREQUENCIES = [
  8.2, 1.5, 2.8, 4.3, 12.7, 2.2, 2, 6.1, 7, 0.15, 0.8, 4, 2.4, 6.7, 7.5, 1.9, 0.1, 6, 6.3, 9.1, 2.8, 1, 2.4, 0.15, 2,
  0.07,
];
/** By unit: how much more a letter speaks for ROT13 than for plain text, in eighths of a nat. */
const LEANING = leanings();
/** As much as about eight letters give. */
const TURNED = 48;

function leanings(): Int8Array {
  const table = new Int8Array(128);
  for (let letter = 0; letter < 26; letter++) {
    const lean = Math.round(8 * Math.log(FREQUENCIES[(letter + 13) % 26]! / FREQUENCIES[letter]!));
    table[97 + letter] = table[65 + letter] = Math.max(-24, Math.min(24, lean));
  }
  return table;
}

/** A stretch of ROT13 has so many characters, and goes on by as many while these read so, too. */
const STRETCH = 1024;
/** Behind its last one, for what ends there. */
const BEHIND = 256;

/** The stretches of `text` that read as ROT13, turned back. */
function rotatedIn(text: string): Payload[] {
  const found: Payload[] = [];
  let score = 0;
  let start = 0;
  // Every other letter says enough.
  for (let i = 0; i < text.length; i += 2) {
    const code = text.charCodeAt(i);
    if (code > 127) continue;
    score += LEANING[code]!;
    if (score > 0 && score < TURNED) continue;
    if (score > 0 && readsTurned(text, start, Math.min(i + AHEAD, text.length))) {
      const end = turnedEnd(text, start);
      const said = text.slice(start, end).replace(/[a-z]+/gi, turnedWord);
      found.push({ view: 'decoded', start, end, text: said, inPlace: true });
      i = end - 1;
    }
    score = 0;
    start = i + 1;
  }
  return found;
}

function turnedEnd(text: string, start: number): number {
  let end = start + STRETCH;
  while (end < text.length && readsTurned(text, end, Math.min(end + STRETCH, text.length))) end += STRETCH;
  return Math.min(end + BEHIND, text.length);
}

/** So far behind what leans to ROT13 is it held against English. */
const AHEAD = 32;

/**
 * Whether most pairs of letters from `from` to `to` are English ones once they are turned back, and more of them than as they stand.
 * Other languages and some words lean to ROT13, too: of English comments, 3 % have such a stretch.
 */
function readsTurned(text: string, from: number, to: number): boolean {
  const { pairs, plain, turned } = pairsIn(text, from, to);
  return turned > plain && turned * 2 >= pairs;
}

/** How many pairs of letters there are, and how many of them are frequent in English: as they stand, and turned back. */
function pairsIn(text: string, from: number, to: number): { pairs: number; plain: number; turned: number } {
  let [pairs, plain, turned] = [0, 0, 0];
  let before = -1;
  for (let i = from; i < to; i++) {
    const letter = letterOf(text.charCodeAt(i));
    if (letter >= 0 && before >= 0) {
      pairs++;
      plain += isFrequent(before, letter);
      turned += isFrequent((before + 13) % 26, (letter + 13) % 26);
    }
    before = letter;
  }
  return { pairs, plain, turned };
}

/** A word of a stretch, turned back where it does not read better as it stands: a stretch ends behind its last word that is turned. */
function turnedWord(word: string): string {
  const { plain, turned } = pairsIn(word, 0, word.length);
  return turned < plain ? word : word.replace(/./g, turnedLetter);
}

function turnedLetter(letter: string): string {
  const code = letter.charCodeAt(0);
  const base = code & 96;
  return String.fromCharCode(base + 1 + ((code - base - 1 + 13) % 26));
}
