/**
 * What is checked of content. A string is checked as it stands; of JSON its names, strings and numbers, as they are written, in
 * order, joined by newlines. Strings may be JSON themselves (the arguments of a call, what a model was to answer in JSON) or have
 * some in them (lines of it, a part, an answer around it). So what JSON or its escapes in a string say is checked, too.
 */
import { eachEscape, looksLikeJson, readTokens, type TokenKind, unescaped } from '../json.js';

/** Whether JSON may stand in a string; where it has no escapes and is not all of it, it says what it looks like. */
const mayHideJson = (text: string): boolean => looksLikeJson(text) || text.includes('\\');

export function readString(text: string): Reading {
  if (!mayHideJson(text)) return { text };
  const reader = createReader();
  reader.string(text);
  return reader.done();
}

/** Content as it is checked. */
export interface Reading {
  text: string;
  /** what stands in JSON within strings of `text`; absent where there is none */
  decoded?: Decoded | undefined;
}

export interface Decoded {
  text: string;
  /** in the order of `text` */
  pieces: readonly Piece[];
}

/** A name, string or number of the decoded text: where it begins there, and where it stands in the text of the reading. */
interface Piece {
  at: number;
  start: number;
  end: number;
  /** it stands there letter by letter */
  same: boolean;
  /** it stands there with escapes */
  escaped?: Escaped | undefined;
}

/** A text that is taken for what its escapes say, and that again, so many times. */
interface Escaped {
  text: string;
  times: number;
  /** where the escapes of each time stand; made when something was found in what they say, since there may be a great many */
  escapes?: Escapes[];
}

/** By number of the escape: where the unit that it says is, and where it stands in the text before. */
interface Escapes {
  says: number[];
  start: number[];
  end: number[];
}

/** Levels of JSON in strings down to which a string that is JSON is also checked as it stands; below, what is in it. */
const LEVELS_AS_THEY_STAND = 2;

export interface Reader {
  string(text: string): void;
  /** Adds a JSON value, given as JSON. */
  json(json: string): void;
  done(): Reading;
}

export function createReader(): Reader {
  const parts: string[] = [];
  let length = 0;
  let decoder: Decoder | undefined;
  function string(text: string, kind: TokenKind = 'string'): void {
    if (isNested(text, kind)) {
      decoder ??= createDecoder();
      decoder.read(text, length);
    }
    parts.push(text);
    length += text.length + 1;
  }
  return {
    string,
    json(json) {
      readTokens(json, string);
    },
    done() {
      return { text: parts.join('\n'), decoded: decoder?.done() };
    },
  };
}

interface Decoder {
  /** Adds what stands in `text`, which begins at `at` of the text that is read, if it is JSON. */
  read(text: string, at: number): void;
  done(): Decoded | undefined;
}

function createDecoder(): Decoder {
  const parts: string[] = [];
  const pieces: Piece[] = [];
  let length = 0;

  /** `place`: where a part of `text` stands in the text that is read. */
  function read(text: string, level: number, place: (start: number, end: number) => [number, number]): void {
    const before = { parts: parts.length, pieces: pieces.length, length };
    const whole = readTokens(text, (inner, kind, from, to) => {
      const [start, end] = place(from, to);
      const json = isNested(inner, kind);
      if (!json || level < LEVELS_AS_THEY_STAND) add(inner, start, end);
      // Each level doubles the quotes' backslashes, so there are no more than a text's length has binary digits.
      if (json) read(inner, level + 1, () => [start, end]);
    });
    if (whole) return;
    parts.length = before.parts;
    pieces.length = before.pieces;
    length = before.length;
    readEscapes(text, level, place(0, text.length));
  }

  /** Adds what the escapes in a text say that is not JSON as a whole, again and again: JSON in JSON escapes them again. */
  function readEscapes(text: string, level: number, [start, end]: [number, number]): void {
    const same = end - start === text.length;
    let said = text;
    let times = 0;
    const addSaid = (): void => {
      const escaped = same && times > 0 ? { text, times } : undefined;
      push(said, { at: length, start, end, same: same && times === 0, escaped });
    };
    let added = level <= LEVELS_AS_THEY_STAND;
    for (; times < MOST_ESCAPED && said.includes('\\'); ) {
      said = unescaped(said);
      added = level + times <= LEVELS_AS_THEY_STAND;
      times++;
      if (added) addSaid();
    }
    if (!added) addSaid();
  }

  function add(text: string, start: number, end: number): void {
    push(text, { at: length, start, end, same: end - start === text.length });
  }

  function push(text: string, piece: Piece): void {
    pieces.push(piece);
    parts.push(text);
    length += text.length + 1;
  }

  return {
    read: (text, at) => read(text, 1, (start, end) => [at + start, at + end]),
    done: () => (parts.length === 0 ? undefined : { text: parts.join('\n'), pieces }),
  };
}

const isNested = (text: string, kind: TokenKind): boolean => kind === 'string' && mayHideJson(text);

/** How often escapes within escapes are taken for what they say, where they are no whole JSON. */
const MOST_ESCAPED = 8;

/** Where something that was found in the decoded text stands in the text of the reading. */
export function placeOf({ pieces }: Decoded, find: { start: number; end: number }): { start: number; end: number } {
  const first = pieceAt(pieces, find.start);
  const last = pieceAt(pieces, Math.max(find.start, find.end - 1));
  const { start } = within(first, find.start - first.at);
  const { end } = within(last, Math.max(find.start, find.end - 1) - last.at);
  return { start, end };
}

/** Where the unit at `at` of a piece stands. */
function within({ start, end, same, escaped }: Piece, at: number): { start: number; end: number } {
  if (same) return { start: start + at, end: Math.min(end, start + at + 1) };
  if (!escaped) return { start, end };
  escaped.escapes ??= escapesOf(escaped);
  let place = { start: at, end: at + 1 };
  for (const escapes of escaped.escapes) {
    place = { start: before(escapes, place.start).start, end: before(escapes, place.end - 1).end };
  }
  return { start: start + place.start, end: Math.min(end, start + place.end) };
}

/** Of each time, the last one first. */
function escapesOf({ text, times }: Escaped): Escapes[] {
  const all: Escapes[] = [];
  for (let i = 0; i < times; i++) {
    const escapes: Escapes = { says: [], start: [], end: [] };
    let shorter = 0;
    eachEscape(text, (start, end) => {
      escapes.says.push(start - shorter);
      escapes.start.push(start);
      escapes.end.push(end);
      shorter += end - start - 1;
    });
    all.unshift(escapes);
    text = unescaped(text);
  }
  return all;
}

/** Where the unit at `at` of what escapes say stands in the text before. */
function before({ says, start, end }: Escapes, at: number): { start: number; end: number } {
  const last = lastUpTo(says.length, at, (i) => says[i]!);
  if (last < 0) return { start: at, end: at + 1 };
  if (says[last] === at) return { start: start[last]!, end: end[last]! };
  const from = end[last]! + at - says[last]! - 1;
  return { start: from, end: from + 1 };
}

/** The last piece that begins at or before `at`. */
const pieceAt = (pieces: readonly Piece[], at: number): Piece =>
  pieces[
    Math.max(
      0,
      lastUpTo(pieces.length, at, (i) => pieces[i]!.at),
    )
  ]!;

/** The last of `count` ascending numbers that is not above `most`; -1 where all are. */
function lastUpTo(count: number, most: number, numberOf: (i: number) => number): number {
  let low = -1;
  let high = count - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (numberOf(middle) <= most) low = middle;
    else high = middle - 1;
  }
  return low;
}
