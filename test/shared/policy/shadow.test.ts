import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Configuration } from '#weir/shared/configuration/configuration';
import { compilePlan } from '#weir/shared/policy/compile';
import {
  evaluateArtifact,
  evaluateEvent,
  evaluateImageEvent,
  evaluateLostImageEvent,
  evaluateSession,
  wantedOfArtifact,
} from '#weir/shared/policy/evaluate';
import type { Plan } from '#weir/shared/policy/plan';
import type { ImageContent, Verdict } from '#weir/shared/policy/types';
import { pluck } from '../../support/pluck.ts';
import { evaluateSessionImages } from '../../support/session-images.ts';
import { event, id, SCOPE, sketch } from './support.ts';

const term = (word: string, context = 0) => ({ terms: { list: [word], context } });
const text = (detect: object) => ({ image_text: { detect } });
const shadow = 'shadow';

const POLICIES = [
  { detect: term('bad') },
  { detect: term('bad'), mode: shadow, severity: 'high' },
  { detect: { not: term('good') } },
  { detect: { not: term('good') }, mode: shadow },
  { detect: term('far away', 1) },
  { detect: term('a phrase over more texts than one', 3), mode: shadow },
  { detect: { regex: { patterns: ['fi(?:ne|re) day'], context: 2 } }, mode: shadow },
  { detect: text(term('bad')) },
  { detect: text(term('worse')), mode: shadow },
  { detect: { image_hash: { list: 'known' } }, mode: shadow },
  { detect: term('answer'), direction: 'output', mode: shadow },
  { detect: term('bad'), events: ['tool.output'], mode: shadow },
];
const HEAVY = 'metadata.list.exists(a, a in metadata.other)';
const all = POLICIES.map((_, n) => id(n));
const CONDITIONS = [
  { id: 'all', name: 'All', when: 'event.name != "none"', policies: all },
  { id: 'only', name: 'Only', when: 'event.name == "none"', policies: [id(1), id(3)] },
  { id: 'more', name: 'More', when: HEAVY, policies: [id(0), id(1), id(5)] },
];

/** The configuration, the same without the policies in the shadow, and the same with all of them live in a team that fails open. */
function plansOf(failClosed: boolean): Record<'mixed' | 'without' | 'live', Plan> {
  const mixed = sketch({ policies: POLICIES, conditions: CONDITIONS, failClosed });
  const hidden = new Set(mixed.policies.filter(({ mode }) => mode).map((policy) => policy.id));
  const left = <T extends { policies: string[] }>(one: T): T => {
    return { ...one, policies: one.policies.filter((each) => !hidden.has(each)) };
  };
  const without: Configuration = {
    ...mixed,
    policies: mixed.policies.filter((policy) => !hidden.has(policy.id)),
    deployments: mixed.deployments.map(left),
    environments: mixed.environments.map((each) => ({ ...each, conditions: each.conditions.map(left) })),
  };
  const live = sketch({ policies: POLICIES.map((each) => ({ ...each, mode: 'live' })), conditions: CONDITIONS });
  return { mixed: compilePlan(mixed, 1), without: compilePlan(without, 1), live: compilePlan(live, 1) };
}

const IMAGE: ImageContent = {
  kind: 'png',
  width: 64,
  height: 64,
  bytes: 500,
  animated: false,
  hasGps: false,
  quality: 90,
  lists: new Map([['known', () => 12]]),
  text: 'bad, and worse',
  scores: {},
};
const UNREAD: ImageContent = { ...IMAGE, lists: new Map(), text: null };
/** Lists that are too long for the condition that compares them. */
const LONG = { list: Array.from({ length: 900 }, (_, i) => i), other: Array.from({ length: 900 }, (_, i) => -1 - i) };

const STOPPED = { metadata: LONG, name: 'none' };

const TEXTS = ['', 'all is well', 'bad', 'bad but good', 'away', 'an answer', 'texts than one', 'day', 'fine day: bad'];
const CONTEXT = ['a fire', 'a phrase over', 'more', 'very far'];

/** Verdicts on items of every kind, by what they are. */
function* verdictsOf(plan: Plan): Generator<[string, Verdict | null]> {
  for (const said of TEXTS) {
    for (const context of [[], CONTEXT, ['ein früher Text, sehr far']]) {
      const of = `"${said}" after ${context.length}`;
      yield [`event ${of}`, evaluateEvent(plan, SCOPE, event(said), context)];
      for (const direction of ['input', 'output'] as const) {
        yield [`${direction} ${of}`, evaluateSession(plan, SCOPE, { direction, text: said }, context)];
      }
    }
    const tool = event(said, { type: 'tool', field: 'output', role: '', name: 'x' });
    yield [`tool "${said}"`, evaluateEvent(plan, SCOPE, tool)];
    yield [`stopped "${said}"`, evaluateEvent(plan, SCOPE, event(said, { metadata: LONG }))];
    yield [`stopped, without the first "${said}"`, evaluateEvent(plan, SCOPE, event(said, STOPPED))];
    yield [`shadow alone "${said}"`, evaluateEvent(plan, SCOPE, event(said, { name: 'none' }))];
  }
  const artifact = event('', { type: 'artifact' });
  for (const image of [IMAGE, UNREAD]) {
    yield ['image', evaluateImageEvent(plan, SCOPE, artifact, image)];
    yield ['artifact', evaluateArtifact(plan, SCOPE, 'input', image)];
    for (const images of [[image], [UNREAD, image], [image, null]]) {
      for (const said of [null, 'bad']) {
        const found = evaluateSessionImages(plan, SCOPE, { direction: 'input', text: said, images });
        yield [`session of ${images.length} and ${said}`, found.session];
        for (const one of found.artifacts) yield ['artifact of a session', one];
      }
    }
  }
  yield ['lost image', evaluateLostImageEvent(plan, SCOPE, artifact)];
}

