/** ClickHouse is away: what it would have to be asked is 503 or noted, never absent. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { it } from 'node:test';
import { itemId, newRequestId } from '#weir/shared/ids';
import { until } from '../../support/wait.ts';
import { CARD } from '../configuration.ts';
import { newRun, type System } from '../system.ts';
import { graphPath } from './graph.ts';
import { riskPath } from './risk.ts';

export function outage(system: () => System): void {
  it('while ClickHouse is away reads say that nobody knows, and declared causes are noted as not looked up [history.away]', async () => {
    const s = system();
    const [run, external, id] = [newRun(), randomUUID(), randomUUID()];
    const old = (await s.events([{ type: 'tool', event_id: 'old', output: 'x' }], { run_id: run })).json.order[0];
    await s.cold(old.internal_event_id);
    const paths = [
      graphPath(run),
      graphPath(newRun()),
      graphPath(run, '', 'nowhere'),
      `/api/protect/get_by_id?deployment_id=chat&external_id=${external}`,
      `/api/protect/get_by_id?deployment_id=chat&internal_id=${itemId(newRequestId(0), 1)}`,
      riskPath({ id }),
      riskPath({ id: randomUUID() }),
      '/api/history',
      '/api/history/figures?by=policy',
      '/api/users',
    ];
    await s.stack.clickhouse.kill();
    try {
      const messages = [{ role: 'user', content: CARD, metadata: { user: { id } } }];
      await s.session({ external_session_id: external, messages });
      const { json } = await s.events(
        [
          { type: 'tool', event_id: 'new', output: 'x', parent: { event_id: 'old' } },
          { type: 'tool', event_id: 'next', output: 'x', parent: { event_id: 'new' } },
          {
            type: 'tool',
            event_id: 'last',
            output: 'x',
            parent: { internal_event_id: old.internal_event_id },
            links: [{ event_id: 'next' }],
          },
        ],
        { run_id: run },
      );
      const { tool } = json.results;
      const seen = ['new', 'next', 'last'].map((event) => [tool[event].event.status, tool[event].note]);
      assert.deepEqual(seen, [
        ['completed', '1 of 1 declared causes could not be looked up'],
        ['completed', undefined],
        ['completed', '1 of 2 declared causes could not be looked up'],
      ]);
      for (const path of paths) {
        const answer = await s.get(path);
        assert.deepEqual([answer.status, answer.json.error?.code], [503, 'unavailable'], path);
        assert.ok(Number(answer.headers.get('retry-after')) >= 1);
      }
    } finally {
      await s.stack.clickhouse.restart();
    }
    const expected = [200, 404, 404, 200, 200, 200, 404, 200, 200, 200];
    for (const [i, path] of paths.entries()) {
      await until('it is answered again', async () => (await s.get(path)).status === expected[i]);
    }
    await s.archived();
    const { json } = await s.get(graphPath(run));
    assert.equal(json.nodes.length, 4);
    assert.ok(json.edges.every((edge: { resolved: boolean }) => edge.resolved));
  });
}
