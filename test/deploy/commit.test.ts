import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { commitOf } from '../../deploy/commit.mjs';

describe('the commit of a build', () => {
  const root = mkdtempSync(join(tmpdir(), 'weir-commit-'));
  after(() => rmSync(root, { recursive: true }));
  const git = (...args: string[]): string =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: root, encoding: 'utf8' }).trim();

  it('is that of the repository, marked where files were changed since', () => {
    git('init', '--quiet');
    writeFileSync(join(root, 'file'), 'one');
    git('add', 'file');
    git('commit', '--quiet', '--message', 'One');
    // A tag must not stand in its place.
    git('tag', '--annotate', 'v1', '--message', 'One');
    const hash = git('rev-parse', 'HEAD');
    assert.equal(commitOf(root, {}), hash);
    writeFileSync(join(root, 'file'), 'two');
    assert.equal(commitOf(root, {}), `${hash}-dirty`);
  });

  it('is not that of a repository which the folder lies in', () => {
    const within = join(root, 'node_modules');
    mkdirSync(within);
    assert.equal(commitOf(within, {}), undefined);
  });

  it('is what the build is told where that is a hash', () => {
    assert.equal(commitOf(root, { WEIR_COMMIT: 'abcdef0' }), 'abcdef0');
    const within = join(root, 'node_modules');
    for (const other of ['', 'main', '<script>', 'abcdef0; rm -rf /']) {
      assert.equal(commitOf(within, { WEIR_COMMIT: other }), undefined);
    }
  });
});
