import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compilePlan, compileTeam, interestsOf } from '#weir/shared/policy/compile';
import { evaluateEvent, evaluateSession, evaluateText, NO_CONDITION_NOTE } from '#weir/shared/policy/evaluate';
import type { Plan } from '#weir/shared/policy/plan';
import { MAX_SELECTED } from '#weir/shared/policy/selection';
import { assertHas } from '../../support/has.ts';
import { pluck } from '../../support/pluck.ts';
import { event, id, SCOPE, type Sketch, sketch } from './support.ts';

const term = (...list: string[]) => ({ terms: { list } });
const planOf = (sketched: Sketch): Plan => compilePlan(sketch(sketched), 7);
const mapOf = (policies: string) => JSON.parse(policies) as Record<string, Record<string, unknown>>;
const nested = (list: string, context: number) => ({ terms: { list: [list], context } });

describe('evaluating an event', () => {
  it('answers with a map of every policy that a condition selected', () => {
    const plan = planOf({ policies: [{ detect: term('bad') }, { detect: term('worse') }] });
    const verdict = evaluateEvent(plan, SCOPE, event('a bad day'));
    const reasons = [{ id: 'all', name: 'All' }];
    assert.deepEqual(mapOf(verdict.policies), {
      [id(0)]: { flagged: true, name: 'P0', enabled_by_conditions: reasons },
      [id(1)]: { flagged: false, name: 'P1', enabled_by_conditions: reasons },
    });
    assertHas(verdict, { flagged: true, note: '', notEvaluated: 0, evaluated: [id(0), id(1)] });
    assert.deepEqual(verdict.violations, [
      {
        id: id(0),
        name: 'P0',
        severity: 'medium',
        sources: ['text'],
        evidence: [{ detector: 'terms', view: 'folded', source: 'text', start: 2, end: 5 }],
      },
    ]);
  });

  it('has evidence in UTF-16 units of the text as it was sent [config.offsets]', () => {
    const plan = planOf({ policies: [{ detect: term('bad') }] });
    for (const [text, start, end] of [
      ['😀 bad', 3, 6],
      ['e\u0301 bad', 3, 6],
      ['ﬁne, \u{1d41b}\u{1d41a}\u{1d41d}', 5, 11],
    ] as const) {
      const [evidence] = evaluateEvent(plan, SCOPE, event(text)).violations[0]!.evidence;
      assert.deepEqual([evidence!.start, evidence!.end], [start, end], text);
    }
  });

  it('names every condition that selected a policy, and evaluates it once', () => {
    const plan = planOf({
      policies: [{ detect: term('bad') }],
      conditions: [
        { id: 'a', name: 'A', when: 'true', policies: [id(0)] },
        { id: 'off', name: 'Off', active: false, when: 'true', policies: [id(0)] },
        { id: 'no', name: 'No', when: 'event.type == "tool"', policies: [id(0)] },
        { id: 'b', name: 'B', when: 'metadata.tier == "free"', policies: [id(0)] },
      ],
    });
    const verdict = evaluateEvent(plan, SCOPE, event('bad', { metadata: { tier: 'free' } }));
    assert.deepEqual(mapOf(verdict.policies)[id(0)]?.enabled_by_conditions, [
      { id: 'a', name: 'A' },
      { id: 'b', name: 'B' },
    ]);
    assert.deepEqual(verdict.evaluated, [id(0)]);
  });

  it('evaluates nothing when no active condition matches', () => {
    const plan = planOf({
      policies: [{ detect: term('bad') }],
      conditions: [{ id: 'a', name: 'A', when: 'metadata.tier == "free"', policies: [id(0)] }],
    });
    for (const metadata of [{}, { tier: 'paid' }, { tier: 1 }]) {
      const verdict = evaluateEvent(plan, SCOPE, event('bad', { metadata }));
      assert.deepEqual([verdict.flagged, verdict.policies, verdict.note], [false, '{}', NO_CONDITION_NOTE]);
      assert.deepEqual(verdict.evaluated, []);
    }
  });

  it('has an empty map, and says so, when conditions match but no policy is for the event [artifact.looks-none]', () => {
    const plan = planOf({ policies: [{ detect: term('bad'), events: ['tool'] }] });
    const verdict = evaluateEvent(plan, SCOPE, event('bad'));
    assert.deepEqual([verdict.flagged, verdict.policies], [false, '{}']);
    assert.equal(verdict.note, 'no policy was selected that looks at message.user');
    const output = evaluateEvent(plan, SCOPE, event('bad', { type: 'agent', field: 'state', role: '' }));
    assert.equal(output.note, 'no policy was selected that looks at agent.state');
  });

  it('decides anew when the metadata, the event or the environment is another', () => {
    const plan = planOf({
      policies: [{ detect: term('bad') }],
      conditions: [{ id: 'a', name: 'A', when: 'metadata.go == true && event.name == "x"', policies: [id(0)] }],
    });
    const go = { go: true };
    const flagged = (metadata: Record<string, unknown>, name: string) =>
      evaluateEvent(plan, SCOPE, event('bad', { metadata, name })).flagged;
    const both = [flagged(go, 'x'), flagged(go, 'y'), flagged(go, 'x'), flagged({}, 'x')];
    assert.deepEqual(both, [true, false, true, false]);
  });

  describe('selects by type and field', () => {
    const rows: [string[] | undefined, string, string, boolean][] = [
      [undefined, 'message', 'content', true],
      [undefined, 'agent', 'state', true],
      [['message'], 'message', 'content', true],
      [['message'], 'tool', 'output', false],
      [['tool'], 'tool', 'arguments', true],
      [['tool.output'], 'tool', 'output', true],
      [['tool.output'], 'tool', 'arguments', false],
      [['tool.output'], 'function', 'output', false],
      [['message', 'agent.state'], 'agent', 'state', true],
      [['reasoning.content'], 'reasoning', 'content', true],
    ];
    for (const [events, type, field, selected] of rows) {
      it(`${JSON.stringify(events)} ${selected ? 'is' : 'is not'} for ${type}.${field} [event.selectors]`, () => {
        const plan = planOf({ policies: [{ detect: term('bad'), ...(events ? { events } : {}) }] });
        const content = event('bad', { type: type as 'message', field, role: type === 'message' ? 'user' : '' });
        assert.equal(evaluateEvent(plan, SCOPE, content).flagged, selected);
      });
    }
  });

  describe('selects by direction', () => {
    const rows: [string, 'message' | 'tool', string, boolean][] = [
      ['input', 'message', 'user', true],
      ['input', 'message', 'assistant', false],
      ['output', 'message', 'user', false],
      ['output', 'message', 'assistant', true],
      ['any', 'message', 'assistant', true],
      ['input', 'tool', '', true],
      ['output', 'tool', '', true],
    ];
    for (const [direction, type, role, selected] of rows) {
      it(`${direction} ${selected ? 'is' : 'is not'} for a ${type} ${role}`, () => {
        const plan = planOf({ policies: [{ detect: term('bad'), direction }] });
        const content = event('bad', { type, role, field: type === 'tool' ? 'output' : 'content' });
        assert.equal(evaluateEvent(plan, SCOPE, content).policies !== '{}', selected);
      });
    }
  });

  it('leaves out policies whose sources lack the source of the event [event.sources]', () => {
    const either = { any: [term('bad'), { image_properties: { kinds: ['png'] } }] };
    const plan = planOf({
      policies: [
        { detect: either, sources: ['image'] },
        { detect: either, sources: ['text'] },
        { detect: either, events: ['artifact.image'] },
      ],
    });
    assert.deepEqual(Object.keys(mapOf(evaluateEvent(plan, SCOPE, event('bad')).policies)), [id(1)]);
    const artifact = event('', { type: 'artifact', role: '' });
    assert.deepEqual(Object.keys(mapOf(evaluateEvent(plan, SCOPE, artifact).policies)), [id(0), id(2)]);
  });

  it('gives equal outcomes the same string, whatever the text and the type', () => {
    const plan = planOf({ policies: [{ detect: term('bad') }, { detect: term('worse') }] });
    const policies = (text: string, type: 'tool' | 'function') =>
      evaluateEvent(plan, SCOPE, event(text, { type, field: 'output', role: '' })).policies;
    assert.equal(policies('bad', 'tool'), policies('so bad', 'function'));
    assert.notEqual(policies('bad', 'tool'), policies('worse', 'tool'));
    const clean = evaluateEvent(plan, SCOPE, event('x'));
    assert.equal(clean, evaluateEvent(plan, SCOPE, event('y')), 'clean verdicts are one');
  });

  it('keeps a bounded number of selections, whatever callers ask for', () => {
    const policies = Array.from({ length: 300 }, () => ({ detect: term('bad') }));
    const plan = planOf({ policies });
    const team = plan.teams.get('t')!;
    const all = policies.map((_, n) => id(n));
    for (let left = 0; left < 240; left++) {
      for (let other = 0; other < 3; other++) {
        const restrict = all.filter((_, n) => n !== left && n !== (left + 7 * other) % 300);
        evaluateSession(plan, { ...SCOPE, restrict }, { direction: 'input', text: 'bad' });
      }
    }
    let kept = 0;
    for (const selection of team.deployments.get('d')!.selections.values()) kept += selection.selected.length;
    assert.ok(kept > 0 && kept <= MAX_SELECTED, String(kept));
  });

  it('gives the same verdict again', () => {
    const text = 'bad 4111 1111 1111 1111 \u0455cam';
    const sketched = { policies: [{ detect: term('bad') }, { detect: { pii: { entities: ['CREDIT_CARD'] } } }] };
    const first = JSON.stringify(evaluateEvent(planOf(sketched), SCOPE, event(text)));
    const plan = planOf(sketched);
    evaluateEvent(plan, SCOPE, event('something else 123 @'));
    assert.equal(JSON.stringify(evaluateEvent(plan, SCOPE, event(text))), first);
  });

  it('says which team, environment, deployment or named policy there is not', () => {
    const plan = planOf({ policies: [] });
    const named = { ...SCOPE, restrict: [id(5)] };
    assert.throws(() => evaluateSession(plan, named, { direction: 'input', text: '' }), /no policy \S+ in deployment/);
    assert.throws(() => evaluateEvent(plan, { team: 'u', environment: 'e' }, event('')), /version 7 has no team u/);
    assert.throws(
      () => evaluateEvent(plan, { team: 't', environment: '__proto__' }, event('')),
      /no environment __proto__/,
    );
    const content = { direction: 'input', text: '' } as const;
    assert.throws(() => evaluateSession(plan, { team: 't', deployment: 'x' }, content), /no deployment x of team t/);
  });
});

