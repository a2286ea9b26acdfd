/** What stands below the nodes of tries, by depth. A walk that reads masks asks it whether what is shown behind them can follow. */
import type { NodeEnd, Tries } from './lexicon.js';
import { ANY_LETTER, SPACE_EDGE } from './units.js';

/** Levels below a node of which each is known. */
export const LEVELS = 6;

export interface Depths {
  /** by node, then by level from 1 on: bits of the letters of its edges. Level 1 is that of the node's own edges. */
  letters: Int32Array;
  /** By node; bit n of each says that such a node is n below, 0 is itself. Anything ends there. */
  ends: Uint8Array;
  /** a term ends there that may stand within a word */
  within: Uint8Array;
  /** endings may follow */
  inflected: Uint8Array;
  /** what follows is not told by the letters below: parts of compounds, or white space */
  open: Uint8Array;
  /** By node: {@link HOLDS_WITHIN} where a term that may stand within a word ends at any depth, {@link HOLDS_COMPOUND} where parts may follow. */
  holds: Uint8Array;
}

export const HOLDS_WITHIN = 1;
const HOLDS_COMPOUND = 2;

const LEVEL_BITS = (1 << LEVELS) - 1;

/** Children stand behind their parents, so one pass from the last node to the first is enough. */
export function depthsOf({ edges, first, ends: nodeEnds }: Tries): Depths {
  const count = edges.length;
  const bits = (): Uint8Array => new Uint8Array(count);
  const letters = new Int32Array(count * LEVELS);
  const [ends, within, inflected, open, holds] = [bits(), bits(), bits(), bits(), bits()];
  for (let node = count - 1; node >= 0; node--) {
    letters[node * LEVELS] = edges[node]! & ANY_LETTER;
    const end = nodeEnds[node];
    if (end) ends[node] = 1;
    if (end && hasForm(end, 'within')) within[node] = 1;
    if (end && hasForm(end, 'inflected')) inflected[node] = 1;
    if ((end && (end.part || hasForm(end, 'compound'))) || ((edges[node]! >>> SPACE_EDGE) & 1) === 1) open[node] = 1;
    holds[node] = within[node]! * HOLDS_WITHIN;
    if (end && (end.part || hasForm(end, 'compound'))) holds[node]! |= HOLDS_COMPOUND;
    let child = first[node]!;
    for (let rest = edges[node]!; rest !== 0; rest &= rest - 1, child++) {
      for (let level = 1; level < LEVELS; level++) {
        letters[node * LEVELS + level]! |= letters[child * LEVELS + level - 1]!;
      }
      holds[node]! |= holds[child]!;
      for (const of of [ends, within, inflected, open]) of[node]! |= (of[child]! << 1) & LEVEL_BITS;
    }
  }
  return { letters, ends, within, inflected, open, holds };
}

const hasForm = ({ terms }: NodeEnd, form: string): boolean => terms.some((one) => one.form === form);
