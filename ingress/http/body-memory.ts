/**
 * Memory of bodies that come in one piece, which is used again. New memory counts against the limit of the heap: with a new buffer for each
 * body V8 collected garbage twice as often (measured).
 *
 *     kept ──copy──> holds a body ──giveBack──> kept
 *      │                 └── somebody may still read it ──> left to the garbage collector
 *      └── too much is kept, perhaps of sizes that no longer come ──> all of it is left to the garbage collector
 */

/** Pieces are multiples of this, so that little more is set aside than is counted. Smaller bodies get memory of their own. */
const PAGE = 4096;
/** Bytes that are kept for later bodies. */
const MOST_KEPT = 8 * 1024 * 1024;

export interface BodyMemory {
  /** A copy of a body. */
  copy(bytes: Uint8Array): Buffer;
  /** Takes back what `copy` has returned, once. Nobody may read it any more. */
  giveBack(copy: Buffer): void;
}

export function createBodyMemory(): BodyMemory {
  /** by their pages */
  let kept: ArrayBuffer[][] = [];
  let bytesKept = 0;

  function take(pages: number): ArrayBuffer {
    const memory = kept[pages]?.pop();
    if (!memory) return Buffer.allocUnsafeSlow(pages * PAGE).buffer as ArrayBuffer;
    bytesKept -= memory.byteLength;
    return memory;
  }

  return {
    copy(bytes) {
      const { length } = bytes;
      const own = length < PAGE;
      const copy = own ? Buffer.allocUnsafeSlow(length) : Buffer.from(take(Math.ceil(length / PAGE)), 0, length);
      copy.set(bytes);
      return copy;
    },
    giveBack({ buffer: memory }) {
      const { byteLength } = memory;
      if (byteLength < PAGE) return;
      if (bytesKept + byteLength > MOST_KEPT) {
        kept = [];
        bytesKept = 0;
      }
      const pages = byteLength / PAGE;
      kept[pages] ??= [];
      kept[pages].push(memory as ArrayBuffer);
      bytesKept += byteLength;
    },
  };
}
