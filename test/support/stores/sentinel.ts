/** A primary with replicas, and Sentinels that watch them: real processes on free ports, gone afterwards. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '#weir/deploy/local/ports';
import { loadFinder } from '#weir/deploy/local/redis/server';
import { connectCommands, type Redis } from '#weir/shared/streams/client';
import { until } from '../wait.js';
import { startTestRedis, type TestRedis } from './redis.js';

/** What the Sentinels call the primary. */
const NAME = 'weir';
const SENTINELS = 3;

export interface RedisGroup {
  /** as `WEIR_REDIS_URL` has it */
  url: string;
  servers: readonly TestRedis[];
  /** of the Sentinels, one after the other */
  sentinels: readonly Redis[];
  /** the port of the primary, as the Sentinels say */
  primary(): Promise<number>;
  close(): Promise<void>;
}

/** Starts them, the primary first. `silentMs`: after how long without an answer it is replaced. */
export async function startRedisGroup({ replicas = 1, silentMs = 1000 } = {}): Promise<RedisGroup> {
  const config = { 'repl-diskless-sync-delay': '0' };
  const servers = [await startTestRedis({ appendfsync: 'everysec', config })];
  const replicaof = `127.0.0.1 ${servers[0]!.port}`;
  const following = { appendfsync: 'everysec', config: { ...config, replicaof } } as const;
  while (servers.length <= replicas) servers.push(await startTestRedis(following));
  const connections = servers.map(({ url }) => connect(url));
  await until('the replicas have all', async () => {
    const told = connections.slice(1).map((redis) => redis.info('replication').catch(() => ''));
    return (await Promise.all(told)).every((said) => /master_link_status:up/.test(said));
  });
  const folder = mkdtempSync(join(tmpdir(), 'weir-sentinel-'));
  const children: ChildProcess[] = [];
  const sentinels: Redis[] = [];
  const binary = (await loadFinder()).findRedis();
  for (let n = 0; n < SENTINELS; n++) {
    const port = await freePort();
    const file = join(folder, `${n}.conf`);
    writeFileSync(
      file,
      [
        `port ${port}`,
        'bind 127.0.0.1',
        `dir ${folder}`,
        `sentinel monitor ${NAME} 127.0.0.1 ${servers[0]!.port} 2`,
        `sentinel down-after-milliseconds ${NAME} ${silentMs}`,
        `sentinel failover-timeout ${NAME} 5000`,
      ].join('\n'),
    );
    children.push(spawn(binary, [file, '--sentinel'], { stdio: 'ignore' }));
    sentinels.push(connect(`redis://127.0.0.1:${port}`));
  }
  const ask = (sentinel: Redis, ...words: string[]): Promise<unknown> => sentinel.call('SENTINEL', ...words);
  const flat = async (sentinel: Redis): Promise<string> => String(await ask(sentinel, 'master', NAME).catch(() => ''));
  await until('the Sentinels know each other and the replicas', async () => {
    const known = await Promise.all(sentinels.map(flat));
    return known.every(
      (said) => said.includes(`num-other-sentinels,${SENTINELS - 1}`) && said.includes(`num-slaves,${replicas}`),
    );
  });
  return {
    url: `redis-sentinel://${sentinels.map(({ options }) => `127.0.0.1:${options.port}`).join(',')}/${NAME}`,
    servers,
    sentinels,
    async primary() {
      for (const sentinel of sentinels) {
        const said = (await ask(sentinel, 'get-master-addr-by-name', NAME).catch(() => undefined)) as
          | string[]
          | undefined;
        if (said) return Number(said[1]);
      }
      return 0;
    },
    async close() {
      for (const redis of [...sentinels, ...connections]) redis.disconnect();
      for (const child of children) if (child.exitCode === null && child.kill('SIGKILL')) await once(child, 'exit');
      for (const server of servers) await server.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Commands fail while it is away. */
function connect(redisUrl: string): Redis {
  const redis = connectCommands({ redisUrl }, 'test', 2000);
  redis.on('error', () => undefined);
  void redis.connect().catch(() => undefined);
  return redis;
}
