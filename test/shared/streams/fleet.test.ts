import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { activate, activeIdentity, report, storeVersion } from '#weir/shared/streams/configuration';
import { heartbeat, liveMembers, readiness, retire } from '#weir/shared/streams/fleet';
import { keys } from '#weir/shared/streams/keys';
import { sharedRedis } from '../../support/stores/redis.js';

const { redis } = await sharedRedis();

const beat = (name: string) => heartbeat(redis, { kind: 'worker', name });

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

describe('a live worker', () => {
  it('is known by the clock of Redis, whatever its own and that of the command line say', async () => {
    await withClockAhead(-3_600_000, () => beat('behind'));
    await beat('right');
    await withClockAhead(3_600_000, () => beat('ahead'));
    const { waiting } = await withClockAhead(3_600_000, () => readiness(redis, 1));
    assert.deepEqual(waiting.sort(), ['ahead', 'behind', 'right']);
  });

  it('is waited for until it has reported, is silent or leaves', async () => {
    for (const worker of ['good', 'bad', 'slow', 'gone']) await beat(worker);
    await redis.zadd(keys.configMembers('worker'), Date.now() - 10_000, 'silent');
    await report(redis, 1, 'good', 'ok');
    await report(redis, 1, 'bad', 'why');
    await report(redis, 1, 'silent', 'why');
    await retire(redis, 'worker', 'gone');
    assert.deepEqual(await readiness(redis, 1), { waiting: ['slow'], refused: new Map([['bad', 'why']]) });
  });

  it('is counted for all, those that are silent are not', async () => {
    await beat('one');
    await beat('two');
    await redis.zadd(keys.configMembers('worker'), Date.now() - 10_000, 'silent');
    assert.equal((await heartbeat(redis, { kind: 'ingress', name: 'edge' })).workers, 2);
  });

  it('hears of the active configuration and those stored after it', async () => {
    for (let i = 1; i <= 4; i++) await storeVersion(redis, `text ${i}`);
    await activate(redis, 3);
    const { newest, active, wanted } = await beat('worker');
    const heard = [newest, active?.version, wanted.map(({ version }) => version)];
    assert.deepEqual(heard, [4, 3, [3, 4]], 'what was before the active one is nobody else’s business');
    assert.deepEqual(active, await activeIdentity(redis));
  });

  it('keeps a number from being given out again by a Redis that has forgotten it', async () => {
    for (let i = 0; i < 3; i++) await storeVersion(redis, '{}');
    const { newest } = await beat('worker');
    await redis.flushall();
    await heartbeat(redis, { kind: 'worker', name: 'worker', used: newest });
    assert.equal(await storeVersion(redis, '{}'), 4);
  });
});

describe('an ingress', () => {
  it('says what it works by, until it leaves or is forgotten', async () => {
    await heartbeat(redis, { kind: 'ingress', name: 'one', inForce: '1-a@b' });
    await heartbeat(redis, { kind: 'ingress', name: 'other' });
    const sorted = async () => (await liveMembers(redis, 'ingress')).sort((a, b) => (a.name < b.name ? -1 : 1));
    assert.deepEqual(await sorted(), [
      { name: 'one', inForce: '1-a@b' },
      { name: 'other', inForce: '' },
    ]);
    await redis.zadd(keys.configMembers('ingress'), Date.now() - 10_000, 'one');
    assert.deepEqual(await sorted(), [{ name: 'other', inForce: '' }], 'a silent one does not live');
    await redis.zadd(keys.configMembers('ingress'), 1, 'one');
    await heartbeat(redis, { kind: 'ingress', name: 'other' });
    assert.equal(await redis.hlen(keys.configInForce()), 0, 'what is forgotten leaves nothing');
    await retire(redis, 'ingress', 'other');
    assert.deepEqual(await liveMembers(redis, 'ingress'), []);
  });
});
