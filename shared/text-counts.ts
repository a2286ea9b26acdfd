/**
 * Offsets in a text, counted as languages count: JavaScript in UTF-16 units, Python in code points, Go and Rust in bytes of UTF-8.
 * (`OFFSET_UNITS`).
 *
 * A surrogate without its other half is one code point, and three bytes: as many as the U+FFFD that a writer of UTF-8 puts there.
 */

/** A range: in code points, then in bytes. */
export type CountedRange = readonly [from: number, to: number, fromByte: number, toByte: number];

export interface TextCounter {
  /** The range from `start` to `end`, in UTF-16 units, with all of a pair that it has half of. Undefined: it is the same in each unit. */
  rangeOf(start: number, end: number): CountedRange | undefined;
}

/** Units between two places whose counts are remembered, so that counting many ranges takes time linear in the text. */
const STEP = 1024;
const OTHERS = /[^\0-\x7f]/;

const isHigh = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;
const isLow = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;

export function createCounter(text: string): TextCounter {
  const first = text.search(OTHERS);
  /** code points and bytes before every `STEP`th unit from the first on that is not ASCII */
  const known: [codepoints: number, bytes: number][] = [[first, first]];

  /** Code points and bytes that begin before `at`. */
  function countsAt(at: number): [codepoints: number, bytes: number] {
    if (first < 0 || at <= first) return [at, at];
    const wanted = Math.floor((at - first) / STEP);
    while (known.length <= wanted) known.push(counted(known.length - 1, first + known.length * STEP));
    return counted(wanted, at);
  }

  function counted(from: number, to: number): [codepoints: number, bytes: number] {
    let [codepoints, bytes] = known[from]!;
    for (let i = first + from * STEP; i < to; i++) {
      const unit = text.charCodeAt(i);
      // The second half of a pair was counted with the first one.
      if (unit >= 0xdc00 && isLow(unit) && isHigh(text.charCodeAt(i - 1))) continue;
      codepoints++;
      if (unit < 0x80) bytes++;
      else if (unit < 0x800) bytes += 2;
      else bytes += isHigh(unit) && isLow(text.charCodeAt(i + 1)) ? 4 : 3;
    }
    return [codepoints, bytes];
  }

  return {
    rangeOf(start, end) {
      if (first < 0 || end <= first) return undefined;
      const splits = isLow(text.charCodeAt(start)) && isHigh(text.charCodeAt(start - 1));
      const [from, fromByte] = countsAt(splits ? start - 1 : start);
      const [to, toByte] = countsAt(end);
      return [from, to, fromByte, toByte];
    },
  };
}
