import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { timesIn } from '#weir/ingress/http/query';

const NOW = Date.UTC(2026, 10, 30);

describe('the times of a query', () => {
  it('are times that there are [history.times]', () => {
    for (const text of [
      '2026-02-30',
      '2026-02-30T00:00:00Z',
      '2026-06-31',
      '2026-11-01T24:00:00Z',
      '2026-11-01T00:00',
    ]) {
      for (const query of [`from=${text}`, `from=2026-01-01&to=${text}`])
        assert.throws(
          () => timesIn(query, NOW),
          /(from|to): expected a time of RFC 3339 that there is, such as/,
          query,
        );
    }
    const leap = timesIn('from=2026-06-30T23:59:60Z&to=2026-07-02', NOW);
    assert.deepEqual(leap, { from: Date.UTC(2026, 6, 1), to: Date.UTC(2026, 6, 2) });
  });
});
