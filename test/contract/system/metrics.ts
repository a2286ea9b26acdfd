/** Metrics of the processes (decisions, General): where they are, and whom they must not name. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { it } from 'node:test';
import { KEY } from '../../e2e/configuration.ts';
import { newRun, type System } from '../../e2e/system.ts';

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
}
