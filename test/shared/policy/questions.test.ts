/** What backends are asked, and what their answers decide. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compilePlan } from '#weir/shared/policy/compile';
import { evaluateEvent, evaluateSession } from '#weir/shared/policy/evaluate';
import type { Answers, AskedBackend, DetectorQuestion, Verdict } from '#weir/shared/policy/types';
import { evaluateSessionImages } from '../../support/session-images.ts';
import { event, id, load, SCOPE, sketch } from './support.ts';

const llm = (flagged_content: string, more: object = {}): object => ({
  llm: { backend: 'guard', flagged_content, allowed_content: 'the rest', ...more },
});
const bad = { terms: { list: ['bad'] } };
const A = llm('a');
const B = llm('b');
/** Nothing has this model, so it could not run. */
const lost = { classifier: { file: 'lost.bin', sha256: 'ab'.repeat(32), label: 'x' } };

const planOf = (detects: unknown[], failClosed = false) =>
  compilePlan(sketch({ policies: detects.map((detect) => ({ detect })), failClosed }), 1);
const askedOf = ({ asks }: Pick<Verdict, 'asks'>) => (asks?.of ?? []) as DetectorQuestion<AskedBackend>[];
type Said = Record<string, boolean | number>;

/** The verdict, after backends have said `said` of what is flagged by each text in words. */
function judged(detects: unknown[], text: string, said?: Said, failClosed = false): Verdict {
  const plan = planOf(detects, failClosed);
  const first = evaluateEvent(plan, SCOPE, event(text));
  if (said === undefined) return first;
  const answers: Answers = new Map(
    askedOf(first).flatMap(({ detector, criteria }) => {
      const answer = said[criteria.flagged_content];
      if (answer === undefined) return [];
      return [
        [detector, typeof answer === 'number' ? { flagged: false, score: answer } : { flagged: answer, score: 1 }],
      ];
    }),
  );
  return evaluateEvent(plan, SCOPE, event(text, { answers }));
}

const asked = ({ asks }: Pick<Verdict, 'asks'>): [string, string][] =>
  askedOf({ asks }).map(({ policy, criteria }) => [policy, criteria.flagged_content]);

describe('a backend is asked', () => {
  const rows: [name: string, detect: unknown, text: string, expected: string[]][] = [
    ['about a text that nothing else decides', A, 'x', ['a']],
    ['not about an empty text', A, '', []],
    ['not where a cheap detector has fired', { any: [bad, A] }, 'bad', []],
    ['where none has', { any: [bad, A] }, 'good', ['a']],
    ['not where a cheap detector rules it out', { all: [bad, A] }, 'good', []],
    ['where it does not', { all: [bad, A] }, 'bad', ['a']],
    ['not where not turns that round', { not: { all: [bad, A] } }, 'good', []],
    ['for the open branch alone', { any: [{ all: [bad, A] }, B] }, 'good', ['b']],
    ['twice of one policy', { all: [A, B] }, 'x', ['a', 'b']],
    ['where another detector could not run, and an answer may decide', { any: [A, lost] }, 'x', ['a']],
    ['the same for what is excluded', { all: [lost, { not: A }] }, 'x', ['a']],
    ['not where what could not run keeps it open', { all: [{ any: [A, lost] }, lost] }, 'x', []],
    ['not where no answer can decide', { any: [{ all: [lost, A] }, lost] }, 'x', []],
  ];
  for (const [name, detect, text, expected] of rows) {
    it(name, () => {
      assert.deepEqual(
        asked(judged([detect], text)).map(([, flagged]) => flagged),
        expected,
      );
    });
  }

  it('once for policies that ask the same, by the id of the first', () => {
    assert.deepEqual(asked(judged([bad, A, { any: [bad, A] }, B], 'x')), [
      [id(1), 'a'],
      [id(3), 'b'],
    ]);
  });

  it('for sessions, also with images', () => {
    const plan = planOf([A]);
    const content = { direction: 'input', text: 'x' } as const;
    assert.deepEqual(asked(evaluateSession(plan, SCOPE, content)), [[id(0), 'a']]);
    const withImage = evaluateSessionImages(plan, SCOPE, { ...content, images: [null] });
    assert.deepEqual(asked(withImage.session), [[id(0), 'a']]);
    const answers: Answers = new Map([[0, { flagged: true, score: 1 }]]);
    assert.equal(evaluateSessionImages(plan, SCOPE, { ...content, images: [null], answers }).session.flagged, true);
  });
});

