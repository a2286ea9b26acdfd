/** Which policies an event is checked against (2.2, 6): conditions, selectors by type, field and direction. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CARD, METRIC, POLICY } from '../../../e2e/configuration.ts';
import { newRun, type System } from '../../../e2e/system.ts';

/** Contains what every policy looks for. */
const EVERYTHING = `open sesame for nothing hush hush ${CARD} a@example.org`;

type Policies = Record<
  string,
  { flagged: boolean; name: string; enabled_by_conditions?: { id: string; name: string }[] }
>;

export function selection(system: () => System): void {
  const check = async (
    event: Record<string, unknown>,
    environment = 'prod',
  ): Promise<{ policies: Policies; note?: string; flagged: boolean; event: { status: string } }> => {
    const answer = await system().post('/api/event', { environment_id: environment, event });
    assert.equal(answer.status, 200, answer.text);
    return answer.json;
  };
  const names = (policies: Policies): string[] =>
    Object.values(policies)
      .map(({ name, flagged }) => (flagged ? name : `(${name})`))
      .sort();

  describe('policies of an event', { concurrency: 8 }, () => {
    it('are chosen by direction on messages: input for users, output for assistants [event.direction] [6.2.selectors]', async () => {
      const said = (role: string) => check({ type: 'message', role, content: EVERYTHING });
      assert.deepEqual(names((await said('user')).policies), ['Cards', 'Sesame']);
      assert.deepEqual(names((await said('assistant')).policies), ['Cards', 'Mail in answers']);
    });

    it('are chosen by type and field on all other events, whatever their direction [6.3.type-field] [event.direction] [6.2.selectors]', async () => {
      const expected: [event: Record<string, unknown>, names: string[]][] = [
        [{ type: 'tool', output: EVERYTHING }, ['Cards', 'Sesame', 'Tool output']],
        [{ type: 'tool', arguments: EVERYTHING }, ['Cards', 'Sesame']],
        [{ type: 'tool', definition: EVERYTHING }, ['Cards', 'Sesame']],
        [{ type: 'function', output: EVERYTHING }, ['Cards', 'Sesame']],
        [{ type: 'agent', state: EVERYTHING }, ['Agent state', 'Cards', 'Sesame']],
        [{ type: 'agent', input: EVERYTHING }, ['Cards', 'Sesame']],
        [{ type: 'agent', instructions: EVERYTHING }, ['Cards', 'Sesame']],
        [{ type: 'agent', output: EVERYTHING }, ['Cards', 'Sesame']],
        [{ type: 'reasoning', content: EVERYTHING }, ['Cards', 'Sesame']],
      ];
      for (const [event, flagged] of expected) assert.deepEqual(names((await check(event)).policies), flagged);
    });

    it('look at keys and strings of a JSON value [event.json-content]', async () => {
      for (const value of [{ 'hush hush': 1 }, { a: [{ b: 'hush hush' }] }, ['x', 'hush hush']]) {
        const { policies } = await check({ type: 'tool', output: value });
        assert.equal(policies[POLICY.toolOutput]!.flagged, true, JSON.stringify(value));
      }
      for (const value of [{}, [], { hush: 'x' }, '']) {
        assert.equal((await check({ type: 'tool', output: value })).flagged, false);
      }
    });

    it('name every condition that selected them, and are evaluated once [2.2.enabled_by_conditions] [event.enabled-by] [6.2.conditions] [1.6.condition]', async () => {
      const both = [
        { id: 'all', name: 'Everything' },
        { id: 'free', name: 'Free tier' },
      ];
      const event = { type: 'reasoning', content: EVERYTHING };
      const { policies } = await check({ ...event, metadata: { user: { tier: 'free' } } });
      assert.deepEqual(policies[POLICY.card], { flagged: true, name: 'Cards', enabled_by_conditions: both });
      assert.deepEqual(policies[POLICY.cheap]!.enabled_by_conditions, [both[1]]);
      assert.deepEqual(policies[POLICY.sesame]!.enabled_by_conditions, [both[0]]);
      const paying = await check({ ...event, metadata: { user: { tier: 'pro' } } });
      assert.equal(POLICY.cheap in paying.policies, false);
      assert.deepEqual(paying.policies[POLICY.card]!.enabled_by_conditions, [both[0]]);
    });

    it('are none where no active condition matches: completed, not flagged, with a note, and stored so [6.3.no-condition] [event.no-condition] [2.8.note]', async () => {
      const run = newRun();
      const answer = await check(
        { type: 'message', role: 'user', event_id: 'm', run_id: run, content: EVERYTHING },
        'staging',
      );
      assert.equal(answer.event.status, 'completed');
      assert.equal(answer.flagged, false);
      assert.deepEqual(answer.policies, {});
      assert.equal(answer.note, 'no active condition matched');
      const stored = await system().get(`/api/event?environment_id=staging&run_id=${run}&event_id=m`);
      assert.equal(stored.json.note, answer.note);
      await system().archived();
      const rows = await system().sql(`SELECT note, flagged, policies FROM results WHERE run_id = '${run}'`);
      assert.deepEqual(rows, [{ note: answer.note, flagged: false, policies: '{}' }]);
    });

    it('are all that the map holds: configured metrics are in no answer and no look-up [2.2.no-metrics] [1.3.not-in-result]', async () => {
      const s = system();
      const event = { type: 'reasoning', event_id: 'e', run_id: newRun(), content: EVERYTHING };
      const one = await s.post('/api/event', { environment_id: 'prod', event });
      const many = await s.post('/api/events', { environment_id: 'prod', events: [event] });
      const messages = [{ role: 'user', content: EVERYTHING }];
      const session = await s.post('/api/session/check', { deployment_id: 'chat', messages });
      const ids = [one.json.event.internal_event_id, many.json.order[0].internal_event_id];
      const found = [
        ...(await Promise.all(ids.map((id) => s.get(`/api/event/${id}?environment_id=prod`)))),
        await s.get(`/api/session/${session.json.internal_session_id}`),
      ];
      for (const { status, text } of [one, many, session, ...found]) {
        assert.equal(status, 200);
        for (const word of [METRIC, 'metric']) assert.equal(text.toLowerCase().includes(word), false, text);
      }
      for (const map of [one.json.policies, many.json.results.reasoning.e.policies]) {
        assert.deepEqual(Object.keys(map), [POLICY.card, POLICY.sesame]);
      }
      assert.deepEqual(Object.keys(one.json), ['flagged', 'policies', 'event', 'run_id']);
      assert.deepEqual(Object.keys(session.json), ['flagged', 'internal_session_id', 'policies']);
    });

    it('of conditions that are switched off are not evaluated [6.3.no-condition] [event.sources]', async () => {
      const { policies } = await check({ type: 'reasoning', content: EVERYTHING });
      assert.equal(POLICY.unused in policies, false);
      assert.equal(POLICY.image in policies, false, 'nor those that do not look at text');
    });

    it('depend on type, role, name and metadata of each event of a batch by itself [4.7.conditions] [config.when] [5.3]', async () => {
      const { json } = await system().events(
        [
          { type: 'tool', event_id: '0', output: EVERYTHING },
          { type: 'tool', event_id: '1', output: EVERYTHING, name: 'search' },
          { type: 'function', event_id: '2', output: EVERYTHING, name: 'search' },
          { type: 'message', role: 'user', event_id: '3', content: EVERYTHING, metadata: { level: 4 } },
          { type: 'message', role: 'user', event_id: '4', content: EVERYTHING, metadata: { level: 3 } },
          { type: 'message', role: 'user', event_id: '5', content: EVERYTHING, metadata: { level: 'high' } },
          { type: 'message', role: 'assistant', event_id: '6', content: EVERYTHING, metadata: { level: 4 } },
          { type: 'message', role: 'user', event_id: '7', content: EVERYTHING },
        ],
        { environment_id: 'staging' },
      );
      const got = json.order.map(({ type, event_id }: { type: string; event_id: string }) =>
        names(json.results[type][event_id].policies),
      );
      assert.deepEqual(got, [['Cards'], ['Cards', 'Cheap'], ['Cheap'], ['Sesame'], [], [], [], []]);
      assert.equal(json.flagged, true);
    });
  });
}
