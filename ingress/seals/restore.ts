/** Puts values back in place of their marks. */

/** A mark. Those that differ in any character, such as in case, are texts like any. Its parts have a bound, so a text takes time linear in it. */
const MARK = /\[([A-Z][A-Z0-9_]{0,63}_[1-9][0-9]{0,8})\]/g;

/**
 * `texts` with the values of `marks` (by mark without its brackets) in their place, in one pass: a value that reads like a mark stays as it is. So
 * do marks that are not known. Undefined: the texts would have more than `most` bytes of UTF-8 together.
 */
export function restoredTexts(
  texts: readonly string[],
  marks: ReadonlyMap<string, string>,
  most: number,
): string[] | undefined {
  const sizes = new Map<string, number>();
  for (const [mark, value] of marks) sizes.set(mark, Buffer.byteLength(value) - mark.length - BRACKETS);
  // Counted before anything is made: a large value may stand in a text many times.
  let bytes = 0;
  for (const text of texts) {
    bytes += Buffer.byteLength(text);
    for (const [, mark] of text.matchAll(MARK)) bytes += sizes.get(mark!) ?? 0;
  }
  if (bytes > most) return undefined;
  return texts.map((text) => text.replace(MARK, (written, mark: string) => marks.get(mark) ?? written));
}

const BRACKETS = 2;
