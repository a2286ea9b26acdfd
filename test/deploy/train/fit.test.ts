/** What the weights of a label learn from. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TrainingExample } from '#weir/deploy/train/example';
import { type CorpusKind, collect, highestWindow, readCorpus } from '#weir/deploy/train/fit/corpus';
import { fit, type LabelOptions, rawScore } from '#weir/deploy/train/fit/fit';
import { fitParts } from '#weir/deploy/train/fit/parts';
import { quantise } from '#weir/deploy/train/fit/quantise';
import { buildLexicon } from '#weir/shared/policy/models/lexicon';
import { chanceOf, scoreText } from '#weir/shared/policy/models/model';
import { endOfSegment } from '#weir/shared/policy/models/segments';
import { shippedModel } from '#weir/shared/policy/models/shipped';

const EMPTY = buildLexicon([], []);
const of = (text: string, value: 0 | 1): TrainingExample => ({
  text,
  source: 'test',
  group: text,
  targets: [{ lane: 0, value, weight: 1 }],
});
const WORDS = ['harbour', 'lantern', 'meadow', 'pepper', 'violin', 'window', 'copper', 'saddle', 'thunder', 'walnut'];
const PAGE = WORDS.map((word) => `The ${word} stood there for days.`).join(' ');
const PLAN = { plain: true, start: 0.001, epochs: 1, decay: 0 };

/** How far the weights lie apart of sentences of the page, each taken alone, by those that were learned from and the others. */
function learned(options: LabelOptions): number[] {
  const corpus = readCorpus([of(PAGE, 0), ...WORDS.map((word) => of(`${word} ${word}`, 1))], EMPTY);
  const weights = fit(corpus, Int32Array.of(0), { seed: 1, labels: [options] });
  return WORDS.map((_, i) => rawScore(corpus, i + 1, weights, 0) - weights.bias[0]!);
}

describe('what a label learns', () => {
  it('is of each sentence of a text without it, or of the highest alone', () => {
    assert.ok(learned(PLAN).every((score) => score < 0));
    assert.equal(learned({ ...PLAN, highestOnly: true }).filter((score) => score < -1e-6).length, 1);
  });

  it('is less where weights decay', () => {
    const most = (decay: number): number => Math.min(...learned({ ...PLAN, epochs: 40, decay }));
    assert.ok(most(0.01) > most(0));
  });

  it('is of the windows that a model scores', () => {
    const model = shippedModel();
    const corpus = readCorpus([of(PAGE, 0)], model.lexicon);
    const bytes = new Uint8Array(model.weights.buffer, model.weights.byteOffset, model.weights.byteLength);
    const values = Float32Array.from(bytes, (byte) => byte - 128);
    const sentences = corpus.firsts[1]!;
    assert.ok(sentences === 10 && endOfSegment(PAGE, 0) === PAGE.indexOf('.') + 1);
    const scores = Array.from(scoreText(model, PAGE), (score) => Math.log(score / (1 - score)));
    for (const [lane, { scale, bias }] of model.labels.entries()) {
      const found = { from: 0, to: 0, value: 0 };
      highestWindow(corpus, 0, { values, stride: 8, offset: lane, ratio: -1 }, found);
      const chance = found.value * scale + bias - scores[lane]!;
      assert.ok(Math.abs(chance - chanceOf(PAGE.length)) < 1e-6, `${lane} ${chance}`);
    }
  });
});

interface Toy {
  group: string;
  side: 0 | 1;
  features: number[];
  aside?: boolean;
}

/** Two labels of four buckets: the first says on which side an example is, the second says nothing. */
const TOYS: CorpusKind<Toy> = {
  buckets: 4,
  lanes: 2,
  rootOf: () => 1,
  targetOf: ({ side }, lane) => (lane === 0 ? { value: side, weight: 1 } : undefined),
  groups: 2,
  groupOf: ({ features }) => features[0]! % 2,
};
const toyCorpus = (toys: readonly Toy[]) => collect(TOYS, toys, ({ features }, add) => add(Int32Array.from(features)));
const TOY_PLAN = { seed: 1, labels: [PLAN, PLAN] };

