/** Programs of the system that tests need, installed with its package manager where that needs no password. */
import { execFileSync, spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const works = (command: string, args: string[]): boolean =>
  spawnSync(command, args, { stdio: 'ignore', timeout: 20_000 }).status === 0;

/**
 * Installs a package of Debian unless its `program` is there by now. Does nothing where there is no apt-get, or a password is asked for.
 * apt-get fails at once where another one downloads, so the test processes of a run, which share a temporary folder, take turns. For the
 * locks of dpkg it waits, whoever has them.
 * @throws with the output of apt-get where that fails
 */
export function installPackage(name: string, program: string): void {
  const root = process.getuid?.() === 0;
  if (!works('apt-get', ['--version']) || (!root && !works('sudo', ['-n', 'true']))) return;
  const aptGet = 'apt-get -qq -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3';
  const script = `command -v "$1" >/dev/null || { ${aptGet} update && ${aptGet} install -y --no-install-recommends "$2"; }`;
  const lock = join(tmpdir(), 'weir-packages.lock');
  const line = ['env', 'DEBIAN_FRONTEND=noninteractive', 'flock', lock, 'sh', '-c', script, 'sh', program, name];
  const [command, ...args] = root ? line : ['sudo', '-n', ...line];
  execFileSync(command!, args, { stdio: ['ignore', 'ignore', 'pipe'], timeout: 600_000 });
}
