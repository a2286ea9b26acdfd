import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ENDPOINTS, type EndpointName } from '#weir/shared/api/endpoints';
import { VERSIONS } from '#weir/shared/api/versions';
import { exampleCall } from '../support/api/example-call.ts';
import { operationOf } from '../support/api/openapi.ts';
import { type Answer, type Call, sharedIngress, storedItem } from './support.ts';

const LOOKUPS = ['findSession', 'getSession'] as const;

/** The start of the version's day, in seconds. */
const SINCE = `@${Date.UTC(2026, 3, 15) / 1000}`;

describe('a version that a newer one replaced on a route', () => {
  const ingress = sharedIngress();
  const { call } = ingress;

  const isDeprecated = (answer: Answer): boolean => {
    const { deprecation, link, sunset } = answer.headers;
    assert.equal(sunset, undefined, 'no removal is announced');
    assert.equal(deprecation === undefined, link === undefined);
    if (deprecation === undefined) return false;
    assert.equal(deprecation, SINCE);
    assert.equal(link, '</docs>; rel="deprecation"; type="text/html"');
    return true;
  };

  it('is answered as before and called deprecated: 2025-12-01 on the look-ups of sessions, and nothing else [9.3]', async () => {
    for (const name of Object.keys(ENDPOINTS) as EndpointName[]) {
      const options = exampleCall(name);
      const item = name.endsWith('Event') ? {} : ({ kind: 'session', type: 'session', scope: 'chat' } as const);
      ingress.found = { status: 'found', item: storedItem(item) };
      for (const version of [...VERSIONS, '2024-01-01', undefined]) {
        const answer = await call({ ...options, headers: { 'service-version': version } });
        const expected = version === '2025-12-01' && (LOOKUPS as readonly string[]).includes(name);
        assert.equal(isDeprecated(answer), expected, `${name} ${version}`);
        if (expected) assert.equal(answer.status, 200);
        const documented = operationOf(name).responses[answer.status]?.headers?.Deprecation !== undefined;
        assert.equal(documented, (LOOKUPS as readonly string[]).includes(name), name);
      }
    }
  });

  it('is called so on errors of the route too, but not where the path does not take the method', async () => {
    ingress.found = { status: 'absent' };
    const old = { 'service-version': '2025-12-01' };
    const find = exampleCall('findSession');
    const get = exampleCall('getSession');
    const { body } = exampleCall('createSession');
    const cases: [Call, number, boolean][] = [
      [get, 404, true],
      [{ ...get, method: 'HEAD' }, 404, true],
      [{ method: 'GET', path: '/api/session/x' }, 400, true],
      [{ ...find, headers: { authorization: 'Bearer unknown' } }, 401, true],
      [{ ...find, headers: { authorization: 'Bearer writer' } }, 403, true],
      [{ method: 'DELETE', path: '/api/session' }, 405, false],
      [{ method: 'POST', path: '/api/session', body }, 400, false],
      [{ method: 'GET', path: '/api/sessions' }, 404, false],
    ];
    for (const [options, status, expected] of cases) {
      const answer = await call({ ...options, headers: { ...old, ...options.headers } });
      assert.equal(answer.status, status, options.path);
      assert.equal(isDeprecated(answer), expected, `${options.method} ${options.path}`);
    }
  });
});