describe('what a table of weights learns', () => {
  it('has a bias for each group of examples', () => {
    const corpus = toyCorpus(
      Array.from({ length: 40 }, (_, i) => ({ group: `${i}`, side: (i % 2) as 0 | 1, features: [i % 4] })),
    );
    const { bias, values } = fit(corpus, Int32Array.from(corpus.examples.keys()), TOY_PLAN);
    assert.ok(bias[0]! < 0 && bias[2]! > 0, String(bias));
    assert.deepEqual([bias[1], bias[3]], [0, 0]);
    assert.deepEqual(Array.from(values, Math.sign), [-1, 0, 1, 0, -1, 0, 1, 0]);
  });

  it('leaves a label as it is where texts say nothing of it', () => {
    const told: Toy[] = Array.from({ length: 30 }, (_, i) => ({
      group: `${i}`,
      side: (i % 2) as 0 | 1,
      features: [i % 4, (i * 3) % 4],
    }));
    const silent: Toy = { group: 'silent', side: 0, features: [1] };
    const kind = {
      ...TOYS,
      targetOf: (toy: Toy, lane: number) => (toy === silent ? undefined : TOYS.targetOf(toy, lane)),
    };
    const learnedFrom = (toys: readonly Toy[]): Float32Array => {
      const corpus = collect(kind, toys, ({ features }, add) => add(Int32Array.from(features)));
      return fit(corpus, Int32Array.from(toys.keys()), TOY_PLAN).values;
    };
    const among = told.flatMap((toy, i) => (i % 3 === 0 ? [silent, toy] : [toy]));
    assert.deepEqual(learnedFrom(among), learnedFrom(told));
  });

  it('is the mean of several orders, which differs less by the order than one does', () => {
    const corpus = toyCorpus(
      Array.from({ length: 40 }, (_, i) => ({
        group: `${i}`,
        side: i % 3 === 0 ? 1 : 0,
        features: [i % 4, (i * 7) % 4],
      })),
    );
    const rows = Int32Array.from(corpus.examples.keys());
    const spread = (runs: number): number => {
      const values = Array.from({ length: 10 }, (_, seed) => {
        const label = { ...PLAN, epochs: 2, runs };
        return fit(corpus, rows, { seed: seed + 1, labels: [label] }).values[0]!;
      });
      return Math.max(...values) - Math.min(...values);
    };
    assert.ok(spread(8) < spread(1) / 1.5, `${spread(8)} ${spread(1)}`);
  });

  it('scores a group by weights that have not seen it, and learns from what is set aside last or never', () => {
    const toys: Toy[] = Array.from({ length: 12 }, (_, i) => ({ group: `${i}`, side: 1, features: [0] }));
    toys.push({ group: 'other', side: 1, features: [2] }, { group: 'aside', side: 1, features: [1], aside: true });
    const corpus = toyCorpus(toys);
    const fitted = (learnsAside: boolean) =>
      fitParts(corpus, { ...TOY_PLAN, folds: 2, learnsAside, isAside: ({ aside }) => aside === true }, () => undefined);
    const [last, never] = [fitted(true), fitted(false)];
    assert.deepEqual(
      [last.raw, never.raw].map((raw) => raw[26]),
      [0, 0],
    );
    assert.ok(last.weights.values[2]! > 0 && never.weights.values[2] === 0);
    const [known, unseen] = [never.raw[0]!, never.raw[24]!];
    assert.ok(known > unseen && unseen > 0, `${known} ${unseen}`);
    assert.deepEqual([last.scored.length, Array.from(last.aside)], [13, [13]]);
  });
});

describe('weights as bytes', () => {
  it('are cut off where that loses least, by how often each bucket occurs', () => {
    const values = new Float32Array(2 * 100);
    for (let bucket = 0; bucket < 100; bucket++) values[2 * bucket] = 0.013 * (bucket % 7);
    values[0] = 100;
    const options = { lanes: 2, labels: 1, clips: [1, 0.001] };
    const plain = quantise(values, options);
    assert.equal(plain.bytes[1], 128);
    assert.ok(Math.abs(plain.scales[0]! - 100 / 127) < 1e-9);
    const rare = quantise(values, { ...options, uses: () => new Float32Array(100).fill(1).fill(0, 0, 1) });
    assert.ok(Math.abs(rare.scales[0]! - 0.1 / 127) < 1e-9);
    assert.deepEqual([rare.bytes[0], rare.bytes[2]! > 128], [255, true]);
  });

  it('have a step for each label by what says something of it', () => {
    const values = new Float32Array(2 * 100);
    for (let at = 0; at < 200; at++) values[at] = 0.013 * ((at >> 1) % 7);
    values[0] = values[1] = 100;
    const uses = (lane: number) => new Float32Array(100).fill(1).fill(lane, 0, 1);
    const { scales } = quantise(values, { lanes: 2, labels: 2, clips: [1, 0.001], uses });
    assert.deepEqual(
      scales.map((scale) => Math.round(scale * 127 * 10) / 10),
      [0.1, 100],
    );
  });
});
