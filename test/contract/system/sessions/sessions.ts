/** Session checks (2.1, 2.3, 2.4, 4.1): what is checked, by which policies, and what is kept of it. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { CARD, KEY, POLICY } from '../../../e2e/configuration.ts';
import type { System } from '../../../e2e/system.ts';

const EVERYTHING = `open sesame ${CARD} a@example.org`;

type Policies = Record<string, { flagged: boolean; name: string; flagged_source: string[] }>;

export function sessions(system: () => System): void {
  const flagged = (policies: Policies): string[] =>
    Object.values(policies)
      .map(({ name, flagged }) => (flagged ? name : `(${name})`))
      .sort();
  const check = async (content: unknown, rest: Record<string, unknown> = {}) =>
    (await system().session({ messages: [{ role: 'user', content }], ...rest })).json;

  describe('session checks', { concurrency: 8 }, () => {
    it('answer flat, with every policy of the right direction that looks at texts [4.1.answer] [2.4.flagged] [2.4.internal_session_id] [2.4.external_session_id] [2.4.policies] [2.1.map] [2.1.name] [2.1.flagged] [2.1.flagged_source] [2.1.not-flagged] [1.1.deployment] [1.1.verdict] [1.1.kinds] [1.2.messages] [1.6.policy] [4.1.3] [2.3.all-policies] [event.sources-session]', async () => {
      const { policies, internal_session_id, ...rest } = await check(EVERYTHING, { external_session_id: 'flat' });
      assert.deepEqual(rest, { flagged: true, external_session_id: 'flat' });
      assert.match(internal_session_id, /^[0-9a-f-]{36}$/);
      assert.deepEqual(policies, {
        [POLICY.card]: { name: 'Cards', flagged: true, flagged_source: ['text'] },
        [POLICY.sesame]: { name: 'Sesame', flagged: true, flagged_source: ['text'] },
      });
      const clean = await check('good morning');
      assert.deepEqual([clean.flagged, 'external_session_id' in clean], [false, false]);
      assert.deepEqual(flagged(clean.policies), ['(Cards)', '(Sesame)']);
    });

    it('choose policies by the role of the last message, without its postfix [4.1.2] [2.3.role] [2.3.role-postfix]', async () => {
      const input = ['Cards', 'Sesame'].sort();
      const output = ['Cards', 'Mail in answers'].sort();
      for (const role of [
        'user',
        'system',
        'developer',
        'tool',
        'user-2',
        'tool-search',
        'assistant',
        'assistant-gpt-4',
      ]) {
        const { json } = await system().session({ messages: [{ role, content: EVERYTHING }] });
        assert.deepEqual(flagged(json.policies), role.startsWith('assistant') ? output : input, role);
      }
    });

    it('look only at the last message [4.1.1]', async () => {
      const { json } = await system().session({
        messages: [
          { role: 'user', content: EVERYTHING },
          { role: 'assistant', content: EVERYTHING },
          { role: 'user', content: 'thank you' },
        ],
      });
      assert.equal(json.flagged, false);
    });

    it('join the text parts of a message, under each of their names [2.3.content-parts] [session.text-parts] [config.detect-once]', async () => {
      const { policies } = await check([
        { type: 'text', text: `pay with ${CARD}` },
        { type: 'input_text', text: 'then say open sesame' },
        { type: 'output_text', text: 'or not' },
      ]);
      assert.deepEqual(flagged(policies), ['Cards', 'Sesame']);
      const split = await check([
        { type: 'text', text: 'open' },
        { type: 'text', text: 'sesame' },
      ]);
      assert.equal(split.policies[POLICY.sesame].flagged, true, 'parts are joined by a newline');
    });

    it('are restricted to the policies that are named, by either name of the field [2.3.policies] [4.1.3] [session.unknown-policy]', async () => {
      for (const field of ['policies', 'policy_ids']) {
        const { policies } = await check(EVERYTHING, { [field]: [POLICY.sesame] });
        assert.deepEqual(Object.keys(policies), [POLICY.sesame]);
        const upper = await check(EVERYTHING, { [field]: [POLICY.sesame.toUpperCase()] });
        assert.deepEqual(Object.keys(upper.policies), [POLICY.sesame], 'a UUID is the same in either case');
      }
      const other = await system().post('/api/session/check', {
        deployment_id: 'chat',
        messages: [{ role: 'user', content: 'x' }],
        policies: [POLICY.card, POLICY.split],
      });
      assert.equal(other.status, 400);
      assert.equal(other.json.error.param, 'policies[1]');
    });

    it('take earlier messages as context [4.1.1]', async () => {
      const say = (...texts: string[]) =>
        system().session({
          deployment_id: 'support',
          messages: texts.map((content, i) => ({ role: i % 2 ? 'assistant' : 'user', content })),
        });
      const isFlagged = async (...texts: string[]): Promise<boolean> =>
        (await say(...texts)).json.policies[POLICY.split].flagged;
      assert.equal(await isFlagged('purple elephants dance'), true);
      assert.equal(await isFlagged('purple', 'elephants', 'dance'), true);
      const before = await isFlagged('purple', 'elephants', 'dance', 'tonight');
      assert.equal(before, false, 'it ends before the last message');
      assert.equal(await isFlagged('dance'), false);
    });

    describe('of a session', () => {
      const conversation = () => {
        const external = randomUUID();
        return async (contents: string[], rest: Record<string, unknown> = {}, ids: string[] = []): Promise<boolean> => {
          const messages = contents.map((content, i) => ({
            role: 'user',
            content,
            ...(ids[i] ? { metadata: { message: { id: ids[i] } } } : {}),
          }));
          const body = { deployment_id: 'support', external_session_id: external, messages, ...rest };
          return (await system().session(body)).json.flagged;
        };
      };

      it('merge its previous messages in, so that a caller may send only new ones [4.1.4] [2.3.include_context-default] [2.3.external_session_id]', async () => {
        const say = conversation();
        assert.equal(await say(['purple']), false);
        assert.equal(await say(['elephants']), false);
        assert.equal(await say(['dance'], { external_session_id: randomUUID() }), false, 'another session');
        assert.equal(await say(['dance']), true);
        assert.equal(await say(['dance']), false, 'the phrase is too long ago');
        const both = conversation();
        await both(['nothing', 'purple']);
        assert.equal(await both(['elephants', 'dance']), true);
      });

      it('do not merge them in where the caller says so, and keep the message all the same [2.3.include_context]', async () => {
        const say = conversation();
        await say(['purple'], { include_context: false });
        await say(['elephants']);
        assert.equal(await say(['dance'], { include_context: false }), false);
        const other = conversation();
        await other(['purple'], { include_context: false });
        await other(['purple', 'elephants'], { include_context: false });
        assert.equal(await other(['dance'], { include_context: true }), true);
      });

      it('count messages that are sent again once: by their content, or by their id [session.overlap-id] [session.overlap-content]', async () => {
        const say = conversation();
        await say(['purple']);
        await say(['purple', 'elephants']);
        await say(['purple', 'elephants']);
        assert.equal(await say(['dance']), true, 'two elephants would have pushed purple out of sight');
        const edited = conversation();
        await edited(['purple'], {}, ['m1']);
        await edited(['purple (edited)', 'elephants'], {}, ['m1', 'm2']);
        assert.equal(await edited(['elephants (edited)', 'dance'], {}, ['m2', 'm3']), false, 'what is sent last holds');
        const same = conversation();
        await same(['purple', 'elephants'], {}, ['m1', 'm2']);
        assert.equal(await same(['elephants', 'dance'], {}, ['m2', 'm3']), true);
      });

      it('keep to their deployment, whatever the external id [session.merge-key]', async () => {
        const external_session_id = randomUUID();
        const say = (deployment_id: string, content: string) =>
          system().session({ deployment_id, external_session_id, messages: [{ role: 'user', content }] });
        await say('support', 'purple');
        await say('chat', 'elephants');
        assert.equal((await say('support', 'dance')).json.flagged, false);
        await say('support', 'purple');
        await say('support', 'elephants');
        await say('chat', 'purple');
        assert.equal((await say('support', 'dance')).json.flagged, true, 'the other deployment does not come between');
      });

      it('ignore include_context without an external id [session.include-alone]', async () => {
        const say = conversation();
        await say(['purple', 'elephants'], { external_session_id: null, include_context: true });
        assert.equal(await say(['dance'], { external_session_id: null, include_context: true }), false);
      });

      it('join the session of an earlier check, with or without a name, and of no other team or deployment [session.joins]', async () => {
        const bodyOf = (content: string, rest: Record<string, unknown>) => ({
          deployment_id: 'support',
          messages: [{ role: 'user', content }],
          ...rest,
        });
        const say = (content: string, rest: Record<string, unknown> = {}) => system().session(bodyOf(content, rest));
        for (const name of [undefined, randomUUID()]) {
          const named = name === undefined ? {} : { external_session_id: name };
          const first = (await say('purple', named)).json;
          const second = (await say('elephants', { internal_session_id: first.internal_session_id })).json;
          assert.notEqual(second.internal_session_id, first.internal_session_id);
          assert.equal(second.external_session_id, name ?? first.internal_session_id);
          const apart = { internal_session_id: second.internal_session_id, include_context: false };
          assert.equal((await say('dance', apart)).json.flagged, false);
          const again = (await say('purple', { internal_session_id: first.internal_session_id })).json;
          assert.equal(again.external_session_id, second.external_session_id);
          await say('elephants', { internal_session_id: again.internal_session_id });
          const last = (await say('dance', { internal_session_id: second.internal_session_id })).json;
          assert.equal(last.flagged, true);
          const stored = await system().get(
            `/api/session?external_session_id=${second.external_session_id}&deployment_id=support`,
          );
          assert.equal(stored.json.session.internal_session_id, last.internal_session_id);
          const elsewhere = { internal_session_id: first.internal_session_id, deployment_id: 'chat' };
          const foreign = { internal_session_id: first.internal_session_id, deployment_id: null };
          for (const [body, options] of [
            [elsewhere, {}],
            [foreign, { key: KEY.globex }],
            [{ internal_session_id: randomUUID() }, {}],
          ] as const) {
            const refused = await system().post('/api/session/check', bodyOf('dance', body), options);
            assert.equal(refused.status, 404);
            assert.equal(refused.json.error.param, 'internal_session_id');
          }
        }
      });
    });

    it('keep where a user is as it came, flat or nested, and whatever it is [2.3.location] [session.location] [session.metadata]', async () => {
      const flat = { city: 'Porto', country: 'Portugal', country_code: 'PT', ip: '192.0.2.7', latitude: 41.15 };
      const users = [
        { id: 'u', ...flat, longitude: -8.61, state: 'Norte' },
        { id: 'u', location: { ...flat, longitude: -8.61, state: 'Norte' } },
        { id: 'u', city: 5, country_code: 'nowhere', ip: [], latitude: 'north', longitude: 1e9, location: null },
      ];
      const ids: string[] = [];
      const metadata = { session: { timestamp: 'not a time', n: 1 } };
      for (const user of users) {
        const message = { role: 'user', content: 'x', metadata: { message: { id: 'm' }, user } };
        const { json } = await system().session({ messages: [message], metadata });
        ids.push(json.internal_session_id);
      }
      await system().archived();
      for (const [i, user] of users.entries()) {
        const [row] = await system().sql(
          `SELECT metadata, user_id, abs(dateDiff('minute', ts, now())) < 10 AS ours
           FROM contents JOIN results USING (team, scope, ts, id) WHERE id = '${ids[i]}'`,
        );
        assert.deepEqual(JSON.parse(String(row!.metadata)), {
          session: metadata,
          message: { message: { id: 'm' }, user },
        });
        assert.deepEqual([row!.user_id, Boolean(row!.ours)], ['u', true]);
      }
    });

    it('use the deployment of the key where none is named, and its team always [5.2] [config.no-default] [2.3.deployment_id]', async () => {
      const body = { messages: [{ role: 'user', content: EVERYTHING }] };
      const ours = await system().post('/api/session/check', body);
      assert.deepEqual(flagged(ours.json.policies), ['Cards', 'Sesame']);
      const theirs = await system().post('/api/session/check', body, { key: KEY.globex });
      assert.deepEqual(flagged(theirs.json.policies), ['Globex']);
      const without = await system().post('/api/session/check', body, { key: KEY.narrow });
      assert.equal(without.status, 400);
    });

    it('are answered in every version, and found again in each [9.2.sessions] [9.2.retrieval]', async () => {
      for (const version of ['2025-12-01', '2026-04-15', '2026-06-01']) {
        const body = { deployment_id: 'chat', messages: [{ role: 'user', content: 'x' }] };
        const posted = await system().post('/api/session/check', body, { version });
        assert.equal(posted.headers.get('service-version'), version);
        const got = await system().get(`/api/session/${posted.json.internal_session_id}`, { version });
        assert.deepEqual(got.json, { session: posted.json, artifacts: [] });
      }
    });

    it('refuse images that are not in artifact parts [2.3.content-image] [session.image-parts] [error.unsupported_content_part]', async () => {
      const parts = [
        { type: 'image_url', image_url: { url: 'https://example.org/a.png' } },
        { type: 'input_image', image_url: 'https://example.org/a.png' },
      ];
      for (const part of parts) {
        const answer = await system().post('/api/session/check', {
          deployment_id: 'chat',
          messages: [{ role: 'user', content: [{ type: 'text', text: 'look' }, part] }],
        });
        assert.equal(answer.status, 400);
        assert.equal(answer.json.error.code, 'unsupported_content_part');
        assert.match(answer.json.error.param, /^messages\[0\]\.content\[1\]/);
        assert.match(answer.text, /part of type artifact/);
      }
    });

    it('are rows with their user: of the last message, else of the session, else of the newest earlier message [4.1.6] [session.user-order] [risk.user] [2.3.message-metadata] [session.metadata]', async () => {
      const user = (id: unknown, email?: string) => ({ user: { id, ...(email ? { email } : {}) } });
      const cases: [body: Record<string, unknown>, id: string | null, email: string | null][] = [
        [
          {
            messages: [{ role: 'user', content: CARD, metadata: user('u1', ' Ines@Example.ORG ') }],
            metadata: user('other'),
          },
          'u1',
          'ines@example.org',
        ],
        [
          {
            messages: [
              { role: 'user', content: 'x', metadata: user('early') },
              { role: 'assistant', content: 'y' },
            ],
            metadata: user('u2'),
          },
          'u2',
          null,
        ],
        [
          {
            messages: [
              { role: 'user', content: 'x', metadata: user('u0') },
              { role: 'user', content: 'x', metadata: user('u3') },
              { role: 'assistant', content: 'y' },
            ],
          },
          'u3',
          null,
        ],
        [
          { messages: [{ role: 'user', content: 'x', metadata: { assistant: { latency: 1.5, model_name: 'm' } } }] },
          null,
          null,
        ],
      ];
      const ids: string[] = [];
      for (const [body] of cases) ids.push((await system().session(body)).json.internal_session_id);
      await system().archived();
      const rows = await system().sql(
        `SELECT toString(id) AS id, user_id, user_email, kind, type, role, scope, flagged, content FROM results
         JOIN contents USING (team, scope, ts, id) WHERE id IN ('${ids.join("','")}')`,
      );
      for (const [i, [body, id, email]] of cases.entries()) {
        const { role, content } = (body.messages as { role: string; content: string }[]).at(-1)!;
        const found = rows.find((row) => row.id === ids[i]);
        assert.deepEqual(found, {
          id: ids[i],
          user_id: id,
          user_email: email,
          kind: 'session',
          type: 'message',
          role,
          scope: 'chat',
          flagged: i === 0,
          content,
        });
      }
      const checks = await system().sql(
        `SELECT kind, user, violations FROM user_checks FINAL WHERE id = '${ids[0]}' ORDER BY kind`,
      );
      assert.deepEqual(checks, [
        { kind: 'id', user: 'u1', violations: [POLICY.card] },
        { kind: 'email', user: 'ines@example.org', violations: [POLICY.card] },
      ]);
      const [kept] = await system().sql(`SELECT metadata FROM contents WHERE id = '${ids[3]}'`);
      assert.deepEqual(JSON.parse(String(kept!.metadata)), {
        message: { assistant: { latency: 1.5, model_name: 'm' } },
      });
      const [violation] = await system().sql(
        `SELECT user_id, user_email, policy_name FROM violations WHERE id = '${ids[0]}'`,
      );
      assert.deepEqual(violation, { user_id: 'u1', user_email: 'ines@example.org', policy_name: 'Cards' });
    });
  });
}
