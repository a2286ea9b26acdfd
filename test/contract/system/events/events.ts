/** Answers to events (2.7, 2.8, 4.6, 4.7) beyond the main job: single ones, ids, duplicates. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CARD, KEY, POLICY } from '../../../e2e/configuration.ts';
import { newRun, type System } from '../../../e2e/system.ts';
import { pluck } from '../../../support/pluck.ts';

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

export function events(system: () => System): void {
  describe('events', { concurrency: 8 }, () => {
    it('one by one are answered with the verdict at the top level [4.6.body] [4.6.answer] [2.8.event] [2.8.external_session_id] [2.8.created_at] [general.times] [6.2.internal_event_id] [3.event-completed]', async () => {
      const run = newRun();
      const answer = await system().post('/api/event', {
        environment_id: 'prod',
        run_id: run,
        event: {
          type: 'message',
          role: 'user',
          event_id: 'm1',
          content: `my card: ${CARD}`,
          metadata: { a: 1 },
          external_session_id: 's1',
        },
      });
      assert.equal(answer.status, 200);
      const { event, policies, ...rest } = answer.json;
      assert.deepEqual(rest, { flagged: true, run_id: run });
      assert.deepEqual(Object.keys(policies), [POLICY.card, POLICY.sesame]);
      const { created_at, updated_at, internal_event_id, ...named } = event;
      assert.deepEqual(named, {
        type: 'message',
        status: 'completed',
        event_id: 'm1',
        external_session_id: 's1',
        run_id: run,
      });
      assert.match(internal_event_id, UUID_V7);
      for (const time of [created_at, updated_at]) assert.match(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      assert.ok(Math.abs(Date.parse(created_at) - Date.now()) < 60_000);
    });

    it('take environment and run inside the event as well as beside it [4.6.place] [2.7.environment_id]', async () => {
      const run = newRun();
      const answer = await system().post('/api/event', {
        event: { type: 'reasoning', event_id: 'r', content: 'x', environment_id: 'prod', run_id: run },
      });
      assert.equal(answer.status, 200, answer.text);
      assert.equal(answer.json.run_id, run);
      assert.equal((await system().get(`/api/event?environment_id=prod&run_id=${run}&event_id=r`)).status, 200);
    });

    it('sent twice with the same ids are two results: the ids are no retry keys [4.6.no-retry-keys]', async () => {
      const event = { type: 'reasoning', event_id: 'r', content: 'x', run_id: newRun() };
      const send = async (): Promise<string> =>
        (await system().post('/api/event', { environment_id: 'prod', event })).json.event.internal_event_id;
      const [first, second] = [await send(), await send()];
      assert.notEqual(first, second);
      for (const id of [first, second]) {
        assert.equal((await system().get(`/api/event/${id}?environment_id=prod`)).status, 200);
      }
    });

    it('without ids get generated ones, by which they are found [2.7.event_id] [2.7.run_id] [event.generated-ids] [batch.generated-run]', async () => {
      const { json } = await system().events([
        { type: 'reasoning', content: 'x' },
        { type: 'reasoning', content: 'y' },
      ]);
      assert.match(json.run_id, /^run_[0-9a-f]{32}$/);
      const ids = json.order.map((entry: { event_id: string }) => entry.event_id);
      for (const id of ids) assert.match(id, /^evt_[0-9a-f]{12}7[0-9a-f]{19}$/);
      assert.notEqual(ids[0], ids[1]);
      assert.deepEqual(Object.keys(json.results.reasoning), ids);
      const path = `/api/event?environment_id=prod&run_id=${json.run_id}&event_id=${ids[1]}`;
      const found = await system().get(path);
      assert.equal(found.json.event.internal_event_id, json.order[1].internal_event_id);

      const single = await system().post('/api/event', {
        environment_id: 'prod',
        event: { type: 'reasoning', content: 'x' },
      });
      const { run_id, event_id, internal_event_id } = single.json.event;
      assert.equal(single.json.run_id, run_id);
      const again = await system().get(`/api/event?environment_id=prod&run_id=${run_id}&event_id=${event_id}`);
      assert.equal(again.json.event.internal_event_id, internal_event_id);
    });

    it('of the same type and id in a batch are both checked; the bucket holds the last, the order both [batch.duplicates]', async () => {
      const s = system();
      const run = newRun();
      const { json } = await s.events(
        [
          { type: 'reasoning', event_id: 'r', content: CARD },
          { type: 'agent', event_id: 'r', input: 'of another type' },
          { type: 'reasoning', event_id: 'r', content: 'fine' },
        ],
        { run_id: run },
      );
      assert.equal(json.flagged, true);
      assert.deepEqual(pluck(json.order, 'flagged'), [true, false, false]);
      assert.equal(json.results.reasoning.r.event.internal_event_id, json.order[2].internal_event_id);
      assert.equal(json.results.agent.r.event.internal_event_id, json.order[1].internal_event_id);
      const answered = json.order.map((entry: object) => 'result' in entry);
      assert.deepEqual(answered, [true, false, false]);
      const taken = json.order[0].result;
      assert.equal(taken.event.internal_event_id, json.order[0].internal_event_id);
      assert.equal(taken.policies[POLICY.card].flagged, true);
      const stored = await s.get(`/api/event/${json.order[0].internal_event_id}?environment_id=prod`);
      assert.deepEqual(stored.json, taken);
      await s.archived();
      const rows = await s.sql(`SELECT flagged FROM results WHERE run_id = '${run}' ORDER BY ts, id`);
      assert.deepEqual(pluck(rows, 'flagged'), [true, false, false]);
    });

    it('may bear names that objects are built with [general.prototype]', async () => {
      const ids = ['constructor', 'toString', 'hasOwnProperty', '__proto__'];
      const { json, text } = await system().post('/api/events', {
        environment_id: 'prod',
        run_id: newRun('constructor'),
        events: ids.map((id) => ({ type: 'reasoning', event_id: id, content: 'x' })),
      });
      assert.deepEqual(pluck(json.order, 'event_id'), ids);
      for (const id of ids) assert.ok(text.includes(`"${id}":{"flagged":false`), id);
    });

    it('of another team are checked against its own policies, in its own environment of the same name [1.1.environment]', async () => {
      const body = { environment_id: 'prod', event: { type: 'reasoning', content: `open sesame ${CARD}` } };
      const theirs = await system().post('/api/event', body, { key: KEY.globex });
      assert.deepEqual(Object.keys(theirs.json.policies), [POLICY.globex]);
      const ours = await system().post('/api/event', body);
      assert.equal(POLICY.globex in ours.json.policies, false);
    });

    it('with a request id, a trace and a version get them back [general.request-id] [general.service-version] [general.traceparent]', async () => {
      const answer = await system().post(
        '/api/event',
        { environment_id: 'prod', event: { type: 'reasoning', content: 'x' } },
        {
          headers: {
            'x-request-id': 'mine-1',
            traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
          },
        },
      );
      assert.equal(answer.status, 200);
      assert.equal(answer.headers.get('x-request-id'), 'mine-1');
      assert.equal(answer.headers.get('service-version'), '2026-06-01');
    });

    it('that are invalid fail the whole batch, and nothing of it is saved [batch.all-or-nothing]', async () => {
      const s = system();
      const run = newRun();
      const answer = await s.post('/api/events', {
        environment_id: 'prod',
        run_id: run,
        events: [
          { type: 'reasoning', event_id: 'good', content: 'x' },
          { type: 'reasoning', event_id: 'bad', content: 5 },
        ],
      });
      assert.equal(answer.status, 400);
      assert.equal(answer.json.error.code, 'validation_failed');
      assert.equal(answer.json.error.issues[0].path, 'events[1].content');
      assert.equal((await s.get(`/api/event?environment_id=prod&run_id=${run}&event_id=good`)).status, 404);
    });

    it('at their limits are accepted, answered and archived whole', async () => {
      const s = system();
      const run = 'r'.repeat(128 - 36) + newRun('').slice(-36);
      const content = `${'é'.repeat(128 * 1024 - 20)} ${CARD}`;
      const metadata = { text: 'm'.repeat(256 * 1024 - 11) };
      const sent = Array.from({ length: 50 }, (_, i) => ({
        type: 'message',
        role: 'user',
        event_id: `${'e'.repeat(125)}-${String(i).padStart(2, '0')}`,
        content: i < 3 ? content : 'short',
        ...(i < 3 ? { metadata } : {}),
      }));
      const { json } = await s.events(sent, { run_id: run });
      const flagged = pluck(
        json.order.filter((entry: { flagged: boolean }) => entry.flagged),
        'index',
      );
      assert.deepEqual(flagged, [0, 1, 2]);
      const found = await s.get(`/api/event/${json.order[1].internal_event_id}?environment_id=prod`);
      assert.equal(found.json.metadata.text.length, metadata.text.length);
      await s.archived();
      const rows = await s.sql(
        `SELECT length(content) AS bytes, length(metadata) AS metadata FROM contents
         WHERE id = '${json.order[1].internal_event_id}'`,
      );
      const sizes = rows.map((row) => [Number(row.bytes), Number(row.metadata)]);
      assert.deepEqual(sizes, [[Buffer.byteLength(content), 256 * 1024]]);
    });
  });
}
