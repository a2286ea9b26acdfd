/**
 * The bytes of a body as they come in. A small body is one buffer, which grows by copying. A large one is in pieces: to copy
 * what has come to larger and larger buffers takes as long again as to receive it, all on the loop. The parsing thread,
 * where large bodies go anyway, puts the pieces together.
 */
import { LARGE_BODY } from '../parse/body-parser.js';

export interface Pieces {
  /** bytes that memory is set aside for */
  room(): number;
  /** Sets aside memory for so many bytes in all. */
  reserve(bytes: number): void;
  /** Copies `chunk` behind what has come; there is room for it. */
  add(chunk: Uint8Array): void;
  /** What has come: one buffer up to `LARGE_BODY`, else one or more. Each is alone in its memory, and nothing is left here. */
  take(): Buffer[];
}

/** Whatever must be copied in the end, since less has come than there was room for, is no more than this. */
const PIECE = 1024 * 1024;

export function createPieces(): Pieces {
  let pieces: Buffer[] = [];
  let room = 0;
  /** the piece that is being filled, and what it has */
  let at = 0;
  let filled = 0;

  /** `piece` alone in memory of `size` bytes. */
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
