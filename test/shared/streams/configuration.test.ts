import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { connectCommands, type Redis } from '#weir/shared/streams/client';
import {
  activate,
  activeVersion,
  heartbeat,
  readiness,
  readVersion,
  report,
  retire,
  storeVersion,
} from '#weir/shared/streams/configuration';
import { keys } from '#weir/shared/streams/keys';
import { startTestRedis, type TestRedis } from '../../support/redis.js';

let server: TestRedis;
let redis: Redis;

before(async () => {
  server = await startTestRedis();
  redis = connectCommands(server.url, 'test');
  await redis.connect();
});
after(async () => {
  redis.disconnect();
  await server.close();
});
beforeEach(() => redis.flushall());

/** Runs `work` with a local clock that is `ms` ahead. */
async function withClockAhead<T>(ms: number, work: () => Promise<T>): Promise<T> {
  const now = Date.now;
  Date.now = () => now() + ms;
  try {
    return await work();
  } finally {
    Date.now = now;
  }
}

describe('configuration versions', () => {
  it('are numbered and stored in one step, and the oldest are dropped but for the active one', async () => {
    assert.equal(await storeVersion(redis, 'first'), 1);
    await activate(redis, 1);
    for (let i = 2; i <= 25; i++) assert.equal(await storeVersion(redis, `text ${i}`), i);
    assert.equal(await readVersion(redis, 1), 'first');
    assert.equal(await readVersion(redis, 5), undefined);
    assert.equal(await readVersion(redis, 6), 'text 6');
    assert.equal(await redis.hlen(keys.configVersions()), 21);
  });

  it('are there before a worker hears of their number', async () => {
    let open = true;
    const seen = (async () => {
      while (open) {
        const newest = await heartbeat(redis, 'worker');
        if (newest > 0) assert.notEqual(await readVersion(redis, newest), undefined);
      }
    })();
    for (let i = 0; i < 10; i++) await storeVersion(redis, `text ${i}`);
    open = false;
    await seen;
  });

  it('become active in their order only', async () => {
    for (let i = 0; i < 3; i++) await storeVersion(redis, '{}');
    assert.equal(await activate(redis, 3), 3);
    assert.equal(await activate(redis, 2), 3);
    assert.equal(await activeVersion(redis), 3);
  });
});

describe('a live worker', () => {
  it('is known by the clock of Redis, whatever its own and that of the command line say', async () => {
    await withClockAhead(-3_600_000, () => heartbeat(redis, 'behind'));
    await heartbeat(redis, 'right');
    await withClockAhead(3_600_000, () => heartbeat(redis, 'ahead'));
    const { waiting } = await withClockAhead(3_600_000, () => readiness(redis, 1));
    assert.deepEqual(waiting.sort(), ['ahead', 'behind', 'right']);
  });

  it('is waited for until it has reported, is silent or leaves', async () => {
    for (const worker of ['good', 'bad', 'slow', 'gone']) await heartbeat(redis, worker);
    await redis.zadd(keys.configWorkers(), Date.now() - 10_000, 'silent');
    await report(redis, 1, 'good', 'ok');
    await report(redis, 1, 'bad', 'why');
    await report(redis, 1, 'silent', 'why');
    await retire(redis, 'gone');
    assert.deepEqual(await readiness(redis, 1), { waiting: ['slow'], refused: new Map([['bad', 'why']]) });
  });
});
