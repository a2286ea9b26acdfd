/** JSON of what stands in a body, as it was written but without space: for what is kept, checked or measured as it was sent. */
import { eachElement, eachMember, memberAt, nameOf, skipValue, sourceAt, sourceTo, valueStart } from '../../json.js';

/** JSON of a member of the body; '' where it has none. */
export function memberSource(json: string, name: string): string {
  const at = memberAt(json, valueStart(json), name);
  return at < 0 ? '' : sourceAt(json, at);
}

/** JSON of those members of an object that are objects or arrays, by name. */
export type Sources = ReadonlyMap<string, string>;

/** The {@link Sources} of the objects that the body has as its `event`, or in its `events` or `messages`, of those that are wanted. */
export function sourcesOf(
  json: string,
  holder: 'event' | 'events' | 'messages',
  wanted: (place: number) => boolean,
): readonly (Sources | undefined)[] {
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
  eachMember(json, valueStart(json), (at, name) => {
    if (nameOf(json, name) !== holder) return skipValue(json, at);
    // Of two of that name the last counts.
    sources = [];
    return holder === 'event' ? read(0, at) : eachElement(json, at, read);
  });
  return sources;
}

const OPEN_ARRAY = 91;
const OPEN_OBJECT = 123;
