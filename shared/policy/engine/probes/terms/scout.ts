/**
 * Where a term of a lexicon may be read, told by an automaton that takes one step for each unit, however many terms there are. Its
 * states are made as texts need them, so it is quick to build, and there is a bound of them.
 *
 * A state stands for the nodes of the tries to which some reading of the units before leads. Where a term ends at one of them, it may be
 * there, and the tries are walked. So the automaton may say too much; it misses none.
 */

import {
  AT_WORD,
  BEHIND_SYMBOL,
  END,
  IN_WORD,
  KINDS,
  MOST_KINDS,
  PLACES,
  placeBehind,
  type UnitKind,
  type UnitPlace,
} from './kinds.js';
import { childOf, type NodeEnd, type TermLexicon } from './lexicon.js';
import { ANY_LETTER, MASK, SEPARATOR, SPACE, SPACE_EDGE } from './units.js';

/** States of one automaton, {@link MOST_KINDS} cells of 2 bytes each: half a megabyte. */
export const MOST_STATES = 4096;
const FIRST_STATES = 64;
/**
 * A text puts so many cells into the table, and one more for so many of its units: to make a state takes as long as some hundred steps, and a
 * random text has a new one at every second unit. Where the next state is not known, a term may be there.
 */
const LEARNT = 128;
const UNITS_PER_CELL = 32;
/** A state of more nodes is not made: a term may be there. */
const MOST_NODES = 64;
const SPACE_BIT = 1 << SPACE_EDGE;

/** The row of a state in the table begins at its number, shifted by this. */
export const ROW_SHIFT = Math.log2(MOST_KINDS);

export interface Scout {
  /**
   * By state and kind of the next unit: the next state. 0: not known yet. Below 0: a term may end here, or be known by more units; what
   * started before was looked at, and the next state is that of the place, whose numbers are {@link PLACES}.
   */
  table: Int16Array;
  /** Puts what is not known yet into the table, which may be another one then. Returns it. */
  learn(state: number, kind: number): number;
  /** Before a text of `length` units: makes room for states if there is none. */
  begin(length: number): void;
  /** how many there are; tests check their bound */
  states(): number;
}

interface ScoutState {
  place: UnitPlace;
  /** ascending */
  nodes: readonly number[];
}

export function createScout(lexicon: TermLexicon): Scout {
  const step = stepper(lexicon);
  let states: ScoutState[] = [];
  // Where another state has the same hash, the next number is free for one of them.
  let numbers = new Map<number, number>();
  let left = 0;

  /** The number of a state; undefined: there is no room for it. */
  const numberOf = (state: ScoutState): number | undefined => {
    let hash = hashOf(state);
    let known = numbers.get(hash);
    while (known !== undefined && !isSame(states[known]!, state)) known = numbers.get(++hash);
    if (known !== undefined || states.length === MOST_STATES) return known;
    const number = states.push(state) - 1;
    numbers.set(hash, number);
    if (number << ROW_SHIFT === scout.table.length) scout.table = grown(scout.table);
    return number;
  };
  /** What stands for a place alone has its number. */
  const clear = (): void => {
    scout.table = new Int16Array(FIRST_STATES << ROW_SHIFT);
    states = [{ place: AT_WORD, nodes: [] }];
    numbers = new Map();
    for (const place of PLACES) numberOf({ place, nodes: [] });
  };
  const scout: Scout = {
    table: new Int16Array(0),
    learn(state, kind) {
      const { place, nodes } = states[state]!;
      const behind = kind === END ? AT_WORD : placeBehind(place, KINDS[kind]!.sort);
      if (states.length === MOST_STATES || --left < 0) return -behind;
      const reached = step(place, nodes, KINDS[kind]);
      const next = reached && numberOf({ place: behind, nodes: reached });
      const value = next ?? -behind;
      if (next !== undefined || !reached) scout.table[(state << ROW_SHIFT) | kind] = value;
      return value;
    },
    begin(length) {
      left = LEARNT + length / UNITS_PER_CELL;
      if (states.length === MOST_STATES) clear();
    },
    states: () => states.length,
  };
  clear();
  return scout;
}

function hashOf({ place, nodes }: ScoutState): number {
  let hash: number = place;
  for (let i = 0; i < nodes.length; i++) hash = Math.imul(hash ^ nodes[i]!, 0x9e3779b1) ^ (hash >>> 15);
  return hash >>> 1;
}

function isSame(one: ScoutState, other: ScoutState): boolean {
  if (one.place !== other.place || one.nodes.length !== other.nodes.length) return false;
  for (let i = 0; i < one.nodes.length; i++) if (one.nodes[i] !== other.nodes[i]) return false;
  return true;
}

function grown(table: Int16Array): Int16Array {
  const larger = new Int16Array(table.length * 2);
  larger.set(table);
  return larger;
}

/** The nodes behind `nodes` and what starts at `place`, where the text has a unit of `kind`, or ends; undefined: a term may end here. */
type ScoutStep = (place: UnitPlace, nodes: readonly number[], kind: UnitKind | undefined) => number[] | undefined;