describe('evaluating expressions', () => {
  const detect = { all: [term('fire'), { not: { any: [term('drill'), term('test')] } }] };
  const plan = planOf({ policies: [{ detect }, { detect: { not: term('please') } }] });
  const flagged = (text: string) => evaluateText(plan, SCOPE, text).violations.map((violation) => violation.name);
  it('combines any, all and not', () => {
    assert.deepEqual(flagged('fire! please'), ['P0']);
    assert.deepEqual(flagged('fire drill please'), []);
    assert.deepEqual(flagged('fire test please'), []);
    assert.deepEqual(flagged('please'), []);
  });
  it('flags what not says of a text in which nothing is found', () => {
    assert.deepEqual(flagged(''), ['P1']);
    assert.deepEqual(flagged('fire'), ['P0', 'P1']);
    assert.deepEqual(evaluateText(plan, SCOPE, '').violations[0]?.evidence, []);
  });
});

describe('evaluating a session', () => {
  const plan = planOf({
    policies: [
      { detect: term('bad'), direction: 'input' },
      { detect: term('bad'), direction: 'output' },
      { detect: term('bad'), sources: ['image'] },
      { detect: term('fine'), events: ['tool.output'] },
    ],
  });
  it('has every policy in the map that is for the direction and looks at texts [event.sources-session]', () => {
    const { policies, flagged, evaluated } = evaluateSession(plan, SCOPE, { direction: 'input', text: 'bad' });
    assert.equal(flagged, true);
    assert.deepEqual(mapOf(policies), {
      [id(0)]: { name: 'P0', flagged: true, flagged_source: ['text'] },
      [id(3)]: { name: 'P3', flagged: false, flagged_source: [] },
    });
    assert.deepEqual(evaluated, [id(0), id(3)]);
    const output = evaluateSession(plan, SCOPE, { direction: 'output', text: '' });
    assert.deepEqual(Object.keys(mapOf(output.policies)), [id(1), id(3)]);
  });
  it('keeps to the policies it is restricted to, in any case and order', () => {
    const restrict = [id(3), id(0).toUpperCase()];
    const verdict = evaluateSession(plan, { ...SCOPE, restrict }, { direction: 'input', text: 'bad' });
    assert.deepEqual(Object.keys(mapOf(verdict.policies)), [id(0), id(3)]);
    const none = evaluateSession(plan, { ...SCOPE, restrict: [id(1)] }, { direction: 'input', text: 'bad' });
    assert.deepEqual([none.policies, none.flagged], ['{}', false]);
  });
});

