import assert from 'node:assert/strict';
import { it } from 'node:test';
import { drainedLines, statusLines } from '#weir/deploy/cli/commands/operation/status';
import { readStatus } from '#weir/shared/operation/state';
import { activate, report, storeVersion } from '#weir/shared/streams/configuration';
import { heartbeat } from '#weir/shared/streams/fleet';
import { addDeliveries } from '#weir/shared/streams/hooks';
import { keys } from '#weir/shared/streams/keys';
import { ensurePartitions } from '#weir/shared/streams/partitions';
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

it('weir status --drained says what Redis alone has', async () => {
  const drained = async (): Promise<string> => drainedLines(await readStatus(redis, THRESHOLDS)).join('\n');
  await ensurePartitions(redis, 2);
  assert.equal(await drained(), 'drained: nothing is in Redis alone');
  const hook = 'acme/told';
  const notify = [
    { id: 'told', team: 'acme', url: 'http://127.0.0.1/', on: ['flagged'], policies: [], secret_env: 'S' },
  ];
  await activate(redis, await storeVersion(redis, JSON.stringify({ notify })));
  await addDeliveries(redis, { partition: 1, hook, mostBytes: 1000 }, [{ id: 'msg_1', body: '{}' }]);
  await redis.xadd(keys.checks(0), '*', 'header', '{}');
  await redis.xadd(keys.checks(1, 'slow'), '*', 'header', '{}');
  for (const key of [keys.results(0), keys.dead(1), keys.refused(0)]) await redis.xadd(key, '*', 'a', 'b');
  assert.equal(
    await drained(),
    'not drained, in Redis alone: unfinished checks: 2, unarchived results: 1, deliveries to webhooks: 1, dead letters: 1, requests with refused rows: 1',
  );
});
