/** Idempotency-Keys with a real Redis and two dispatchers, as of two ingress processes. The test plays the evaluator. */
import assert from 'node:assert/strict';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { after, beforeEach, describe, it } from 'node:test';
import { createDispatcher, type RedisDispatcher } from '#weir/ingress/dispatch/dispatcher';
import { addCheck, barCheck, claimKey, hashedKey } from '#weir/ingress/dispatch/idempotency/claims';
import { createIdempotency, type RetryRequest } from '#weir/ingress/dispatch/idempotency/idempotency';
import { PartlyThere, type Recall } from '#weir/ingress/dispatch/idempotency/rebuild-result';
import type { CheckOutcome, CheckRequest, Retry } from '#weir/ingress/dispatch/types';
import { acceptedLately } from '#weir/ingress/lookups/hot/artifacts';
import { readAwaited } from '#weir/ingress/lookups/hot/awaited';
import type { ApiError } from '#weir/shared/api/errors';
import type { ResultRecord } from '#weir/shared/api/results/record';
import { HistoryUnavailable } from '#weir/shared/history/read/breaker';
import { itemId, partsOf, sequenceOf } from '#weir/shared/ids';
import { createLogger } from '#weir/shared/log';
import { loadSettings } from '#weir/shared/settings';
import { connectCommands, isPassing } from '#weir/shared/streams/client';
import { keys } from '#weir/shared/streams/keys';
import { Registry } from '#weir/shared/telemetry';
import { commitRecord, type Taken, takeEntry } from '../../../support/installation/evaluator.ts';
import { pluck } from '../../../support/pluck.ts';
import { sharedRedis } from '../../../support/stores/redis.js';
import { sleep, until } from '../../../support/wait.js';
import { record, recordItem } from '../../support.js';
import { checkRequest } from '../support.ts';

let recall: Recall;
const registry = new Registry();
/** what the first process logged */
const told: string[] = [];

after(async () => {
  await first.close();
  await second.close();
});
const { server, redis } = await sharedRedis({ maxMemory: '64mb' });
const start = (use: Registry, lines: string[]): Promise<RedisDispatcher> =>
  createDispatcher(
    { ...loadSettings({}), redisUrl: server.url, maxAgeMs: 60_000, partitions: 4 },
    {
      logger: createLogger('test', 'info', { write: (line) => void lines.push(line) }),
      registry: use,
      recall: (...asked) => recall(...asked),
      claims: { lifeMs: 3_600_000, most: 3 },
    },
  );
const first = await start(registry, told);
const second = await start(new Registry(), []);
beforeEach(async () => {
  recall = async () => undefined;
  // Both may still go by a sample of a test that had filled Redis.
  await until('work is admitted', () => first.refusal() === undefined && second.refusal() === undefined);
});

const request = (retry: Partial<Retry> = {}, more: Partial<CheckRequest> = {}): CheckRequest =>
  checkRequest({ retry: { key: 'k-1', fingerprint: 'print', eventIds: ['m1'], referred: [], ...retry }, ...more });

/**
 * Leaves Redis so little memory that it refuses `large`, but so much that work is admitted. The buffer of the last large body must
 * be freed before.
 */
async function shrink(): Promise<void> {
  const used = async (): Promise<number> => Number(/^used_memory:(\d+)/m.exec(await redis.info('memory'))?.[1]);
  await until('Redis is small', async () => (await used()) < 10 << 20);
  await redis.config('SET', 'maxmemory', '20mb');
}

async function entries(): Promise<number> {
  const lengths = await Promise.all([0, 1, 2, 3].map((p) => redis.xlen(keys.checks(p))));
  return lengths.reduce((sum, length) => sum + length, 0);
}

/** Without the number of partitions, which every process stores again when it is missing. */
async function nothingLeft(): Promise<boolean> {
  const stay = [keys.partitions(), keys.pressure(0)];
  return (await redis.keys('*')).every((key) => stay.includes(key));
}