describe('context', () => {
  const plan = planOf({
    policies: [{ detect: nested('pay me now', 1) }, { detect: nested('alone', 0) }, { detect: nested('one two', 2) }],
  });
  const flagged = (text: string, context: string[]) =>
    evaluateEvent(plan, SCOPE, event(text), context).violations.map(({ name }) => name);
  const rows: [string, string, string[], string[]][] = [
    ['sees a phrase that spans two texts', 'now', ['pay me'], ['P0']],
    ['sees a phrase in the current text', 'pay me now', ['x'], ['P0']],
    ['does not flag a phrase that lies in earlier texts', 'x', ['pay me now'], []],
    ['does not flag an earlier text of a detector without context', 'x', ['alone'], []],
    ['still sees the current text for a detector without context', 'alone', ['x'], ['P1']],
    ['does not look further back than asked', 'now', ['pay me', 'x'], []],
    ['looks as far back as asked', 'two', ['one'], ['P2']],
    ['works without context', 'pay me now', [], ['P0']],
    [
      'does not take an earlier text behind emoji for the current one',
      'x',
      ['👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦 pay me now'],
      [],
    ],
  ];
  for (const [name, text, context, expected] of rows) {
    it(name, () => assert.deepEqual(flagged(text, context), expected));
  }
  it('gives offsets into the current text', () => {
    const [violation] = evaluateEvent(plan, SCOPE, event('now!'), ['please pay me']).violations;
    const places = violation?.evidence.map(({ start, end }) => [start, end]);
    assert.deepEqual(places, [[0, 3]]);
    const [folded] = evaluateEvent(plan, SCOPE, event('n\u00f3w!'), ['ﬁne p\u00e1y me']).violations;
    const foldedPlaces = folded?.evidence.map(({ start, end }) => [start, end]);
    assert.deepEqual(foldedPlaces, [[0, 3]]);
  });
  it('finds a pattern at the start of the current text', () => {
    const detect = { regex: { patterns: ['^drop table', '\\Agrant'], context: 2 } };
    const anchored = planOf({ policies: [{ detect }, { detect: { not: detect } }] });
    for (const [text, flagged] of [
      ['drop table x', ['P0']],
      ['grant all', ['P0']],
      ['x', ['P1']],
    ] as const) {
      const { violations } = evaluateEvent(anchored, SCOPE, event(text), ['one', 'two']);
      assert.deepEqual(pluck(violations, 'name'), flagged);
    }
  });
  it('finds the current match of a pattern behind many earlier ones', () => {
    const regex = planOf({ policies: [{ detect: { regex: { patterns: ['key\\d'], context: 1 } } }] });
    const verdict = evaluateEvent(regex, SCOPE, event('and key7'), ['key1 '.repeat(500)]);
    const places = verdict.violations[0]?.evidence.map(({ start, end }) => [start, end]);
    assert.deepEqual(places, [[4, 8]]);
    assert.equal(evaluateEvent(regex, SCOPE, event('and'), ['key1 '.repeat(500)]).flagged, false);
  });
});

