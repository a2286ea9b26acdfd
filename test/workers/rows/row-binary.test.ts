import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createRowWriter, type RowWriter } from '#weir/workers/rows/row-binary';

const written = (write: (writer: RowWriter) => void): Buffer => {
  const writer = createRowWriter();
  writer.reset(3);
  write(writer);
  return writer.take().subarray(3);
};

const itself = (text: string): string => text;

describe('a writer of rows', () => {
  it('writes texts that recur as it writes each', () => {
    const long = 'a text of more than twenty characters';
    const texts = [long, long, '', long, 'é'.repeat(200), 'é'.repeat(200), 'short', 'short', `${long}.`, long, '', ''];
    const each = written((writer) => {
      writer.length(texts.length);
      for (const text of texts) writer.text(text);
    });
    assert.deepEqual(
      written((writer) => writer.texts(texts, itself, 0)),
      each,
    );
  });

  it('writes what recurs where its buffer has to grow', () => {
    const long = 'x'.repeat(300_000);
    const texts = Array.from({ length: 20 }, () => long);
    const all = written((writer) => writer.texts(texts, itself, 0));
    assert.equal(all.length, 1 + 20 * (3 + long.length));
    assert.equal(all.subarray(4).toString('latin1', 0, long.length), long);
    assert.deepEqual(all.subarray(-3 - long.length), all.subarray(1, 4 + long.length));
  });

  it('writes arrays of empty arrays', () => {
    const bytes = written((writer) => writer.emptyLists(3, 2));
    assert.deepEqual(bytes, Buffer.from([2, 0, 0, 2, 0, 0, 2, 0, 0]));
  });

  it('writes bytes as they are, where its buffer has to grow, too', () => {
    const long = Buffer.alloc(3 << 20, 7);
    const bytes = written((writer) => {
      writer.bytes(Buffer.from('prod'));
      writer.bytes(long);
      writer.u16(513);
    });
    assert.deepEqual(bytes, Buffer.concat([Buffer.from('prod'), long, Buffer.from([1, 2])]));
  });
});
