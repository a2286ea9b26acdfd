/** Reference-only events (2.7, 3, 4.7, 4.9): what they resolve to, from the batch, from Redis, from ClickHouse. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CARD, KEY, POLICY } from '../../../e2e/configuration.ts';
import { newRun, type System } from '../../../e2e/system.ts';
import { assertHas } from '../../../support/has.ts';
import { pluck } from '../../../support/pluck.ts';

interface Entry {
  status: string;
  flagged: boolean;
  internal_event_id?: string;
}

const statuses = (order: Entry[]): string[] => order.map(({ status }) => status);

/** Sends references alone, and tells what became of them. */
export async function refer(system: System, run: string, references: Record<string, unknown>[]): Promise<Entry[]> {
  return (await system.events(references, { run_id: run })).json.order;
}

export function references(system: () => System): void {
  describe('references', { concurrency: 8 }, () => {
    it('see earlier events of their batch, with verdict and ids, and not later ones [4.7.reference-batch] [batch.sequential] [3.event-not_found] [event.not_found] [7.event-not_found]', async () => {
      const s = system();
      const run = newRun();
      const { json } = await s.events(
        [
          { type: 'tool', event_id: 'later' },
          { type: 'tool', event_id: 't', output: `paid with ${CARD}` },
          { type: 'tool', event_id: 't' },
          { type: 'tool', event_id: 'later', output: 'fine' },
          { type: 'tool', event_id: 't', run_id: newRun('other') },
        ],
        { run_id: run },
      );
      assert.deepEqual(statuses(json.order), ['not_found', 'completed', 'referenced', 'completed', 'not_found']);
      assertHas(json.order[2], { internal_event_id: json.order[1].internal_event_id, flagged: true });
      const { order } = json;
      assert.deepEqual(order[0].result.event, {
        type: 'tool',
        status: 'not_found',
        updated_at: null,
        event_id: 'later',
        run_id: run,
      });
      assertHas(order[0].result, { flagged: false, policies: {} });
      assert.ok(order[0].result.note.length > 0);
      assert.deepEqual(order[2].result.policies, order[1].result.policies);
      assert.equal(order[2].result.event.created_at, order[1].result.event.created_at);
    });

    it('resolve to stored events, hot and archived, with the stored verdict [4.7.reference-stored] [event.referenced] [3.event-referenced] [2.7.reference]', async () => {
      const s = system();
      const run = newRun();
      const stored = await s.events(
        [
          { type: 'agent', event_id: 'a', state: 'hush hush', external_session_id: 'kept', metadata: { a: 1 } },
          { type: 'agent', event_id: 'b', state: 'fine' },
        ],
        { run_id: run },
      );
      const expected = stored.json.results.agent;
      const look = async (): Promise<void> => {
        const { json } = await s.events(
          [
            { type: 'agent', event_id: 'a' },
            { type: 'agent', event_id: 'b', run_id: run },
            { type: 'agent', event_id: 'c' },
          ],
          { run_id: run },
        );
        assert.deepEqual(statuses(json.order), ['referenced', 'referenced', 'not_found']);
        assert.equal(json.flagged, true);
        for (const id of ['a', 'b']) {
          const status = 'referenced';
          assert.deepEqual(json.results.agent[id], { ...expected[id], event: { ...expected[id].event, status } });
        }
      };
      await look();
      assert.ok(await s.isHot(stored.json.order[0].internal_event_id), 'the result was still in Redis');
      await s.cold(stored.json.order[0].internal_event_id);
      await look();
      const single = await s.post('/api/event', {
        environment_id: 'prod',
        event: { type: 'agent', event_id: 'a', run_id: run },
      });
      assertHas(single.json.event, { status: 'referenced', internal_event_id: expected.a.event.internal_event_id });
    });

    it('to the latest event of another type, another environment or another team are not found, hot and archived [3.event-not_found] [event.reference-latest] [4.9.references]', async () => {
      const s = system();
      const run = newRun();
      const { json } = await s.events(
        [
          { type: 'tool', event_id: 'e', output: 'x' },
          { type: 'function', event_id: 'e', output: 'y' },
        ],
        { run_id: run },
      );
      const look = async (): Promise<void> => {
        const order = await refer(s, run, [
          { type: 'tool', event_id: 'e' },
          { type: 'function', event_id: 'e' },
        ]);
        assert.deepEqual(statuses(order), ['not_found', 'referenced']);
        const body = { environment_id: 'staging', event: { type: 'function', event_id: 'e', run_id: run } };
        const elsewhere = await s.post('/api/event', body);
        assert.equal(elsewhere.json.event.status, 'not_found');
        const theirs = await s.post('/api/event', { ...body, environment_id: 'prod' }, { key: KEY.globex });
        assertHas(theirs.json, { event: elsewhere.json.event, note: elsewhere.json.note });
      };
      await look();
      await s.cold(json.order[0].internal_event_id);
      await look();
    });

    it('resolve to the latest result, which a reference itself is not [event.reference-latest] [4.9.references]', async () => {
      const s = system();
      const run = newRun();
      const first = (await s.events([{ type: 'tool', event_id: 'e', output: 'x' }], { run_id: run })).json.order[0];
      await refer(s, run, [{ type: 'tool', event_id: 'e' }]);
      await refer(s, run, [{ type: 'function', event_id: 'e' }]);
      const second = (await s.events([{ type: 'tool', event_id: 'e', output: CARD }], { run_id: run })).json.order[0];
      const [found] = await refer(s, run, [{ type: 'tool', event_id: 'e' }]);
      assert.equal(found!.internal_event_id, second.internal_event_id);
      const latest = await s.get(`/api/event?environment_id=prod&run_id=${run}&event_id=e`);
      assertHas(latest.json.event, { internal_event_id: second.internal_event_id, status: 'completed' });
      assert.equal(latest.json.policies[POLICY.card].flagged, true);
      await s.archived();
      const rows = await s.sql(`SELECT toString(id) AS id FROM results WHERE run_id = '${run}' ORDER BY ts, id`);
      assert.deepEqual(pluck(rows, 'id'), [first.internal_event_id, second.internal_event_id]);
    });

    it('to events that failed count in failed of their batch, within it, hot and archived [batch.failed] [event.reference-failed]', async () => {
      const s = system();
      const run = newRun();
      const image = { type: 'artifact', event_id: 'i', content: { kind: 'image', data: 'AAAA' } };
      const reference = { type: 'artifact', event_id: 'i' };
      const first = await s.events([image, reference, { type: 'reasoning', content: 'x' }], { run_id: run });
      assert.deepEqual(statuses(first.json.order), ['failed', 'referenced', 'completed']);
      assert.equal(first.json.failed, 2);
      const look = async (): Promise<void> => {
        const { json } = await s.events([reference, { ...reference, event_id: 'j' }, reference], { run_id: run });
        assert.deepEqual([statuses(json.order), json.failed], [['referenced', 'not_found', 'referenced'], 2]);
      };
      await look();
      await s.cold(first.json.order[0].internal_event_id);
      await look();
    });

    it('without a run mean the run that is generated for their batch [batch.reference-run]', async () => {
      const s = system();
      const own = { type: 'reasoning', event_id: 'own', run_id: newRun(), content: 'x' };
      const events = [
        { type: 'tool', event_id: 't', output: CARD },
        { type: 'tool', event_id: 't' },
        own,
        { type: 'tool', event_id: 'u' },
      ];
      const headers = { 'idempotency-key': newRun('key') };
      const answer = await s.post('/api/events', { environment_id: 'prod', events }, { headers });
      const { order } = answer.json;
      assert.deepEqual(statuses(order), ['completed', 'referenced', 'completed', 'not_found']);
      assert.match(order[0].run_id, /^run_[0-9a-f]{32}$/);
      assert.deepEqual([order[1].run_id, order[3].run_id], [order[0].run_id, order[0].run_id]);
      assertHas(order[1], { flagged: true, internal_event_id: order[0].internal_event_id });
      await s.cold(order[0].internal_event_id);
      const again = await s.post('/api/events', { environment_id: 'prod', events }, { headers });
      assert.equal(again.headers.get('idempotency-replayed'), 'true');
      assert.deepEqual(again.json, answer.json);
    });

    it('in one batch may be many, hot, archived and absent together', async () => {
      const s = system();
      const run = newRun();
      const old = await s.events(
        Array.from({ length: 20 }, (_, i) => ({
          type: 'reasoning',
          event_id: `old-${i}`,
          content: i % 5 ? 'x' : CARD,
        })),
        { run_id: run },
      );
      await s.cold(old.json.order[0].internal_event_id);
      const fresh = await s.events(
        Array.from({ length: 20 }, (_, i) => ({ type: 'reasoning', event_id: `new-${i}`, content: 'x' })),
        { run_id: run },
      );
      const order = await refer(
        s,
        run,
        ['old', 'new', 'no'].flatMap((name) =>
          Array.from({ length: name === 'no' ? 10 : 20 }, (_, i) => ({ type: 'reasoning', event_id: `${name}-${i}` })),
        ),
      );
      const expected = [...old.json.order, ...fresh.json.order].map((entry: Entry) => entry.internal_event_id);
      assert.deepEqual(pluck(order.slice(0, 40), 'internal_event_id'), expected);
      const flags = pluck(order.slice(0, 20), 'flagged');
      assert.deepEqual(
        flags,
        Array.from({ length: 20 }, (_, i) => i % 5 === 0),
      );
      assert.deepEqual(new Set(statuses(order.slice(40))), new Set(['not_found']));
    });
  });
}
