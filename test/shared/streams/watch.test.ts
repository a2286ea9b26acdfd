import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createLogger } from '#weir/shared/log';
import { connectBlocking, connectCommands, connectSubscriber, waitForRedis } from '#weir/shared/streams/client';
import { watchRedis } from '#weir/shared/streams/watch';
import { createRegistry } from '#weir/shared/telemetry';
import { startTestRedis } from '../../support/stores/redis.js';
import { startRedisGroup } from '../../support/stores/sentinel.js';
import { until } from '../../support/wait.js';

/** A log that is kept. */
function keep(): { logger: ReturnType<typeof createLogger>; lines: string[] } {
  const logger = createLogger('test', 'silent');
  const lines: string[] = [];
  const add = (...said: unknown[]): void =>
    void lines.push(said.map((each) => (typeof each === 'string' ? each : JSON.stringify(each))).join(' '));
  logger.warn = add;
  logger.info = add;
  return { logger, lines };
}

it('loss and return of Redis are said once each, with the reason', async () => {
  let server = await startTestRedis();
  const endpoint = { redisUrl: server.url };
  const redis = connectCommands(endpoint, 'test');
  const { logger, lines } = keep();
  await waitForRedis(redis, endpoint);
  const registry = createRegistry('test');
  const unwatch = watchRedis(redis, logger, registry);
  const isUp = async (): Promise<number> => (await registry.getSingleMetric('weir_redis_up')!.get()).values[0]!.value;
  try {
    assert.equal(await isUp(), 1);
    await server.kill('SIGKILL');
    await until('its loss is said', () => lines.length > 0);
    assert.equal(await isUp(), 0);
    server = await server.restart();
    await until('its return is said', () => lines.length > 1);
    assert.equal(await isUp(), 1);
    assert.match(lines[0]!, /"why":"[^"]*(closed|ECONNREFUSED)[^"]*"\} Redis is away$/);
    assert.deepEqual(lines.slice(1), ['Redis is back']);
  } finally {
    unwatch();
    redis.disconnect();
    await server.close();
  }
});

it('connections to a primary that has become a replica are dropped, and the replica is said once', async () => {
  const server = await startTestRedis();
  const endpoint = { redisUrl: server.url };
  const commands = connectCommands(endpoint, 'test');
  const subscriber = connectSubscriber(endpoint, 'test');
  const blocking = connectBlocking(endpoint, 'test');
  const { logger, lines } = keep();
  await waitForRedis(commands, endpoint);
  await Promise.all([subscriber.connect(), blocking.connect()]);
  let again = 0;
  for (const each of [commands, subscriber]) each.once('reconnecting', () => again++);
  const unwatch = watchRedis(commands, logger);
  try {
    // It leaves connections open.
    await commands.call('REPLICAOF', '127.0.0.1', '1');
    await until('all were dropped', () => again === 2 && blocking.status === 'end');
    await until('it is the primary again', async () => {
      return (await commands.call('REPLICAOF', 'NO', 'ONE').catch(() => '')) === 'OK';
    });
    await until('its return is said', () => lines.length > 1);
    assert.deepEqual(lines, ['{"why":"it is a replica now"} Redis is away', 'Redis is back']);
  } finally {
    unwatch();
    for (const each of [commands, subscriber, blocking]) each.disconnect();
    await server.close();
  }
});

it('whoever may not ask for the role works without', async () => {
  const server = await startTestRedis();
  const owner = connectCommands({ redisUrl: server.url }, 'test');
  await owner.connect();
  await owner.acl('SETUSER', 'limited', 'on', '>secret', '~*', '&*', '+@all', '-role');
  const endpoint = { redisUrl: `redis://limited:secret@127.0.0.1:${server.port}` };
  const redis = connectCommands(endpoint, 'test');
  const { logger, lines } = keep();
  await waitForRedis(redis, endpoint);
  const unwatch = watchRedis(redis, logger);
  try {
    await until('it was asked for', async () =>
      /cmdstat_role:.*rejected_calls=[1-9]/.test(await owner.info('commandstats')),
    );
    assert.equal(await redis.set('a', 'b'), 'OK');
    assert.deepEqual(lines, []);
  } finally {
    unwatch();
    for (const each of [redis, owner]) each.disconnect();
    await server.close();
  }
});

it('connections go to the server that the Sentinels name, also after they have replaced it', async () => {
  const group = await startRedisGroup();
  const endpoint = { redisUrl: group.url };
  const commands = connectCommands(endpoint, 'test');
  const subscriber = connectSubscriber(endpoint, 'test');
  for (const each of [commands, subscriber]) each.on('error', () => undefined);
  try {
    await waitForRedis(commands, endpoint);
    await subscriber.connect();
    const before = await group.primary();
    assert.deepEqual([commands.stream.remotePort, subscriber.stream.remotePort], [before, before]);
    await group.servers.find(({ port }) => port === before)!.kill('SIGKILL');
    await until('both are on another server', async () => {
      const after = await group.primary();
      const ports = [commands, subscriber].map(({ stream, status }) => (status === 'ready' ? stream.remotePort : 0));
      return after !== before && ports.every((port) => port === after);
    });
    assert.equal(await commands.set('a', 'b'), 'OK');
  } finally {
    for (const each of [commands, subscriber]) each.disconnect();
    await group.close();
  }
});
