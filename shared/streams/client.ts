/**
 * Connections to Redis: to one server, or to each primary of a Cluster (`cluster/`). There are three kinds, which differ when the connection
 * breaks:
 *
 * - *commands*: a command fails at once when there is no connection. The client never sends a command twice. When an answer
 *   is lost, the command may have run or not; the sender decides what that means.
 * - *blocking*: one connection per blocking read, with a time-out of its own. It is replaced after any error.
 * - *subscriber*: it reconnects by itself. What was published in the meantime is read from stored results.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis, type RedisOptions } from 'ioredis';
import { inTime } from '../async.js';
import { ClusterClient, type ClusterNodes } from './cluster/client.js';
import { followTopology, placeOf, type Topology } from './cluster/topology.js';
import {
  changingOptions,
  clusterNodes,
  optionsOf,
  type RedisEndpoint,
  type RedisHost,
  sentinelOptionsOf,
  withoutPassword,
} from './endpoint.js';
import { keys } from './keys.js';

export type { Redis } from 'ioredis';

type NetStream = Redis['stream'];

const base = (name: string): RedisOptions => ({
  connectionName: name,
  protocol: 2,
  connectTimeout: 2000,
  disableClientInfo: true,
  keepAlive: 10_000,
  autoResendUnfulfilledCommands: false,
  retryStrategy: (times) => Math.min(50 * 2 ** Math.min(times, 5), 1000),
});

/** All connections of this process that are not ended. */
const opened = new Set<Redis>();

/** `at`: to this node of a Cluster. */
function open(endpoint: RedisEndpoint, options: RedisOptions, at?: RedisHost): Redis {
  const again = (times: number): number | null => {
    readAgain(redis, endpoint);
    return options.retryStrategy?.(times) ?? null;
  };
  const redis: Redis = new Redis({
    ...optionsOf(endpoint, at),
    ...options,
    lazyConnect: true,
    retryStrategy: again,
    // The client gives up for good where this is null.
    sentinelRetryStrategy: again,
  });
  outliveErrors(redis);
  opened.add(redis);
  redis.on('end', () => opened.delete(redis));
  redis.on('connecting', () => opened.add(redis));
  // The client adds its listener in a way that Node's streams do not count as one. Without another one they keep each piece that comes in
  // for a later turn, and meanwhile stop reading: two system calls more for each.
  redis.on('connect', () => redis.stream.on('data', () => undefined));
  return redis;
}

/** A TLS socket may fail twice, and the client listens once: the second error would end the process. */
function outliveErrors(redis: Redis): void {
  const { connector } = redis as unknown as { connector: { connect(tell: unknown): Promise<NetStream> } };
  const connect = connector.connect.bind(connector);
  connector.connect = async (tell) => {
    const stream = await connect(tell);
    stream.on('error', () => undefined);
    return stream;
  };
}

/** Takes passwords and certificates as they are in their files now. What cannot be read stays what it was. */
function readAgain(redis: Redis, endpoint: RedisEndpoint): void {
  try {
    Object.assign(redis.options, changingOptions(endpoint));
  } catch (error) {
    if (redis.listenerCount('error') > 0) redis.emit('error', error);
  }
}

/** Ends all connections of this process. Those that connect again ask anew where the primary is; what is under way on them fails. */
export function dropConnections(): void {
  for (const redis of [...opened]) if (redis.status === 'ready' || redis.status === 'connect') redis.disconnect(true);
}

/** What this process knows of Clusters, by address, and how many clients need it. */
const topologies = new Map<string, { topology: Topology; users: number }>();

/** The topology of a Cluster, which all clients of this process share. `close` lets go of it. */
function topologyOf(endpoint: RedisEndpoint, seeds: readonly RedisHost[]): Pick<ClusterNodes, 'topology' | 'close'> {
  const { redisUrl } = endpoint;
  const single = { ...base('weir-topology'), enableOfflineQueue: false, maxRetriesPerRequest: 0, retryStrategy: null };
  const shared = topologies.get(redisUrl) ?? {
    topology: followTopology(seeds, (at) => open(endpoint, single, at)),
    users: 0,
  };
  topologies.set(redisUrl, shared);
  shared.users++;
  return {
    topology: shared.topology,
    close() {
      if (--shared.users > 0) return;
      topologies.delete(redisUrl);
      shared.topology.close();
    },
  };
}

