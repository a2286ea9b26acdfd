/**
 * What is checked of content. A string is checked as it stands. Of JSON the names, strings and numbers are checked, as they are
 * written, in order, joined by newlines.
 *
 * A string may be JSON itself (the arguments of a call, an answer in JSON) or contain some (lines of it, a part, an answer around
 * it). So what that JSON says, and what its escapes say, is decoded and checked, too. So is the plain form of a number that is written with
 * an exponent or a fraction of zeros.
 */
import { repeatsNames } from '../../api/validate/repeated.js';
import { eachEscape, looksLikeJson, readTokens, type TokenKind, unescaped } from '../../json.js';
import { plainNumber } from './plain-number.js';

/** Whether a string may contain JSON that says something else than the string shows: all of it is JSON, or it has escapes. */
const mayHideJson = (text: string): boolean => looksLikeJson(text) || text.includes('\\');

export function readString(text: string): ContentReading {
  if (!mayHideJson(text)) return { text };
  const reader = createReader();
  reader.string(text);
  return reader.done();
}

/** Content as it is checked. */
export interface ContentReading {
  text: string;
  /** what is in JSON within strings of `text`; absent where there is none */
  decoded?: DecodedText | undefined;
  /** a name stands twice in an object of such JSON */
  repeats?: true | undefined;
}

/** Readers of JSON differ in which of two members of a name they take, so all are checked. The note says that there are such; else ''. */
export const repeatedNote = (reading: ContentReading | null): string =>
  reading?.repeats ? 'a name stands twice in an object within a string; each of its values was checked' : '';

export interface DecodedText {
  text: string;
  /** in the order of `text` */
  pieces: readonly DecodedPiece[];
}

/** A name, string or number of the decoded text: where it begins there, and where it is in the text of the reading. */
interface DecodedPiece {
  at: number;
  /** in the text of the reading, or in what the string `inside` says */
  start: number;
  end: number;
  /** absent: in the text of the reading */
  inside: Inside | undefined;
  /** how it is escaped there; undefined: both read the same, letter by letter */
  escaped: Escaped | undefined;
  /** the plain form of a number: a find in it is in all of what is written there */
  whole?: true;
}

/** A string within JSON of a string: what is written between its quotes, where that starts, and in what. */
interface Inside {
  text: string;
  start: number;
  inside: Inside | undefined;
  /** made only when there is a find, since there may be very many */
  escapes?: Escapes;
}

/** A text whose escapes are decoded, and those in the result again, so many times. */
interface Escaped {
  text: string;
  times: number;
  /** where the escapes of each time are; made only when there is a find, since there may be very many */
  escapes?: Escapes[];
}

/** By number of the escape: offset of the unit that it stands for, and where the escape is in the text before. */
export interface Escapes {
  says: number[];
  start: number[];
  end: number[];
}

/** Down to this level of JSON in strings, a string that is JSON is checked as it stands, too. Below, only what is in it. */
const LEVELS_AS_THEY_STAND = 2;

/** A JSON Pointer to what is added; null: it must not be told. Readers of text alone are given none. */
export type ContentPath = string | null | undefined;

export interface ContentReader {
  /** it wants to know the paths, and where the values begin in the JSON that they are in */
  readonly placing?: true;
  string(text: string, path?: ContentPath, at?: number): void;
  /** Adds a JSON value, given as JSON without space around it. */
  json(json: string, path?: ContentPath, at?: number): void;
  done(): ContentReading;
}

export function createReader(): ContentReader {
  const parts: string[] = [];
  let length = 0;
  let decoder: ContentDecoder | undefined;
  function string(text: string, kind: TokenKind = 'string'): void {
    if (isNested(text, kind)) {
      decoder ??= createDecoder();
      decoder.read(text, length);
    }
    const plain = kind === 'number' ? plainNumber(text) : undefined;
    if (plain !== undefined) {
      decoder ??= createDecoder();
      decoder.number(plain, length, length + text.length);
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
      const text = parts.join('\n');
      return decoder ? { text, ...decoder.done() } : { text };
    },
  };
}

interface ContentDecoder {
  /** Adds what is in `text`, if it is JSON or has escapes. It begins at `at` of the text that is read. */
  read(text: string, at: number): void;
  /** Adds the plain form of the number that is from `start` to `end` of the text that is read. */
  number(plain: string, start: number, end: number): void;
  done(): Pick<ContentReading, 'decoded' | 'repeats'>;
}

