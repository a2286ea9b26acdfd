/**
 * An installation that masks content, and then `content_days: 0`: what callers send is in no file once it is archived and Redis has rewritten its own. And a second
 * installation, as of another region (decisions, Regions).
 */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { filesWith } from '../../support/files.ts';
import { until } from '../../support/wait.ts';
import { configuration, KEY } from '../configuration.ts';
import { newFolder, newRun, type System, startSystem } from '../system.ts';
import { MASKED, masked } from './masked.ts';

/** `other`: an installation of another region. */
export function noContent(other: () => System): void {
  describe('an installation that keeps little', () => {
    const folder = newFolder();
    let system: System;
    let there: System;
    before(async () => {
      const text = `${configuration()}\n${MASKED}`;
      system = await startSystem({
        dataDir: folder,
        configuration: { text, file: 'test.yaml' },
        env: { WEIR_REWRITE_SECONDS: '1', WEIR_HOT_SECONDS: '1' },
      });
      there = other();
    });
    after(async () => {
      await system?.close();
      rmSync(folder, { recursive: true, force: true });
    });

    masked(() => system, folder);

    it('answers, stores the verdict, and forgets content and metadata but for tags [config.no-content]', async () => {
      await system.apply(`${configuration()}\nretention: {content_days: 0}\n`);
      const [marker, run] = [randomUUID(), newRun()];
      const event = {
        type: 'message',
        role: 'user',
        event_id: 'm1',
        content: `open sesame ${marker}`,
        metadata: { marker, user: { tier: 'pro' } },
      };
      const body = { environment_id: 'prod', run_id: run, events: [event] };
      const checked = await system.post('/api/events', body, { key: KEY.globex });
      assert.equal(checked.json.flagged, true);
      const session = { messages: [{ role: 'user', content: `hello ${marker}`, metadata: { marker } }] };
      assert.equal((await system.post('/api/session/check', session, { key: KEY.globex })).status, 200);
      const id = checked.json.results.message.m1.event.internal_event_id;
      await system.cold(id);
      const found = await system.get(`/api/event/${id}?environment_id=prod`, { key: KEY.globex });
      assert.deepEqual([found.status, found.json.flagged, found.json.metadata], [200, true, undefined]);
      const rows = await system.sql(`SELECT flagged, run_id, tags FROM results WHERE run_id = '${run}'`);
      assert.deepEqual(rows, [{ flagged: true, run_id: run, tags: { 'user.tier': 'pro' } }]);
      const pro = `SELECT policy_name FROM violations WHERE run_id = '${run}' AND tags['user.tier'] = 'pro'`;
      assert.equal((await system.sql(pro)).length, 1);
      const kept = "SELECT id FROM contents WHERE team = 'globex' AND (content != '' OR metadata IS NOT NULL)";
      assert.deepEqual(await system.sql(kept), []);
      await until('no file has it', () => filesWith(folder, marker).length === 0);
    });

    it('has nothing in common with one of another region: no result, run or session is found there [0.regions]', async () => {
      const run = newRun();
      const external = randomUUID();
      const event = { type: 'reasoning', event_id: 'e', content: 'x' };
      const messages = [{ role: 'user', content: 'x' }];
      const checked = (await system.events([event], { run_id: run })).json.order[0];
      const session = (await system.session({ external_session_id: external, messages })).json;
      const paths = [
        `/api/event/${checked.internal_event_id}?environment_id=prod`,
        `/api/event?environment_id=prod&run_id=${run}&event_id=e`,
        `/api/session/${session.internal_session_id}`,
        `/api/session?external_session_id=${external}`,
      ];
      const statuses = (of: System) => Promise.all(paths.map(async (path) => (await of.get(path)).status));
      assert.deepEqual(await statuses(system), [200, 200, 200, 200]);
      assert.deepEqual(await statuses(there), [404, 404, 404, 404]);
      const [reference] = (await there.events([{ type: 'reasoning', event_id: 'e' }], { run_id: run })).json.order;
      assert.equal(reference.status, 'not_found');
      await system.cold(checked.internal_event_id);
      assert.deepEqual(await statuses(there), [404, 404, 404, 404]);
    });
  });
}
