/** What the models of other languages learn from. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { readAudit } from '#weir/deploy/train/languages/audit';
import { LANGUAGES } from '#weir/deploy/train/languages/list';
import { makeExamples } from '#weir/deploy/train/languages/make';
import { readModelFile } from '#weir/shared/model-file';
import { packageRoot } from '#weir/shared/paths';

/** A new phrase changes the first on purpose. The shipped weights are of what it was when they were trained. */
const EXAMPLES = '1299d45dbc8aef2fd413e263aa870eadf3b6e9482f1d7a617129de42b0c12830';
const WEIGHTS = '9dd9fdd5c197f4304ee45c97a361dc2f7f1fab8ffcba28219c5bf25287bbc1ac';

const SEED = 1;
const made = LANGUAGES.map(({ code }, language) => makeExamples(code, language, SEED));

describe('what the models of other languages learn from', () => {
  it('is made of phrases in the same way, to the letter, and so are the weights', () => {
    const hash = createHash('sha256');
    for (const { text, targets, source, group } of made.flat())
      hash.update(`${[text, source, group, JSON.stringify(targets)].join('\0')}\n`);
    assert.equal(hash.digest('hex'), EXAMPLES);
    assert.equal(createHash('sha256').update(readModelFile('languages')).digest('hex'), WEIGHTS);
  });

  it('is of all files that are there, and has a file for each language', () => {
    const codes = LANGUAGES.map(({ code }) => `${code}.txt`).sort();
    const folder = join(packageRoot, 'deploy/train/corpus/languages');
    assert.deepEqual(
      readdirSync(folder)
        .filter((name) => name.endsWith('.txt'))
        .sort(),
      codes,
    );
    for (const inner of ['audit', 'plain']) assert.deepEqual(readdirSync(join(folder, inner)).sort(), codes);
  });

  it('has texts of both sides of each label', () => {
    for (const [language, { code, labels }] of LANGUAGES.entries()) {
      const sides = (lane: number): number[] =>
        [0, 1].map((value) => made[language]!.filter(({ targets }) => targets[lane]?.[0] === value).length);
      for (const lane of labels.length === 1 ? [2] : [0, 1, 2])
        assert.ok(Math.min(...sides(lane)) >= 100, `${code} ${lane}: ${sides(lane)}`);
    }
  });

  it('has no sentence of the audit', () => {
    const plain = (text: string): string =>
      text
        .toLowerCase()
        .replace(/[^\p{L}\p{N}]+/gu, ' ')
        .trim();
    for (const [language, { code }] of LANGUAGES.entries()) {
      const known = new Set(made[language]!.map(({ text }) => plain(text)));
      // Words alone are the same everywhere.
      const same = readAudit(code).filter(({ text }) => plain(text).includes(' ') && known.has(plain(text)));
      assert.deepEqual(same, [], code);
    }
  });
});
