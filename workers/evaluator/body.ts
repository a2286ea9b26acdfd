/** The JSON of a body. */
import {
  eachElement,
  eachMember,
  memberAt,
  nameOf,
  skipValue,
  sourceAt,
  sourceTo,
  valueStart,
} from '../../shared/json.js';

export interface Body<T = unknown> {
  value: T;
  /** as it was sent, for what is kept or checked as it was written */
  json: string;
}

/**
 * A body that was validated when it was accepted. Throws, in words of our own, on one that is no JSON any more: the words of
 * the engine quote the text, and they go into logs and dead letters.
 */
export function readBody(body: Uint8Array): Body {
  const json = Buffer.from(body.buffer, body.byteOffset, body.length).toString();
  try {
    return { value: JSON.parse(json), json };
  } catch {
    throw new Error('the body of the entry is not valid JSON');
  }
}

/** The body that `value` comes to. */
export const madeBody = <T>(value: T): Body<T> => ({ value, json: JSON.stringify(value) });

/** JSON of a member of the body, as it was written but without space; '' where it has none. */
export function memberSource(json: string, name: string): string {
  const at = memberAt(json, valueStart(json), name);
  return at < 0 ? '' : sourceAt(json, at);
}

/** Where an element of the array stands that is a member of the body: the last one that `index` does not exclude. */
export function elementAt(json: string, name: string, index: number): number {
  let found = -1;
  eachElement(json, memberAt(json, valueStart(json), name), (at, start) => {
    if (at <= index) found = start;
    return skipValue(json, start);
  });
  return found;
}

/** The same for the last element. */
export const lastElementAt = (json: string, name: string): number => elementAt(json, name, Number.POSITIVE_INFINITY);

export type EventSource = ReadonlyMap<string, string>;

/** Of each event that is wanted, by its place, the JSON of those members that are objects or arrays, as it was written but without space. */
export function eventSources(json: string, wanted: (place: number) => boolean): readonly (EventSource | undefined)[] {
  let sources: (Map<string, string> | undefined)[] = [];
  const read = (place: number, start: number): number => {
    if (!wanted(place)) return skipValue(json, start);
    const source = new Map<string, string>();
    sources[place] = source;
    return eachMember(json, start, (at, name) => {
      const end = skipValue(json, at);
      const first = json.charCodeAt(at);
      if (first === OPEN_OBJECT || first === OPEN_ARRAY) source.set(nameOf(json, name), sourceTo(json, at, end));
      return end;
    });
  };
  eachMember(json, valueStart(json), (at, nameAt) => {
    const name = nameOf(json, nameAt);
    if (name !== 'event' && name !== 'events') return skipValue(json, at);
    sources = [];
    return name === 'event' ? read(0, at) : eachElement(json, at, read);
  });
  return sources;
}

const OPEN_ARRAY = 91;
const OPEN_OBJECT = 123;
