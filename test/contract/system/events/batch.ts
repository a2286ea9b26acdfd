/** The main job: a batch of an agent's conversation is answered, found again, and in SQL (4.7, 4.8, 4.9). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createClient } from '@clickhouse/client';
import { CARD, POLICY } from '../../../e2e/configuration.ts';
import { type Accepted, newRun, type System } from '../../../e2e/system.ts';
import { assertHas } from '../../../support/has.ts';
import { pluck } from '../../../support/pluck.ts';

type Sent = Record<string, unknown> & { type: string; event_id: string };

const BUCKETS = ['message', 'artifact', 'tool', 'function', 'agent', 'reasoning'];

/** Ten turns of a shopping agent, five events each. The second and the seventh turn leak something. */
function conversation(): Sent[] {
  const events: Sent[] = [];
  for (let turn = 1; turn <= 10; turn++) {
    const metadata = {
      user: { id: `u-${turn}`, tier: turn % 2 ? 'free' : 'pro' },
      model: 'large-2',
      "o'brien": '"é\n',
    };
    const leak = turn === 2 ? ` My card is ${CARD}.` : '';
    const parent = { event_id: `user-${turn}` };
    events.push(
      {
        type: 'message',
        role: 'user',
        event_id: `user-${turn}`,
        content: `Where is parcel ${turn}? I paid for it on Monday.${leak}`,
        metadata,
      },
      {
        type: 'reasoning',
        event_id: `think-${turn}`,
        content: 'The parcel must be found before anything is promised.',
        parent,
      },
      {
        type: 'tool',
        event_id: `call-${turn}`,
        name: 'find_parcel',
        call_id: `c-${turn}`,
        format: 'json',
        arguments: { parcel: turn, fields: ['city', 'day'] },
        parent,
        links: [{ event_id: `think-${turn}` }, { event_id: 'before', run_id: 'another', relation: 'follows' }],
      },
      {
        type: 'agent',
        event_id: `state-${turn}`,
        state: { step: turn, notes: turn === 7 ? 'hush hush' : 'asked the warehouse' },
        metadata,
      },
      {
        type: 'message',
        role: 'assistant',
        event_id: `answer-${turn}`,
        content: turn === 7 ? 'Write to ines@example.org about it.' : 'It is on its way to Porto.',
      },
    );
  }
  return events;
}

/** Ids of the policies that are flagged. */
const flaggedOf = (policies: Record<string, { flagged: boolean }>): string[] =>
  Object.keys(policies).filter((id) => policies[id]!.flagged);

