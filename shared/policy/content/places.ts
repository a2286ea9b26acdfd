/**
 * Where finds stand in content as it was sent. Detectors look at the strings, names and numbers of JSON joined by newlines
 * (`content.ts`). This reads the JSON once more, and leads from there back to each of them: by a JSON Pointer (RFC 6901) and by
 * offsets in it. It runs only for items with finds.
 *
 * Evidence never holds content, and the names in a path are content, too. So a path has only names that look like those of fields and
 * in which nothing was found. It ends before any other.
 */
import { eachElement, eachMember, isFieldName, nameOf, skipValue, unescaped } from '../../json.js';
import { type CountedRange, createCounter, type TextCounter } from '../../text-counts.js';
import type { Evidence } from '../types.js';
import type { ContentReader } from './content.js';

/** A find in one string, name or number of JSON. */
export interface FindPlace {
  /** leads to it; of a name to the object that has it */
  path: string;
  /** of a name: its number in the object, from 0 */
  index?: number;
  /** in UTF-16 units of it; both 0: somewhere in what `path` leads to */
  start: number;
  end: number;
  /** the same in other units; absent: they are the same */
  counted?: CountedRange | undefined;
  /** where it is in the text that is read; absent: from `start` to `end` */
  within?: readonly [start: number, end: number] | undefined;
}

/** Characters of a path. A caller decides how long names and how deep values are, and the path of each find is stored. */
const LONGEST_PATH = 256;

/** A find that spans more strings than this has one place: all of the content. */
const MOST_PLACES = 8;

/** Reads content in the same order as the reader that made the text. */
export interface PlacingReader extends ContentReader {
  /** By place in the evidence: where it is, at least once. */
  places(): FindPlace[][];
}

interface Open {
  evidence: Evidence;
  /** undefined: too many */
  places: FindPlace[] | undefined;
}

/** The parts of the text in their order, and the evidence in them. */
interface TextParts {
  /**
   * Adds the next part. `place` tells where a range of it is, `textOf` what it says. Returns whether there is a find in it and nowhere
   * else.
   */
  add(length: number, place: (start: number, end: number) => FindPlace, textOf: () => string): boolean;
  places(): FindPlace[][];
}

function createParts(all: readonly Evidence[]): TextParts {
  const opens = all.map((evidence): Open => ({ evidence, places: [] }));
  const waiting = [...opens].sort((a, b) => b.evidence.start - a.evidence.start);
  let active: Open[] = [];
  /** where the next part begins in the text */
  let at = 0;
  return {
    add(length, place, textOf) {
      const start = at;
      const end = start + length;
      at = end + 1;
      while ((waiting.at(-1)?.evidence.start ?? Number.POSITIVE_INFINITY) < at) active.push(waiting.pop()!);
      if (active.length === 0) return false;
      let only = false;
      let counter: TextCounter | undefined;
      for (const open of active) {
        const from = Math.max(open.evidence.start, start);
        const to = Math.min(open.evidence.end, end);
        if (from >= to && open.evidence.start < open.evidence.end) continue;
        only ||= open.evidence.start >= start && open.evidence.end <= end;
        const found = place(from - start, to - start);
        counter ??= createCounter(textOf());
        const counted = counter.rangeOf(found.start, found.end);
        const within = from === found.start && to === found.end ? undefined : ([from, to] as const);
        const told = counted || within ? { ...found, counted, within } : found;
        if (open.places!.push(told) > MOST_PLACES) open.places = undefined;
      }
      active = active.filter(({ evidence, places }) => places && evidence.end > at);
      return only;
    },
    places: () =>
      opens.map(({ evidence: { start, end }, places }) =>
        places?.length ? places : [{ ...EVERYWHERE, within: [start, end] as const }],
      ),
  };
}

/** In all of the content. */
const EVERYWHERE: FindPlace = { path: '', start: 0, end: 0 };

/** A member or an element on the way to a value. */
interface JsonStep {
  /** of its name in the JSON; -1: it is an element */
  nameAt: number;
  /** from 0 */
  index: number;
  /** something was found in its name */
  found: boolean;
}

export function createPlacingReader(all: readonly Evidence[]): PlacingReader {
  const parts = createParts(all);
  return {
    placing: true,
    string(text, path = '') {
      const place = (start: number, end: number): FindPlace => (path === null ? EVERYWHERE : { path, start, end });
      parts.add(text.length, place, () => text);
    },
    json: (json, path = '') => readPlaces(json, path, parts),
    done: () => ({ text: '' }),
    places: parts.places,
  };
}

/** Adds the names, strings and numbers of `json`, to which `path` leads. */
function readPlaces(json: string, path: string | null, parts: TextParts): void {
  const escapes = json.includes('\\');
  const steps: JsonStep[] = [];

  /** What the string from quote to quote says, and its length. */
  const saidIn = (start: number, end: number): string => unescaped(json.slice(start + 1, end - 1));
  const unitsOf = (start: number, end: number): number => (escapes ? saidIn(start, end).length : end - start - 2);

  const place = (start: number, end: number): FindPlace => {
    const way = pathOf(json, path, steps);
    return way.whole ? { path: way.path, start, end } : { path: way.path, start: 0, end: 0 };
  };

  function read(start: number): number {
    const first = json[start];
    if (first === '{') return readMembers(start);
    if (first === '[') {
      return eachElement(json, start, (index, value) => within({ nameAt: -1, index, found: false }, value));
    }
    const end = skipValue(json, start);
    if (first === '"') parts.add(unitsOf(start, end), place, () => saidIn(start, end));
    else if (first === '-' || (first! >= '0' && first! <= '9') || (start === 0 && first !== 'n'))
      parts.add(end - start, place, () => json.slice(start, end));
    return end;
  }

  function readMembers(start: number): number {
    let index = 0;
    const inName = (from: number, to: number): FindPlace => {
      const of = place(from, to);
      return of.end === 0 ? of : { path: of.path, index, start: from, end: to };
    };
    return eachMember(json, start, (value, nameAt) => {
      const end = skipValue(json, nameAt);
      const found = parts.add(unitsOf(nameAt, end), inName, () => saidIn(nameAt, end));
      return within({ nameAt, index: index++, found }, value);
    });
  }

  function within(step: JsonStep, value: number): number {
    steps.push(step);
    const end = read(value);
    steps.pop();
    return end;
  }

  read(0);
}

/** The path to where `steps` lead, as far as it may be told; `whole`: all of it may. */
function pathOf(json: string, base: string | null, steps: readonly JsonStep[]): { path: string; whole: boolean } {
  let path = base ?? '';
  if (base === null) return { path, whole: false };
  for (const { nameAt, index, found } of steps) {
    const name = nameAt < 0 ? String(index) : nameOf(json, nameAt);
    const step = `/${pointed(name)}`;
    if (found || (nameAt >= 0 && !isFieldName(name)) || path.length + step.length > LONGEST_PATH) {
      return { path, whole: false };
    }
    path += step;
  }
  return { path, whole: true };
}

/** A name as a pointer writes it. */
const pointed = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');
