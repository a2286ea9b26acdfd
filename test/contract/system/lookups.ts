/** Look-ups (4.2, 4.3, 4.8, 4.9): the same answer a moment and a month later, and nothing of anybody else's. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { CARD, KEY, POLICY } from '../../e2e/configuration.ts';
import { type CallOptions, newRun, type System } from '../../e2e/system.ts';
import { pluck } from '../../support/pluck.ts';

/** Answers to `paths`, one after the other. */
async function texts(system: System, paths: readonly string[], options: CallOptions = {}): Promise<string[]> {
  const answers: string[] = [];
  for (const path of paths) {
    const { status, text } = await system.get(path, { ...options, headers: { 'x-request-id': 'same' } });
    answers.push(`${status} ${text}`);
  }
  return answers;
}

const byName = (run: string, event: string, rest = ''): string =>
  `/api/event?environment_id=prod&run_id=${run}&event_id=${event}${rest}`;
const byId = (id: string, environment = 'prod'): string => `/api/event/${id}?environment_id=${environment}`;

/** Text that a store may spoil: quotes, controls, other alphabets, a code point beyond 16 bits, half of one, NUL. */
const ODD = '"\\\n\t\u0001\u0000 é 漢字 🦊 \u2028 {,} %41 \ud800';

export function lookups(system: () => System): void {
  describe('look-ups', { concurrency: 8 }, () => {
    it('of events say the same, byte for byte, while they are hot and once they are archived [1.4.internal] [1.4.caller] [4.9.latest]', async () => {
      const s = system();
      const run = newRun();
      const metadata = { [ODD]: ODD, n: 1.5e300, deep: [[{ __proto__x: null }]], '': false };
      const posted = await s.events(
        [
          { type: 'message', role: 'user', event_id: 'clean', content: ODD, metadata },
          { type: 'message', role: 'user', event_id: 'flagged', content: `${CARD}, open sesame`, metadata: {} },
          { type: 'tool', event_id: 'tool:1.a_b-C', output: { [ODD]: 'hush hush' }, external_session_id: 's "é" 🦊' },
          { type: 'reasoning', event_id: 'again', content: 'one' },
          { type: 'reasoning', event_id: 'again', content: 'two, open sesame' },
        ],
        { run_id: run },
      );
      const ids = posted.json.order.map((entry: { internal_event_id: string }) => entry.internal_event_id);
      const paths = [
        ...ids.map((id: string) => byId(id)),
        byId(ids[0].toUpperCase()),
        byName(run, 'clean'),
        byName(run, 'flagged', '&type=message'),
        byName(run, 'tool:1.a_b-C'),
        byName(run, 'again'),
        byName(run, 'again', '&type=tool'),
        byName(run, 'absent'),
      ];
      const hot = await texts(s, paths);
      assert.ok(await s.isHot(ids[0]), 'the result was still in Redis');
      assert.equal(hot.filter((answer) => answer.startsWith('200 ')).length, paths.length - 2);
      assert.deepEqual(JSON.parse(hot[0]!.slice(4)).metadata, metadata);
      assert.equal(JSON.parse(hot[2]!.slice(4)).event.external_session_id, 's "é" 🦊');
      assert.equal(JSON.parse(hot.at(-3)!.slice(4)).event.internal_event_id, ids[4]);
      await s.cold(ids[0]);
      assert.deepEqual(await texts(s, paths), hot);
    });

    it('of sessions say the same, byte for byte, while they are hot and once they are archived [1.4.internal] [1.4.caller] [2.4.envelope] [4.2.path] [4.2.answer] [4.3.answer] [4.3.query]', async () => {
      const s = system();
      const external = `chat ${randomUUID()} & "é" 🦊`;
      const posted = await s.post('/api/session/check', {
        deployment_id: 'chat',
        external_session_id: external,
        messages: [{ role: 'user', content: `my card: ${CARD}` }],
        metadata: { session: { timestamp: '2026-01-02T03:04:05Z' } },
      });
      const id = posted.json.internal_session_id;
      const query = encodeURIComponent(external);
      const paths = [
        `/api/session/${id}`,
        `/api/session/${id}?deployment_id=chat`,
        `/api/session?external_session_id=${query}`,
        `/api/session?deployment_id=chat&external_session_id=${query}`,
      ];
      const hot = await texts(s, paths);
      assert.ok(await s.isHot(id), 'the result was still in Redis');
      const envelope = `200 {"session":${posted.text},"artifacts":[]}`;
      assert.deepEqual(hot, [envelope, envelope, envelope, envelope]);
      await s.cold(id);
      assert.deepEqual(await texts(s, paths), hot);
    });

    it('of what belongs to another team, environment or deployment answer as if it were absent, hot and archived [4.8.404] [5.4] [7.event-404] [4.2.deployment_id] [error.not_found-lookup]', async () => {
      const s = system();
      const make = async () => {
        const run = newRun();
        const external = `chat-${randomUUID()}`;
        const events = await s.events([{ type: 'reasoning', event_id: 'e', content: 'x' }], { run_id: run });
        const messages = [{ role: 'user', content: 'x' }];
        const session = await s.session({ external_session_id: external, messages });
        const eventId: string = events.json.order[0].internal_event_id;
        const sessionId: string = session.json.internal_session_id;
        const asForeigner = [
          byId(eventId),
          byName(run, 'e'),
          `/api/session/${sessionId}`,
          `/api/session?external_session_id=${external}`,
        ];
        const asOwner = [
          byId(eventId, 'staging'),
          byId(eventId, 'nowhere'),
          byId(sessionId),
          byName(run, 'e').replace('=prod', '=staging'),
          `/api/session/${sessionId}?deployment_id=support`,
          `/api/session/${eventId}`,
          `/api/session?deployment_id=support&external_session_id=${external}`,
        ];
        const asColleague = [byId(eventId), byName(run, 'e'), `/api/session/${sessionId}?deployment_id=chat`];
        const nobodys = (path: string): string =>
          [eventId, sessionId, run, external].reduce((one, id) => one.replace(id, randomUUID()), path);
        const look = async (): Promise<void> => {
          for (const [paths, options] of [
            [asForeigner, { key: KEY.globex }],
            [asOwner, {}],
            [asColleague, { key: KEY.narrow }],
          ] as const) {
            const found = await texts(s, paths, options);
            assert.deepEqual(found, await texts(s, paths.map(nobodys), options));
            for (const text of found) assert.match(text, /^404 .*"not_found"/);
          }
        };
        return { eventId, sessionId, look };
      };
      // On a busy machine a result may leave Redis before all of this has been asked: then it is asked of another.
      let made = await make();
      for (let tries = 0; ; tries++) {
        await made.look();
        if (await s.isHot(made.eventId)) break;
        assert.ok(tries < 8, 'the results were still in Redis');
        made = await make();
      }
      await s.cold(made.eventId);
      await s.cold(made.sessionId);
      await made.look();
    });

    it('of ids that are no item of ours are 404: other UUIDs, the request itself, an item it does not have [4.8.404] [session.uuid]', async () => {
      const s = system();
      const { order } = (await s.events([{ type: 'reasoning', content: 'x' }])).json;
      const id: string = order[0].internal_event_id;
      const neighbour = (item: number): string =>
        id.slice(0, 32) + ((Number.parseInt(id.slice(32), 16) & 0xffc0) | item).toString(16).padStart(4, '0');
      assert.equal(neighbour(1), id);
      for (const other of [neighbour(0), neighbour(2), neighbour(63), randomUUID(), id.replace(/.{4}$/, 'ffff')]) {
        assert.equal((await s.get(byId(other))).status, 404, other);
      }
      assert.equal((await s.get('/api/event/none?environment_id=prod')).status, 400);
      assert.equal((await s.get('/api/session/none')).status, 400);
    });

    it('by run and event id give the latest: the second of two, whatever its type, hot and archived [4.9.latest] [4.9.type-differs] [7.event-404]', async () => {
      const s = system();
      const run = newRun();
      const first = (await s.events([{ type: 'tool', event_id: 'e', output: 'hush hush' }], { run_id: run })).json;
      const paths = [byName(run, 'e'), byName(run, 'e', '&type=tool'), byName(run, 'e', '&type=function')];
      assert.deepEqual(
        (await texts(s, paths)).map((text) => text.slice(0, 3)),
        ['200', '200', '404'],
      );
      await s.cold(first.order[0].internal_event_id);
      assert.deepEqual(
        (await texts(s, paths)).map((text) => text.slice(0, 3)),
        ['200', '200', '404'],
      );

      const second = (await s.events([{ type: 'function', event_id: 'e', output: 'fine' }], { run_id: run })).json;
      assert.notEqual(second.order[0].internal_event_id, first.order[0].internal_event_id);
      const now = await texts(s, paths);
      const statuses = now.map((text) => text.slice(0, 3));
      assert.deepEqual(statuses, ['200', '404', '200']);
      assert.equal(JSON.parse(now[0]!.slice(4)).event.internal_event_id, second.order[0].internal_event_id);
      await s.cold(second.order[0].internal_event_id);
      assert.deepEqual(await texts(s, paths), now);
      const old = await s.get(byId(first.order[0].internal_event_id));
      assert.equal(old.json.flagged, true);
    });

    it('by external session id give the latest check of the deployment, hot and archived [4.3.latest] [session.new-id]', async () => {
      const s = system();
      const external = `chat-${randomUUID()}`;
      const path = `/api/session?external_session_id=${external}`;
      const say = (content: string, deployment = 'chat') =>
        s.session({
          deployment_id: deployment,
          external_session_id: external,
          messages: [{ role: 'user', content }],
        });
      const first = await say(`card ${CARD}`);
      await s.cold(first.json.internal_session_id);
      assert.equal((await s.get(path)).json.session.internal_session_id, first.json.internal_session_id);
      const second = await say('open sesame');
      await say('elsewhere', 'support');
      assert.notEqual(second.json.internal_session_id, first.json.internal_session_id);
      const hot = await s.get(path);
      assert.equal(hot.json.session.internal_session_id, second.json.internal_session_id);
      assert.equal(hot.json.session.policies[POLICY.sesame].flagged, true);
      await s.cold(second.json.internal_session_id);
      assert.equal((await s.get(path)).text, hot.text);
    });

    it('of archived results are answered in a burst too, each in its turn', async () => {
      const s = system();
      const run = newRun();
      const { order } = (await s.events([{ type: 'reasoning', event_id: 'e', content: 'x' }], { run_id: run })).json;
      await s.cold(order[0].internal_event_id);
      const burst = await Promise.all(Array.from({ length: 24 }, () => s.get(byName(run, 'e'))));
      const statuses = pluck(burst, 'status');
      assert.deepEqual(
        statuses,
        burst.map(() => 200),
      );
    });

    it('find the events of a batch with mixed runs and sessions by the run of each, hot and archived [batch.mixed-runs] [batch.defaults] [event.run-index]', async () => {
      const s = system();
      const [one, two, session] = [newRun('one'), newRun('two'), newRun('session')];
      const { json } = await s.events(
        [
          { type: 'reasoning', event_id: 'a', content: 'x' },
          { type: 'reasoning', event_id: 'a', content: 'y', run_id: two },
          { type: 'agent', event_id: 'b', input: 'z', run_id: two, external_session_id: 'own' },
          { type: 'agent', event_id: 'c', input: 'z' },
        ],
        { run_id: one, external_session_id: session },
      );
      assert.equal('run_id' in json, false, 'the runs differ');
      assert.deepEqual(pluck(json.order, 'run_id'), [one, two, two, one]);
      const sessions = json.order.map(
        (entry: { type: string; event_id: string; result?: { event: object } }) =>
          (entry.result ?? json.results[entry.type][entry.event_id]).event.external_session_id,
      );
      assert.deepEqual(sessions, [session, session, 'own', session]);
      const paths = [byName(one, 'a'), byName(two, 'a'), byName(two, 'b'), byName(one, 'c'), byName(one, 'b')];
      const hot = await texts(s, paths);
      const found: string[] = hot.slice(0, 4).map((text) => JSON.parse(text.slice(4)).event.internal_event_id);
      assert.deepEqual(found, pluck(json.order, 'internal_event_id'));
      assert.match(hot[4]!, /^404/);
      await s.cold(found[0]!);
      assert.deepEqual(await texts(s, paths), hot);
    });
  });
}
