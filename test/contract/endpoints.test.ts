/** What headers of answers hold on every endpoint alike; `test/e2e/matrix` has keys, versions and methods. New endpoints are taken in by themselves. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { buildDirectory } from '#weir/ingress/admission/directory';
import { ENDPOINTS, type Endpoint, type EndpointName } from '#weir/shared/api/endpoints';
import { COMMANDS } from '#weir/shared/api/endpoints/samples';
import { hashKey } from '#weir/shared/configuration/api-keys';
import { loadConfiguration } from '#weir/shared/configuration/configuration';
import { type Call, type Ingress, startIngress, storedItem } from '../ingress/support.ts';
import { exampleCall } from '../support/api/example-call.ts';

const VERSIONS = ['2025-12-01', '2026-04-15', '2026-06-01'];
const all = Object.values<Endpoint>(ENDPOINTS);
const withKey = all.filter((endpoint) => endpoint.scope !== null);

const GRANTS = 'deployments: [chat], default_deployment: chat, environments: [prod]';
const CONFIGURATION = `
version: 1
teams: [{id: acme}]
keys:
- {id: none, team: acme, sha256: ${hashKey('none')}, scopes: [], ${GRANTS}}
- {id: full, team: acme, sha256: ${hashKey('full')}, scopes: [check, read, risk, content, review, try, configure, audit], ${GRANTS}}
- {id: operator, sha256: ${hashKey('operator')}, scopes: [operate]}
policies: [{id: 6f1c0f0e-3a52-4a52-9a0c-6d1f0a1b2c3d, team: acme, name: P, detect: {terms: {list: [x]}}}]
deployments: [{id: chat, team: acme, name: Chat}]
environments: [{id: prod, team: acme}]
`;

const NAMES = new Map<Endpoint, EndpointName>(
  Object.entries(ENDPOINTS).map(([name, endpoint]) => [endpoint, name as EndpointName]),
);

/** A request that `endpoint` takes, but for what the headers say. */
function requestTo(endpoint: Endpoint, headers: Call['headers'] = {}): Call {
  const sent = {
    authorization: endpoint.scope === 'operate' ? 'Bearer operator' : 'Bearer full',
    ...(endpoint.keyHeaderOnly ? { 'x-api-key': 'full' } : {}),
    'service-version': endpoint.versions.at(-1) ?? '2026-06-01',
    ...headers,
  };
  return { ...exampleCall(NAMES.get(endpoint)!), headers: sent };
}

describe('every endpoint', () => {
  let ingress: Ingress;
  before(async () => {
    const loaded = loadConfiguration(CONFIGURATION);
    assert.ok(loaded.ok);
    const directory = buildDirectory(loaded.configuration, { version: 1, id: '1-a@b' });
    ingress = await startIngress({}, { directory: () => directory });
  });
  after(() => ingress.server.close());

  it('bears the request id and the version on every answer, also on errors, as JSON [general.request-id] [general.service-version] [4.json]', async () => {
    const calls: Call[] = [
      ...withKey.map((endpoint) => requestTo(endpoint)),
      ...withKey.map((endpoint) => requestTo(endpoint, { authorization: undefined })),
      ...withKey.map((endpoint) => requestTo(endpoint, { authorization: 'Bearer none' })),
      ...withKey.map((endpoint) => ({ ...requestTo(endpoint), method: 'PATCH' })),
      { path: '/nowhere', method: 'GET' },
      { path: '/api/events', body: '{' },
      { path: '/api/events', body: {} },
      { path: '/api/events', body: {}, headers: { 'content-type': 'text/plain' } },
      { path: '/api/events', headers: { 'content-length': String(1 << 30) }, body: '' },
    ];
    for (const one of calls) {
      for (const version of VERSIONS) {
        const headers = {
          authorization: 'Bearer full',
          ...one.headers,
          'x-request-id': 'a.b_c:d-1',
          'service-version': version,
        };
        const answer = await ingress.call({ ...one, headers });
        const where = `${one.method ?? 'POST'} ${one.path} ${answer.status}`;
        assert.equal(answer.headers['x-request-id'], 'a.b_c:d-1', where);
        assert.equal(answer.headers['service-version'], version, where);
        assert.equal(answer.headers['content-type'], 'application/json', where);
        if (answer.status >= 400) assert.equal(answer.error.request_id, 'a.b_c:d-1', where);
      }
    }
  });

  /** Bodies that the endpoints take, by path; small, and so large that they are parsed on a thread. */
  const bodies = all.flatMap((endpoint) => {
    if (endpoint.method !== 'POST') return [];
    const request = requestTo(endpoint);
    const { alone } = endpoint;
    return ['', ' '.repeat(100_000)].map((space) => ({ request, alone, json: JSON.stringify(request.body) + space }));
  });

  it('that takes a body skips a byte order mark before it, which goes no further [general.byte-order-mark]', async () => {
    assert.ok(bodies.length >= 10);
    // What is labelled.
    const policies = JSON.stringify({ [COMMANDS]: { flagged: true, name: 'Destructive commands' } });
    ingress.found = { status: 'found', item: storedItem({ flagged: true, policies }) };
    for (const { request, json, alone } of bodies) {
      // Streams need a Redis and tries a worker, which are not here (`test/e2e/streams`, `test/e2e/tries`).
      if (request.path === '/api/stream/check' || request.path.startsWith('/api/try')) continue;
      for (const mark of ['', '\ufeff']) {
        const answer = await ingress.call({ ...request, body: mark + json });
        assert.equal(answer.status, 200, `${request.path} ${answer.text}`);
        // Nothing of it is checked.
        if (alone) continue;
        assert.equal(ingress.checks.at(-1)!.body[0], 0x7b);
      }
      const [plain, marked] = ingress.checks.slice(-2);
      const same = { received: 0, requestId: '' };
      if (!alone) assert.deepEqual({ ...marked, ...same }, { ...plain, ...same }, request.path);
      for (const body of [`\ufeff\ufeff${json}`, `${json}\ufeff`]) {
        assert.equal((await ingress.call({ ...request, body })).error.code, 'invalid_json');
      }
    }
    ingress.found = { status: 'absent' };
  });

  it('that takes a body refuses a name that stands twice in it, and names it [general.duplicate-names]', async () => {
    for (const { request, json } of bodies) {
      const name = Object.keys(request.body as object)[0]!;
      const { error } = await ingress.call({ ...request, body: json.replace(/\}( *)$/, `,"${name}":null}$1`) });
      assert.equal(error.code, 'validation_failed');
      assert.deepEqual(
        error.issues?.map(({ path, code }) => `${path} ${code}`),
        [`${name} repeated`],
        request.path,
      );
    }
  });

  it('answers HEAD as GET, without the body', async () => {
    for (const endpoint of all.filter(({ method, path }) => method === 'GET' && path.startsWith('/api/'))) {
      const request = requestTo(endpoint, { 'x-request-id': 'same' });
      const got = await ingress.call(request);
      const head = await ingress.call({ ...request, method: 'HEAD' });
      assert.equal(head.status, got.status, endpoint.path);
      assert.equal(head.headers['content-length'], String(Buffer.byteLength(got.text)), endpoint.path);
    }
  });
});
