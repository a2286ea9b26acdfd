/** Finds Chromium, or installs it. */
import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { installPackage } from '../packages.ts';

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

/** A browser of its own profile that calls nobody by itself; close it. */
export async function startBrowser(): Promise<Browser> {
  let executablePath = findChromium();
  if (executablePath === undefined) {
    installPackage('chromium', 'chromium');
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
      '--disable-software-rasterizer',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}
