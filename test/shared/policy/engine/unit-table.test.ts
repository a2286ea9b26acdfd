import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { unitTable } from '#weir/shared/policy/engine/unit-table';

describe('a table by unit', () => {
  it('says of each unit what its pattern says of it alone', () => {
    const table = unitTable(9, [
      [/[\p{L}\p{M}]+/gu, 1],
      [/\p{Lu}+/gu, 2],
      [/\s+/g, 3],
      [/\n/g, 4],
    ]);
    assert.equal(table.length, 65_536);
    for (let unit = 0; unit < table.length; unit++) {
      const text = String.fromCharCode(unit);
      const letter = /\p{Lu}/u.test(text) ? 2 : /[\p{L}\p{M}]/u.test(text) ? 1 : 9;
      const expected = unit === 10 ? 4 : /\s/.test(text) ? 3 : letter;
      assert.equal(table[unit], expected, unit.toString(16));
    }
  });
});
