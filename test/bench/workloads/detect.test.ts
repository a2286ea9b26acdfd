import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseOptions } from '#weir/bench/options';
import { describeEnvironment } from '#weir/bench/report/environment';
import { measureAsked, measureDetect, renderAsked, renderDetect } from '#weir/bench/workloads/detect';
import { SHARE_NAMES, WAYS } from '#weir/bench/workloads/detect/asked';
import { createTurns } from '#weir/bench/workloads/detect/turns';
import { KINDS, TEXT_DETECTORS, variants } from '#weir/bench/workloads/detect/variants';

describe('the benchmark of detectors', () => {
  it('has every detector of texts, all of them together, and many policies, and texts in which rules find nothing', () => {
    const all = variants();
    const names = all.map(({ name }) => name);
    for (const name of [...TEXT_DETECTORS, 'all rules together', '10 policies', '1,000 policies']) {
      assert.ok(names.includes(name), `${name} is not among ${names.join(', ')}`);
    }
    for (const { name, models } of all) {
      const { flagged, millis } = createTurns(name)(1);
      for (const kind of KINDS) {
        assert.ok(models || flagged[kind] === 0, `${name} finds something in texts that are ${kind}`);
        assert.equal(millis[kind].length, 1);
      }
    }
  });

  it('measures each in a process of its own', async () => {
    const two = variants().filter(({ name }) => ['secrets', 'injection'].includes(name));
    assert.equal(two.length, 2);
    const { rows } = await measureDetect(0.1, two);
    assert.deepEqual(
      rows.map(({ name }) => name),
      two.map(({ name }) => name),
    );
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

  it('measures what is asked beside the verdict, each way in a process of its own, and compares it with the first', async () => {
    assert.equal(Object.keys(WAYS)[0], 'nothing more');
    const { rows } = await measureAsked(0.01, ['redact=true']);
    for (const share of SHARE_NAMES)
      assert.ok(
        Object.values(rows[0]!.micros[share]).every((time) => time > 0),
        share,
      );
    const micros = (engine: number, answer: number) =>
      Object.fromEntries(SHARE_NAMES.map((share) => [share, { engine, answer }])) as (typeof rows)[0]['micros'];
    const shown = renderAsked({
      rows: [
        { name: 'a', micros: micros(20, 2) },
        { name: 'b', micros: micros(21, 3) },
      ],
    });
    assert.match(shown, /^\| b +\| +21\.00 \| +3\.00 \| 10\.0 % \|/m);
  });

  it('takes a duration, and no option of a stack or of requests', () => {
    assert.equal(parseOptions(['detect', '--duration', '2'], {}).seconds, 2);
    assert.throws(() => parseOptions(['detect', '--rate', '4'], {}), /detect has no stack.* --duration alone/);
  });
});
