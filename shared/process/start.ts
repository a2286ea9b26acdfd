/**
 * Starts a process. First the machine is checked, before anything is loaded that needs more than Node. Native modules (HTTP
 * server, image decoder) are loaded later: they do not say what they miss. What ends the process, at its start or later, is the last line of
 * its log, and exit code 1.
 */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type FatalEnd, writeFatal } from '../log-lines.js';
import { packageRoot } from '../paths.js';
import { SettingsError } from '../settings.js';
import { CannotStart } from './cannot-start.js';

/** Exports of `deploy/preflight.mjs`, which is not compiled. */
interface Preflight {
  thisHost(): unknown;
  unsupported(host: unknown): string | undefined;
}

/** Loads and runs a process, which is called `name`. */
export function start(name: string, load: () => Promise<{ run(): Promise<void> }>): void {
  const end = (why: FatalEnd): never => {
    writeFatal(name, why);
    process.exit(1);
  };
  // Node would print an error with all of its properties: clients attach to it what was sent, which has content.
  process.on('uncaughtException', (error: unknown) => end(uncaught(error)));
  begin(load).catch((error: unknown) => end(atStart(error)));
}

const REPORT = 'This may be a defect of Weir: report it with this line, without what is yours.';

/** What ends a process before it runs. */
export function atStart(error: unknown): FatalEnd {
  if (error instanceof SettingsError) {
    const next = 'Correct the setting and start it again; --help lists all settings.';
    return { sentence: error.message, next };
  }
  if (error instanceof CannotStart) return { sentence: error.message, next: error.next };
  const sentence = error instanceof Error ? error.message : 'It cannot start.';
  return { sentence, next: `Start it again once the cause is gone. ${REPORT}`, error };
}

/** What ends a process that runs. */
export const uncaught = (error: unknown): FatalEnd => ({
  sentence: 'an error that nothing has caught ended this process',
  next: `Start it again: others take over what it had, and callers may repeat what it did not answer. ${REPORT}`,
  error,
});

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
  if (wrong !== undefined) throw new CannotStart(wrong, 'Start it again where that is so.');
  const { run } = await load();
  await run();
}
