import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createBodyMemory } from '#weir/ingress/http/body-memory';

const bytes = (length: number, value: number): Uint8Array => new Uint8Array(length).fill(value);

describe('memory of bodies', () => {
  it('is used again once it was given back, and not before', () => {
    const memory = createBodyMemory();
    const first = memory.copy(bytes(17_000, 1));
    const second = memory.copy(bytes(17_000, 2));
    assert.deepEqual(new Uint8Array(first), bytes(17_000, 1));
    assert.notEqual(first.buffer, second.buffer);
    memory.giveBack(first);
    const third = memory.copy(bytes(20_480, 3));
    assert.equal(third.buffer, first.buffer);
    assert.notEqual(third, first);
    assert.deepEqual(new Uint8Array(third), bytes(20_480, 3));
    assert.deepEqual(new Uint8Array(second), bytes(17_000, 2));
    assert.notEqual(memory.copy(bytes(17_000, 4)).buffer, first.buffer);
  });

  it('has less than a page to spare', () => {
    const memory = createBodyMemory();
    for (const length of [4096, 4097, 8192, 8193, 17_000, 32_768, 65_535, 65_536]) {
      const copy = memory.copy(bytes(length, 7));
      assert.equal(copy.length, length);
      assert.ok(copy.buffer.byteLength >= length && copy.buffer.byteLength < length + 4096, `${length}`);
      memory.giveBack(copy);
      assert.equal(memory.copy(bytes(length, 8)).buffer, copy.buffer);
    }
  });

  it('is not kept for small bodies', () => {
    const memory = createBodyMemory();
    const small = memory.copy(bytes(100, 1));
    assert.equal(small.buffer.byteLength, 100);
    memory.giveBack(small);
    assert.notEqual(memory.copy(bytes(100, 1)).buffer, small.buffer);
  });

  it('is kept up to 8 MiB, and makes room for other sizes', () => {
    const memory = createBodyMemory();
    /** How many of `number` bodies get memory that others of them gave back. */
    const reused = (number: number, length: number): number => {
      const copies = Array.from({ length: number }, () => memory.copy(bytes(length, 1)));
      for (const copy of copies) memory.giveBack(copy);
      const given = new Set(copies.map(({ buffer }) => buffer));
      const again = copies.map(() => memory.copy(bytes(length, 1)));
      return again.filter(({ buffer }) => given.has(buffer)).length;
    };
    assert.equal(reused(128, 65_536), 128);
    assert.equal(reused(129, 65_536), 1);
    for (const copy of Array.from({ length: 128 }, () => memory.copy(bytes(65_536, 1)))) memory.giveBack(copy);
    assert.equal(reused(2, 17_000), 2);
  });
});
