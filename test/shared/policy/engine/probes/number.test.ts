import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { chunkAt, chunkBehind, chunkFrom } from '#weir/shared/policy/engine/probes/number';

function chunksOf(text: string): [stretch: string, digits: number][] {
  const found: [string, number][] = [];
  for (let chunk = chunkFrom(text, 0); chunk; chunk = chunkBehind(text, chunk)) {
    found.push([text.slice(chunk.at, chunk.end), chunk.digits]);
  }
  return found;
}

/** The same by the places of the digits. */
function chunksAtPlaces(text: string): [stretch: string, digits: number][] {
  const places = [...text.matchAll(/[0-9]/g)].map(({ index }) => index);
  const found: [string, number][] = [];
  for (let n = 0; n < places.length; n += found.at(-1)![1]) {
    const { at, end, digits } = chunkAt([...places, 99], n, places.length);
    found.push([text.slice(at, end), digits]);
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
    ['1abcdef2', [['1abcdef2', 2]]],
    [
      '1abcdefg2',
      [
        ['1', 1],
        ['2', 1],
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
      assert.deepEqual(chunksAtPlaces(text), expected);
    });
  }
});
