import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readFigures, SHIPPED_FIGURES } from '#weir/deploy/cli/plan/figures';
import { type CapacityPlan, kindsOf, partitionsFor, planFor } from '#weir/deploy/cli/plan/plan';
import { moneyFor } from '#weir/deploy/cli/plan/prices';
import { wallsOf } from '#weir/deploy/cli/plan/walls';
import { demandOf, roundFigures } from './support.ts';

/** Each figure of a plan that says how much is needed. */
const needs = ({ tiers, primaries, partitions, shards, hops, acrossZones, storedPerDay }: CapacityPlan): number[] => [
  ...Object.values(tiers).flatMap(({ processes, vcpu, memory, disk }) => [processes, vcpu, memory, disk]),
  ...[primaries, partitions, shards, acrossZones, storedPerDay],
  ...Object.values(hops),
];

describe('a plan', () => {
  it('adds up requests, events, flagged events, bytes and images', () => {
    const demand = demandOf(1000, { batch: 10, eventBytes: 200, flagged: 0.5, images: 0.1, imageBytes: 1000 });
    const { requests, images, rates } = planFor(roundFigures(), demand);
    assert.equal(requests, 90);
    assert.equal(images, 100);
    assert.equal(rates.httpIn, 90 * (10 + 10 * (1 + 0.5 * 5 + 200 * 0.1)) + 100 * (100 + 1000));
  });

  it('takes single events by figures of their own, and every batch by those of batches', () => {
    const of = (batch: number): number =>
      planFor(roundFigures(), demandOf(1000, { batch, eventBytes: 200, flagged: 0.5 })).rates.inserted;
    assert.equal(of(1), 1000 * (7 + 0.5 * 5 + 200 * 0.1));
    assert.equal(of(2), 500 * (10 + 2 * (1 + 0.5 * 5 + 200 * 0.1)));
    const { cores } = planFor(roundFigures(), demandOf(1e6, { batch: 1 })).tiers.clickhouse;
    assert.ok(Math.abs(cores - 2 * 3) < 1e-9, `${cores}`);
  });

  it('counts a kind of events once for each batch that has it', () => {
    const figures = roundFigures();
    figures.batch.inserted = { request: 0, kind: 60, event: 0, flagged: 0, byte: 0 };
    const of = (batch: number): number => planFor(figures, demandOf(batch, { batch })).rates.inserted;
    assert.ok(Math.abs(of(2) - 60 * (11 / 6)) < 1e-9, `${of(2)}`);
    assert.ok(of(50) > 60 * 5.99 && of(50) < 60 * 6, `${of(50)}`);
    assert.ok(Math.abs(kindsOf(1) - 1) < 1e-9);
  });

  it('needs no less for more events, with the figures that ship', () => {
    const figures = readFigures(SHIPPED_FIGURES);
    let before = needs(planFor(figures, demandOf(1)));
    for (const rate of [10, 100, 1e3, 5e3, 1e4, 3e4, 1e5, 3e5, 1e6, 3e6, 1e7]) {
      const now = needs(planFor(figures, demandOf(rate)));
      for (const [i, need] of now.entries()) assert.ok(need >= before[i]!, `${i} at ${rate}: ${need} < ${before[i]}`);
      before = now;
    }
  });

  it('needs no less for smaller batches, for longer texts and for more that is flagged', () => {
    const figures = readFigures(SHIPPED_FIGURES);
    const base = needs(planFor(figures, demandOf(1e5)));
    for (const more of [
      { batch: 5 },
      { batch: 1 },
      { eventBytes: 900 },
      { flagged: 0.5 },
      { hotSeconds: 600 },
      { skew: 2 },
    ]) {
      const now = needs(planFor(figures, demandOf(1e5, more)));
      for (const [i, need] of now.entries()) assert.ok(need >= base[i]! * 0.999, `${i}: ${JSON.stringify(more)}`);
    }
  });

  it('has more bytes and nodes with more replicas, and none across one zone', () => {
    const figures = roundFigures();
    const [none, two] = [0, 2].map((redisReplicas) => planFor(figures, demandOf(1e5, { redisReplicas })));
    assert.equal(none!.hops['primaries to replicas'], 0);
    assert.equal(two!.hops['primaries to replicas'], 2 * two!.rates.replication);
    assert.equal(two!.tiers.redis.processes, 3 * two!.primaries);
    assert.ok(two!.acrossZones > none!.acrossZones);
    const three = planFor(figures, demandOf(1e5, { clickhouseReplicas: 3 }));
    assert.ok(three.storedPerDay > none!.storedPerDay);
    assert.equal(planFor(figures, demandOf(1e5, { zones: 1 })).acrossZones, 0);
  });

  it('has a power of two of partitions, 4 to 8 a primary, and at most 1,024', () => {
    assert.deepEqual([1, 2, 3, 8, 70, 256].map(partitionsFor), [8, 16, 16, 64, 512, 1024]);
    for (let primaries = 1; primaries <= 256; primaries++) {
      const partitions = partitionsFor(primaries);
      assert.ok(Number.isInteger(Math.log2(partitions)));
      assert.ok(partitions >= 4 * primaries && partitions <= 8 * primaries, `${primaries}: ${partitions}`);
    }
  });

  it('has primaries enough for the busiest one, by CPU, network and memory', () => {
    const figures = roundFigures();
    const of = (more: object): number => planFor(figures, demandOf(1e6, more)).primaries;
    // 2 µs an event: two cores at a million events, of which 60 % are used.
    assert.equal(of({ networkGbit: 1000 }), 4);
    assert.equal(of({ networkGbit: 1000, skew: 1.6 }), 6);
    assert.equal(of({ networkGbit: 1000, cpuFactor: 2 }), 7);
    assert.ok(of({ networkGbit: 0.1 }) > 4);
    assert.ok(of({ networkGbit: 1000, redisMemoryGib: 1, hotSeconds: 600 }) > 4);
    const { primaryBusy } = planFor(figures, demandOf(1e6, { networkGbit: 1000 }));
    assert.equal(primaryBusy.toFixed(6), '0.500000');
  });

  it('is refused where partitions do not suffice', () => {
    assert.throws(() => planFor(roundFigures(), demandOf(1e9)), /at most 256; plan several installations$/);
  });

  it('keeps results and contents as long as it is told', () => {
    const figures = roundFigures();
    const disk = (more: object): number => planFor(figures, demandOf(1000, more)).tiers.clickhouse.disk;
    const { rates } = planFor(figures, demandOf(1000));
    const gib = (days: number, rate: number): number => (days * 86_400 * rate * 2) / 0.6 / 2 ** 30;
    const close = (found: number, expected: number) => assert.ok(Math.abs(found / expected - 1) < 1e-9);
    close(disk({ contentDays: 0, resultsDays: 10 }), gib(10, rates.results));
    close(disk({ contentDays: 7, resultsDays: 10 }), gib(10, rates.results) + gib(7, rates.content));
    close(disk({ mean: 0.5 }), disk({}) / 2);
  });

  it('says what ends first, the nearest first, and no bound is met before the rate itself', () => {
    const figures = readFigures(SHIPPED_FIGURES);
    for (const rate of [1e4, 1e5, 1e6, 1e7]) {
      const walls = wallsOf(planFor(figures, demandOf(rate)));
      const rates = walls.map(({ eventsPerSecond }) => eventsPerSecond);
      assert.deepEqual(
        rates,
        rates.toSorted((a, b) => a - b),
      );
      assert.ok(rates[0]! >= rate * 0.999, `${rate}: ${JSON.stringify(walls[0])}`);
    }
  });

  it('needs one more primary just behind the wall that it names', () => {
    const figures = roundFigures();
    const demand = demandOf(1e6, { networkGbit: 1000 });
    const wall = wallsOf(planFor(figures, demand)).find(({ what }) => what.startsWith('CPU of the busiest'))!;
    assert.equal(planFor(figures, { ...demand, eventsPerSecond: wall.eventsPerSecond * 0.999 }).primaries, 4);
    assert.equal(planFor(figures, { ...demand, eventsPerSecond: wall.eventsPerSecond * 1.001 }).primaries, 5);
  });

  it('has money only of prices that were given', () => {
    const plan = planFor(roundFigures(), demandOf(1e5));
    assert.equal(moneyFor(plan, {}), undefined);
    const vcpu = Object.values(plan.tiers).reduce((sum, tier) => sum + tier.vcpu, 0);
    const money = moneyFor(plan, { vcpuHour: 0.5, diskGibMonth: 0 })!;
    assert.deepEqual(money, {
      parts: { vCPU: vcpu * 365, disk: 0 },
      total: vcpu * 365,
      without: ['memory', 'across zones'],
    });
  });
});