describe('a detector that cannot run', () => {
  const broken = (sketched: Sketch): Plan => {
    const configuration = sketch(sketched);
    const team = compileTeam(configuration, 't', (parameters) => {
      if (!('secrets' in parameters)) return interestsOf(parameters);
      const look = (): never => {
        throw new Error('broken');
      };
      const probe = { kind: 'place', label: 'broken', views: ['raw'], literals: ['boom'], look } as const;
      return [{ key: 'broken', probe: () => probe }];
    });
    return { version: 1, teams: new Map([['t', team]]) };
  };
  const policies = [
    { detect: { secrets: {} } },
    { detect: { any: [{ secrets: {} }, term('bad')] } },
    { detect: { all: [{ secrets: {} }, term('bad')] } },
    { detect: { not: { secrets: {} } } },
    { detect: term('bad') },
  ];

  it('leaves out the policies that depend on it, and says how many [failure.partial] [config.detect-three]', () => {
    const verdict = evaluateEvent(broken({ policies }), SCOPE, event('boom'));
    assert.deepEqual(Object.keys(mapOf(verdict.policies)), [id(2), id(4)], 'all is no without the other one');
    assert.deepEqual(verdict.evaluated, [id(2), id(4)]);
    assert.deepEqual([verdict.flagged, verdict.notEvaluated], [false, 3]);
    assert.equal(verdict.note, '3 policies could not be evaluated');
  });
  it('changes nothing for policies that are decided without it [failure.partial] [config.detect-three]', () => {
    const verdict = evaluateEvent(broken({ policies }), SCOPE, event('bad boom'));
    const violated = verdict.violations.map(({ id: policy }) => policy);
    assert.deepEqual(violated, [id(1), id(4)]);
    assert.equal(verdict.notEvaluated, 3);
    const one = evaluateEvent(broken({ policies: [policies[0]!] }), SCOPE, event('boom'));
    assert.deepEqual([one.flagged, one.policies, one.note], [false, '{}', '1 policy could not be evaluated']);
  });
  it('is a violation where the team fails closed [failure.fail_closed]', () => {
    const verdict = evaluateEvent(broken({ policies, failClosed: true }), SCOPE, event('boom'));
    const violated = verdict.violations.map(({ id: policy }) => policy);
    assert.deepEqual(violated, [id(0), id(1), id(3)]);
    assert.deepEqual([verdict.flagged, verdict.notEvaluated], [true, 0]);
    assert.equal(Object.keys(mapOf(verdict.policies)).length, 5);
    assert.match(verdict.note, /^3 policies could not be evaluated and are flagged/);
  });
  it('is as good as new with the next text', () => {
    const plan = broken({ policies });
    evaluateEvent(plan, SCOPE, event('boom'));
    assert.equal(evaluateEvent(plan, SCOPE, event('quiet')).notEvaluated, 0);
  });
});

describe('teams', () => {
  it('see nothing of each other', () => {
    const one = sketch({ policies: [{ detect: term('bad') }] });
    const other = sketch({ policies: [{ detect: term('good') }] });
    const rename = (list: { team: string }[]) => list.map((each) => ({ ...each, team: 'u' }));
    const [policy] = other.policies;
    const plan = compilePlan(
      {
        ...one,
        teams: [...one.teams, { id: 'u', fail_closed: false }],
        policies: [...one.policies, { ...policy!, id: id(9), team: 'u' }],
        deployments: [
          ...one.deployments,
          ...(rename(other.deployments) as typeof other.deployments).map((each) => ({ ...each, policies: [id(9)] })),
        ],
      },
      1,
    );
    const flagged = (team: string, text: string) =>
      evaluateSession(plan, { team, deployment: 'd' }, { direction: 'input', text }).flagged;
    const byTeam = [flagged('t', 'bad'), flagged('u', 'bad'), flagged('t', 'good'), flagged('u', 'good')];
    assert.deepEqual(byTeam, [true, false, false, true]);
  });
});
