/**
 * Messages between the worker and its processes, over plain pipes: 4 bytes length of the header, 4 bytes length of the
 * body, the header as JSON, the body. Nothing is copied on the way: an image is written as it is in memory, and pixels are
 * read into the buffer where they stay. Only the small header is serialised.
 */

const PREFIX_BYTES = 8;
const MAX_HEADER_BYTES = 64 * 1024;

/** The parts of a frame, to be written in this order; `bodies` together are its body. */
export function frame(header: unknown, bodies: readonly Buffer[] = []): Buffer[] {
  const json = Buffer.from(JSON.stringify(header));
  const head = Buffer.allocUnsafe(PREFIX_BYTES + json.length);
  head.writeUInt32LE(json.length, 0);
  head.writeUInt32LE(
    bodies.reduce((sum, body) => sum + body.length, 0),
    4,
  );
  json.copy(head, PREFIX_BYTES);
  return [head, ...bodies];
}

/** The other side sent what cannot be right. */
export class FrameError extends Error {}

/**
 * Reads frames from chunks. `maxBody()` is the largest body that may come now. Throws a FrameError for a frame that is
 * damaged or too large; nothing can be read after that.
 */
export function createFrameReader(maxBody: () => number, onFrame: (header: unknown, body: Buffer) => void) {
  const prefix = Buffer.alloc(PREFIX_BYTES);
  let payload: Buffer | undefined;
  let headerBytes = 0;
  let filled = 0;

  function open(): void {
    headerBytes = prefix.readUInt32LE(0);
    const bodyBytes = prefix.readUInt32LE(4);
    if (headerBytes > MAX_HEADER_BYTES || bodyBytes > maxBody()) throw new FrameError('a frame is larger than allowed');
    payload = Buffer.allocUnsafe(headerBytes + bodyBytes);
    filled = 0;
  }

  function close(whole: Buffer): void {
    payload = undefined;
    filled = 0;
    let header: unknown;
    try {
      header = JSON.parse(whole.toString('utf8', 0, headerBytes));
    } catch {
      throw new FrameError('the header of a frame is not JSON');
    }
    onFrame(header, whole.subarray(headerBytes));
  }

  function took(bytes: number): void {
    filled += bytes;
    if (filled < (payload ?? prefix).length) return;
    if (payload) close(payload);
    else open();
    if (payload && payload.length === 0) close(payload);
  }

  return {
    push(chunk: Buffer): void {
      for (let at = 0; at < chunk.length; ) {
        const copied = chunk.copy(payload ?? prefix, filled, at);
        at += copied;
        took(copied);
      }
    },
    /** Where the next bytes belong, for what reads them to their place; `took` then says how many came. */
    place: (): Buffer => (payload ?? prefix).subarray(filled),
    took,
  };
}
