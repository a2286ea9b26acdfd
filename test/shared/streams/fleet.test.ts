import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FLEET_FORMATS } from '#weir/shared/formats';
import { activate, activeIdentity, report, storeVersion } from '#weir/shared/streams/configuration';
import {
  createPulse,
  hasNews,
  heartbeat,
  LOOK_MS,
  liveMembers,
  lookAtFleet,
  readiness,
  retire,
} from '#weir/shared/streams/fleet';
import { keys } from '#weir/shared/streams/keys';
import { sharedRedis } from '../../support/stores/redis.js';
import { until } from '../../support/wait.js';

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

  it('beats in all its roles with one command, after the first of each', async () => {
    const roles = (['worker', 'archiver', 'metrics', 'hooks'] as const).map((kind) => ({
      kind,
      pulse: createPulse(redis, FLEET_FORMATS, true),
    }));
    const beatAll = () => Promise.all(roles.map(({ kind, pulse }) => pulse.beat({ kind, name: `all-${kind}` })));
    await beatAll();
    await redis.del(...roles.map(({ kind }) => keys.configMembers(kind)));
    await redis.config('RESETSTAT');
    const said = await beatAll();
    assert.equal(new Set(said).size, 1);
    const stats = await redis.info('commandstats');
    assert.match(stats, /cmdstat_evalsha:calls=1,/);
    for (const { kind } of roles)
      assert.deepEqual(await liveMembers(redis, kind), [{ name: `all-${kind}`, inForce: '' }]);
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
    const pulse = createPulse(redis);
    const wantedNow = async () => (await pulse.beat({ kind: 'worker', name: 'pulse' })).wanted;
    for (let i = 0; i < 6; i++) assert.deepEqual(await wantedNow(), wanted, 'also where nothing has changed');
    await storeVersion(redis, 'text 5');
    assert.deepEqual(
      (await wantedNow()).map(({ version }) => version),
      [3, 4, 5],
    );
  });

  it('keeps a number from being given out again by a Redis that has forgotten it', async () => {
    for (let i = 0; i < 3; i++) await storeVersion(redis, '{}');
    const { newest } = await beat('worker');
    await redis.flushall();
    await heartbeat(redis, { kind: 'worker', name: 'worker', used: newest });
    assert.equal(await storeVersion(redis, '{}'), 4);
  });
});

