import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ApiError } from '#weir/shared/api/errors';
import { assertError, batch, type Call, POLICY, sharedIngress, startIngress } from './support.ts';

const EVENTS = '/api/events';
const CHECK = '/api/session/check';
const session = { messages: [{ role: 'user', content: 'hi' }] };
const ID = '01890000-0000-7000-8000-000000000001';

describe('callers that name the version otherwise, or not at all', () => {
  const ingress = sharedIngress({ versionHeaders: 'Acme-Version , x-api-version', defaultVersion: '2026-04-15' });
  const asked = async (path: string, headers: Call['headers']) =>
    await ingress.call({
      path,
      headers: { 'service-version': undefined, ...headers },
      body: path === CHECK ? session : batch(),
    });

  it('are served by the first of the headers that a setting names', async () => {
    for (const headers of [
      { 'acme-version': '2026-06-01' },
      { 'X-API-Version': '2026-06-01' },
      { 'x-api-version': '2025-12-01', 'ACME-version': '2026-06-01' },
      { 'acme-version': '2026-06-01', 'x-api-version': '2025-12-01' },
      { 'acme-version': '', 'x-api-version': '2026-06-01' },
      { 'service-version': '2026-06-01', 'acme-version': '2025-12-01' },
    ] as Call['headers'][]) {
      const answer = await asked(EVENTS, headers);
      assert.equal(answer.status, 200, JSON.stringify(headers));
      assert.equal(answer.headers['service-version'], '2026-06-01');
    }
    const answer = await asked(EVENTS, { 'service-version': '2025-12-01', 'acme-version': '2026-06-01' });
    assertError(answer, { status: 400, code: 'version_not_supported_for_endpoint' });
    assertError(await asked(EVENTS, { 'acme-version': '7' }), { status: 400, code: 'unsupported_version' });
  });

  it('have the version of a setting where they name none', async () => {
    for (const headers of [{}, { 'acme-version': '' }, { 'other-version': '7' }] as Call['headers'][]) {
      const answer = await asked(CHECK, headers);
      assert.equal(answer.status, 200);
      assert.equal(answer.headers['service-version'], '2026-04-15');
    }
    assertError(await asked(EVENTS, {}), { status: 400, code: 'version_not_supported_for_endpoint' });
  });
});

