/** Pages of stored items, and files of cases, whose time is over: what is left is told by what was done. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { loadConfiguration } from '#weir/shared/configuration/configuration';
import { compilePlan } from '#weir/shared/policy/compile';
import type { StoredAgain, StoredPage } from '#weir/shared/streams/tries';
import { backtested } from '#weir/workers/evaluator/backtest/page';
import { testedCases } from '#weir/workers/evaluator/cases/run';
import type { TriedPolicies } from '#weir/workers/evaluator/kinds/tried';

const WORDS = 'aaaaaaaa-0000-4000-8000-000000000001';
const MODEL = 'aaaaaaaa-0000-4000-8000-000000000002';

function tried(failClosed = false): TriedPolicies {
  const loaded = loadConfiguration(
    JSON.stringify({
      version: 1,
      teams: [{ id: 'acme', fail_closed: failClosed }],
      keys: [],
      backends: [{ id: 'guard', team: 'acme', url: 'http://127.0.0.1:9/v1', model: 'm' }],
      policies: [
        { id: WORDS, team: 'acme', name: 'Words', detect: { terms: { list: ['sesame'] } } },
        {
          id: MODEL,
          team: 'acme',
          name: 'Model',
          detect: { llm: { backend: 'guard', flagged_content: 'a', allowed_content: 'b' } },
        },
      ],
      deployments: [],
      environments: [
        {
          id: 'prod',
          team: 'acme',
          conditions: [{ id: 'all', name: 'All', when: 'true', policies: [WORDS, MODEL] }],
        },
      ],
    }),
  );
  assert.ok(loaded.ok, JSON.stringify(loaded));
  const { configuration } = loaded;
  return {
    plan: compilePlan(configuration, 1),
    configuration,
    policies: new Map(configuration.policies.map((policy) => [policy.id, policy])),
    resources: { models: new Map() },
  };
}

const item = (n: number, more: Partial<StoredAgain> = {}): StoredAgain => ({
  id: `item ${n}`,
  kind: 'events',
  type: 'message',
  field: 'content',
  role: 'user',
  name: '',
  config: 1,
  notEvaluated: 0,
  failed: false,
  image: false,
  map: 0,
  content: 'open sesame',
  metadata: '',
  truths: [],
  ...more,
});
const place = { team: 'acme', scope: 'prod' };
const then = JSON.stringify({ [WORDS]: { flagged: false, name: 'Words' } });

describe('a page of stored items', () => {
  it('has its first item judged, and those that there is time for', () => {
    const page: StoredPage = { items: [1, 2, 3].map((n) => item(n)), maps: [then] };
    const one = backtested(tried(), place, page, () => true);
    assert.deepEqual([one.done, one.evaluated, one.differing.map(({ id }) => id)], [1, 1, ['item 1']]);
    let asked = 0;
    assert.equal(backtested(tried(), place, page, () => ++asked === 2).done, 2);
    assert.equal(backtested(tried(), place, page, () => false).done, 3);
    assert.equal(backtested(tried(), place, { items: [], maps: [] }, () => true).done, 0);
  });

  it('says of a policy that would ask a backend that it cannot tell, also where the team fails closed', () => {
    for (const failClosed of [false, true]) {
      const both = JSON.stringify({
        [WORDS]: { flagged: true, name: 'Words' },
        [MODEL]: { flagged: true, name: 'Model' },
      });
      const { policies, differing } = backtested(
        tried(failClosed),
        place,
        { items: [item(1)], maps: [both] },
        () => false,
      );
      const [words, model] = [WORDS, MODEL].map((id) => policies.find((policy) => policy.id === id)!);
      assert.deepEqual([words!.still_flagged, model!.not_evaluated, model!.newly_cleared], [1, 1, 0]);
      assert.deepEqual(differing, []);
    }
  });

  it('counts content that is not stored for the policies that had looked at it, and what had no verdict', () => {
    const items = [
      item(1, { content: null }),
      item(2, { content: '' }),
      item(3, { image: true }),
      item(4, { failed: true, map: 1 }),
    ];
    const page = backtested(tried(), place, { items, maps: [then, '{}'] }, () => false);
    assert.deepEqual([page.evaluated, page.not_stored, page.images, page.failed], [0, 2, 1, 1]);
    assert.deepEqual(
      page.policies.map(({ id, not_stored }) => [id, not_stored]),
      [[WORDS, 2]],
    );
  });
});

describe('a file of cases', () => {
  const text = JSON.stringify({
    cases: [1, 2, 3].map((n) => ({
      name: `case ${n}`,
      text: 'open sesame',
      expect: { policies: ['Words'], allowed: ['Model'] },
    })),
  });
  const where = { ...place, kind: 'environment' as const, id: 'prod' };
  const file = { text, start: 0, environments: ['prod'], deployments: [] };

  it('has its first case evaluated, and those that there is time for', () => {
    const answer = testedCases(tried(), where, { ...file, start: 1 }, () => true);
    assert.ok('cases' in answer, JSON.stringify(answer));
    assert.equal(answer.cases.total, 3);
    assert.deepEqual(
      answer.cases.results.map(({ name, outcome }) => [name, outcome]),
      [['case 2', 'not_run']],
    );
    assert.match(answer.cases.results[0]!.why[0]!, /asks a backend or a model/);
  });
});