describe('formats', () => {
  const beatAll = async (pulse: ReturnType<typeof createPulse>, name: string): Promise<number> => {
    // The fleet is asked with one heartbeat in four.
    for (let i = 0; i < 4; i++) await pulse.beat({ kind: 'ingress', name });
    return pulse.writes();
  };

  it('are written once every live process reads them, of whatever kind', async () => {
    const newer = createPulse(redis, { oldest: 1, newest: 2 });
    assert.equal(newer.writes(), 1, 'the fleet is not known yet');
    await heartbeat(redis, { kind: 'archiver', name: 'of the release before', reads: 1 });
    assert.equal(await beatAll(newer, 'newer'), 1);
    assert.deepEqual([...(await lookAtFleet(redis)).formats].sort(), [
      [1, 1],
      [2, 1],
    ]);
    await retire(redis, 'archiver', 'of the release before');
    assert.equal(await beatAll(newer, 'newer'), 2);
    await createPulse(redis, { oldest: 1, newest: 1 }).beat({ kind: 'hooks', name: 'back again' });
    assert.equal(await beatAll(newer, 'newer'), 1);
    await redis.zadd(keys.configMembers('hooks'), Date.now() - 10_000, 'back again');
    await until('one that is silent is not waited for', async () => (await beatAll(newer, 'newer')) === 2);
  });

  it('are never older than a process can write, or newer than it knows', async () => {
    await heartbeat(redis, { kind: 'worker', name: 'old' });
    assert.equal(await beatAll(createPulse(redis, { oldest: 3, newest: 4 }), 'new'), 3);
    await retire(redis, 'worker', 'old');
    await heartbeat(redis, { kind: 'worker', name: 'newest', reads: 9 });
    assert.equal(await beatAll(createPulse(redis, { oldest: 3, newest: 4 }), 'new'), 4);
  });

  it('are asked for once by all roles of a process, with what else it asks of the fleet', async () => {
    const roles = (['worker', 'archiver'] as const).map((kind) =>
      createPulse(redis, { oldest: 1, newest: kind === 'worker' ? 2 : 3 }, true),
    );
    for (const [i, pulse] of roles.entries())
      await pulse.beat({ kind: i === 0 ? 'worker' : 'archiver', name: `role-${i}` });
    const first = await lookAtFleet(redis, LOOK_MS);
    assert.deepEqual(first.names('archiver'), ['role-1']);
    assert.equal(await lookAtFleet(redis, LOOK_MS), first);
    await retire(redis, 'archiver', 'role-1');
    assert.deepEqual(
      (await lookAtFleet(redis, LOOK_MS)).names('archiver'),
      [],
      'what this process says is seen at once',
    );
    await redis.zadd(keys.configMembers('worker'), Date.now() - 3000, 'silent');
    const fleet = await lookAtFleet(redis);
    assert.deepEqual(fleet.names('worker').sort(), ['role-0', 'silent']);
    assert.deepEqual(fleet.names('worker', 2000), ['role-0']);
  });

  it('are told again within some heartbeats, also to a Redis that has forgotten them', async () => {
    const pulse = createPulse(redis, { oldest: 2, newest: 2 });
    const beats = async (count: number): Promise<void> => {
      for (let i = 0; i < count; i++) await pulse.beat({ kind: 'ingress', name: 'one', inForce: '1-a@b' });
    };
    await beats(1);
    await redis.del(keys.configFormats(), keys.configInForce());
    await beats(3);
    assert.deepEqual([await redis.hlen(keys.configFormats()), await redis.hlen(keys.configInForce())], [0, 0]);
    await beats(1);
    assert.deepEqual([await redis.hlen(keys.configFormats()), await redis.hlen(keys.configInForce())], [1, 1]);
    await pulse.beat({ kind: 'ingress', name: 'one', inForce: '2-a@b' });
    assert.equal(await redis.hget(keys.configInForce(), 'one'), '2-a@b', 'another one is told at once');
  });

  it('are forgotten with their process, and not asked for while there is one alone', async () => {
    const pulse = createPulse(redis, { oldest: 2, newest: 2 });
    await pulse.beat({ kind: 'ingress', name: 'gone' });
    assert.equal(await redis.hlen(keys.configFormats()), 1);
    await redis.zadd(keys.configMembers('ingress'), 1, 'gone');
    await heartbeat(redis, { kind: 'worker', name: 'another', reads: 1 });
    await heartbeat(redis, { kind: 'ingress', name: 'other', reads: 1 });
    assert.equal(await redis.hlen(keys.configFormats()), 0);
    await heartbeat(redis, { kind: 'ingress', name: 'leaves', reads: 2 });
    await retire(redis, 'ingress', 'leaves');
    assert.equal(await redis.hlen(keys.configFormats()), 0);
  });
});

describe('an ingress', () => {
  it('hears by one command between its heartbeats whether there is news', async () => {
    const beats = async (what: string): Promise<void> => {
      assert.equal(await hasNews(redis), true, what);
      await heartbeat(redis, { kind: 'ingress', name: 'one' });
      assert.equal(await hasNews(redis), false, what);
    };
    await heartbeat(redis, { kind: 'ingress', name: 'one' });
    assert.equal(await hasNews(redis), false, 'nothing is stored');
    await storeVersion(redis, 'text');
    await beats('one is stored');
    await activate(redis, 1);
    await beats('it is active');
    await redis.set(keys.configInstallation(), 'another');
    await beats('it is that of another installation');
    await redis.flushall();
    await beats('Redis was emptied');
  });

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
