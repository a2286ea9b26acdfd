import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compilePlan } from '#weir/shared/policy/compile';
import { MAX_CONDITION_STEPS } from '#weir/shared/policy/condition-steps';
import { parseCondition } from '#weir/shared/policy/conditions';
import { evaluateEvent, evaluateLostImageEvent } from '#weir/shared/policy/evaluate';
import type { Plan } from '#weir/shared/policy/plan';
import { pluck } from '../../support/pluck.ts';
import { event, id, SCOPE, type Sketch, sketch } from './support.ts';

const EVENT = { type: 'message', role: 'user', name: '' };
const names = (count: number, prefix = 'n'): string[] => Array.from({ length: count }, (_, i) => `${prefix}${i}`);

interface Judged {
  outcome: boolean | null;
  steps: number;
}

function judge(when: string, metadata: unknown, left = MAX_CONDITION_STEPS): Judged {
  const parsed = parseCondition(when);
  assert.ok(parsed.ok, when);
  const steps = { left };
  const outcome = parsed.condition.matches(metadata as Record<string, unknown>, EVENT, steps);
  return { outcome, steps: left - steps.left };
}

describe('the steps of a condition', () => {
  const long = 'a'.repeat(120_000);
  // Each took from a tenth of a second to hours, and memory without a bound.
  const rows: [string, Record<string, unknown>][] = [
    ['metadata.roles.exists(r, r in metadata.allowed)', { roles: names(9000), allowed: names(9000, 'm') }],
    ['metadata.roles.all(r, !(r in metadata.allowed))', { roles: names(5000), allowed: names(5000, 'm') }],
    ['metadata.roles.exists_one(r, r in metadata.allowed)', { roles: names(5000), allowed: names(5000, 'm') }],
    ['metadata.roles.filter(r, r in metadata.allowed) == []', { roles: names(5000), allowed: names(5000, 'm') }],
    ['metadata.roles.exists(r, metadata.allowed == [r])', { roles: names(5000), allowed: [names(5000)] }],
    ['metadata.roles.exists(r, r == metadata.other)', { roles: Array(5000).fill(names(99)), other: names(98) }],
    ['metadata.roles.exists(r, metadata.long.contains(r))', { roles: names(5000), long }],
    ['metadata.roles.map(r, metadata.long).join().size() == 1', { roles: names(5000), long }],
    ['metadata.roles.map(r, metadata.long + r).join("") == ""', { roles: names(5000), long }],
    ['metadata.roles.exists(r, r.missing == 1)', { roles: Array(80_000).fill({}) }],
    [
      'metadata.map.exists(key, key in metadata.allowed)',
      { map: Object.fromEntries(names(12_000).map((n) => [n, 1])), allowed: [] },
    ],
    ['metadata.long.contains(metadata.half)', { long, half: `${long.slice(60_000)}b` }],
    ['metadata.long.lastIndexOf(metadata.half) == 1', { long, half: `${long.slice(60_000)}b` }],
    ['metadata.long.indexOf(metadata.half) == 1', { long, half: `${long.slice(60_000)}b` }],
    ['metadata.long.split("").size() == 1', { long }],
    ['duration(metadata.long) == duration("1s")', { long: '1h'.repeat(60_000) }],
    ['cel.bind(a, metadata.roles, (a + a + a + a) + (a + a + a + a) == [])', { roles: names(40_000) }],
    [Array(140).fill('size(metadata.long) == 1').join(' || '), { long }],
  ];
  for (const [when, metadata] of rows) {
    it(`are not enough for ${when.slice(0, 60)} [config.when-steps]`, () => {
      assert.equal(judge(when, metadata).outcome, null);
    });
  }

  it('end a condition at once, in the midst of a list [config.when-steps]', () => {
    const metadata = { roles: names(8000), allowed: names(50, 'm') };
    for (const when of [
      'metadata.roles.exists(r, r in metadata.allowed)',
      'metadata.roles.all(r, !(r in metadata.allowed))',
      'metadata.roles.exists_one(r, r in metadata.allowed)',
      'metadata.roles.exists(r, metadata.roles.size() > 0 && r in metadata.allowed)',
      '!metadata.roles.exists(r, r in metadata.allowed || r == "x")',
    ]) {
      const { outcome, steps } = judge(when, metadata);
      assert.equal(outcome, null);
      // What it was at when it was stopped, and no element after that.
      assert.ok(steps - MAX_CONDITION_STEPS < 2 * 50, `${when} went on for ${steps - MAX_CONDITION_STEPS} steps`);
    }
  });

  it('are enough for what conditions are used for, with room to spare', () => {
    const metadata = {
      user: { tier: 'free', tags: names(20), roles: names(40) },
      allowed: names(200),
      text: 'word '.repeat(200),
      limits: { a: 1, b: 2 },
    };
    const used: [string, boolean, number][] = [
      ['true', true, 0],
      ['metadata.user.tier in ["free", "trial"]', true, 10],
      ['metadata.user.tags.exists(t, t == "n19")', true, 500],
      ['metadata.user.roles.exists(r, r in metadata.allowed)', true, 2000],
      ['metadata.user.roles.all(r, r in metadata.allowed)', true, 10_000],
      ['metadata.text.contains("nowhere")', false, 20],
      ['metadata.text.lowerAscii().startsWith("word")', true, 300],
      ['size(metadata.user.tags) > 3 && size(metadata.limits) == 2', true, 50],
      ['timestamp("2024-05-01T10:00:00Z").getHours("Europe/Paris") == 12', true, 2100],
      ['metadata.limits == {"a": 1.0, "b": 2.0}', true, 20],
      ['cel.bind(t, metadata.user.tier, t == "free" || t == "trial")', true, 10],
    ];
    for (const [when, expected, most] of used) {
      const { outcome, steps } = judge(when, metadata);
      assert.equal(outcome, expected, when);
      assert.ok(steps <= most, `${when} takes ${steps} steps`);
    }
  });

  it('are the same each time, and those of all conditions of an event together', () => {
    const metadata = { roles: names(100), allowed: names(100, 'm') };
    const when = 'metadata.roles.exists(r, r in metadata.allowed)';
    const { outcome, steps } = judge(when, metadata);
    assert.equal(outcome, false);
    assert.deepEqual(judge(when, metadata), { outcome, steps });
    assert.equal(judge(when, metadata, steps).outcome, false);
    assert.equal(judge(when, metadata, steps - 1).outcome, null);
  });

  it('do not matter where the rest decides', () => {
    const metadata = { roles: names(9000), allowed: names(9000, 'm'), flag: true };
    const heavy = 'metadata.roles.exists(r, r in metadata.allowed)';
    assert.equal(judge(`${heavy} || metadata.flag`, metadata).outcome, true);
    assert.equal(judge(`metadata.flag || ${heavy}`, metadata).outcome, true);
    assert.equal(judge(`!metadata.flag && ${heavy}`, metadata).outcome, false);
    assert.equal(judge(`!metadata.flag || ${heavy}`, metadata).outcome, null);
    assert.equal(judge(`${heavy} && metadata.missing == 1`, metadata).outcome, false, 'a key is missing');
  });
});

