/** Bytes that a small installation takes for a load, beside those that the shipped figures foresee. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startFigureInstallation } from '#weir/bench/figures/installation';
import { eventsOf, type LoadMachine, runFigureLoad } from '#weir/bench/figures/load';
import { checksOf, missed } from '#weir/bench/figures/session';
import { startGenerator } from '#weir/bench/generator/process';
import { readFigures, SHIPPED_FIGURES } from '#weir/deploy/cli/plan/figures';

/** Commands depend on what comes together, and so on the pace of the machine. */
const TIMED = ['commands'];

describe('the figures that ship', () => {
  it('foresee the bytes between tiers of a load that they were not made of', { timeout: 240_000 }, async (t) => {
    const installation = await startFigureInstallation({ partitions: 1 });
    t.after(() => installation.close());
    const generator = startGenerator();
    t.after(() => generator.close());
    const machine: LoadMachine = { installation, generator, tag: Date.now().toString(36), stamp: 1 };
    // 60 batches, however long they take.
    const load = { name: '30 events', workload: eventsOf(30, 400, 0.2), rate: 30 };
    const cost = await runFigureLoad(machine, load, 2);
    assert.equal(cost.events, 1800);
    const checks = checksOf(readFigures(SHIPPED_FIGURES), cost);
    const bytes = checks.filter(({ quantity }) => !TIMED.includes(quantity));
    assert.equal(bytes.length, 7);
    for (const check of bytes) t.diagnostic(`${check.quantity}: ${(check.planned / check.measured).toFixed(3)}`);
    assert.deepEqual(bytes.filter(missed), []);
  });
});
