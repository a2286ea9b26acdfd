/** Other ways to a session check: `POST /api/session`, and the guardrail of an LLM gateway (decisions, Adapters). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CARD, KEY } from '../../../e2e/configuration.ts';
import { type Answer, newRun, type System } from '../../../e2e/system.ts';

const GUARDRAIL = '/beta/litellm_basic_guardrail_api';

export function guardrail(system: () => System): void {
  describe('session checks by other ways', { concurrency: 8 }, () => {
    it('are answered by POST /api/session with the envelope that the look-up gives [4.3.post] [session.post]', async () => {
      const external = newRun('session');
      const body = { external_session_id: external, messages: [{ role: 'user', content: CARD }] };
      const posted = await system().post('/api/session', body);
      assert.equal(posted.status, 200, posted.text);
      assert.equal(posted.json.session.flagged, true);
      assert.deepEqual(posted.json.artifacts, []);
      const byId = await system().get(`/api/session/${posted.json.session.internal_session_id}`);
      assert.deepEqual(byId.json, posted.json);
      const found = await system().get(`/api/session?external_session_id=${external}`);
      assert.deepEqual(found.json, posted.json);
    });

    it('are made of every text that a gateway sends, and stored with its ids [adapter.litellm] [adapter.litellm-key] [adapter.litellm-texts] [adapter.litellm-calls]', async () => {
      const call = newRun('call');
      const ask = (body: Record<string, unknown>, key = KEY.acme): Promise<Answer> =>
        system().post(GUARDRAIL, body, { headers: { authorization: '', 'x-api-key': key } });
      const blocked = await ask({
        texts: [`pay with ${CARD}`, 'write to a@example.org', 'nothing here'],
        input_type: 'request',
        litellm_call_id: call,
        litellm_trace_id: 'trace',
      });
      assert.equal(blocked.status, 200, blocked.text);
      assert.deepEqual(blocked.json, { action: 'BLOCKED', blocked_reason: 'The content violates: Cards.' });
      const output = await ask({ texts: ['write to a@example.org'], input_type: 'response' });
      assert.deepEqual(output.json, { action: 'BLOCKED', blocked_reason: 'The content violates: Mail in answers.' });
      const clean = await ask({ texts: ['write to a@example.org'], input_type: 'request' });
      assert.deepEqual(clean.json, { action: 'NONE' });
      const calls = [{ id: 'c', function: { name: 'pay', arguments: JSON.stringify({ card: CARD }) } }];
      const called = await ask({ texts: [], tool_calls: calls, input_type: 'response' });
      assert.deepEqual(called.json, { action: 'BLOCKED', blocked_reason: 'The content violates: Cards.' });
      const none = await ask({ texts: ['x'] }, KEY.narrow);
      assert.equal(none.status, 400, none.text);
      await system().archived();
      const rows = await system().sql(
        `SELECT kind, scope, role, flagged, content, metadata, external_session_id FROM results
         JOIN contents USING (team, scope, ts, id) WHERE position(metadata, '${call}') > 0`,
      );
      assert.deepEqual(rows, [
        {
          kind: 'session',
          scope: 'chat',
          role: 'user',
          flagged: true,
          content: `pay with ${CARD}\nwrite to a@example.org\nnothing here`,
          metadata: JSON.stringify({ session: { litellm_call_id: call, litellm_trace_id: 'trace' } }),
          external_session_id: 'trace',
        },
      ]);
    });
  });
}
