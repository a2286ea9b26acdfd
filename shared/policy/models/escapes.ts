/** What stands for a character in a URL or in HTML, within the page that is read. */
import { CODES, isHandle, LAST_LETTER, SEPARATOR, SKIP } from './characters.js';
import { units } from './page.js';

const [HASH, PERCENT, SEMICOLON, TWO, ZERO] = [35, 37, 59, 50, 48] as const;

/** Whether `%20` stands at `i`. */
export const isSpace = (i: number, to: number): boolean =>
  units[i] === PERCENT && i + 2 < to && units[i + 1] === TWO && units[i + 2] === ZERO;

const LONGEST_ENTITY = 8;
/** Apostrophes, which stand in no word; by number and by name. */
const APOSTROPHES: ReadonlySet<number> = new Set([39, 0x2019]);
const OF_APOSTROPHE = ['apos', 'rsquo'];

/** The code of the entity that was read last: of a letter, or that of what parts words or is skipped. */
export const entity = { code: SEPARATOR };

/** Reads an entity such as `&amp;` or `&#39;` that begins at `i`. Returns its last unit; `i` where there is none. */
export function readEntity(i: number, to: number): number {
  let end = i + 1;
  const last = Math.min(to, i + 1 + LONGEST_ENTITY);
  while (end < last && units[end] !== SEMICOLON && (units[end] === HASH || isHandle(units[end]!))) end++;
  if (units[i] === PERCENT || end < i + 3 || end >= last || units[end] !== SEMICOLON) return i;
  const name = String.fromCharCode(...units.subarray(i + 1, end));
  const point = name[0] === '#' ? Number(name[1] === 'x' || name[1] === 'X' ? `0${name.slice(1)}` : name.slice(1)) : 0;
  if (APOSTROPHES.has(point) || OF_APOSTROPHE.includes(name)) entity.code = SKIP;
  else {
    const code = point > 0 && point < 128 ? CODES[point]! : SEPARATOR;
    entity.code = code <= LAST_LETTER ? code : SEPARATOR;
  }
  return end;
}
