import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Answer, assertError, sharedIngress, storedItem } from './support.ts';

const ID = '01890000-0000-7000-8000-000000000001';

describe('look-ups', () => {
  const ingress = sharedIngress();
  const get = (path: string, token = 'good'): Promise<Answer> =>
    ingress.call({ method: 'GET', path, headers: { authorization: `Bearer ${token}` } });

  it('of an event by its internal id ask for it in the environment, and include its metadata [4.8.path] [2.8.metadata]', async () => {
    ingress.found = { status: 'found', item: storedItem() };
    const answer = await get(`/api/event/${ID.toUpperCase()}?environment_id=prod&unknown=1`);
    assert.equal(answer.status, 200);
    assert.deepEqual(answer.json.metadata, { a: 1 });
    assert.equal(answer.json.event.internal_event_id, ID);
    assert.deepEqual(ingress.lookups.at(-1), ['byId', 'event', 'acme', 'prod', ID]);
  });

  it('of the latest event of a run take its ids from the query, decoded [4.9.type-differs] [4.9.type]', async () => {
    ingress.found = { status: 'found', item: storedItem() };
    const answer = await get('/api/event?environment_id=prod&run_id=a%3Ab&event_id=m%2E1');
    assert.equal(answer.status, 200);
    assert.deepEqual(ingress.lookups.at(-1), ['latestEvent', 'acme', 'prod', 'a:b', 'm.1']);
    const same = await get('/api/event?environment_id=prod&run_id=a&event_id=b&type=message');
    assert.equal(same.status, 200);
    const other = await get('/api/event?environment_id=prod&run_id=a&event_id=b&type=tool');
    assert.equal(other.status, 404);
  });

  it('of a session answer with the envelope [4.2.answer] [4.2.deployment_id] [4.3.query] [4.3.answer]', async () => {
    ingress.found = { status: 'found', item: storedItem({ kind: 'session', externalSessionId: 'a b', scope: 'chat' }) };
    const byId = await get(`/api/session/${ID}`);
    assert.equal(byId.json.session.internal_session_id, ID);
    assert.deepEqual(byId.json.artifacts, []);
    assert.deepEqual(ingress.lookups.at(-1), ['byId', 'session', 'acme', 'chat', ID]);
    await get('/api/session?external_session_id=a+b%26&deployment_id=chat');
    assert.deepEqual(ingress.lookups.at(-1), ['latestSession', 'acme', 'chat', 'a b&']);
  });

  it('are 404 for what is absent and, by the same way, for what the key may not see [error.not_found-lookup]', async () => {
    const paths = [
      `/api/event/${ID}?environment_id=staging`,
      `/api/event/${ID}?environment_id=elsewhere`,
      '/api/event?environment_id=elsewhere&run_id=a&event_id=b',
      `/api/session/${ID}?deployment_id=internal`,
      '/api/session?external_session_id=a&deployment_id=elsewhere',
    ];
    // One answer for each parameter that may name nothing. Nothing else may differ.
    const bodies = new Map<string, Set<string>>();
    const plain = async (path: string): Promise<void> => {
      const answer = await ingress.call({ method: 'GET', path, headers: { 'x-request-id': 'same' } });
      assert.equal(answer.status, 404, path);
      const { param } = answer.error;
      assert.ok(answer.error.message.includes(param!), path);
      bodies.set(param!, (bodies.get(param!) ?? new Set()).add(answer.text));
    };
    for (const status of ['found', 'pending', 'absent'] as const) {
      ingress.found = status === 'found' ? { status, item: storedItem() } : { status };
      for (const path of paths) {
        const before = ingress.lookups.length;
        await plain(path);
        assert.equal(ingress.lookups.length, before + 1);
      }
    }
    for (const path of paths) await plain(path);
    const named = [
      ['internal_event_id', `/api/event/${ID}?environment_id=prod`],
      ['event_id', '/api/event?environment_id=prod&run_id=a&event_id=b'],
      ['internal_session_id', `/api/session/${ID}`],
      ['external_session_id', '/api/session?external_session_id=a'],
      ['internal_artifact_id', `/api/artifact/get_by_id?internal_artifact_id=${ID}`],
      ['external_artifact_id', '/api/artifact/get_by_id?external_artifact_id=a'],
      ['run_id', '/api/run/graph?environment_id=prod&run_id=a'],
      ['email', '/api/radar/risk?email=a'],
      ['id', '/api/radar/risk?id=a'],
    ];
    for (const [, path] of named) await plain(path!);
    const expected = ['environment_id', 'deployment_id', ...named.map(([param]) => param!)];
    assert.deepEqual([...bodies.keys()].sort(), expected.sort());
    for (const [param, texts] of bodies) assert.equal(texts.size, 1, param);
  });

  it('are 409 while the result is not ready and 503 while the stores cannot be asked [error.result_not_ready] [error.unavailable]', async () => {
    ingress.found = { status: 'pending' };
    const pending = await get(`/api/session/${ID}`);
    assertError(pending, { status: 409, code: 'result_not_ready', type: 'conflict_error' });
    assert.equal(pending.headers['retry-after'], '1');
    ingress.found = { status: 'unavailable' };
    const unknown = await get(`/api/event/${ID}?environment_id=prod`);
    assertError(unknown, { status: 503, code: 'unavailable' });
    assert.equal(unknown.headers['retry-after'], '1');
  });

  it('of a session that failed are its error; of an event that failed, the event [failure.dead-letter] [failure.lasting]', async () => {
    const error = { status: 500, code: 'internal_error', message: 'The check could not be finished.' };
    ingress.found = { status: 'found', item: storedItem({ kind: 'session', error }) };
    const session = await get(`/api/session/${ID}`);
    assert.equal(session.status, 500);
    assert.equal(session.error.message, error.message);
    for (const status of [400, 503]) {
      const code = status === 400 ? 'validation_failed' : 'unavailable';
      const message = 'messages[0].content[0]: The image could not be fetched.';
      const param = 'messages[0].content[0]';
      ingress.found = {
        status: 'found',
        item: storedItem({ kind: 'session', error: { status, code, message, param } }),
      };
      const ended = await get(`/api/session/${ID}`);
      assert.deepEqual([ended.status, ended.error.code, ended.error.param], [500, 'internal_error', undefined]);
      assert.equal(ended.error.message, `This check ended without a verdict: ${message}`);
      assert.equal(ended.headers['retry-after'], undefined);
    }
    const lasting = { status: 422, code: 'not_evaluable', message: '1 policy could not be evaluated' };
    ingress.found = { status: 'found', item: storedItem({ kind: 'session', error: lasting }) };
    const never = await get(`/api/session/${ID}`);
    assert.deepEqual([never.status, never.error.code, never.error.message], [422, lasting.code, lasting.message]);
    assert.equal(never.headers['retry-after'], undefined);
    ingress.found = { status: 'found', item: storedItem({ status: 'failed', note: 'gave up', flagged: null, error }) };
    const event = await get(`/api/event/${ID}?environment_id=prod`);
    assert.equal(event.status, 200);
    assert.equal(event.json.event.status, 'failed');
    assert.equal(event.json.note, 'gave up');
  });

  it('are 400 for parameters that are missing, malformed or given twice [4.8.environment_id] [4.9.environment_id] [4.9.run_id] [4.9.event_id] [4.9.type] [4.3.query] [session.uuid]', async () => {
    const cases: [string, string][] = [
      ['/api/event/nonsense?environment_id=prod', 'internal_event_id'],
      [`/api/event/${ID}`, 'environment_id'],
      [`/api/event/${ID}?environment_id=`, 'environment_id'],
      [`/api/event/${ID}?environment_id=prod&environment_id=prod`, 'environment_id'],
      [`/api/event/${ID}?environment_id=%ff`, 'environment_id'],
      ['/api/event?environment_id=prod&run_id=r', 'event_id'],
      ['/api/event?environment_id=prod&event_id=r', 'run_id'],
      [`/api/event?environment_id=prod&run_id=r&event_id=${'x'.repeat(129)}`, 'event_id'],
      ['/api/event?environment_id=prod&run_id=r&event_id=e&type=session', 'type'],
      ['/api/session/nonsense', 'internal_session_id'],
      ['/api/session', 'external_session_id'],
      [`/api/session?external_session_id=${'x'.repeat(257)}`, 'external_session_id'],
    ];
    const before = ingress.lookups.length;
    for (const [path, param] of cases) {
      const answer = await get(path);
      assertError(answer, { status: 400, code: 'validation_failed', param }, path);
    }
    const bare = await get(`/api/session/${ID}`, 'bare');
    assert.equal(bare.error.param, 'deployment_id');
    assert.equal(ingress.lookups.length, before);
  });
});
