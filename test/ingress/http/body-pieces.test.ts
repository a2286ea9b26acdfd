import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createPieces } from '#weir/ingress/http/body-pieces';
import { LARGE_BODY } from '#weir/ingress/parse/body-parser';

const KIB = 1024;
const bytesOf = (length: number): Buffer => Buffer.from(Array.from({ length }, (_, i) => i % 251));

/** `body` in chunks of `size`, with memory reserved as for a body of unknown length. */
function read(body: Buffer, size: number): Buffer[] {
  const pieces = createPieces();
  for (let at = 0; at < body.length; at += size) {
    const chunk = body.subarray(at, at + size);
    const needed = at + chunk.length;
    if (needed > pieces.room()) pieces.reserve(Math.max(64 * KIB, 2 * needed));
    pieces.add(chunk);
  }
  return pieces.take();
}

describe('the bytes of a body', () => {
  for (const length of [0, 1, 64 * KIB, 64 * KIB + 1, LARGE_BODY - 1, LARGE_BODY, LARGE_BODY + 1, 5_000_000]) {
    it(`are what came, and alone in their memory: ${length}`, () => {
      const body = bytesOf(length);
      for (const size of [1 + (length >> 6), 60_000, 700_000]) {
        const pieces = read(body, size);
        assert.ok(Buffer.concat(pieces).equals(body), `in chunks of ${size}`);
        if (length <= LARGE_BODY) assert.equal(pieces.length, 1);
        if (length > 0) for (const piece of pieces) assert.equal(piece.buffer.byteLength, piece.length);
      }
    });
  }

  it('of a large body are not copied to larger and larger buffers', () => {
    const pieces = read(bytesOf(5_000_000), 60_000);
    assert.ok(pieces.length > 5, `${pieces.length} pieces`);
    assert.ok(Math.max(...pieces.map(({ length }) => length)) <= KIB * KIB);
  });

  it('are taken out whole: nothing is left', () => {
    const pieces = createPieces();
    pieces.reserve(10);
    pieces.add(bytesOf(10));
    assert.equal(pieces.take().length, 1);
    assert.equal(pieces.room(), 0);
    pieces.reserve(4);
    pieces.add(bytesOf(3));
    assert.ok(pieces.take()[0]!.equals(bytesOf(3)));
  });
});
