import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseOptions } from '#weir/bench/options';
import { describeEnvironment } from '#weir/bench/report/environment';
import { measureDetect, renderDetect } from '#weir/bench/workloads/detect';
import { TEXT_DETECTORS } from '#weir/bench/workloads/detect/variants';

describe('the benchmark of detectors', () => {
  it('measures every detector of texts, all of them together, and many policies', async () => {
    const { rows } = await measureDetect(0.1);
    const names = rows.map(({ name }) => name);
    for (const name of [...TEXT_DETECTORS, 'all rules together', '10 policies', '1,000 policies']) {
      assert.ok(names.includes(name), `${name} is not among ${names.join(', ')}`);
    }
    for (const { name, micros } of rows) {
      for (const [kind, each] of Object.entries(micros)) assert.ok(each > 0, `${name}, ${kind}: ${each}`);
    }
  });

  it('prints a row for each', () => {
    const environment = describeEnvironment({
      workload: 'detect',
      configuration: 'none',
      policies: undefined,
      versions: undefined,
    });
    const micros = { 'plain ASCII': 1.5, 'with numbers': 2, 'beyond ASCII': 3.25 };
    const text = renderDetect({ rows: [{ name: 'terms', micros }] }, environment);
    assert.match(text, /^\| terms +\| +1\.50 \| +2\.00 \| +3\.25 \|$/m);
    assert.ok(text.includes(`Node ${process.version}`), text);
  });

  it('takes a duration, and no option of a stack or of requests', () => {
    assert.equal(parseOptions(['detect', '--duration', '2'], {}).seconds, 2);
    assert.throws(() => parseOptions(['detect', '--rate', '4'], {}), /detect has no stack.* --duration alone/);
  });
});
