/** Says how far a command is that takes more than a second. */
import type { CommandOutput } from './command.js';

const SAY_MS = 1000;

export interface CommandProgress {
  /** Whether a second has passed since the last line, or since the begin. */
  due(): boolean;
  /** Prints how much is done of how much, and the rate. */
  say(done: number, of: number): void;
}

/** `what` there is. `done`: how much of it was done before, which does not count for the rate. */
export function createProgress(
  output: CommandOutput,
  { what, done: before = 0 }: { what: string; done?: number },
): CommandProgress {
  const began = performance.now();
  let said = began;
  return {
    due: () => performance.now() - said >= SAY_MS,
    say(done, of) {
      said = performance.now();
      const rate = Math.round(((done - before) * 1000) / Math.max(1, said - began));
      output.err(`${counted(done)} of ${counted(of)} ${what}, ${counted(rate)} a second`);
    },
  };
}

/** `12,345`. */
export const counted = (count: number): string => count.toLocaleString('en-US');
