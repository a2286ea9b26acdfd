/** Cuts values out of the JSON of a body, as sent but without white space, to keep, check or measure them. */
import { eachElement, eachMember, memberAt, nameOf, skipValue, sourceAt, sourceTo, valueStart } from '../../json.js';

/** JSON of a member of the body; '' if the body does not have it. */
export function memberSource(json: string, name: string): string {
  const at = memberAt(json, valueStart(json), name);
  return at < 0 ? '' : sourceAt(json, at);
}

/** JSON of the members of an object that are no strings, by name. */
export type MemberSources = ReadonlyMap<string, string>;

/** The {@link MemberSources} of the `event` of a body, or of the wanted elements of its `events`. */
export function sourcesOf(
  json: string,
  holder: 'event' | 'events',
  wanted: (place: number) => boolean,
): readonly (MemberSources | undefined)[] {
  let sources: (Map<string, string> | undefined)[] = [];
  const read = (place: number, start: number): number => {
    if (!wanted(place)) return skipValue(json, start);
    const source = new Map<string, string>();
    sources[place] = source;
    return eachMember(json, start, (at, name) => {
      const end = skipValue(json, at);
      if (json.charCodeAt(at) !== QUOTE) source.set(nameOf(json, name), sourceTo(json, at, end));
      return end;
    });
  };
  eachMember(json, valueStart(json), (at, name) => {
    if (nameOf(json, name) !== holder) return skipValue(json, at);
    // If the name occurs twice, the last one counts, as in `JSON.parse`.
    sources = [];
    return holder === 'event' ? read(0, at) : eachElement(json, at, read);
  });
  return sources;
}

const QUOTE = 34;
