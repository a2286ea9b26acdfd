/** Two regions are two installations: nothing crosses, whatever ids and keys they share (decisions, Regions). */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { newRun, type System, startSystem } from './system.ts';

describe('two regions', () => {
  let here: System;
  let there: System;
  before(async () => {
    [here, there] = await Promise.all([startSystem(), startSystem()]);
  });
  after(() => Promise.all([here?.close(), there?.close()]));

  it('have the same interface and nothing in common: no result, run or session of one is found in the other [0.regions]', async () => {
    const run = newRun();
    const external = randomUUID();
    const event = { type: 'reasoning', event_id: 'e', content: 'x' };
    const messages = [{ role: 'user', content: 'x' }];
    const checked = (await here.events([event], { run_id: run })).json.order[0];
    const session = (await here.session({ external_session_id: external, messages })).json;
    const paths = [
      `/api/event/${checked.internal_event_id}?environment_id=prod`,
      `/api/event?environment_id=prod&run_id=${run}&event_id=e`,
      `/api/session/${session.internal_session_id}`,
      `/api/session?external_session_id=${external}`,
    ];
    const statuses = (system: System) => Promise.all(paths.map(async (path) => (await system.get(path)).status));
    assert.deepEqual(await statuses(here), [200, 200, 200, 200]);
    assert.deepEqual(await statuses(there), [404, 404, 404, 404]);
    const [reference] = (await there.events([{ type: 'reasoning', event_id: 'e' }], { run_id: run })).json.order;
    assert.equal(reference.status, 'not_found');
    await here.cold(checked.internal_event_id);
    assert.deepEqual(await statuses(there), [404, 404, 404, 404]);
  });
});
