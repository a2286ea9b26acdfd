/** Idempotency-Keys and rates over two ingress processes: one result and one set of ids, whatever happens to whom. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { claimKey, hashedKey } from '#weir/ingress/dispatch/idempotency/claims';
import { createKey, hashKey } from '#weir/shared/configuration/api-keys';
import { newRequestId, partsOf } from '#weir/shared/ids';
import { keys } from '#weir/shared/streams/keys';
import { pluck } from '../support/pluck.ts';
import { until } from '../support/wait.ts';
import { CARD, configuration, KEY } from './configuration.ts';
import { type Answer, newRun, type System, startSystem } from './system.ts';

const SLOW = createKey();
const withRate = (rate: number): string =>
  configuration().replace(
    'keys:\n',
    `keys:\n- {id: slow, team: acme, sha256: ${hashKey(SLOW)}, environments: [prod], rate: {requests_per_minute: ${rate}}}\n`,
  );

/** A batch with an item of every fate, in a run of its own. */
function batchOf(run: string, stored: string) {
  return {
    environment_id: 'prod',
    run_id: run,
    external_session_id: `s ${run}`,
    events: [
      { type: 'message', role: 'user', event_id: 'a', content: CARD, metadata: { user: { tier: 'free' } } },
      { type: 'tool', output: 'hush hush' },
      { type: 'message', event_id: 'a' },
      { type: 'message', role: 'assistant', event_id: 'a', content: 'fine' },
      { type: 'message', event_id: 'a' },
      { type: 'message', event_id: 'x', run_id: stored },
      { type: 'tool', event_id: 'x', run_id: stored },
      { type: 'reasoning', event_id: 'nowhere' },
      { type: 'reasoning', event_id: 'other', run_id: `${run}-2`, external_session_id: '', content: 'ü' },
    ],
  };
}

