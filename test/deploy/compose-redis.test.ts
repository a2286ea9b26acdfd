/** The Redis servers and Sentinels of redundant.yaml, started by the scripts of the compose files, without containers. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, describe, it } from 'node:test';
import { freePort } from '#weir/deploy/local/ports';
import { loadFinder } from '#weir/deploy/local/redis/server';
import { packageRoot } from '#weir/shared/paths';
import { connectCommands, type Redis, waitForRedis } from '#weir/shared/streams/client';
import { until } from '../support/wait.ts';

const SCRIPTS = join(packageRoot, 'deploy/compose/redis');
const PASSWORD = 'pass0word';
/** Sentinels tell each other names: they resolve this one. */
const HOST = 'localhost';

interface ScriptProcess {
  port: number;
  folder: string;
  child: ChildProcess;
}

describe('the Redis of deploy/compose/redundant.yaml', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'weir-compose-redis-'));
  const binary = (await loadFinder()).findRedis();
  const running = new Map<number, ScriptProcess>();
  const connections: Redis[] = [];
  let primary = 0;

  const start = async (script: 'server' | 'sentinel', port: number): Promise<ScriptProcess> => {
    const data = join(folder, String(port));
    mkdirSync(data, { recursive: true });
    const child = spawn('/bin/sh', [join(SCRIPTS, `${script}.sh`)], {
      stdio: 'ignore',
      env: {
        PATH: `${dirname(binary)}:${process.env.PATH}`,
        NAME: HOST,
        PRIMARY: `${HOST}:${primary}`,
        PASSWORD,
        MAXMEMORY: '256mb',
        DATA: data,
        PORT: String(port),
        SILENT_MS: '1000',
      },
    });
    const process_ = { port, folder: data, child };
    running.set(port, process_);
    return process_;
  };
  const connect = (redisUrl: string): Redis => {
    const redis = connectCommands({ redisUrl }, 'test');
    redis.on('error', () => undefined);
    redis.connect().catch(() => undefined);
    connections.push(redis);
    return redis;
  };
  const serverAt = (port: number): Redis => connect(`redis://:${PASSWORD}@${HOST}:${port}`);
  const kill = async ({ child }: ScriptProcess): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  };

  after(async () => {
    for (const redis of connections) redis.disconnect();
    for (const each of running.values()) await kill(each);
    rmSync(folder, { recursive: true, force: true });
  });

  it('is switched when its primary dies, and takes the old one back as a replica', async () => {
    const ports = [await freePort(), await freePort(), await freePort()];
    primary = ports[0]!;
    for (const port of ports) await start('server', port);
    const servers = ports.map(serverAt);
    const info = (redis: Redis): Promise<string> => redis.info('replication').catch(() => '');
    await until('the replicas have all', async () => (await info(servers[0]!)).split('state=online').length === 3);
    assert.deepEqual(await servers[0]!.config('GET', 'maxmemory-policy'), ['maxmemory-policy', 'noeviction']);
    assert.deepEqual(await servers[0]!.config('GET', 'appendonly'), ['appendonly', 'yes']);

    const sentinels = [await freePort(), await freePort(), await freePort()];
    for (const port of sentinels) await start('sentinel', port);
    const asked = connect(`redis://${HOST}:${sentinels[0]}`);
    const known = async (): Promise<string> => String(await asked.call('SENTINEL', 'master', 'weir').catch(() => ''));
    await until('the Sentinels know each other and the replicas', async () => {
      const said = await known();
      return said.includes('num-other-sentinels,2') && said.includes('num-slaves,2');
    });

    const redisUrl = `redis-sentinel://:${PASSWORD}@${sentinels.map((port) => `${HOST}:${port}`).join(',')}/weir`;
    const weir = connect(redisUrl);
    await waitForRedis(weir, { redisUrl });
    await weir.set('kept', 'yes');
    assert.equal(await weir.wait(2, 5000), 2);

    await kill(running.get(primary)!);
    let value: string | null = null;
    await until('another one takes writes', async () => {
      try {
        const again = connect(redisUrl);
        await waitForRedis(again, { redisUrl });
        await again.set('later', 'yes');
        value = await again.get('kept');
        return true;
      } catch {
        return false;
      }
    });
    assert.equal(value, 'yes');
    await start('server', primary);
    await until('the old primary follows', async () =>
      /role:slave[\s\S]*master_link_status:up/.test(await info(servers[0]!)),
    );
    // It says so also after its next start.
    await until('it is written down', () =>
      /^replicaof /m.test(readFileSync(join(folder, String(primary), 'redis.conf'), 'utf8')),
    );
  });
});