function createDecoder(): ContentDecoder {
  const parts: string[] = [];
  const pieces: DecodedPiece[] = [];
  let length = 0;
  let repeats = false;

  /** `base`: where `text` begins in the text that is read, or in what the string `inside` says. */
  function read(text: string, level: number, base: number, inside?: Inside): void {
    const before = { parts: parts.length, pieces: pieces.length, length };
    const whole = readTokens(text, (inner, kind, from, to) => {
      const json = isNested(inner, kind);
      const start = base + from;
      if (!json || level < LEVELS_AS_THEY_STAND) {
        const escaped = inner.length < to - from ? { text: text.slice(from, to), times: 1 } : undefined;
        push(inner, { at: length, start, end: base + to, inside, escaped });
      }
      const plain = kind === 'number' ? plainNumber(inner) : undefined;
      if (plain !== undefined) number(plain, { start, end: base + to, inside });
      // Each level doubles the backslashes before a quote, so the levels are at most the logarithm of the text's length.
      if (json) read(inner, level + 1, 0, { text: text.slice(from, to), start, inside });
    });
    if (whole) {
      repeats ||= repeatsNames(text);
      return;
    }
    parts.length = before.parts;
    pieces.length = before.pieces;
    length = before.length;
    readEscapes(text, level, base, inside);
  }

  /** Decodes the escapes in a text that is not JSON as a whole, repeatedly: JSON in JSON escapes them again. */
  function readEscapes(text: string, level: number, start: number, inside: Inside | undefined): void {
    let said = text;
    let times = 0;
    const addSaid = (): void => {
      const escaped = times > 0 ? { text, times } : undefined;
      push(said, { at: length, start, end: start + text.length, inside, escaped });
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

  function number(plain: string, at: Pick<DecodedPiece, 'start' | 'end' | 'inside'>): void {
    push(plain, { at: length, ...at, escaped: undefined, whole: true });
  }

  function push(text: string, piece: DecodedPiece): void {
    pieces.push(piece);
    parts.push(text);
    length += text.length + 1;
  }

  return {
    read: (text, at) => read(text, 1, at),
    number: (plain, start, end) => number(plain, { start, end, inside: undefined }),
    done: () => ({
      ...(parts.length === 0 ? {} : { decoded: { text: parts.join('\n'), pieces } }),
      ...(repeats ? { repeats } : {}),
    }),
  };
}

const isNested = (text: string, kind: TokenKind): boolean => kind === 'string' && mayHideJson(text);

/** How often escapes within escapes are decoded, where the text is not JSON as a whole. */
const MOST_ESCAPED = 8;

/** Where a find in the decoded text is in the text of the reading. */
export function placeOf({ pieces }: DecodedText, find: { start: number; end: number }): { start: number; end: number } {
  const first = pieceAt(pieces, find.start);
  const last = pieceAt(pieces, Math.max(find.start, find.end - 1));
  const { start } = within(first, find.start - first.at);
  const { end } = within(last, Math.max(find.start, find.end - 1) - last.at);
  return { start, end };
}

/** Where the unit at `at` of a piece is. */
function within({ start, end, inside, escaped, whole }: DecodedPiece, at: number): { start: number; end: number } {
  let place = whole ? { start: 0, end: end - start } : { start: at, end: at + 1 };
  if (escaped) {
    escaped.escapes ??= escapesOf(escaped);
    for (const escapes of escaped.escapes) place = placeBefore(escapes, place);
  }
  place = { start: start + place.start, end: Math.min(end, start + place.end) };
  for (let of = inside; of; of = of.inside) {
    of.escapes ??= escapesIn(of.text);
    const written = placeBefore(of.escapes, place);
    place = { start: of.start + written.start, end: of.start + written.end };
  }
  return place;
}

/** Where a range of the decoded text is in the text before. */
const placeBefore = (
  escapes: Escapes,
  { start, end }: { start: number; end: number },
): { start: number; end: number } => ({
  start: before(escapes, start).start,
  end: before(escapes, Math.max(start, end - 1)).end,
});

/** The escapes of each time, the last time first. */
function escapesOf({ text, times }: Escaped): Escapes[] {
  const all: Escapes[] = [];
  for (let i = 0; i < times; i++) {
    all.unshift(escapesIn(text));
    text = unescaped(text);
  }
  return all;
}

/** The escapes in a text, which is the inside of a JSON string. */
export function escapesIn(text: string): Escapes {
  const escapes: Escapes = { says: [], start: [], end: [] };
  let shorter = 0;
  eachEscape(text, (start, end) => {
    escapes.says.push(start - shorter);
    escapes.start.push(start);
    escapes.end.push(end);
    shorter += end - start - 1;
  });
  return escapes;
}

/** Where the unit at `at` of the decoded text is in the text before. */
export function before({ says, start, end }: Escapes, at: number): { start: number; end: number } {
  const last = lastUpTo(says.length, at, (i) => says[i]!);
  if (last < 0) return { start: at, end: at + 1 };
  if (says[last] === at) return { start: start[last]!, end: end[last]! };
  const from = end[last]! + at - says[last]! - 1;
  return { start: from, end: from + 1 };
}

/** The other way: the unit of the decoded text that what is at `at` of the text before stands for. */
export function behind({ says, start, end }: Escapes, at: number): number {
  const last = lastUpTo(start.length, at, (i) => start[i]!);
  if (last < 0) return at;
  return at < end[last]! ? says[last]! : says[last]! + 1 + at - end[last]!;
}

/** The last piece that begins at or before `at`. */
const pieceAt = (pieces: readonly DecodedPiece[], at: number): DecodedPiece =>
  pieces[
    Math.max(
      0,
      lastUpTo(pieces.length, at, (i) => pieces[i]!.at),
    )
  ]!;

/** Place of the last of `count` ascending numbers that is at most `most`; -1 where all are above. */
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
