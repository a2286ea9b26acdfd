/** Session checks that join the session of an earlier one (decisions, Adapters). */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import type { ItemAnswer } from '#weir/ingress/lookups/types';
import { NAMELESS_SESSION, sessionConversationOf } from '#weir/shared/api/conversation';
import { assertError, sharedIngress, storedItem } from './support.ts';

const EARLIER = '01a1fdb6-e315-7ea2-adac-06dcdc390001';
const MESSAGES = '"messages":[{"role":"user","content":"é"}],"metadata":{"n":12345678901234567890}';

describe('a check with the internal id of an earlier one', () => {
  const ingress = sharedIngress();
  const post = (body: string, path = '/api/session/check', more: Record<string, string | undefined> = {}) =>
    ingress.call({ path, headers: { 'service-version': '2026-06-01', ...more }, body });
  const earlier = (externalSessionId: string): ItemAnswer => ({
    status: 'found',
    item: storedItem({ id: EARLIER, kind: 'session', scope: 'chat', externalSessionId }),
  });

  it('has its id of the caller, in the partition and the context of that; all else is as it was sent [session.joins]', async () => {
    const joins = `"internal_session_id":"${EARLIER.toUpperCase()}"`;
    for (const [found, body, name, handedOn] of [
      [
        earlier('chat "é"'),
        `{${joins},${MESSAGES}}`,
        'chat "é"',
        `{"external_session_id":"chat \\"é\\"",${joins},${MESSAGES}}`,
      ],
      [
        earlier('e'),
        ` {${MESSAGES}, "external_session_id" : null,${joins}}`,
        'e',
        ` {${MESSAGES}, "external_session_id" : "e",${joins}}`,
      ],
      [earlier('e'), `{"external_session_id":"e",${joins},${MESSAGES}}`, 'e', undefined],
      [earlier(''), `{${joins},${MESSAGES}}`, EARLIER, `{"external_session_id":"${EARLIER}",${joins},${MESSAGES}}`],
      [
        { status: 'pending', session: 'e' },
        `{${joins},${MESSAGES}}`,
        'e',
        `{"external_session_id":"e",${joins},${MESSAGES}}`,
      ],
    ] as [ItemAnswer, string, string, string | undefined][]) {
      ingress.found = found;
      for (const path of ['/api/session/check', '/api/session', '/api/protect/check']) {
        for (const key of [{}, { 'idempotency-key': randomUUID() }]) {
          const { status } = await post(body, path, key);
          assert.equal(status, 200);
          const check = ingress.checks.at(-1)!;
          assert.equal(check.body.toString(), handedOn ?? body);
          assert.equal(check.affinity, name);
          assert.deepEqual(check.conversations, [sessionConversationOf(name)]);
          assert.equal(check.retry?.key !== undefined, 'idempotency-key' in key);
        }
      }
      assert.deepEqual(ingress.lookups.at(-1), ['byId', 'session', 'acme', 'chat', EARLIER]);
    }
  });

  it('is refused where there is none, where that is not known yet, or where it has another id; nothing is checked then [session.joins]', async () => {
    const before = ingress.checks.length;
    const body = (more = '') => `{"internal_session_id":"${EARLIER}",${more}${MESSAGES}}`;
    for (const [found, sent, status, code, path] of [
      [{ status: 'absent' }, body(), 404, 'not_found', undefined],
      [{ status: 'unavailable' }, body(), 503, 'unavailable', undefined],
      [{ status: 'pending' }, body(), 409, 'result_not_ready', undefined],
      [earlier('e'), body('"external_session_id":"f",'), 400, 'validation_failed', 'external_session_id'],
      [earlier(''), body('"external_session_id":"f",'), 400, 'validation_failed', 'external_session_id'],
    ] as [ItemAnswer, string, number, string, string | undefined][]) {
      ingress.found = found;
      const answer = await post(sent);
      assertError(answer, { status, code });
      if (path) assert.equal(answer.error.param, path);
    }
    ingress.found = earlier('e');
    const alias = await post(body('"external_id":"f",'), '/api/protect/check');
    assert.equal(alias.error.param, 'external_id');
    assert.equal(ingress.checks.length, before);
  });

  it('asks for nothing without one, and may be joined itself [session.joins]', async () => {
    const asked = ingress.lookups.length;
    await post(`{${MESSAGES}}`, '/api/session/check', { 'idempotency-key': randomUUID() });
    assert.equal(ingress.lookups.length, asked);
    assert.deepEqual(ingress.checks.at(-1)!.conversations, [NAMELESS_SESSION]);
  });
});
