/** Models of texts on their way from Redis to the threads that score by them. */
import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { decodeRecord, type RecordItem } from '#weir/shared/api/results/record';
import { loadConfiguration } from '#weir/shared/configuration/configuration';
import { createLogger } from '#weir/shared/log';
import { packModel } from '#weir/shared/policy/models/packed';
import { activate, restoreModels, storeVersion } from '#weir/shared/streams/configuration';
import { keys } from '#weir/shared/streams/keys';
import { Registry } from '#weir/shared/telemetry';
import { createConfigurationSource, planReference, type WorkerConfiguration } from '#weir/workers/configuration-source';
import { createPool } from '#weir/workers/evaluator/threads/pool';
import { textModel } from '../support/models/text-model.ts';
import { sharedRedis } from '../support/stores/redis.js';
import { until } from '../support/wait.js';
import { entryOf } from './evaluator/support.ts';

const POLICY = 'aaaaaaaa-0000-4000-8000-000000000001';
const SPAM = textModel({ spam: 'lottery' });
const MODELS = new Map([[SPAM.sha256, packModel(SPAM.bytes)]]);

function configuration(more: object = {}): string {
  const detect = { classifier: { file: 'spam.bin', sha256: SPAM.sha256, label: 'spam' } };
  const loaded = loadConfiguration(
    JSON.stringify({
      version: 1,
      teams: [{ id: 't' }],
      policies: [{ id: POLICY, team: 't', name: 'P', detect }],
      deployments: [{ id: 'd', team: 't', name: 'D', policies: [POLICY] }],
      ...more,
    }),
  );
  assert.ok(loaded.ok);
  return JSON.stringify(loaded.configuration);
}

const logger = createLogger('worker', 'silent');
const pool = createPool({ threads: 1, slow: 1, logger });
after(() => pool.end());
const { redis } = await sharedRedis();

const LIMIT_MS = 120_000;

/** What a thread says of a session's message. */
async function check(by: WorkerConfiguration, content: string): Promise<RecordItem> {
  const { id, header, body, gathered, late } = entryOf('session', {
    deployment_id: 'd',
    messages: [{ role: 'user', content }],
  });
  const bodies = new Uint8Array(body);
  const entry = { id, header, gathered, late, at: 0, length: bodies.length };
  const { outcomes, bytes } = await pool.run({ ...planReference(by), entries: [entry], bodies, moves: true }, LIMIT_MS);
  const [at, length] = outcomes[0]!.record;
  return decodeRecord(Buffer.from(bytes.subarray(at, at + length))).items[0]!;
}

const read = async (registry: Registry, name: string): Promise<{ value: number; labels: object }[]> =>
  (await registry.getSingleMetric(name)!.get()).values;

it('a model reaches the threads once a version is stored, and versions that name it share it', async () => {
  const registry = new Registry();
  const source = createConfigurationSource(redis, { logger, registry });
  const first = await storeVersion(redis, configuration(), 0, MODELS);
  const second = await storeVersion(redis, configuration({ risk: { severe: 11 } }), 0, MODELS);
  const [a, b] = await Promise.all([source.of({ config: first }), source.of({ config: second })]);
  assert.equal((await check(a!, 'a lottery')).flagged, true);
  assert.equal((await check(b!, 'a lottery')).flagged, true);
  assert.equal((await check(b!, 'good day')).flagged, false);
  assert.deepEqual(
    a!.models!.usable.map(({ sha256 }) => sha256),
    [SPAM.sha256],
  );
  assert.equal((await read(registry, 'weir_text_models'))[0]!.value, 1);
  source.close();
});

it('without the model a check is noted and not clean; with it the same version flags it', async () => {
  const registry = new Registry();
  const source = createConfigurationSource(redis, { logger, registry, modelsRetryMs: 1 });
  const version = await storeVersion(redis, configuration(), 0, MODELS);
  await activate(redis, version);
  await redis.del(keys.configModels());
  const without = (await source.of({ config: version }))!;
  const lost = await check(without, 'a lottery');
  assert.match(lost.note, /could not be evaluated/);
  const [failed] = (await read(registry, 'weir_text_model_loads_total')).filter(({ value }) => value > 0);
  assert.deepEqual(failed!.labels, { outcome: 'failed' });
  await restoreModels(redis, version, MODELS);
  await until('it is found', async () => (await source.read(without))!.models!.problems.size === 0);
  const mended = (await source.read(without))!;
  const found = await check(mended, 'a lottery');
  assert.deepEqual([found.flagged, found.note], [true, '']);
  assert.deepEqual([mended.version, mended.id], [without.version, without.id]);
  source.close();
});

it('a Redis that cannot be asked is no fault of the model: the configuration is asked for again', async () => {
  const version = await storeVersion(redis, configuration(), 0, MODELS);
  const broken = Object.create(redis, { hgetBuffer: { value: () => Promise.reject(new Error('away')) } });
  const source = createConfigurationSource(broken, { logger, registry: new Registry() });
  const found = source.of({ config: version });
  source.close();
  assert.equal(await found, undefined);
});
