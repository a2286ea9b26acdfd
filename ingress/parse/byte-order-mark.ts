/** Programs of Windows put a byte order mark before JSON, where it says nothing. */

const MARK = Buffer.from('\ufeff');

/** The pieces of a body without the mark before it: what comes after reads JSON alone. */
export function withoutMark(pieces: Buffer[]): Buffer[] {
  const [first, ...others] = pieces;
  // The first piece has a kilobyte and more, or is all of the body.
  return first?.subarray(0, MARK.length).equals(MARK) ? [first.subarray(MARK.length), ...others] : pieces;
}