const take = (): Promise<Taken> => takeEntry(redis, 'fast', 4);

function answer(taken: Taken, change: Partial<ResultRecord> = {}): Promise<boolean> {
  const { header, entryId } = taken;
  const made = record({ id: header.id, sequence: sequenceOf(entryId), items: [recordItem(1)], ...change });
  return commitRecord(redis, taken, made);
}

const idOf = (outcome: CheckOutcome): string => (outcome.status === 'done' ? outcome.record.id : outcome.id);

async function counted(name: string): Promise<string> {
  const lines = (await registry.metrics()).split('\n').filter((line) => line.startsWith(`${name}{`));
  return lines.join('\n');
}

describe('a check with an Idempotency-Key', () => {
  it('is begun like any other, and its retries get its answer in whichever process [idempotency.retry]', async () => {
    const begun = first.check(request());
    const taken = await take();
    assert.equal(taken.body, '{"events":[1]}');
    assert.deepEqual(taken.header.conversations, ['r:run-1']);
    await answer(taken);
    const done = await begun;
    assert.equal(done.replayed, undefined);
    for (const dispatcher of [first, second]) {
      const again = await dispatcher.check(request());
      assert.deepEqual([idOf(again), again.status, again.replayed], [taken.header.id, 'done', true]);
    }
    assert.equal(await entries(), 0);
    assert.match(await counted('weir_idempotent_replays_total'), /source="hot"/);
  });

  it('is joined while it is under way, by any number, in both processes [idempotency.retry]', async () => {
    const outcomes = Array.from({ length: 50 }, (_, i) => [first, second][i % 2]!.check(request()));
    const taken = await take();
    assert.equal(await entries(), 1);
    await answer(taken);
    const ids = new Set((await Promise.all(outcomes)).map(idOf));
    assert.deepEqual([...ids], [taken.header.id]);
    const replayed = (await Promise.all(outcomes)).filter((one) => one.replayed === true).length;
    assert.equal(replayed, 49);
    assert.equal(await entries(), 0);
    assert.equal(first.pending() + second.pending(), 0);
  });

  it('times out for everyone with the same id, and the answer is there for a later retry [idempotency.retry]', async () => {
    const outcomes = await Promise.all([
      first.check(request({}, { deadlineMs: 500 })),
      second.check(request({}, { deadlineMs: 500 })),
    ]);
    assert.deepEqual(pluck(outcomes, 'status'), ['timeout', 'timeout']);
    assert.equal(idOf(outcomes[0]!), idOf(outcomes[1]!));
    const { partition } = partsOf(idOf(outcomes[0]!))!;
    assert.equal(await redis.exists(keys.await(partition, idOf(outcomes[0]!))), 1);
    const late = second.check(request());
    await answer(await take());
    assert.deepEqual([idOf(await late), (await late).status], [idOf(outcomes[0]!), 'done']);
  });

  it('is another check under another key, API key or team', async () => {
    const ids = new Set<string>();
    for (const other of [
      request(),
      request({ key: 'k-2' }),
      request({}, { key: 'other' }),
      request({}, { team: 'globex' }),
    ]) {
      const begun = first.check(other);
      await answer(await take());
      ids.add(idOf(await begun));
    }
    assert.equal(ids.size, 4);
  });

  it('is refused with another fingerprint, under way and done [idempotency.mismatch] [error.idempotency_mismatch]', async () => {
    const begun = first.check(request());
    const taken = await take();
    const other = request({ fingerprint: 'another' });
    await assert.rejects(second.check(other), { code: 'idempotency_mismatch', status: 409, retryAfter: 0 });
    await answer(taken);
    await begun;
    await assert.rejects(first.check(other), { code: 'idempotency_mismatch' });
    assert.match(await counted('weir_idempotency_refused_total'), /reason="mismatch"\} 1/);
  });

  it('is refused beyond the keys that are remembered, a retry is not [idempotency.limits]', async () => {
    const begun = [1, 2, 3].map((n) => first.check(request({ key: `k-${n}` })));
    for (const _ of begun) await answer(await take());
    await Promise.all(begun);
    await assert.rejects(second.check(request({ key: 'k-4' })), (error: ApiError) => {
      assert.equal(error.code, 'rate_limited');
      assert.match(error.message, /as many Idempotency-Keys as are remembered.* without one/);
      assert.deepEqual(error.details.quota, { name: 'idempotency-keys', most: 3, seconds: 3600 });
      assert.ok(error.retryAfter > 3500 && error.retryAfter <= 3600);
      return true;
    });
    assert.equal((await second.check(request({ key: 'k-3' }))).status, 'done');
  });
});

