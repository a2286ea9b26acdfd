/** What is asked of a sweep, and where in its tries that is. A walk goes nowhere else. */
import { ALL_READINGS, readingBit, type TermLexicon } from './lexicon.js';

export interface AskedTerms {
  /** by id of a term: bits of the readings that are asked for */
  terms: Uint8Array | undefined;
  /** of any term */
  readings: number;
  /**
   * By node: bits of all terms at and below it. Endings and parts have all, as they belong to the term before them, and so have terms
   * that another may follow in a compound.
   */
  below: Uint8Array | undefined;
}

export const ALL: AskedTerms = { terms: undefined, readings: ALL_READINGS, below: undefined };

export const MASKED = readingBit('masked');
export const SQUASHED = readingBit('squashed');
export const DISGUISED = ALL_READINGS & ~readingBit('folded');

/** Children stand behind their parents, so one pass from the last node to the first is enough. */
export function askedOf({ tries }: TermLexicon, terms: Uint8Array): AskedTerms {
  const { edges, first, ends } = tries;
  const below = new Uint8Array(edges.length);
  for (let node = edges.length - 1; node >= 0; node--) {
    const end = ends[node];
    for (const { term, form } of end?.terms ?? []) below[node]! |= form === 'compound' ? ALL_READINGS : terms[term.id]!;
    if (end?.ending || end?.part) below[node] = ALL_READINGS;
    let child = first[node]!;
    for (let rest = edges[node]!; rest !== 0; rest &= rest - 1) below[node]! |= below[child++]!;
  }
  return { terms, readings: terms.reduce((all, one) => all | one, 0), below };
}