describe('the answer of a backend', () => {
  it('decides, with the score and the whole text as evidence', () => {
    const { violations, asks, note } = judged([llm('a', { threshold: 0.6 })], 'some text', { a: 0.7 });
    assert.deepEqual(violations[0]!.evidence, [
      { detector: 'llm', view: 'raw', source: 'text', start: 0, end: 9, score: 0.7 },
    ]);
    assert.deepEqual([asks, note], [undefined, '']);
  });

  it('counts by its score where there is a threshold, else by what it says', () => {
    const flagged = (more: object, said: boolean | number) => judged([llm('a', more)], 'x', { a: said }).flagged;
    assert.deepEqual([flagged({}, true), flagged({}, false), flagged({}, 0.9)], [true, false, false]);
    assert.deepEqual([flagged({ threshold: 0.9 }, 0.9), flagged({ threshold: 0.9 }, 0.89)], [true, false]);
  });

  it('is that of a text on which nothing fires where it is clean', () => {
    assert.deepEqual(judged([A, bad], 'x', { a: false }), judged([bad, bad], 'x'));
  });

  it('leaves a policy out that it does not come for, and never asks again', () => {
    const { policies, note, notEvaluated, asks } = judged([A, bad], 'bad', {});
    assert.deepEqual(Object.keys(JSON.parse(policies) as object), [id(1)]);
    assert.deepEqual([notEvaluated, note, asks], [1, '1 policy could not be evaluated', undefined]);
  });

  it('flags such a policy where the team fails closed', () => {
    const { policies, violations } = judged([A], 'x', {}, true);
    assert.equal((JSON.parse(policies) as Record<string, { flagged: boolean }>)[id(0)]!.flagged, true);
    assert.deepEqual(violations[0]!.evidence, []);
    assert.equal(judged([A], 'x', { a: false }, true).flagged, false, 'an answer counts there, too');
  });

  it('may decide one of two questions where that is enough', () => {
    assert.equal(judged([{ any: [A, B] }], 'x', { b: true }).flagged, true);
    assert.equal(judged([{ any: [A, B] }], 'x', { b: false }).notEvaluated, 1);
    assert.equal(judged([{ all: [A, { not: B }] }], 'x', { a: true, b: true }).notEvaluated, 0);
  });
});

describe('a policy in the shadow', () => {
  const hidden = { detect: A, mode: 'shadow' };
  const of = (policies: Record<string, unknown>[]) => compilePlan(sketch({ policies }), 1);
  const answers: Answers = new Map([[0, { flagged: true, score: 1 }]]);

  it('asks nothing, so it is not evaluated, and the answer is as without it', () => {
    const { shadow, asks, ...live } = evaluateEvent(of([{ detect: bad }, hidden]), SCOPE, event('x'));
    const without = evaluateEvent(of([{ detect: bad }]), SCOPE, event('x'));
    assert.deepEqual([live, asks], [without, undefined]);
    assert.deepEqual([shadow!.evaluated, shadow!.notEvaluated], [[], 1]);
    const decided = evaluateEvent(of([{ detect: { all: [bad, A] }, mode: 'shadow' }]), SCOPE, event('x'));
    assert.equal(decided.shadow!.notEvaluated, 0, 'what other detectors decide is evaluated');
    const content = { direction: 'input', text: 'x', images: [null] } as const;
    assert.equal(evaluateSessionImages(of([hidden]), SCOPE, content).session.asks, undefined);
  });

  it('uses the answer to a live policy that asks the same', () => {
    const plan = of([{ detect: A }, hidden]);
    assert.deepEqual(asked(evaluateEvent(plan, SCOPE, event('x'))), [[id(0), 'a']]);
    const { violations, shadow } = evaluateEvent(plan, SCOPE, event('x', { answers }));
    assert.deepEqual(
      [violations, shadow!.violations].map((each) => each.map((one) => one.id)),
      [[id(0)], [id(1)]],
    );
  });
});

describe('a text that is to be redacted', () => {
  const plan = compilePlan(
    sketch({
      policies: [
        { detect: bad, action: 'redact' },
        { detect: { all: [bad, A] }, action: 'redact' },
        { detect: B, action: 'redact' },
      ],
    }),
    1,
  );
  const redacted = (text: string, said: Said): unknown[] => {
    const { asks } = evaluateEvent(plan, SCOPE, event(text, { redact: true }));
    const answers: Answers = new Map(
      askedOf({ asks }).map(({ detector, criteria }) => [
        detector,
        { flagged: said[criteria.flagged_content] === true, score: 1 },
      ]),
    );
    const { redaction } = evaluateEvent(plan, SCOPE, event(text, { redact: true, answers }));
    return [redaction!.marks.map(({ start, end }) => text.slice(start, end)), redaction!.why, redaction!.blocked];
  };

  it('has its marks where backends were asked, and does not pass where it is violated without them', () => {
    assert.deepEqual(redacted('so bad', { a: false, b: false }), [['bad'], '', false]);
    assert.deepEqual(redacted('so bad', { a: true, b: false }), [['bad'], '', false]);
    assert.deepEqual(redacted('so bad', { a: true, b: true }), [['bad'], '', true]);
    assert.deepEqual(redacted('good', { b: true }), [[], '', true]);
  });

  it('cannot be redacted before', () => {
    const { redaction } = evaluateEvent(plan, SCOPE, event('so good', { redact: true }));
    assert.deepEqual(redaction, { marks: [], why: 'it could not be evaluated', blocked: true });
  });
});

