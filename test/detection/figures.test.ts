// The figures that docs/detectors/figures.md gives are those of this code. WRITE_FIGURES=1 writes them.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { packageRoot } from '#weir/shared/paths';
import { entityTable, figuresTable, namesTable } from './figures.ts';
import { interval } from './interval.ts';
import { ordinaryTable, packFigures } from './ordinary/flagged.ts';

const PAGE = join(packageRoot, 'docs/detectors/figures.md');
const PACKS = join(packageRoot, 'deploy/packs/figures.json');
const TABLES = { figures: figuresTable, entities: entityTable, names: namesTable, ordinary: ordinaryTable };

describe('the figures of the development sets', () => {
  for (const [name, make] of Object.entries(TABLES)) {
    it(`are those of docs/detectors/figures.md: ${name}`, () => {
      const page = readFileSync(PAGE, 'utf8');
      const within = new RegExp(`(?<=<!-- ${name} -->\n)[^]*?(?=<!-- end -->)`);
      const table = `${make()}\n`;
      if (process.env.WRITE_FIGURES === '1')
        writeFileSync(
          PAGE,
          page.replace(within, () => table),
        );
      else assert.equal(within.exec(page)?.[0], table);
    });
  }

  it('are those of deploy/packs/figures.json, which the console shows', () => {
    const figures = JSON.parse(readFileSync(PACKS, 'utf8'));
    const ordinary = packFigures();
    if (process.env.WRITE_FIGURES === '1')
      writeFileSync(PACKS, `${JSON.stringify({ ...figures, ordinary }, undefined, 2)}\n`);
    else assert.deepEqual(figures.ordinary, ordinary);
  });

  it('have intervals by Wilson', () => {
    const rounded = (hits: number, of: number): number[] => interval(hits, of).map((share) => Math.round(share * 1000));
    assert.deepEqual(rounded(81, 263), [255, 366]);
    assert.deepEqual(rounded(0, 10), [0, 278]);
    assert.deepEqual(rounded(10, 10), [722, 1000]);
  });
});
