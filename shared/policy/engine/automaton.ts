/**
 * Aho-Corasick over all literals of a team: one table look-up for each character, however many literals there are.
 *
 * Characters are mapped to classes that ignore case and the kinds of white space, apostrophes and hyphens, and rare characters share a class. So a hit is only a
 * candidate: the owner of the literal looks at the text itself. Only the beginning of a long literal is entered, as short as the
 * bound of the table demands.
 */

import { isDigit } from './probes/characters.js';
import { APOSTROPHES, HYPHENS, plainMark } from './probes/marks.js';

/** Cells of the table, 4 bytes each. */
export const MAX_CELLS = 8 * 1024 * 1024;
/** Longest part of a literal that is entered. Twelve characters leave few false candidates. */
export const MAX_PREFIX = 12;
const MIN_PREFIX = 2;
/** Longest text that is scanned as bytes. */
export const MAX_BYTES = 16_384;
/** Classes for characters that literals contain: as many as a table of seven bits has. Further characters share these classes. */
const MAX_CLASSES = 126;

/** A text of ASCII as it stands in bytes, from `at` on. */
export interface InBytes {
  bytes: Uint8Array;
  at: number;
}

export type Hit = (literal: number, start: number) => void;

export interface Automaton {
  /**
   * Calls `hit(literal, start)` for every occurrence of a literal's beginning in `text` that ends before `until` (default: the end),
   * in order of their ends. Returns the number of ASCII digits.
   */
  scan(text: string, hit: Hit, until?: number): number;
  /**
   * The same of a text of ASCII, up to `until`, which is at most {@link MAX_BYTES}. Where the digits are is in {@link digitPlaces}, up to
   * the next call for any automaton.
   */
  scanBytes(text: InBytes, hit: Hit, until: number): number;
  /** states of the table; tests check its bound by them */
  readonly states: number;
}

/** The class-relevant form of a unit: lower case, one kind of white space, of apostrophe and of hyphen. */
function plainUnit(unit: number): number {
  if (unit < 128) {
    if (unit >= 65 && unit <= 90) return unit + 32;
    return unit >= 9 && unit <= 13 ? 32 : plainMark(unit);
  }
  if (unit === 0x17f) return 115; // long s
  if (unit === 0xa0 || unit === 0x1680 || (unit >= 0x2000 && unit <= 0x200a)) return 32;
  if (unit === 0x2028 || unit === 0x2029 || unit === 0x202f || unit === 0x205f || unit === 0x3000) return 32;
  if (unit >= 0xd800 && unit <= 0xdfff) return unit;
  const mark = plainMark(unit);
  if (mark !== unit) return mark;
  const lower = String.fromCharCode(unit).toLowerCase();
  return lower.length === 1 ? lower.charCodeAt(0) : unit;
}

/** Units that are not ASCII, and whose plain form is: white space, the long s and the Kelvin sign, apostrophes and hyphens. */
const PLAIN_ASCII = [
  ...APOSTROPHES,
  ...HYPHENS,
  ...'\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\u017f\u212a',
].map((unit) => unit.charCodeAt(0));

/** The classes that most characters of texts have come first, so that a state has their cells side by side: in one line of a cache. */
const COMMON = [...' abcdefghijklmnopqrstuvwxyz'].map((letter) => letter.charCodeAt(0));

const DIGITS = [...'0123456789'].map((digit) => digit.charCodeAt(0));

/** Classes of a table of six bits but for one of digits, so many of which other characters than ASCII may share. */
const [FEW_CLASSES, FEW_OTHERS, LEAST_SHARED] = [62, 32, 4] as const;

/**
 * How many classes there are, and from which on further characters share them. A table of six bits is half as large, so more of it is in the
 * caches; where few characters beside ASCII need more bits, they share what is left of six.
 */
function roomOf(ascii: number, others: number): { most: number; shared: number } {
  const isFew = ascii < FEW_CLASSES - LEAST_SHARED && others <= FEW_OTHERS;
  return isFew ? { most: FEW_CLASSES, shared: ascii + 1 } : { most: MAX_CLASSES, shared: 1 };
}

