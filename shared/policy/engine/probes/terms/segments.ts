/**
 * Where words begin and end in scripts without spaces, by the dictionaries of Unicode's libraries. A word is cut out of the characters
 * around it, so the answer does not depend on how long the text is.
 */
import { scriptOf } from './scripts.js';

/** Characters of the same script on either side of a term that are segmented with it. */
const AROUND = 16;
/** To segment a window takes some 10 µs. A text that has more of them has the rest of its terms without a look at their neighbours. */
const MOST_WINDOWS = 512;
const MOST_KNOWN = 256;

/** Made when it is first needed, since it reads those dictionaries. */
let segmenter: Intl.Segmenter | undefined;
const known = new Map<string, ReadonlySet<number>>();
let looked = '';
let left = 0;

/** Whether a word begins or ends at `index`, which is an edge of the term at `from` to `to`. */
export function isBoundary(text: string, index: number, from: number, to: number): boolean {
  if (text !== looked) [looked, left] = [text, MOST_WINDOWS];
  const start = reach(text, from, -1);
  const end = reach(text, to - 1, 1) + 1;
  const piece = text.slice(start, end);
  let boundaries = known.get(piece);
  if (!boundaries) {
    if (left-- <= 0) return true;
    segmenter ??= new Intl.Segmenter('und', { granularity: 'word' });
    boundaries = new Set(Array.from(segmenter.segment(piece), (segment) => segment.index));
    if (known.size >= MOST_KNOWN) known.clear();
    known.set(piece, boundaries);
  }
  return index === end || boundaries.has(index - start);
}

/** The last character, from `at` on in the direction of `step`, of those that are segmented together. */
function reach(text: string, at: number, step: 1 | -1): number {
  const script = scriptOf(text.charCodeAt(at));
  let i = at;
  while (Math.abs(i - at) < AROUND && scriptOf(text.charCodeAt(i + step)) === script) i += step;
  return i;
}
