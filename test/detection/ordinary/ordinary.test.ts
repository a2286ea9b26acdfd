// Every detector at its default and every policy of a pack, on ordinary texts that nothing was learned from. A sample: packages alone.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ordinaryCounts, RIGHTLY, sums } from './flagged.ts';

/** Share of a kind, and of a class of length, that is flagged at most. */
const MOST = 0.01;

const shown = (texts: readonly string[]): string =>
  texts
    .slice(0, 3)
    .map((text) => JSON.stringify(text.slice(0, 200)))
    .join('\n');

describe('ordinary texts of packages', () => {
  it('are of every kind and length', () => {
    const kinds = new Set(ordinaryCounts().map(({ kind }) => kind));
    assert.equal(kinds.size, 8);
    for (const { name, kind, length, texts } of ordinaryCounts())
      assert.ok(texts >= 10, `${texts} of ${kind}, up to ${length}: ${name}`);
  });

  for (const [what, of] of [
    ['kind', ({ kind }: { kind: string }) => kind],
    ['class of length', ({ length }: { length: number }) => `up to ${length}`],
  ] as const) {
    it(`are rarely flagged, by ${what}`, () => {
      const wrong: string[] = [];
      for (const [name, columns] of sums(of)) {
        if (RIGHTLY.has(name)) continue;
        for (const [column, { texts, flagged }] of columns)
          if (flagged.length > Math.max(3, texts * MOST))
            wrong.push(`${name}: ${flagged.length} of ${texts}, ${column}\n${shown(flagged)}`);
      }
      assert.deepEqual(wrong, []);
    });
  }
});
