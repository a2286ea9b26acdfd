/**
 * Finds `redis-server`, or installs it with the system's package manager. Plain JavaScript: it also runs before anything
 * is installed or built.
 */
import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { runProgram } from '../../progress.mjs';

const MINIMUM = 7;

/** There is no usable redis-server. The message says in a sentence why, and what to do. */
export class RedisMissing extends Error {
  name = 'RedisMissing';
  /** There is one, but it is too old. */
  old = false;
}

/** `v=7.0.15` → 7; undefined when the text is no version of redis-server. */
export function majorVersion(text) {
  const match = /v=(\d+)\.\d+/.exec(text);
  return match ? Number(match[1]) : undefined;
}

/**
 * Absolute path of a redis-server ≥ 7 on the PATH.
 * @param {Record<string, string | undefined>} env
 * @returns {string}
 * @throws {RedisMissing}
 */
export function findRedis(env = process.env) {
  let old;
  for (const folder of (env.PATH ?? '').split(delimiter)) {
    if (folder === '') continue;
    const path = join(folder, 'redis-server');
    try {
      accessSync(path, constants.X_OK);
    } catch {
      continue;
    }
    const asked = spawnSync(path, ['--version'], { encoding: 'utf8', timeout: 10_000 });
    const major = majorVersion(asked.stdout ?? '');
    if (major !== undefined && major >= MINIMUM) return path;
    old ??= path;
  }
  const missing = new RedisMissing(
    old === undefined
      ? `redis-server ${MINIMUM} or newer is needed and is not on the PATH: install it, for example with "sudo apt-get install redis-server" or "brew install redis". Then start again.`
      : `redis-server ${MINIMUM} or newer is needed, but ${old} is older: install a newer one, put it on the PATH and start again.`,
  );
  missing.old = old !== undefined;
  throw missing;
}

/** Package managers, in the order they are looked for: how each installs redis-server without asking. */
const MANAGERS = [
  {
    command: 'apt-get',
    asRoot: true,
    // Upgrades of a machine that has just started hold the locks of dpkg for minutes.
    steps: [['update'], ['install', '-y', '--no-install-recommends', '-o', 'DPkg::Lock::Timeout=300', 'redis-server']],
    env: { DEBIAN_FRONTEND: 'noninteractive' },
    // Debian's package starts a service on port 6379, now and at each boot. It would hold the port.
    after: ['systemctl', 'disable', '--now', 'redis-server'],
  },
  { command: 'dnf', asRoot: true, steps: [['install', '-y', 'redis']], env: {} },
  { command: 'apk', asRoot: true, steps: [['add', '--no-progress', 'redis']], env: {} },
  { command: 'brew', asRoot: false, steps: [['install', 'redis']], env: {} },
];

/**
 * Path of redis-server. Installs it if it is missing and no password is needed for that.
 * @param {import('../../progress.mjs').Progress} progress
 * @param {Record<string, string | undefined>} env
 * @returns {Promise<string>}
 * @throws {RedisMissing}
 */
export async function ensureRedis(progress, env = process.env) {
  const works = (command, args) => spawnSync(command, args, { env, stdio: 'ignore', timeout: 20_000 }).status === 0;
  try {
    return findRedis(env);
  } catch (missing) {
    const manager = MANAGERS.find(({ command }) => works(command, ['--version']));
    if (manager === undefined) throw missing;
    const root = process.getuid?.() === 0;
    if (manager.asRoot && !root && !works('sudo', ['-n', 'true'])) throw missing;
    const sudo = manager.asRoot && !root;
    await progress.during(`redis-server is missing: installing it with ${manager.command}`, async () => {
      for (const step of manager.steps) await install(manager, step, sudo, env);
    });
    // Without systemd nothing was started. The service of an older redis-server is not ours to disable.
    if (manager.after && !missing.old)
      works(...(sudo ? ['sudo', ['-n', ...manager.after]] : [manager.after[0], manager.after.slice(1)]));
    return findRedis(env);
  }
}

async function install(manager, step, sudo, env) {
  const variables = Object.entries(manager.env).map(([name, value]) => `${name}=${value}`);
  const [command, args] = sudo
    ? ['sudo', ['-n', 'env', ...variables, manager.command, ...step]]
    : [manager.command, step];
  const { code, output, error } = await runProgram(command, args, {
    env: { ...env, ...manager.env },
    timeout: 600_000,
  });
  if (code === 0) return;
  const line = error?.message ?? output.trim().split('\n').at(-1);
  throw new RedisMissing(
    `redis-server is missing, and "${manager.command} ${step.join(' ')}" failed${line ? ` (${line})` : ''}: install redis-server ${MINIMUM} or newer by hand and start again.`,
  );
}
