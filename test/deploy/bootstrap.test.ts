import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, sep } from 'node:path';
import { describe, it } from 'node:test';
import { packageRoot } from '#weir/shared/paths';

function bootstrap(...args: string[]): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(process.execPath, [join(packageRoot, 'deploy/bootstrap.mjs'), ...args], {
    encoding: 'utf8',
    timeout: 300_000,
  });
}

describe('deploy/bootstrap.mjs', () => {
  it('explains itself', () => {
    for (const args of [['--help'], ['test', '--help'], ['dev', '--help']]) {
      const { status, stdout } = bootstrap(...args);
      assert.equal(status, 0);
      assert.match(stdout, /^Usage: /);
    }
  });

  it('ends with exit code 1 for an unknown command', () => {
    for (const args of [[], ['dance']]) {
      const { status, stdout, stderr } = bootstrap(...args);
      assert.equal(status, 1);
      assert.equal(stdout, '');
      assert.match(stderr, /^Usage: /);
    }
  });

  it('passes its further arguments on', () => {
    const { status, stderr } = bootstrap('bench', 'no-such-workload');
    assert.equal(status, 1);
    assert.match(stderr, /no-such-workload/);
  });

  it('does not wait for a lock when its process is gone and the id is used again', () => {
    const temporary = mkdtempSync(join(tmpdir(), 'weir-lock-'));
    const name = createHash('sha256').update(`${packageRoot}${sep}`).digest('hex').slice(0, 16);
    const lock = join(temporary, `weir-${process.getuid?.() ?? 0}-${name}.lock`);
    mkdirSync(lock);
    // This process is alive, but it started later than the lock says.
    writeFileSync(join(lock, 'pid'), `${process.pid} 1`);
    const { status, stderr } = spawnSync(
      process.execPath,
      [join(packageRoot, 'deploy/bootstrap.mjs'), 'test', 'test/no-such-folder'],
      { encoding: 'utf8', timeout: 300_000, env: { ...process.env, TMPDIR: temporary } },
    );
    assert.equal(status, 1);
    assert.doesNotMatch(stderr, /waiting for it/);
    assert.match(stderr, /No test file matches/);
    assert.deepEqual(readdirSync(temporary), []);
    rmSync(temporary, { recursive: true });
  });

  it('leaves files that start servers out of a quick run', () => {
    const { status, stderr } = bootstrap('test', '--quick', 'test/workers/fleet');
    assert.equal(status, 1);
    assert.match(stderr, /No test file matches test\/workers\/fleet/);
  });

  it('passes on the exit code of a failed test run', () => {
    const { status, stderr } = bootstrap('test', 'test/no-such-folder');
    assert.equal(status, 1);
    assert.match(stderr, /No test file matches/);
  });
});
