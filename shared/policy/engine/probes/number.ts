/**
 * Where a number may start. Runs of digits close to each other are a cluster. The cluster of most numbers in a text (a year, a price)
 * has too few digits for anything that is looked for, and is skipped.
 */
import { isAsciiLetter, isDigit } from './characters.js';

/** Digits further apart than this belong to different numbers. */
const MAX_GAP = 2;

/** Calls `visit` for each run of digits: where it starts, and how many digits its cluster has from there. */
export function eachNumber(text: string, visit: (at: number, digits: number) => void): void {
  let i = 0;
  while (i < text.length) {
    if (!isDigit(text.charCodeAt(i))) {
      i++;
      continue;
    }
    const cluster = clusterAt(text, i);
    let left = cluster.digits;
    for (let inside = false; i < cluster.end; i++) {
      const digit = isDigit(text.charCodeAt(i));
      if (digit && !inside) visit(i, left);
      inside = digit;
      if (digit) left--;
    }
  }
}

/** The cluster that starts with the digit at `from`: its end, and how many digits it has. */
function clusterAt(text: string, from: number): { end: number; digits: number } {
  let digits = 0;
  let end = from;
  for (let i = from; i < text.length && i - end <= MAX_GAP; i++) {
    const unit = text.charCodeAt(i);
    if (isDigit(unit)) {
      digits++;
      end = i + 1;
    } else if (isAsciiLetter(unit)) break;
  }
  return { end, digits };
}
