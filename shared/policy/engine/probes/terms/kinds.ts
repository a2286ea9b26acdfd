/** Units of a text by how they are read in words that may be disguised, and what each says of the place behind it. */
import { unitTable } from '../../unit-table.js';
import { ANY_LETTER, DIGIT, MASK, PLAIN, SEPARATOR, STAR, UNITS } from './units.js';

/** Where a unit stands: at the start of a word, or within one. */
export const AT_WORD = 1;
export const IN_WORD = 2;
/** Behind a symbol that may be the first letter of a word. */
export const BEHIND_SYMBOL = 3;
/** Behind what may hide a letter or part two. */
const BEHIND_VEIL = 4;
export const PLACES = [AT_WORD, IN_WORD, BEHIND_SYMBOL, BEHIND_VEIL] as const;
export type UnitPlace = (typeof PLACES)[number];

const SORTS = ['boundary', 'letter', 'symbol', 'veil'] as const;
type Sort = (typeof SORTS)[number];

/** Units that are read alike. */
export interface UnitKind {
  /** as in `UNITS`, without {@link PLAIN} and {@link DIGIT} */
  unit: number;
  /** a letter or digit of any script is a letter */
  sort: Sort;
  star: boolean;
}

/** Kinds are numbered below this. The last number is that of the end of a text. */
export const MOST_KINDS = 64;
export const END = MOST_KINDS - 1;

/** By unit: 1 where it is a letter or digit of any script. */
const WORD = unitTable(0, [[/[\p{L}\p{N}]+/gu, 1]]);

function sortOf(code: number): Sort {
  const unit = UNITS[code]!;
  if ((unit & (PLAIN | DIGIT)) !== 0) return 'letter';
  if ((unit & ANY_LETTER) !== 0) return 'symbol';
  if ((unit & (SEPARATOR | MASK)) !== 0) return 'veil';
  return code > 127 && WORD[code] === 1 ? 'letter' : 'boundary';
}

/** What most texts are made of has the first numbers, so that a row of the automaton has it side by side: in one line of a cache. */
const COMMON = ' \n,abcdefghijklmnopqrstuvwxyz';

const made = makeKinds();
/** By UTF-16 unit: the number of its kind. */
export const KIND_OF: Uint8Array = made.kindOf;
/** By number. */
export const KINDS: readonly UnitKind[] = made.kinds;

function makeKinds(): { kindOf: Uint8Array; kinds: UnitKind[] } {
  const kindOf = new Uint8Array(0x10000);
  const kinds: UnitKind[] = [];
  const numberOf = (code: number): number => {
    const kind = { unit: UNITS[code]! & ~(PLAIN | DIGIT), sort: sortOf(code), star: code === STAR };
    const known = kinds.findIndex(
      ({ unit, sort, star }) => unit === kind.unit && sort === kind.sort && star === kind.star,
    );
    return known < 0 ? kinds.push(kind) - 1 : known;
  };
  for (const common of COMMON) numberOf(common.charCodeAt(0));
  // By sort: of the units that stand for nothing else, which are most.
  const others: Partial<Record<Sort, number>> = {};
  for (let code = 0; code < kindOf.length; code++) {
    const sort = sortOf(code);
    const number = (UNITS[code] === 0 ? others[sort] : undefined) ?? numberOf(code);
    if (UNITS[code] === 0) others[sort] = number;
    kindOf[code] = number;
  }
  if (kinds.length > END) throw new RangeError(`units are of ${kinds.length} kinds; expected at most ${END}`);
  return { kindOf, kinds };
}

/** Where what follows a unit stands that itself stands at `place`. */
export function placeBehind(place: UnitPlace, sort: Sort): UnitPlace {
  if (sort === 'boundary') return AT_WORD;
  if (sort === 'letter') return IN_WORD;
  if (sort === 'veil') return BEHIND_VEIL;
  // A symbol behind a letter may be one itself.
  return place === AT_WORD || place === BEHIND_VEIL ? BEHIND_SYMBOL : IN_WORD;
}
