/** What the weights of a label learn from. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TrainingExample } from '#weir/deploy/train/example';
import { highestWindow, readCorpus } from '#weir/deploy/train/fit/corpus';
import { fit, type LabelOptions, rawScore } from '#weir/deploy/train/fit/fit';
import { buildLexicon } from '#weir/shared/policy/models/lexicon';
import { chanceOf, scoreText, sentenceEnd } from '#weir/shared/policy/models/model';
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
    assert.ok(sentences === 10 && sentenceEnd(PAGE, 0) === PAGE.indexOf('.') + 1);
    const scores = Array.from(scoreText(model, PAGE), (score) => Math.log(score / (1 - score)));
    for (const [lane, { scale, bias }] of model.labels.entries()) {
      const found = { from: 0, to: 0, value: 0 };
      highestWindow(corpus, 0, { values, stride: 8, offset: lane, ratio: -1 }, found);
      const chance = found.value * scale + bias - scores[lane]!;
      assert.ok(Math.abs(chance - chanceOf(sentences)) < 1e-6, `${lane} ${chance}`);
    }
  });
});
