/**
 * Ends a process: once, in order, and in time.
 *
 *     running ──signal──> stopping ──stopped──> exit 0
 *                            └── failed, or not in time ──> exit 1
 */
import type { Logger } from '../log.js';

/** How long a stop may take beyond the draining that was asked for. */
const GRACE_MS = 10_000;

/** Of the process: `end-with-parent` sets it, a program with modules of its own. */
const leftToParent = Symbol.for('weir.leftToParent');
const ofProcess = globalThis as { [leftToParent]?: boolean };

/**
 * For a process that its parent stops in order: it ignores what a terminal sends to all of its processes (Ctrl-C, hang-up). Only the
 * parent obeys that.
 */
export function leaveTerminalToParent(): void {
  ofProcess[leftToParent] = true;
  for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined);
}

/** The signals that tell this process to stop. */
export const stopSignals = (): ('SIGTERM' | 'SIGINT')[] =>
  ofProcess[leftToParent] ? ['SIGTERM'] : ['SIGTERM', 'SIGINT'];

/**
 * On one of {@link stopSignals} runs `stop`, then exits with 0. Exits with 1 when `stop` fails, or has not ended `GRACE_MS` after
 * `limitMs`: a process that hangs while it stops would hold its port and its connections for ever. `again` resolves on a second
 * signal.
 */
export function stopOnSignal(
  name: string,
  limitMs: number,
  logger: Logger,
  stop: (again: Promise<void>) => Promise<void>,
): void {
  let stopping = false;
  let hurry = (): void => undefined;
  const again = new Promise<void>((resolve) => {
    hurry = resolve;
  });
  const end = async (signal: string): Promise<void> => {
    if (stopping) return hurry();
    stopping = true;
    const limit = setTimeout(() => {
      logger.error(`${name} did not stop in time`);
      process.exit(1);
    }, limitMs + GRACE_MS);
    limit.unref();
    logger.info({ signal }, `${name} stopping`);
    try {
      await stop(again);
      logger.info(`${name} stopped`);
      process.exit(0);
    } catch (error) {
      logger.error({ error: String(error) }, `${name} did not stop cleanly`);
      process.exit(1);
    }
  };
  for (const signal of stopSignals()) process.on(signal, () => void end(signal));
}
