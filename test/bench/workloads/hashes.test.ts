import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseOptions } from '#weir/bench/options';
import { describeEnvironment } from '#weir/bench/report/environment';
import { measureHashes, renderHashes } from '#weir/bench/workloads/hashes';
import { pluck } from '../../support/pluck.ts';

describe('the benchmark of hashes', () => {
  it('measures the search for images that are near to no hash, near to one, and on the list', () => {
    const figures = measureHashes(3_000, 0.1);
    assert.deepEqual(pluck(figures.kinds, 'name'), [
      'nothing near, within 31 bits (default)',
      'nothing near, within 20 bits',
      'one 20 bits away',
      'one that is there',
    ]);
    for (const { name, latency } of figures.kinds) {
      assert.ok(latency.count >= 20 && latency.p50 > 0 && latency.p50 <= latency.p99, `${name}: ${latency.p50} ms`);
    }
    assert.equal(figures.hashesMb, 0.096);
    assert.ok(figures.indexMb > 0.1 && figures.indexMb < 0.5 && figures.buildMs > 0, JSON.stringify(figures));
  });

  it('prints a row for each, and what the list takes', () => {
    const latency = { p50: 0.5, p90: 0.6, p99: 0.75, p999: 0.9, max: 1.25, mean: 0.5, count: 1000 };
    const figures = { size: 1_000_000, buildMs: 640, hashesMb: 32, indexMb: 90.2, kinds: [{ name: 'known', latency }] };
    const environment = describeEnvironment({
      workload: 'hashes',
      configuration: 'none',
      policies: undefined,
      versions: undefined,
    });
    const text = renderHashes(figures, environment);
    assert.match(text, /^\| known \| +0\.500 \| +0\.750 \| +1\.250 \| +1,000 \|$/m);
    assert.match(text, /^1,000,000 random hashes: 32 MB, and 90 MB of index, built in 0\.64 s\.$/m);
    assert.ok(text.includes(`Node ${process.version}`), text);
  });

  it('takes a duration, and no option of a stack or of requests', () => {
    const { workload, seconds } = parseOptions(['hashes'], {});
    assert.deepEqual([workload, seconds], ['hashes', 5]);
    assert.equal(parseOptions(['hashes', '--duration', '2'], {}).seconds, 2);
    for (const wrong of [['--rate', '4'], ['--floor'], ['--url', 'http://127.0.0.1:9'], ['--warmup', '1']]) {
      assert.throws(() => parseOptions(['hashes', ...wrong], {}), /hashes has no stack.* --duration alone/);
    }
  });
});