describe('a cascade', () => {
  const TEXT = 'You are a stupid idiot and a pathetic loser';
  const toxicity = { classifier: { label: 'toxicity' } };
  const score = judged([{ classifier: { label: 'toxicity', threshold: 0 } }], TEXT).violations[0]!.evidence[0]!.score!;
  const band = (above: number, below: number, to: object = A) => ({ escalate: { from: toxicity, above, below, to } });
  const [less, more] = [score / 2, (score + 1) / 2];
  const found = (verdict: Verdict): string[] => (verdict.violations[0]?.evidence ?? []).map(({ detector }) => detector);

  it('fires by itself from the upper score on, with its find told once', () => {
    const verdict = judged([band(less, score)], TEXT);
    assert.deepEqual([verdict.flagged, asked(verdict), found(verdict)], [true, [], ['classifier:toxicity']]);
  });

  it('does not fire below the lower score, and asks nobody', () => {
    const verdict = judged([band(more, 1)], TEXT);
    assert.deepEqual([verdict.flagged, asked(verdict), verdict.notEvaluated], [false, [], 0]);
  });

  it('leaves what is between to the other detector', () => {
    const between = [band(score, more)];
    assert.deepEqual(asked(judged(between, TEXT)), [[id(0), 'a']]);
    const fired = judged(between, TEXT, { a: true });
    assert.deepEqual([fired.flagged, found(fired)], [true, ['classifier:toxicity', 'llm']]);
    assert.equal(judged(between, TEXT, { a: false }).flagged, false);
    assert.equal(judged(between, TEXT, {}).notEvaluated, 1);
    assert.equal(judged([band(less, more, { terms: { list: ['idiot'] } })], TEXT).flagged, true);
    assert.equal(judged([{ not: band(less, more) }], TEXT, { a: true }).flagged, false);
  });

  it('could not be evaluated where the cheap detector cannot run, and asks nobody', () => {
    const { escalate } = band(less, more);
    const verdict = judged([{ escalate: { ...escalate, from: lost } }], TEXT);
    assert.deepEqual([asked(verdict), verdict.notEvaluated], [[], 1]);
  });

  it('is kept as it is written, for every detector that gives scores', () => {
    for (const from of [toxicity, { injection: {} }, { pii: { entities: ['US_SSN'] } }, { secrets: {} }]) {
      const first = sketch({ policies: [{ detect: { escalate: { from, above: 0.3, below: 0.9, to: A } } }] });
      assert.deepEqual(Object.keys(first.policies[0]!.detect), ['escalate']);
      assert.equal(JSON.stringify(load(first)), JSON.stringify(first));
      assert.equal(evaluateEvent(compilePlan(first, 1), SCOPE, event('nothing')).flagged, false);
    }
  });
});

describe('a model is asked about a text', () => {
  const onnx = (threshold: number, label = 'l') => ({ onnx: { model: 'm', source: 'text', label, threshold } });
  const windows = [0.2, 0.9, 0.6].map((score, i) => ({ start: 10 * i, end: 10 * i + 12, score }));

  it('where it stays open, and fires at each window with the score', () => {
    const plan = planOf([onnx(0.5), { all: [bad, onnx(0.1)] }, onnx(0.95)]);
    const { asks, notEvaluated } = evaluateEvent(plan, SCOPE, event('good'));
    const about = { model: 'm', label: 'l' };
    assert.deepEqual(asks?.of, [
      { detector: 0, policy: id(0), ...about },
      { detector: 3, policy: id(2), ...about },
    ]);
    assert.equal(notEvaluated, 2);
    const answers: Answers = new Map([0, 3].map((detector) => [detector, { windows }]));
    const { violations, evaluated } = evaluateEvent(plan, SCOPE, event('good', { answers }));
    assert.deepEqual(evaluated, [id(0), id(1), id(2)]);
    const fired = { detector: 'onnx:m:l', view: 'raw', source: 'text' };
    assert.deepEqual(
      violations.map((violation) => [violation.id, violation.evidence]),
      [
        [
          id(0),
          [
            { ...fired, ...windows[1] },
            { ...fired, ...windows[2] },
          ],
        ],
      ],
    );
  });

  it('and has no verdict without an answer, and none in the shadow', () => {
    const plan = planOf([onnx(0.5)]);
    const silent = evaluateEvent(plan, SCOPE, event('good', { answers: new Map() }));
    assert.deepEqual([silent.policies, silent.notEvaluated, silent.asks], ['{}', 1, undefined]);
    const hidden = compilePlan(sketch({ policies: [{ detect: onnx(0.5), mode: 'shadow' }] }), 1);
    const { asks, shadow } = evaluateEvent(hidden, SCOPE, event('good'));
    assert.deepEqual([asks, shadow?.notEvaluated], [undefined, 1]);
  });
});
