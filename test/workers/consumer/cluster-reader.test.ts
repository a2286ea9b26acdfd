import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { shareOf } from '#weir/workers/consumer/cluster-reader';

const PARTITIONS = 256;
const names = Array.from({ length: 7 }, (_, i) => `worker-${i}`);
const shares = (live: readonly string[]): Set<number>[] => live.map((name) => shareOf(name, live, PARTITIONS));

describe('the partitions of a Cluster that a worker reads', () => {
  it('are dealt out so that each has two workers, or the only one', () => {
    const all = shares(names);
    for (let p = 0; p < PARTITIONS; p++) assert.equal(all.filter((share) => share.has(p)).length, 2, `partition ${p}`);
    const mean = (2 * PARTITIONS) / names.length;
    for (const share of all) assert.ok(share.size > mean / 2 && share.size < mean * 1.5, `${share.size} of ${mean}`);
    assert.equal(shareOf('worker-0', ['worker-0'], PARTITIONS).size, PARTITIONS);
    assert.equal(shareOf('unheard-of', names, PARTITIONS).size, 0);
  });

  it('keep one of their workers at least when another one comes or goes', () => {
    const before = shares(names);
    const after = shares(names.slice(1));
    for (let p = 0; p < PARTITIONS; p++) {
      assert.ok(
        after.some((share, i) => share.has(p) && before[i + 1]!.has(p)),
        `partition ${p}`,
      );
    }
  });
});
