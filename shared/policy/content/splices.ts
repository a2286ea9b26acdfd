/**
 * Where JSON must be changed so that the marks of a text stand in it. The text is what is checked of the JSON (`content.ts`): its
 * strings, names and numbers, joined by newlines. The result is JSON of the same shape: a mark stands within a string or a name, and
 * takes the place of a number as a string. A string that is JSON itself stays JSON.
 */
import { looksLikeJson, readTokens, skipValue, type TokenKind } from '../../json.js';
import type { Mark } from '../types.js';
import { before, behind, type Escapes, escapesIn } from './content.js';
import { markText } from './marks.js';

/** A range of JSON, in UTF-16 units, and the JSON that takes its place. */
export interface Splice {
  start: number;
  end: number;
  text: string;
}

interface JsonRange {
  start: number;
  end: number;
}

/** Where a range of a string is in the JSON. */
type JsonRangeOf = (range: JsonRange) => JsonRange;

/** A string or a name with marks. */
interface Written {
  /** what it says */
  text: string;
  kind: TokenKind;
  /** offsets in `text` */
  marks: readonly Mark[];
  place: JsonRangeOf;
  /** of the JSON that it is written in: 0 for the JSON itself, 1 for JSON in a string of it */
  level: number;
}

interface MarkedRange extends JsonRange {
  label: string;
  /** of the first mark of a name: the name */
  name?: string;
  /** of a number: the level of its JSON */
  number?: number;
}

/**
 * `values`: where the values begin in `json` that the text was read from, in order. `marks`: ascending and apart from each other. Takes
 * time linear in the values, and for each mark the logarithm of their length.
 */
export function splicesOf(json: string, values: readonly number[], marks: readonly Mark[]): Splice[] {
  if (marks.length === 0) return [];
  const changes: MarkedRange[] = [];
  const names = new Set<string>();
  /** where the next part begins in the text */
  let at = 0;
  let next = 0;
  for (const value of values) {
    const behind = skipValue(json, value);
    const isName = json[value] === '"' && NAME_ENDS.test(json.slice(behind, behind + MOST_SPACE));
    readTokens(json.slice(value, behind), (text, read, from, to) => {
      const kind = isName ? 'name' : read;
      if (kind === 'name') names.add(text);
      const within = marksWithin(marks, next, { start: at, end: at + text.length });
      at += text.length + 1;
      while (next < marks.length && marks[next]!.end <= at) next++;
      if (within.length === 0) return;
      const token = { start: value + from, end: value + to };
      if (kind === 'number' || kind === 'boolean') changes.push({ ...token, label: within[0]!.label, number: 0 });
      else changeString({ text, kind, marks: within, place: placeIn(json, token), level: 0 }, changes, names);
    });
  }
  return splicesFrom(changes, names);
}

/** Behind a string that is the name of a member. */
const NAME_ENDS = /^\s*:/;
const MOST_SPACE = 1024;

/** The marks from number `first` on that overlap `range`, with offsets in it. */
function marksWithin(marks: readonly Mark[], first: number, { start, end }: JsonRange): Mark[] {
  const within: Mark[] = [];
  for (let i = first; i < marks.length && marks[i]!.start < end; i++) {
    const mark = marks[i]!;
    const from = Math.max(mark.start, start);
    const to = Math.min(mark.end, end);
    if (from < to) within.push({ start: from - start, end: to - start, label: mark.label });
  }
  return within;
}

/** Places in what is written at `token` of `json`, between the quotes; `outer`: where that JSON is. */
function placeIn(json: string, token: JsonRange, outer: JsonRangeOf = (range) => range): JsonRangeOf {
  const escapes = lazily(() => escapesIn(json.slice(token.start, token.end)));
  return ({ start, end }) =>
    outer({
      start: token.start + before(escapes(), start).start,
      end: token.start + before(escapes(), end - 1).end,
    });
}

function lazily(make: () => Escapes): () => Escapes {
  let made: Escapes | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

function changeString(string: Written, changes: MarkedRange[], names: Set<string>): void {
  const { text, kind, marks, place } = string;
  if (kind === 'string' && looksLikeJson(text) && changeTokens(string, changes, names)) return;
  for (const [i, { start, end, label }] of marks.entries()) {
    const named = kind === 'name' && i === 0 ? { name: text } : {};
    changes.push({ ...place(wholeCharacters(text, { start, end })), label, ...named });
  }
}

/** Changes the JSON that a string is; false: it is none. */
function changeTokens({ text, marks, place, level }: Written, changes: MarkedRange[], names: Set<string>): boolean {
  const inner: MarkedRange[] = [];
  const innerNames: string[] = [];
  let next = 0;
  const whole = readTokens(text, (said, kind, from, to) => {
    if (kind === 'name') innerNames.push(said);
    const within = marksWithin(marks, next, { start: from, end: to });
    while (next < marks.length && marks[next]!.end <= to) next++;
    if (within.length === 0) return;
    const token = { start: from, end: to };
    if (kind === 'number') {
      inner.push({ ...place(token), label: within[0]!.label, number: level + 1 });
      return;
    }
    // The marks are offsets in how the string is written. Those of what it says are wanted.
    const escapes = escapesIn(text.slice(from, to));
    const decoded = within.map(({ start, end, label }) => {
      return { start: behind(escapes, start), end: behind(escapes, end - 1) + 1, label };
    });
    changeString(
      { text: said, kind, marks: decoded, place: placeIn(text, token, place), level: level + 1 },
      inner,
      names,
    );
  });
  if (!whole) return false;
  for (const change of inner) changes.push(change);
  for (const name of innerNames) names.add(name);
  return true;
}

/** The range with all of a surrogate pair that it has half of. */
function wholeCharacters(text: string, { start, end }: JsonRange): JsonRange {
  const splits = (at: number): boolean => isHigh(text.charCodeAt(at - 1)) && isLow(text.charCodeAt(at));
  return { start: splits(start) ? start - 1 : start, end: splits(end) ? end + 1 : end };
}

const isHigh = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;
const isLow = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;

/** Something that reads like a mark, with its number. */
const LIKE_MARK = /\[[A-Z][A-Z0-9_]*?(?:_(\d{1,12}))?\]/g;

/**
 * Members of an object must stay apart. So each name that is changed has a number of its own, which no name has already. The first one
 * needs none, where no name reads like a mark.
 */
function splicesFrom(changes: MarkedRange[], names: ReadonlySet<string>): Splice[] {
  const numbers = new Map<string, number>();
  let last = 0;
  if (changes.some(({ name }) => name !== undefined)) {
    for (const name of names) {
      for (const [, number = 1] of name.matchAll(LIKE_MARK)) last = Math.max(last, Number(number));
    }
  }
  const numbered = (name: string): string => {
    let number = numbers.get(name);
    if (number === undefined) {
      number = ++last;
      numbers.set(name, number);
    }
    return number === 1 ? '' : `_${number}`;
  };
  changes.sort((a, b) => a.start - b.start);
  const splices: Splice[] = [];
  for (const { start, end, label, name, number } of changes) {
    const previous = splices.at(-1);
    if (previous && start < previous.end) {
      previous.end = Math.max(previous.end, end);
      continue;
    }
    const text = markText(`${label}${name === undefined ? '' : numbered(name)}`);
    splices.push({ start, end, text: number === undefined ? text : quoted(text, number) });
  }
  return splices;
}

/** A string as it is written in JSON of that level. */
function quoted(text: string, level: number): string {
  let json = JSON.stringify(text);
  for (let i = 0; i < level; i++) json = JSON.stringify(json).slice(1, -1);
  return json;
}
