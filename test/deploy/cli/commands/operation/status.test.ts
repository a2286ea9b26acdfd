import assert from 'node:assert/strict';
import { it } from 'node:test';
import { statusLines } from '#weir/deploy/cli/commands/operation/status';
import { readStatus } from '#weir/deploy/cli/state';
import { activate, report, storeVersion } from '#weir/shared/streams/configuration';
import { heartbeat } from '#weir/shared/streams/fleet';
import { sharedRedis } from '../../../../support/stores/redis.js';

const { redis } = await sharedRedis();
const THRESHOLDS = { maxMemoryPercent: 70, maxAgeMs: 1000, redisReplicas: 0 };

it('weir status shows formats while live processes differ in what they read', async () => {
  await heartbeat(redis, { kind: 'worker', name: 'old', reads: 1 });
  assert.doesNotMatch(statusLines(await readStatus(redis, THRESHOLDS)).join('\n'), /^formats/m);
  await heartbeat(redis, { kind: 'ingress', name: 'new', reads: 2 });
  const status = await readStatus(redis, THRESHOLDS);
  assert.deepEqual(status.formats, { 1: 1, 2: 1 });
  assert.match(
    statusLines(status).join('\n'),
    /^formats {8}processes that read up to 1: 1, up to 2: 1; the lowest is written$/m,
  );
});

it('weir status names the live workers that cannot use the active configuration, and why', async () => {
  const version = await storeVersion(redis, '{}');
  await activate(redis, version);
  for (const name of ['host/1/well', 'host/2/lacks']) await heartbeat(redis, { kind: 'worker', name });
  await report(redis, version, 'host/1/well', 'ok');
  await report(redis, version, 'host/2/lacks', 'a model is lost');
  await report(redis, version, 'host/3/gone', 'it was out of memory');
  const status = await readStatus(redis, THRESHOLDS);
  assert.deepEqual(status.unable, { 'host/2/lacks': 'a model is lost' });
  assert.match(
    statusLines(status).join('\n'),
    /^workers {8}2 live, archivers: 0\n {15}host\/2\/lacks cannot use this configuration: a model is lost\nRedis /m,
  );
  await report(redis, version, 'host/2/lacks', 'ok');
  assert.deepEqual((await readStatus(redis, THRESHOLDS)).unable, {});
});
