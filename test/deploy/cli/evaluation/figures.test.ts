import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { svgOf } from '#weir/deploy/cli/evaluation/curve-svg';
import { differenceOf, evaluationOf, type JudgedText } from '#weir/deploy/cli/evaluation/figures';
import { mistakesOf } from '#weir/deploy/cli/evaluation/report';
import {
  auprcOf,
  aurocOf,
  bootstrap,
  percentiles,
  ranked,
  recallAt,
  type ScoredExample,
  stepsOf,
} from '#weir/deploy/train/figures/measure';

const DRAWING = { draws: 1000, seed: 1 };
const scored = (pairs: readonly (readonly [score: number, value: 0 | 1])[]): ScoredExample[] =>
  pairs.map(([score, value]) => ({ score, value }));
const close = (actual: number | null, expected: number, within = 1e-12): void =>
  assert.ok(actual !== null && Math.abs(actual - expected) <= within, `${actual} is not ${expected}`);

// The example that the documentation of scikit-learn gives for roc_auc_score and average_precision_score.
const PUBLISHED = scored([
  [0.1, 0],
  [0.4, 0],
  [0.35, 1],
  [0.8, 1],
]);

describe('figures of scores', () => {
  it('are those that are published for an example', () => {
    const steps = stepsOf(ranked(PUBLISHED));
    close(aurocOf(steps), 0.75);
    close(auprcOf(steps), 5 / 6);
  });

  it('count texts with the same score as one step', () => {
    // By hand: 3 positives, 2 negatives. Pairs won: 0.9 beats both (2), 0.5 ties one and beats one (1.5), 0.2 loses to one and ties one (0.5).
    const steps = stepsOf(
      ranked(
        scored([
          [0.9, 1],
          [0.5, 1],
          [0.5, 0],
          [0.2, 1],
          [0.2, 0],
        ]),
      ),
    ); // prettier-ignore
    close(aurocOf(steps), 4 / 6);
    // Precision is 1/1, 2/3 and 3/5 where recall grows by a third each.
    close(auprcOf(steps), (1 + 2 / 3 + 3 / 5) / 3);
    assert.deepEqual(
      steps.map(({ tp, fp }) => [tp, fp]),
      [
        [1, 0],
        [2, 1],
        [3, 2],
      ],
    ); // prettier-ignore
  });

  it('take a text that is drawn twice for two texts', () => {
    const counts = Int32Array.from([2, 0, 1, 3]);
    const twice = PUBLISHED.flatMap((each, i) => Array.from({ length: counts[i]! }, () => each));
    const [one, other] = [stepsOf(ranked(PUBLISHED), counts), stepsOf(ranked(twice))];
    close(aurocOf(one), aurocOf(other));
    close(auprcOf(one), auprcOf(other));
  });

  it('find the recall at a share of false positives', () => {
    // 200 negatives: two may reach the threshold at 1 %. The third stands above the last positive.
    const negatives = Array.from({ length: 197 }, (_, i) => [i / 1000, 0] as const);
    const steps = stepsOf(
      ranked(scored([[0.99, 1], [0.98, 0], [0.97, 1], [0.96, 0], [0.95, 1], [0.94, 0], [0.93, 1], ...negatives])),
    ); // prettier-ignore
    close(recallAt(steps, 0.01), 3 / 4);
    close(recallAt(steps, 0), 1 / 4);
  });

  it('have no value without texts of both sides', () => {
    const steps = stepsOf(ranked(scored([[0.5, 0]])));
    for (const figure of [aurocOf(steps), auprcOf(steps), recallAt(steps, 0.01)]) assert.ok(Number.isNaN(figure));
  });
});

