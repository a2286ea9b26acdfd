/** Labels in a whole installation: stored, shown in look-ups, kept through outages, seen by nobody else. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { until } from '../support/wait.ts';
import { KEY, POLICY } from './configuration.ts';
import { type Answer, newRun, type System, startSystem } from './system.ts';

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAABAAAAAMCAMAAABcOc2zAAAAA1BMVEU6bqXTREzSAAAACXBIWXMAAAPoAAAD6AG1e1JrAAAADElEQVQI12NgGD4AAADMAAG01/g9AAAAAElFTkSuQmCC';

describe('labels', { timeout: 600_000 }, () => {
  let system: System;
  before(async () => {
    system = await startSystem();
  });
  after(() => system.close());

  const label = (body: object, key?: string): Promise<Answer> => system.post('/api/label', body, key ? { key } : {});
  async function event(content: string): Promise<string> {
    const { json } = await system.events([{ type: 'message', role: 'user', content }], { run_id: newRun() });
    return json.order[0].internal_event_id;
  }
  const shown = async (id: string): Promise<unknown[]> => {
    const { status, json } = await system.get(`/api/event/${id}?environment_id=prod&labels=true`);
    assert.equal(status, 200);
    return json.labels.map(({ at: _, ...rest }: { at: string }) => rest);
  };
  const of = (id: string) => ({ internal_event_id: id, environment_id: 'prod' });
  const sesame = { policy_id: POLICY.sesame, policy_name: 'Sesame' };

  it('are shown by look-ups that ask for them, hot and archived, the newest first [labels.shown]', async () => {
    const id = await event('open sesame');
    assert.deepEqual(await shown(id), []);
    const note = 'a "quoted" note\u0000 with 😀 and \\';
    const said = { ...of(id), policy: 'Sesame', label: 'true_alarm' };
    assert.equal((await label({ ...said, reviewer: 'ann', note })).status, 200);
    assert.equal((await label({ ...said, reviewer: 'bob', label: 'false_alarm' })).status, 200);
    assert.equal((await label({ ...of(id), policy: POLICY.mail, label: 'missed' })).status, 200);
    const expected = [
      { policy_id: POLICY.mail, policy_name: 'Mail in answers', label: 'missed', reviewer: 'acme' },
      { ...sesame, label: 'false_alarm', reviewer: 'bob' },
      { ...sesame, label: 'true_alarm', reviewer: 'ann', note },
    ];
    assert.ok(await system.isHot(id));
    assert.deepEqual(await shown(id), expected);
    await system.cold(id);
    assert.deepEqual(await shown(id), expected);
    const again = await label({ ...said, reviewer: 'ann', label: 'false_alarm' });
    assert.equal(again.status, 200, 'it can be labelled when it is archived');
    assert.deepEqual((await shown(id))[0], { ...sesame, label: 'false_alarm', reviewer: 'ann' });
    assert.equal('labels' in (await system.get(`/api/event/${id}?environment_id=prod`)).json, false);
  });

  it('are of sessions and images as well', async () => {
    const { json } = await system.session({ messages: [{ role: 'user', content: 'open sesame' }] });
    const session = json.internal_session_id;
    await label({ internal_session_id: session, policy: 'Sesame', label: 'true_alarm', reviewer: 'ann' });
    const found = await system.get(`/api/session/${session}?labels=1`);
    assert.deepEqual(
      found.json.session.labels.map(({ reviewer }: { reviewer: string }) => reviewer),
      ['ann'],
    );
    const image = await system.post('/api/artifact', { content: { kind: 'image', data: PNG } });
    const artifact = image.json.internal_artifact_id;
    await until('the image is checked', async () => {
      const { json } = await system.get(`/api/artifact/get_by_id?internal_artifact_id=${artifact}`);
      return json.status === 'completed';
    });
    const missed = { internal_artifact_id: artifact, policy: 'Images', label: 'missed', reviewer: 'ann' };
    assert.equal((await label(missed)).status, 200);
    const looked = await system.get(`/api/artifact/get_by_id?internal_artifact_id=${artifact}&labels=True`);
    assert.deepEqual(
      looked.json.labels.map((one: { label: string }) => one.label),
      ['missed'],
    );
  });

  it('join by id in SQL', async () => {
    const id = await event('open sesame');
    await label({ ...of(id), policy: 'Sesame', label: 'true_alarm' });
    await system.cold(id);
    const rows =
      await system.sql(`SELECT r.type AS type, l.label AS label, l.key AS key, l.item AS item FROM results AS r
      INNER JOIN (SELECT * FROM labels FINAL) AS l ON l.id = r.id WHERE r.id = '${id}'`);
    assert.deepEqual(rows, [{ type: 'message', label: 'true_alarm', key: 'acme', item: 'event' }]);
  });

  it('need the scope review, and are of the team alone [labels.scope] [labels.foreign]', async () => {
    const id = await event('open sesame');
    const said = { ...of(id), policy: 'Sesame', label: 'true_alarm' };
    assert.equal((await label(said, KEY.narrow)).status, 403);
    const foreign = await label(said, KEY.globex);
    const absent = await label({ ...said, internal_event_id: id.replace(/.{4}-/, '0000-') }, KEY.globex);
    assert.equal(foreign.status, 404);
    const without = ({ json }: Answer) => ({ ...json.error, request_id: '' });
    assert.deepEqual(without(foreign), without(absent));
    const looked = await system.get(`/api/event/${id}?environment_id=staging&labels=true`, { key: KEY.narrow });
    assert.deepEqual([looked.status, looked.json.error.param], [403, 'labels']);
    assert.equal((await system.get(`/api/event/${id}?environment_id=prod&labels=yes`)).status, 400);
    assert.deepEqual(await shown(id), []);
  });

  it('have a queue of what the key may see, without what was labelled [labels.queue]', async () => {
    const id = await event('open sesame');
    const { json } = await system.session({ messages: [{ role: 'user', content: 'open sesame' }] });
    const session = json.internal_session_id;
    await system.cold(id);
    await system.cold(session);
    const queued = async (key?: string, query = ''): Promise<string[]> => {
      const { status, json } = await system.get(`/api/label/queue?limit=100${query}`, key ? { key } : {});
      assert.equal(status, 200);
      return json.verdicts.map((one: Record<string, string>) => one.internal_event_id ?? one.internal_session_id);
    };
    const mine = (await queued()).filter((one) => one === id || one === session);
    assert.deepEqual(new Set(mine), new Set([id, session]));
    assert.deepEqual(await queued(KEY.globex), []);
    await label({ ...of(id), policy: 'Sesame', label: 'true_alarm', reviewer: 'ann' });
    assert.equal((await queued()).includes(id), false);
    assert.equal((await queued(undefined, '&reviewer=ann')).includes(id), false);
    assert.equal((await queued(undefined, '&reviewer=bob')).includes(id), true);
    assert.deepEqual(await queued(undefined, '&policy=Cards'), []);
  });

  it('can be taken back, and given again, as if nothing had been said [labels.withdraw]', async () => {
    const id = await event('open sesame');
    const said = { ...of(id), policy: 'Sesame', label: 'true_alarm', reviewer: 'ann' };
    await system.cold(id);
    const isQueued = async (): Promise<boolean> => {
      const { json } = await system.get('/api/label/queue?limit=100');
      return json.verdicts.some((one: Record<string, string>) => one.internal_event_id === id);
    };
    assert.equal((await label({ ...said, label: 'withdrawn' })).status, 200, 'also what was never given');
    assert.deepEqual([await shown(id), await isQueued()], [[], true]);
    await label(said);
    assert.deepEqual([(await shown(id)).length, await isQueued()], [1, false]);
    const { json } = await label({ ...said, label: 'withdrawn' });
    assert.equal(json.label, 'withdrawn');
    assert.deepEqual([await shown(id), await isQueued()], [[], true]);
    await label({ ...said, label: 'false_alarm' });
    assert.deepEqual(await shown(id), [{ ...sesame, label: 'false_alarm', reviewer: 'ann' }]);
    const count = "SELECT label, count() AS n FROM labels FINAL WHERE label != 'withdrawn' AND id = '";
    assert.deepEqual(await system.sql(`${count}${id}' GROUP BY label`), [{ label: 'false_alarm', n: 1 }]);
  });

  it('are a 503 while ClickHouse is away, and none that was answered is lost [labels.kept]', async () => {
    const id = await event('open sesame');
    const said = { ...of(id), policy: 'Sesame', label: 'true_alarm' };
    assert.equal((await label({ ...said, reviewer: 'before' })).status, 200);
    await system.stack.clickhouse.kill();
    try {
      const refused = await label({ ...said, reviewer: 'during' });
      assert.deepEqual([refused.status, refused.json.error.code], [503, 'unavailable']);
      assert.ok(Number(refused.headers.get('retry-after')) > 0);
      const looked = await system.get(`/api/event/${id}?environment_id=prod&labels=true`);
      assert.equal(looked.status, 503, 'a look-up that cannot have all labels has none');
      assert.equal((await system.get(`/api/event/${id}?environment_id=prod`)).status, 200);
    } finally {
      await system.stack.clickhouse.restart();
    }
    await until('labels are taken', async () => (await label({ ...said, reviewer: 'after' })).status === 200);
    await until('labels are shown', async () => {
      const { status } = await system.get(`/api/event/${id}?environment_id=prod&labels=true`);
      return status === 200;
    });
    const reviewers = (await shown(id)).map((one) => (one as { reviewer: string }).reviewer);
    for (const reviewer of ['before', 'after']) assert.ok(reviewers.includes(reviewer), reviewer);
  });
});