describe('an event with a condition that takes too many steps', () => {
  const heavy = { roles: names(2000), allowed: names(2000, 'm') };
  const HEAVY = 'metadata.roles.exists(r, r in metadata.allowed)';
  const conditions = [
    { id: 'always', name: 'Always', when: 'true', policies: [id(0), id(1)] },
    { id: 'heavy', name: 'Heavy', when: HEAVY, policies: [id(1), id(2), id(3)] },
  ];
  const term = (...list: string[]) => ({ terms: { list } });
  const policies = [
    { detect: term('bad') },
    { detect: term('worse') },
    { detect: term('worst') },
    { detect: term('worst'), events: ['tool'] },
  ];
  const planOf = (more: Partial<Sketch> = {}): Plan => compilePlan(sketch({ policies, conditions, ...more }), 1);
  const mapOf = (text: string) =>
    JSON.parse(text) as Record<string, { flagged: boolean; enabled_by_conditions: unknown }>;
  const NOTE = `1 policy could not be evaluated; the conditions take more than ${MAX_CONDITION_STEPS} steps over its metadata`;

  it('is not clean: policies that it alone would select are not evaluated [config.when-steps] [failure.clean]', () => {
    const verdict = evaluateEvent(planOf(), SCOPE, event('worst', { metadata: heavy }));
    assert.deepEqual([verdict.flagged, verdict.notEvaluated, verdict.note], [false, 1, NOTE]);
    assert.equal(verdict.stopped, true);
    assert.deepEqual(Object.keys(mapOf(verdict.policies)), [id(0), id(1)]);
    assert.deepEqual(verdict.evaluated, [id(0), id(1)]);
    const tool = event('worst', { type: 'tool', field: 'output', role: '', metadata: heavy });
    assert.equal(evaluateEvent(planOf(), SCOPE, tool).notEvaluated, 2);
  });

  it('is flagged by what other conditions select', () => {
    const verdict = evaluateEvent(planOf(), SCOPE, event('bad and worse', { metadata: heavy }));
    assert.deepEqual([verdict.flagged, verdict.notEvaluated, verdict.note], [true, 1, NOTE]);
    assert.deepEqual(mapOf(verdict.policies)[id(1)]?.enabled_by_conditions, [{ id: 'always', name: 'Always' }]);
  });

  it('is flagged where the team fails closed', () => {
    const verdict = evaluateEvent(planOf({ failClosed: true }), SCOPE, event('fine', { metadata: heavy }));
    assert.deepEqual([verdict.flagged, verdict.notEvaluated], [true, 0]);
    assert.deepEqual(pluck(verdict.violations, 'id'), [id(2)]);
    assert.deepEqual(mapOf(verdict.policies)[id(2)], {
      flagged: true,
      name: 'P2',
      enabled_by_conditions: [{ id: 'heavy', name: 'Heavy' }],
    });
  });

  it('is complete where it would select nothing that looks at the event, or nothing more', () => {
    const images = { detect: { image_properties: { kinds: ['png'] } } };
    const alone = planOf({
      policies: [images],
      conditions: [{ id: 'heavy', name: 'H', when: HEAVY, policies: [id(0)] }],
    });
    const verdict = evaluateEvent(alone, SCOPE, event('worst', { metadata: heavy }));
    assert.deepEqual([verdict.notEvaluated, verdict.note], [0, 'no policy was selected that looks at message.user']);
    const artifact = event('', { type: 'artifact', role: '', metadata: heavy });
    assert.equal(evaluateLostImageEvent(alone, SCOPE, artifact).notEvaluated, 1);
    const more = planOf({ conditions: [conditions[0]!, { ...conditions[1]!, policies: [id(1)] }] });
    const complete = evaluateEvent(more, SCOPE, event('fine', { metadata: heavy }));
    assert.deepEqual([complete.notEvaluated, complete.note], [0, '']);
  });

  it('leaves no steps to the conditions behind it', () => {
    const plan = planOf({
      conditions: [
        { id: 'heavy', name: 'Heavy', when: HEAVY, policies: [id(0)] },
        { id: 'light', name: 'Light', when: 'metadata.roles[0] == "n0"', policies: [id(1)] },
        { id: 'other', name: 'Other', when: 'metadata.missing == 1', policies: [id(2)] },
      ],
    });
    assert.equal(evaluateEvent(plan, SCOPE, event('worse', { metadata: heavy })).notEvaluated, 2);
    const light = { roles: ['n0'], allowed: [] };
    assert.deepEqual(mapOf(evaluateEvent(plan, SCOPE, event('worse', { metadata: light })).policies), {
      [id(1)]: { flagged: true, name: 'P1', enabled_by_conditions: [{ id: 'light', name: 'Light' }] },
    });
  });
});
