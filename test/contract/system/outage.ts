/** ClickHouse is away: verdicts go on, and what only it knows is 503 or `failed`, never "not found". */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { it } from 'node:test';
import { CARD } from '../../e2e/configuration.ts';
import { newRun, type System } from '../../e2e/system.ts';
import { pluck } from '../../support/pluck.ts';
import { until } from '../../support/wait.ts';
import { refer } from './events/references.ts';

export function outage(system: () => System): void {
  it('while ClickHouse is away checks, hot look-ups and hot references go on, and cold ones say that nobody knows [error.unavailable] [3.event-failed] [7.event-failed] [batch.failures]', async () => {
    const s = system();
    const run = newRun();
    const external = randomUUID();
    const messages = [{ role: 'user', content: CARD }];
    const old = (await s.events([{ type: 'tool', event_id: 'old', output: CARD }], { run_id: run })).json.order[0];
    const oldSession = (await s.session({ external_session_id: external, messages })).json;
    await s.cold(old.internal_event_id);
    await s.cold(oldSession.internal_session_id);
    const cold: string[] = [];
    await s.stack.clickhouse.kill();
    try {
      const { json } = await s.events([{ type: 'tool', event_id: 'new', output: CARD }], { run_id: run });
      assert.equal(json.flagged, true);
      const hot = [
        `/api/event/${json.order[0].internal_event_id}?environment_id=prod`,
        `/api/event?environment_id=prod&run_id=${run}&event_id=new`,
      ];
      cold.push(
        `/api/event/${old.internal_event_id}?environment_id=prod`,
        `/api/event/${old.internal_event_id}?environment_id=staging`,
        `/api/event?environment_id=prod&run_id=${run}&event_id=old`,
        `/api/event?environment_id=prod&run_id=${run}&event_id=never`,
        `/api/session/${oldSession.internal_session_id}`,
        `/api/session?external_session_id=${external}`,
      );
      const look = async (): Promise<void> => {
        for (const path of hot) assert.equal((await s.get(path)).status, 200, path);
        for (const path of cold) {
          const answer = await s.get(path);
          assert.equal(answer.status, 503, path);
          assert.equal(answer.json.error.code, 'unavailable');
          assert.ok(Number(answer.headers.get('retry-after')) >= 1);
        }
      };
      await look();
      const references = await s.events(
        [
          { type: 'tool', event_id: 'new' },
          { type: 'tool', event_id: 'old' },
          { type: 'tool', event_id: 'fresh', output: 'fine' },
          { type: 'tool', event_id: 'fresh' },
        ],
        { run_id: run },
      );
      const statuses = references.json.order.map(({ status }: { status: string }) => status);
      assert.deepEqual(statuses, ['referenced', 'failed', 'completed', 'referenced']);
      const failed = references.json.results.tool.old;
      assert.equal(failed.flagged, false);
      assert.deepEqual(failed.policies, {});
      assert.match(failed.note, /could not be looked up/);
      await new Promise((resolve) => setTimeout(resolve, 3500));
      await look();
    } finally {
      await s.stack.clickhouse.restart();
    }
    await s.archived();
    const rows = await s.sql(`SELECT event_id FROM results WHERE run_id = '${run}' ORDER BY ts, id`);
    assert.deepEqual(pluck(rows, 'event_id'), ['old', 'new', 'fresh']);
    await until('the reference resolves again', async () => {
      const [entry] = await refer(s, run, [{ type: 'tool', event_id: 'old' }]);
      return entry!.internal_event_id === old.internal_event_id;
    });
    // Whoever asked in vain waits a moment before asking again.
    for (const path of cold) {
      const expected = path.includes('staging') || path.endsWith('never') ? 404 : 200;
      await until('the look-up is answered again', async () => (await s.get(path)).status === expected);
    }
  });
}
