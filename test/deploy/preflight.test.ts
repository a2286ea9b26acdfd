import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { packageRoot, programPath } from '#weir/shared/paths';
import { isInstalled, thisHost, unsupported } from '../../deploy/preflight.mjs';

const linux = { platform: 'linux', arch: 'x64', glibc: '2.36' };

describe('the check before anything is installed', () => {
  it('accepts this machine and every other that the native parts were made for', () => {
    assert.equal(unsupported(thisHost()), undefined);
    for (const host of [
      { ...linux, node: '20.19.0' },
      { ...linux, node: '20.20.2', glibc: '2.27' },
      { ...linux, node: '22.14.0', glibc: '2.38' },
      { ...linux, node: '24.1.0', glibc: '2.41', arch: 'arm64' },
      { node: '24.1.0', platform: 'darwin', arch: 'arm64' },
    ]) {
      assert.equal(unsupported(host), undefined, JSON.stringify(host));
    }
  });

  it('also runs before what production starts', () => {
    const folder = mkdtempSync(join(tmpdir(), 'weir-node-'));
    const old = join(folder, 'old.cjs');
    writeFileSync(
      old,
      "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '18.20.4' } });",
    );
    for (const program of ['ingress', 'worker']) {
      const { status, stdout, stderr } = spawnSync(process.execPath, ['-r', old, programPath(program)], {
        encoding: 'utf8',
        env: { ...process.env, WEIR_REDIS_URL: 'redis://127.0.0.1:1' },
        timeout: 20_000,
      });
      assert.equal(status, 1);
      assert.equal(stderr, '');
      const { level, name, msg } = JSON.parse(stdout);
      assert.deepEqual([level, name, msg], ['fatal', program, unsupported({ ...linux, node: '18.20.4' })]);
    }
    rmSync(folder, { recursive: true, force: true });
  });

  it('runs before modules that an old Node cannot read, in every npm script', () => {
    const { scripts } = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8'));
    const folder = mkdtempSync(join(tmpdir(), 'weir-node-'));
    const old = join(folder, 'old.cjs');
    // An old Node cannot read this module.
    writeFileSync(join(folder, 'new.mjs'), 'this is no JavaScript');
    writeFileSync(old, "Object.defineProperty(process, 'versions', { value: { node: '12.22.9' } });");
    for (const name of ['start', 'dev', 'test', 'test:quick', 'bench', 'fuzz', 'faults', 'worst']) {
      const [, ...args] = String(scripts[name]).split(' ');
      assert.deepEqual(args.slice(2, 4), ['deploy/bootstrap.mjs', name.replace(':quick', '')]);
      const { status, stderr } = spawnSync(
        process.execPath,
        ['-r', old, ...args.slice(0, 2), join(folder, 'new.mjs')],
        {
          encoding: 'utf8',
          cwd: packageRoot,
        },
      );
      assert.equal(status, 1);
      assert.equal(
        stderr,
        'Weir needs Node 20.19 or newer, but this is Node 12.22.9: install Node 20 (20.19 or newer), 22 or 24.\n',
      );
    }
    rmSync(folder, { recursive: true });
  });

  it('says in one sentence what is wrong and what to do', () => {
    const cases: [Parameters<typeof unsupported>[0], RegExp][] = [
      [{ ...linux, node: '18.20.0' }, /^Weir needs Node 20\.19 or newer, but this is Node 18\.20\.0: install /],
      [{ ...linux, node: '20.18.3' }, /^Weir needs Node 20\.19/],
      [{ ...linux, node: '23.1.0' }, /no binary for Node 23\.1\.0: install /],
      [{ ...linux, node: '22.14.0' }, /Node 22 needs glibc 2\.38 .* has 2\.36: use Node 20, or /],
      [{ ...linux, node: '20.19.0', glibc: '2.17' }, /Node 20 needs glibc 2\.27 .* has 2\.17: use a newer/],
      [{ platform: 'linux', arch: 'x64', node: '20.19.0' }, /need glibc, .*musl/],
      [{ platform: 'win32', arch: 'x64', node: '20.19.0' }, /WSL 2/],
      [{ ...linux, arch: 'ia32', node: '20.19.0' }, /x64 and arm64/],
    ];
    for (const [host, message] of cases) {
      const said = unsupported(host);
      assert.match(said ?? '', message);
      assert.equal(said?.split('\n').length, 1);
    }
  });
});

describe('isInstalled', () => {
  const lock = {
    packages: {
      '': {},
      'node_modules/a': { version: '1.0.0' },
      'node_modules/b': { version: '2.0.0', optional: true },
    },
  };

  it('compares what npm installed with the lock file; packages for other platforms may be missing', () => {
    const a = { 'node_modules/a': { version: '1.0.0' } };
    assert.equal(isInstalled(lock, { packages: a }), true);
    assert.equal(isInstalled(lock, { packages: { ...a, 'node_modules/b': { version: '2.0.0' } } }), true);
    assert.equal(isInstalled(lock, { packages: { ...a, 'node_modules/b': { version: '1.9.0' } } }), false);
    assert.equal(isInstalled(lock, { packages: { 'node_modules/a': { version: '1.0.1' } } }), false);
    assert.equal(isInstalled(lock, { packages: {} }), false);
    assert.equal(isInstalled(lock, undefined), false);
  });
});
