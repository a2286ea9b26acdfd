/** Budgets of backends, over several workers, with a real Redis and a model on loopback. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { BackendBudget, BackendConfiguration } from '#weir/shared/configuration/backend';
import { connectCommands } from '#weir/shared/streams/client';
import { keys } from '#weir/shared/streams/keys';
import { Registry } from '#weir/shared/telemetry';
import type { Backends } from '#weir/workers/backends/backends';
import { createBudgets } from '#weir/workers/backends/budget';
import {
  answer,
  guardAt,
  judge,
  type Respond,
  sharedModel,
  testBackends,
} from '../../support/models/language-model.ts';
import { sharedRedis } from '../../support/stores/redis.ts';
import { until } from '../../support/wait.ts';

const { redis, server } = await sharedRedis();
const never = new AbortController().signal;

const model = await sharedModel();
let registry: Registry;
const opened: Backends[] = [];
beforeEach(() => {
  registry = new Registry();
});
afterEach(() => {
  for (const backends of opened.splice(0)) backends.close();
});

/** What asks in another worker: nothing is known there of what others have used. */
function worker(to = redis, own = new Registry()): Backends {
  const backends = testBackends(own, createBudgets(to, own));
  opened.push(backends);
  return backends;
}

async function ask(
  by: Backends,
  budget: Partial<BackendBudget>,
  more: Partial<BackendConfiguration> = {},
): Promise<string> {
  const limits = { requests_per_minute: null, tokens_per_day: null, ...budget };
  const backend = guardAt(model.url, { ...more, budget: limits });
  const criteria = { flagged_content: 'x', allowed_content: 'b', examples: [] };
  const of = [{ detector: 0, policy: 'p', backend, criteria }];
  const { failures } = await by.ask({ text: 'x', of }, { until: performance.now() + 60_000, signal: never });
  return failures.get('guard') ?? 'answered';
}

/** An answer that says how many tokens it took. */
const costing =
  (total: unknown): Respond =>
  (response) => {
    const content = JSON.stringify({ results: [{ policy: 'p', flagged: false, score: 0.1 }] });
    response.end(JSON.stringify({ choices: [{ message: { content } }], usage: { total_tokens: total } }));
  };
/** Tokens of the day that are used, to the nearest: some come in while the test runs. */
async function used(): Promise<number> {
  return Math.ceil(Number(await redis.hget(keys.budget('t', 'guard', 'day'), 'missing')) / 86_400_000);
}

describe('calls a minute', () => {
  it('are of all workers together, and of one backend of one team', async () => {
    const [one, other] = [worker(redis, registry), worker()];
    const budget = { requests_per_minute: 2 };
    assert.equal(await ask(one, budget), 'answered');
    assert.equal(await ask(other, budget), 'answered');
    for (let i = 0; i < 2; i++) assert.equal(await ask(one, budget), 'over_budget');
    assert.equal(await ask(other, budget), 'over_budget');
    assert.equal(model.asked.length, 2, 'nothing is sent beyond it');
    assert.equal(await ask(one, budget, { team: 'u' }), 'answered');
    assert.match(await registry.metrics(), /^weir_backend_questions_total\{outcome="over_budget"\} 2$/m);
  });

  it('come in again', async () => {
    const budget = { requests_per_minute: 1 };
    assert.equal(await ask(worker(), budget), 'answered');
    await redis.hincrby(keys.budget('t', 'guard', 'minute'), 'at', -60_000);
    assert.equal(await ask(worker(), budget), 'answered');
    // One worker finds it empty, and takes the next one by itself.
    const quick = { requests_per_minute: 600 };
    await redis.hset(keys.budget('t', 'guard', 'minute'), { missing: 600 * 60_000, rate: '600' });
    const same = worker();
    await until('a call is let through', async () => (await ask(same, quick)) === 'answered');
  });

  it('count a call that is made again, which is not made where none is left', async () => {
    model.respond = answer(500);
    assert.equal(await ask(worker(), { requests_per_minute: 1 }), 'server_error');
    assert.equal(model.asked.length, 1);
  });
});