describe('a check that is finished without a verdict', () => {
  const session = { kind: 'session', scope: 'chat' } as const;
  const ended = (status: number, code: string): Partial<ResultRecord> => ({
    ...session,
    error: { status, code, message: 'messages[0].content[0]: The image could not be looked at.' },
  });
  const UNREACHABLE = ended(503, 'unavailable');
  const AT_FAULT = ended(400, 'validation_failed');
  const corrected = (): CheckRequest => request({ fingerprint: 'another' }, session);

  /** Makes a check with this answer. Returns its request id. */
  async function end(change: Partial<ResultRecord>, asked = request({}, session)): Promise<string> {
    const begun = first.check(asked);
    const taken = await take();
    await answer(taken, change);
    const outcome = await begun;
    assert.equal(outcome.status === 'done' && outcome.record.error?.status, change.error?.status);
    return taken.header.id;
  }

  /** `asked` is a new check with a verdict, which its retries find. */
  async function begunAnew(asked: () => CheckRequest, before: string): Promise<void> {
    const begun = second.check(asked());
    const taken = await take();
    assert.notEqual(taken.header.id, before);
    await answer(taken, session);
    assert.deepEqual([idOf(await begun), (await begun).replayed], [taken.header.id, undefined]);
    const again = await first.check(asked());
    assert.deepEqual([idOf(again), again.replayed], [taken.header.id, true]);
    assert.equal(await entries(), 0);
  }

  it('leaves its key free when it is answered: for the same body, and for a corrected one [idempotency.accepted]', async () => {
    for (const change of [UNREACHABLE, AT_FAULT]) {
      await begunAnew(() => request({}, session), await end(change));
      await redis.flushall();
      await begunAnew(corrected, await end(change));
      await redis.flushall();
    }
  });

  it('keeps its key where it can never be evaluated: a retry gets the same answer, and nothing is evaluated [failure.lasting]', async () => {
    const id = await end(ended(422, 'not_evaluable'));
    const again = await second.check(request({}, session));
    assert.deepEqual([idOf(again), again.replayed], [id, true]);
    assert.equal(again.status === 'done' && again.record.error?.status, 422);
    assert.equal(await entries(), 0);
  });

  it('leaves its key free for the next request when its own caller has gone', async () => {
    const late = { deadlineMs: 300 };
    for (const next of [() => request({}, session), corrected]) {
      const gone = await first.check(request({}, { ...session, ...late }));
      assert.equal(gone.status, 'timeout');
      await answer(await take(), AT_FAULT);
      await begunAnew(next, idOf(gone));
      await redis.flushall();
    }
  });

  it('leaves its key free also when its result has left Redis', async () => {
    const gone = await first.check(request({}, { ...session, deadlineMs: 300 }));
    const taken = await take();
    await answer(taken, UNREACHABLE);
    await redis.del(keys.result(taken.partition, taken.header.id));
    recall = async () => record({ id: taken.header.id, ...UNREACHABLE });
    await begunAnew(() => request({}, session), idOf(gone));
  });

  it('answers all requests that wait for it', async () => {
    const begun = first.check(request({}, session));
    await until('it is added', async () => (await entries()) === 1);
    const joined = second.check(request({}, session));
    await until('it is joined', () => second.pending() === 1);
    const taken = await take();
    await answer(taken, UNREACHABLE);
    for (const outcome of await Promise.all([begun, joined])) {
      assert.equal(outcome.status === 'done' && outcome.record.error?.status, 503);
    }
    await begunAnew(() => request({}, session), taken.header.id);
  });

  it('keeps its key where it was given up: that is its answer for good', async () => {
    const id = await end(ended(500, 'internal_error'));
    assert.equal(idOf(await second.check(request({}, session))), id);
    await assert.rejects(second.check(corrected()), { code: 'idempotency_mismatch' });
  });
});

