/**
 * Letters that are hidden. A trie has hundreds of words for a few masks. So a walk that comes to masks asks first what stands behind
 * them, and goes only where that may follow. It misses nothing that `fits` takes for a term.
 */

import { type Depths, HOLDS_WITHIN, LEVELS } from './depths.js';
import { isEnd } from './ends.js';

import { ANY_LETTER, DIGIT, MASK, PLAIN, STAR, unitAt } from './units.js';

/** A run of masks, and what stands behind it. */
export interface MaskRun {
  from: number;
  /** behind its last mask */
  to: number;
  /** bits of the letter at `to`; 0: none stands there */
  next: number;
  /** a word may end at `to` */
  ended: boolean;
  /** masks that look like letters, so that they may repeat the one before */
  loose: number;
  /** stars that stand alone, so that each may hide two */
  single: number;
  /** there are stars, which may end a word */
  starred: boolean;
  /** where a word that has masks may end, the next place behind the run; infinite: none is near */
  end: number;
}

export const noRun = (): MaskRun => ({
  from: 0,
  to: 0,
  next: 0,
  ended: false,
  loose: 0,
  single: 0,
  starred: false,
  end: 0,
});

/**
 * Makes `run` that which `i` lies in. Runs are asked for again and again, so it may be that one already. Returns how many units were looked at.
 */
export function findRun(run: MaskRun, text: string, i: number): number {
  if (i >= run.from && i < run.to) return 0;
  run.from = i;
  run.loose = 0;
  run.single = 0;
  run.starred = false;
  let to = i;
  for (let unit = unitAt(text, to); (unit & MASK) !== 0; unit = unitAt(text, ++to)) {
    if ((unit & ANY_LETTER) !== 0) run.loose++;
    if (text.charCodeAt(to) !== STAR) continue;
    run.starred = true;
    if (text.charCodeAt(to - 1) !== STAR && text.charCodeAt(to + 1) !== STAR) run.single++;
  }
  run.to = to;
  const behind = unitAt(text, to);
  run.next = behind & ANY_LETTER;
  run.ended = (behind & (PLAIN | DIGIT)) === 0;
  const from = Math.max(i + 1, to - 1);
  run.end = nextEnd(text, from);
  return to - i + Math.min(run.end - from, LONGEST_WORD);
}

/** No word that is hidden in part is longer than this. */
const LONGEST_WORD = 64;

/** The first place from `from` on where a word that has masks may end, if one is near. */
function nextEnd(text: string, from: number): number {
  const most = from + LONGEST_WORD;
  for (let end = from; end < most; end++) if (isMaskedEnd(text, end)) return end;
  return Number.POSITIVE_INFINITY;
}

/** Whether the whole of what is masked may end before `end`: see `fits`. */
export function isMaskedEnd(text: string, end: number): boolean {
  if (!isEnd(text, end) || text.charCodeAt(end) === STAR) return false;
  return (unitAt(text, end) & MASK) === 0 || (unitAt(text, end + 1) & (ANY_LETTER | MASK)) === 0;
}

export interface Following {
  node: number;
  left: number;
  walled: boolean;
}

/** Bits 0 to `last`, as far as levels are known. */
const upTo = (last: number): number => (1 << (Math.min(last, LEVELS - 1) + 1)) - 1;

/**
 * Whether a term may go on at `node`, of which `left` masks of `run` and what is behind them are still to be read. `walled`: a mask stands
 * before the word, so that only what may stand within words counts.
 */
export function mayFollow(depths: Depths, run: MaskRun, { node, left, walled }: Following): boolean {
  const { letters, ends, within, inflected, open, holds } = depths;
  if (run.end === Number.POSITIVE_INFINITY && (holds[node]! & HOLDS_WITHIN) === 0) return false;
  if (walled && holds[node] === 0) return false;
  const most = left + run.single;
  const reached = upTo(most);
  if ((open[node]! & reached) !== 0) return true;
  // A star may end what stands within a word; of other terms it hides the last letter.
  if (run.starred && (within[node]! & reached) !== 0) return true;
  if (run.starred && run.ended && left <= 1 && ((ends[node]! | inflected[node]!) & reached) !== 0) return true;
  if (run.next === 0) return false;
  if ((inflected[node]! & reached) !== 0) return true;
  for (let level = Math.max(0, left - run.loose); level <= most; level++) {
    if (level >= LEVELS) return letters[(node + 1) * LEVELS - 1] !== 0;
    if ((letters[node * LEVELS + level]! & run.next) !== 0) return true;
  }
  return false;
}
