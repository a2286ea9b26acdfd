/** Run graph (4.12), protect (4.10) and user risk (4.11) at the HTTP edge: their look-ups and their answers. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { encodeCursor } from '#weir/ingress/lookups/run-graph';
import { type Answer, POLICY, sharedIngress, storedItem } from './support.ts';

const ID = '01890000-0000-7000-8000-000000000001';

describe('reads', () => {
  const ingress = sharedIngress();
  const get = (path: string, token = 'good', version = '2026-06-01'): Promise<Answer> =>
    ingress.call({
      method: 'GET',
      path,
      headers: { authorization: `Bearer ${token}`, 'service-version': version, 'x-request-id': 'same' },
    });

  const graph = '/api/run/graph?environment_id=prod&run_id=r';
  const protect = '/api/protect/get_by_id?deployment_id=chat&external_id=e';
  const risk = '/api/radar/risk?id=u';

  it('of a run ask for a page of it, by default of 500 events', async () => {
    const value = { run_id: 'r', environment_id: 'prod', nodes: [], edges: [], next_cursor: null };
    ingress.graph = { status: 'found', value };
    const after = { sequence: 7, id: ID };
    assert.deepEqual((await get(graph)).json, value);
    await get(`${graph}&limit=1000&cursor=${encodeCursor(after)}`);
    const asked = { team: 'acme', environment: 'prod', run: 'r' };
    assert.deepEqual(ingress.pages.slice(-2), [
      { ...asked, after: undefined, limit: 500 },
      { ...asked, after, limit: 1000 },
    ]);
  });

  it('of an environment that is not granted look up one that does not exist', async () => {
    ingress.graph = { status: 'absent' };
    const absent = await get(graph.replace('prod', 'elsewhere'));
    const hidden = await get(graph.replace('prod', 'staging'));
    assert.equal(hidden.status, 404);
    assert.equal(hidden.text, absent.text);
    assert.equal(ingress.pages.at(-1)?.environment, '', 'nothing that is stored has this environment');
  });

  it('of a user turn the score into a level, at its very thresholds [risk.answer] [risk.levels] [2.10] [4.11.answer]', async () => {
    const levels: [number, string][] = [
      [0, 'normal'],
      [3, 'normal'],
      [3.999, 'normal'],
      [4, 'elevated'],
      [9.999, 'elevated'],
      [10, 'severe'],
      [1e6, 'severe'],
    ];
    for (const [value, level] of levels) {
      ingress.score = { status: 'found', value };
      assert.deepEqual((await get(risk)).json, { risk_level: level, window_days: 30 }, `${value}`);
    }
    const question = ingress.questions.at(-1)!;
    assert.equal(question.enough, 10);
    assert.equal(question.weight(POLICY), 5);
    assert.equal(question.weight('00000000-0000-4000-8000-000000000000'), 0);
    assert.ok(Math.abs(Date.now() - 30 * 86_400_000 - question.since) < 60_000);
  });

  it('of a user take one identifier, an e-mail address in any case and with space around it [risk.email] [risk.one] [4.11.one]', async () => {
    ingress.score = { status: 'found', value: 0 };
    const cases: [string, string, string][] = [
      ['id=%20U%20', 'id', ' U '],
      ['id=u&email=', 'id', 'u'],
      ['email=%20A%2Bb%40Example.ORG%0A', 'email', 'a+b@example.org'],
    ];
    for (const [query, kind, user] of cases) {
      assert.equal((await get(`/api/radar/risk?${query}`)).status, 200);
      assert.deepEqual(ingress.questions.at(-1)?.user, { team: 'acme', kind, user });
    }
    const before = ingress.questions.length;
    const wrong: [string, string][] = [
      ['', 'email'],
      ['id=&email=+', 'email'],
      ['id=a&email=b', 'email'],
      [`id=${'x'.repeat(257)}`, 'id'],
      [`email=${'x'.repeat(257)}`, 'email'],
      ['id=a&id=a', 'id'],
      ['id=%ff', 'id'],
    ];
    for (const [query, param] of wrong) {
      const answer = await get(`/api/radar/risk?${query}`);
      assert.deepEqual([answer.status, answer.error?.param], [400, param], query);
    }
    assert.equal(ingress.questions.length, before);
  });

  it('of protect ask for the newest hundred of an external id [4.10.answer] [protect.list]', async () => {
    const policies = JSON.stringify({
      a: { name: 'A', flagged: true, flagged_source: ['text', 'image'] },
      b: { name: 'B', flagged: false, flagged_source: [] },
    });
    ingress.sessions = { status: 'found', value: [storedItem({ kind: 'session', policies, externalSessionId: 'e' })] };
    const answer = await get(`${protect}&include_policy_names=true`);
    assert.deepEqual(ingress.lookups.at(-1), ['sessions', 'acme', 'chat', 'e', '100']);
    assert.deepEqual(answer.json, {
      list: [
        {
          external_id: 'e',
          internal_id: ID,
          violation: true,
          violations: {
            a: { violation: true, name: 'A', violation_source: ['text', 'image'] },
            b: { violation: false, name: 'B', violation_source: [] },
          },
        },
      ],
    });
  });

  it('of protect take booleans as true, false, 1 and 0 in any case [general.booleans]', async () => {
    const policies = JSON.stringify({ a: { name: 'A', flagged: true, flagged_source: ['text'] } });
    ingress.sessions = { status: 'found', value: [storedItem({ kind: 'session', policies, externalSessionId: 'e' })] };
    for (const [value, named] of Object.entries({
      true: true,
      True: true,
      1: true,
      FALSE: false,
      0: false,
      '': false,
    })) {
      const { json } = await get(`${protect}&include_policy_names=${value}`);
      assert.equal('name' in json.list[0].violations.a, named, value);
    }
    const answer = await get(`${protect}&include_policy_names=yes`);
    assert.deepEqual([answer.status, answer.error.param], [400, 'include_policy_names']);
  });

  it('of protect need a deployment that exists and is granted, and look up nothing for another [4.10.deployment_id]', async () => {
    ingress.sessions = { status: 'found', value: [] };
    assert.equal((await get(protect)).text, '{"list":[]}');
    const ofKey = await get('/api/protect/get_by_id?external_id=e');
    assert.deepEqual([ofKey.status, ingress.lookups.at(-1)!.slice(0, 3)], [200, ['sessions', 'acme', 'chat']]);
    const bare = await get('/api/protect/get_by_id?external_id=e', 'bare');
    assert.deepEqual([bare.status, bare.error.param], [400, 'deployment_id']);
    const before = ingress.lookups.length;
    const bodies = new Set<string>();
    for (const deployment of ['gone', 'internal', 'nowhere']) {
      for (const id of ['external_id=e', `internal_id=${ID}`]) {
        const answer = await get(`/api/protect/get_by_id?deployment_id=${deployment}&${id}`);
        assert.equal(answer.status, 404, deployment);
        bodies.add(answer.text);
      }
    }
    assert.equal(bodies.size, 1);
    assert.equal(ingress.lookups.length, before);
  });

  it('are 503 while the stores cannot be asked, and 404 for what is absent', async () => {
    for (const [status, code] of [
      ['unavailable', 503],
      ['absent', 404],
    ] as const) {
      ingress.graph = ingress.sessions = ingress.score = ingress.found = { status };
      for (const path of [graph, protect, risk]) assert.equal((await get(path)).status, code, path);
    }
    ingress.found = { status: 'unavailable' };
    const byId = protect.replace('external_id=e', `internal_id=${ID}`);
    assert.equal((await get(byId)).status, 503);
    ingress.found = { status: 'absent' };
    assert.equal((await get(byId)).text, '{"list":[]}');
  });
});
