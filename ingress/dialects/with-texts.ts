/** Puts other texts into JSON. All else stays as it was written. */
import { eachElement, eachMember, nameOf, skipValue } from '../../shared/json.js';

/** Where texts stand: a text by its number, or what leads on to some. */
interface PlacesWithin {
  text?: number;
  within: Map<string | number, PlacesWithin>;
}

/** `ways`: by number of a text, the names and positions that lead to it in `json`. Reads `json` once. */
export function withTexts(
  json: string,
  ways: readonly (readonly (string | number)[])[],
  texts: readonly string[],
): string {
  const top: PlacesWithin = { within: new Map() };
  for (const [i, way] of ways.entries()) {
    let place = top;
    for (const step of way) {
      const next: PlacesWithin = place.within.get(step) ?? { within: new Map() };
      place.within.set(step, next);
      place = next;
    }
    place.text = i;
  }
  let [made, from] = ['', 0];

  function walk(at: number, place: PlacesWithin | undefined): number {
    if (!place) return skipValue(json, at);
    if (place.text !== undefined) {
      const end = skipValue(json, at);
      const text = texts[place.text]!;
      if (JSON.parse(json.slice(at, end)) !== text) {
        made += json.slice(from, at) + JSON.stringify(text);
        from = end;
      }
      return end;
    }
    if (json[at] === '{')
      return eachMember(json, at, (start, name) => walk(start, place.within.get(nameOf(json, name))));
    if (json[at] === '[') return eachElement(json, at, (index, start) => walk(start, place.within.get(index)));
    return skipValue(json, at);
  }

  walk(0, top);
  return made + json.slice(from);
}