function classesOf(literals: readonly string[]): { classes: Uint8Array; count: number } {
  const units = new Set<number>();
  for (const literal of literals) {
    for (let i = 0; i < literal.length; i++) units.add(plainUnit(literal.charCodeAt(i)));
  }
  const ascii = [...units].filter((unit) => unit < 128);
  const { most, shared } = roomOf(ascii.length, units.size - ascii.length);
  const byUnit = new Map<number, number>();
  let count = 1; // class 0: in no literal
  for (const unit of new Set([...COMMON.filter((common) => units.has(common)), ...ascii, ...units])) {
    byUnit.set(unit, count < most ? count++ : shared + (unit % (most - shared)));
  }
  // The scan stops at all digits: those that no literal has are of a class, too.
  const others = DIGITS.filter((digit) => !byUnit.has(digit));
  for (const digit of others) byUnit.set(digit, count);
  if (others.length > 0) count++;
  const classes = new Uint8Array(0x10000);
  const enter = (unit: number): void => {
    classes[unit] = byUnit.get(plainUnit(unit)) ?? 0;
  };
  for (let unit = 0; unit < 128; unit++) enter(unit);
  if ([...byUnit.keys()].every((unit) => unit < 128)) for (const unit of PLAIN_ASCII) enter(unit);
  else for (let unit = 128; unit < 0x10000; unit++) enter(unit);
  return { classes, count };
}

interface Trie {
  /** by state: class → state */
  next: Map<number, number>[];
  /** by state: literals that end here */
  ends: number[][];
  depth: number[];
}

function trieOf(literals: readonly string[], classes: Uint8Array, prefix: number, most: number): Trie | undefined {
  const trie: Trie = { next: [new Map()], ends: [[]], depth: [0] };
  for (let l = 0; l < literals.length; l++) {
    const literal = literals[l]!;
    let state = 0;
    for (let i = 0; i < literal.length && i < prefix; i++) {
      const unit = classes[literal.charCodeAt(i)]!;
      let to = trie.next[state]!.get(unit);
      if (to === undefined) {
        to = trie.next.length;
        if (to >= most) return undefined;
        trie.next[state]!.set(unit, to);
        trie.next.push(new Map());
        trie.ends.push([]);
        trie.depth.push(i + 1);
      }
      state = to;
    }
    trie.ends[state]!.push(l);
  }
  return trie;
}

/** `literals` are not empty; literal `n` is reported as `n`. */
export function buildAutomaton(literals: readonly string[]): Automaton {
  const { classes, count } = classesOf(literals);
  const bits = Math.ceil(Math.log2(count));
  const most = MAX_CELLS >> bits;
  let trie: Trie | undefined;
  for (let prefix = MAX_PREFIX; !trie; prefix--) {
    trie = trieOf(literals, classes, prefix, prefix === MIN_PREFIX ? Number.POSITIVE_INFINITY : most);
  }
  const isDigits = new Uint8Array(1 << bits);
  for (const digit of DIGITS) isDigits[classes[digit]!] = 1;
  const table: Table = { classes, bits, ...tableOf(trie, isDigits) };
  return {
    scan: (text, hit, until = text.length) => scanText(table, text, hit, until),
    scanBytes: (text, hit, until) => scanBytes(table, text, hit, until),
    states: trie.next.length,
  };
}

interface AutomatonOutput {
  literal: number;
  length: number;
}

interface Table {
  classes: Uint8Array;
  /**
   * Cell (state, class): the next state. Where literals end in that state, or the character may be a digit, it is -1 less this, and the scan
   * stops: it looks for digits as for literals, rather than at each character. 16 bits where they do: what is looked up fits a fast cache.
   */
  cells: Int16Array | Int32Array;
  /** bits of a class; those above are the state */
  bits: number;
  outputs: readonly (AutomatonOutput[] | undefined)[];
}