describe('a claim whose check was not added', () => {
  const abandoned = { fingerprint: 'print', config: 9, contextDepth: 1, owner: 'dead' };

  async function abandon(age: number): Promise<string> {
    const requestId = '01a1fdb6-e276-7f4f-81ed-501a7cec0040';
    const key = hashedKey('acme', 'demo', 'k-1');
    await claimKey(redis, key, { ...abandoned, requestId });
    await redis.hincrby(keys.claim('acme', 'demo', key.name), 'since', -age);
    return requestId;
  }

  it('is 409 while it is fresh [error.idempotency_in_progress]', async () => {
    await abandon(0);
    await assert.rejects(first.check(request()), { code: 'idempotency_in_progress', status: 409 });
    assert.equal(await entries(), 0);
  });

  it('is added by a retry once it is older: with the same id, time and configuration, once for all retries', async () => {
    const id = await abandon(3500);
    const outcomes = Array.from({ length: 20 }, (_, i) => [first, second][i % 2]!.check(request()));
    const taken = await take();
    assert.deepEqual(
      [taken.header.id, taken.header.received, taken.header.config, taken.header.contextDepth, taken.partition],
      [id, partsOf(id)!.time, 9, 1, 1],
    );
    assert.ok(taken.header.deadline > Date.now());
    await sleep(50);
    assert.equal(await entries(), 1);
    await answer(taken);
    for (const outcome of await Promise.all(outcomes)) assert.deepEqual([idOf(outcome), outcome.replayed], [id, true]);
  });

  it('is known as under way when it is an artifact that a retry has added', async () => {
    const id = await abandon(3500);
    const artifact = { external: 'photo-1', role: 'user' as const, session: { internal: '', external: '' } };
    const begun = first.check(request({}, { kind: 'artifact', scope: 'chat', artifact }));
    const taken = await take();
    const owner = { team: 'acme', scope: 'chat' };
    assert.deepEqual(await acceptedLately(redis, owner, 'photo-1', 1), [itemId(id, 1)]);
    assert.ok(await readAwaited(redis, partsOf(id)!));
    await answer(taken);
    assert.equal(idOf(await begun), id);
  });

  it('is not added while ClickHouse cannot say that it has no result', async () => {
    await abandon(3500);
    for (const error of [new HistoryUnavailable('away'), new PartlyThere('some rows')]) {
      recall = () => Promise.reject(error);
      await assert.rejects(first.check(request()), { code: 'unavailable', status: 503 });
    }
    assert.equal(await entries(), 0);
    recall = () => Promise.reject(new Error('a bug'));
    await assert.rejects(first.check(request()), /a bug/);
  });

  it('is given up when Redis refuses the entry, so that the key is free for another body [idempotency.accepted]', async () => {
    const body = Buffer.alloc(30 << 20, 0x20);
    await shrink();
    await assert.rejects(first.check(request({}, { body })), { code: 'overloaded' });
    await redis.config('SET', 'maxmemory', '64mb');
    await until('the claim is given up', nothingLeft);
    await until('work is admitted', () => first.refusal() === undefined);
    const begun = first.check(request({ fingerprint: 'another' }));
    await answer(await take());
    assert.equal((await begun).status, 'done');
  });
});