/** For everything that is not a blocking read. Commands time out after `timeoutMs`. */
export function connectCommands(endpoint: RedisEndpoint, name: string, timeoutMs: number = 10_000): Redis {
  const seeds = clusterNodes(endpoint);
  if (!seeds) return openCommands(endpoint, name, timeoutMs);
  const nodes = topologyOf(endpoint, seeds);
  const openNode = (address: string): Redis => openCommands(endpoint, name, timeoutMs, placeOf(address));
  return new ClusterClient({ ...nodes, open: openNode }, name);
}

function openCommands(endpoint: RedisEndpoint, name: string, timeoutMs: number, at?: RedisHost): Redis {
  const options = { ...base(name), enableOfflineQueue: false, maxRetriesPerRequest: 0, commandTimeout: timeoutMs };
  const redis = open(endpoint, options, at);
  redis.on('connect', () => {
    gatherWrites(redis.stream);
    endSilence(redis, timeoutMs + 2000);
  });
  return redis;
}

/** How often a connection is looked at on which nothing is heard. */
const LOOK_MS = 1000;

/**
 * Ends a connection on which nothing has been heard for `silentMs` while commands wait: a peer may go without closing it. The client does
 * the same with a timer and a listener for each command.
 */
function endSilence(redis: Redis, silentMs: number): void {
  const { stream } = redis;
  let read = 0;
  let heard = performance.now();
  const look = setInterval(() => {
    if (redis.commandQueue.length === 0 || stream.bytesRead !== read) {
      read = stream.bytesRead;
      heard = performance.now();
    } else if (performance.now() - heard > silentMs)
      stream.destroy(new Error(`Socket timeout: nothing was heard for ${silentMs} ms.`));
  }, LOOK_MS).unref();
  stream.once('close', () => clearInterval(look));
}

/** Sends what one turn of the event loop writes in one system call, which costs more than most commands. Keeps the order. */
function gatherWrites(stream: NetStream): void {
  const write = stream.write.bind(stream) as (...parts: unknown[]) => boolean;
  let gathering = false;
  stream.write = (...parts: unknown[]): boolean => {
    if (!gathering) {
      gathering = true;
      stream.cork();
      setImmediate(() => {
        gathering = false;
        stream.uncork();
      });
    }
    return write(...parts);
  };
}

/**
 * For one blocking read at a time; of a Cluster, to the node `at` (`addressOf`). It does not reconnect: its owner makes another.
 */
export function connectBlocking(endpoint: RedisEndpoint, name: string, at?: RedisHost): Redis {
  return open(endpoint, { ...base(name), enableOfflineQueue: false, maxRetriesPerRequest: 0, retryStrategy: null }, at);
}

/** What is asked once has a limit, and fails where the connection does. */
const ONCE = { enableOfflineQueue: false, maxRetriesPerRequest: 0, commandTimeout: 2000, retryStrategy: null } as const;

/** For commands without keys to one server of the endpoint, whatever its role. It does not reconnect. */
export const connectServer = (endpoint: RedisEndpoint, name: string, at: RedisHost): Redis =>
  open(endpoint, { ...base(name), ...ONCE, db: 0 }, at);

/** For questions to a Sentinel. It does not reconnect. */
export function connectSentinel(endpoint: RedisEndpoint, name: string, at: RedisHost): Redis {
  const redis = new Redis({
    ...base(name),
    ...ONCE,
    ...sentinelOptionsOf(endpoint, at),
    lazyConnect: true,
    enableReadyCheck: false,
  });
  outliveErrors(redis);
  return redis;
}

/** For sharded Pub/Sub; of a Cluster, with the node `at`. The owner subscribes again on each `ready`. */
export function connectSubscriber(endpoint: RedisEndpoint, name: string, at?: RedisHost): Redis {
  return open(endpoint, { ...base(name), autoResubscribe: false, maxRetriesPerRequest: null }, at);
}