/** `isDigits`: a 1 for each class that has digits. */
function tableOf(trie: Trie, isDigits: Uint8Array): Pick<Table, 'cells' | 'outputs'> {
  const count = isDigits.length;
  const states = trie.next.length;
  const goto = new Int32Array(states * count);
  const fail = new Int32Array(states);
  const outputs: (AutomatonOutput[] | undefined)[] = new Array(states);
  const queue: number[] = [0];
  for (let q = 0; q < queue.length; q++) {
    const state = queue[q]!;
    const own = trie.ends[state]!.map((literal) => ({ literal, length: trie.depth[state]! }));
    const inherited = state === 0 ? undefined : outputs[fail[state]!];
    const all = inherited ? [...own, ...inherited] : own;
    if (all.length > 0) outputs[state] = all;
    for (let unit = 0; unit < count; unit++) {
      const to = trie.next[state]!.get(unit);
      const back = state === 0 ? 0 : goto[fail[state]! * count + unit]!;
      goto[state * count + unit] = to ?? back;
      if (to !== undefined) {
        fail[to] = back;
        queue.push(to);
      }
    }
  }
  const cells = states <= 0x8000 ? new Int16Array(states * count) : new Int32Array(states * count);
  for (let i = 0; i < cells.length; i++) {
    const to = goto[i]!;
    cells[i] = outputs[to] || isDigits[i & (count - 1)] === 1 ? -1 - to : to;
  }
  return { cells, outputs };
}

function report({ outputs }: Table, state: number, end: number, hit: Hit): void {
  const ended = outputs[state];
  if (ended) for (let o = 0; o < ended.length; o++) hit(ended[o]!.literal, end - ended[o]!.length);
}

function scanText(table: Table, text: string, hit: Hit, until: number): number {
  const { classes, cells, bits } = table;
  let state = 0;
  let digits = 0;
  for (let i = 0; i < until; i++) {
    const unit = text.charCodeAt(i);
    state = cells[(state << bits) | classes[unit]!]!;
    if (state >= 0) continue;
    state = ~state;
    if (isDigit(unit)) digits++;
    report(table, state, i + 1, hit);
  }
  return digits;
}

/** Where the digits are of the text that was read as bytes last, in ascending order. */
export const digitPlaces = new Int32Array(MAX_BYTES);

/** Parts of a text overlap by so much that a literal which ends in one of them, behind the one before, begins in it, too. */
const OVERLAP = MAX_PREFIX - 1;

/** In turn: up to where the text has been read when the scan stops, and the state then. Each part has room for as many stops as bytes. */
const stops = new Int32Array(2 * (MAX_BYTES + 3 * MAX_PREFIX));

/**
 * Reads three parts of a text side by side: each look-up waits for the one before it in its part alone. No call is made before all is read,
 * so that the loop is short. Measured on 250 characters: 0.39 µs; two parts, with a look for a digit at each byte, 0.50 µs.
 */
function scanBytes(table: Table, { bytes, at }: InBytes, hit: Hit, until: number): number {
  const { classes, cells, bits } = table;
  const length = Math.min(until, Math.ceil((until + 2 * OVERLAP) / 3));
  let first = 0;
  let second = 0;
  let third = 0;
  let i = at;
  let k = at + until - length;
  let j = Math.max(at, Math.min(at + length - OVERLAP, k));
  // What ends up to there was reported of the part before.
  const afterFirst = i + length;
  const afterSecond = j + length;
  let stopped = 0;
  let later = 2 * length;
  let last = 4 * length;
  for (const end = at + until; k < end; ) {
    first = cells[(first << bits) | classes[bytes[i++]!]!]!;
    second = cells[(second << bits) | classes[bytes[j++]!]!]!;
    third = cells[(third << bits) | classes[bytes[k++]!]!]!;
    if ((first | second | third) >= 0) continue;
    if (first < 0) {
      first = ~first;
      stops[stopped++] = i;
      stops[stopped++] = first;
    }
    if (second < 0) {
      second = ~second;
      if (j > afterFirst) {
        stops[later++] = j;
        stops[later++] = second;
      }
    }
    if (third < 0) {
      third = ~third;
      if (k > afterSecond) {
        stops[last++] = k;
        stops[last++] = third;
      }
    }
  }
  for (let s = 2 * length; s < later; s++) stops[stopped++] = stops[s]!;
  for (let s = 4 * length; s < last; s++) stops[stopped++] = stops[s]!;
  let digits = 0;
  for (let s = 0; s < stopped; s += 2) {
    const end = stops[s]!;
    if (isDigit(bytes[end - 1]!)) digitPlaces[digits++] = end - 1 - at;
    report(table, stops[s + 1]!, end - at, hit);
  }
  return digits;
}
