/** The units of a text that are read at a time, by all that walk over it. To ask the string for each of them takes three times as long. */

const PAGE = 1024;
/** Units behind what is read that say what its last ones mean. */
const BEHIND = 2;
/** The units of a page. What is behind the end of the text is 0. */
export const units = new Uint16Array(PAGE + BEHIND);
const bytes = Buffer.from(units.buffer);
/** where in the text the page begins, and where what is read of it ends */
export let pageAt = 0;
let pageEnd = 0;

/**
 * Reads `text` from `from` to `to`, at most {@link PAGE} units, and more that follow, unless that is read. `isSame`: no other text was read since this one.
 */
export function readPage(text: string, from: number, to: number, isSame: boolean): void {
  if (isSame && from >= pageAt && Math.min(text.length, to + BEHIND) <= pageEnd) return;
  const end = Math.min(text.length, from + PAGE);
  const size = end - from;
  bytes.write(size === text.length ? text : text.slice(from, end), 0, 2 * size, 'utf16le');
  units[size] = 0;
  units[size + 1] = 0;
  pageAt = from;
  pageEnd = end;
}

/** The character at `i` of the page, of one unit or two. */
export function pointAt(i: number): number {
  const [high, low] = [units[i]!, units[i + 1]!];
  const paired = high < 0xdc00 && low >= 0xdc00 && low <= 0xdfff;
  return paired ? 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00) : high;
}
