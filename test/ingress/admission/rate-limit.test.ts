/** Rates of API keys: limits of several processes over one Redis, and what callers see of them. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { ApiKey } from '#weir/ingress/admission/directory';
import { createRateLimits, type RateLimits, tokensOf } from '#weir/ingress/admission/rate-limit';
import { takeTokens } from '#weir/ingress/admission/token-bucket';
import { ApiError } from '#weir/shared/api/errors';
import { createLogger } from '#weir/shared/log';
import { connectCommands } from '#weir/shared/streams/client';
import { keys } from '#weir/shared/streams/keys';
import { Registry } from '#weir/shared/telemetry';
import { pluck } from '../../support/pluck.ts';
import { sharedRedis } from '../../support/stores/redis.js';
import { sleep, until } from '../../support/wait.js';
import { batch, type Ingress, request, startIngress } from '../support.ts';

const { server, redis } = await sharedRedis();
const logger = createLogger('test', 'silent');

const limits = (registry = new Registry()): RateLimits => createRateLimits(redis, { logger, registry });
const value = async (registry: Registry, name: string): Promise<number> =>
  Number(new RegExp(`^${name} (\\d+)`, 'm').exec(await registry.metrics())?.[1]);

function apiKey(requestsPerMinute: number, id = 'k'): ApiKey {
  const none = new Set<never>();
  const grants = { deployments: none, defaultDeployment: '', environments: none, scopes: none };
  return { id, team: 't', ...grants, expiresAt: null, requestsPerMinute };
}

describe('the rate of a key', () => {
  it('is counted exactly over all processes, one request at a time and all at once [8.rate]', async () => {
    for (const together of [false, true]) {
      await redis.flushall();
      const processes = [limits(), limits(), limits()];
      const all = processes.map(() => apiKey(5));
      const turns: (ApiError | undefined)[] = [];
      const asked = Array.from({ length: 30 }, (_, i) => async () => {
        turns.push(await processes[i % 3]!.take(all[i % 3]!));
      });
      if (together) await Promise.all(asked.map((ask) => ask()));
      else for (const ask of asked) await ask();
      const refused = turns.filter((turn) => turn instanceof ApiError);
      assert.equal(turns.length - refused.length, 5);
      for (const error of refused) {
        assert.deepEqual([error.code, error.status], ['rate_limited', 429]);
        assert.ok(error.retryAfter >= 1 && error.retryAfter <= 12);
      }
    }
  });

  it('lets a full bucket and its refill pass, and no more, however many tokens processes hold', async () => {
    const processes = [limits(), limits()];
    const all = processes.map(() => apiKey(6000));
    const started = performance.now();
    let granted = 0;
    let refused = 0;
    await Promise.all(
      processes.map(async (process, i) => {
        for (let n = 0; n < 5000; n++) {
          if (await process.take(all[i]!)) refused++;
          else granted++;
          // Refusals are synchronous, so without a pause no timer would run.
          if (n % 500 === 0) await sleep(1);
        }
      }),
    );
    const seconds = (performance.now() - started) / 1000;
    assert.ok(granted <= 6000 + Math.ceil(seconds * 100) + 1, `${granted} granted in ${seconds} s`);
    assert.ok(granted >= 6000 - 20, `${granted} granted`);
    assert.ok(refused > 0);
  });

  it('costs a busy process a few calls, and a refused caller none', async () => {
    const registry = new Registry();
    const process = limits(registry);
    const busy = apiKey(60_000);
    for (let n = 0; n < 5000; n++) assert.equal(await process.take(busy), undefined);
    const calls = await value(registry, 'weir_rate_leases_total');
    assert.ok(calls <= 80, `${calls} calls for 5,000 requests`);
    const slow = apiKey(1, 'slow');
    assert.equal(await process.take(slow), undefined);
    assert.ok((await process.take(slow)) instanceof ApiError);
    const before = await value(registry, 'weir_rate_leases_total');
    for (let n = 0; n < 100; n++) assert.ok(process.take(slow) instanceof ApiError, 'without asking Redis');
    assert.equal(await value(registry, 'weir_rate_leases_total'), before);
    assert.equal(await value(registry, 'weir_rate_refused_total'), 101);
  });

  it('loses hardly anything to processes that need little', async () => {
    const processes = Array.from({ length: 8 }, () => limits());
    const all = processes.map(() => apiKey(60_000));
    for (let round = 0; round < 3; round++) {
      for (const [i, process] of processes.entries()) assert.equal(await process.take(all[i]!), undefined);
      await sleep(20);
    }
    const missing = Number(await redis.hget(keys.rate('t', 'k'), 'missing')) / 60_000;
    assert.ok(missing <= 8 * 4, `${missing} tokens were taken for 24 requests`);
  });

  it('applies at once when the configuration changes it', async () => {
    const process = limits();
    assert.equal(await process.take(apiKey(1)), undefined);
    assert.ok((await process.take(apiKey(1))) instanceof ApiError);
    const more = apiKey(3);
    assert.equal(await process.take(more), undefined);
    assert.equal(await process.take(more), undefined);
    assert.ok((await process.take(more)) instanceof ApiError);
    assert.ok((await process.take(apiKey(2))) instanceof ApiError);
  });

  it('counts each 256 KiB of a body, owes what the bucket does not hold, and is even again after a while', async () => {
    assert.deepEqual([NaN, 0, 1, 256 << 10, (256 << 10) + 1, 1 << 20, 32 << 20].map(tokensOf), [1, 1, 1, 1, 2, 4, 128]);
    const process = limits();
    const many = apiKey(1000, 'many');
    for (let i = 0; i < 3; i++) assert.equal(await process.take(many, 100), undefined);
    const left = async (key: ApiKey): Promise<number> =>
      (await takeTokens(redis, { team: key.team, key: key.id, requestsPerMinute: key.requestsPerMinute! }, 0)).left;
    await until('all are counted', async () => (await left(many)) < 800);
    // Few tokens were leased and not used, or have come in since.
    assert.ok((await left(many)) >= 600, String(await left(many)));
    const few = apiKey(60, 'few');
    assert.equal(await process.take(few, 128), undefined);
    await until('it is counted', async () => (await process.take(few)) instanceof ApiError);
    const refused = await limits().take(few);
    assert.ok(refused instanceof ApiError, 'by every process');
    assert.ok(refused.retryAfter > 30 && refused.retryAfter <= 70, String(refused.retryAfter));
    process.charge(few, 1_000_000);
    await until('a debt has an end', async () => {
      const { emptyFor } = await takeTokens(redis, { team: 't', key: 'few', requestsPerMinute: 60 }, 0);
      return emptyFor > 300_000 && emptyFor <= 601_000;
    });
  });

  it('refuses no request while Redis cannot count, and delays none', async () => {
    const registry = new Registry();
    const process = limits(registry);
    const slow = apiKey(1);
    globalThis.process.kill(server.pid, 'SIGSTOP');
    try {
      const started = performance.now();
      const turns = await Promise.all(Array.from({ length: 10 }, () => process.take(slow)));
      assert.ok(turns.every((turn) => turn === undefined));
      assert.ok(performance.now() - started < 60_000);
    } finally {
      globalThis.process.kill(server.pid, 'SIGCONT');
    }
    assert.equal(process.headers(slow).limit, '', 'nothing is said of what is not known');
    const away = connectCommands({ redisUrl: 'redis://127.0.0.1:1' }, 'test');
    const alone = createRateLimits(away, { logger, registry: new Registry() });
    for (let i = 0; i < 3; i++) assert.equal(alone.take(apiKey(1)), undefined);
    away.disconnect();
    assert.equal(await value(registry, 'weir_rate_uncounted_total'), 10);
  });
});

describe('answers to a key with a rate', () => {
  let ingress: Ingress;
  beforeEach(async () => {
    ingress = await startIngress({}, { rates: limits() });
  });
  afterEach(() => ingress.server.close());
  const as = (key: string, more: Record<string, string> = {}) => ({ authorization: `Bearer ${key}`, ...more });
  const send = (key = 'five') => ingress.call({ path: '/api/events', body: batch(), headers: as(key) });
  const get = (key = 'five') =>
    ingress.call({ method: 'GET', path: '/api/event?environment_id=prod&run_id=r&event_id=e', headers: as(key) });

  it('say how many are left, and refuse what is over with 429, GETs counted too [8.rate] [error.rate_limited]', async () => {
    const seen = [await send(), await get(), await send(), await send(), await send()];
    assert.deepEqual(pluck(seen, 'status'), [200, 404, 200, 200, 200]);
    for (const [i, { headers }] of seen.entries()) {
      assert.equal(headers['ratelimit-policy'], '"default";q=5;w=60');
      assert.match(headers.ratelimit!, new RegExp(`^"default";r=${4 - i};t=[0-9]+$`));
    }
    for (const over of [await send(), await get()]) {
      assert.equal(over.status, 429);
      assert.deepEqual([over.error.code, over.error.type], ['rate_limited', 'rate_limit_error']);
      assert.match(over.headers['retry-after']!, /^([1-9]|1[0-2])$/);
      assert.match(over.headers.ratelimit!, /^"default";r=0;t=([1-5]?[0-9]|60)$/);
      assert.equal(over.headers['ratelimit-policy'], '"default";q=5;w=60');
    }
    assert.equal(ingress.checks.length, 4);
    const free = await send('good');
    const said = [free.status, free.headers.ratelimit, free.headers['ratelimit-policy']];
    assert.deepEqual(said, [200, undefined, undefined]);
  });

  it('count a body by its bytes, announced or not', async () => {
    const counted: [string, number][] = [];
    const rates: RateLimits = {
      ...limits(),
      take(_, tokens) {
        counted.push(['take', tokens!]);
        return undefined;
      },
      charge: (_, tokens) => void counted.push(['charge', tokens]),
    };
    const own = await startIngress({}, { rates });
    const body = JSON.stringify({ ...batch(), filler: 'x'.repeat(1 << 20) });
    const chunks = [`${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`];
    const headers = { ...as('many'), 'transfer-encoding': 'chunked' };
    assert.equal((await own.call({ path: '/api/events', body, headers: as('many') })).status, 200);
    const [answer] = await own.raw([request({ path: '/api/events', headers }), ...chunks]);
    assert.equal(answer?.status, 200);
    assert.deepEqual(counted, [
      ['take', 5],
      ['take', 1],
      ['charge', 4],
    ]);
    await own.server.close();
  });

  it('name the limit of Idempotency-Keys where that is what is used up, after the rate where there is one [error.rate_limited]', async () => {
    const quota = { name: 'idempotency-keys', most: 100_000, seconds: 3600 };
    ingress.outcome = () => Promise.reject(new ApiError('rate_limited', 'Too many.', { retryAfter: 77, quota }));
    const own = ['"idempotency-keys";q=100000;w=3600', '"idempotency-keys";r=0;t=77'];
    const free = await send('good');
    assert.equal(free.status, 429);
    const said = [free.headers['ratelimit-policy'], free.headers.ratelimit, free.headers['retry-after']];
    assert.deepEqual(said, [...own, '77']);
    const rated = await send('five');
    assert.equal(rated.headers['ratelimit-policy'], `"default";q=5;w=60, ${own[0]}`);
    assert.match(rated.headers.ratelimit!, /^"default";r=4;t=[0-9]+, "idempotency-keys";r=0;t=77$/);
  });

  it('are 401, 400 of the version and 403 without being counted; 400 of the body is counted, and comes after 429 [general.order-headers]', async () => {
    const path = '/api/events';
    await ingress.call({ path, body: batch(), headers: as('nobody') });
    const version = await ingress.call({
      path,
      body: batch(),
      headers: as('five', { 'service-version': '2025-12-01' }),
    });
    assert.deepEqual([version.status, version.headers['ratelimit-policy']], [400, '"default";q=5;w=60']);
    const scope = await ingress.call({ path, body: batch(), headers: as('five-reader') });
    assert.deepEqual([scope.status, scope.headers['ratelimit-policy']], [403, '"default";q=5;w=60']);
    assert.equal((await redis.keys('rate:*')).length, 0);
    const wrong = [
      { path, body: '{', headers: as('five') },
      { path, body: batch(), headers: as('five', { 'content-type': 'text/plain' }) },
      { path, body: batch(), headers: as('five', { 'idempotency-key': 'a b' }) },
      { path, body: batch(), headers: as('five', { 'content-length': String(33 << 20) }) },
      { path, body: { events: 1 }, headers: as('five') },
    ];
    const statuses = [];
    for (const one of wrong) statuses.push((await ingress.call(one)).status);
    assert.deepEqual(statuses, [400, 415, 400, 413, 400]);
    for (const one of wrong) assert.equal((await ingress.call(one)).status, 429);
  });

  it('come although the body arrives before the turn, or the caller leaves while it waits', async () => {
    globalThis.process.kill(server.pid, 'SIGSTOP');
    const waiting: Promise<{ status: number }>[] = [];
    try {
      waiting.push(send(), get());
      const parts = [request({ path: '/api/events', body: batch(), headers: as('five') })];
      const whole = parts[0]!;
      waiting.push(ingress.raw([whole.subarray(0, -5), whole.subarray(-5)], { pause: 20 }).then(([one]) => one!));
      const { socket } = await ingress.connect();
      const { socket: half } = await ingress.connect();
      socket.write(whole);
      half.write(whole.subarray(0, -5));
      await until('all are in flight', async () => /in_flight 5\n/.test(await ingress.registry.metrics()));
      await sleep(100);
      socket.destroy();
      half.destroy();
      await until('they have left', async () => /in_flight 3\n/.test(await ingress.registry.metrics()));
    } finally {
      globalThis.process.kill(server.pid, 'SIGCONT');
    }
    const statuses = (await Promise.all(waiting)).map(({ status }) => status);
    assert.deepEqual(statuses, [200, 404, 200]);
    assert.equal(ingress.checks.length, 2, 'nothing is checked for who has left');
    await until('nothing is held', async () => /pending_bytes 0\n/.test(await ingress.registry.metrics()));
  });

  it('come in the middle of a body that is refused, and nothing of it is held', async () => {
    for (let i = 0; i < 5; i++) await send();
    await redis.flushall();
    // Used up by another process: this one has to ask Redis, and is refused while the body comes in.
    const elsewhere = apiKey(5, 'five');
    await createRateLimits(redis, { logger, registry: new Registry() }).take({ ...elsewhere, team: 'acme' });
    await redis.hset(keys.rate('acme', 'five'), 'missing', 300_000);
    await sleep(1100);
    const whole = request({ path: '/api/events', body: batch(), headers: as('five') });
    const [answer] = await ingress.raw([whole.subarray(0, -5), whole.subarray(-5)], { pause: 300 });
    assert.equal(answer?.status, 429);
    assert.match(await ingress.registry.metrics(), /pending_bytes 0\n/);
  });
});
