/** Weir on a Redis Cluster: a primary is killed under load, a slot moves, and the number of partitions grows. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { connectCommands, nodeOf, type Redis, waitForRedis } from '#weir/shared/streams/client';
import { slotOf } from '#weir/shared/streams/cluster/slots';
import { keys } from '#weir/shared/streams/keys';
import { type Services, startServices } from '../support/installation/services.js';
import { type ClusterNode, startTestCluster, type TestCluster } from '../support/stores/cluster.js';
import { until } from '../support/wait.js';

const PARTITIONS = 8;

describe('on a Redis Cluster', () => {
  let cluster: TestCluster;
  let services: Services;
  let redis: Redis;

  before(async () => {
    cluster = await startTestCluster({ replicas: 1 });
    const endpoint = { redisUrl: cluster.url };
    services = await startServices(cluster.url, {
      env: { WEIR_REDIS_REPLICAS: '1', WEIR_PARTITIONS: String(PARTITIONS) },
      workers: 2,
    });
    redis = connectCommands(endpoint, 'test', 5000);
    redis.on('error', () => undefined);
    await waitForRedis(redis, endpoint);
  });
  after(async () => {
    redis?.disconnect();
    await services?.close();
    await cluster?.close();
  });

  const ownerOf = (partition: number): ClusterNode => {
    const port = nodeOf(redis, keys.checks(partition))!.options.port;
    return cluster.nodes.find(({ server }) => server.port === port)!;
  };

  it('answers and stores checks of all partitions once', async () => {
    const calls = services.call();
    await until('checks are answered', () => calls.accepted.length > 500);
    await calls.stop();
    assert.deepEqual(calls.others, []);
    assert.deepEqual(await services.wrongRows(calls.accepted), []);
  });

  it('answers all and stores it once while the slot of a partition moves', async () => {
    const from = ownerOf(0);
    const to = cluster.nodes.slice(0, 3).find((node) => node !== from)!;
    const calls = services.call();
    await until('checks are answered', () => calls.accepted.length > 100);
    await cluster.move(slotOf(keys.checks(0)), from, to);
    const before = calls.accepted.length;
    await until('checks are answered on', () => calls.accepted.length > before + 500);
    await calls.stop();
    assert.deepEqual(calls.others, []);
    assert.deepEqual(await services.wrongRows(calls.accepted), []);
  });

  it('loses nothing when a primary is killed, and the others go on meanwhile', async () => {
    const victim = ownerOf(3);
    const calls = services.call();
    await until('checks are answered', () => calls.accepted.length > 200);
    await victim.server.kill('SIGKILL');
    const atDeath = calls.accepted.length;
    await until('the replica takes its place', () => ownerOf(3) !== victim);
    const meanwhile = calls.accepted.length - atDeath;
    const before = calls.accepted.length;
    await until('checks are answered again', () => calls.accepted.length > before + 500);
    await calls.stop();
    assert.ok(meanwhile > 0, 'checks of other partitions were answered');
    for (const { said } of calls.others) assert.match(said, /^(503 unavailable|504 evaluation_timeout)$/);
    assert.deepEqual(await services.wrongRows(calls.accepted), []);
  });
});
