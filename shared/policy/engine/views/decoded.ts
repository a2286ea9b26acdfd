/** Text that is encoded: base64, hexadecimal, percent-encoding, entities of HTML and ROT13, where what comes out reads as text. */
import { isUtf8 } from 'node:buffer';
import { entitiesIn } from './entities.js';
import { ENCODING, FEW_UNITS, MIN_RUN } from './may-be-encoded.js';
import type { Payload } from './payload.js';
import { rotatedIn } from './rotated.js';

/** Encodings within each other. */
export const MAX_DEPTH = 2;
/** Padded ones may be as short as this. */
const PADDED = 6;
const HEX = /^(?:0x)?[0-9A-Fa-f]+$/;
const ESCAPES = /(?:\\x[0-9A-Fa-f]{2}){4,}/g;
const BYTES = /(?:%[0-9A-Fa-f]{2})+/g;
/** Fewer are in many addresses. */
const MIN_BYTES = 3;

const NONE: readonly Payload[] = [];

/** What is encoded in `text`. `rotated`: ROT13, too; `words`: also short runs. */
export function decodedIn(text: string, rotated = true, words = true): readonly Payload[] {
  const runs = words ? runsIn(text) : runsIn(text).filter(([from, to]) => to - from >= FEW_UNITS);
  const turned = rotated ? rotatedIn(text) : NONE;
  const percent = text.includes('%');
  const escapes = text.includes('\\x');
  const entities = text.includes('&') ? entitiesIn(text) : undefined;
  if (runs.length === 0 && turned.length === 0 && !percent && !escapes && !entities) return NONE;
  const found: Payload[] = [];
  const add = (start: number, end: number, decode: (run: string) => string | undefined): void => {
    const said = decode(text.slice(start, end));
    if (said !== undefined) found.push({ view: 'decoded', start, end, text: said });
  };
  for (const [start, end] of runs) add(start, end, fromRun);
  if (escapes) for (const { 0: run, index } of text.matchAll(ESCAPES)) add(index, index + run.length, fromHex);
  if (percent) for (const [start, end] of percentIn(text)) addSome(found, fromPercent(text, start, end));
  found.push(...turned);
  if (entities) found.push(entities);
  return found;
}

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
    if (to - from >= LINE) to = endOfLines(text, from, to);
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

/** What is encoded is written in lines of so many characters or more. */
const LINE = 40;
const BREAKS = /\s+|\\[rn]\s*/g;
const BREAK = /(?:\r?\n|\\r?\\?n)[ \t]{0,16}/y;

