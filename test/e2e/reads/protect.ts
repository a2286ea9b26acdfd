/** Session checks as the protect view shows them (2.9, 4.10). */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { markAwaited } from '#weir/ingress/lookups/hot/awaited';
import { itemId, newRequestId } from '#weir/shared/ids';
import { keys } from '#weir/shared/streams/keys';
import { pluck } from '../../support/pluck.ts';
import { until } from '../../support/wait.ts';
import { CARD, KEY, POLICY } from '../configuration.ts';
import type { System } from '../system.ts';

const path = (query: string): string => `/api/protect/get_by_id?${query}`;

export function protect(system: () => System): void {
  describe('protect', { concurrency: 8 }, () => {
    const say = async (external: string | undefined, content: string, deployment = 'chat'): Promise<string> => {
      const messages = [{ role: 'user', content }];
      const body = { deployment_id: deployment, messages, ...(external ? { external_session_id: external } : {}) };
      return (await system().session(body)).json.internal_session_id;
    };

    it('shows the checks of an external id, newest first, hot, archived and both [4.10.external] [4.10.internal] [4.10.answer] [4.10.include_policy_names] [2.9.external_id] [2.9.internal_id] [2.9.violation] [2.9.violations] [2.9.name] [2.9.violation_source] [protect.list] [protect.view]', async () => {
      const s = system();
      const external = `chat ${randomUUID()} & "é" 🦊`;
      const query = `deployment_id=chat&external_id=${encodeURIComponent(external)}`;
      const first = await say(external, `card ${CARD}`);
      await s.cold(first);
      const second = await say(external, 'fine');
      await say(external, CARD, 'support');
      const shown = async () => (await s.get(path(query))).json.list;
      const mixed = await shown();
      assert.ok(await s.isHot(second), 'the result was still in Redis');
      assert.deepEqual(pluck(mixed, 'internal_id'), [second, first]);
      assert.deepEqual(mixed[1], {
        external_id: external,
        internal_id: first,
        violation: true,
        violations: {
          [POLICY.cheap]: { violation: false, violation_source: [] },
          [POLICY.card]: { violation: true, violation_source: ['text'] },
          [POLICY.sesame]: { violation: false, violation_source: [] },
        },
      });
      assert.equal(mixed[0].violation, false);
      await s.cold(second);
      assert.deepEqual(await shown(), mixed);
      const byId = await s.get(path(`deployment_id=chat&internal_id=${first.toUpperCase()}`));
      assert.deepEqual(byId.json, { list: [mixed[1]] });
      const named = await s.get(path(`${query}&include_policy_names=true`));
      assert.deepEqual(named.json.list[1].violations[POLICY.card], {
        violation: true,
        name: 'Cards',
        violation_source: ['text'],
      });
      assert.deepEqual((await s.get(path(`${query}&include_policy_names=false`))).json.list, mixed);
    });

    it('has no external id where none was sent', async () => {
      const s = system();
      const id = await say(undefined, 'fine');
      const { json } = await s.get(path(`deployment_id=chat&internal_id=${id}`));
      assert.equal('external_id' in json.list[0], false);
    });

    it('shows the newest hundred [protect.list]', async () => {
      const s = system();
      const external = randomUUID();
      const made: string[] = [];
      for (let i = 0; i < 104; i++) made.push(await say(external, 'fine'));
      const shown = async (): Promise<string[]> =>
        (await s.get(path(`deployment_id=chat&external_id=${external}`))).json.list.map(
          (item: { internal_id: string }) => item.internal_id,
        );
      const newest = made.slice(-100).reverse();
      assert.deepEqual(await shown(), newest);
      await s.cold(made.at(-1)!);
      assert.deepEqual(await shown(), newest);
    });

    it('of nothing in a visible deployment is an empty list; a deployment that is not visible is 404 [protect.none]', async () => {
      const s = system();
      const external = randomUUID();
      const id = await say(external, CARD);
      const event = (await s.events([{ type: 'reasoning', content: 'x' }])).json.order[0].internal_event_id;
      const look = async (): Promise<void> => {
        const empty = [
          await s.get(path(`deployment_id=chat&external_id=${randomUUID()}`)),
          await s.get(path(`deployment_id=chat&internal_id=${randomUUID()}`)),
          await s.get(path(`deployment_id=chat&internal_id=${event}`)),
          await s.get(path(`deployment_id=support&internal_id=${id}`)),
          await s.get(path(`deployment_id=support&external_id=${external}`)),
          await s.get(path(`deployment_id=chat&internal_id=${id}`), { key: KEY.globex }),
          await s.get(path(`deployment_id=chat&external_id=${external}`), { key: KEY.globex }),
        ];
        assert.deepEqual(new Set(empty.map(({ status, text }) => `${status} ${text}`)), new Set(['200 {"list":[]}']));
        const headers = { 'x-request-id': 'same' };
        const hidden = [
          await s.get(path(`deployment_id=nowhere&internal_id=${id}`), { headers }),
          await s.get(path(`deployment_id=chat&internal_id=${id}`), { headers, key: KEY.narrow }),
          await s.get(path(`deployment_id=support&external_id=${external}`), { headers, key: KEY.globex }),
        ];
        assert.deepEqual(new Set(hidden.map(({ status }) => status)), new Set([404]));
        assert.equal(new Set(hidden.map(({ text }) => text)).size, 1);
      };
      await look();
      await s.cold(id);
      await look();
    });

    it('refuses what is missing, malformed or too much [4.10.deployment_id] [4.10.include_policy_names] [protect.one]', async () => {
      const s = system();
      const id = randomUUID();
      const cases: [string, string][] = [
        ['deployment_id=chat', 'internal_id'],
        [`deployment_id=chat&internal_id=${id}&external_id=x`, 'internal_id'],
        ['deployment_id=chat&internal_id=x', 'internal_id'],
        [`deployment_id=chat&external_id=${'x'.repeat(257)}`, 'external_id'],
        [`deployment_id=chat&internal_id=${id}&include_policy_names=yes`, 'include_policy_names'],
      ];
      for (const [query, param] of cases) {
        const answer = await s.get(path(query));
        assert.equal(answer.status, 400, query);
        assert.equal(answer.json.error.param, param, query);
      }
      const left = await s.get(path(`internal_id=${id}`));
      assert.deepEqual([left.status, left.text], [200, '{"list":[]}'], 'the default deployment of the key');
      const named = await s.get(path(`deployment_id=chat&internal_id=${id}&include_policy_names=True`));
      assert.deepEqual([named.status, named.text], [200, '{"list":[]}']);
      const longest = await s.get(path(`deployment_id=chat&external_id=${'é'.repeat(256)}`));
      assert.equal(longest.text, '{"list":[]}');
    });

    it('of a check under way is 409, and of one without a verdict its error; lists leave it out', async () => {
      const s = system();
      const external = randomUUID();
      const pending = newRequestId(0);
      await markAwaited(s.redis, 0, pending, { kind: 'session', team: 'acme', scope: 'chat' });
      const waiting = await s.get(path(`deployment_id=chat&internal_id=${itemId(pending, 1)}`));
      assert.deepEqual([waiting.status, waiting.json.error.code], [409, 'result_not_ready']);
      const elsewhere = await s.get(path(`deployment_id=support&internal_id=${itemId(pending, 1)}`));
      assert.equal(elsewhere.text, '{"list":[]}');

      const ok = await say(external, 'fine');
      const dead = newRequestId(0);
      const now = Date.now();
      // Nothing can be judged by this version.
      await s.redis.hset(keys.configVersions(), '98', '{}');
      const header = { id: dead, kind: 'session', team: 'acme', scope: 'chat', config: 98, key: 'acme' };
      const times = { received: now, deadline: now, reply: '' };
      const body = { external_session_id: external, messages: [{ role: 'user', content: CARD }] };
      const fields = ['header', JSON.stringify({ ...header, ...times }), 'body', JSON.stringify(body)];
      await s.redis.xadd(keys.checks(0), '*', ...fields);
      await until('it is given up', async () => (await s.redis.exists(keys.result(0, dead))) === 1);
      const look = async (): Promise<void> => {
        const broken = await s.get(path(`deployment_id=chat&internal_id=${itemId(dead, 1)}`));
        assert.deepEqual([broken.status, broken.json.error.code], [500, 'internal_error']);
        const { json } = await s.get(path(`deployment_id=chat&external_id=${external}`));
        assert.deepEqual(pluck(json.list, 'internal_id'), [ok]);
      };
      await look();
      await s.cold(dead);
      await look();
    });
  });
}