describe('a claim that was taken over', () => {
  const abandoned = { fingerprint: 'print', config: 9, contextDepth: 1, owner: 'dead' };
  const requestId = '01a1fdb6-e276-7f4f-81ed-501a7cec0040';
  const key = hashedKey('acme', 'demo', 'k-1');
  const large = Buffer.alloc(30 << 20, 0x20);

  beforeEach(async () => {
    await claimKey(redis, key, { ...abandoned, requestId });
    await redis.hincrby(keys.claim('acme', 'demo', key.name), 'since', -3500);
  });

  it('is released when Redis refuses the entry, and the first request cannot add it any more [idempotency.accepted]', async () => {
    await shrink();
    await assert.rejects(first.check(request({}, { body: large })), { code: 'overloaded', status: 503 });
    await redis.config('SET', 'maxmemory', '64mb');
    await until('the claim is given up', async () => (await redis.exists(keys.claim('acme', 'demo', key.name))) === 0);
    // The mark that bars an id lives as long as a claim, and counts as one.
    assert.deepEqual(await redis.zrange(keys.claims('acme', 'demo'), '0', '-1'), [requestId]);
    const late = { stream: { partition: 1, lane: 'slow' as const }, requestId, header: '{}', body: Buffer.from('{}') };
    assert.equal(await addCheck({ redis, large: redis }, late), 'barred');
    await until('work is admitted', () => first.refusal() === undefined);
    const begun = first.check(request({ fingerprint: 'another' }));
    const taken = await take();
    assert.notEqual(taken.header.id, requestId);
    await answer(taken);
    assert.equal((await begun).status, 'done');
    assert.equal(await entries(), 0);
  });

  it('is made anew by the same request, also when the process that barred it died before releasing it', async () => {
    assert.equal(await barCheck(redis, 1, requestId), true);
    const outcomes = Array.from({ length: 10 }, (_, i) => [first, second][i % 2]!.check(request()));
    const taken = await take();
    assert.notEqual(taken.header.id, requestId);
    await answer(taken);
    assert.deepEqual([...new Set((await Promise.all(outcomes)).map(idOf))], [taken.header.id]);
    assert.equal(await entries(), 0);
  });

  it('is 503 for its first request when that comes with its entry after all', async () => {
    // Between claim and entry: the first request goes on only when a retry has barred its id.
    await redis.del(keys.claim('acme', 'demo', key.name), keys.claims('acme', 'demo'));
    const barring = connectCommands({ redisUrl: server.url }, 'test');
    await barring.connect();
    const slow = createIdempotency(
      {
        connections: { redis: barring, large: barring },
        recall: async () => undefined,
        draw: () => requestId,
        async begin(_request, id, add) {
          await barCheck(redis, 1, id);
          await add('{}');
          throw new Error('it was let in');
        },
        noteAdded: () => ({ undo: () => undefined }),
        join: () => Promise.reject(new Error('not reached')),
        headerOf: () => '{}',
        full: () => undefined,
      },
      { logger: createLogger('test', 'silent'), registry: new Registry() },
    );
    await assert.rejects(slow(request() as RetryRequest), { code: 'overloaded', status: 503 });
    barring.disconnect();
    assert.equal(await entries(), 0);
  });
});

