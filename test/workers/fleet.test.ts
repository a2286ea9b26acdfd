import assert from 'node:assert/strict';
import { after, beforeEach, describe, it } from 'node:test';
import { applyConfiguration } from '#weir/deploy/cli/configuration/applying';
import { createLogger } from '#weir/shared/log';
import { packModel } from '#weir/shared/policy/models/packed';
import {
  activate,
  activeVersion,
  readConfiguration,
  restoreModels,
  storeVersion,
} from '#weir/shared/streams/configuration';
import { readiness } from '#weir/shared/streams/fleet';
import { keys } from '#weir/shared/streams/keys';
import { Registry } from '#weir/shared/telemetry';
import { type ConfigurationSource, createConfigurationSource } from '#weir/workers/configuration-source';
import { joinFleet, type Membership } from '#weir/workers/fleet';
import { textModel } from '../support/models/text-model.ts';
import { sharedRedis } from '../support/stores/redis.js';
import { gate, sleep, until } from '../support/wait.js';

const logger = createLogger('worker', 'silent');
const members: Membership[] = [];
const stopAll = () => Promise.all(members.splice(0).map((member) => member.stop()));
beforeEach(stopAll);
after(stopAll);
const { server, redis } = await sharedRedis();

/** A worker whose pool calls `compile` instead of a thread. */
function join(
  name: string,
  compile: (version: number, plan: string) => Promise<void>,
  used?: () => Promise<number>,
): void {
  type Tools = Parameters<typeof joinFleet>[2];
  type Task = { version: number; plan: string };
  const pool = { run: ({ version, plan }: Task) => compile(version, plan) } as unknown as Tools['pool'];
  const source = createConfigurationSource(redis, { logger, registry: new Registry(), modelsRetryMs: 50 });
  const tools = { pool, source, logger, used };
  members.push(joinFleet(redis, name, tools));
}

const score = async (worker: string): Promise<number> =>
  Number(await redis.zscore(keys.configMembers('worker'), worker));

it('a worker lives on while it compiles, and is waited for', async () => {
  const compiled = gate();
  join('slow', () => compiled.open);
  const version = await storeVersion(redis, '{}');
  await until('it is there', async () => (await score('slow')) > 0);
  await sleep(600);
  const first = await score('slow');
  await until('another beat', async () => (await score('slow')) > first);
  assert.deepEqual((await readiness(redis, version)).waiting, ['slow']);
  compiled.end();
  await until('its report', async () => (await readiness(redis, version)).waiting.length === 0);
});

it('a worker that stops while it compiles leaves at once and refuses nothing', async () => {
  join('stops', () => new Promise(() => undefined));
  const version = await storeVersion(redis, '{}');
  await until('it is there', async () => (await score('stops')) > 0);
  await sleep(600);
  await members.pop()!.stop();
  assert.equal(await redis.zcard(keys.configMembers('worker')), 0);
  assert.equal(await redis.exists(keys.configReports(version)), 0);
});

it('an apply that a newer one has overtaken says so, and the newer one stays', async () => {
  join('worker', async (version) => {
    // A second version is applied while the first one is tried.
    if (version === 1) await activate(redis, await storeVersion(redis, '{}'));
  });
  const text = 'version: 1\nteams: [{ id: acme }]\n';
  await until('it is there', async () => (await score('worker')) > 0);
  const applied = applyConfiguration({ redisUrl: server.url, text, file: 'weir.yaml' });
  await assert.rejects(applied, /version 2 has been applied meanwhile/);
  assert.equal(await activeVersion(redis), 2);
});

const APPLIED = 'version: 1\nteams: [{ id: acme }]\n';

it('a worker reports anew to a Redis that was emptied, and no number is given out again', async () => {
  const compiled: string[] = [];
  join('worker', async (version, plan) => {
    compiled.push(plan);
    assert.match(plan, new RegExp(`^${version}-`));
  });
  await until('it is there', async () => (await score('worker')) > 0);
  const apply = () => applyConfiguration({ redisUrl: server.url, text: APPLIED, file: 'weir.yaml' });
  assert.deepEqual(await apply(), { version: 1, changed: true });
  await redis.flushall();
  await until('it is there again', async () => (await score('worker')) > 0);
  assert.deepEqual(await apply(), { version: 2, changed: true });
  assert.equal(new Set(compiled).size, 2);
});

it('numbers continue from those that history has results of, as soon as it can be asked', async () => {
  let asked = 0;
  const history = async (): Promise<number> => {
    asked++;
    if (asked === 1) throw new Error('away');
    return 41;
  };
  join('worker', async () => undefined, history);
  await until('it has told', async () => (await redis.get(keys.configNext())) === '41');
  const applied = await applyConfiguration({ redisUrl: server.url, text: APPLIED, file: 'weir.yaml' });
  assert.deepEqual(applied, { version: 42, changed: true });
  assert.equal(asked, 2, 'once it has answered it is not asked again');
});

