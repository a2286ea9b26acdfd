import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { chunkBehind, chunkFrom } from '#weir/shared/policy/engine/probes/number';

function chunksOf(text: string, bytes?: Uint8Array): [stretch: string, digits: number][] {
  const found: [string, number][] = [];
  for (let chunk = chunkFrom(text, 0, bytes); chunk; chunk = chunkBehind(text, chunk, bytes)) {
    found.push([text.slice(chunk.at, chunk.end), chunk.digits]);
  }
  return found;
}

describe('chunks of digits', () => {
  const rows: [string, [string, number][]][] = [
    ['', []],
    ['no digits', []],
    ['1', [['1', 1]]],
    ['in 2026.', [['2026', 4]]],
    ['4111 1111-1111', [['4111 1111-1111', 12]]],
    ['NL91ABNA04', [['91ABNA04', 4]]],
    ['12 then 34', [['12 then 34', 4]]],
    [
      '12 after 34',
      [
        ['12', 2],
        ['34', 2],
      ],
    ],
    [
      '1 and 2, and then 3456789 and 0',
      [
        ['1 and 2', 2],
        ['3456789 and 0', 8],
      ],
    ],
    ['１２', []],
  ];
  for (const [text, expected] of rows) {
    it(`of ${JSON.stringify(text)} are ${expected.length}`, () => {
      assert.deepEqual(chunksOf(text), expected);
      // Of a text that is not ASCII there are no bytes. What is behind those of the text does not count.
      if (Buffer.byteLength(text) === text.length) assert.deepEqual(chunksOf(text, Buffer.from(`${text}99`)), expected);
    });
  }
});
