/** The state of the Redis of an installation: of one server, or of each primary of a Cluster. */
import { explainRefusal, isCluster, isRefusal, nodeOf, nodesOf, type Redis } from '../streams/client.js';
import { keys } from '../streams/keys.js';

export interface RedisNodeStatus {
  /** `host:port` */
  address: string;
  /** `master` or `slave`, as Redis calls it; '' when unknown */
  role: string;
  replicas: number;
  /** why it takes no writes, in a sentence; null: it takes them */
  refuses: string | null;
  /** share of `maxmemory` in use; 0 when it is not set */
  memoryRatio: number;
}

/** Of a Cluster: the fewest replicas, the fullest memory, and the first primary that takes no writes. */
export interface RedisStatus extends Omit<RedisNodeStatus, 'address'> {
  /** Processes can say that they live: what they write to takes writes. */
  hears: boolean;
  /** the primaries of a Cluster; absent: it is one Redis */
  nodes?: RedisNodeStatus[];
}

type ServerStatus = Omit<RedisStatus, 'nodes' | 'hears'>;

/** Rejects when Redis does not answer at all; of a Cluster, when no primary does. */
export async function redisStatus(redis: Redis): Promise<RedisStatus> {
  if (!isCluster(redis)) {
    const server = await serverStatus(redis, keys.position(0));
    return { ...server, hears: server.refuses === null };
  }
  let silence: unknown = new Error('connection: no node of the Cluster has slots');
  const nodes = await Promise.all(
    nodesOf(redis).map(async (node): Promise<RedisNodeStatus> => {
      const { host, port } = node.options;
      const address = `${host}:${port}`;
      try {
        return { address, ...(await serverStatus(node, ownKey(redis, node))) };
      } catch (error) {
        silence = error;
        return { address, role: '', replicas: 0, refuses: explainRefusal(error), memoryRatio: 0 };
      }
    }),
  );
  if (nodes.every(({ role }) => role === '')) throw silence;
  const { host, port } = nodeOf(redis, keys.configActive())?.options ?? {};
  const refusing = nodes.filter(({ refuses }) => refuses !== null);
  return {
    role: nodes.every(({ role }) => role === 'master') ? 'master' : '',
    replicas: Math.min(...nodes.map(({ replicas }) => replicas)),
    refuses: refusing.length === 0 ? null : refusing.map(({ address, refuses }) => `${address}: ${refuses}`).join(' '),
    memoryRatio: Math.max(...nodes.map(({ memoryRatio }) => memoryRatio)),
    hears: nodes.some(({ address, refuses }) => address === `${host}:${port}` && refuses === null),
    nodes,
  };
}

/** Most partitions of an installation: one of them is at each primary, whether it is in use or not. */
const PARTITIONS = 1024;

/** A key that the node has. */
function ownKey(redis: Redis, node: Redis): string | undefined {
  for (let p = 0; p < PARTITIONS; p++) if (nodeOf(redis, keys.position(p)) === node) return keys.position(p);
  return undefined;
}

async function serverStatus(redis: Redis, key: string | undefined): Promise<ServerStatus> {
  const info = await redis.info();
  const read = (field: string): number => Number(new RegExp(`^${field}:(\\d+)`, 'm').exec(info)?.[1] ?? 0);
  const most = read('maxmemory');
  return {
    role: /^role:(\w+)/m.exec(info)?.[1] ?? '',
    replicas: read('connected_slaves'),
    refuses: key === undefined ? null : await writeTrouble(redis, key),
    memoryRatio: most === 0 ? 0 : read('used_memory') / most,
  };
}

/** Why Redis takes no writes, found by a write that changes nothing and needs no memory. `key`: of a hash. */
async function writeTrouble(redis: Redis, key: string): Promise<string | null> {
  try {
    await redis.hdel(key, '');
    return null;
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return explainRefusal(error);
  }
}