it('a worker reports another text under a number that it knows', async () => {
  const compiled: string[] = [];
  join('worker', async (_, plan) => {
    compiled.push(plan);
  });
  await until('it is there', async () => (await score('worker')) > 0);
  await activate(redis, await storeVersion(redis, '{"is":"one"}'));
  await until('it has compiled it', () => compiled.length === 1);
  // A backup was restored, and a configuration applied before the worker has reported which numbers were used.
  const gone = [keys.configNext(), keys.configActive(), keys.configVersions(), keys.configContents()];
  const stored = redis.multi().del(...gone, keys.configReports(1));
  stored.hset(keys.configVersions(), '1', '{"is":"other"}').hset(keys.configContents(), '1', 'other');
  stored.set(keys.configActive(), '1').set(keys.configNext(), '1');
  await stored.exec();
  await redis.hset(keys.configContents(), '1', (await readConfiguration(redis, 1))!.id.slice(2, 18));
  await until('it has reported that', async () => (await redis.hget(keys.configReports(1), 'worker')) === 'ok');
  assert.ok(compiled.length >= 2);
});

describe('a worker and the models of a configuration', () => {
  const model = textModel({ spam: 'lottery' });
  const models = new Map([[model.sha256, packModel(model.bytes)]]);
  const named = (version: number): string => `${version} names a model`;

  it('reports that it can use a version whose models are there', async () => {
    join('worker', async () => undefined);
    await until('it is there', async () => (await score('worker')) > 0);
    const version = await storeVersion(redis, named(1), 0, models);
    await until('its report', async () => (await readiness(redis, version)).waiting.length === 0);
    assert.equal((await readiness(redis, version)).refused.size, 0);
  });

  it('is not ready while the active configuration lacks a model, says so, and mends itself', async () => {
    const version = await storeVersion(redis, named(1), 0, models);
    await activate(redis, version);
    await redis.del(keys.configModels());
    const plans: string[] = [];
    join('worker', async (_, plan) => void plans.push(plan));
    await until('its report', async () => (await readiness(redis, version)).refused.size === 1);
    const [why] = (await readiness(redis, version)).refused.values();
    assert.equal(why, `the model ${model.sha256} cannot be used: Redis has lost it; apply the configuration again`);
    await until('it says so', () => members[0]!.trouble() !== undefined);
    assert.equal(members[0]!.trouble(), `Policies of the active configuration cannot run here: ${why}.`);
    await restoreModels(redis, version, models);
    await until('its new report', async () => (await readiness(redis, version)).refused.size === 0);
    await until('it is ready', () => members[0]!.trouble() === undefined);
    assert.equal(new Set(plans).size, 2, 'threads get another plan of the same configuration');
  });

  it('refuses a new version whose model is damaged, and the one before stays active', async () => {
    join('worker', async () => undefined);
    await until('it is there', async () => (await score('worker')) > 0);
    await activate(redis, await storeVersion(redis, '{}'));
    const damaged = new Map([[model.sha256, models.get(model.sha256)!.subarray(0, 50)]]);
    const version = await storeVersion(redis, named(2), 0, damaged);
    await until('its report', async () => (await readiness(redis, version)).refused.size === 1);
    assert.match([...(await readiness(redis, version)).refused.values()][0]!, /what Redis has of it is damaged$/);
    assert.equal(members[0]!.trouble(), undefined, 'the active one is whole');
  });
});

describe('the configuration of an entry', () => {
  const sources: ConfigurationSource[] = [];
  const open = (): ConfigurationSource => {
    sources.push(createConfigurationSource(redis, { logger, registry: new Registry() }));
    return sources.at(-1)!;
  };
  after(() => {
    for (const source of sources) source.close();
  });

  it('is the one that it names, active or not', async () => {
    await storeVersion(redis, '{"is":"one"}');
    await activate(redis, await storeVersion(redis, '{"is":"two"}'));
    const one = (await readConfiguration(redis, 1))!;
    const source = open();
    assert.deepEqual(await source.of({ config: 1, configId: one.id }), one);
    assert.deepEqual(await source.of({ config: 1 }), one, 'by its number alone');
  });

  it('is the active one where another text has its number', async () => {
    await activate(redis, await storeVersion(redis, '{"is":"old"}'));
    const old = (await readConfiguration(redis, 1))!;
    await redis.flushall();
    await activate(redis, await storeVersion(redis, '{"is":"new"}'));
    const found = await open().of({ config: 1, configId: old.id });
    assert.equal(found?.text, '{"is":"new"}');
    assert.notEqual(found?.id, old.id);
  });

  it('is the one that it names while the worker still has it, even if Redis has lost it', async () => {
    await activate(redis, await storeVersion(redis, '{"is":"old"}'));
    const old = (await readConfiguration(redis, 1))!;
    const source = open();
    await source.of({ config: 1, configId: old.id });
    await redis.flushall();
    await activate(redis, await storeVersion(redis, '{"is":"new"}'));
    assert.deepEqual(await source.of({ config: 1, configId: old.id }), old);
  });

  it('is waited for while there is none at all', async () => {
    const found = open().of({ config: 3, configId: '3-a@b' });
    await activate(redis, await storeVersion(redis, '{"is":"late"}'));
    assert.equal((await found)?.text, '{"is":"late"}');
    await redis.flushall();
    const source = open();
    const never = source.of({ config: 3 });
    source.close();
    assert.equal(await never, undefined, 'a worker that stops waits no longer');
  });
});
