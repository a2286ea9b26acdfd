/**
 * Where a term of a lexicon may start, told by three characters at once, so that most words of a text cost no more than one look-up a
 * character. A start that is told may be none; none is missed.
 */
import { childOf, type Lexicon, type Tries } from './term-lexicon.js';
import { ANY_LETTER, DIGIT, MASK, PLAIN, SEPARATOR, SPACE_EDGE, UNITS } from './term-units.js';

/** Classes of units: boundaries 0, letters 1 to 26, and these. */
export const SYMBOL_CLASS = 27;
export const DIGIT_CLASS = 28;
/** a letter or digit that no term has */
export const FOREIGN_CLASS = 29;
/** may hide a letter or part two */
export const VEIL_CLASS = 30;
const CLASSES = 32;
const WORD = /[\p{L}\p{N}]/u;

/** By UTF-16 unit: its class. */
export const CLASS_OF: Uint8Array = Uint8Array.from({ length: 0x10000 }, (_, unit) => classOf(unit));

function classOf(code: number): number {
  const unit = UNITS[code]!;
  const letters = unit & ANY_LETTER;
  if ((unit & PLAIN) !== 0) return 32 - Math.clz32(letters);
  if ((unit & DIGIT) !== 0) return DIGIT_CLASS;
  if (letters !== 0) return SYMBOL_CLASS;
  if ((unit & (SEPARATOR | MASK)) !== 0) return VEIL_CLASS;
  return code > 127 && WORD.test(String.fromCharCode(code)) ? FOREIGN_CLASS : 0;
}

/** Bits of {@link startsOf}: a term may start here, at the start of a word or within one. */
export const AT_WORD = 1;
export const INSIDE = 2;

/** By three classes in a row, 5 bits each: how a term may start at the first. */
export function startsOf({ tries, terms, within }: Lexicon): Uint8Array {
  const starts = new Uint8Array(CLASSES ** 3);
  mark(starts, tries, terms, AT_WORD);
  if (within >= 0) mark(starts, tries, within, INSIDE);
  return starts;
}

function mark(starts: Uint8Array, tries: Tries, root: number, bit: number): void {
  for (let first = 1; first <= DIGIT_CLASS; first++) {
    const ones = after(tries, [root], first, 0);
    if (ones.length === 0) continue;
    for (let second = 0; second < CLASSES; second++) {
      const twos = after(tries, ones, second, first);
      if (twos.length === 0) continue;
      for (let third = 0; third < CLASSES; third++) {
        const digits = first === DIGIT_CLASS && second === DIGIT_CLASS && third === DIGIT_CLASS;
        if (digits || after(tries, twos, third, second).length === 0) continue;
        starts[(first << 10) | (second << 5) | third] = starts[(first << 10) | (second << 5) | third]! | bit;
      }
    }
  }
}

/** Nodes behind `nodes` where the text has a unit of class `next`, behind one of class `last`. */
function after(tries: Tries, nodes: readonly number[], next: number, last: number): number[] {
  const { edges } = tries;
  if (next === FOREIGN_CLASS) return [];
  // White space: of a phrase, or behind a short term.
  if (next === 0) return nodes.filter((node) => (edges[node]! & (1 << SPACE_EDGE)) !== 0 || tries.ends[node]);
  const found = new Set<number>();
  const isLetter = next <= 26;
  for (const node of nodes) {
    for (let rest = edges[node]! & (isLetter ? 1 << (next - 1) : ANY_LETTER); rest !== 0; rest &= rest - 1) {
      found.add(childOf(tries, node, rest & -rest));
    }
    if ((edges[node]! & (1 << SPACE_EDGE)) !== 0) {
      for (const one of after(tries, [childOf(tries, node, 1 << SPACE_EDGE)], next, 0)) found.add(one);
    }
    // A letter is repeated, or something stands between two.
    if (last !== 0 && (!isLetter || next === last || last > 26)) found.add(node);
  }
  return [...found];
}
