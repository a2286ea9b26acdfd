/** What the processes of a running installation say of themselves. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { readingIn, watchRemote, weirSource } from '#weir/bench/measurement/remote';
import { openStores, type WatchedStores } from '#weir/bench/measurement/stores';
import { createRegistry, type MetricsServer, serveMetrics } from '#weir/shared/telemetry';
import { type SharedHistory, sharedHistory } from '../../support/stores/clickhouse.ts';
import { sharedRedis } from '../../support/stores/redis.ts';
import { until } from '../../support/wait.ts';

const { server: redis } = await sharedRedis();
const history: SharedHistory = await sharedHistory();

describe('the processes of a running installation', () => {
  let metrics: MetricsServer;
  let stores: WatchedStores;
  before(async () => {
    const fine = (): undefined => undefined;
    const options = { host: '127.0.0.1', port: 0, allowedHosts: '', fallback: false, progress: fine, ready: fine };
    metrics = await serveMetrics(createRegistry('worker'), options);
    stores = await openStores({ redisUrl: redis.url, clickhouseUrl: history.engine.url, database: 'weir' });
  });
  after(async () => {
    await stores.close();
    await metrics.close();
  });

  it('say how much CPU and memory they take, by their kind and address', async () => {
    const weir = await weirSource(`http://127.0.0.1:${metrics.port}`);
    const watch = await watchRemote([weir, ...stores.sources()], 20);
    const [worker, server] = [weir, ...stores.sources()];
    const first = await worker!.read();
    // This process works until its figures have grown, which are those of the worker here.
    await until('it has worked', async () => (await worker!.read()).cpuSeconds > first.cpuSeconds + 0.05);
    const costs = await watch.stop();
    // An engine that has done little has counted nothing yet.
    assert.deepEqual(
      costs.filter(({ name }) => name !== 'clickhouse').map(({ name, at }) => [name, at]),
      [
        ['worker', worker!.at],
        ['redis', server!.at],
      ],
    );
    for (const { name, cpuSeconds, rssMin, rssMax } of costs) {
      assert.ok(cpuSeconds >= 0 && cpuSeconds < 600, `${name}: ${cpuSeconds} s`);
      assert.ok(rssMin > 1 && rssMax >= rssMin, `${name}: ${rssMin} to ${rssMax} MiB`);
    }
    assert.ok(costs[0]!.cpuSeconds > 0.04, `${costs[0]!.cpuSeconds} s`);
  });

  it('are left out of the figures where they do not answer', async () => {
    const gone = { name: 'ingress', at: 'host:1', read: () => Promise.reject(new Error('away')) };
    const blank = { name: 'redis', at: 'host:2', read: async () => ({ cpuSeconds: Number.NaN, mib: 1 }) };
    const watch = await watchRemote([gone, blank], 20);
    assert.deepEqual(await watch.stop(), []);
  });

  it('are told apart from what is no process of Weir, in a sentence', async () => {
    await assert.rejects(weirSource('http://127.0.0.1:1'), /--metrics http:\/\/127\.0\.0\.1:1 cannot be read: /);
    await assert.rejects(weirSource(history.engine.url), /--metrics \S+ (cannot be read|is no process of Weir)/);
  });

  it('have figures in the text of their metrics', () => {
    const text = `process_cpu_seconds_total{process="ingress"} 12.5
process_resident_memory_bytes{process="ingress"} 104857600
`;
    assert.deepEqual(readingIn(text), { cpuSeconds: 12.5, mib: 100 });
  });
});
