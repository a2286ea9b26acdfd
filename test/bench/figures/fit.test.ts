import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { redisCounts } from '#weir/bench/figures/counts';
import { fitCosts } from '#weir/bench/figures/fit';
import { fitIdle, idleAt } from '#weir/bench/figures/idle';
import type { LoadCost } from '#weir/bench/figures/load';
import { fitBatch, fitSingle, missed, type PacedCost } from '#weir/bench/figures/session';
import { CPU_TIERS, kindsOf, recordOf, TIER_QUANTITIES } from '#weir/deploy/cli/plan/plan';

const total = (amounts: readonly number[], costs: readonly number[]): number =>
  amounts.reduce((sum, amount, i) => sum + amount * costs[i]!, 0);

const AMOUNTS = [
  [4000, 4000, 400, 1_600_000],
  [3000, 30_000, 3000, 10_000_000],
  [1000, 50_000, 5000, 17_000_000],
  [900, 45_000, 4500, 48_000_000],
  [800, 40_000, 20_000, 14_000_000],
  [2000, 20_000, 0, 21_000_000],
];

describe('costs that are fitted', () => {
  it('are those that the totals are made of', () => {
    const costs = [2900, 250, 90, 1.9];
    const found = fitCosts(AMOUNTS.map((amounts) => ({ amounts, total: total(amounts, costs) })));
    for (const [i, cost] of costs.entries()) assert.ok(Math.abs(found[i]! / cost - 1) < 1e-6, `${i}: ${found[i]}`);
  });

  it('are near where each total is a little off', () => {
    const costs = [2900, 250, 90, 1.9];
    const points = AMOUNTS.map((amounts, i) => ({ amounts, total: total(amounts, costs) * (i % 2 ? 1.01 : 0.99) }));
    const found = fitCosts(points);
    for (const { amounts, total: expected } of points) {
      assert.ok(Math.abs(total(amounts, found) / expected - 1) < 0.03);
    }
  });

  it('are never negative', () => {
    const points = AMOUNTS.map((amounts) => ({ amounts, total: total(amounts, [20, 0, 0, 0]) - amounts[1]! * 1e-3 }));
    for (const cost of fitCosts(points)) assert.ok(cost >= 0);
  });

  it('are 0 of what costs nothing, and of what is not there', () => {
    assert.deepEqual(fitCosts(AMOUNTS.map((amounts) => ({ amounts, total: 0 }))), [0, 0, 0, 0]);
    assert.deepEqual(fitCosts([{ amounts: [10, 0], total: 30 }]), [3, 0]);
    assert.deepEqual(fitCosts([]), []);
  });

  it('tell processes from partitions where nothing is checked', () => {
    const rates = (n: number) => ({ redisIn: n, redisOut: n, commands: n });
    const idle = fitIdle([
      { processes: 3, readers: 1, rates: rates(3 * 10 + 4) },
      { processes: 3, readers: 16, rates: rates(3 * 10 + 64) },
      { processes: 5, readers: 2, rates: rates(5 * 10 + 8) },
    ]);
    assert.ok(Math.abs(idleAt(idle, { processes: 100, readers: 10 }).commands - 1040) < 1e-6);
  });
});

/** A load of which everything counts `count`, and each process takes `cpu`. */
function costOf(
  [requests, events, flagged, bytes]: readonly [number, number, number, number],
  count: number,
  cpu: number,
): LoadCost {
  return {
    ...{ name: '', requests, events, flagged, bytes, seconds: 10 },
    counts: recordOf(TIER_QUANTITIES, () => count),
    cpu: recordOf(CPU_TIERS, () => cpu),
    resident: {},
  };
}

const REST = recordOf(['redisIn', 'redisOut', 'commands'], () => ({ process: 0, reader: 0 }));
const near = (found: number, expected: number): void =>
  assert.ok(Math.abs(found - expected) < 1e-6 * Math.max(1, expected), `${found} is not ${expected}`);

describe('costs of single events and of batches', () => {
  it('are each fitted from their own loads', () => {
    const shapes = [2, 10, 50].flatMap((events) =>
      [
        [0.1, 250],
        [0.5, 300],
        [0, 1000],
      ].map(([flagged, bytes]) => [100, 100 * events, 100 * events * flagged!, 100 * events * bytes!] as const),
    );
    const twice = (cost: LoadCost): PacedCost => ({ busy: cost, paced: cost });
    const batch = fitBatch(
      shapes.map((shape) => {
        const [requests, events, flagged, bytes] = shape;
        const kinds = requests * kindsOf(events / requests);
        return twice(costOf(shape, 2300 * requests + 700 * kinds + 180 * events + 90 * flagged + bytes, 3 * requests));
      }),
      REST,
    );
    const expected = { request: 2300, kind: 700, event: 180, flagged: 90, byte: 1 };
    for (const [name, cost] of Object.entries(expected)) near(batch.inserted[name as keyof typeof expected], cost);
    near(batch.cpu.redis.request, 3);
    assert.equal(batch.cpu.redis.kind, 0);
    const single = fitSingle(
      [
        [100, 100, 10, 25_000],
        [100, 100, 50, 25_000],
        [100, 100, 0, 90_000],
      ].map((shape) => {
        const [requests, , flagged, bytes] = shape as [number, number, number, number];
        return twice(costOf([requests, requests, flagged, bytes], 755 * requests + 90 * flagged + bytes, requests));
      }),
      REST,
    );
    near(single.inserted.request, 755);
    near(single.inserted.flagged, 90);
    near(single.inserted.byte, 1);
  });

  it('are those of a moderate rate where it changes them, and of busy processes for CPU, memory and disk', () => {
    const busy = costOf([1000, 1000, 0, 0], 18_000, 2);
    const paced = costOf([100, 100, 0, 0], 2200, 1);
    const single = fitSingle([{ busy, paced }], REST);
    for (const name of ['commands', 'redisIn', 'redisOut', 'replication', 'appendOnly', 'inserted'] as const) {
      near(single[name].request, 22);
    }
    for (const name of ['hot', 'results', 'content'] as const) near(single[name].request, 18);
    near(single.cpu.redis.request, 0.002);
  });
});

describe('counts of Redis', () => {
  it('leave out what replicas get, and memory of connections', () => {
    const info = [
      'used_memory:1000',
      'mem_clients_normal:100',
      'mem_total_replication_buffers:50',
      'mem_aof_buffer:5',
      'aof_current_size:77',
      'total_commands_processed:9',
      'total_net_input_bytes:500',
      'total_net_output_bytes:700',
      'total_net_repl_input_bytes:20',
      'total_net_repl_output_bytes:300',
    ].join('\r\n');
    assert.deepEqual(redisCounts(info), {
      redisIn: 480,
      redisOut: 400,
      commands: 9,
      replication: 300,
      appendOnly: 77,
      hot: 845,
    });
  });
});

describe('a plan beside what is measured', () => {
  it('may be 15 % away, and no more', () => {
    const check = (planned: number, measured: number) => missed({ load: '', quantity: '', planned, measured });
    assert.deepEqual([check(114, 100), check(86, 100), check(116, 100), check(84, 100)], [false, false, true, true]);
    assert.ok(check(1, 0));
    assert.ok(check(0, 0), 'what was not measured was not met');
  });
});
