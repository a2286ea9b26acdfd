/** What holds on every endpoint alike: versions, scopes, keys, headers of answers. New endpoints are taken in by themselves. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { buildDirectory } from '#weir/ingress/admission/directory';
import { ENDPOINTS, type Endpoint, type EndpointName, endpointLabel } from '#weir/shared/api/endpoints';
import { hashKey } from '#weir/shared/configuration/api-keys';
import { loadConfiguration } from '#weir/shared/configuration/configuration';
import { type Answer, type Call, type Ingress, startIngress } from '../ingress/support.ts';
import { exampleCall } from '../support/example-call.ts';

const VERSIONS = ['2025-12-01', '2026-04-15', '2026-06-01'];
const all = Object.values<Endpoint>(ENDPOINTS);
const withKey = all.filter((endpoint) => endpoint.scope !== null);

/** Versions by the row of the contract that settles them. */
const ROWS: [ids: string, paths: RegExp, accepted: string[]][] = [
  ['[version.check] [9.2.sessions]', /^POST \/api\/session\/check$/, VERSIONS],
  ['[version.session-lookup] [9.2.retrieval]', /^GET \/api\/session(\/|$)/, VERSIONS],
  ['[version.session-post]', /^POST \/api\/session$/, VERSIONS.slice(1)],
  ['[version.event] [9.2.events] [4.6.version]', /^(GET|POST) \/api\/events?(\/|$)/, VERSIONS.slice(2)],
  ['[version.artifact] [9.2.artifacts]', /^(GET|POST) \/api\/artifact(\/|$)/, VERSIONS],
  ['[version.run-graph]', /^GET \/api\/run\/graph$/, VERSIONS.slice(2)],
  ['[version.risk] [9.2.risk]', /^GET \/api\/radar\/risk$/, VERSIONS],
  ['[version.protect]', /^GET \/api\/protect\//, VERSIONS],
];
/** These need a key and no version (decisions, Adapters). */
const UNVERSIONED = /^POST \/beta\//;

const CONFIGURATION = `
version: 1
teams: [{id: acme}, {id: globex}]
keys:
${['check', 'read', 'risk'].map((scope) => key(scope, 'acme', `scopes: [${scope}], ${grants()}`)).join('\n')}
${key('none', 'acme', `scopes: [], ${grants()}`)}
${key('bare', 'acme', '')}
${key('empty', 'acme', 'deployments: [], environments: []')}
${key('expired', 'acme', `${grants()}, expires_at: "2020-01-01T00:00:00Z"`)}
${key('foreign', 'globex', '')}
${key('full', 'acme', grants())}
policies: [{id: 6f1c0f0e-3a52-4a52-9a0c-6d1f0a1b2c3d, team: acme, name: P, detect: {terms: {list: [x]}}}]
deployments: [{id: chat, team: acme, name: Chat}]
environments: [{id: prod, team: acme}]
`;

function grants(): string {
  return 'deployments: [chat], default_deployment: chat, environments: [prod]';
}

function key(id: string, team: string, rest: string): string {
  return `- {id: ${id}, team: ${team}, sha256: ${hashKey(id)}${rest === '' ? '' : `, ${rest}`}}`;
}

const NAMES = new Map<Endpoint, EndpointName>(
  Object.entries(ENDPOINTS).map(([name, endpoint]) => [endpoint, name as EndpointName]),
);

/** A request that `endpoint` takes, but for what the headers say. */
function requestTo(endpoint: Endpoint, headers: Call['headers'] = {}): Call {
  const sent = {
    authorization: 'Bearer full',
    'service-version': endpoint.versions.at(-1) ?? '2026-06-01',
    ...headers,
  };
  return { ...exampleCall(NAMES.get(endpoint)!), headers: sent };
}

describe('every endpoint', () => {
  let ingress: Ingress;
  const ask = (endpoint: Endpoint, headers: Call['headers']): Promise<Answer> =>
    ingress.call(requestTo(endpoint, headers));
  const code = ({ status, error }: Answer): string => (status < 400 ? '' : error.code);
  before(async () => {
    const loaded = loadConfiguration(CONFIGURATION);
    assert.ok(loaded.ok);
    const directory = buildDirectory(loaded.configuration, { version: 1, id: '1-a@b' });
    ingress = await startIngress({}, { directory: () => directory });
  });
  after(() => ingress.server.close());

  for (const [ids, paths, accepted] of ROWS) {
    const endpoints = withKey.filter((endpoint) => paths.test(endpointLabel(endpoint)));
    const names = endpoints.map(endpointLabel).join(', ');
    it(`takes ${accepted.join(', ')} and no other version: ${names} ${ids}`, {
      skip: endpoints.length === 0,
    }, async () => {
      for (const endpoint of endpoints) {
        for (const version of [...VERSIONS, '2026-06-02', '2026-6-1', 'latest', undefined]) {
          const answer = await ask(endpoint, { 'service-version': version });
          const where = `${endpointLabel(endpoint)} ${version}`;
          if (version !== undefined && accepted.includes(version)) {
            assert.doesNotMatch(code(answer), /version/, where);
            continue;
          }
          const known = version !== undefined && VERSIONS.includes(version);
          const expected =
            version === undefined
              ? 'version_required'
              : known
                ? 'version_not_supported_for_endpoint'
                : 'unsupported_version';
          assert.equal(answer.status, 400, where);
          assert.equal(code(answer), expected, where);
          assert.equal(answer.error.param, 'service-version');
          for (const value of accepted) assert.ok(answer.error.message.includes(value), where);
        }
      }
    });
  }

  it('has its versions settled above, or needs none', () => {
    for (const endpoint of withKey) {
      const label = endpointLabel(endpoint);
      const settled = ROWS.filter(([, paths]) => paths.test(label)).length;
      assert.equal(settled, UNVERSIONED.test(label) ? 0 : 1, label);
      assert.equal(endpoint.versions.length === 0, settled === 0, label);
    }
  });

  it('needs the scope check to post, read to get and risk for risk [config.scopes] [error.permission-scope]', async () => {
    for (const endpoint of withKey) {
      const needed = endpoint.path === '/api/radar/risk' ? 'risk' : endpoint.method === 'POST' ? 'check' : 'read';
      for (const scope of ['check', 'read', 'risk', 'none']) {
        const answer = await ask(endpoint, { authorization: `Bearer ${scope}` });
        const where = `${endpointLabel(endpoint)} with ${scope}`;
        if (scope === needed) assert.notEqual(answer.status, 403, where);
        else {
          assert.equal(answer.status, 403, where);
          assert.equal(answer.error.code, 'permission_denied', where);
          assert.equal(answer.error.type, 'permission_error', where);
        }
      }
    }
  });

  it('is 401 without a key, with one that is unknown and with one that has expired [5.1] [4.headers]', async () => {
    for (const endpoint of withKey) {
      const headers = { 'x-request-id': 'same' };
      const missing = await ask(endpoint, { ...headers, authorization: undefined });
      const unknown = await ask(endpoint, { ...headers, authorization: 'Bearer unknown' });
      const expired = await ask(endpoint, { ...headers, authorization: 'Bearer expired' });
      assert.deepEqual([missing, unknown, expired].map(code), [
        'missing_api_key',
        'invalid_api_key',
        'invalid_api_key',
      ]);
      for (const answer of [missing, unknown, expired]) {
        assert.equal(answer.status, 401);
        assert.equal(answer.headers['www-authenticate'], 'Bearer');
      }
      assert.equal(unknown.text, expired.text);
    }
  });

  it('grants a key nothing that its entry does not list: 403 to post, 404 to get [config.grants]', async () => {
    for (const endpoint of withKey) {
      if (UNVERSIONED.test(endpointLabel(endpoint)) || endpoint.path === '/api/radar/risk') continue;
      for (const token of ['bare', 'empty']) {
        const answer = await ask(endpoint, { authorization: `Bearer ${token}` });
        const where = `${endpointLabel(endpoint)} with ${token}`;
        assert.equal(answer.status, endpoint.method === 'POST' ? 403 : 404, where);
      }
      const foreign = await ask(endpoint, { authorization: 'Bearer foreign' });
      assert.equal(foreign.status, 404, `${endpointLabel(endpoint)} of another team`);
    }
  });

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