function stepper(lexicon: TermLexicon): ScoutStep {
  const { tries, terms, within } = lexicon;
  const { edges } = tries;
  const { letterOf, behindSpace } = waysIn(lexicon);
  const { ends, behind } = endsIn(lexicon);
  // Single letters that spaces part are no node of a trie: one letter, spaces behind it, a second letter.
  const SINGLE = edges.length;
  const PARTED = SINGLE + 1;
  const PAIR = SINGLE + 2;

  const letters = (node: number, bits: number, add: (node: number) => void): void => {
    for (let rest = edges[node]! & bits; rest !== 0; rest &= rest - 1) add(childOf(tries, node, rest & -rest));
  };
  const roots = (place: UnitPlace): number[] => {
    if (place === BEHIND_SYMBOL) return within < 0 ? [terms] : [terms, within];
    if (place !== IN_WORD) return [terms];
    return within < 0 ? [] : [within];
  };
  const goOn = (node: number, { unit, star }: UnitKind, add: (node: number) => void): void => {
    letters(node, unit & ANY_LETTER, add);
    const between = behindSpace[node] === 1 ? SEPARATOR | SPACE : SEPARATOR;
    if ((unit & (between | letterOf[node]!)) !== 0) add(node);
    if ((unit & MASK) === 0) return;
    letters(node, ANY_LETTER, (child) => {
      add(child);
      if (star) letters(child, ANY_LETTER, add);
    });
  };
  const goOnApart = (node: number, { unit }: UnitKind, add: (node: number) => void): void => {
    if (node !== PAIR && (unit & SPACE) !== 0) add(PARTED);
    if (node === PARTED && (unit & ANY_LETTER) !== 0) add(PAIR);
  };

  // By node: the last step that reached it.
  const reachedAt = new Int32Array(PAIR + 1);
  let now = 0;
  let reached: number[] = [];
  let may = false;
  const add = (node: number): void => {
    if (may || reachedAt[node] === now) return;
    reachedAt[node] = now;
    reached.push(node);
    if (node < SINGLE && (edges[node]! & SPACE_BIT) !== 0) add(childOf(tries, node, SPACE_BIT));
    may ||= ends[node] === ENDS || reached.length > MOST_NODES;
  };

  return (place, nodes, kind) => {
    if (kind?.sort !== 'letter' && nodes.at(-1) === PAIR) return undefined;
    if (nodes.some((node) => ends[node] === ENDS_WORD && endsBefore(kind, behind[node]!))) return undefined;
    if (!kind) return [];
    now++;
    reached = [];
    may = false;
    for (const root of roots(place)) letters(root, kind.unit & ANY_LETTER, add);
    for (const node of nodes) {
      if (node < SINGLE) goOn(node, kind, add);
      else goOnApart(node, kind, add);
    }
    if (place === AT_WORD && (kind.unit & ANY_LETTER & edges[terms]!) !== 0) add(SINGLE);
    return may ? undefined : reached.sort(ascending);
  };
}

/**
 * What ends at a node: nothing, terms that go on with any letter, or only terms that are whole words or have endings. These are told by
 * what stands behind them, so that a word which begins as one of them is no reason to walk.
 */
const ENDS = 1;
const ENDS_WORD = 2;

/** By node: what ends there, and bits of the letters that may be behind it. */
function endsIn({ tries, endings }: TermLexicon): { ends: Uint8Array; behind: Int32Array } {
  const isWord = ({ terms, ending, part }: NodeEnd): boolean =>
    !ending && !part && terms.every(({ form }) => form === 'whole' || form === 'inflected');
  const isInflected = ({ terms }: NodeEnd): boolean => terms.some(({ form }) => form === 'inflected');
  const letters = tries.edges[endings]! & ANY_LETTER;
  return {
    ends: Uint8Array.from(tries.ends, (end) => (end === undefined ? 0 : isWord(end) ? ENDS_WORD : ENDS)),
    behind: Int32Array.from(tries.ends, (end) => (end && isInflected(end) ? letters : 0)),
  };
}

/** Whether a term may end before a unit of `kind`, or go on with it. */
const endsBefore = (kind: UnitKind | undefined, letters: number): boolean =>
  kind?.sort !== 'letter' || (kind.unit & letters) !== 0;

const ascending = (a: number, b: number): number => a - b;

/** By node: the bit of the letter that leads to it, 0 for a space; and 1 where that is a space. */
function waysIn({ tries }: TermLexicon): { letterOf: Int32Array; behindSpace: Uint8Array } {
  const { edges } = tries;
  const letterOf = new Int32Array(edges.length);
  const behindSpace = new Uint8Array(edges.length);
  for (let node = 0; node < edges.length; node++) {
    for (let rest = edges[node]!; rest !== 0; rest &= rest - 1) {
      const bit = rest & -rest;
      if (bit === SPACE_BIT) behindSpace[childOf(tries, node, bit)] = 1;
      else letterOf[childOf(tries, node, bit)] = bit;
    }
  }
  return { letterOf, behindSpace };
}
