/** A check that is not finished in time (decisions, Sync deadline): 504 with ids, 409 until it is there, then 200. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { assertHas } from '../support/has.ts';
import { picture } from '../support/images/pictures.ts';
import { pluck } from '../support/pluck.ts';
import { until } from '../support/wait.ts';
import { client } from './client.ts';
import { CARD, KEY } from './configuration.ts';
import { type Answer, newRun, type System, startSystem } from './system.ts';

let system: System;
before(async () => {
  system = await startSystem({
    partitions: 4,
    evaluators: 2,
    separateArchiver: true,
    env: { WEIR_DEADLINE_MS: '1500' },
  });
});
after(() => system?.close());

describe('a check that is late', () => {
  const signal = (name: 'SIGSTOP' | 'SIGCONT'): void => {
    for (const { pid } of system.stack.evaluators) process.kill(pid, name);
  };

  it('is answered 504 with ids; look-ups are 409 until the work is done, 404 for others, and 200 at last [deadline.session] [deadline.event] [deadline.batch] [deadline.goes-on] [deadline.result] [error.evaluation_timeout] [error.result_not_ready]', async () => {
    const run = newRun();
    const external = randomUUID();
    const reasoning = { type: 'reasoning', content: CARD };
    const batch = {
      environment_id: 'prod',
      run_id: run,
      events: [{ ...reasoning, event_id: 'a' }, { type: 'reasoning', event_id: 'none' }, reasoning],
    };
    const single = { environment_id: 'prod', event: { ...reasoning, run_id: run, event_id: 'single' } };
    const session = {
      deployment_id: 'support',
      external_session_id: external,
      messages: [{ role: 'user', content: CARD }],
    };
    signal('SIGSTOP');
    let late: Answer[];
    let pending: string[];
    try {
      late = await Promise.all([
        system.post('/api/events', batch),
        system.post('/api/event', single),
        system.post('/api/session/check', session),
      ]);
      for (const { status, json } of late) {
        assert.equal(status, 504);
        assertHas(json.error, { code: 'evaluation_timeout', type: 'api_error' });
      }
      const { items } = late[0]!.json.error;
      const named = items.map(({ index, event_id }: { index: number; event_id: string }) => [
        index,
        event_id.slice(0, 4),
      ]);
      assert.deepEqual(named, [
        [0, 'a'],
        [2, 'evt_'],
      ]);
      const byIds = (event: string): string => `/api/event?environment_id=prod&run_id=${run}&event_id=${event}`;
      pending = [
        ...items.map(
          ({ internal_event_id: id }: { internal_event_id: string }) => `/api/event/${id}?environment_id=prod`,
        ),
        late[1]!.json.error.result.result_url,
        late[2]!.json.error.result.result_url,
        `/api/session?deployment_id=support&external_session_id=${external}`,
        ...['a', items[1].event_id, 'single'].map(byIds),
      ];
      for (const path of pending) {
        const waiting = await system.get(path);
        assert.equal(waiting.status, 409, path);
        assertHas(waiting.json.error, { code: 'result_not_ready', type: 'conflict_error' });
        assert.ok(Number(waiting.headers.get('retry-after')) >= 1);
      }
      const { internal_event_id: eventId } = late[1]!.json.error.result;
      const { internal_session_id: sessionId } = late[2]!.json.error.result;
      const absent = [
        ...pending.map((path) => system.get(path, { key: KEY.globex })),
        system.get(`/api/event/${eventId}?environment_id=staging`),
        system.get(`/api/event/${sessionId}?environment_id=prod`),
        system.get(`/api/session/${sessionId}?deployment_id=chat`),
        system.get(`/api/event/${sessionId}?environment_id=support`),
        system.get(`/api/event/${randomUUID()}?environment_id=prod`),
        system.get(byIds('none')),
        system.get(byIds('a').replace('prod', 'staging')),
        system.get(`/api/session?external_session_id=${external}`, { key: KEY.globex }),
        system.get(`/api/session?deployment_id=chat&external_session_id=${external}`),
      ];
      for (const { status } of await Promise.all(absent)) assert.equal(status, 404);
    } finally {
      signal('SIGCONT');
    }
    const found: Answer[] = [];
    for (const path of pending) {
      await until('the result is there', async () => (await system.get(path)).status === 200);
      found.push(await system.get(path));
    }
    const [first, second, alone, chat] = found.map(({ json }) => json);
    assert.deepEqual([first.event.event_id, first.flagged, first.event.run_id], ['a', true, run]);
    assert.equal(second.event.event_id, late[0]!.json.error.items[1].event_id);
    assert.equal(second.event.internal_event_id, late[0]!.json.error.items[1].internal_event_id);
    assert.deepEqual([alone.event.event_id, alone.flagged], ['single', true]);
    assertHas(chat.session, { internal_session_id: late[2]!.json.error.result.internal_session_id, flagged: true });
    for (const path of pending) assert.equal((await system.get(path, { key: KEY.globex })).status, 404);
    const { internal_session_id: sessionId } = chat.session;
    assert.equal((await system.get(`/api/event/${sessionId}?environment_id=support`)).status, 404);
    await system.archived();
    const rows = await system.sql(
      `SELECT count() AS rows, uniqExact(id) AS ids FROM items
         WHERE run_id = '${run}' OR external_session_id = '${external}'`,
    );
    assert.deepEqual([Number(rows[0]!.rows), Number(rows[0]!.ids)], [4, 4], 'each is archived once');
  });

  it('is, where it is a session, looked up by the caller’s id not answered with the verdict of an earlier check [4.3.answer] [deadline.session]', async () => {
    const external = newRun('session');
    const say = (content: string) => ({
      deployment_id: 'support',
      external_session_id: external,
      messages: [{ role: 'user', content }],
    });
    const look = (): Promise<Answer> =>
      system.get(`/api/session?deployment_id=support&external_session_id=${external}`);
    const earlier = await system.post('/api/session/check', say('hi'));
    // A first check may itself be late on a machine that is busy.
    await until('it is stored', async () => (await look()).status === 200);
    assert.equal((await look()).json.session.flagged, false);
    let late: Answer;
    signal('SIGSTOP');
    try {
      late = await system.post('/api/session/check', say(CARD));
      const waiting = await look();
      assert.deepEqual([waiting.status, waiting.json.error?.code], [409, 'result_not_ready']);
      assert.ok(Number(waiting.headers.get('retry-after')) >= 1);
    } finally {
      signal('SIGCONT');
    }
    const { internal_session_id: id } = late.json.error.result;
    assert.notEqual(id, earlier.json.internal_session_id);
    await until('the result is there', async () => (await look()).status === 200);
    const { session } = (await look()).json;
    assert.deepEqual([session.internal_session_id, session.flagged], [id, true]);
  });

  it('is linked, where it is a session, to artifacts by both of its ids, though they name the internal one while it is under way [artifact.body]', async () => {
    const external = newRun('session');
    const say = {
      deployment_id: 'support',
      external_session_id: external,
      messages: [{ role: 'user', content: 'hi' }],
    };
    const data = (await picture('photo', 3, 64, 64)).toString('base64');
    let artifact: Answer;
    let session: string;
    signal('SIGSTOP');
    try {
      const late = await system.post('/api/session/check', say);
      assert.equal(late.status, 504);
      session = late.json.error.result.internal_session_id;
      const link = { deployment_id: 'support', internal_session_id: session };
      artifact = await system.post('/api/artifact', { ...link, content: { kind: 'image', data } });
    } finally {
      signal('SIGCONT');
    }
    assert.deepEqual([artifact.status, artifact.json.status], [200, 'processing']);
    const { internal_artifact_id: id } = artifact.json;
    const query = `internal_artifact_id=${id}&deployment_id=support`;
    const look = (): Promise<Answer> => system.get(`/api/artifact/get_by_id?${query}`);
    await until('it is finished', async () => (await look()).json.status !== 'processing');
    for (const { json } of [artifact, await look()]) {
      assert.deepEqual([json.internal_session_id, json.external_session_id], [session, external]);
    }
    // A later check of the session has an id of its own: only the caller's leads from it to the artifact.
    const later = await system.post('/api/session/check', say);
    const next = later.json.internal_session_id ?? later.json.error.result.internal_session_id;
    const latest = (): Promise<Answer> =>
      system.get(`/api/session?deployment_id=support&external_session_id=${external}`);
    await until('the later check is the latest', async () => {
      const { json } = await latest();
      return json.session?.internal_session_id === next;
    });
    const { artifacts } = (await latest()).json;
    assert.deepEqual(pluck(artifacts, 'internal_artifact_id'), [id]);
  });
});

client(() => system);
