/** The package that `npm pack` makes, unpacked where another project would install it. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { packageRoot } from '#weir/shared/paths';

/**
 * Has what npm packs compressed the fast way: it is unpacked at once. npm itself takes the slowest, for which it needs most of
 * its time.
 */
const FAST = `--import=data:text/javascript,${encodeURIComponent(`import zlib from 'node:zlib';
const { Gzip } = zlib;
zlib.Gzip = class extends Gzip { constructor(options) { super({ ...options, level: 1 }); } };`)}`;
describe('the package', () => {
  const project = mkdtempSync(join(tmpdir(), 'weir-package-'));
  const modules = join(project, 'node_modules');
  const installed = join(modules, 'weir');
  const node = (...args: string[]): string =>
    execFileSync(process.execPath, args, { cwd: project, encoding: 'utf8', timeout: 300_000 });

  before(() => {
    const pack = ['pack', '--offline', '--silent', '--pack-destination', project];
    execFileSync('npm', pack, {
      cwd: packageRoot,
      env: { ...process.env, NODE_OPTIONS: FAST },
      stdio: 'ignore',
      timeout: 300_000,
    });
    mkdirSync(installed, { recursive: true });
    const [archive] = readdirSync(project).filter((name) => name.endsWith('.tgz'));
    execFileSync('tar', ['xzf', join(project, archive!), '-C', installed, '--strip-components=1']);
    writeFileSync(join(project, 'package.json'), '{"type":"module"}');
    // Its dependencies, where an install would put them.
    for (const name of readdirSync(join(packageRoot, 'node_modules'))) {
      if (!name.startsWith('.')) symlinkSync(join(packageRoot, 'node_modules', name), join(modules, name));
    }
  });
  after(() => rmSync(project, { recursive: true, force: true }));

  it('has a command line that works beside its dependencies, and nothing of the tests', () => {
    const weir = join(installed, 'deploy/cli/weir.mjs');
    assert.match(node(weir, '--version'), /^weir \d+\.\d+\.\d+\n$/);
    assert.match(node(weir, 'check', 'hello'), /^clean\n/);
    assert.match(node(weir, 'migrate', '--help'), /weir migrate/);
    const sample = join(installed, 'deploy/local');
    assert.match(node(weir, 'test', join(sample, 'weir.yaml'), join(sample, 'tests.yaml')), /, 0 failed,/);
    assert.deepEqual(readdirSync(installed).sort(), [
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'deploy',
      'dist',
      'docs',
      'ingress',
      'package.json',
      'shared',
    ]);
    const built = readdirSync(join(installed, 'dist'));
    assert.ok(!built.includes('test') && !built.includes('clients'));
    assert.ok(!readdirSync(join(installed, 'deploy')).includes('clients'));
  });

  it('trains classifiers from texts of others, and says that what the shipped ones learn from is not there', () => {
    const weir = join(installed, 'deploy/cli/weir.mjs');
    const lines = Array.from({ length: 20 }, (_, i) =>
      JSON.stringify({ text: `${i % 2 ? 'win a free' : 'I left my'} phone ${i}`, labels: { spam: i % 2 } }),
    );
    writeFileSync(join(project, 'spam.jsonl'), lines.join('\n'));
    assert.match(
      node(weir, 'train', 'spam.jsonl', '--label', 'spam', '--out', 'spam.bin', '--folds', '2'),
      /^spam: 10 \/ 10 texts/,
    );
    const { status, stderr } = spawnSync(
      process.execPath,
      [weir, 'train', '--builtin', '--data', '.', '--out', 'x.bin'],
      {
        cwd: project,
        encoding: 'utf8',
        timeout: 60_000,
      },
    );
    assert.match(stderr, /lists\.txt: there is no such file\. .* is part of its repository, not of its package/);
    assert.equal(status, 1);
  });
});
