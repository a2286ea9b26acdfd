import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { packageRoot } from '#weir/shared/paths';
import { weir } from './support.ts';

describe('weir', () => {
  it('lists its commands for --help and without arguments', async () => {
    for (const args of [[], ['--help'], ['help']]) {
      const { code, out } = await weir(...args);
      assert.equal(code, 0);
      for (const name of ['check-config', 'check', 'keys create']) assert.match(out, new RegExp(`^ {2}${name} `, 'm'));
    }
  });
  it('does not fail when its reader closes the pipe early', () => {
    const script = `(${process.execPath} deploy/cli/weir.mjs openapi; echo "code $?" >&2) | head -c 1`;
    const { stdout, stderr } = spawnSync('sh', ['-c', script], { encoding: 'utf8', cwd: packageRoot });
    assert.deepEqual([stdout, stderr], ['{', 'code 0\n']);
  });
  it('exits with 2 for a command that is not there', async () => {
    const { code, out, err } = await weir('chek');
    assert.deepEqual([code, out], [2, '']);
    assert.match(err, /^weir: there is no command "chek"\n/);
  });
  it('prints help for each command, in each way of asking', async () => {
    const listed = (await weir()).out.matchAll(/^ {2}(\S+(?: \S+)?) {2,}\S/gm);
    const names = Array.from(listed, ([, name]) => name!.split(' '));
    assert.ok(names.length > 10, names.join());
    for (const name of names) {
      for (const args of [
        [...name, '--help'],
        [...name, '-h'],
        ['help', ...name],
      ]) {
        const { code, out, err } = await weir(...args);
        assert.deepEqual([code, err], [0, ''], args.join(' '));
        assert.match(out, new RegExp(`weir ${name.join(' ')}`));
      }
    }
  });
  it('lists the commands of a group that is asked for', async () => {
    for (const args of [
      ['keys', '--help'],
      ['help', 'keys'],
    ]) {
      const { code, out, err } = await weir(...args);
      assert.deepEqual([code, err], [0, '']);
      assert.match(out, /^ {2}keys create {2}/m);
      assert.doesNotMatch(out, /check-config/);
    }
  });
  it('exits with 2 for a group without a command, and lists the commands of the group', async () => {
    const alone = await weir('dead-letters');
    assert.deepEqual([alone.code, alone.out], [2, '']);
    assert.match(alone.err, /^weir: "dead-letters" needs a second word\n[\s\S]*dead-letters replay/);
    const wrong = await weir('keys', 'rotate', '--id', 'x');
    assert.deepEqual([wrong.code, wrong.out], [2, '']);
    assert.match(wrong.err, /^weir: there is no command "keys rotate"\n[\s\S]*keys create/);
    assert.equal((await weir('help', 'chek')).code, 2);
  });
  it('prints its version', async () => {
    const { version } = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')) as { version: string };
    for (const flag of ['--version', '-v']) {
      assert.deepEqual(await weir(flag), { code: 0, out: `weir ${version}`, err: '' });
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
