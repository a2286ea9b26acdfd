import assert from 'node:assert/strict';
import { after, before, beforeEach, it } from 'node:test';
import { applyConfiguration } from '#weir/deploy/cli/commands/apply';
import { createLogger } from '#weir/shared/log';
import { connectCommands, type Redis } from '#weir/shared/streams/client';
import { activate, activeVersion, readiness, storeVersion } from '#weir/shared/streams/configuration';
import { keys } from '#weir/shared/streams/keys';
import { createConfigurationSource, joinFleet, type Membership } from '#weir/workers/configuration';
import { startTestRedis, type TestRedis } from '../support/redis.js';
import { sleep, until } from '../support/wait.js';

let server: TestRedis;
let redis: Redis;
const members: Membership[] = [];

before(async () => {
  server = await startTestRedis();
  redis = connectCommands(server.url, 'test');
  await redis.connect();
});
beforeEach(async () => {
  await Promise.all(members.splice(0).map((member) => member.stop()));
  await redis.flushall();
});
after(async () => {
  await Promise.all(members.map((member) => member.stop()));
  redis.disconnect();
  await server.close();
});

/** A worker in whose pool `compile` takes the place of a thread. */
function join(name: string, compile: (version: number) => Promise<void>): void {
  type Tools = Parameters<typeof joinFleet>[2];
  const pool = { run: ({ version }: { version: number }) => compile(version) } as unknown as Tools['pool'];
  const tools = { pool, source: createConfigurationSource(redis), logger: createLogger('worker', 'silent') };
  members.push(joinFleet(redis, name, tools));
}

const score = async (worker: string): Promise<number> => Number(await redis.zscore(keys.configWorkers(), worker));

it('a worker lives on while it compiles, and is waited for', async () => {
  let finish = (): void => undefined;
  const compiled = new Promise<void>((resolve) => {
    finish = resolve;
  });
  join('slow', () => compiled);
  const version = await storeVersion(redis, '{}');
  await until('it is there', async () => (await score('slow')) > 0);
  await sleep(600);
  const first = await score('slow');
  await until('another beat', async () => (await score('slow')) > first, 3000);
  assert.deepEqual((await readiness(redis, version)).waiting, ['slow']);
  finish();
  await until('its report', async () => (await readiness(redis, version)).waiting.length === 0, 3000);
});

it('a worker that stops while it compiles leaves at once and refuses nothing', async () => {
  join('stops', () => new Promise(() => undefined));
  const version = await storeVersion(redis, '{}');
  await until('it is there', async () => (await score('stops')) > 0);
  await sleep(600);
  await members.pop()!.stop();
  assert.equal(await redis.zcard(keys.configWorkers()), 0);
  assert.equal(await redis.exists(keys.configReports(version)), 0);
});

it('an apply that lost to a newer one says so, and the newer one stays', async () => {
  join('worker', async (version) => {
    // While the first version is tried, somebody else applies a second one.
    if (version === 1) await activate(redis, await storeVersion(redis, '{}'));
  });
  const text = 'version: 1\nteams: [{ id: acme }]\n';
  await until('it is there', async () => (await score('worker')) > 0);
  const applied = applyConfiguration({ redisUrl: server.url, text, file: 'weir.yaml' });
  await assert.rejects(applied, /version 2 meanwhile/);
  assert.equal(await activeVersion(redis), 2);
});
