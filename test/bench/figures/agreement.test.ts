/** Bytes that a small installation takes for a load, beside those that the shipped figures foresee. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startFigureInstallation } from '#weir/bench/figures/installation';
import { eventsOf, type LoadMachine, runFigureLoad } from '#weir/bench/figures/load';
import { checksOf, type FigureCheck, missed } from '#weir/bench/figures/session';
import { startGenerator } from '#weir/bench/generator/process';
import { readFigures, SHIPPED_FIGURES } from '#weir/deploy/cli/plan/figures';

/** Commands depend on what comes together, and so on the pace of the machine. */
const TIMED = ['commands'];
/** Requests at a rate at which few come together: 60 of each, however long they take. */
const LOADS = [
  { events: 30, characters: 400, flagged: 0.2 },
  { events: 5, characters: 400, flagged: 0.2 },
  { events: 1, characters: 400, flagged: 0.2 },
];
const RATE = 30;
const SECONDS = 2;

describe('the figures that ship', () => {
  it('foresee the bytes between tiers of loads that they were not made of', { timeout: 240_000 }, async (t) => {
    const installation = await startFigureInstallation({ partitions: 1 });
    t.after(() => installation.close());
    const generator = startGenerator();
    t.after(() => generator.close());
    const machine: LoadMachine = { installation, generator, tag: Date.now().toString(36), stamp: 1 };
    const figures = readFigures(SHIPPED_FIGURES);
    const away: FigureCheck[] = [];
    for (const { events, characters, flagged } of LOADS) {
      const name = `events of a request: ${events}`;
      const load = { name, workload: eventsOf(events, characters, flagged), rate: RATE };
      const cost = await runFigureLoad(machine, load, SECONDS);
      assert.equal(cost.events, RATE * SECONDS * events);
      const bytes = checksOf(figures, cost).filter(({ quantity }) => !TIMED.includes(quantity));
      assert.equal(bytes.length, 7);
      for (const { quantity, planned, measured } of bytes) {
        t.diagnostic(`${name}: ${quantity}: ${(planned / measured).toFixed(3)}`);
      }
      away.push(...bytes.filter(missed));
    }
    assert.deepEqual(away, []);
  });
});
