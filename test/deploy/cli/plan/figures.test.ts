import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { checkFigures, readFigures } from '#weir/deploy/cli/plan/figures';
import { roundFigures } from './support.ts';

describe('figures of a plan', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'weir-plan-'));
  });
  after(() => rmSync(folder, { recursive: true }));

  it('are taken as they are written', () => {
    const file = join(folder, 'figures.json');
    writeFileSync(file, JSON.stringify(roundFigures()));
    assert.deepEqual(readFigures(file), roundFigures());
  });

  it('are refused with the field that is wrong', () => {
    const good = roundFigures();
    const { batch, single, images, machine } = good;
    const cost = images.cpu.redis;
    const cases: [value: unknown, message: RegExp][] = [
      [{ ...good, batch: { ...batch, redisIn: { ...batch.redisIn, byte: -1 } } }, /batch\.redisIn\.byte must be/],
      [{ ...good, single: { ...single, redisIn: batch.redisIn } }, /single\.redisIn\.\S+ must be/],
      [
        { ...good, images: { ...images, cpu: { ...images.cpu, redis: { ...cost, request: Number.NaN } } } },
        /images\.cpu\.redis\.request must be/,
      ],
      [{ ...good, format: 2 }, /format must be 1/],
      [{ ...good, more: 1 }, /more must be/],
      [{ ...good, idle: undefined }, /idle must be/],
      [{ ...good, machine: { ...machine, cores: 0 } }, /machine\.cores must be/],
      [[], /f\.json: .+ must be/],
      [null, /f\.json: the file must be/],
    ];
    for (const [value, message] of cases) assert.throws(() => checkFigures(value, 'f.json'), message);
  });

  it('are refused where the file is none, or no JSON', () => {
    const file = join(folder, 'text');
    writeFileSync(file, 'not JSON');
    assert.throws(() => readFigures(file), /text: is not JSON; npm run bench -- figures/);
    assert.throws(() => readFigures(join(folder, 'absent')), /absent: cannot be read/);
    assert.throws(() => readFigures(folder), /cannot be read/);
    writeFileSync(file, ' '.repeat(70_000));
    assert.throws(() => readFigures(file), /cannot be read/);
  });
});
