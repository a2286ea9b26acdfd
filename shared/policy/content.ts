/**
 * What is checked of content. A string is checked as it stands; of JSON its names, strings and numbers, as they are written, in
 * order, joined by newlines. Where strings may be JSON themselves (the arguments of a call), what is in them is checked too.
 */
import { looksLikeJson, readTokens, type TokenKind } from '../json.js';

/** Types of events whose strings may be JSON: what models and programs hand each other. */
const NESTED: ReadonlySet<string> = new Set(['tool', 'function', 'agent']);

/** Whether strings in events of this type may be JSON themselves. */
export const mayNest = (type: string): boolean => NESTED.has(type);

/** A string of an event of this type. */
export function readString(type: string, text: string): Reading {
  if (!mayNest(type) || !looksLikeJson(text)) return { text };
  const reader = createReader();
  reader.string(text, true);
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
}

/** Levels of JSON in strings down to which a string that is JSON is also checked as it stands; below, what is in it. */
const LEVELS_AS_THEY_STAND = 2;

export interface Reader {
  /** Adds a string; `nested`: it may be JSON itself. */
  string(text: string, nested: boolean): void;
  /** Adds a JSON value, given as JSON; `nested`: strings in it may be JSON themselves. */
  json(json: string, nested: boolean): void;
  done(): Reading;
}

export function createReader(): Reader {
  const parts: string[] = [];
  let length = 0;
  let decoder: Decoder | undefined;
  function string(text: string, nested: boolean): void {
    if (nested && looksLikeJson(text)) {
      decoder ??= createDecoder();
      decoder.read(text, length);
    }
    parts.push(text);
    length += text.length + 1;
  }
  return {
    string,
    json(json, nested) {
      readTokens(json, (text, kind) => string(text, nested && kind === 'string'));
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
    const before = { count: parts.length, length };
    const whole = readTokens(text, (inner, kind, from, to) => {
      const [start, end] = place(from, to);
      const json = isNested(inner, kind);
      if (!json || level < LEVELS_AS_THEY_STAND) add(inner, start, end);
      // Each level doubles the quotes' backslashes, so there are no more than a text's length has binary digits.
      if (json) read(inner, level + 1, () => [start, end]);
    });
    if (whole) return;
    parts.length = before.count;
    pieces.length = before.count;
    length = before.length;
    // It looked like JSON, and was to be read as it stands.
    if (level > LEVELS_AS_THEY_STAND) add(text, ...place(0, text.length));
  }

  function add(text: string, start: number, end: number): void {
    pieces.push({ at: length, start, end, same: end - start === text.length });
    parts.push(text);
    length += text.length + 1;
  }

  return {
    read: (text, at) => read(text, 1, (start, end) => [at + start, at + end]),
    done: () => (parts.length === 0 ? undefined : { text: parts.join('\n'), pieces }),
  };
}

const isNested = (text: string, kind: TokenKind): boolean => kind === 'string' && looksLikeJson(text);

/** Where something that was found in the decoded text stands in the text of the reading. */
export function placeOf({ pieces }: Decoded, find: { start: number; end: number }): { start: number; end: number } {
  const first = pieceAt(pieces, find.start);
  const last = pieceAt(pieces, Math.max(find.start, find.end - 1));
  return {
    start: first.same ? first.start + (find.start - first.at) : first.start,
    end: last.same ? Math.min(last.end, last.start + (find.end - last.at)) : last.end,
  };
}

/** The last piece that begins at or before `at`. */
function pieceAt(pieces: readonly Piece[], at: number): Piece {
  let low = 0;
  let high = pieces.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (pieces[middle]!.at <= at) low = middle;
    else high = middle - 1;
  }
  return pieces[low]!;
}
