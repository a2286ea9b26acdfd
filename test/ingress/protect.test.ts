import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Answer, assertError, POLICY, record, recordItem, sharedIngress } from './support.ts';

const PATH = '/api/protect/check';
const MESSAGES = [{ role: 'user', content: 'x' }];

describe('a check with the answer of the protect view', () => {
  const ingress = sharedIngress();
  const ask = (body: unknown, version = '2025-12-01'): Promise<Answer> =>
    ingress.call({ path: PATH, headers: { 'service-version': version }, body });
  const sent = (): string => ingress.checks.at(-1)!.body.toString();
  function verdict(flagged: boolean, note = ''): void {
    ingress.outcome = async () => {
      const item = recordItem(1, { type: 'session', flagged, note, externalSessionId: 'e' });
      const result = { flagged, name: 'Hate', flagged_source: flagged ? ['text'] : [] };
      return {
        status: 'done',
        record: record({ kind: 'session', items: [item], fragments: [JSON.stringify({ [POLICY]: result })] }),
      };
    };
  }

  it('answers one item of the view, with names where they are asked for [protect.check]', async () => {
    verdict(true);
    for (const version of ['2025-12-01', '2026-04-15', '2026-06-01']) {
      for (const names of [undefined, null, false, 'false', 'False', true, 'true', 'True']) {
        const { status, json } = await ask(
          { messages: MESSAGES, external_id: 'e', include_policy_names: names },
          version,
        );
        assert.equal(status, 200);
        const named = String(names).toLowerCase() === 'true' ? { name: 'Hate' } : {};
        assert.match(json.internal_id, /^[0-9a-f-]{36}$/);
        assert.deepEqual(
          { ...json, internal_id: '' },
          {
            external_id: 'e',
            internal_id: '',
            violation: true,
            violations: { [POLICY]: { violation: true, ...named, violation_source: ['text'] } },
          },
        );
      }
    }
  });

  it('is a session check of the chat, and all else goes on as it was written [protect.check]', async () => {
    verdict(false);
    const rest = '"metadata":{"n":12345678901234567890,"e":1e0}';
    for (const [body, handedOn] of [
      [`{"external_id":"e","messages":[],${rest}}`, undefined],
      [
        `{"messages":[{"role":"user","content":"x"}],"external_id":"é",${rest}}`,
        `{"external_session_id":"é","messages":[{"role":"user","content":"x"}],"external_id":"é",${rest}}`,
      ],
      [
        ` {"external_session_id": null, "messages":[{"role":"user","content":"x"}],"external_id":"e"}`,
        ` {"external_session_id": "e", "messages":[{"role":"user","content":"x"}],"external_id":"e"}`,
      ],
      [
        `{"external_session_id":"e","messages":[{"role":"user","content":"x"}],"external_id":"e"}`,
        `{"external_session_id":"e","messages":[{"role":"user","content":"x"}],"external_id":"e"}`,
      ],
      [
        `{"messages":[{"role":"user","content":"x"}],"external_id":null}`,
        `{"messages":[{"role":"user","content":"x"}],"external_id":null}`,
      ],
    ] as const) {
      const { status } = await ask(body);
      assert.equal(status, handedOn === undefined ? 400 : 200, body);
      if (handedOn !== undefined) assert.equal(sent(), handedOn);
    }
    await ask({ messages: MESSAGES, external_id: 'talk' });
    const { kind, scope, affinity, conversations } = ingress.checks.at(-1)!;
    assert.deepEqual([kind, scope, affinity, conversations.length], ['session', 'chat', 'talk', 1]);
  });

  it('says what was not looked at', async () => {
    verdict(false, '1 policy could not be evaluated');
    assert.equal((await ask({ messages: MESSAGES })).json.note, '1 policy could not be evaluated');
  });

  it('refuses two ids that differ, and names the field that was sent [protect.check]', async () => {
    for (const [body, param, code] of [
      [{ messages: MESSAGES, external_id: 'a', external_session_id: 'b' }, 'external_id', 'conflict'],
      [{ messages: MESSAGES, external_id: 'x'.repeat(257) }, 'external_id', 'too_long'],
      [{ messages: MESSAGES, external_session_id: 'x'.repeat(257) }, 'external_session_id', 'too_long'],
      [{ messages: MESSAGES, external_id: 5 }, 'external_id', 'type'],
      [{ messages: MESSAGES, include_policy_names: 'yes' }, 'include_policy_names', 'type'],
      [{ messages: MESSAGES, include_policy_names: 1 }, 'include_policy_names', 'type'],
      [{ external_id: 'a' }, 'messages', 'required'],
      [[], 'messages', undefined],
    ] as const) {
      const answer = await ask(body);
      assertError(answer, { status: 400, code: 'validation_failed' });
      assert.deepEqual(
        [answer.error.param, answer.error.issues?.[0]?.code],
        [param, code ?? answer.error.issues?.[0]?.code],
        JSON.stringify(body).slice(0, 60),
      );
    }
  });

  it('says where to look where it takes too long', async () => {
    ingress.outcome = async () => ({ status: 'timeout', id: '01890000-0000-7000-8000-000000000000' });
    const late = await ask({ messages: MESSAGES });
    assertError(late, { status: 504, code: 'evaluation_timeout' });
    assert.match(late.error.result!.result_url, /^\/api\/session\//);
  });
});
