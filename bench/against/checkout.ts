/**
 * Another commit of the project, built in a folder of its own below `.weir/bench`, for `bench -- --against` and `faults -- --release`. The one that
 * was built last is kept.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../shared/paths.js';

export interface Checkout {
  /** of the project at that commit, built */
  root: string;
  /** full hash */
  commit: string;
}

/** Builds `name`, anything that git takes for a commit. Throws a sentence that says what failed. */
export function checkOut(name: string, say: (line: string) => void): Checkout {
  const commit = commitOf(name);
  const builds = join(packageRoot, '.weir', 'bench', 'builds');
  const root = join(builds, commit);
  if (!existsSync(root)) {
    rmSync(builds, { recursive: true, force: true });
    mkdirSync(builds, { recursive: true });
    const unpacked = join(builds, 'unpacked');
    unpack(commit, unpacked);
    // Only what is whole has the name that is looked for.
    run('mv', [unpacked, root], 'it could not be moved');
  }
  sharePackages(root);
  say(`Building ${commit.slice(0, 12)}, unless it is built …`);
  // It knows itself how it is installed and built; both come before its help.
  run(process.execPath, [join(root, 'deploy', 'bootstrap.mjs'), 'bench', '--help'], 'it does not build');
  return { root, commit };
}

function commitOf(name: string): string {
  const { status, stdout } = spawnSync(
    'git',
    ['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`],
    {
      cwd: packageRoot,
      encoding: 'utf8',
    },
  );
  if (status === 0) return stdout.trim();
  throw new Error(`There is no commit "${name}" in this repository: name one as for "git rev-parse".`);
}

function unpack(commit: string, folder: string): void {
  mkdirSync(folder);
  const archive = `${folder}.tar`;
  run('git', ['archive', '--output', archive, commit], 'git cannot read it');
  run('tar', ['-xf', archive, '-C', folder], 'it cannot be unpacked');
  rmSync(archive);
}

/** Packages of this checkout serve the other one where both have the same lockfile. */
function sharePackages(root: string): void {
  if (readdirSync(root).includes('node_modules')) return;
  const [own, other] = [packageRoot, root].map((folder) => readFileSync(join(folder, 'package-lock.json'), 'utf8'));
  if (own === other) symlinkSync(join(packageRoot, 'node_modules'), join(root, 'node_modules'), 'dir');
}

function run(command: string, args: readonly string[], failed: string): void {
  const { status, error, stderr } = spawnSync(command, args, {
    cwd: packageRoot,
    encoding: 'utf8',
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  if (status === 0) return;
  const said = error?.message ?? stderr.trim().split('\n').slice(-5).join('\n');
  throw new Error(`The other commit cannot be used: ${failed}.\n${said}`);
}
