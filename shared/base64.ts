/**
 * Base64 as bytes. It is decoded in pieces: as one text of megabytes it would take fresh memory, and the kernel takes longer to hand
 * that over than the decoding takes. Digits of both alphabets count.
 */

/** Digits of a piece, a multiple of four. */
const PIECE = 32 * 1024;

/** How many bytes so many digits make. */
export const bytesIn = (digits: number): number => Math.floor((digits * 3) / 4);

/**
 * Decodes `digits`, which have no padding, into `into`, which has `bytesIn` of them. False where a byte is no digit: Node's decoder
 * skips it, so it shows as missing bytes.
 */
export function decodeDigits(digits: Buffer, into: Buffer): boolean {
  return eachPiece(digits, (piece, at) => into.write(piece, at, 'base64'));
}

const scratch = Buffer.allocUnsafeSlow(bytesIn(PIECE));

/** Whether all bytes are digits, and as many as some number of bytes has. */
export function areDigits(bytes: Buffer): boolean {
  return eachPiece(bytes, (piece) => scratch.write(piece, 'base64'));
}

/** Whether `decode` makes of each piece as many bytes as its digits are. It is told where they begin. */
function eachPiece(digits: Buffer, decode: (piece: string, at: number) => number): boolean {
  // A digit that is left over makes no byte, so nothing would be missing if it were none.
  if (digits.length % 4 === 1) return false;
  for (let from = 0, at = 0; from < digits.length; from += PIECE) {
    const piece = digits.toString('latin1', from, Math.min(from + PIECE, digits.length));
    if (decode(piece, at) !== bytesIn(piece.length)) return false;
    at += bytesIn(piece.length);
  }
  return true;
}
