/** A redis-server of a test's own: free port, nothing on disk unless asked for, gone afterwards. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RedisOptions, type RunningRedis, startRedis } from '#weir/deploy/local/redis/server';

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
