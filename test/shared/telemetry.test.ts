import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { packageVersion } from '#weir/shared/paths';
import { NO_REGION, useRegion } from '#weir/shared/region';
import { createRegistry, metersOf, serveMetrics } from '#weir/shared/telemetry';

const OPTIONS = { host: '127.0.0.1', port: 0, allowedHosts: '', fallback: false, progress: () => undefined };

/** The lines of a metric. */
const linesOf = (text: string, name: string): string[] =>
  text.split('\n').filter((line) => line.startsWith(`${name}{`));

describe('metrics of a process', () => {
  it('say what runs, with the version of Weir and that of Node', async () => {
    const text = await createRegistry('worker').metrics();
    const [line, ...more] = linesOf(text, 'weir_build_info');
    assert.deepEqual(more, []);
    assert.ok(line!.includes(`version="${packageVersion()}"`), line);
    assert.ok(line!.includes(`node="${process.version}"`), line);
    assert.ok(line!.includes('process="worker"'), line);
    // Modules that are not bundled do not know it, and nobody is told an empty one.
    assert.doesNotMatch(line!, /commit/);
    assert.match(line!, /\} 1$/);
  });

  it('have the name of the region, also where it is heard of later [regions.name]', async () => {
    const registry = createRegistry('worker');
    assert.doesNotMatch(await registry.metrics(), /region=/);
    try {
      useRegion({ number: 1, name: 'eu' });
      const series = (await registry.metrics()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
      assert.ok(series.length > 10);
      for (const line of series) assert.match(line, /[{,]process="worker"(,region="eu"|[^}]*,region="eu")/);
    } finally {
      useRegion(NO_REGION);
    }
  });

  it('say whether it is ready, as its probe does', async () => {
    const registry = createRegistry('ingress');
    let trouble: string | undefined = 'Redis is away.';
    const server = await serveMetrics(registry, { ...OPTIONS, ready: () => trouble });
    const readiness = async (): Promise<[number, string | undefined]> => {
      const probe = await fetch(`http://127.0.0.1:${server.port}/readyz`);
      const text = await (await fetch(`http://127.0.0.1:${server.port}/metrics`)).text();
      return [probe.status, linesOf(text, 'weir_ready')[0]?.split(' ')[1]];
    };
    try {
      assert.deepEqual(await readiness(), [503, '0']);
      trouble = undefined;
      assert.deepEqual(await readiness(), [200, '1']);
    } finally {
      await server.close();
    }
  });

  it('have no series for a value that is not told any more', async () => {
    const registry = createRegistry('ingress');
    let nodes: [string, number][] = [
      ['a:1', 0.5],
      ['b:1', 0.25],
    ];
    metersOf(registry).gaugeOf('node', 'weir_of', 'Of nodes', () => nodes);
    const lines = async (): Promise<string[]> => linesOf(await registry.metrics(), 'weir_of');
    assert.deepEqual(await lines(), [
      'weir_of{node="a:1",process="ingress"} 0.5',
      'weir_of{node="b:1",process="ingress"} 0.25',
    ]);
    nodes = [['b:1', 1]];
    assert.deepEqual(await lines(), ['weir_of{node="b:1",process="ingress"} 1']);
    nodes = [];
    assert.deepEqual(await lines(), []);
  });
});
