/** Metrics of the processes (decisions, General): where they are, and whom they must not name. Metrics of checks: which, and when. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { it } from 'node:test';
import { readStatus } from '#weir/shared/operation/state';
import { KEY } from '../../e2e/configuration.ts';
import { newRun, type System } from '../../e2e/system.ts';
import { until } from '../../support/wait.ts';

export function metrics(system: () => System): void {
  it('metrics are on ports of their own, on loopback, and name no team, key, user or id of a caller [general.metrics] [general.metrics-labels]', async () => {
    const s = system();
    const [run, user, external, event] = [newRun(), `user-${randomUUID()}`, randomUUID(), `e-${randomUUID()}`];
    const metadata = { user: { id: user, email: `${user}@example.org` } };
    await s.events([{ type: 'message', role: 'user', event_id: event, content: user, metadata }], { run_id: run });
    await s.session({ external_session_id: external, messages: [{ role: 'user', content: user, metadata }] });
    for (const key of [KEY.acme, KEY.narrow, KEY.globex, 'wk_unknown']) {
      await s.get(`/api/event?environment_id=${run}&run_id=${run}&event_id=${event}`, { key });
      await s.get(`/api/session?deployment_id=${run}&external_session_id=${external}`, { key });
    }
    assert.equal((await fetch(`${s.stack.url}/metrics`)).status, 404, 'not where callers are');

    const parts = [...s.stack.ingresses, ...s.stack.evaluators];
    for (const part of parts) {
      const port = part.ready.metricsPort;
      assert.notEqual(port, Number(new URL(s.stack.url).port));
      const response = await fetch(`http://127.0.0.1:${port}/metrics`);
      assert.equal(response.status, 200);
      const text = await response.text();
      assert.match(text, /^weir_/m);
      await assert.rejects(
        fetch(`http://127.0.0.2:${port}/metrics`, { signal: AbortSignal.timeout(5000) }),
        'loopback',
      );
      for (const secret of [run, user, external, event, 'acme', 'globex', 'narrow', 'spare', 'example.org', 'wk_']) {
        assert.equal(text.includes(secret), false, `${part.name} says ${secret}`);
      }
      const labels = new Set([...text.matchAll(/[{,]([a-z_]+)="/g)].map((match) => match[1]!));
      for (const label of labels) assert.doesNotMatch(label, /team|key|user|run|session|event|email/, part.name);
    }
  });

  const rowsOf = async (id: string): Promise<[name: unknown, kind: unknown, value: unknown, label: unknown][]> => {
    const columns = 'metric_name, kind, value, label, note, team, scope, run_id';
    const rows = await system().sql(
      `SELECT ${columns} FROM weir.metrics FINAL WHERE id = '${id}' ORDER BY metric_name`,
    );
    return rows.map(({ metric_name, kind, value, label }) => [metric_name, kind, value, label]);
  };
  const TOKENS = (count: number) => ['Tokens of metrics', 'tokens', count, null];

  it('metrics of a check are computed after its answer: those of the conditions that match an event, none where none does [1.3.background] [1.6.condition-metrics] [6.2.metrics] [6.3.no-condition-metrics] [config.metrics]', async () => {
    const s = system();
    const check = async (environment: string, metadata: Record<string, unknown>): Promise<string> => {
      const event = { type: 'message', role: 'user', content: 'Hello world', metadata };
      const answer = await s.post('/api/event', { environment_id: environment, event });
      assert.equal(answer.status, 200, answer.text);
      return answer.json.event.internal_event_id;
    };
    const none = await check('staging', {});
    const paying = await check('prod', { user: { tier: 'pro' } });
    const free = await check('prod', { user: { tier: 'free' } });
    const unlisted = await check('support', {});
    const tier = ['Tier of metrics', 'expression', 1, 'free'];
    await until('metrics of one event', async () => (await rowsOf(free)).length > 0);
    assert.deepEqual(await rowsOf(free), [tier, TOKENS(2)]);
    await until('metrics of another', async () => (await rowsOf(paying)).length > 0);
    assert.deepEqual(await rowsOf(paying), [TOKENS(2)]);
    // Nothing is left to be computed.
    const measured = async (): Promise<boolean> =>
      (await readStatus(s.redis, { maxMemoryPercent: 100, maxAgeMs: 1, redisReplicas: 0e9 })).partitions.every(
        (p) => p.unmeasured === 0,
      );
    await until('all metrics', measured);
    assert.deepEqual(await rowsOf(none), []);
    assert.deepEqual(await rowsOf(unlisted), []);
  });

  it('metrics of a session check are those of its deployment, and join its result by id [4.1.5]', async () => {
    const s = system();
    const messages = [
      { role: 'user', content: 'many other words before it' },
      { role: 'assistant', content: [{ type: 'text', text: 'Hello world' }] },
    ];
    const { json } = await s.session({ messages });
    const id: string = json.internal_session_id;
    await until('its metrics', async () => (await rowsOf(id)).length > 0);
    assert.deepEqual(await rowsOf(id), [TOKENS(2)]);
    await s.archived();
    const joined = await s.sql(
      `SELECT r.role AS role, m.value AS value FROM weir.results AS r INNER JOIN weir.metrics AS m FINAL ON m.id = r.id WHERE r.id = '${id}'`,
    );
    assert.deepEqual(joined, [{ role: 'assistant', value: 2 }]);
  });
}