/** The address of the server that a connection is to: behind Sentinels, of the one that they named last. */
export const addressIn = ({ options, stream }: Redis): string =>
  options.sentinels ? `${stream?.remoteAddress}:${stream?.remotePort}` : `${options.host}:${options.port}`;

export const isCluster = (redis: Redis): redis is ClusterClient => redis instanceof ClusterClient;

/** The connections of a client: its own, or one to each primary of the Cluster. */
export const nodesOf = (redis: Redis): readonly Redis[] => (isCluster(redis) ? redis.primaries() : [redis]);

/** The connection that a key is reached by; undefined: no primary of the Cluster has it. */
export const nodeOf = (redis: Redis, key: string): Redis | undefined => (isCluster(redis) ? redis.nodeOf(key) : redis);

/** Whether commands for a key can be sent. */
export const isReady = (redis: Redis, key: string): boolean => nodeOf(redis, key)?.status === 'ready';

/** Whether the node of a Cluster that has a key is away, while others may be there. */
export const isAway = (redis: Redis, key: string): boolean => isCluster(redis) && !isReady(redis, key);

export interface WaitOptions {
  /** how long to wait; absent: 30 s, and without an end where there is `say` */
  timeoutMs?: number | undefined;
  /** is told that Redis is waited for, 1 s after the beginning and then every 30 s */
  say?: ((line: string) => void) | undefined;
}

/**
 * Connects, and waits for a server that is starting, loading its data or not there yet. Rejects with a sentence that names the server, unless
 * it waits without an end.
 */
export function waitForRedis(redis: Redis, endpoint: RedisEndpoint, options: WaitOptions = {}): Promise<void> {
  // A Redis that takes no writes answers a read. One whose disk is full refuses PING.
  return reach(redis, endpoint, () => redis.exists(keys.partitions()), options);
}

/**
 * Like {@link waitForRedis}, but to a server in any state, such as a node of a Cluster that does not have our keys; of a Cluster, to any of its
 * primaries.
 */
export function waitForConnection(redis: Redis, endpoint: RedisEndpoint, options: WaitOptions = {}): Promise<void> {
  const ask = (): Promise<string> => Promise.any(nodesOf(redis).map((node) => node.info('server')));
  return reach(redis, endpoint, isCluster(redis) ? ask : () => redis.info('server'), options);
}

/** When it is said first that Redis is waited for, and how often from then on. */
const FIRST_SAID_MS = 1000;
const SAID_AGAIN_MS = 30_000;

async function reach(
  redis: Redis,
  { redisUrl }: RedisEndpoint,
  ask: () => Promise<unknown>,
  { say, timeoutMs = say ? Number.POSITIVE_INFINITY : 30_000 }: WaitOptions,
): Promise<void> {
  const start = performance.now();
  let sayAt = start + FIRST_SAID_MS;
  let reason = '';
  const remember = (error: Error): void => {
    reason = reasonOf(error);
  };
  redis.on('error', remember);
  try {
    for (;;) {
      try {
        // Sentinels are asked again and again, as long as none answers.
        if (redis.status === 'wait' || redis.status === 'end' || redis.status === 'close')
          await inTime(redis.connect(), FIRST_SAID_MS, 'no answer');
        await ask();
        return;
      } catch (error) {
        reason ||= reasonOf(error);
      }
      const now = performance.now();
      if (now - start > timeoutMs) break;
      if (say && now > sayAt) {
        say(`${cannotReach(redisUrl, reason)} Trying on.`);
        sayAt = now + SAID_AGAIN_MS;
      }
      await sleep(100);
    }
  } finally {
    redis.off('error', remember);
  }
  throw new Error(cannotReach(redisUrl, reason));
}

const cannotReach = (url: string, reason: string): string =>
  `Redis at ${withoutPassword(url)} cannot be reached (${reason}). Is it running? WEIR_REDIS_URL names it.`;

/** Why a connection does not work, in words where there are some. */
export const reasonOf = (error: unknown): string =>
  isRefusal(error) ? explainRefusal(error).replace(/\.$/, '') : error instanceof Error ? error.message : String(error);

