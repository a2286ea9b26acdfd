/** Finds tesseract, or installs it with the system's package manager where that needs no password. */
import { execFileSync, spawnSync } from 'node:child_process';

const works = (command: string, args: string[]): boolean =>
  spawnSync(command, args, { stdio: 'ignore', timeout: 20_000 }).status === 0;

const isThere = (): boolean => works('tesseract', ['--version']);

/** Throws where it is neither there nor can be installed. */
export function needTesseract(): void {
  if (!isThere()) install();
  if (!isThere()) {
    throw new Error('tesseract is needed by this test and is not on the PATH: install it, for example with apt-get.');
  }
}

function install(): void {
  const root = process.getuid?.() === 0;
  if (!works('apt-get', ['--version']) || (!root && !works('sudo', ['-n', 'true']))) return;
  for (const step of [['update'], ['install', '-y', '--no-install-recommends', 'tesseract-ocr']]) {
    const line = ['env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get', ...step];
    const [command, ...args] = root ? line : ['sudo', '-n', ...line];
    execFileSync(command!, args, { stdio: 'ignore', timeout: 600_000 });
  }
}
