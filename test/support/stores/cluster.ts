/** A Redis Cluster of real processes on free ports, gone afterwards. */
import { freePort } from '#weir/deploy/local/ports';
import { connectCommands, type Redis } from '#weir/shared/streams/client';
import { SLOTS } from '#weir/shared/streams/cluster/slots';
import { until } from '../wait.js';
import { startTestRedis, type TestRedis } from './redis.js';

export interface ClusterNode {
  server: TestRedis;
  /** a connection to this node alone */
  redis: Redis;
  id: string;
}

export interface TestCluster {
  /** as `WEIR_REDIS_URL` has it */
  url: string;
  /** the primaries first */
  nodes: readonly ClusterNode[];
  /** Starts a primary without slots. */
  add(): Promise<ClusterNode>;
  /** Moves a slot with its keys, as `redis-cli --cluster reshard` does. `during`: is called while some keys are here and some there. */
  move(slot: number, from: ClusterNode, to: ClusterNode, during?: () => Promise<void>): Promise<void>;
  close(): Promise<void>;
}

/** `silentMs`: after how long without an answer a node is replaced. */
export async function startTestCluster({ primaries = 3, replicas = 0, silentMs = 1000 } = {}): Promise<TestCluster> {
  const nodes: ClusterNode[] = [];
  const options = async () =>
    ({
      appendfsync: 'everysec',
      config: {
        'cluster-enabled': 'yes',
        'cluster-port': String(await freePort()),
        'cluster-node-timeout': String(silentMs),
        'cluster-require-full-coverage': 'no',
        'repl-diskless-sync-delay': '0',
      },
    }) as const;

  async function start(): Promise<ClusterNode> {
    const configured = await options();
    const server = await startTestRedis(configured);
    const redis = connectCommands({ redisUrl: server.url }, 'test', 5000);
    redis.on('error', () => undefined);
    await redis.connect();
    const node = { server, redis, id: String(await redis.cluster('MYID')) };
    if (nodes.length > 0) {
      const { port } = server;
      await nodes[0]!.redis.call('CLUSTER', 'MEET', '127.0.0.1', port, configured.config['cluster-port']);
    }
    nodes.push(node);
    return node;
  }

  const allKnow = (what: string, holds: (said: string) => boolean): Promise<void> =>
    until(what, async () =>
      (await Promise.all(nodes.map(({ redis }) => redis.cluster('NODES') as Promise<string>))).every(holds),
    );

  async function known(): Promise<void> {
    await allKnow(
      'the nodes know each other',
      (said) => said.trim().split('\n').length === nodes.length && !said.includes('handshake'),
    );
  }

  while (nodes.length < primaries * (1 + replicas)) await start();
  await known();
  for (const [i, { redis }] of nodes.slice(0, primaries).entries()) {
    const first = Math.ceil((i * SLOTS) / primaries);
    await redis.call('CLUSTER', 'ADDSLOTSRANGE', first, Math.ceil(((i + 1) * SLOTS) / primaries) - 1);
  }
  for (const [i, { redis }] of nodes.slice(primaries).entries()) {
    await redis.call('CLUSTER', 'REPLICATE', nodes[i % primaries]!.id);
  }
  await until('all slots are served, and all replicas follow', async () => {
    const told = nodes.map(async ({ redis }) => `${await redis.cluster('INFO')}${await redis.info('replication')}`);
    return (await Promise.all(told)).every(
      (said) =>
        said.includes('cluster_state:ok') &&
        said.includes(`cluster_slots_assigned:${SLOTS}`) &&
        !said.includes('master_link_status:down'),
    );
  });
  await allKnow(
    'all know the replicas',
    (said) => said.split(' slave ').length - 1 + said.split(',slave ').length - 1 >= primaries * replicas,
  );

  return {
    url: `redis-cluster://${nodes
      .slice(0, 2)
      .map(({ server }) => `127.0.0.1:${server.port}`)
      .join(',')}`,
    nodes,
    async add() {
      const node = await start();
      await known();
      return node;
    },
    async move(slot, from, to, during) {
      await to.redis.call('CLUSTER', 'SETSLOT', slot, 'IMPORTING', from.id);
      await from.redis.call('CLUSTER', 'SETSLOT', slot, 'MIGRATING', to.id);
      await during?.();
      for (;;) {
        const some = (await from.redis.call('CLUSTER', 'GETKEYSINSLOT', slot, 10)) as string[];
        if (some.length === 0) break;
        await from.redis.call('MIGRATE', '127.0.0.1', to.server.port, '', 0, 5000, 'KEYS', ...some);
      }
      for (const { redis } of [to, from, ...nodes.filter((node) => node !== to && node !== from)]) {
        await redis.call('CLUSTER', 'SETSLOT', slot, 'NODE', to.id).catch(() => undefined);
      }
    },
    async close() {
      for (const { redis, server } of nodes) {
        redis.disconnect();
        await server.close();
      }
    },
  };
}
