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
  /** Takes out a node without slots, and ends it. */
  remove(node: ClusterNode): Promise<void>;
  /** Starts a node again that was killed: with its id, and as a replica where another one has its slots by now. */
  restart(node: ClusterNode): Promise<void>;
  /** The node that the others say has a slot. */
  ownerOf(slot: number): Promise<ClusterNode>;
  /** All nodes that replicate are connected to a primary, and all slots are served. */
  whole(): Promise<boolean>;
  /** Moves a slot with its keys, as `redis-cli --cluster reshard` does. `during`: is called while some keys are here and some there. */
  move(slot: number, from: ClusterNode, to: ClusterNode, during?: () => Promise<void>): Promise<void>;
  close(): Promise<void>;
}

/** `silentMs`: after how long without an answer a node is replaced. `config`: further lines of redis.conf of each node. */
export async function startTestCluster({
  primaries = 3,
  replicas = 0,
  silentMs = 1000,
  config = async (): Promise<Record<string, string>> => ({}),
} = {}): Promise<TestCluster> {
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
        ...(await config()),
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
      await until('it knows that the Cluster is up', async () =>
        String(await node.redis.cluster('INFO')).includes('cluster_state:ok'),
      );
      return node;
    },
    async remove(node) {
      nodes.splice(nodes.indexOf(node), 1);
      for (const { redis } of nodes) await redis.call('CLUSTER', 'FORGET', node.id).catch(() => undefined);
      node.redis.disconnect();
      await node.server.close();
    },
    async restart(node) {
      node.server = await node.server.restart();
    },
    async ownerOf(slot) {
      for (const { redis } of nodes) {
        const ranges = (await redis.cluster('SLOTS').catch(() => [])) as [number, number, [string, number]][];
        const port = ranges.find(([first, last]) => first <= slot && slot <= last)?.[2][1];
        const owner = nodes.find(({ server }) => server.port === port);
        if (owner) return owner;
      }
      throw new Error(`no node says who has slot ${slot}`);
    },
    async whole() {
      const told = await Promise.all(
        nodes.map(async ({ redis }) => {
          const asked = [redis.cluster('INFO'), redis.info('replication'), redis.cluster('NODES')];
          return (await Promise.all(asked).catch(() => ['down'])).join('\n');
        }),
      );
      return told.every(
        (said) =>
          said.includes('cluster_state:ok') && !/master_link_status:down|,fail\?? |(?:master|slave),fail/.test(said),
      );
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
