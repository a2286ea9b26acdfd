/**
 * Connections to Redis. Three kinds, because each must behave differently when the connection breaks:
 *
 * - *commands*: fail at once when there is no connection, and are never sent twice by the client. A command whose
 *   answer was lost may or may not have run; who sent it decides what that means.
 * - *blocking*: one per blocking read, with a time-out of its own; thrown away and built anew after any error.
 * - *subscriber*: connects again by itself; what was published meanwhile is fetched from stored results.
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

/** For everything that is not a blocking read. Commands time out after `timeoutMs`. */
export function connectCommands(url: string, name: string, timeoutMs: number = 10_000): Redis {
  const redis = new Redis(url, {
    ...base(name),
    lazyConnect: true,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: timeoutMs,
    // A peer that vanished without a word is noticed by its silence, while commands wait.
    socketTimeout: timeoutMs + 2000,
  });
  redis.on('connect', () => gatherWrites(redis.stream));
  return redis;
}

/** What is sent in one turn of the event loop goes out in one write, which costs more than most commands do. The order stays. */
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

/** For one blocking read at a time; it does not reconnect, its owner builds another. */
export function connectBlocking(url: string, name: string): Redis {
  return new Redis(url, {
    ...base(name),
    lazyConnect: true,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    retryStrategy: null,
  });
}

/** For sharded Pub/Sub; who subscribes does so again on each `ready`. */
export function connectSubscriber(url: string, name: string): Redis {
  return new Redis(url, { ...base(name), lazyConnect: true, autoResubscribe: false, maxRetriesPerRequest: null });
}

/**
 * Connects, waiting up to `timeoutMs` for a server that is still starting or loading its data. Rejects with one
 * sentence that says what could not be reached.
 */
export function waitForRedis(redis: Redis, url: string, timeoutMs: number = 30_000): Promise<void> {
  // A read, which a Redis that takes no writes answers; PING is refused by one whose disk is full.
  return reach(redis, url, { timeoutMs, ask: () => redis.exists(keys.partitions()) });
}

/** The same to a server in whatever state, also one that has not our keys. */
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

/** The address as it may be logged. */
export function withoutPassword(url: string): string {
  try {
    const parsed = new URL(url);
    // Without "//" user and password are neither: all of it is a path.
    if (parsed.host === '') return '(an address that names no host)';
    parsed.password = '';
    parsed.username = '';
    return parsed.href;
  } catch {
    return '(an address that is no URL)';
  }
}

/** Whether an error says that the connection broke after the command may have been sent: its fate is unknown. */
export function isFateUnknown(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error.name === 'ReplyError') return false;
  return !error.message.includes("Stream isn't writeable");
}

const PASSING_REPLIES =
  /^(LOADING|READONLY|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|OOM|BUSY|NOREPLICAS|NOSCRIPT|UNBLOCKED|MISCONF) /;
/** Rights that somebody has to give (back): to a connection, or to what a script does (Redis 7.0, later ones). */
const RIGHTS_REPLIES =
  /^(NOPERM|NOAUTH|WRONGPASS|ERR The user executing the script can't run|ERR ACL failure in script:) /;
const CONNECTION_ERRORS = /connection|isn't writeable|timed out|ECONN|EPIPE|ENOTFOUND|socket|max retries/i;

/** Whether an error says that Redis is away or not ready, so that the same call may succeed later. */
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

/** What an operator is told of an error of Redis: a sentence without keys, values or addresses. */
export function explainRefusal(error: unknown): string {
  if (!isRefusal(error)) return 'Redis cannot be reached, or does not answer in time.';
  const { message } = error as Error;
  const known = REFUSALS.find(([start]) => start.test(message));
  return known?.[1] ?? `Redis refuses what Weir asks (${message.split(' ')[0]}).`;
}

/** Whether an error is an answer of Redis: the command reached it, and it refused. */
export function isRefusal(error: unknown): boolean {
  return error instanceof Error && error.name === 'ReplyError';
}

/** Whether Redis refused a write because it is at `maxmemory`. */
export function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('OOM ');
}
