/** Finds Chromium, or installs it with the system's package manager where that needs no password. */
import { execFileSync, spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

function findChromium(): string | undefined {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    for (const name of NAMES) {
      const path = join(folder, name);
      try {
        accessSync(path, constants.X_OK);
      } catch {
        continue;
      }
      // Some systems have a script of this name that only says how to install it.
      if (spawnSync(path, ['--version'], { timeout: 20_000, stdio: 'ignore' }).status === 0) return path;
    }
  }
  return undefined;
}

function install(): void {
  const works = (command: string, args: string[]): boolean =>
    spawnSync(command, args, { stdio: 'ignore', timeout: 20_000 }).status === 0;
  const root = process.getuid?.() === 0;
  if (!works('apt-get', ['--version']) || (!root && !works('sudo', ['-n', 'true']))) return;
  for (const step of [['update'], ['install', '-y', '--no-install-recommends', 'chromium']]) {
    const line = ['env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get', ...step];
    const [command, ...args] = root ? line : ['sudo', '-n', ...line];
    execFileSync(command!, args, { stdio: 'ignore', timeout: 600_000 });
  }
}

/** A browser of its own profile that calls nobody by itself; close it. */
export async function startBrowser(): Promise<Browser> {
  let executablePath = findChromium();
  if (executablePath === undefined) {
    install();
    executablePath = findChromium();
  }
  if (executablePath === undefined) {
    throw new Error('Chromium is needed by this test and is not on the PATH: install it, for example with apt-get.');
  }
  return chromium.launch({
    executablePath,
    headless: true,
    timeout: 240_000,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}
