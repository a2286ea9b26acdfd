/** A redis-server of a test's own: free port, nothing on disk unless asked for, gone afterwards. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, beforeEach } from 'node:test';
import { type RedisOptions, type RunningRedis, startRedis } from '#weir/deploy/local/redis/server';
import { connectCommands, type Redis } from '#weir/shared/streams/client';

export interface TestRedis extends RunningRedis {
  dataDir: string;
  /** Starts it again on the same port and folder, after `kill`. */
  restart(): Promise<TestRedis>;
}

/** Starts one; default without an append-only file and with 512mb. `close` also removes its folder. */
export async function startTestRedis(options: Partial<RedisOptions> = {}): Promise<TestRedis> {
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'weir-redis-')));
  const redis = await startRedis({ port: 0, maxMemory: '512mb', appendfsync: 'off', ...options, dataDir });
  return {
    ...redis,
    dataDir,
    restart: () => startTestRedis({ ...options, dataDir, port: redis.port }),
    close: async () => {
      await redis.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** Runs `use` with a redis-server that ends with it. */
export async function withRedis<T>(use: (redis: TestRedis) => Promise<T>, options?: Partial<RedisOptions>): Promise<T> {
  const redis = await startTestRedis(options);
  try {
    return await use(redis);
  } finally {
    await redis.close();
  }
}

/**
 * A redis-server for all tests of a file, and a connection to it. Before each of them it is empty, with its whole memory.
 * What must end before it does is ended in an `after` that stands before this call.
 */
export async function sharedRedis(options: Partial<RedisOptions> = {}): Promise<{ server: TestRedis; redis: Redis }> {
  const server = await startTestRedis(options);
  const redis = connectCommands({ redisUrl: server.url }, 'test');
  await redis.connect();
  beforeEach(async () => {
    if (options.maxMemory) await redis.config('SET', 'maxmemory', options.maxMemory);
    await redis.flushall();
  });
  after(async () => {
    redis.disconnect();
    await server.close();
  });
  return { server, redis };
}
