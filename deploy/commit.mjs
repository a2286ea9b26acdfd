/**
 * The commit that is built: of WEIR_COMMIT, for builds without the folder `.git` (in a container), else by git. Plain JavaScript: it runs as part
 * of the build.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const COMMIT = /^[0-9a-f]{7,64}(-dirty)?$/;

/** The hash, with `-dirty` where files that git follows were changed; undefined: not known. */
export function commitOf(root, env = process.env) {
  const given = env.WEIR_COMMIT?.trim() ?? '';
  if (COMMIT.test(given)) return given;
  // Without a repository of its own, git would tell the commit of one that this folder lies in.
  if (!existsSync(join(root, '.git'))) return undefined;
  const args = ['describe', '--always', '--dirty', '--abbrev=40', '--exclude=*'];
  const { status, stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8', timeout: 20_000 });
  const said = status === 0 ? stdout.trim() : '';
  return COMMIT.test(said) ? said : undefined;
}
