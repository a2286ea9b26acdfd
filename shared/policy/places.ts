/**
 * Where finds stand in content as it was sent. Detectors look at the strings, names and numbers of JSON joined by newlines
 * (`content.ts`). This reads the JSON once more, and leads from there back to each of them: by a JSON Pointer (RFC 6901) and by
 * offsets in it. It runs only for items with finds.
 *
 * Evidence never holds content, and the names in a path are content, too. So a path has only names that look like those of fields and
 * in which nothing was found. It ends before any other.
 */
import { eachElement, eachMember, nameOf, skipValue, unescaped } from '../json.js';
import type { Reader } from './content.js';
import type { Evidence } from './types.js';

/** A find in one string, name or number of JSON. */
export interface Place {
  /** leads to it; of a name to the object that has it */
  path: string;
  /** of a name: its number in the object, from 0 */
  index?: number;
  /** in UTF-16 units of it; both 0: somewhere in what `path` leads to */
  start: number;
  end: number;
}

/** A find that spans more strings than this has one place: all of the content. */
const MOST_PLACES = 8;

/** Reads content in the same order as the reader that made the text. */
export interface PlacingReader extends Reader {
  /** By place in the evidence: where it is, at least once. */
  places(): Place[][];
}

interface Open {
  evidence: Evidence;
  /** undefined: too many */
  places: Place[] | undefined;
}

/** A name on the way to a value, or the number of an element. */
interface Step {
  name: string;
  /** it may be in a path */
  shown: boolean;
}

export function createPlacingReader(all: readonly Evidence[]): PlacingReader {
  const opens = all.map((evidence): Open => ({ evidence, places: [] }));
  const waiting = [...opens].sort((a, b) => b.evidence.start - a.evidence.start);
  let active: Open[] = [];
  /** where the next part begins in the text */
  let at = 0;
  const steps: Step[] = [];
  let base: string | null = '';

  /** Tells of the next part of the text. Returns whether there is a find in it and nowhere else. */
  function part(length: number, member?: number): boolean {
    const start = at;
    const end = start + length;
    at = end + 1;
    while ((waiting.at(-1)?.evidence.start ?? Number.POSITIVE_INFINITY) < at) active.push(waiting.pop()!);
    if (active.length === 0) return false;
    let only = false;
    for (const open of active) {
      const from = Math.max(open.evidence.start, start);
      const to = Math.min(open.evidence.end, end);
      if (from >= to && open.evidence.start < open.evidence.end) continue;
      only ||= open.evidence.start >= start && open.evidence.end <= end;
      if (open.places!.push(place(from - start, to - start, member)) > MOST_PLACES) open.places = undefined;
    }
    active = active.filter(({ evidence, places }) => places && evidence.end > at);
    return only;
  }

  function place(start: number, end: number, member: number | undefined): Place {
    if (base === null) return { path: '', start: 0, end: 0 };
    const hidden = steps.findIndex(({ shown }) => !shown);
    const path =
      base +
      steps
        .slice(0, hidden < 0 ? steps.length : hidden)
        .map(({ name }) => `/${pointed(name)}`)
        .join('');
    if (hidden >= 0) return { path, start: 0, end: 0 };
    return member === undefined ? { path, start, end } : { path, index: member, start, end };
  }

  function read(json: string, start: number): number {
    const first = json[start];
    if (first === '{') {
      let member = 0;
      return eachMember(json, start, (value, nameAt) => {
        const name = nameOf(json, nameAt);
        const found = part(name.length, member++);
        return within({ name, shown: !found && isPlain(name) }, () => read(json, value));
      });
    }
    if (first === '[') {
      return eachElement(json, start, (i, value) => within({ name: String(i), shown: true }, () => read(json, value)));
    }
    const end = skipValue(json, start);
    if (first === '"') part(unescaped(json.slice(start + 1, end - 1)).length);
    else if (first === '-' || (first! >= '0' && first! <= '9')) part(end - start);
    return end;
  }

  function within(step: Step, work: () => number): number {
    steps.push(step);
    const end = work();
    steps.pop();
    return end;
  }

  return {
    placing: true,
    string(text, path = '') {
      base = path;
      part(text.length);
    },
    json(json, path = '') {
      base = path;
      read(json, 0);
    },
    done: () => ({ text: '' }),
    places: () => opens.map(({ places }) => (places?.length ? places : [{ path: '', start: 0, end: 0 }])),
  };
}

/** Names of fields. Those with a space or a long number are more often of people, cards or files. */
const PLAIN = /^[@$#_\p{L}][\p{L}\p{N}_$.:-]{0,63}$/u;
const LONG_NUMBER = /\p{N}{4}/u;
export const isPlain = (name: string): boolean => PLAIN.test(name) && !LONG_NUMBER.test(name);

/** A name as a pointer writes it. */
const pointed = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');
