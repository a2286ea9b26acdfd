// A text is scored once for all labels of a model, however long it is.
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { startCounting } from '../../../support/work-counter.ts';
import { english } from '../worst/recipes.ts';

const counter = startCounting(['/dist/']);
const { compilePlan } = await import('#weir/shared/policy/compile');
const { CLASSIFIER_LABELS } = await import('#weir/shared/policy/detectors/classifier');
const { evaluateSession, evaluateText } = await import('#weir/shared/policy/evaluate');
const { SCOPE, sketch } = await import('../support.ts');

const UNITS = 100_000;
const planOf = (labels: readonly string[], context = 0): ReturnType<typeof compilePlan> =>
  compilePlan(sketch({ policies: labels.map((label) => ({ detect: { classifier: { label, context } } })) }), 1);

after(() => counter.stop());

describe('the model of several policies', () => {
  it('scores a long text once', () => {
    const [one, all] = [planOf(CLASSIFIER_LABELS.slice(0, 1)), planOf(CLASSIFIER_LABELS)];
    for (const plan of [one, all]) evaluateText(plan, SCOPE, english(1000, 9));
    const [alone, together] = counter.of(
      () => void evaluateText(one, SCOPE, english(UNITS, 1)),
      () => void evaluateText(all, SCOPE, english(UNITS, 2)),
    );
    assert.ok(together! < alone! * 1.2, `${together} against ${alone}`);
  });

  it('scores it once with earlier texts, and these once', () => {
    const [one, all] = [planOf(CLASSIFIER_LABELS.slice(0, 1), 3), planOf(CLASSIFIER_LABELS, 3)];
    const check = (plan: typeof one, seed: number): void => {
      const content = { text: english(UNITS, seed), direction: 'input' } as const;
      evaluateSession(plan, SCOPE, content, [english(UNITS, seed + 10)]);
    };
    for (const plan of [one, all]) check(plan, 30);
    const [alone, together] = counter.of(
      () => check(one, 1),
      () => check(all, 2),
    );
    assert.ok(together! < alone! * 1.2, `${together} against ${alone}`);
  });
});
