/** Artifacts at the HTTP edge: what is accepted, handed on and answered. The test plays the dispatcher. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { StoredArtifact } from '#weir/shared/api/artifact';
import { LIMITS } from '#weir/shared/api/limits';
import { itemId, newRequestId } from '#weir/shared/ids';
import { assertHas } from '../support/has.ts';
import { pluck } from '../support/pluck.ts';
import {
  type Answer,
  assertError,
  type Ingress,
  POLICY,
  record,
  recordItem,
  sharedIngress,
  startIngress,
  storedItem,
} from './support.ts';

const ID = '01890000-0000-7000-8000-000000000001';
const SESSION = '01890000-0000-7000-8000-000000000041';
const URL_IMAGE = { kind: 'image', url: 'https://images.invalid/a.png' };

function artifact(change: Partial<StoredArtifact> = {}): StoredArtifact {
  return {
    id: ID,
    status: 'completed',
    flagged: false,
    policies: '{}',
    explained: '',
    external: '',
    session: { internal: '', external: '' },
    note: '',
    version: 1,
    created: 1_790_000_000_000,
    completed: 1_790_000_000_005,
    ...change,
  };
}

const checked = (item: Parameters<typeof recordItem>[1] = {}) =>
  record({
    kind: 'artifact',
    scope: 'chat',
    items: [
      recordItem(1, { type: 'artifact', eventId: '', runId: '', artifact: { external: '', session: '' }, ...item }),
    ],
  });

describe('artifacts', () => {
  const ingress = sharedIngress();
  const post = (body: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
    ingress.call({ path: '/api/artifact', body, headers });
  const get = (query: string, token = 'good'): Promise<Answer> =>
    ingress.call({
      method: 'GET',
      path: `/api/artifact/get_by_id?${query}`,
      headers: { authorization: `Bearer ${token}` },
    });
  beforeEach(() => {
    ingress.found = { status: 'absent' };
    ingress.artifact = { status: 'absent' };
    ingress.outcome = async () => ({ status: 'done', record: checked() });
  });

  it('are checked in the deployment of the key, or in the one that is named, and nothing of them is awaited as text [4.5.body] [5.2.artifacts]', async () => {
    ingress.checks.length = 0;
    assert.equal((await post({ content: URL_IMAGE, external_artifact_id: 'a1' })).status, 200);
    assert.equal((await post({ content: URL_IMAGE, deployment_id: 'chat' })).status, 200);
    for (const check of ingress.checks) {
      const { kind, team, scope, images, conversations } = check;
      assert.deepEqual(
        { kind, team, scope, images, conversations },
        { kind: 'artifact', team: 'acme', scope: 'chat', images: 1, conversations: [] },
      );
    }
    assert.deepEqual(ingress.checks[0]!.artifact, { external: 'a1', session: { internal: '', external: '' } });
    assert.equal((await post({ content: URL_IMAGE, deployment_id: 'internal' })).status, 403);
    assert.equal((await post({ content: URL_IMAGE, deployment_id: 'elsewhere' })).status, 404);
  });

  it('are answered with every field of the result, null where there is nothing [2.5.internal_artifact_id] [2.5.kind]', async () => {
    const { json } = await post({ content: URL_IMAGE });
    const { internal_artifact_id: id, ...rest } = json;
    assert.match(id, /-/);
    assert.deepEqual(rest, {
      status: 'completed',
      flagged: false,
      policies: {},
      kind: 'image',
      external_artifact_id: null,
      internal_session_id: null,
      external_session_id: null,
      created_at: '2026-09-21T14:13:20.000Z',
      updated_at: '2026-09-21T14:13:20.005Z',
      note: null,
    });
  });

  it('that could not be looked at are failed, never flagged or clean, whatever is stored beside it [7.artifact-failed] [2.5.note]', async () => {
    const item = { status: 'failed' as const, flagged: true, note: 'the image could not be fetched' };
    ingress.outcome = async () => ({ status: 'done', record: checked(item) });
    const answer = await post({ content: URL_IMAGE });
    assert.equal(answer.status, 200);
    assertHas(answer.json, { status: 'failed', flagged: null, note: 'the image could not be fetched' });
  });

  it('that take longer than the deadline are 200 and processing, with the ids to come back with [deadline.artifact] [artifact.wait]', async () => {
    const created = Date.parse('2026-11-21T10:00:00.123Z');
    const id = newRequestId(0, created);
    ingress.outcome = async () => ({ status: 'timeout', id, replayed: true });
    const answer = await post({ content: URL_IMAGE, external_artifact_id: 'é"', external_session_id: 's' });
    assert.equal(answer.status, 200);
    assert.deepEqual(answer.json, {
      status: 'processing',
      flagged: null,
      policies: {},
      kind: 'image',
      internal_artifact_id: itemId(id, 1),
      external_artifact_id: 'é"',
      internal_session_id: null,
      external_session_id: 's',
      created_at: '2026-11-21T10:00:00.123Z',
      updated_at: null,
      note: null,
    });
    assert.equal(answer.headers['idempotency-replayed'], 'true');
  });

  it('are linked to a session by either id, with the other one where it is known [4.5.session] [artifact.body]', async () => {
    const session = storedItem({ id: SESSION, kind: 'session', scope: 'chat', externalSessionId: 'chat-1' });
    ingress.found = { status: 'found', item: session };
    ingress.checks.length = 0;
    await post({ content: URL_IMAGE, internal_session_id: SESSION.toUpperCase() });
    assert.deepEqual(ingress.lookups.at(-1), ['byId', 'session', 'acme', 'chat', SESSION]);
    await post({ content: URL_IMAGE, external_session_id: 'chat-1' });
    assert.deepEqual(ingress.lookups.at(-1), ['hotSession', 'acme', 'chat', 'chat-1']);
    for (const found of [{ status: 'pending' }, { status: 'pending', session: 'chat-1' }] as const) {
      ingress.found = found;
      await post({ content: URL_IMAGE, internal_session_id: SESSION });
    }
    for (const status of ['absent', 'unavailable', 'pending'] as const) {
      ingress.found = { status };
      assert.equal((await post({ content: URL_IMAGE, external_session_id: 'later' })).status, 200, status);
    }
    const sessions = ingress.checks.map((check) => check.artifact!.session);
    assert.deepEqual(sessions, [
      { internal: SESSION, external: 'chat-1' },
      { internal: SESSION, external: 'chat-1' },
      { internal: SESSION, external: '' },
      { internal: SESSION, external: 'chat-1' },
      ...Array.from({ length: 3 }, () => ({ internal: '', external: 'later' })),
    ]);
  });

  it('are 404 for an internal session that is absent or foreign, and 503 when that cannot be found out; nothing is checked then [artifact.body]', async () => {
    const before = ingress.checks.length;
    const absent = await post({ content: URL_IMAGE, internal_session_id: SESSION });
    assertError(absent, { status: 404, code: 'not_found' });
    ingress.found = { status: 'unavailable' };
    assert.equal((await post({ content: URL_IMAGE, internal_session_id: SESSION })).status, 503);
    assert.equal(ingress.checks.length, before);
  });

  it('are 400 for what the JSON alone shows, with its path [artifact.400] [2.6.kind] [2.6.url] [2.6.data]', async () => {
    const before = ingress.checks.length;
    const cases: [body: Record<string, unknown>, param: string][] = [
      [{}, 'content'],
      [{ content: { kind: 'video', url: URL_IMAGE.url } }, 'content.kind'],
      [{ content: { kind: 'image' } }, 'content'],
      [{ content: { ...URL_IMAGE, data: 'AAAA' } }, 'content'],
      [{ content: { kind: 'image', url: 'ftp://a/b' } }, 'content.url'],
      [{ content: URL_IMAGE, role: 'robot' }, 'role'],
      [{ content: URL_IMAGE, internal_session_id: SESSION, external_session_id: 's' }, 'external_session_id'],
      [{ content: URL_IMAGE, internal_session_id: 'x' }, 'internal_session_id'],
      [{ content: URL_IMAGE, external_artifact_id: 'x'.repeat(257) }, 'external_artifact_id'],
      [{ content: URL_IMAGE, policies: [ID] }, 'policies[0]'],
    ];
    for (const [body, param] of cases) {
      const { status, error } = await post(body);
      assert.equal(status, 400, param);
      assert.equal(error.param, param);
    }
    assert.equal(ingress.checks.length, before);
    assert.equal((await post({ content: URL_IMAGE, policies: [POLICY.toUpperCase()], role: 'user-2' })).status, 200);
  });

  it('are found by exactly one of their ids, the internal one a UUID [4.4.one] [4.4.bad-request] [7.artifact-400]', async () => {
    const before = ingress.lookups.length;
    for (const query of [
      '',
      `internal_artifact_id=${ID}&external_artifact_id=a`,
      'internal_artifact_id=nonsense',
      `external_artifact_id=${'x'.repeat(257)}`,
      'external_artifact_id=a&external_artifact_id=b',
    ]) {
      const { status, error } = await get(query);
      assert.equal(status, 400, query);
      assert.equal(error.code, 'validation_failed');
    }
    assert.equal((await get(`internal_artifact_id=${ID}`, 'bare')).error.param, 'deployment_id');
    assert.equal(ingress.lookups.length, before);
  });

  it('are looked up in the deployment of the key, or in the one that is named [4.4.internal_artifact_id] [4.4.external_artifact_id] [4.4.deployment_id] [4.4.answer]', async () => {
    ingress.artifact = { status: 'found', value: artifact({ external: 'a b' }) };
    const byId = await get(`internal_artifact_id=${ID.toUpperCase()}`);
    assert.equal(byId.status, 200);
    assert.equal(byId.json.internal_artifact_id, ID);
    assert.deepEqual(ingress.lookups.at(-1), ['artifactById', 'acme', 'chat', ID]);
    const named = await get('external_artifact_id=a+b&deployment_id=gone');
    assert.equal(named.json.external_artifact_id, 'a b');
    assert.deepEqual(ingress.lookups.at(-1), ['latestArtifact', 'acme', 'gone', 'a b']);
  });

  it('are 404 when absent and, with the same body, when the key may not see the deployment; 503 when that cannot be found out', async () => {
    const bodies = new Set<string>();
    for (const found of [{ status: 'absent' }, { status: 'found', value: artifact() }] as const) {
      ingress.artifact = found;
      for (const query of [`internal_artifact_id=${ID}`, 'external_artifact_id=a']) {
        const path = `/api/artifact/get_by_id?${query}&deployment_id=internal`;
        const { status, text } = await ingress.call({
          method: 'GET',
          path,
          headers: { 'x-request-id': 'same' },
        });
        assert.equal(status, 404);
        bodies.add(text);
      }
    }
    assert.equal(bodies.size, 1);
    ingress.artifact = { status: 'unavailable' };
    assert.equal((await get('external_artifact_id=a')).status, 503);
  });

  it('that were sent for a session before it was checked show it afterwards [artifact.body] [2.5.internal_session_id] [2.5.external_session_id]', async () => {
    const session = { internal: '', external: 'later' };
    ingress.artifact = { status: 'found', value: artifact({ session }) };
    assert.equal((await get('external_artifact_id=a')).json.internal_session_id, null);
    ingress.found = { status: 'found', item: storedItem({ id: SESSION, kind: 'session' }) };
    const { json } = await get('external_artifact_id=a');
    assertHas(json, { internal_session_id: SESSION, external_session_id: 'later' });
  });

  it('stand in the envelope of their session, which is theirs where they name only the caller’s id [2.4.artifacts] [session.lookup-artifacts]', async () => {
    ingress.found = { status: 'found', item: storedItem({ id: SESSION, kind: 'session', externalSessionId: 's' }) };
    const artifacts = [
      artifact({ session: { internal: '', external: 's' } }),
      artifact({ status: 'processing', flagged: null, completed: null }),
    ];
    ingress.artifacts = { status: 'found', value: { artifacts, complete: true } };
    const path = '/api/session?external_session_id=s';
    const whole = await ingress.call({ method: 'GET', path });
    assert.deepEqual(pluck(whole.json.artifacts, 'status'), ['completed', 'processing']);
    assert.equal(whole.json.artifacts[0].internal_session_id, SESSION);
    assert.equal(whole.json.session.note, undefined);
    ingress.artifacts = { status: 'found', value: { artifacts: [], complete: false } };
    const part = await ingress.call({ method: 'GET', path });
    assert.equal(part.status, 200);
    assert.match(part.json.session.note, /archived artifacts cannot be read/);
    ingress.artifacts = { status: 'unavailable' };
    assert.equal((await ingress.call({ method: 'GET', path })).status, 503);
    ingress.artifacts = { status: 'found', value: { artifacts: [], complete: true } };
  });

  it('of a session that is answered with the envelope are those of its message, without a look-up', async () => {
    const items = [
      recordItem(1, { type: 'session', eventId: '', runId: '' }),
      ...[2, 3].map((n) =>
        recordItem(n, { type: 'artifact', eventId: '', runId: '', artifact: { external: `a${n}`, session: SESSION } }),
      ),
    ];
    ingress.outcome = async () => ({ status: 'done', record: record({ kind: 'session', scope: 'chat', items }) });
    ingress.artifacts = { status: 'unavailable' };
    const { json } = await ingress.call({
      path: '/api/session',
      body: { messages: [{ role: 'user', content: [{ type: 'artifact', content: URL_IMAGE }] }] },
    });
    assert.deepEqual(pluck(json.artifacts, 'external_artifact_id'), ['a3', 'a2']);
    ingress.artifacts = { status: 'found', value: { artifacts: [], complete: true } };
  });
});

describe('images of a guardrail', () => {
  let ingress: Ingress;
  const ask = (body: unknown): Promise<Answer> => ingress.call({ path: '/beta/litellm_basic_guardrail_api', body });
  before(async () => {
    ingress = await startIngress();
    ingress.outcome = async () => ({
      status: 'done',
      record: record({ kind: 'session', scope: 'chat', items: [recordItem(1, { type: 'session' })] }),
    });
  });
  after(() => ingress.server.close());

  it('become artifact parts before the texts, each by its address or its data [adapter.litellm-images]', async () => {
    const images = ['https://images.invalid/a.png', 'data:image/png;base64,AAAA', 'AAAA'];
    assert.deepEqual((await ask({ texts: ['hi'], images, input_type: 'request' })).json, { action: 'NONE' });
    const check = ingress.checks.at(-1)!;
    assert.equal(check.images, 3);
    const { messages } = JSON.parse(check.body.toString());
    assert.deepEqual(messages[0].content, [
      { type: 'artifact', content: { kind: 'image', url: images[0] } },
      { type: 'artifact', content: { kind: 'image', data: images[1] } },
      { type: 'artifact', content: { kind: 'image', data: images[2] } },
      { type: 'text', text: 'hi' },
    ]);
    const before = ingress.checks.length;
    await ask({ images: ['AAAA'] });
    assert.equal(ingress.checks.length, before + 1, 'a call with images alone is checked');
  });

  it('are limited, and what is wrong with one is said of it', async () => {
    const many = await ask({ images: Array.from({ length: LIMITS.artifactParts + 1 }, () => 'AAAA') });
    assert.equal(many.status, 400);
    assert.equal(many.error.param, 'images');
    const wrong = await ask({ texts: ['hi'], images: ['AAAA', 'http://'] });
    assert.equal(wrong.error.param, 'images[1].url');
    const path = 'messages[0].content[1].content';
    const error = { status: 400, code: 'validation_failed', message: `${path}: is no image`, param: path };
    ingress.outcome = async () => ({
      status: 'done',
      record: record({
        kind: 'session',
        items: [recordItem(1, { type: 'session', status: 'failed', flagged: null })],
        error,
      }),
    });
    const failed = await ask({ images: ['AAAA', 'BBBB'] });
    assert.equal(failed.status, 400);
    assertHas(failed.error, { param: 'images[1]', message: 'images[1]: is no image' });
  });
});
