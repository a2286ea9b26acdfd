import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { createDispatcher, type RedisDispatcher } from '#weir/ingress/dispatch/dispatcher';
import type { CheckRequest } from '#weir/ingress/dispatch/types';
import { ApiError } from '#weir/shared/api/errors';
import { generatedId, newRequestId, partsOf, sequenceOf } from '#weir/shared/ids';
import { createLogger } from '#weir/shared/log';
import { loadSettings, type Settings } from '#weir/shared/settings';
import { connectCommands } from '#weir/shared/streams/client';
import { GROUP, keys, LANES } from '#weir/shared/streams/keys';
import { ensurePartitions } from '#weir/shared/streams/partitions';
import type { WorkHeader } from '#weir/shared/streams/work';
import { Registry } from '#weir/shared/telemetry';
import { commitRecord, type Taken, takeEntry } from '../../support/installation/evaluator.ts';
import { pluck } from '../../support/pluck.ts';
import { sharedRedis, withRedis } from '../../support/stores/redis.js';
import { sleep, until } from '../../support/wait.js';
import { record } from '../support.ts';
import { checkRequest } from './support.ts';

const { server, redis } = await sharedRedis({ maxMemory: '64mb' });
const logger = createLogger('test', 'silent');

async function withDispatcher(
  settings: Partial<Settings>,
  use: (dispatcher: RedisDispatcher) => Promise<void>,
): Promise<void> {
  const dispatcher = await createDispatcher(
    { ...loadSettings({}), redisUrl: server.url, ...settings },
    { logger, registry: new Registry(), recall: async () => undefined, failClosed: (team) => team === 'closed' },
  );
  await use(dispatcher).finally(() => dispatcher.close());
}

const request = (more: Partial<CheckRequest> = {}): CheckRequest =>
  checkRequest({ conversations: [], contextDepth: 0, affinity: 'run-1', deadlineMs: 60_000, ...more });
const artifact = (more: Partial<CheckRequest> = {}): CheckRequest =>
  request({
    kind: 'artifact',
    images: 1,
    artifact: { external: 'a', session: { internal: '', external: '' } },
    ...more,
  });
const take = (partitions = 1): Promise<Taken> => takeEntry(redis, 'fast', partitions);

async function answer(taken: Taken, note = ''): Promise<void> {
  const { kind, id, team, scope, config, received } = taken.header;
  const made = { items: [], fragments: note === '' ? [] : [note], sequence: sequenceOf(taken.entryId) };
  await commitRecord(redis, taken, record({ kind, id, team, scope, config, received, ...made }));
}

async function mgets(): Promise<string> {
  return /^cmdstat_mget:.*$/m.exec(await redis.info('commandstats'))?.[0] ?? '';
}

