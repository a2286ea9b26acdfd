/** The units of systemd: what systemd says of them, and that they name what is there. No systemd runs them here. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { packageRoot } from '#weir/shared/paths';
import { DEFINITIONS, loadSettings } from '#weir/shared/settings';
import { filesOf } from '../../deploy/docker/prune.mjs';

const FOLDER = join(packageRoot, 'deploy/systemd');
const UNITS = { ingress: 'weir-ingress@.service', worker: 'weir-worker@.service' } as const;
const MOST_EXPOSED = 3;
const PARTS = ['weir.target', ...Object.values(UNITS)];

const read = (name: string): string => readFileSync(join(FOLDER, name), 'utf8');
/** All values of a directive. */
const valuesOf = (text: string, directive: string): string[] =>
  [...text.matchAll(new RegExp(`^${directive}=(.*)$`, 'gm'))].map(([, value]) => value!);
const ours = new Set(Object.values(DEFINITIONS).map(({ variable }) => variable as string));

const analyze = (...args: string[]) =>
  spawnSync('systemd-analyze', args, {
    encoding: 'utf8',
    timeout: 60_000,
    env: { ...process.env, SYSTEMD_COLORS: '0' },
  });
const skip = analyze('--version').error ? 'there is no systemd-analyze' : false;

describe('units of systemd', () => {
  const folder = mkdtempSync(join(tmpdir(), 'weir-units-'));
  before(() => {
    for (const name of PARTS) copyFileSync(join(FOLDER, name), join(folder, name));
    // What they start need not be installed where they are verified.
    for (const [unit, port] of [
      [UNITS.ingress, 9464],
      [UNITS.worker, 9474],
    ] as const) {
      const text = read(unit).replace('/usr/bin/node', process.execPath);
      writeFileSync(join(folder, unit.replace('@', `@${port}`)), text);
    }
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('have nothing that systemd complains of', { skip }, () => {
    const names = ['weir-ingress@9464.service', 'weir-worker@9474.service', 'weir.target'];
    const { status, stderr, stdout } = analyze('verify', '--man=no', ...names.map((name) => join(folder, name)));
    assert.equal(`${stdout}${stderr}`, '');
    assert.equal(status, 0);
  });

  for (const [kind, unit] of Object.entries(UNITS)) {
    it(`expose ${kind} at most ${MOST_EXPOSED}`, { skip }, () => {
      const { stdout } = analyze('security', '--offline=true', '--no-pager', join(folder, unit));
      const level = Number(/exposure level for \S+: ([\d.]+)/.exec(stdout)?.[1]);
      console.log(`${unit}: exposure ${level}`);
      assert.ok(level <= MOST_EXPOSED, stdout);
    });

    it(`give ${kind} the time that it needs to stop`, () => {
      const seconds = Number(valuesOf(read(unit), 'TimeoutStopSec')[0]);
      assert.ok(seconds * 1000 >= DEFINITIONS.stopDelayMs.default + DEFINITIONS.drainMs.default + 10_000);
    });

    it(`start files of ${kind} that prune.mjs copies, with settings that there are`, () => {
      const text = read(unit);
      const [start] = valuesOf(text, 'ExecStart');
      const program = /^\/usr\/bin\/node \/opt\/weir\/(\S+)$/.exec(start!)![1]!;
      assert.ok(filesOf([kind], { root: packageRoot }).includes(program), program);
      for (const [variable] of valuesOf(text, 'Environment')
        .join(' ')
        .matchAll(/\b[A-Z_]+(?==)/g))
        assert.ok(ours.has(variable), variable);
      assert.deepEqual(valuesOf(text, 'User'), ['weir']);
      if (kind === 'worker') assert.deepEqual(valuesOf(text, 'OOMPolicy'), ['continue'], 'decoders die alone');
      assert.equal(valuesOf(text, 'WantedBy')[0], 'weir.target');
      assert.equal(valuesOf(text, 'PartOf')[0], 'weir.target');
    });
  }

  it('can be tightened where no images are looked at', { skip }, () => {
    const text = `${read(UNITS.worker)}\n${read('weir-worker-without-images.conf')}`;
    const path = join(folder, 'tight@.service');
    writeFileSync(path, text);
    const level = Number(
      /exposure level for \S+: ([\d.]+)/.exec(analyze('security', '--offline=true', '--no-pager', path).stdout)?.[1],
    );
    assert.ok(level < 2, `${level}`);
  });

  it('have users and folders as the units name them', () => {
    const user = /^u (\w+) /m.exec(read('sysusers.conf'))![1];
    assert.equal(user, 'weir');
    const folders = [...read('tmpfiles.conf').matchAll(/^d (\S+) (\d{4}) (\w+) (\w+) -$/gm)].map(([, path]) => path);
    assert.deepEqual(folders, ['/etc/weir', '/var/lib/weir', '/var/lib/weir/models', '/var/lib/weir/hashes']);
    const named = Object.values(UNITS).flatMap((unit) => valuesOf(read(unit), 'EnvironmentFile'));
    for (const file of named) assert.ok(file.replace(/^-/, '').startsWith('/etc/weir/'), file);
    for (const [, path] of read(UNITS.worker).matchAll(/WEIR_(?:MODELS|HASH_LISTS)=(\S+)/g))
      assert.ok(folders.includes(path!), path);
  });

  it('are taken by systemd-sysusers and systemd-tmpfiles', { skip: skip || process.getuid?.() !== 0 }, () => {
    const root = mkdtempSync(join(tmpdir(), 'weir-root-'));
    mkdirSync(join(root, 'etc'));
    try {
      for (const [program, file] of [
        ['systemd-sysusers', 'sysusers.conf'],
        ['systemd-tmpfiles', 'tmpfiles.conf'],
      ] as const) {
        if (spawnSync(program, ['--version']).error) continue;
        const args = program === 'systemd-tmpfiles' ? ['--create'] : [];
        const { status, stderr } = spawnSync(program, [...args, `--root=${root}`, join(FOLDER, file)], {
          encoding: 'utf8',
        });
        assert.equal(status, 0, `${program}: ${stderr}`);
      }
      assert.ok(existsSync(join(root, 'etc/weir')));
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  });

  it('has an example of settings that are taken, and no password in it', () => {
    const text = read('weir.env').replace(/^#(?=WEIR_)/gm, '');
    const env = Object.fromEntries([...text.matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [name!, value!]));
    for (const name of Object.keys(env)) assert.ok(ours.has(name), name);
    assert.doesNotThrow(() => loadSettings(env));
    for (const value of Object.values(env)) assert.ok(!/:\/\/[^/]*:[^/]*@/.test(value), value);
    assert.ok(!('WEIR_METRICS_PORT' in env), 'it would win over the instance');
  });
});
