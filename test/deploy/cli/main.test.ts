import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, it } from 'node:test';
import { packageRoot } from '#weir/shared/paths';
import { weir } from './support.ts';

describe('weir', () => {
  it('lists its commands when asked for help or for nothing', async () => {
    for (const args of [[], ['--help'], ['help']]) {
      const { code, out } = await weir(...args);
      assert.equal(code, 0);
      for (const name of ['check-config', 'check', 'keys create']) assert.match(out, new RegExp(`^ {2}${name} `, 'm'));
    }
  });
  it('is content when its reader has enough', () => {
    const script = `(${process.execPath} deploy/cli/weir.mjs openapi; echo "code $?" >&2) | head -c 1`;
    const { stdout, stderr } = spawnSync('sh', ['-c', script], { encoding: 'utf8', cwd: packageRoot });
    assert.deepEqual([stdout, stderr], ['{', 'code 0\n']);
  });
  it('exits with 2 for a command that is not there', async () => {
    const { code, out, err } = await weir('chek');
    assert.deepEqual([code, out], [2, '']);
    assert.match(err, /^weir: there is no command "chek"\n/);
  });
  it('explains each command', async () => {
    for (const name of [['check-config'], ['check'], ['keys', 'create']]) {
      const { code, out } = await weir(...name, '--help');
      assert.equal(code, 0);
      assert.match(out, new RegExp(`weir ${name.join(' ')}`));
    }
  });
  it('exits with 2 for an option that is not there', async () => {
    const { code, err } = await weir('check', 'x', '--colour', 'red');
    assert.equal(code, 2);
    assert.match(err, /Unknown option '--colour'[\s\S]*See: weir check --help$/);
  });
  it('starts from its launcher', () => {
    const { status, stdout } = spawnSync(process.execPath, ['deploy/cli/weir.mjs', 'check', 'hello'], {
      encoding: 'utf8',
      timeout: 30_000,
    });
    assert.equal(status, 0);
    assert.match(stdout, /^clean\n/);
  });
});
