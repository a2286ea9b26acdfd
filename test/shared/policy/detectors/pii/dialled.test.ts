import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { describe, it } from 'node:test';
import type { MetadataJson } from 'libphonenumber-js/core';
import { international } from '#weir/shared/policy/detectors/pii/kinds/dialled';
import { seeded } from '../../work/generators.ts';

const require = createRequire(import.meta.url);
const { parsePhoneNumberFromString } = require('libphonenumber-js/core') as typeof import('libphonenumber-js/core');
const metadata = require('libphonenumber-js/max/metadata') as MetadataJson;

function byLibrary(digits: string): number {
  const number = parsePhoneNumberFromString(`+${digits}`, metadata);
  if (!number) return 0;
  return number.isValid() ? 0.75 : number.isPossible() && digits.length >= 8 ? 0.5 : 0;
}

describe('an international telephone number', () => {
  const random = seeded(5);
  const some = (count: number): string => Array.from({ length: count }, () => random(10)).join('');
  const ours = (digits: string): number => international(digits, { left: 1_000_000 });

  it('is judged as the library judges it, whatever its calling code', () => {
    const codes = [...Object.keys(metadata.country_calling_codes), ...Object.keys(metadata.nonGeographic ?? {})];
    assert.ok(codes.length > 200);
    const scores = new Set<number>();
    for (const code of codes) {
      for (let length = 1; length <= 15 - code.length; length++) {
        const digits = code + ['', '', '0', '1', '8', '0'][random(6)]! + some(length);
        assert.equal(ours(digits), byLibrary(digits), digits);
        scores.add(ours(digits));
      }
    }
    assert.deepEqual([...scores].sort(), [0, 0.5, 0.75]);
  });

  it('is judged as the library judges it, whatever its digits', () => {
    for (let n = 0; n < 3000; n++) {
      const digits = ['', '1', '11', '440', '78', '54', '549', '590', '380', '521'][n % 10]! + some(1 + random(11));
      assert.equal(ours(digits), byLibrary(digits), digits);
    }
  });

  it('has a calling code', () => {
    for (const digits of ['0049301234567', '99912345678', '', '9']) assert.equal(ours(digits), 0, digits);
  });

  it('takes steps, of which a text has so many', () => {
    const steps = { left: 250 };
    const judge = (): number => international('442079460958', steps);
    assert.deepEqual([judge(), judge()], [0.75, 0.75]);
    assert.throws(judge, RangeError);
  });
});