/** Where the run that begins at `from` ends, with the lines behind its first one, which are no longer than that. */
function endOfLines(text: string, from: number, to: number): number {
  const length = to - from;
  for (let end = to; ; ) {
    BREAK.lastIndex = end;
    if (!BREAK.test(text)) return end;
    const start = BREAK.lastIndex;
    let next = start;
    while (next < text.length && next - start <= length && ENCODING[text.charCodeAt(next)] === 1) next++;
    if (next === start || next - start > length) return end;
    end = next;
    if (next - start < length) return end;
  }
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

function fromRun(lines: string): string | undefined {
  const run = lines.length > LINE ? lines.replace(BREAKS, '') : lines;
  if (HEX.test(run) && /\d/.test(run)) return fromHex(run);
  // Words are of one case; what is encoded is of both, or has digits.
  const mixed = /[a-z][A-Z0-9]/.test(run) && /[A-Z0-9][a-z]/.test(run);
  return mixed ? fromBase64(run) : undefined;
}

/** By unit: what it stands for in base64, in both alphabets. */
const SIX_BITS = new Uint8Array(128);
for (const [n, unit] of [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'].entries())
  SIX_BITS[unit.charCodeAt(0)] = n;
SIX_BITS[45] = 62;
SIX_BITS[95] = 63;

/** Whether the first three bytes may begin a text. Most identifiers are told by them, without what takes longer. */
function mayBeText(run: string): boolean {
  const [first, second, third, fourth] = [0, 1, 2, 3].map((at) => SIX_BITS[run.charCodeAt(at)]!) as [
    number,
    number,
    number,
    number,
  ];
  const bytes = (first << 18) | (second << 12) | (third << 6) | fourth;
  for (let shift = 16; shift >= 0; shift -= 8) {
    const byte = (bytes >> shift) & 255;
    // Of other characters than those of ASCII, the first byte is known to be one.
    if (byte > 127) return byte >= 0xc2 && byte < 0xf5;
    if (byte < 32 && byte !== 9 && byte !== 10 && byte !== 13) return false;
  }
  return true;
}

function fromBase64(run: string): string | undefined {
  if (run.replace(/=+$/, '').length % 4 === 1 || !mayBeText(run)) return undefined;
  // Images and archives are long, and no text from their beginning on.
  if (run.length > LONG && !textOf(Buffer.from(run.slice(0, FEW), 'base64'), true)) return undefined;
  return textOf(Buffer.from(run.replaceAll('-', '+').replaceAll('_', '/'), 'base64'));
}

function fromHex(run: string): string | undefined {
  const digits = run.replace(/^0x/, '').replaceAll(/\\x|[ :]/g, '');
  return digits.length % 2 === 0 ? textOf(Buffer.from(digits, 'hex')) : undefined;
}

function addSome(found: Payload[], payload: Payload | undefined): void {
  if (payload) found.push(payload);
}

/** With the place of each character, so that what stands beside it keeps its own. */
function fromPercent(text: string, start: number, end: number): Payload | undefined {
  const run = text.slice(start, end);
  const places: number[] = [];
  let [said, bytes, last] = ['', 0, 0];
  const copy = (to: number): void => {
    for (let i = last; i < to; i++) places.push(start + i);
    said += run.slice(last, to).replaceAll('+', ' ');
    last = to;
  };
  for (const { 0: encoded, index } of run.matchAll(BYTES)) {
    copy(index);
    for (const character of Buffer.from(encoded.replaceAll('%', ''), 'hex').toString('utf8')) {
      for (let unit = 0; unit < character.length; unit++) places.push(start + last);
      last = Math.min(last + 3 * Buffer.byteLength(character), index + encoded.length);
    }
    said += Buffer.from(encoded.replaceAll('%', ''), 'hex').toString('utf8');
    bytes += encoded.length / 3;
    last = index + encoded.length;
  }
  if (bytes < MIN_BYTES) return undefined;
  copy(run.length);
  places.push(end);
  return { view: 'decoded', start, end, text: said, places };
}

/** So much of a run of more than so many characters says whether it is a text. */
const [LONG, FEW] = [256, 64] as const;
/** Share of the characters that must be letters or spaces in a text of fewer than {@link SURE} bytes. Random bytes read as a longer one never. */
const MOSTLY = 0.75;
const SURE = 12;

/** Bytes as a text, if it reads as one. `cut`: its last character may be cut. */
function textOf(bytes: Buffer, cut = false): string | undefined {
  // Most of what looks encoded is not. It is told without an error, which takes longer than all else here.
  if (bytes.length < 4 || !isUtf8(cut ? wholeOf(bytes) : bytes)) return undefined;
  const text = bytes.toString();
  let letters = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 32 && code !== 9 && code !== 10 && code !== 13) return undefined;
    if (code === 32 || code > 127 || ((code | 32) >= 97 && (code | 32) <= 122)) letters++;
  }
  return bytes.length >= SURE || letters >= text.length * MOSTLY ? text : undefined;
}

/** Without the bytes of a character at the end. */
function wholeOf(bytes: Buffer): Buffer {
  let end = bytes.length;
  while (end > 0 && bytes.length - end < 4 && bytes[end - 1]! > 127) end--;
  return bytes.subarray(0, end);
}
