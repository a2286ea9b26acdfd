/**
 * Connections to Redis. There are three kinds, which differ when the connection breaks:
 *
 * - *commands*: a command fails at once when there is no connection. The client never sends a command twice. When an answer
 *   is lost, the command may have run or not; the sender decides what that means.
 * - *blocking*: one connection per blocking read, with a time-out of its own. It is replaced after any error.
 * - *subscriber*: it reconnects by itself. What was published in the meantime is read from stored results.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis, type RedisOptions } from 'ioredis';
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

function open(url: string, options: RedisOptions): Redis {
  const redis = new Redis(url, { ...options, lazyConnect: true });
  // The client adds its listener in a way that Node's streams do not count as one. Without another one they keep each piece that comes in
  // for a later turn, and meanwhile stop reading: two system calls more for each.
  redis.on('connect', () => redis.stream.on('data', () => undefined));
  return redis;
}

/** For everything that is not a blocking read. Commands time out after `timeoutMs`. */
export function connectCommands(url: string, name: string, timeoutMs: number = 10_000): Redis {
  const redis = open(url, {
    ...base(name),
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: timeoutMs,
  });
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

/** For one blocking read at a time. It does not reconnect: its owner makes another. */
export function connectBlocking(url: string, name: string): Redis {
  return open(url, { ...base(name), enableOfflineQueue: false, maxRetriesPerRequest: 0, retryStrategy: null });
}

/** For sharded Pub/Sub. The owner subscribes again on each `ready`. */
export function connectSubscriber(url: string, name: string): Redis {
  return open(url, { ...base(name), autoResubscribe: false, maxRetriesPerRequest: null });
}

/**
 * Connects, and waits up to `timeoutMs` for a server that is starting or loading its data. Rejects with a sentence that names
 * the server.
 */
export function waitForRedis(redis: Redis, url: string, timeoutMs: number = 30_000): Promise<void> {
  // A Redis that takes no writes answers a read. One whose disk is full refuses PING.
  return reach(redis, url, { timeoutMs, ask: () => redis.exists(keys.partitions()) });
}

/** Like {@link waitForRedis}, but to a server in any state, such as a node of a Cluster that does not have our keys. */
export function waitForConnection(redis: Redis, url: string, timeoutMs: number = 30_000): Promise<void> {
  return reach(redis, url, { timeoutMs, ask: () => redis.info('server') });
}

async function reach(
  redis: Redis,
  url: string,
  { timeoutMs, ask }: { timeoutMs: number; ask(): Promise<unknown> },
): Promise<void> {
  const until = performance.now() + timeoutMs;
  let reason = '';
  const remember = (error: Error): void => {
    reason = error.message;
  };
  redis.on('error', remember);
  for (;;) {
    try {
      if (redis.status === 'wait' || redis.status === 'end' || redis.status === 'close') await redis.connect();
      await ask();
      redis.off('error', remember);
      return;
    } catch (error) {
      reason ||= error instanceof Error ? error.message : String(error);
      if (performance.now() > until) break;
      await sleep(100);
    }
  }
  throw new Error(
    `Redis at ${withoutPassword(url)} cannot be reached (${reason}). Is it running? WEIR_REDIS_URL names it.`,
  );
}

/** The address without user and password, for logs. */
export function withoutPassword(url: string): string {
  try {
    const parsed = new URL(url);
    // Without "//" the whole address is a path, which may contain the password.
    if (parsed.host === '') return '(an address that names no host)';
    parsed.password = '';
    parsed.username = '';
    return parsed.href;
  } catch {
    return '(an address that is no URL)';
  }
}

/** Whether the connection broke after the command may have been sent, so that nobody knows whether it ran. */
export function isFateUnknown(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error.name === 'ReplyError') return false;
  return !error.message.includes("Stream isn't writeable");
}

/** A transaction that was refused as a whole says why behind these words. */
const DISCARDED = '(?:EXECABORT Transaction discarded because of: )?';
const PASSING_REPLIES = new RegExp(
  `^${DISCARDED}(LOADING|READONLY|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|OOM|BUSY|NOREPLICAS|NOSCRIPT|UNBLOCKED|MISCONF) `,
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

const REFUSALS: readonly (readonly [start: RegExp, said: string])[] = [
  [/^READONLY /, 'Redis is a replica, which takes no writes: WEIR_REDIS_URL must name the primary.'],
  [/^NOREPLICAS /, 'Redis takes no writes, since it has fewer replicas in time than min-replicas-to-write wants.'],
  [/^MISCONF /, 'Redis takes no writes, since it cannot save them: look at its log, and at the space on its disk.'],
  [
    /^(MOVED|ASK|CLUSTERDOWN|CROSSSLOT) /,
    'Redis is a node of a Cluster, which has only some of the keys: Weir needs all.',
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
