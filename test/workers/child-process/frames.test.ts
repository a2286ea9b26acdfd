import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { createFrameReader, FrameError, frame } from '#weir/workers/child-process/frames';

describe('frames between the decoder and its processes', () => {
  it('come out as they went in, however the pipe splits them', () => {
    const message = fc.record({ header: fc.jsonValue(), body: fc.uint8Array({ maxLength: 200 }) });
    fc.assert(
      fc.property(fc.array(message, { maxLength: 5 }), fc.integer({ min: 1, max: 50 }), (messages, step) => {
        const wire = Buffer.concat(messages.flatMap(({ header, body }) => frame(header, [Buffer.from(body)])));
        const [read, inPlace]: unknown[][] = [[], []];
        const readerTo = (all: unknown[] = []) =>
          createFrameReader(
            () => 200,
            (header, body) => all.push({ header, body: [...body] }),
          );
        const reader = readerTo(read);
        for (let at = 0; at < wire.length; at += step) reader.push(wire.subarray(at, at + step));
        const { place, took } = readerTo(inPlace);
        for (let at = 0, bytes = 0; at < wire.length; at += bytes) {
          bytes = wire.copy(place(), 0, at, at + step);
          took(bytes);
        }
        const sent = messages.map(({ header, body }) => ({
          header: JSON.parse(JSON.stringify(header)),
          body: [...body],
        }));
        assert.deepEqual(read, sent);
        assert.deepEqual(inPlace, sent);
      }),
      { numRuns: 100 },
    );
  });

  it('join bodies that are written in several parts', () => {
    const read: string[] = [];
    const reader = createFrameReader(
      () => 10,
      (_, body) => read.push(body.toString()),
    );
    reader.push(Buffer.concat(frame({}, [Buffer.from('ab'), Buffer.from('cd')])));
    assert.deepEqual(read, ['abcd']);
  });

  it('that are too large or damaged are refused before memory is allocated', () => {
    const fresh = () =>
      createFrameReader(
        () => 10,
        () => assert.fail('no frame was expected'),
      );
    const huge = Buffer.alloc(8);
    huge.writeUInt32LE(0xffffffff, 4);
    assert.throws(() => fresh().push(huge), FrameError);
    huge.writeUInt32LE(0xffffffff, 0);
    huge.writeUInt32LE(0, 4);
    assert.throws(() => fresh().push(huge), FrameError);
    assert.throws(() => fresh().push(Buffer.concat(frame({}, [Buffer.alloc(11)]))), FrameError);
    assert.throws(() => fresh().push(Buffer.from([1, 0, 0, 0, 0, 0, 0, 0, 0x7b])), FrameError);
    assert.throws(() => fresh().push(Buffer.alloc(8)), FrameError);
  });
});
