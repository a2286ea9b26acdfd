/** `weir redis failover` under load, where verdicts wait for no replica: nothing that was answered may be lost. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { failOver } from '../deploy/cli/support.js';
import { type Services, startServices } from '../support/installation/services.js';
import { type ClusterNode, startTestCluster, type TestCluster } from '../support/stores/cluster.js';
import { type RedisGroup, startRedisGroup } from '../support/stores/sentinel.js';
import { until } from '../support/wait.js';

/** Runs `switchOver` under load, and holds all that was answered against what is stored. */
async function holdsUnderLoad(services: Services, switchOver: () => Promise<void>): Promise<void> {
  const calls = services.call();
  const { accepted, others } = calls;
  await until('checks are answered', () => accepted.length > 100);
  await switchOver();
  const before = accepted.length;
  await until('checks are answered on', () => accepted.length > before + 200);
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
      const { code, err } = await failOver(group.url);
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

  const withRole = async (wanted: string): Promise<ClusterNode[]> => {
    const roles = await Promise.all(cluster.nodes.map(({ redis }) => redis.role()));
    return cluster.nodes.filter((_, i) => roles[i]![0] === wanted);
  };
  const addressOf = ({ server }: ClusterNode): string => `127.0.0.1:${server.port}`;

  it('says which primaries there are where it is not told one', async () => {
    const [replica] = await withRole('slave');
    const cases = [
      [[], /: expected HOST:PORT of a primary, or --all; primaries are (127\.0\.0\.1:\d+(, )?){3}\n/],
      [['127.0.0.1:1'], /: 127\.0\.0\.1:1 is no primary of this Cluster; primaries are /],
      [[addressOf(replica!)], /: 127\.0\.0\.1:\d+ is a replica of 127\.0\.0\.1:\d+; primaries are /],
    ] as const;
    for (const [args, said] of cases) {
      const { code, err } = await failOver(cluster.url, ...args);
      assert.equal(code, 2);
      assert.match(err, said);
    }
  });

  it('loses and doubles nothing when each primary is switched in turn', async () => {
    await holdsUnderLoad(services, async () => {
      const { code, err } = await failOver(cluster.url, '--all');
      assert.deepEqual([code, err], [0, '']);
    });
  });

  it('changes nothing where a primary has no replica that could take over', async () => {
    const primary = (await withRole('master'))[0]!;
    const [, , replicas] = (await primary.redis.role()) as unknown as [string, number, [string, string][]];
    const own = cluster.nodes.filter(({ server }) => replicas.some(([, port]) => Number(port) === server.port));
    assert.equal(own.length, 1);
    await own[0]!.server.kill('SIGKILL');
    const { code, err } = await failOver(cluster.url, addressOf(primary));
    assert.equal(code, 1);
    assert.match(err, /: 127\.0\.0\.1:\d+ has no replica that could take over.*\. Nothing was changed\.$/);
    assert.equal((await primary.redis.role())[0], 'master');
  });
});
