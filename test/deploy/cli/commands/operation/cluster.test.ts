/** Commands that an operator asks an installation on a Redis Cluster with, and what they say while a primary is away. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { packageRoot } from '#weir/shared/paths';
import { connectCommands, isReady, type Redis } from '#weir/shared/streams/client';
import { slotOf } from '#weir/shared/streams/cluster/slots';
import { heartbeat } from '#weir/shared/streams/fleet';
import { keys } from '#weir/shared/streams/keys';
import { ensurePartitions } from '#weir/shared/streams/partitions';
import { type ClusterNode, startTestCluster, type TestCluster } from '../../../../support/stores/cluster.js';
import { until } from '../../../../support/wait.js';
import { weir } from '../../support.js';

const PARTITIONS = 4;
let cluster: TestCluster;
let redis: Redis;

before(async () => {
  cluster = await startTestCluster();
  process.env.WEIR_REDIS_URL = cluster.url;
  redis = connectCommands({ redisUrl: cluster.url }, 'test');
  redis.on('error', () => undefined);
  await redis.connect();
  await ensurePartitions(redis, PARTITIONS);
});
after(async () => {
  delete process.env.WEIR_REDIS_URL;
  redis?.disconnect();
  await cluster?.close();
});

const LISTS = [
  ['dead-letters', 'list'],
  ['refused', 'list'],
  ['refused', 'replay'],
  ['hooks', 'list'],
];
const addressOf = ({ server }: ClusterNode): string => `127.0.0.1:${server.port}`;

it('the configuration is applied, each primary is shown, and what is in all partitions is listed', async () => {
  const applied = await weir('apply', join(packageRoot, 'bench/policies.yaml'));
  assert.match(applied.out, /^Version 1 is active\.$/m);
  await heartbeat(redis, { kind: 'ingress', name: 'an ingress' });
  await heartbeat(redis, { kind: 'worker', name: 'a worker' });
  const { code, out } = await weir('status');
  for (const node of cluster.nodes)
    assert.match(
      out,
      new RegExp(` ${addressOf(node)}: primary, replicas: 0; takes writes, \\d+\\.\\d % of maxmemory$`, 'm'),
    );
  assert.match(out, /^checks +taken$/m);
  assert.equal(code, 0);
  for (const list of LISTS) assert.equal((await weir(...list)).code, 0, list.join(' '));
});

it('a primary that refuses writes is named, and one that has too few replicas', async () => {
  const node = await cluster.ownerOf(slotOf(keys.checks(1)));
  await node.redis.config('SET', 'min-replicas-to-write', '1');
  const { code, out } = await weir('status');
  assert.match(out, new RegExp(`^checks +refused: ${addressOf(node)}: Redis takes no writes, since it has fewer`, 'm'));
  assert.equal(code, 1);
  await node.redis.config('SET', 'min-replicas-to-write', '0');
  process.env.WEIR_REDIS_REPLICAS = '1';
  const without = await weir('status').finally(() => delete process.env.WEIR_REDIS_REPLICAS);
  assert.match(without.out, new RegExp(`${addressOf(node)} has 0 replicas, where 1 must have a verdict`));
  assert.equal(without.code, 1);
});

it('of a primary that is away its partitions are named, and the others are shown and listed', async () => {
  const away = await cluster.ownerOf(slotOf(keys.checks(1)));
  assert.notEqual(away, await cluster.ownerOf(slotOf(keys.configActive())));
  await heartbeat(redis, { kind: 'worker', name: 'a worker' });
  await away.server.kill('SIGKILL');
  await until('the test has lost it', () => !isReady(redis, keys.checks(1)));
  const { code, out } = await weir('status');
  const partitions = Array.from({ length: PARTITIONS }, (_, p) => p);
  const lost = partitions.filter((p) => !isReady(redis, keys.checks(p)));
  assert.match(out, new RegExp(`^checks +refused: ${addressOf(away)}: Redis cannot be reached`, 'm'));
  assert.match(out, new RegExp(`^ +partitions that are away: ${lost.join(', ')}$`, 'm'));
  assert.match(out, /^workers +1 live/m);
  const rows = [...out.matchAll(/^ +(\d+) .* s .* s /gm)].map(([, p]) => Number(p));
  assert.deepEqual(
    rows,
    partitions.filter((p) => !lost.includes(p)),
  );
  assert.equal(code, 1);
  for (const list of LISTS) {
    const listed = await weir(...list);
    assert.equal(listed.code, 1, list.join(' '));
    assert.equal(listed.err, `Left out, since their primary is away: partitions ${lost.join(', ')}.`);
  }
});

it('while that with the configuration is away, too, the state of the third is shown', async () => {
  const away = await cluster.ownerOf(slotOf(keys.configActive()));
  await away.server.kill('SIGKILL');
  const { code, out } = await weir('status');
  assert.match(out, /^configuration +not known$/m);
  assert.match(out, /^ingress +not known while Redis takes no writes$/m);
  assert.match(out, / 127\.0\.0\.1:\d+: primary, replicas: 0; takes writes/);
  assert.equal(code, 1);
});
