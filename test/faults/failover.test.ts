/** `weir redis failover` under load, where verdicts wait for no replica: nothing that was answered may be lost. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { weirOn } from '../deploy/cli/support.js';
import { type Services, startServices } from '../support/installation/services.js';
import { startTestCluster, type TestCluster } from '../support/stores/cluster.js';
import { type RedisGroup, startRedisGroup } from '../support/stores/sentinel.js';
import { until } from '../support/wait.js';

/** Runs `switchOver` under load, and holds all that was answered against what is stored. */
async function holdsUnderLoad(services: Services, switchOver: () => Promise<void>): Promise<void> {
  const calls = services.call();
  const { accepted, others } = calls;
  await until('checks are answered', () => accepted.length > 200);
  await switchOver();
  const before = accepted.length;
  await until('checks are answered on', () => accepted.length > before + 500);
  await calls.stop();
  for (const { said } of others) assert.match(said, /^503 unavailable$/);
  assert.deepEqual(await services.wrongRows(accepted), []);
}

describe('weir redis failover behind Sentinels', () => {
  let group: RedisGroup;
  let services: Services;
  before(async () => {
    group = await startRedisGroup({ replicas: 2, silentMs: 5000 });
    services = await startServices(group.url);
  });
  after(async () => {
    await services?.close();
    await group?.close();
  });

  it('loses and doubles nothing, and the old primary is a replica at once', async () => {
    const old = await group.primary();
    await holdsUnderLoad(services, async () => {
      const { code, err } = await weirOn(group.url, 'redis', 'failover');
      assert.deepEqual([code, err], [0, '']);
    });
    assert.notEqual(await group.primary(), old);
  });
});

describe('weir redis failover on a Cluster', () => {
  let cluster: TestCluster;
  let services: Services;
  before(async () => {
    cluster = await startTestCluster({ replicas: 1 });
    services = await startServices(cluster.url, { env: { WEIR_PARTITIONS: '8' } });
  });
  after(async () => {
    await services?.close();
    await cluster?.close();
  });

  it('loses and doubles nothing when each primary is switched in turn', async () => {
    await holdsUnderLoad(services, async () => {
      const { code, err } = await weirOn(cluster.url, 'redis', 'failover', '--all');
      assert.deepEqual([code, err], [0, '']);
    });
  });
});
