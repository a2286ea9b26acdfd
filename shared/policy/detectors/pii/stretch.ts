/** Stretches of digits that only separators part. Each is read once for all numbers that may begin in it. */
import { isDigit } from '../../engine/probes/characters.js';

/** The digits of a part of a text. */
export interface Digits {
  digits: Uint8Array;
  /** By digit, and one behind the last: two sums of all before it, modulo 10. Those with an even, or an odd, number count doubled. */
  even: Uint8Array;
  odd: Uint8Array;
  /** by digit: how many follow from it on with no more than one character of a card number between two, up to {@link MOST_LEFT} */
  left: Uint8Array;
}

/** Where a text is read. */
export interface DigitStretch {
  /** where the stretch was asked for last, and the number of the digit there */
  at: number;
  digit: number;
  /** how many digits are known, and where they end in the text */
  count: number;
  end: number;
  /** more digits follow there */
  goesOn: boolean;
}

export const newStretch = (): DigitStretch => ({ at: 0, digit: 0, count: 0, end: 0, goesOn: false });

/** Digits of a stretch that are known at a time, and that must be known from a place on. */
const [MOST, AHEAD] = [4096, 40] as const;
const MOST_LEFT = 20;

/** What a digit adds to a sum: of those that count doubled, then of the others. */
export const ADDED = Uint8Array.from({ length: 20 }, (_, n) => (n >= 10 ? n - 10 : n < 5 ? n * 2 : n * 2 - 9));

/** Of the stretch that was read last: one look runs at a time, and reads it anew after another one. */
const known: Digits & { of: DigitStretch | undefined } = {
  of: undefined,
  digits: new Uint8Array(MOST),
  even: new Uint8Array(MOST + 1),
  odd: new Uint8Array(MOST + 1),
  left: new Uint8Array(MOST),
};

/** The digits of the stretch that was asked for last. */
export const digitsOf = (): Digits => known;

/** How many digits follow from the one at `start` on, counted as far as they are known. Places are asked for in order. */
export function digitsAhead(text: string, start: number, stretch: DigitStretch): number {
  if (known.of !== stretch || start < stretch.at || start >= stretch.end) readStretch(text, start, stretch);
  for (; stretch.at < start; stretch.at++) if (isDigit(text.charCodeAt(stretch.at))) stretch.digit++;
  if (stretch.goesOn && stretch.count - stretch.digit < AHEAD) readStretch(text, start, stretch);
  return stretch.count - stretch.digit;
}

/** Separators of one number that stand side by side, at most. */
const WIDEST_GAP = 3;

function readStretch(text: string, start: number, stretch: DigitStretch): void {
  const { digits, even, odd, left } = known;
  let [n, end, i] = [0, start, start];
  for (; i < text.length && i - end <= WIDEST_GAP && n < MOST; i++) {
    const unit = text.charCodeAt(i);
    const digit = unit - 48;
    if (digit >= 0 && digit < 10) {
      // What follows the digit before is told by what stands between: 1 for a part of the same card number.
      if (n > 0) left[n - 1] = i === end || (i === end + 1 && isOfCard(text.charCodeAt(end))) ? 1 : 0;
      const other = (n & 1) * 10;
      even[n + 1] = (even[n]! + ADDED[digit + other]!) % 10;
      odd[n + 1] = (odd[n]! + ADDED[digit + 10 - other]!) % 10;
      digits[n++] = digit;
      end = i + 1;
    } else if (!isBetweenDigits(unit)) break;
  }
  let follow = 0;
  for (let k = n - 1; k >= 0; k--) {
    follow = k < n - 1 && left[k] === 1 ? Math.min(MOST_LEFT, follow + 1) : 1;
    left[k] = follow;
  }
  known.of = stretch;
  Object.assign(stretch, { at: start, digit: 0, count: n, end, goesOn: n === MOST });
}

/** ISO/IEC 7812 check digit of `length` digits from digit `at` on: from the last one on, every second one counts doubled. */
export function hasCheckDigit({ even, odd }: Digits, at: number, length: number): boolean {
  const sums = (at + length) % 2 === 0 ? even : odd;
  return sums[at + length] === sums[at];
}

/** White space, dot, hyphens, and what stands for a space in a query and a name. */
export function isOfCard(unit: number): boolean {
  return (
    unit === 32 ||
    unit === 9 ||
    unit === 95 ||
    unit === 43 ||
    unit === 46 ||
    unit === 45 ||
    (unit > 127 && (isWideSpace(unit) || unit === 0x2212 || (unit >= 0x2010 && unit <= 0x2015)))
  );
}

/** Spaces beyond ASCII: those that do not break, wide and narrow ones. */
export const isWideSpace = (unit: number): boolean =>
  unit === 0xa0 || (unit >= 0x2000 && unit <= 0x200a) || unit === 0x202f || unit === 0x205f || unit === 0x3000;

/** And slash and parentheses. */
function isBetweenDigits(unit: number): boolean {
  return isOfCard(unit) || unit === 47 || unit === 40 || unit === 41;
}
