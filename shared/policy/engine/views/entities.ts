/** Entities of HTML, as in `&quot;` and `&#64;`: what they say, and where each character of that stands. */
import type { Payload } from './payload.js';

const NAMED: Readonly<Record<string, string>> = {
  quot: '"',
  apos: "'",
  amp: '&',
  lt: '<',
  gt: '>',
  nbsp: ' ',
  commat: '@',
  period: '.',
  colon: ':',
  equals: '=',
};
const ENTITY = /&(?:#(\d{2,6})|#x([\da-f]{1,5})|(quot|apos|amp|lt|gt|nbsp|commat|period|colon|equals));/gi;
/** So far around an entity what it is part of is read, and most characters in all. */
const [AROUND, MOST] = [256, 10_000] as const;

/** What `text` says from a little before its first entity on; undefined: it has none. */
export function entitiesIn(text: string): Payload | undefined {
  ENTITY.lastIndex = 0;
  const first = ENTITY.exec(text);
  if (!first) return undefined;
  const from = Math.max(0, first.index - AROUND);
  const places: number[] = [];
  let said = '';
  let last = from;
  const copy = (to: number): void => {
    for (let i = last; i < to; i++) places.push(i);
    said += text.slice(last, to);
  };
  for (let match: RegExpExecArray | null = first; match && places.length < MOST; match = ENTITY.exec(text)) {
    // What is far from all of them is read as it stands.
    copy(match.index - last > 2 * AROUND ? last + AROUND : match.index);
    if (match.index - last > 2 * AROUND) {
      said += '\n';
      places.push(last + AROUND);
      last = match.index - AROUND;
      copy(match.index);
    }
    said += characterOf(match);
    places.push(match.index);
    last = match.index + match[0].length;
  }
  const end = Math.min(text.length, last + AROUND);
  copy(end);
  places.push(end);
  return { view: 'decoded', start: from, end, text: said, places };
}

/** One unit; a space for what is none. */
function characterOf([, decimal, hex, name]: RegExpExecArray): string {
  if (name !== undefined) return NAMED[name.toLowerCase()]!;
  const code = decimal === undefined ? Number.parseInt(hex!, 16) : Number(decimal);
  return code > 31 && code < 0xd800 ? String.fromCharCode(code) : ' ';
}
