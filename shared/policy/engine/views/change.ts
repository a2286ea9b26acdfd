/**
 * A change of a text into a view, with the sizes that it gives characters. Most characters are changed alone, so the size of a piece of
 * text follows from a table; to change each piece takes a hundred times as long.
 */

export interface ViewChange {
  /** the changed form of a text */
  of(text: string): string;
  /** by plane of Unicode and code point: what is known of a character; see {@link characterAt} */
  readonly planes: (Uint8Array | undefined)[];
}

export const changeOf = (of: (text: string) => string): ViewChange => ({ of, planes: [] });

/** It is changed otherwise beside others, or it is no character. */
export const ACTS = 255;
/** A mark that may become one with what it stands on. */
export const COMPOSES = 254;
/** A mark that never does. */
export const IS_MARK = 128;
/** One more than the size in the view. */
const SIZE = 127;

export const sizeIn = (character: number): number => (character & SIZE) - 1;

/** What is known of the character `point`: {@link ACTS}, {@link COMPOSES}, or its size for {@link sizeIn}, and whether it is a mark. */
export function characterAt(change: ViewChange, point: number): number {
  const plane = point >>> 16;
  change.planes[plane] ??= new Uint8Array(0x10000);
  const table = change.planes[plane];
  const known = table[point & 0xffff]!;
  if (known !== 0) return known;
  const learnt = learn(change, point);
  table[point & 0xffff] = learnt;
  return learnt;
}

const MARK = /\p{M}/u;
/**
 * Surrogates that are alone, letters of Hangul syllables, half-width letters, joiners, and regional indicators: what becomes of them
 * depends on what is before or behind.
 */
const ACTING = /[\p{Cs}\u1100-\u11ff\ua960-\ua97f\ud7b0-\ud7ff\uff61-\uffdf\u200c]|\u200d|[\u{1f1e6}-\u{1f1ff}]/u;
const FIRST_ACTING = /^[\p{M}\u1100-\u11ff]/u;

function learn({ of }: ViewChange, point: number): number {
  const character = String.fromCodePoint(point);
  if (ACTING.test(character)) return ACTS;
  const changed = of(character);
  if (changed.length >= SIZE) return ACTS;
  if (!MARK.test(character)) return FIRST_ACTING.test(changed) ? ACTS : changed.length + 1;
  // What is taken away does not become one with anything.
  if (changed !== '' && pointsOf(character).some((part) => composing().has(part))) return COMPOSES;
  return IS_MARK | (changed.length + 1);
}

/** Where characters are that are made of others, but for Hangul syllables. */
const COMPOSED: readonly (readonly [number, number])[] = [
  [0xc0, 0x3100],
  [0x11000, 0x12000],
  [0x16d00, 0x16e00],
];

/** The parts that it is made of. */
const pointsOf = (character: string): number[] =>
  Array.from(character.normalize('NFD'), (part) => part.codePointAt(0)!);

let marks: ReadonlySet<number> | undefined;

/** Characters that become one with what stands before them. */
function composing(): ReadonlySet<number> {
  if (marks) return marks;
  const found = new Set<number>();
  for (const [from, to] of COMPOSED) {
    for (let point = from; point < to; point++) {
      for (const part of pointsOf(String.fromCodePoint(point)).slice(1)) found.add(part);
    }
  }
  marks = found;
  return marks;
}