describe('dispatch', () => {
  it('hands over the caller’s bytes untouched and resolves with the published record', async () => {
    await withDispatcher({}, async (dispatcher) => {
      const outcome = dispatcher.check(request({ body: Buffer.from('{"events": [ 1 ] }') }));
      const taken = await take();
      assert.equal(taken.body, '{"events": [ 1 ] }');
      assert.equal(taken.header.team, 'acme');
      assert.equal(taken.header.deadline, taken.header.received + 60_000);
      await answer(taken);
      const done = await outcome;
      assert.equal(done.status === 'done' && done.record.id, taken.header.id);
      assert.equal(dispatcher.pending(), 0);
    });
  });

  it('refuses checks while Redis lacks the replicas that must have a verdict', async () => {
    await withDispatcher({ redisReplicas: 1 }, async (dispatcher) => {
      await assert.rejects(dispatcher.check(request()), { code: 'unavailable', message: /too few replicas/ });
    });
  });

  it('lets those go who wait for the check of another request, when it is closed', async () => {
    const retry = { key: 'k-1', fingerprint: 'print', eventIds: [], referred: [] };
    let joined: Promise<unknown> = Promise.resolve();
    await withDispatcher({}, async (dispatcher) => {
      dispatcher.check(request({ retry })).catch(() => undefined);
      await take();
      joined = assert.rejects(dispatcher.check(request({ retry })), { code: 'shutting_down' });
      await until('it waits', () => dispatcher.pending() === 2);
    });
    await joined;
  });

  it('marks the entry when its team fails closed, and only then', async () => {
    await withDispatcher({}, async (dispatcher) => {
      for (const [team, failClosed] of [['closed', true] as const, ['acme', undefined] as const]) {
        const outcome = dispatcher.check(request({ team }));
        const taken = await take();
        assert.equal(taken.header.failClosed, failClosed);
        await answer(taken);
        await outcome;
      }
    });
  });

  it('puts images and large bodies in the slow lane, and says so in the header', async () => {
    await withDispatcher({}, async (dispatcher) => {
      const large = Buffer.alloc(256 * 1024 + 1, 0x20);
      const outcomes = [
        dispatcher.check(request({ body: large.subarray(1) })),
        dispatcher.check(request({ body: large })),
        dispatcher.check(request({ lane: 'slow' })),
        dispatcher.check(
          request({
            images: 3,
            kind: 'artifact',
            artifact: { external: '', session: { internal: 'i', external: 'e' } },
          }),
        ),
      ];
      await until('all are added', async () => (await redis.xlen(keys.checks(0, 'slow'))) === 3);
      assert.equal(await redis.xlen(keys.checks(0)), 1);
      const slow = await redis.xrange(keys.checks(0, 'slow'), '-', '+');
      const headers = slow.map(([, fields]) => JSON.parse(fields[1]!) as WorkHeader);
      // An artifact goes to Redis by another connection, so it may be the first.
      headers.sort((a, b) => (a.images ?? 0) - (b.images ?? 0));
      assert.deepEqual(pluck(headers, 'lane', 'images', 'session'), [
        ['slow', undefined, undefined],
        ['slow', undefined, undefined],
        ['slow', 3, { internal: 'i', external: 'e' }],
      ]);
      await dispatcher.drain(0);
      await Promise.all(outcomes.map((outcome) => assert.rejects(outcome)));
    });
  });

  it('sends large bodies by a connection of their own, so that small commands do not wait behind them', async () => {
    await withDispatcher({}, async (dispatcher) => {
      const lastOf = async (name: string): Promise<string | undefined> => {
        const list = (await redis.client('LIST')) as string;
        return / cmd=(\S+)/.exec(list.split('\n').find((line) => line.includes(` name=${name} `)) ?? '')?.[1];
      };
      const outcome = dispatcher.check(request({ lane: 'slow', body: Buffer.alloc(300_000, 0x20) }));
      await until('it is added', async () => (await redis.xlen(keys.checks(0, 'slow'))) === 1);
      assert.equal(await lastOf('weir-large'), 'exec');
      assert.notEqual(await lastOf('weir-ingress'), 'exec');
      await dispatcher.drain(0);
      await assert.rejects(outcome);
    });
  });

  it('refuses only slow work when work waits in the slow lane', async () => {
    await withDispatcher({ maxSlowAgeMs: 1000 }, async (dispatcher) => {
      await redis.xadd(keys.checks(0, 'slow'), '1-1', 'header', '{}', 'body', '{}');
      await until('it is seen', async () => {
        const refused = await dispatcher.check(request({ images: 1, deadlineMs: 1 })).catch((error) => error);
        return refused instanceof ApiError && refused.code === 'overloaded';
      });
      assert.equal(dispatcher.refusal(), undefined);
      const outcome = dispatcher.check(request());
      await answer(await take());
      assert.equal((await outcome).status, 'done');
    });
  });

  it('keeps one run in one partition, and says the partition in the id', async () => {
    await withDispatcher({ partitions: 16 }, async (dispatcher) => {
      const partitions = new Set<number>();
      for (let i = 0; i < 4; i++) {
        const outcome = dispatcher.check(request({ affinity: 'run-x' }));
        const taken = await take(16);
        assert.equal(partsOf(taken.header.id)?.partition, taken.partition);
        partitions.add(taken.partition);
        await answer(taken);
        await outcome;
      }
      assert.equal(partitions.size, 1);
    });
  });

  it('keeps a generated run in the partition of its first request', async () => {
    await withDispatcher({ partitions: 16 }, async (dispatcher) => {
      const next = async (affinity: string): Promise<Taken> => {
        const conversations = affinity === '' ? ['r:'] : [`r:${affinity}`];
        const outcome = dispatcher.check(request({ affinity, conversations, contextDepth: 2 }));
        const taken = await take(16);
        await answer(taken);
        await outcome;
        return taken;
      };
      for (let i = 0; i < 4; i++) {
        const first = await next('');
        const run = generatedId('run', first.header.id);
        assert.deepEqual(first.header.conversations, [`r:${run}`]);
        assert.equal((await next(run)).partition, first.partition);
      }
      const beyond = generatedId('run', newRequestId(900));
      assert.ok((await next(beyond)).partition < 16);
    });
  });

  it('follows a number of partitions that grows, once evaluators read the new ones', async () => {
    await withDispatcher({}, async (dispatcher) => {
      await ensurePartitions(redis, 2);
      for (const lane of LANES) await redis.xgroup('CREATE', keys.checks(1, lane), GROUP, '0', 'MKSTREAM');
      let second: Taken | undefined;
      for (let i = 0; second === undefined; i++) {
        const outcome = dispatcher.check(request({ affinity: `run-${i}` }));
        const taken = await take(2);
        await answer(taken);
        assert.equal((await outcome).status, 'done');
        if (taken.partition === 1) second = taken;
        await sleep(5);
      }
      const rescued = await redis.pubsub('SHARDCHANNELS', keys.reply(1, '*'));
      assert.equal(rescued.length, 1, 'its replies are heard');
    });
  });

  it('refuses by age though the clock of Redis was set back', async () => {
    await redis.xgroup('CREATE', keys.checks(0), GROUP, '0', 'MKSTREAM');
    await redis.xadd(keys.checks(0), `${Date.now() + 60_000}-1`, 'header', '{}', 'body', '{}');
    await redis.xreadgroup('GROUP', GROUP, 'w', 'STREAMS', keys.checks(0), '>');
    await withDispatcher({ maxAgeMs: 100 }, async (dispatcher) => {
      assert.equal(dispatcher.refusal(), undefined);
      await redis.xadd(keys.checks(0), '*', 'header', '{}', 'body', '{}');
      await until('it is refused', () => dispatcher.refusal() !== undefined);
      assert.match(dispatcher.refusal()!.message, /waiting longer/);
      await redis.xreadgroup('GROUP', GROUP, 'w', 'STREAMS', keys.checks(0), '>');
      await until('it is admitted', () => dispatcher.refusal() === undefined);
    });
  });

  it('reads a reply that is too large to be published', async () => {
    await withDispatcher({}, async (dispatcher) => {
      const outcome = dispatcher.check(request());
      await answer(await take(), `"${'x'.repeat(400_000)}"`);
      const done = await outcome;
      assert.equal(done.status === 'done' && done.record.fragments[0]?.length, 400_002);
    });
  });

  it('resolves with the bytes of the record, which say what is wrong once the record is asked for', async () => {
    await withDispatcher({}, async (dispatcher) => {
      const outcome = dispatcher.check(request());
      const { header } = await take();
      await redis.call('SPUBLISH', keys.reply(0, header.reply), `${header.id}not a record`);
      const done = await outcome;
      assert.ok(done.status === 'done');
      assert.equal(done.stored?.toString(), 'not a record');
      assert.throws(() => done.record, new ApiError('internal_error', 'The result of this check cannot be read.'));
    });
  });

  it('hears several replies in one message', async () => {
    await withDispatcher({}, async (dispatcher) => {
      const outcomes = [dispatcher.check(request()), dispatcher.check(request())];
      const all = [await take(), await take()];
      const [first, second] = all.map(({ header }) => header.id);
      const message = `+${first}\0\0\0\x03one${randomUUID()}\0\0\0\x01x${second}\0\0\0\x05other`;
      await redis.call('SPUBLISH', keys.reply(0, all[0]!.header.reply), message);
      const stored = (await Promise.all(outcomes)).map((done) => done.status === 'done' && done.stored?.toString());
      assert.deepEqual(stored.sort(), ['one', 'other']);
    });
  });

  it('reads such a reply again when Redis refused to say it', async () => {
    await withDispatcher({}, async (dispatcher) => {
      const outcome = dispatcher.check(request());
      const taken = await take();
      await redis.call('ACL', 'SETUSER', 'default', '-mget');
      try {
        await answer(taken, `"${'x'.repeat(400_000)}"`);
        await until('the reply is read in vain', async () => /rejected_calls=[1-9]/.test(await mgets()));
      } finally {
        await redis.call('ACL', 'SETUSER', 'default', '+@all');
      }
      assert.equal((await outcome).status, 'done');
    });
  });

  it('reads what was published while its subscription was cut', async () => {
    await withDispatcher({}, async (dispatcher) => {
      const outcome = dispatcher.check(request());
      const taken = await take();
      await redis.call('CLIENT', 'KILL', 'TYPE', 'pubsub');
      await answer(taken);
      const started = Date.now();
      const done = await outcome;
      assert.equal(done.status, 'done');
      assert.ok(Date.now() - started < 30_000, 'it did not have to wait for the deadline');
    });
  });

  it('times out at the deadline, and marks the request as awaited before', async () => {
    await withDispatcher({}, async (dispatcher) => {
      const outcome = await dispatcher.check(request({ deadlineMs: 2000 }));
      assert.equal(outcome.status, 'timeout');
      const id = outcome.status === 'timeout' ? outcome.id : '';
      const awaited = await redis.get(keys.await(0, id));
      assert.deepEqual(JSON.parse(awaited ?? '{}'), { kind: 'event', team: 'acme', scope: 'prod' });
      assert.equal(dispatcher.pending(), 0);
      assert.equal(await redis.xlen(keys.checks(0)), 1, 'the work goes on');
    });
  });

  it('times out when the caller waits no longer, and leaves the check its time [general.prefer-wait]', async () => {
    await withDispatcher({}, async (dispatcher) => {
      const outcome = dispatcher.check(request({ waitMs: 400, deadlineMs: 60_000 }));
      const taken = await take();
      assert.equal((await outcome).status, 'timeout');
      assert.equal(taken.header.deadline, taken.header.received + 60_000);
    });
  });

  it('times out in time when Redis hangs', async () => {
    await withDispatcher({}, async (dispatcher) => {
      const outcome = dispatcher.check(request({ deadlineMs: 500 }));
      await until('the entry is added', async () => (await redis.xlen(keys.checks(0))) === 1);
      process.kill(server.pid, 'SIGSTOP');
      try {
        const started = Date.now();
        assert.equal((await outcome).status, 'timeout');
        assert.ok(Date.now() - started < 60_000, 'it did not wait for Redis');
      } finally {
        process.kill(server.pid, 'SIGCONT');
      }
    });
  });

  it('answers what is pending when its drain has run out', async () => {
    await withDispatcher({}, async (dispatcher) => {
      const outcome = dispatcher.check(request());
      await take();
      const refused = assert.rejects(outcome, { code: 'shutting_down' });
      await dispatcher.drain(100);
      await refused;
      assert.equal(dispatcher.pending(), 0);
    });
  });

  it('finds a result whose reply was lost shortly before the deadline', async () => {
    await withDispatcher({}, async (dispatcher) => {
      const outcome = dispatcher.check(request({ deadlineMs: 5000 }));
      const taken = await take();
      taken.header.reply = 'somebody-else';
      await answer(taken);
      assert.equal((await outcome).status, 'done');
    });
  });

  it('awaits a request whose connection was cut after it was sent, and adds it only once', async () => {
    await withDispatcher({}, async (dispatcher) => {
      // Nobody knows whether one was added: those that were not are awaited until then.
      const outcomes = Array.from({ length: 50 }, (_, i) =>
        dispatcher.check(request({ affinity: `run-${i}`, deadlineMs: 5000 })),
      );
      await redis.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
      let open = true;
      const settled = Promise.allSettled(outcomes).finally(() => {
        open = false;
      });
      const seen = new Set<string>();
      // Some are added late, once there is a connection again, and others never.
      while (open) {
        if ((await redis.xlen(keys.checks(0))) === 0) continue;
        const taken = await take();
        assert.ok(!seen.has(taken.header.id), 'no request is added twice');
        seen.add(taken.header.id);
        await answer(taken);
      }
      const results = await settled;
      const done = results.filter((one) => one.status === 'fulfilled' && one.value.status === 'done').length;
      assert.equal(done, seen.size, 'every entry that was added is answered');
    });
  });

  it('adds an artifact again whose connection was cut, once, and answers it', async () => {
    await withDispatcher({}, async (dispatcher) => {
      const outcomes = Array.from({ length: 20 }, (_, i) => dispatcher.check(artifact({ affinity: `run-${i}` })));
      await redis.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
      const seen = new Set<string>();
      for (let i = 0; i < outcomes.length; i++) {
        const taken = await takeEntry(redis, 'slow', 1);
        seen.add(taken.header.id);
        await answer(taken);
      }
      const statuses = (await Promise.all(outcomes)).map(({ status }) => status);
      assert.deepEqual([seen.size, new Set(statuses)], [outcomes.length, new Set(['done'])]);
      assert.equal(await redis.xlen(keys.checks(0, 'slow')), 0);
    });
  });

  it('adds an artifact again that Redis has lost, once its connection is back', async () => {
    await withDispatcher({}, async (dispatcher) => {
      const outcome = dispatcher.check(artifact());
      const { header } = await takeEntry(redis, 'slow', 1);
      // As after a crash that took the last seconds of Redis with it.
      await redis.flushall();
      await redis.call('CLIENT', 'KILL', 'SKIPME', 'yes');
      const taken = await takeEntry(redis, 'slow', 1);
      assert.equal(taken.header.id, header.id);
      await answer(taken);
      assert.equal((await outcome).status, 'done');
    });
  });

  it('promises nothing of an artifact while Redis does not say whether it was added, and bars it then', async () => {
    await withRedis(async (own) => {
      await withDispatcher({ redisUrl: own.url }, async (dispatcher) => {
        process.kill(own.pid, 'SIGSTOP');
        const outcome = dispatcher.check(artifact({ deadlineMs: 500 }));
        await assert.rejects(outcome, { code: 'unavailable', message: /nobody can say whether/ });
        await own.kill('SIGKILL');
        const again = await own.restart();
        const connection = connectCommands({ redisUrl: again.url }, 'test');
        await connection.connect();
        const named = async (start: string) => (await connection.keys(`${start}:*`)).length;
        await until('it is barred', async () => (await named('entry')) === 1);
        await until('it is not noted as under way any more', async () => (await named('await')) === 0);
        assert.equal(await connection.xlen(keys.checks(0, 'slow')), 0);
        connection.disconnect();
        await again.close();
      });
    });
  });

  it('refuses work when Redis is full, and takes it again when there is room', async () => {
    await withDispatcher({}, async (dispatcher) => {
      assert.equal(dispatcher.refusal(), undefined);
      await redis.config('SET', 'maxmemory', '1mb');
      await until('it refuses', () => dispatcher.refusal()?.code === 'overloaded');
      await assert.rejects(dispatcher.check(request()), { code: 'overloaded', status: 503 });
      await redis.config('SET', 'maxmemory', '64mb');
      await until('it admits', () => dispatcher.refusal() === undefined);
    });
  });

  it('answers the error of a full Redis with overloaded, also before the next sample', async () => {
    await withDispatcher({}, async (dispatcher) => {
      await redis.config('SET', 'maxmemory', '1mb');
      await assert.rejects(dispatcher.check(request()), { code: 'overloaded' });
      assert.equal(dispatcher.pending(), 0);
    });
  });

  it('refuses work while unread entries are old', async () => {
    await withDispatcher({ maxAgeMs: 50 }, async (dispatcher) => {
      void dispatcher.check(request()).catch(() => undefined);
      await until('it refuses', () => dispatcher.refusal()?.code === 'overloaded');
      await answer(await take());
      await until('it admits', () => dispatcher.refusal() === undefined);
    });
  });

  it('refuses work above its bytes', async () => {
    await withDispatcher({ pendingBytes: 1 << 20 }, async (dispatcher) => {
      void dispatcher.check(request({ body: Buffer.alloc(1_100_000, 0x20) })).catch(() => undefined);
      assert.equal(dispatcher.refusal()?.code, 'overloaded');
    });
  });

  it('lets slow work hold half of the bytes, and keeps the other half for text', async () => {
    await withDispatcher({ pendingBytes: 1 << 21 }, async (dispatcher) => {
      const large = Buffer.alloc(1_100_000, 0x20);
      void dispatcher.check(request({ body: large })).catch(() => undefined);
      for (const slow of [request({ body: large }), request({ images: 1 })]) {
        await assert.rejects(dispatcher.check(slow), { code: 'overloaded', status: 503 });
      }
      assert.equal(dispatcher.refusal(), undefined);
      void dispatcher.check(request()).catch(() => undefined);
      assert.equal(dispatcher.pending(), 2);
    });
  });

  it('refuses a team that holds more of a quarter of the bytes than is free, and no other team', async () => {
    await withDispatcher({ pendingBytes: 1 << 23 }, async (dispatcher) => {
      const large = Buffer.alloc(1_100_000, 0x20);
      void dispatcher.check(request({ body: large })).catch(() => undefined);
      await assert.rejects(dispatcher.check(request({ body: large })), { code: 'overloaded', message: /your team/ });
      void dispatcher.check(request({ body: large, team: 'globex' })).catch(() => undefined);
      assert.equal(dispatcher.pending(), 2);
    });
  });

  it('counts what was answered 504 for its team until its result is there, and holds no memory for it', async () => {
    await withDispatcher({ pendingBytes: 1 << 23 }, async (dispatcher) => {
      const body = Buffer.alloc(1_100_000, 0x20);
      const late = await dispatcher.check(request({ body, lane: 'slow', deadlineMs: 60 }));
      assert.equal(late.status, 'timeout');
      assert.equal(dispatcher.pending(), 0);
      const again = () => dispatcher.check(request({ body: Buffer.alloc(10), lane: 'slow', deadlineMs: 60 }));
      await assert.rejects(again(), { code: 'overloaded', message: /your team/ });
      await dispatcher.check(request({ body: Buffer.alloc(10), lane: 'slow', deadlineMs: 60, team: 'globex' }));
      await answer(await takeEntry(redis, 'slow', 1));
      await until('its team may go on', () =>
        again().then(
          () => true,
          () => false,
        ),
      );
    });
  });

  it('refuses a team whose checks hold half of the fast lane, and no other team', async () => {
    await withDispatcher({ pendingBytes: 16 << 20, maxAgeMs: 60_000 }, async (dispatcher) => {
      // The fast lane shares an eighth: 2 MiB. Five of these are more than half of that.
      const body = Buffer.alloc(240_000, 0x20);
      for (let i = 0; i < 5; i++) void dispatcher.check(request({ team: 'hostile', body })).catch(() => undefined);
      await assert.rejects(dispatcher.check(request({ team: 'hostile' })), { code: 'overloaded', status: 503 });
      assert.equal(dispatcher.refusal(), undefined);
      void dispatcher.check(request({ body })).catch(() => undefined);
      assert.equal(dispatcher.pending(), 6);
    });
  });

  it('counts many small requests of a team as it counts large ones', async () => {
    await withDispatcher({ pendingBytes: 8 << 20, maxAgeMs: 60_000 }, async (dispatcher) => {
      // Half of 1 MiB, at 4 KiB each and their few bytes.
      const outcomes = Array.from({ length: 200 }, () =>
        dispatcher.check(request()).then(
          () => 'done',
          (error) => (error instanceof ApiError ? error.code : 'failed'),
        ),
      );
      assert.equal(dispatcher.pending(), 128);
      assert.deepEqual(await Promise.all(outcomes.slice(128)), Array<string>(72).fill('overloaded'));
    });
  });

  it('refuses new work while it drains, and answers what is pending', async () => {
    await withDispatcher({}, async (dispatcher) => {
      const outcome = dispatcher.check(request());
      const drained = dispatcher.drain(2000);
      await assert.rejects(dispatcher.check(request()), { code: 'shutting_down' });
      await answer(await take());
      await drained;
      assert.equal((await outcome).status, 'done');
    });
  });
});