describe('a policy in the shadow', () => {
  const hidden = new Set(all.filter((_, n) => POLICIES[n]!.mode === shadow));
  const ofShadow = (ids: readonly string[]) => ids.filter((each) => hidden.has(each));

  for (const failClosed of [false, true]) {
    it(`leaves every verdict as it is without it, and is evaluated as if it were live (fail_closed: ${failClosed}) [config.shadow]`, () => {
      const { mixed, without, live } = plansOf(failClosed);
      const [expected, twins] = [[...verdictsOf(without)], [...verdictsOf(live)]];
      let flagged = 0;
      for (const [i, [what, verdict]] of [...verdictsOf(mixed)].entries()) {
        const { shadow: said, ...rest } = verdict ?? { shadow: undefined };
        assert.deepEqual(verdict && rest, expected[i]![1], what);
        const twin = twins[i]![1];
        if (!twin) continue;
        const of = said ?? { evaluated: [], violations: [], notEvaluated: 0 };
        assert.deepEqual(of.evaluated, ofShadow(twin.evaluated), what);
        const violations = twin.violations.filter((violation) => hidden.has(violation.id));
        assert.deepEqual(of.violations, violations, what);
        flagged += violations.length;
      }
      assert.ok(flagged > 100, `${flagged} flagged`);
    });
  }

  it('is counted where it could not be evaluated', () => {
    const { mixed, live } = plansOf(true);
    const { shadow: said, notEvaluated, unknown } = evaluateArtifact(mixed, SCOPE, 'input', UNREAD);
    assert.deepEqual([notEvaluated, unknown, said?.notEvaluated, said?.evaluated], [1, 1, 2, []]);
    assert.equal(evaluateArtifact(live, SCOPE, 'input', UNREAD).notEvaluated, 3);
    const stopped = evaluateEvent(mixed, SCOPE, event('bad', STOPPED));
    assert.deepEqual([stopped.notEvaluated, stopped.flagged], [0, true], 'the team fails closed');
    assert.deepEqual([stopped.shadow?.evaluated, stopped.shadow?.notEvaluated], [[id(1), id(3)], 1]);
  });

  it('is what an image is measured for', () => {
    const { mixed, without } = plansOf(false);
    assert.deepEqual(wantedOfArtifact(mixed, SCOPE, 'input').lists, ['known']);
    assert.deepEqual(wantedOfArtifact(without, SCOPE, 'input').lists, []);
  });

  it('shares the verdict of quiet texts, and leaves none where there is no such policy', () => {
    const policies = [{ detect: term('bad') }, { detect: term('worse'), mode: shadow }];
    const plan = compilePlan(sketch({ policies }), 1);
    const verdict = (): Verdict => evaluateSession(plan, SCOPE, { direction: 'input', text: 'good' });
    assert.equal(verdict(), verdict());
    assert.deepEqual(verdict().shadow, { evaluated: [id(1)], violations: [], notEvaluated: 0 });
    assert.equal('shadow' in evaluateEvent(plansOf(false).without, SCOPE, event('bad')), false);
  });

  describe('that a request names', () => {
    const { mixed } = plansOf(false);
    const verdict = (...named: number[]): Verdict => {
      return evaluateSession(mixed, { ...SCOPE, restrict: named.map(id) }, { direction: 'input', text: 'bad' });
    };
    it('is evaluated, and is in no answer', () => {
      const { flagged, policies, note, shadow: said } = verdict(1);
      assert.deepEqual([flagged, policies, note], [false, '{}', 'no policy that is named for input looks at texts']);
      assert.deepEqual(pluck(said!.violations, 'id', 'severity'), [[id(1), 'high']]);
    });
    it('is not said not to apply', () => {
      assert.deepEqual([verdict(0, 1).note, verdict(0, 1).flagged], ['', true]);
      assert.equal(verdict(0, 10).note, '', 'it does not apply, by its direction, and nothing is said of it');
      assert.equal(verdict(0, 1, 7).note, '1 of the 2 policies named does not apply, by direction or sources');
    });
  });
});
