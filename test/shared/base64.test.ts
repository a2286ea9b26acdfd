import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { areDigits, bytesIn, decodeDigits } from '#weir/shared/base64';

/** Lengths around those of one and of two pieces. */
const LENGTHS = [0, 1, 2, 3, 24_575, 24_576, 24_577, 49_151, 49_152, 49_154, 100_000];
const bytesOf = (length: number): Buffer => Buffer.from(Uint8Array.from({ length }, (_, i) => (i * 7919) >> 3));

function decode(digits: Buffer): Buffer | undefined {
  const bytes = Buffer.alloc(bytesIn(digits.length));
  return decodeDigits(digits, bytes) ? bytes : undefined;
}

describe('base64 as bytes', () => {
  it('is decoded whatever its length, in both alphabets', () => {
    for (const bytes of LENGTHS.map(bytesOf)) {
      for (const digits of [bytes.toString('base64url'), bytes.toString('base64').replace(/=+$/, '')]) {
        assert.deepEqual(decode(Buffer.from(digits)), bytes);
        assert.ok(areDigits(Buffer.from(digits)));
      }
    }
  });

  it('is refused with any other byte at any place', () => {
    const digits = Buffer.from(bytesOf(24_580).toString('base64url'));
    const isDigit = (byte: number): boolean => /[\w+/-]/.test(String.fromCharCode(byte)) && byte < 128;
    const end = digits.length - 1;
    const place = fc.oneof(fc.nat(end), fc.constantFrom(0, 1, 32_767, 32_768, end - 2, end - 1, end));
    fc.assert(
      fc.property(place, fc.nat(255), (at, byte) => {
        const other = Buffer.from(digits);
        other[at] = byte;
        assert.equal(areDigits(other), isDigit(byte));
        assert.equal(decode(other) !== undefined, isDigit(byte));
      }),
      { numRuns: 600 },
    );
  });

  it('is refused with a digit that is left over', () => {
    for (const text of ['A', 'AAAAA', '\n', 'AAAA\n', 'AAAA"']) {
      assert.equal(areDigits(Buffer.from(text)), false);
      assert.equal(decode(Buffer.from(text)), undefined);
    }
  });
});