describe('access to the interface', () => {
  const ingress = sharedIngress();
  const { call } = ingress;

  it('needs a key, and answers unknown and expired keys alike [5.1] [4.headers] [error.missing_api_key] [error.invalid_api_key]', async () => {
    for (const authorization of [undefined, 'Basic good', 'Bearer', 'Bearer ', 'good']) {
      const answer = await call({ path: EVENTS, headers: { authorization }, body: batch() });
      assertError(answer, { status: 401, code: 'missing_api_key', type: 'authentication_error' });
      assert.equal(answer.headers['www-authenticate'], 'Bearer');
    }
    const bodies = [];
    for (const token of ['unknown', 'expired']) {
      const headers = { authorization: `Bearer ${token}`, 'x-request-id': 'same' };
      const answer = await call({ path: EVENTS, headers, body: batch() });
      assertError(answer, { status: 401, code: 'invalid_api_key' });
      assert.equal(answer.headers['www-authenticate'], 'Bearer');
      bodies.push(answer.text);
    }
    assert.equal(bodies[0], bodies[1]);
    const relaxed = await call({ path: EVENTS, headers: { authorization: 'bearer  good' }, body: batch() });
    assert.equal(relaxed.status, 200);
  });

  it('says which versions a route takes where none, an unknown or another one is sent [9.1] [4.headers] [version.missing] [version.unknown] [error.version_required] [error.unsupported_version] [error.version_not_supported_for_endpoint]', async () => {
    const cases: [string | undefined, string][] = [
      [undefined, 'version_required'],
      ['2026-06-02', 'unsupported_version'],
      ['2025-12-01', 'version_not_supported_for_endpoint'],
    ];
    for (const [version, code] of cases) {
      const answer = await call({ path: EVENTS, body: batch(), headers: { 'service-version': version } });
      assertError(answer, { status: 400, code, param: 'service-version' });
      assert.match(answer.error.message, /2026-06-01/);
    }
  });

  it('answers a POST 403 for what is the team’s own, and 404 for everything else [error.permission-grant] [error.not_found-post]', async () => {
    const cases: [string, unknown, number][] = [
      [EVENTS, { ...batch(), environment_id: 'staging' }, 403],
      [EVENTS, { ...batch(), environment_id: 'elsewhere' }, 404],
      [CHECK, { ...session, deployment_id: 'internal' }, 403],
      [CHECK, { ...session, deployment_id: 'elsewhere' }, 404],
      // Still granted, but no longer in the configuration.
      [CHECK, { ...session, deployment_id: 'gone' }, 404],
    ];
    for (const [path, body, status] of cases) {
      const answer = await call({ path, body });
      assert.equal(answer.status, status, JSON.stringify(body));
      assert.equal(answer.error.code, status === 403 ? 'permission_denied' : 'not_found');
    }
  });

  it('runs a session in the deployment of the key unless one is named [5.2] [config.no-default]', async () => {
    await call({ path: CHECK, body: session });
    assert.equal(ingress.checks.at(-1)!.scope, 'chat');
    const none = await call({ path: CHECK, headers: { authorization: 'Bearer bare' }, body: session });
    assert.equal(none.status, 400);
    assert.equal(none.error.param, 'deployment_id');
    const named = { ...session, deployment_id: 'chat' };
    const good = await call({ path: CHECK, headers: { authorization: 'Bearer bare' }, body: named });
    assert.equal(good.status, 200);
  });

  it('refuses policies that the deployment does not have [session.unknown-policy] [general.path]', async () => {
    const other = '00000000-0000-4000-8000-000000000000';
    for (const field of ['policies', 'policy_ids']) {
      const answer = await call({ path: CHECK, body: { ...session, [field]: [POLICY, other] } });
      assertError(answer, { status: 400, code: 'validation_failed', param: `${field}[1]` });
      assert.ok(!answer.text.includes(other));
      const good = await call({ path: CHECK, body: { ...session, [field]: [POLICY] } });
      assert.equal(good.status, 200);
    }
  });

  it('checks in the documented order [general.order-headers] [general.order-body] [general.401-first]', async () => {
    // Everything is wrong with the first request. Each next one has one fault less.
    let call_: Call = {
      method: 'PUT',
      path: '/nowhere',
      headers: {
        authorization: undefined,
        'service-version': undefined,
        'content-type': 'text/plain',
        'content-length': '99999999',
      },
      body: '{',
    };
    const expectCode = async (code: string): Promise<void> => {
      assert.equal((await call(call_)).error.code, code);
    };
    const fix = (change: Partial<Call>): void => {
      call_ = { ...call_, ...change, headers: { ...call_.headers, ...change.headers } };
    };
    await expectCode('not_found');
    fix({ path: EVENTS });
    await expectCode('method_not_allowed');
    fix({ method: 'POST' });
    await expectCode('missing_api_key');
    fix({ headers: { authorization: 'Bearer reader' } });
    await expectCode('version_required');
    fix({ headers: { 'service-version': '2026-06-01' } });
    await expectCode('permission_denied');
    fix({ headers: { authorization: 'Bearer good' } });
    await expectCode('request_too_large');
    fix({ headers: { 'content-length': undefined } });
    await expectCode('unsupported_media_type');
    fix({ headers: { 'content-type': 'application/json' } });
    await expectCode('invalid_json');
    fix({ body: { events: [], environment_id: 'elsewhere' } });
    await expectCode('validation_failed');
    fix({ body: { ...batch(), environment_id: 'elsewhere' } });
    await expectCode('not_found');
    fix({ body: batch() });
    assert.equal((await call(call_)).status, 200);
  });

  it('answers 503 with Retry-After while no work is admitted, and reads go on [error.overloaded]', async () => {
    ingress.refusal = new ApiError('overloaded', 'Too much is waiting.', { retryAfter: 3 });
    try {
      const answer = await call({ path: EVENTS, body: batch() });
      assertError(answer, { status: 503, code: 'overloaded' });
      assert.equal(answer.headers['retry-after'], '3');
      const anonymous = await call({ path: EVENTS, headers: { authorization: undefined }, body: batch() });
      assert.equal(anonymous.status, 401);
      const read = await call({ method: 'GET', path: `/api/event/${ID}?environment_id=prod` });
      assert.equal(read.status, 404);
    } finally {
      ingress.refusal = undefined;
    }
    assert.match(await ingress.registry.metrics(), /weir_http_refused_total\{reason="overloaded"\} 1/);
  });
});

describe('a server', () => {
  it('treats keys that may not be used as unknown', async () => {
    const ingress = await startIngress({}, { keyAllowed: (sha256) => sha256.length !== 64 });
    const answer = await ingress.call({ path: EVENTS, body: batch() });
    assert.equal(answer.error.code, 'invalid_api_key');
    await ingress.server.close();
  });

  it('says so when its port is taken, unless the port is to be shared', async () => {
    const probe = await startIngress();
    const { port } = probe.server;
    // A port that the system chose is never shared.
    await assert.rejects(startIngress({ port }), new RegExp(`Cannot listen on 127.0.0.1:${port}`));
    await probe.server.close();
    const servers = [await startIngress({ port }), await startIngress({ port })];
    await assert.rejects(startIngress({ port }, { exclusive: true }), /is the port taken/);
    await Promise.all(servers.map(({ server }) => server.close()));
  });
});

describe('probes', () => {
  it('say what is wrong, without key or version [general.healthz] [general.readyz] [error.unavailable]', async () => {
    const trouble: { ready?: string; progress?: string } = {};
    const ingress = await startIngress({}, { ready: () => trouble.ready, progress: () => trouble.progress });
    const { call } = ingress;
    const headers = { authorization: undefined, 'service-version': undefined };
    try {
      for (const path of ['/healthz', '/readyz']) {
        const good = await call({ method: 'GET', path, headers });
        assert.equal(good.status, 200);
        assert.deepEqual(good.json, { status: 'ok' });
      }
      trouble.ready = 'Redis does not answer.';
      trouble.progress = 'The event loop stands still.';
      for (const path of ['/healthz', '/readyz']) {
        const bad = await call({ method: 'GET', path, headers });
        assertError(bad, { status: 503, code: 'unavailable' });
        assert.ok(Object.values(trouble).includes(bad.error.message));
      }
    } finally {
      await ingress.server.close();
    }
  });
});
