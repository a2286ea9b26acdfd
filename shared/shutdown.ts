/** How a process ends: once, in order, and in time. */
import type { Logger } from './log.js';

/** What a stop may take beyond the draining that was asked for. */
const GRACE_MS = 10_000;

let leftToParent = false;

/**
 * For a process that is stopped in its turn by the one that started it: what a terminal sends to all that runs in it (Ctrl-C, or
 * that it was closed) is that one's to hear.
 */
export function leaveTerminalToParent(): void {
  leftToParent = true;
  for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined);
}

/** Signals that tell this process to stop. */
export const stopSignals = (): ('SIGTERM' | 'SIGINT')[] => (leftToParent ? ['SIGTERM'] : ['SIGTERM', 'SIGINT']);

/**
 * On one of {@link stopSignals} runs `stop`, whose argument resolves on a further signal, and exits with 0; with 1 when it fails, or has not ended `GRACE_MS` after `limitMs`:
 * a process that hangs while it stops would hold its port and its connections for ever.
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
