/** What an image has: everything that its programs load, and no binary of another platform. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { packageRoot } from '#weir/shared/paths';
import { copyFiles, filesOf, packageOf, reachOf, TARGETS } from '../../../deploy/docker/prune.mjs';

type ImageTarget = keyof typeof TARGETS;
const NAMES = Object.keys(TARGETS) as ImageTarget[];
const filesOfTarget = Object.fromEntries(NAMES.map((name) => [name, filesOf([name], { root: packageRoot })])) as Record<
  ImageTarget,
  string[]
>;
const megabytes = (files: readonly string[]): number =>
  files.reduce((sum, file) => sum + statSync(join(packageRoot, file)).size, 0) / 1e6;

/** Packages that sources name: what is bundled is not asked for at run time. */
function namedInSources(): Set<string> {
  const named = new Set<string>();
  for (const folder of ['ingress', 'workers', 'shared', 'deploy']) {
    for (const name of readdirSync(join(packageRoot, folder), { recursive: true, encoding: 'utf8' })) {
      if (!name.endsWith('.ts')) continue;
      const text = readFileSync(join(packageRoot, folder, name), 'utf8');
      for (const [, specifier] of text.matchAll(/\b(?:require|resolve)\('([@\w][^'\n]*)'\)/g)) {
        if (!isBuiltin(specifier!) && /^[@a-z]/i.test(specifier!)) named.add(packageOf(specifier!));
      }
    }
  }
  return named;
}

describe('what an image has', () => {
  const folder = mkdtempSync(join(tmpdir(), 'weir-image-'));
  after(() => rmSync(folder, { recursive: true, force: true }));

  for (const name of NAMES) {
    it(`is, for ${name}, all that its programs import`, () => {
      const { programs, without } = TARGETS[name];
      const files = new Set(filesOfTarget[name]);
      for (const program of programs) {
        const { files: parts, specifiers } = reachOf(packageRoot, program);
        for (const part of parts) assert.ok(files.has(part), `${program}: ${part}`);
        const { resolve } = createRequire(join(packageRoot, 'dist/programs', `${program}.js`));
        for (const specifier of specifiers) {
          // Optional companions of packages that are bundled, which nobody installs here.
          if (!isInstalled(specifier) || without.includes(packageOf(specifier))) continue;
          const path = resolve(specifier).slice(packageRoot.length + 1);
          assert.ok(files.has(path), `${program} loads ${specifier}: ${path} is missing`);
        }
      }
    });
  }

  it('has every package that sources load by name, where somebody asks for it', () => {
    const packages = new Set(
      filesOfTarget.all.flatMap((file) => /^node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1] ?? []),
    );
    const named = [...namedInSources()].filter((name) => isInstalled(name));
    // `weir train --builtin` reads the sources of others, which only a checkout has.
    assert.ok(named.length >= 4, `${named}`);
    for (const name of named) assert.ok(packages.has(name), name);
    for (const name of ['chdb', 'sharp', 'uWebSockets.js', 'onnxruntime-node', 'piscina', 'swagger-ui-dist'])
      assert.ok(packages.has(name), name);
  });

  it('has binaries of one platform alone', () => {
    for (const platform of ['linux', 'darwin']) {
      for (const arch of ['x64', 'arm64']) {
        const files = filesOf(['ingress', 'worker'], { root: packageRoot, platform, arch, abi: '115' });
        const server = files.filter((file) => /uWebSockets\.js\/.*\.node$/.test(file));
        assert.deepEqual(server, [`node_modules/uWebSockets.js/uws_${platform}_${arch}_115.node`]);
        const models = files.filter((file) => file.includes('/napi-v6/'));
        for (const file of models) assert.ok(file.includes(`/napi-v6/${platform}/${arch}/`), file);
      }
    }
  });

  it('has the plain scripts that programs load by where they are', () => {
    for (const folder of ['ingress', 'workers', 'shared', 'deploy']) {
      for (const name of readdirSync(join(packageRoot, folder), { recursive: true, encoding: 'utf8' })) {
        if (!name.endsWith('.ts') || name.startsWith('clients')) continue;
        const text = readFileSync(join(packageRoot, folder, name), 'utf8');
        for (const [, path] of text.matchAll(/join\(packageRoot, '([^']+\.mjs)'\)/g))
          for (const target of NAMES) assert.ok(filesOfTarget[target].includes(path!), `${target}: ${path}`);
      }
    }
  });

  it('is small for ingress and worker: no ClickHouse engine, and no images or models in an ingress', () => {
    for (const name of ['ingress', 'worker'] as const) {
      const files = filesOfTarget[name];
      assert.ok(!files.some((file) => file.includes('chdb')), name);
      assert.ok(megabytes(files) < 120, `${name}: ${megabytes(files)} MB`);
    }
    assert.ok(!filesOfTarget.ingress.some((file) => /node_modules\/(?:sharp|@img|onnxruntime)/.test(file)));
    assert.ok(megabytes(filesOfTarget.ingress) < 50, `${megabytes(filesOfTarget.ingress)} MB`);
  });

  it('has nothing that only a build or an install needs', () => {
    for (const name of NAMES) {
      const wrong = filesOfTarget[name].filter((file) =>
        /\.(?:ts|map)$|^node_modules\/(?:typescript|esbuild|typia|adm-zip|global-agent|@scarf)\/|^(?:test|bench|docs)\//.test(
          file,
        ),
      );
      assert.deepEqual(wrong, [], name);
    }
  });

  it('works where it is copied to, and commands say what an ingress goes without', () => {
    copyFiles(filesOfTarget.ingress, packageRoot, folder);
    const run = (...args: string[]) =>
      spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8', timeout: 60_000 });
    const weir = join(folder, 'deploy/cli/weir.mjs');
    assert.match(run(weir, '--version').stdout, /^weir \d/);
    assert.match(run(weir, 'check', 'My card is 4111 1111 1111 1111, call +44 20 7946 0958').stdout, /^flagged\n/);
    assert.match(run(join(folder, 'dist/programs/ingress.js'), '--help').stdout, /WEIR_PORT/);
    const hash = run(weir, 'hash', 'x.png');
    assert.equal(hash.status, 1);
    assert.match(hash.stderr, /^weir hash: this installation goes without sharp: run the command where workers run/);
  });

  it('is copied into an empty folder only', () => {
    const script = join(packageRoot, 'deploy/docker/prune.mjs');
    const run = (...args: string[]) => spawnSync(process.execPath, [script, ...args], { encoding: 'utf8' });
    const full = run(join(packageRoot, 'deploy'), 'ingress');
    assert.equal(full.status, 1);
    assert.match(full.stderr, /is not empty/);
    assert.match(run(join(folder, 'new'), 'everything').stderr, /targets: ingress, worker, all/);
  });
});

function isInstalled(specifier: string): boolean {
  try {
    return statSync(join(packageRoot, 'node_modules', packageOf(specifier))).isDirectory();
  } catch {
    return false;
  }
}