export function aBatch(system: () => System): void {
  describe('a batch of 50 events', () => {
    const run = newRun('conversation');
    const sent = conversation();
    let answer: Accepted;
    let byEvent: Map<string, { internal_event_id: string; flagged: boolean; status: string }>;

    it('is answered with 50 verdicts in one response [4.7.events] [4.7.buckets] [batch.answer] [batch.buckets] [2.8.created_at] [1.2.events]', async () => {
      answer = await system().events(sent, { run_id: run });
      const { flagged, run_id: runId, results, order } = answer.json;
      assert.equal(flagged, true);
      assert.equal(runId, run);
      assert.deepEqual(Object.keys(results), BUCKETS);
      assert.equal(order.length, 50);
      byEvent = new Map(order.map((entry: { event_id: string }) => [entry.event_id, entry]));
      for (const [index, event] of sent.entries()) {
        const entry = order[index];
        assert.deepEqual(
          {
            index: entry.index,
            type: entry.type,
            event_id: entry.event_id,
            run_id: entry.run_id,
            result: entry.result,
          },
          { index, type: event.type, event_id: event.event_id, run_id: run, result: undefined },
        );
        const result = results[event.type][event.event_id];
        assertHas(result.event, { status: 'completed', internal_event_id: entry.internal_event_id, type: event.type });
        assert.equal(result.event.run_id, run);
        assert.equal(result.flagged, entry.flagged);
        assert.ok(Date.parse(result.event.created_at) <= Date.parse(result.event.updated_at));
        assert.equal(result.metadata, undefined, 'metadata comes with look-ups only');
      }
      assert.equal(new Set(order.map((entry: { internal_event_id: string }) => entry.internal_event_id)).size, 50);
    });

    it('flags exactly what violates a policy [2.2.map] [2.2.flagged] [2.2.name] [2.8.flagged] [2.8.policies] [1.1.verdict]', () => {
      const { results } = answer.json;
      const flagged = answer.json.order.filter((entry: { flagged: boolean }) => entry.flagged);
      assert.deepEqual(pluck(flagged, 'event_id'), ['user-2', 'state-7', 'answer-7']);
      assert.deepEqual(flaggedOf(results.message['user-2'].policies), [POLICY.card]);
      assert.deepEqual(flaggedOf(results.agent['state-7'].policies), [POLICY.agentState]);
      assert.deepEqual(flaggedOf(results.message['answer-7'].policies), [POLICY.mail]);
      assert.deepEqual(results.message['user-2'].policies[POLICY.card], {
        flagged: true,
        name: 'Cards',
        enabled_by_conditions: [{ id: 'all', name: 'Everything' }],
      });
    });

    it('is found again, each event by its internal id and by run and event id, with its metadata [1.4.internal] [1.4.caller] [2.8.metadata] [4.6.saved] [4.8.path]', async () => {
      const check = async (event: Sent): Promise<void> => {
        const entry = byEvent.get(event.event_id)!;
        const byId = await system().get(`/api/event/${entry.internal_event_id}?environment_id=prod`);
        assert.equal(byId.status, 200);
        const byName = await system().get(
          `/api/event?environment_id=prod&run_id=${run}&event_id=${event.event_id}&type=${event.type}`,
        );
        assert.equal(byName.text, byId.text);
        const { metadata, ...rest } = byId.json;
        assert.deepEqual(metadata, event.metadata);
        assert.deepEqual(rest, answer.json.results[event.type][event.event_id]);
      };
      await Promise.all(sent.map(check));
    });

    it('is 50 rows of ClickHouse, with what was asked and what was answered [event.links] [event.link-run]', async () => {
      await system().archived();
      const rows = await system().sql(
        `SELECT *, contents.content AS content, contents.metadata AS metadata FROM results
         JOIN contents USING (team, scope, ts, id) WHERE run_id = '${run}' ORDER BY ts, id`,
      );
      assert.equal(rows.length, 50);
      for (const [index, event] of sent.entries()) {
        const row = rows[index]!;
        const entry = byEvent.get(event.event_id)!;
        const field = ['content', 'arguments', 'state'].find((name) => name in event)!;
        const value = event[field];
        const columns = [
          row.id,
          row.team,
          row.scope,
          row.kind,
          row.type,
          row.field,
          row.event_id,
          row.status,
          row.flagged,
          row.key,
        ];
        assert.deepEqual(columns, [
          entry.internal_event_id,
          'acme',
          'prod',
          'events',
          event.type,
          field,
          event.event_id,
          'completed',
          entry.flagged,
          'acme',
        ]);
        assert.equal(row.content, typeof value === 'string' ? value : JSON.stringify(value));
        assert.equal(row.metadata, event.metadata ? JSON.stringify(event.metadata) : null);
        assert.deepEqual(JSON.parse(String(row.policies)), answer.json.results[event.type][event.event_id].policies);
        assert.equal(row.role, event.role ?? null);
        const names = [row.name, row.call_id, row.format];
        assert.deepEqual(names, [event.name ?? null, event.call_id ?? null, event.format ?? null]);
      }
      const links = rows.find((row) => row.event_id === 'call-3')!;
      assertHas(links, { 'link.kind': ['parent', 'link', 'link'], 'link.event_id': ['user-3', 'think-3', 'before'] });
      assertHas(links, { 'link.run_id': [run, run, 'another'], 'link.relation': [null, 'caused_by', 'follows'] });
    });

    it('has one row per violation in the view for people, with where it was found and never what', async () => {
      await system().archived();
      const rows = await system().sql(
        `SELECT event_id, toString(policy_id) AS policy, policy_name, severity, sources FROM violations
         WHERE run_id = '${run}' ORDER BY ts, id`,
      );
      assert.deepEqual(rows, [
        { event_id: 'user-2', policy: POLICY.card, policy_name: 'Cards', severity: 'high', sources: ['text'] },
        {
          event_id: 'state-7',
          policy: POLICY.agentState,
          policy_name: 'Agent state',
          severity: 'medium',
          sources: ['text'],
        },
        {
          event_id: 'answer-7',
          policy: POLICY.mail,
          policy_name: 'Mail in answers',
          severity: 'medium',
          sources: ['text'],
        },
      ]);
      const [found] = await system().sql(
        `SELECT evidence.start[1] AS start, evidence.end[1] AS end, toString(evidence.policy[1]) AS policy
         FROM results WHERE run_id = '${run}' AND event_id = 'user-2'`,
      );
      const content = String(sent[5]!.content);
      assert.equal(content.slice(Number(found!.start), Number(found!.end)), CARD);
      assert.equal(found!.policy, POLICY.card);
    });

    it('is there for the ClickHouse client too', async () => {
      await system().archived();
      const client = createClient({ url: system().stack.clickhouseUrl, database: 'weir' });
      try {
        const result = await client.query({
          query: 'SELECT count() AS rows, countIf(flagged) AS flagged FROM results WHERE run_id = {run:String}',
          query_params: { run },
          format: 'JSONEachRow',
        });
        const [row] = await result.json<{ rows: string; flagged: string }>();
        assert.deepEqual([Number(row!.rows), Number(row!.flagged)], [50, 3]);
      } finally {
        await client.close();
      }
    });
  });
}
