/** The ordinary texts that the shipped models learn from, and those that only measure. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { excerptOf, LENGTHS, lengthClassOf } from '#weir/deploy/train/ordinary/lengths';
import { frequentWords, packageTexts, sideOf } from '#weir/deploy/train/ordinary/ordinary';
import { packageFiles } from '#weir/deploy/train/ordinary/packages';
import { createRandom } from '#weir/deploy/train/random';

describe('the files of packages', () => {
  it('are of packages that every machine has, and of several kinds', () => {
    const files = packageFiles();
    const kinds = new Set(files.map(({ kind }) => kind));
    for (const kind of [
      'licence',
      'changelog',
      'documentation',
      'types',
      'code',
      'data',
      'configuration',
      'other code',
    ])
      assert.ok(kinds.has(kind), kind);
    assert.equal(
      files.some((file) => /linux|darwin|win32/.test(file.package)),
      false,
    );
  });
});

describe('excerpts of packages', () => {
  const sides = (['trained', 'tuned', 'kept'] as const).map((side) => packageTexts(side, 1, 30));

  it('are never of a package on two sides', () => {
    const [trained, tuned, kept] = sides.map((texts) => new Set(texts.map(({ source }) => source)));
    for (const source of trained!) assert.ok(!tuned!.has(source) && !kept!.has(source) && sideOf(source) === 'trained');
    for (const source of tuned!) assert.ok(!kept!.has(source));
    assert.ok(trained!.size > 50 && tuned!.size > 20 && kept!.size > 20);
  });

  it('have the length of their class', () => {
    for (const { text, length } of sides.flat()) assert.equal(lengthClassOf(text), length);
  });

  it('are the same for the same seed', () => {
    assert.deepEqual(packageTexts('kept', 1, 30), sides[2]);
  });

  it('are none of a text that is too short', () => {
    for (const most of LENGTHS) assert.equal(excerptOf('short', most, createRandom(1)), undefined);
  });
});

describe('frequent words', () => {
  it('are of several texts, and none that is left out', () => {
    const texts = Array.from({ length: 6 }, (_, i) => `The damn carpet is ${'abcdef'[i]}xyz and it’s ready`);
    const found = (['trained', 'kept'] as const).flatMap((side) =>
      frequentWords(texts, side, (word) => word === 'damn'),
    );
    assert.deepEqual(found.map(({ text }) => text).sort(), ['The', 'and', 'carpet', 'is', 'it’s', 'ready']);
  });
});