describe('intervals', () => {
  it('of a share are near those of the normal approximation', () => {
    const values = Array.from({ length: 400 }, (_, i) => i % 4);
    const share = (counts: Int32Array): number[] => [
      values.reduce((sum, value, i) => sum + (value === 0 ? counts[i]! : 0), 0) / 400,
    ];
    const [drawn] = bootstrap(400, share, { draws: 2000, seed: 3 });
    // 0.25 ± 1.96 √(0.25 · 0.75 / 400)
    const [low, high] = percentiles(drawn!);
    close(low, 0.25 - 0.0424, 0.006);
    close(high, 0.25 + 0.0424, 0.006);
  });

  it('are the same for the same seed, and others for another', () => {
    const sum = (counts: Int32Array): number[] => [counts[0]!];
    assert.deepEqual(bootstrap(9, sum, { draws: 20, seed: 5 }), bootstrap(9, sum, { draws: 20, seed: 5 }));
    assert.notDeepEqual(bootstrap(9, sum, { draws: 20, seed: 5 }), bootstrap(9, sum, { draws: 20, seed: 6 }));
  });
});

// 6 with the label, of which 4 are flagged; 4 without it, of which 1 is flagged.
const JUDGED: JudgedText[] = [1, 1, 1, 1, 1, 1, 0, 0, 0, 0].map((value, i) => ({
  value: value as 0 | 1,
  flagged: i < 4 || i === 6,
  score: i < 4 ? 0.9 - i / 10 : i === 6 ? 0.7 : 0.1,
}));

describe('an evaluation', () => {
  it('has precision, recall and F1 of the confusion table', () => {
    const { confusion, figures } = evaluationOf(JUDGED, DRAWING);
    assert.deepEqual(confusion, { tp: 4, fn: 2, fp: 1, tn: 3 });
    close(figures.precision!.value, 4 / 5);
    close(figures.recall!.value, 4 / 6);
    close(figures.f1!.value, 8 / 11);
    for (const { value, low, high } of Object.values(figures)) assert.ok(low! <= value! && value! <= high!);
  });

  it('has no figure of scores, and no curve, where a text has none', () => {
    const { figures, steps } = evaluationOf(
      JUDGED.map(({ score: _, ...rest }) => rest),
      DRAWING,
    );
    assert.deepEqual(Object.keys(figures), ['precision', 'recall', 'f1']);
    assert.equal(steps, undefined);
  });

  it('has no precision where nothing is flagged', () => {
    const { figures } = evaluationOf(
      JUDGED.map(({ value }) => ({ value, flagged: false })),
      DRAWING,
    );
    assert.deepEqual(figures.precision, { value: null, low: null, high: null });
    assert.equal(figures.recall!.value, 0);
  });

  it('differs by nothing from itself, in no sample', () => {
    for (const figure of Object.values(differenceOf(JUDGED, JUDGED, DRAWING))) {
      assert.deepEqual(figure, { value: 0, low: 0, high: 0 });
    }
  });

  it('differs by what another one finds more, and only by figures that both have', () => {
    const all = JUDGED.map(({ value, flagged }) => ({ value, flagged: flagged || value === 1 }));
    const difference = differenceOf(JUDGED, all, DRAWING);
    assert.deepEqual(Object.keys(difference), ['precision', 'recall', 'f1']);
    close(difference.recall!.value, 2 / 6);
    assert.ok(difference.recall!.low! >= 0);
  });

  it('shows the misses with the lowest scores and the false alarms with the highest', () => {
    const rows = JUDGED.map((_, i) => ({ at: `f:${i + 1}`, text: `text\n${i} ${'x'.repeat(200)}` }));
    const { misses, false_alarms } = mistakesOf(rows, JUDGED, 1);
    assert.deepEqual(
      [misses.map(({ at }) => at), false_alarms.map(({ at, score }) => [at, score])],
      [['f:5'], [['f:7', 0.7]]],
    ); // prettier-ignore
    assert.match(misses[0]!.text, /^text 4 x{93}…$/);
  });

  it('is drawn from corner to corner, with at most 500 points a curve', () => {
    const many = Array.from({ length: 5000 }, (_, i) => ({ score: i / 5000, value: (i % 3 === 0 ? 1 : 0) as 0 | 1 }));
    const svg = svgOf([{ name: 'a < b', steps: stepsOf(ranked(many)) }]);
    const [roc, precision] = [...svg.matchAll(/points="([^"]+)"/g)].map(([, points]) => points!.split(' '));
    assert.equal(roc![0], '70.0,360.0');
    assert.equal(roc!.at(-1), '390.0,40.0');
    assert.ok(roc!.length <= 502 && precision!.length <= 502);
    assert.match(svg, />a &lt; b</);
  });
});
