/**
 * A planned switch of primaries of a Cluster, one after the other. `CLUSTER FAILOVER` has a replica take over: Redis itself lets writes to the
 * primary wait until the replica has all, and gives up after 5 s, when nothing has changed.
 */
import { connectServer } from '../../../shared/streams/client.js';
import { placeOf } from '../../../shared/streams/cluster/topology.js';
import { clusterNodes, type RedisEndpoint, type RedisHost } from '../../../shared/streams/endpoint.js';
import { CommandUsageError } from '../command.js';
import { createServers, inLooks, replicationOf, type Server, secondsSince, why } from './servers.js';

const NAME = 'weir-failover';
/** Redis gives up after 5 s, and lets writes wait for 10 s at most. */
const SWITCH_MS = 10_000;
/** How long the old primary may take until it has all of the new one. */
const FOLLOW_MS = 30_000;

type Connect = (at: RedisHost) => Promise<Server>;
/** address of a primary -> those of its replicas */
type Shards = ReadonlyMap<string, readonly string[]>;
type NodeOfSlots = readonly [host: string | null, port: number];

/** `wanted`: address of a primary, or `all`. Rejects with sentences that say what was not done. */
export async function failOverCluster(
  endpoint: RedisEndpoint,
  { wanted, say }: { wanted: string | undefined; say(line: string): void },
): Promise<void> {
  const servers = createServers((at) => connectServer(endpoint, NAME, at));
  try {
    const shards = await findShards(clusterNodes(endpoint)!, servers.connect);
    for (const primary of choose(shards, wanted)) {
      await switchPrimary(primary, shards.get(primary)!, { connect: servers.connect, say });
    }
  } finally {
    servers.close();
  }
}

async function findShards(seeds: readonly RedisHost[], connect: Connect): Promise<Shards> {
  const reasons: string[] = [];
  for (const seed of seeds) {
    try {
      const { redis } = await connect(seed);
      return shardsIn((await redis.cluster('SLOTS')) as unknown as unknown[][], seed.host);
    } catch (error) {
      reasons.push(why(error));
    }
  }
  throw new Error(`no node of the Cluster answers (${reasons.join('; ')}). Nothing was changed.`);
}

/** `asked`: the node that leaves its own name out where it does not know it. */
function shardsIn(ranges: readonly unknown[][], asked: string): Shards {
  const nameOf = ([host, port]: NodeOfSlots): string => `${host || asked}:${port}`;
  const shards = new Map<string, string[]>();
  for (const [, , ...nodes] of ranges) {
    const [primary, ...replicas] = (nodes as NodeOfSlots[]).filter(([host]) => host !== '?').map(nameOf);
    if (primary !== undefined) shards.set(primary, replicas);
  }
  return shards;
}

function choose(shards: Shards, wanted: string | undefined): string[] {
  const all = [...shards.keys()].sort();
  if (wanted === 'all' || (wanted === undefined && all.length === 1)) return all;
  if (wanted !== undefined && shards.has(wanted)) return [wanted];
  const known = `primaries are ${all.join(', ')}`;
  if (wanted === undefined) throw new CommandUsageError(`expected HOST:PORT of a primary, or --all; ${known}`);
  const owner = all.find((primary) => shards.get(primary)!.includes(wanted));
  const what = owner === undefined ? 'is no primary of this Cluster' : `is a replica of ${owner}`;
  throw new CommandUsageError(`${wanted} ${what}; ${known}`);
}

async function switchPrimary(
  primary: string,
  replicas: readonly string[],
  { connect, say }: { connect: Connect; say(line: string): void },
): Promise<void> {
  const old = await connect(placeOf(primary)).catch((error: unknown) => {
    throw new Error(`${why(error)} The Cluster replaces a primary that is silent by itself. Nothing was changed.`);
  });
  const next = await bestOf(primary, replicas, connect);
  const start = performance.now();
  try {
    await next.redis.call('CLUSTER', 'FAILOVER');
  } catch (error) {
    throw new Error(`${next.address}: ${why(error)} Nothing was changed.`);
  }
  const serves = async (): Promise<true | undefined> => {
    if (!(await replicationOf(next)).isPrimary || (await replicationOf(old)).isPrimary) return undefined;
    return /cluster_state:ok/.test(String(await next.redis.cluster('INFO'))) || undefined;
  };
  if (!(await inLooks(SWITCH_MS, serves))) {
    throw new Error(
      `${next.address} has not taken over from ${primary} within ${SWITCH_MS / 1000} s; its log says why. Writes go on at ${primary}.`,
    );
  }
  say(`${next.address} has taken over from ${primary}. Writes to it waited ${secondsSince(start)} at most.`);
  // The next switch, and verdicts that wait for replicas, need it.
  const follows = async (): Promise<true | undefined> => (await replicationOf(old)).isFollowing || undefined;
  if (!(await inLooks(FOLLOW_MS, follows)))
    throw new Error(`${primary} does not follow ${next.address}; its log says why.`);
}

/** The replica that has most of the primary. */
async function bestOf(primary: string, replicas: readonly string[], connect: Connect): Promise<Server> {
  const reasons: string[] = [];
  let best: { server: Server; offset: number } | undefined;
  for (const address of replicas) {
    try {
      const server = await connect(placeOf(address));
      const { isFollowing, offset } = await replicationOf(server);
      if (!isFollowing) reasons.push(`${address} has not got the data of its primary yet`);
      else if (!best || offset > best.offset) best = { server, offset };
    } catch (error) {
      reasons.push(why(error));
    }
  }
  if (best) return best.server;
  const reason = reasons.length > 0 ? ` (${reasons.join('; ')})` : '';
  throw new Error(`${primary} has no replica that could take over${reason}. Nothing was changed.`);
}
