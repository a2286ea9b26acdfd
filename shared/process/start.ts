/**
 * Starts a process. First the machine is checked, before anything is loaded that needs more than Node. Native modules (HTTP
 * server, image decoder) are loaded later: they do not say what they miss.
 */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { packageRoot } from '../paths.js';
import { asBlock } from '../printable.js';

/** Exports of `deploy/preflight.mjs`, which is not compiled. */
interface Preflight {
  thisHost(): unknown;
  unsupported(host: unknown): string | undefined;
}

/** Loads and runs a process, or ends this one with exit code 1 and a sentence on standard error. */
export function start(load: () => Promise<{ run(): Promise<void> }>): void {
  begin(load).catch((error: unknown) => {
    console.error(error instanceof Error ? asBlock(error.message) : error);
    process.exit(1);
  });
}

/** The warning for a process that runs as root; undefined for others. */
export function rootWarning(): string | undefined {
  if (process.getuid?.() !== 0) return undefined;
  return 'This runs as root, and needs no rights of its own: start it as a user who has none.';
}

async function begin(load: () => Promise<{ run(): Promise<void> }>): Promise<void> {
  // A plain script, since `npm start` runs it before anything is built.
  const path = pathToFileURL(join(packageRoot, 'deploy/preflight.mjs')).href;
  const { thisHost, unsupported } = (await import(path)) as Preflight;
  const wrong = unsupported(thisHost());
  if (wrong !== undefined) throw new Error(wrong);
  const { run } = await load();
  await run();
}