describe('a check whose result has left Redis', () => {
  async function gone(): Promise<Taken> {
    const begun = first.check(request());
    const taken = await take();
    await answer(taken);
    await begun;
    await redis.del(keys.result(taken.partition, taken.header.id));
    return taken;
  }

  it('is recalled from history', async () => {
    const taken = await gone();
    const asked: unknown[] = [];
    recall = async (_request, _retry, remembered) => {
      asked.push(remembered);
      return record({ id: taken.header.id });
    };
    const again = await second.check(request());
    assert.deepEqual([idOf(again), again.replayed], [taken.header.id, true]);
    assert.deepEqual(asked, [{ requestId: taken.header.id, config: 1, entry: taken.entryId }]);
    assert.equal(await entries(), 0);
  });

  it('is 503 when history cannot be asked', async () => {
    await gone();
    recall = () => Promise.reject(new HistoryUnavailable('away'));
    await assert.rejects(second.check(request()), { code: 'unavailable' });
    assert.equal(await entries(), 0);
  });

  it('is another check, under an id of its own, when it was erased, once for all retries [erase.again]', async () => {
    const taken = await gone();
    recall = async (_request, _retry, { requestId }) => (requestId === taken.header.id ? 'erased' : undefined);
    const outcomes = Array.from({ length: 20 }, (_, i) => [first, second][i % 2]!.check(request()));
    const again = await take();
    assert.notEqual(again.header.id, taken.header.id);
    assert.equal(await answer(again), true);
    for (const outcome of await Promise.all(outcomes)) assert.equal(idOf(outcome), again.header.id);
    assert.equal(await entries(), 0);
  });

  it('is evaluated again under its id when neither store has it, once for all retries', async () => {
    const taken = await gone();
    const outcomes = Array.from({ length: 20 }, (_, i) => [first, second][i % 2]!.check(request()));
    const again = await take();
    assert.equal(again.header.id, taken.header.id);
    assert.equal(await answer(again), true);
    for (const outcome of await Promise.all(outcomes)) assert.equal(idOf(outcome), taken.header.id);
    assert.equal(await entries(), 0);
  });
});

describe('a Redis that refuses', () => {
  it('writes, since its disk is full, is 503, told to the log, and taken again when it can', async () => {
    await redis.config('SET', 'save', '3600 1000000');
    // A folder stands in the place of the snapshot, so none can be written.
    const snapshot = join(server.dataDir, 'dump.rdb');
    await mkdir(join(snapshot, 'x'), { recursive: true });
    const saved = async (): Promise<string> =>
      /rdb_last_bgsave_status:(\w+)/.exec(await redis.info('persistence'))![1]!;
    await redis.bgsave();
    await until('the snapshot fails', async () => (await saved()) === 'err');
    await assert.rejects(redis.set('x', 1), (error) => isPassing(error) && /: MISCONF /.test(String(error)));
    told.length = 0;
    try {
      for (let i = 0; i < 3; i++) await assert.rejects(first.check(request()), { code: 'unavailable', status: 503 });
    } finally {
      await rm(snapshot, { recursive: true });
      await redis.config('SET', 'save', '');
    }
    assert.match(told[0] ?? '', /MISCONF/);
    const begun = first.check(request());
    await answer(await take());
    assert.equal((await begun).status, 'done');
  });

  it('what the key needs, for want of rights, is 503 too', async () => {
    await redis.call('ACL', 'SETUSER', 'default', '-evalsha');
    try {
      await assert.rejects(first.check(request()), { code: 'unavailable', status: 503 });
    } finally {
      await redis.call('ACL', 'SETUSER', 'default', '+@all');
    }
    await until('work is admitted', () => first.refusal() === undefined);
  });
});

describe('a Redis that is away', () => {
  it('keeps no caller waiting beyond its deadline, and no claim for long', async () => {
    process.kill(server.pid, 'SIGSTOP');
    try {
      const started = Date.now();
      await assert.rejects(first.check(request({}, { deadlineMs: 300 })), { code: 'unavailable' });
      assert.ok(Date.now() - started < 60_000);
    } finally {
      process.kill(server.pid, 'SIGCONT');
    }
    await until('the claim is given up', nothingLeft);
    assert.equal(await entries(), 0);
  });

  it('answers requests that joined when their process stops', async () => {
    const registryOfIts = new Registry();
    const third = await createDispatcher(
      { ...loadSettings({}), redisUrl: server.url, maxAgeMs: 60_000 },
      { logger: createLogger('test', 'silent'), registry: registryOfIts, recall: async () => undefined },
    );
    try {
      const begun = first.check(request());
      await until('it is added', async () => (await entries()) === 1);
      const joined = third.check(request());
      await until('it is joined', () => third.pending() === 1);
      const refused = assert.rejects(joined, { code: 'shutting_down' });
      await third.drain(50);
      await refused;
      assert.equal(third.pending(), 0);
      await answer(await take());
      assert.equal((await begun).status, 'done');
    } finally {
      await third.close();
    }
  });
});
