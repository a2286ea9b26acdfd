/**
 * How a process starts: first the machine is looked at, with nothing loaded that needs more than Node itself. The native parts
 * (HTTP server, image decoder) are loaded with the modules that use them, and do not say what they miss.
 */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { packageRoot } from './paths.js';

/** Of `deploy/preflight.mjs`, which is no part of what is built. */
interface Preflight {
  thisHost(): unknown;
  unsupported(host: unknown): string | undefined;
}

/** Loads and runs a process, or ends this one with exit code 1 and a sentence on standard error. */
export function start(load: () => Promise<{ run(): Promise<void> }>): void {
  begin(load).catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  });
}

/** What is said where a process has all rights of the machine; undefined where it has not. */
export function rootWarning(): string | undefined {
  if (process.getuid?.() !== 0) return undefined;
  return 'This runs as root, and needs no rights of its own: start it as a user who has none.';
}

async function begin(load: () => Promise<{ run(): Promise<void> }>): Promise<void> {
  // As `npm start` does, for which it must be a plain script: nothing is built by then.
  const path = pathToFileURL(join(packageRoot, 'deploy/preflight.mjs')).href;
  const { thisHost, unsupported } = (await import(path)) as Preflight;
  const wrong = unsupported(thisHost());
  if (wrong !== undefined) throw new Error(wrong);
  const { run } = await load();
  await run();
}
