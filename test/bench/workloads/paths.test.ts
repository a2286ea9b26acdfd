import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseOptions } from '#weir/bench/options';
import { describeEnvironment } from '#weir/bench/report/environment';
import { measurePaths, pathsOf, renderPaths } from '#weir/bench/workloads/paths';
import { PATH_WORKLOADS, type PathFigures, type PathTurned, STEPS } from '#weir/bench/workloads/paths/turns';

describe('the benchmark of paths', () => {
  it('measures every step of every shape of batch, in at least five rounds', async () => {
    const { rounds, rows } = await measurePaths(0.01);
    assert.equal(rounds, 5);
    assert.deepEqual(
      rows.map(({ name }) => name),
      PATH_WORKLOADS,
    );
    for (const { name, micros, size } of rows) {
      for (const step of STEPS) assert.ok(micros[step] > 0, `${name}, ${step}`);
      assert.ok(size > 10_000);
    }
  });

  it('compares what a byte costs with the first workload, by the medians of the rounds', () => {
    const figures = (size: number, micros: number): PathFigures => ({
      size,
      micros: { read: micros, answer: micros, workerRead: 1, worker: 2 * micros },
    });
    const turn = (slow: number): PathTurned => ({
      'events-50': figures(1000, 10),
      'events-mixed': figures(1000, 10),
      'events-agents': figures(2000, slow),
    });
    const report = pathsOf([turn(30), turn(60), turn(900)]);
    const [first, , agents] = report.rows;
    assert.deepEqual(first!.perByte, { ingress: 1, worker: 1 });
    assert.deepEqual(agents!.perByte, { ingress: 3, worker: 3 });
    assert.equal(agents!.micros.read, 60);
    const where = { workload: 'paths', configuration: 'none', policies: undefined, versions: undefined };
    const text = renderPaths(report, describeEnvironment(where));
    assert.match(text, /^\| events-agents +\| +2,000 \| .* 60\.00 \| +60\.00 \| +3\.00 \| +3\.00 \|$/m);
  });

  it('takes a duration, and no option of a stack or of requests', () => {
    assert.equal(parseOptions(['paths', '--duration', '2'], {}).seconds, 2);
    assert.throws(() => parseOptions(['paths', '--closed', '4'], {}), /paths has no stack.* --duration alone/);
  });
});
