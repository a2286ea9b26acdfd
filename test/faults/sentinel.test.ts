/** A primary that Sentinels watch is killed under load, where verdicts wait for a replica (`WEIR_REDIS_REPLICAS`). */
import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { after, before, it } from 'node:test';
import { createLogger } from '#weir/shared/log';
import { connectCommands, waitForRedis } from '#weir/shared/streams/client';
import { watchRedis } from '#weir/shared/streams/watch';
import { type Services, startServices } from '../support/installation/services.js';
import { type RedisGroup, startRedisGroup } from '../support/stores/sentinel.js';
import { until } from '../support/wait.js';

let group: RedisGroup;
let services: Services;

before(async () => {
  group = await startRedisGroup({ replicas: 2, silentMs: 500 });
  services = await startServices(group.url, { env: { WEIR_REDIS_REPLICAS: '1' } });
});
after(async () => {
  await services?.close();
  await group?.close();
});

it('loses and doubles nothing that was answered when the primary is killed, and goes on with a replica', async () => {
  const calls = services.call();
  const { accepted, others } = calls;
  await until('checks are answered', () => accepted.length > 200);
  await group.servers[0]!.kill('SIGKILL');
  await until('a replica takes its place', async () => (await group.primary()) !== group.servers[0]!.port);
  const before = accepted.length;
  await until('checks are answered again', () => accepted.length > before + 200);
  await calls.stop();
  for (const { said } of others) assert.match(said, /^(503 unavailable|504 evaluation_timeout)$/);
  assert.deepEqual(await services.wrongRows(accepted), []);
});

it('a process leaves a primary that hangs, once the Sentinels have replaced it', async () => {
  const endpoint = { redisUrl: group.url };
  // It waits for longer than a test does.
  const redis = connectCommands(endpoint, 'test', 600_000);
  redis.on('error', () => undefined);
  await waitForRedis(redis, endpoint);
  const stop = watchRedis(redis, createLogger('test', 'silent'));
  const before = await group.primary();
  const { pid } = group.servers.find(({ port }) => port === before)!;
  process.kill(pid, 'SIGSTOP');
  try {
    await until('a replica takes its place', async () => (await group.primary()) !== before);
    const port = await group.primary();
    await until('the process is connected to it', async () => {
      if (redis.status !== 'ready' || (redis.stream as Socket).remotePort !== port) return false;
      return (await redis.set('a', 'b')) === 'OK';
    });
  } finally {
    process.kill(pid, 'SIGCONT');
    stop();
    redis.disconnect();
  }
});