describe('tokens a day', () => {
  it('are those that answers say, and what is over is owed', async () => {
    model.respond = costing(700);
    const by = worker();
    const budget = { tokens_per_day: 1000, requests_per_minute: 100 };
    for (const outcome of ['answered', 'answered', 'over_budget']) assert.equal(await ask(by, budget), outcome);
    assert.equal(await used(), 1400);
    const day = keys.budget('t', 'guard', 'day');
    const left = await redis.pttl(day);
    assert.ok(left > 1.3 * 86_400_000 && left <= 1.4 * 86_400_000 + 1000, `${left} ms`);
    await redis.hincrby(day, 'at', -0.45 * 86_400_000);
    assert.equal(await ask(worker(), budget), 'answered', 'it has come in');
  });

  it('are estimated where an answer does not say them, or does not come', async () => {
    const budget = { tokens_per_day: 1000 };
    const spent = async (respond: Respond, more = {}): Promise<number> => {
      await redis.flushall();
      model.respond = respond;
      await ask(worker(), budget, more);
      await until('it is counted', async () => (await used()) > 1);
      return used();
    };
    const estimate = await spent(judge);
    assert.ok(estimate > 200 && estimate < 1000, `${estimate} tokens`);
    for (const total of ['many', -5, 1e300]) assert.equal(await spent(costing(total)), estimate);
    assert.equal(await spent(() => undefined, { timeout_ms: 20 }), estimate);
  });

  it('are as many as a large account has', async () => {
    model.respond = costing(1_000_000_000);
    const by = worker();
    const budget = { tokens_per_day: 1_000_000_000_000 };
    for (let i = 0; i < 3; i++) assert.equal(await ask(by, budget), 'answered');
    const missing = Number(await redis.hget(keys.budget('t', 'guard', 'day'), 'missing'));
    assert.ok(missing > 2e9 * 86_400_000 && missing <= 3e9 * 86_400_000, `${missing}`);
  });
});

describe('a call that is not made', () => {
  it('takes nothing of one limit because of the other', async () => {
    const budget = { requests_per_minute: 3, tokens_per_day: 1000 };
    const day = keys.budget('t', 'guard', 'day');
    await redis.hset(day, { missing: 1000 * 86_400_000, at: Date.now(), rate: '1000' });
    for (let i = 0; i < 3; i++) assert.equal(await ask(worker(), budget), 'over_budget');
    await redis.del(day);
    for (let i = 0; i < 3; i++) assert.equal(await ask(worker(), budget), 'answered');
    const before = await used();
    assert.equal(await ask(worker(), budget), 'over_budget');
    assert.equal(await used(), before);
  });

  it('takes nothing where the breaker keeps it back', async () => {
    model.respond = answer(500);
    const by = worker();
    const calls = Array.from({ length: 7 }, () => ask(by, { tokens_per_day: 1000 }, { concurrency: 1 }));
    const outcomes = await Promise.all(calls);
    assert.ok(outcomes.includes('breaker_open'), outcomes.join());
    assert.equal(await used(), model.asked.length);
  });
});

describe('Redis', () => {
  it('that cannot be asked lets a call be made uncounted', async () => {
    const away = connectCommands({ redisUrl: server.url }, 'away');
    assert.equal(await ask(worker(away, registry), { requests_per_minute: 1, tokens_per_day: 1 }), 'answered');
    assert.match(await registry.metrics(), /^weir_backend_uncounted_total 1$/m);
    away.disconnect();
  });

  it('that answers late lets it be made, and has counted it and what it cost once', async () => {
    const slow = connectCommands({ redisUrl: server.url }, 'slow');
    await slow.connect();
    const by = worker(slow, registry);
    const budget = { tokens_per_day: 10_000 };
    model.respond = async (...call) => {
      await redis.client('PAUSE', 60_000, 'WRITE');
      costing(700)(...call);
    };
    try {
      for (let i = 0; i < 2; i++) assert.equal(await ask(by, budget), 'answered');
    } finally {
      await redis.client('UNPAUSE');
    }
    await slow.ping();
    assert.equal(await used(), 1400);
    assert.match(await registry.metrics(), /^weir_backend_uncounted_total 0$/m);
    slow.disconnect();
  });
});