/** Whether the connection broke after the command may have been sent, so that nobody knows whether it ran. */
export function isFateUnknown(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error.name === 'ReplyError') return false;
  return !error.message.includes("Stream isn't writeable");
}

/** A transaction that was refused as a whole says why behind these words. */
const DISCARDED = '(?:EXECABORT Transaction discarded because of: )?';
const PASSING_REPLIES = new RegExp(
  `^${DISCARDED}(LOADING|READONLY|MASTERDOWN|CLUSTERDOWN|MOVED|ASK|TRYAGAIN|OOM|BUSY|NOREPLICAS|NOSCRIPT|UNBLOCKED|MISCONF) `,
);
const OUT_OF_MEMORY = new RegExp(`^${DISCARDED}OOM `);
/** An operator must give rights (back): to a connection, or to what a script does (Redis 7.0, and later). */
const RIGHTS_REPLIES =
  /^(NOPERM|NOAUTH|WRONGPASS|ERR The user executing the script can't run|ERR ACL failure in script:) /;
const CONNECTION_ERRORS = /connection|isn't writeable|timed out|ECONN|EPIPE|ENOTFOUND|socket|max retries/i;

/** Whether Redis is away or not ready, so that the same call may succeed later. */
export function isPassing(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error.name === 'ReplyError') return PASSING_REPLIES.test(error.message) || RIGHTS_REPLIES.test(error.message);
  return CONNECTION_ERRORS.test(error.message) || CONNECTION_ERRORS.test(error.name);
}

/** What a node of a Cluster answers while a slot moves. */
const MOVING_REPLIES = /^(MOVED|ASK|TRYAGAIN|UNBLOCKED) /;

/** How loud the failure of a command is that is tried again: that Redis is away is said once, by `watch.ts`. */
export const loudness = (error: unknown): 'debug' | 'warn' =>
  isPassing(error) && (!isRefusal(error) || MOVING_REPLIES.test((error as Error).message)) ? 'debug' : 'warn';

const REFUSALS: readonly (readonly [start: RegExp, said: string])[] = [
  [/^READONLY /, 'Redis is a replica, which takes no writes: WEIR_REDIS_URL must name the primary.'],
  [/^NOREPLICAS /, 'Redis takes no writes, since it has fewer replicas in time than min-replicas-to-write wants.'],
  [/^MISCONF /, 'Redis takes no writes, since it cannot save them: look at its log, and at the space on its disk.'],
  [
    /^(MOVED|ASK|CROSSSLOT) /,
    'Redis is a node of a Cluster: WEIR_REDIS_URL must be redis-cluster:// and some of its nodes.',
  ],
  [/^CLUSTERDOWN /, 'The Redis Cluster is down, or nobody has some of its slots: look at CLUSTER INFO of its nodes.'],
  [/^TRYAGAIN /, 'A slot of the Redis Cluster is on its way to another node.'],
  [/^BUSY /, 'Redis is busy with a script.'],
  [
    /^ERR This instance has cluster support disabled/,
    'Redis is no node of a Cluster: WEIR_REDIS_URL must be redis://.',
  ],
  [/^LOADING /, 'Redis is still loading its data.'],
  [/^MASTERDOWN /, 'Redis is a replica that has lost its primary.'],
  [/^OOM /, 'Redis is at maxmemory.'],
  [RIGHTS_REPLIES, 'Redis does not let our user do what Weir needs: look at its ACL and at WEIR_REDIS_URL.'],
];

/** Explains an error of Redis to an operator, in a sentence without keys, values or addresses. */
export function explainRefusal(error: unknown): string {
  if (!isRefusal(error)) return 'Redis cannot be reached, or does not answer in time.';
  const { message } = error as Error;
  const known = REFUSALS.find(([start]) => start.test(message));
  return known?.[1] ?? `Redis refuses what Weir asks (${message.split(' ')[0]}).`;
}

/** Whether the command reached Redis and Redis refused it. */
export function isRefusal(error: unknown): boolean {
  return error instanceof Error && error.name === 'ReplyError';
}

/** Whether Redis refused a write because it is at `maxmemory`. */
export function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && OUT_OF_MEMORY.test(error.message);
}
