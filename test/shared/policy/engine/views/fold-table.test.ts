import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { fold, foldWhole } from '#weir/shared/policy/engine/views/normalise';

describe('folding by a table', () => {
  it('gives every character what folding by rules gives it', () => {
    for (let code = 0; code < 0x11_0000; code++) {
      const character = String.fromCodePoint(code);
      // Most of the upper planes is not assigned.
      if (code > 0x1_ffff && code % 251 !== 0) continue;
      if (fold(character) !== foldWhole(character)) assert.fail(`U+${code.toString(16)}`);
    }
  });

  it('gives texts of any scripts, with marks and pictures, what folding by rules gives them', () => {
    const ranges = [
      [0x20, 0x7e],
      [0xa0, 0x24f],
      [0x300, 0x36f],
      [0x370, 0x52f],
      [0x900, 0x97f],
      [0x1100, 0x11ff],
      [0x1e00, 0x1fff],
      [0x3040, 0x30ff],
      [0xac00, 0xd7a3],
      [0xd83c, 0xdfff],
    ] as const;
    const unit = fc.oneof(...ranges.map(([min, max]) => fc.integer({ min, max })));
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 12 }), (units) => {
        const text = String.fromCharCode(...units);
        assert.equal(fold(text), foldWhole(text));
      }),
      { numRuns: 5000 },
    );
  });

  it('folds a text that is longer than its buffer', () => {
    const text = 'Ünïcödé 🙏 Привет '.repeat(1000);
    assert.equal(fold(text), foldWhole(text));
    assert.equal(fold(text), 'unicode 🙏 привет '.repeat(1000));
  });
});
