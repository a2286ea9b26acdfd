/**
 * A text that is swept is read block by block. The look-up of a state waits for the one before it, so the halves of a block are read side
 * by side, the second one as if nothing were open in front of it, which mostly is so.
 */
import type { InBytes } from '../../automaton.js';
import { AT_WORD, KIND_OF } from './kinds.js';
import { ROW_SHIFT } from './scout.js';

/** Units that are read at once. */
const BLOCK = 2048;

/** Some units of a text, and the state behind each. */
export interface SweptBlock {
  /** how many they are */
  size: number;
  /** the first of them stands in `units` at `from`; `kindOf` says of what is there which kind of unit it is */
  units: Uint8Array;
  from: number;
  kindOf: Uint8Array;
  states: Int16Array;
  /** where the kinds of units stand that are not ASCII */
  kinds: Uint8Array;
}

export const newBlock = (): SweptBlock => ({
  size: 0,
  units: KIND_OF,
  from: 0,
  kindOf: KIND_OF,
  states: new Int16Array(BLOCK),
  kinds: new Uint8Array(BLOCK),
});

/** Kinds are kinds. */
const SAME = Uint8Array.from(KIND_OF, (_, kind) => kind);

/** Reads the units at `start`: `inBytes` where the text stands in bytes. */
export function readUnits(block: SweptBlock, text: string, inBytes: InBytes | undefined, start: number): void {
  const { kinds } = block;
  block.size = Math.min(BLOCK, text.length - start);
  block.units = inBytes ? inBytes.bytes : kinds;
  block.from = inBytes ? inBytes.at + start : 0;
  block.kindOf = inBytes ? KIND_OF : SAME;
  if (!inBytes) for (let i = 0; i < block.size; i++) kinds[i] = KIND_OF[text.charCodeAt(start + i)]!;
}

/** A space is looked for so far behind the middle of a block. */
const MIDDLE = 64;
const SPACE_KIND = KIND_OF[32]!;

/** Where the second half of the block begins: behind a space. Without one, the first half is all of it. */
export function secondHalf({ size, units, from, kindOf }: SweptBlock): number {
  const middle = size >> 1;
  const until = Math.min(size, middle + MIDDLE);
  for (let i = middle; i < until; i++) if (kindOf[units[from + i]!] === SPACE_KIND) return i + 1;
  return size;
}

/** Returns how many units of each half were read before one of them came to what is no state. In front of the first half is `state`. */
export function readHalves(block: SweptBlock, table: Int16Array, state: number, second: number): number {
  const { units, from, kindOf, states, size } = block;
  const most = Math.min(second, size - second);
  let one = state;
  let other: number = AT_WORD;
  for (let i = 0, j = second; i < most; i++, j++) {
    one = table[(one << ROW_SHIFT) | kindOf[units[from + i]!]!]!;
    other = table[(other << ROW_SHIFT) | kindOf[units[from + j]!]!]!;
    if (one <= 0 || other <= 0) return i;
    states[i] = one;
    states[j] = other;
  }
  return most;
}
