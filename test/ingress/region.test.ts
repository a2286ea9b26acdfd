/** An ingress of one of several regions, as callers see it. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { generatedId, itemId, newRequestId } from '#weir/shared/ids';
import { NO_REGION, type Region, useRegion } from '#weir/shared/region';
import { type Answer, assertError, sharedIngress, storedItem } from './support.ts';

const EU = { number: 1, name: 'eu' };
const US = { number: 2, name: 'us' };
/** One that no configuration names. */
const UNNAMED = { number: 9, name: 'elsewhere' };

function idIn(region: Region): string {
  useRegion(region);
  const id = itemId(newRequestId(0), 1);
  useRegion(EU);
  return id;
}

describe('an ingress of a region', () => {
  const ingress = sharedIngress();
  before(() => useRegion(EU));
  after(() => useRegion(NO_REGION));
  const get = (path: string): Promise<Answer> => ingress.call({ method: 'GET', path });

  /** Every way to name an id of ours. */
  const waysOf = (id: string): [param: string, path: string][] => [
    ['internal_event_id', `/api/event/${id}?environment_id=prod`],
    ['internal_event_id', `/api/event/${id.toUpperCase()}?environment_id=prod`],
    ['run_id', `/api/event?environment_id=prod&run_id=${generatedId('run', id)}&event_id=a`],
    ['event_id', `/api/event?environment_id=prod&run_id=a&event_id=${generatedId('evt', id)}`],
    ['run_id', `/api/run/graph?environment_id=prod&run_id=${generatedId('run', id)}`],
    ['internal_session_id', `/api/session/${id}`],
    ['internal_artifact_id', `/api/artifact/get_by_id?internal_artifact_id=${id}`],
    ['internal_id', `/api/protect/get_by_id?internal_id=${id}`],
  ];

  it('says which region an id is of, by an internal one without a look-up [regions.wrong_region]', async () => {
    ingress.found = { status: 'absent' };
    for (const [param, path] of waysOf(idIn(US))) {
      const before = ingress.lookups.length;
      const answer = await get(path);
      assertError(answer, { status: 404, code: 'wrong_region', type: 'not_found_error' });
      assert.equal(answer.error.region, 'us', path);
      assert.equal(answer.error.param, param, path);
      assert.match(answer.error.message, /region "us".*this is "eu"/);
      if (param.startsWith('internal')) assert.equal(ingress.lookups.length, before, path);
    }
  });

  it('has what callers have sent here of a run that began elsewhere, and tells no key what it may not see', async () => {
    const run = generatedId('run', idIn(US));
    const path = (environment: string): string => `/api/event?environment_id=${environment}&run_id=${run}&event_id=a`;
    ingress.found = { status: 'found', item: storedItem({ runId: run }) };
    assert.equal((await get(path('prod'))).status, 200);
    for (const status of ['found', 'absent'] as const) {
      ingress.found = status === 'found' ? { status, item: storedItem({ runId: run }) } : { status };
      const hidden = await get(path('staging'));
      assertError(hidden, { status: 404, code: 'not_found' });
      const graph = await get(`/api/run/graph?environment_id=staging&run_id=${run}`);
      assertError(graph, { status: 404, code: 'not_found' });
    }
  });

  it('says so of the session that a check or an artifact names, and takes neither', async () => {
    const internal = idIn(US);
    const bodies: [path: string, body: unknown][] = [
      ['/api/session/check', { messages: [{ role: 'user', content: 'a' }], internal_session_id: internal }],
      ['/api/artifact', { content: { kind: 'image', url: 'https://a.example/a.png' }, internal_session_id: internal }],
    ];
    const before = ingress.checks.length;
    for (const [path, body] of bodies) {
      const answer = await ingress.call({ path, body: JSON.stringify(body) });
      assertError(answer, { status: 404, code: 'wrong_region' });
      assert.equal(answer.error.region, 'us');
    }
    assert.equal(ingress.checks.length, before);
  });

  it('looks up what is of its own, of no region, or of one that it does not know', async () => {
    ingress.found = { status: 'absent' };
    for (const region of [EU, NO_REGION, UNNAMED]) {
      for (const [param, path] of waysOf(idIn(region))) {
        const answer = await get(path);
        if (param === 'internal_id') assert.deepEqual(answer.json, { list: [] });
        else assertError(answer, { status: 404, code: 'not_found' });
      }
    }
    const random = '0b9f3c1e-7a2d-4c5b-8e6f-1a2b3c4d5e6f';
    assertError(await get(`/api/session/${random}`), { status: 404, code: 'not_found' });
  });

  it('has its name on every answer [regions.name]', async () => {
    ingress.found = { status: 'found', item: storedItem() };
    const answers = [
      await get(`/api/event/${idIn(EU)}?environment_id=prod`),
      await get(`/api/event/${idIn(US)}?environment_id=prod`),
      await ingress.call({ path: '/api/events', body: '{' }),
      await ingress.call({ method: 'GET', path: '/openapi.json', headers: { authorization: '' } }),
      await ingress.call({ method: 'GET', path: '/nowhere' }),
    ];
    for (const { headers } of answers) assert.equal(headers['weir-region'], 'eu');
    useRegion(NO_REGION);
    const none = await get(`/api/event/${newRequestId(0)}?environment_id=prod`);
    assert.equal(none.headers['weir-region'], undefined);
    useRegion(EU);
  });
});
