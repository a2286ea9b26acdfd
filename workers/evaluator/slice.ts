/**
 * A slice: for how long a thread is at work at a task before other teams have their turn. It ends behind an item, or within the scan of
 * a long text. So an ordinary chunk is one slice, and what takes longer is as many as it needs. Outcomes are the same.
 */
import type { ScanTurn } from '../../shared/policy/engine/long-scans.js';

export interface Slice extends ScanTurn {
  /** ms of the steady clock */
  end: number;
  /** characters until the clock is looked at again: that takes longer than a short text does */
  left: number;
}

const SLICE_MS = 10;
const LOOK_CHARACTERS = 4096;
/** What an item costs beside its text, such as its conditions, in characters. */
const ITEM_CHARACTERS = 64;

export function newSlice(ms: number = SLICE_MS): Slice {
  const end = performance.now() + ms;
  return { end, left: LOOK_CHARACTERS, hasEnded: () => performance.now() >= end };
}

/** Of what is not evaluated in slices. */
export const WHOLE: Slice = {
  end: Number.POSITIVE_INFINITY,
  left: Number.POSITIVE_INFINITY,
  hasEnded: () => false,
};

/** Whether the slice is over, after an item with so many characters. */
export function isOver(slice: Slice, characters: number): boolean {
  slice.left -= characters + ITEM_CHARACTERS;
  if (slice.left > 0) return false;
  slice.left = LOOK_CHARACTERS;
  return performance.now() >= slice.end;
}