describe('retries of a check, with two ingress processes', () => {
  let system: System;
  before(async () => {
    system = await startSystem({
      partitions: 4,
      ingresses: 2,
      separateArchiver: true,
      configuration: { text: withRate(5), file: 'test.yaml' },
      env: { WEIR_DEADLINE_MS: '1500' },
    });
  });
  after(() => system?.close());

  const signal = (name: 'SIGSTOP' | 'SIGCONT'): void => {
    for (const { pid } of system.stack.evaluators) process.kill(pid, name);
  };
  /** Does `work` while no evaluator runs. */
  async function stopped<T>(work: () => Promise<T>): Promise<T> {
    signal('SIGSTOP');
    return await work().finally(() => signal('SIGCONT'));
  }
  const post = (path: string, body: unknown, key: string, apiKey = KEY.acme): Promise<Answer> =>
    system.post(path, body, { key: apiKey, headers: { 'idempotency-key': key } });
  const entries = async (): Promise<number> => {
    const lengths = await Promise.all([0, 1, 2, 3].map((partition) => system.redis.xlen(keys.checks(partition))));
    return lengths.reduce((sum, length) => sum + length, 0);
  };
  /** What a caller does who gets no answer: the same again. */
  async function answered(path: string, body: unknown, key: string): Promise<Answer> {
    let answer!: Answer;
    await until('the check is answered', async () => {
      answer = await post(path, body, key).catch(() => answer);
      return answer?.status === 200;
    });
    return answer;
  }
  const rows = async (run: string): Promise<{ rows: number; ids: number }> => {
    await system.archived();
    const [found] = await system.sql(
      `SELECT count() AS rows, uniqExact(id) AS ids FROM items WHERE startsWith(run_id, '${run}')`,
    );
    return { rows: Number(found!.rows), ids: Number(found!.ids) };
  };
  const idsOf = ({ json }: Answer): string[] =>
    json.order.map(({ internal_event_id: id }: { internal_event_id: string }) => id);

  it('fifty at once get one result, and so does everybody after them', async () => {
    const run = newRun();
    const body = { environment_id: 'prod', run_id: run, events: [{ type: 'reasoning', content: CARD }] };
    const key = randomUUID();
    const answers = await Promise.all(Array.from({ length: 50 }, () => answered('/api/events', body, key)));
    assert.equal(new Set(answers.map(({ text }) => text)).size, 1);
    const later = await post('/api/events', body, key);
    assert.equal(later.text, answers[0]!.text);
    assert.equal(later.headers.get('idempotency-replayed'), 'true');
    assert.deepEqual(await rows(run), { rows: 1, ids: 1 });
    const other = await post('/api/events', { ...body, run_id: newRun() }, key);
    assert.deepEqual([other.status, other.json.error.code], [409, 'idempotency_mismatch']);
    const event = { environment_id: 'prod', run_id: run, event: body.events[0] };
    assert.equal((await post('/api/event', event, key)).status, 409);
    const narrow = { ...body, environment_id: 'staging' };
    assert.equal((await post('/api/events', narrow, key, KEY.narrow)).status, 200, 'keys are of an API key');
  });

  it('gets the same bytes when the result is archived and gone from Redis', async () => {
    const stored = newRun('stored');
    const run = newRun();
    const external = randomUUID();
    const first = { type: 'message', role: 'user', event_id: 'x', content: 'fine' };
    await answered('/api/events', { environment_id: 'prod', run_id: stored, events: [first] }, randomUUID());
    const checks: [path: string, body: unknown][] = [
      ['/api/events', batchOf(run, stored)],
      ['/api/event', { environment_id: 'prod', event: { type: 'agent', state: { a: CARD } }, run_id: run }],
      ['/api/event', { environment_id: 'prod', event: first, run_id: run }],
      ['/api/event', { environment_id: 'prod', event: { type: 'message', event_id: 'x' }, run_id: stored }],
      ['/api/events', { environment_id: 'prod', run_id: stored, events: [{ type: 'message', event_id: 'x' }] }],
      ['/api/session/check', { external_session_id: external, messages: [{ role: 'user', content: CARD }] }],
    ];
    const done: [path: string, body: unknown, key: string, text: string][] = [];
    for (const [path, body] of checks) {
      const key = randomUUID();
      done.push([path, body, key, (await answered(path, body, key)).text]);
    }
    const batch = JSON.parse(done[0]![3]);
    assert.deepEqual(pluck(batch.order, 'status'), [
      'completed',
      'completed',
      'referenced',
      'completed',
      'referenced',
      'referenced',
      'not_found',
      'not_found',
      'completed',
    ]);
    // A later result of the event that was referred to must not change what was answered before.
    const later = { ...first, content: CARD };
    const last = await answered(
      '/api/events',
      { environment_id: 'prod', run_id: stored, events: [later] },
      randomUUID(),
    );
    await system.archived();
    for (const text of [...done.map(([, , , text]) => text), last.text]) {
      const id = /"internal_(?:event|session)_id":"([^"]+)"/.exec(text)![1]!;
      await system.cold(id);
    }
    for (const [path, body, key, text] of done) {
      const again = await post(path, body, key);
      assert.equal(again.status, 200, again.text);
      assert.equal(again.text, text, path);
      assert.equal(again.headers.get('idempotency-replayed'), 'true');
    }
    assert.deepEqual(await rows(run), { rows: 6, ids: 6 });
  });

  it('finds its check after a 504, under way and done, with the ids that were told', async () => {
    const run = newRun();
    const key = randomUUID();
    const body = { environment_id: 'prod', run_id: run, events: [{ type: 'reasoning', event_id: 'a', content: CARD }] };
    const late = await stopped(async () => [
      await post('/api/events', body, key),
      await post('/api/events', body, key),
    ]);
    const said = late.map(({ status, headers }) => [status, headers.get('idempotency-replayed')]);
    assert.deepEqual(said, [
      [504, null],
      [504, 'true'],
    ]);
    const told = late.map(({ json }) => json.error.items[0].internal_event_id);
    const done = await answered('/api/events', body, key);
    assert.deepEqual([...told, ...idsOf(done)], [told[0], told[0], told[0]]);
    assert.deepEqual(await rows(run), { rows: 1, ids: 1 });
  });

  it('survives the process that began it being killed before its answer', async () => {
    const run = newRun();
    const key = randomUUID();
    const body = { environment_id: 'prod', run_id: run, events: [{ type: 'reasoning', content: CARD }] };
    await stopped(async () => {
      const began = await Promise.all(system.stack.ingresses.map(({ ready }) => pending(ready.metricsPort)));
      assert.deepEqual(began, [0, 0]);
      const before = await entries();
      const lost = post('/api/events', body, key).catch(() => undefined);
      let holder = -1;
      await until('a process has it', async () => {
        const now = await Promise.all(system.stack.ingresses.map(({ ready }) => pending(ready.metricsPort)));
        holder = now.indexOf(1);
        return holder >= 0;
      });
      // Before that a retry would be told to come again: see the next test.
      await until('its entry is there', async () => (await entries()) > before);
      const part = system.stack.ingresses[holder]!;
      await part.kill('SIGKILL');
      await lost;
      const other = post('/api/events', body, key);
      signal('SIGCONT');
      const first = await other;
      assert.ok(first.status === 200 || first.status === 504, first.text);
      assert.equal(first.headers.get('idempotency-replayed'), 'true');
      await part.restart();
    });
    const done = await answered('/api/events', body, key);
    assert.equal(done.json.flagged, true);
    assert.deepEqual(await rows(run), { rows: 1, ids: 1 });
  });

  it('begins a check whose process was killed between claim and entry, under the id that was claimed', async () => {
    const run = newRun();
    const key = randomUUID();
    const body = { environment_id: 'prod', run_id: run, events: [{ type: 'reasoning', content: CARD }] };
    // What such a process leaves behind; the fingerprint is taken from a claim of the same request.
    const model = randomUUID();
    await answered('/api/events', body, model);
    const held = await system.redis.hgetall(keys.claim('acme', 'acme', hashedKey('acme', 'acme', model).name));
    const requestId = newRequestId(2);
    const abandoned = { requestId, fingerprint: held.fingerprint!, config: Number(held.config), contextDepth: 0 };
    await claimKey(system.redis, hashedKey('acme', 'acme', key), { ...abandoned, owner: 'dead' });
    const early = await post('/api/events', body, key);
    assert.deepEqual([early.status, early.json.error?.code], [409, 'idempotency_in_progress']);
    assert.ok(Number(early.headers.get('retry-after')) >= 1);
    const done = await answered('/api/events', body, key);
    assert.equal(partsOf(idsOf(done)[0]!)!.requestId, requestId);
    assert.deepEqual(await rows(run), { rows: 2, ids: 2 }, 'one of the model, one of the retry');
  });

  it('is evaluated under its old ids when Redis has lost its work entry', async () => {
    const run = newRun();
    const key = randomUUID();
    const body = { environment_id: 'prod', run_id: run, events: [{ type: 'reasoning', content: CARD }] };
    const told = await stopped(async () => {
      const late = await post('/api/events', body, key);
      assert.equal(late.status, 504, late.text);
      const id: string = late.json.error.items[0].internal_event_id;
      const { partition, requestId } = partsOf(id)!;
      await system.redis.del(keys.checks(partition), keys.entry(partition, requestId));
      return id;
    });
    const done = await answered('/api/events', body, key);
    assert.deepEqual(idsOf(done), [told]);
    assert.deepEqual(await rows(run), { rows: 1, ids: 1 });
  });

  it('a rate is counted over both processes, and changes with the configuration', async () => {
    const events = [{ type: 'reasoning', content: 'fine' }];
    const send = (): Promise<Answer> =>
      system.post('/api/events', { environment_id: 'prod', run_id: newRun(), events }, { key: SLOW });
    const answers = await Promise.all(Array.from({ length: 40 }, send));
    const passed = answers.filter(({ status }) => status !== 429);
    assert.ok(passed.length === 5 || passed.length === 6, `${passed.length} passed; one more comes every 12 s`);
    for (const { headers } of answers) assert.equal(headers.get('ratelimit-policy'), '"default";q=5;w=60');
    const refused = answers.find(({ status }) => status === 429)!;
    assert.ok(Number(refused.headers.get('retry-after')) >= 1);
    assert.match(refused.headers.get('ratelimit')!, /^"default";r=0;t=\d+$/);
    await system.apply(withRate(1000));
    await until('the new rate is in force', async () =>
      (await send()).headers.get('ratelimit-policy')!.includes('q=1000'),
    );
    const more = await Promise.all(Array.from({ length: 20 }, send));
    // The other process may hear of the new configuration half a second later.
    assert.ok(more.some(({ status }) => status !== 429));
  });
});

async function pending(metricsPort: number): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${metricsPort}/metrics`);
  return Number(/^weir_pending_requests(?:\{[^}]*\})? (\d+)/m.exec(await response.text())?.[1]);
}
