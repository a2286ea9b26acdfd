/**
 * The bytes of a body as they come in. A small body is one buffer, which grows by copying. A large body is kept in pieces: copying
 * it to larger and larger buffers would take as long again as receiving it, all on the loop. The parsing thread, where large
 * bodies go anyway, joins the pieces.
 */
import { LARGE_BODY } from '../parse/body-parser.js';

export interface BodyPieces {
  /** bytes that memory is reserved for */
  room(): number;
  /** Reserves memory for so many bytes in all. */
  reserve(bytes: number): void;
  /** Appends a copy of `chunk`, for which there must be room. */
  add(chunk: Uint8Array): void;
  /** Takes what has come: one buffer up to `LARGE_BODY`, else one or more. Each owns its memory. */
  take(): Buffer[];
}

/** Bounds what is copied in the end when less has come than there was room for. */
const PIECE = 1024 * 1024;

export function createPieces(): BodyPieces {
  let pieces: Buffer[] = [];
  let room = 0;
  /** the piece that is being filled, and how many bytes it has */
  let at = 0;
  let filled = 0;

  /** A copy of `piece` that owns `size` bytes of memory. */
  const moved = (piece: Buffer, size: number): Buffer => {
    const other = Buffer.allocUnsafeSlow(size);
    piece.copy(other, 0, 0, Math.min(filled, size));
    return other;
  };

  return {
    room: () => room,
    reserve(bytes) {
      if (bytes <= LARGE_BODY && pieces.length === 1) {
        pieces = [moved(pieces[0]!, bytes)];
        room = bytes;
        return;
      }
      while (room < bytes) {
        const size = Math.min(PIECE, bytes - room);
        pieces.push(Buffer.allocUnsafeSlow(size));
        room += size;
      }
    },
    add(chunk) {
      for (let from = 0; from < chunk.length; ) {
        if (filled === pieces[at]!.length) {
          at++;
          filled = 0;
        }
        const piece = pieces[at]!;
        const part = chunk.subarray(from, from + piece.length - filled);
        piece.set(part, filled);
        from += part.length;
        filled += part.length;
      }
    },
    take() {
      const taken = pieces.slice(0, at + 1);
      const last = taken.at(-1);
      if (last && filled < last.length) taken[at] = moved(last, filled);
      pieces = [];
      [room, at, filled] = [0, 0, 0];
      const length = taken.reduce((sum, piece) => sum + piece.length, 0);
      return length <= LARGE_BODY && taken.length !== 1 ? [Buffer.concat(taken)] : taken;
    },
  };
}
