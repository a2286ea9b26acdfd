/** Restarts a part that ended by itself: the first time at once, then after growing waits, and not for ever. */
import type { InstallationPart } from './part.js';

export interface SupervisorOptions {
  say(line: string): void;
  /** Called once, when a part ends again and again. */
  giveUp(part: InstallationPart): void;
  /** Starts within `windowMs` before giving up. Default 5 in a minute. */
  tries?: number;
  windowMs?: number;
  /** Wait before the second try; doubled for each further one. Default 500 ms. */
  backoffMs?: number;
}

/** Watches `parts` until `stop` is called. */
export function supervise(parts: readonly InstallationPart[], options: SupervisorOptions): { stop(): void } {
  const { say, giveUp, tries = 5, windowMs = 60_000, backoffMs = 500 } = options;
  let stopped = false;

  const watch = (part: InstallationPart): void => {
    const starts: number[] = [];
    const revive = async (how: string): Promise<void> => {
      say(`${part.name} ended unexpectedly (${how}).`);
      while (!stopped) {
        const now = Date.now();
        while (starts.length > 0 && now - starts[0]! > windowMs) starts.shift();
        if (starts.length >= tries) {
          stopped = true;
          giveUp(part);
          return;
        }
        const wait = starts.length === 0 ? 0 : backoffMs * 2 ** (starts.length - 1);
        starts.push(now);
        await new Promise((next) => setTimeout(next, wait));
        if (stopped) return;
        try {
          await part.restart();
          say(`${part.name} runs again.`);
          return;
        } catch (error) {
          say(`${part.name} could not be restarted: ${error instanceof Error ? error.message : String(error)}`);
        }
      }
    };
    part.onLost((how) => {
      if (!stopped) void revive(how);
    });
  };
  for (const part of parts) watch(part);
  return {
    stop: () => {
      stopped = true;
    },
  };
}
