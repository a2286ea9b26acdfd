import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseInstant } from '#weir/shared/instant';

describe('parseInstant', () => {
  it('takes times that there are', () => {
    for (const text of ['2028-02-29', '2000-02-29T00:00:00Z', '2026-12-31T23:59:59.5+02:00', '2026-04-30t10:00z'])
      assert.equal(parseInstant(text), Date.parse(text), text);
  });

  it('takes no day or hour that there is not', () => {
    const wrong = ['2027-02-29', '2026-02-30T00:00:00Z', '2100-02-29', '2026-04-31', '2026-13-01', '2026-00-10'];
    const more = ['2026-01-00', '2026-01-01T24:00:00Z', '2026-01-01 24:00', '2026-01-01T12:60:00Z', 'soon', ''];
    for (const text of [...wrong, ...more]) assert.ok(Number.isNaN(parseInstant(text)), text);
  });

  it('takes a leap second for the next one', () => {
    assert.equal(parseInstant('2016-12-31T23:59:60Z'), Date.UTC(2017, 0, 1));
    assert.equal(parseInstant('2016-12-31T23:59:60.999z'), Date.UTC(2017, 0, 1));
    assert.ok(Number.isNaN(parseInstant('2016-12-31T22:59:60Z')));
    assert.ok(Number.isNaN(parseInstant('2016-02-30T23:59:60Z')));
  });
});
