/** Says how far a command is that takes more than a second. */
import type { Output } from './command.js';

const SAY_MS = 1000;

export interface Progress {
  /** Whether a second has passed since the last line, or since the begin. */
  due(): boolean;
  /** Prints how much is done, and the rate. */
  say(done: number): void;
}

/** `of`: how much there is in all. `done`: how much of it was done before, which does not count for the rate. */
export function createProgress(
  output: Output,
  { what, of, done: before = 0 }: { what: string; of: number; done?: number },
): Progress {
  const began = performance.now();
  let said = began;
  return {
    due: () => performance.now() - said >= SAY_MS,
    say(done) {
      said = performance.now();
      const rate = Math.round(((done - before) * 1000) / Math.max(1, said - began));
      output.err(`${counted(done)} of ${counted(of)} ${what}, ${counted(rate)} a second`);
    },
  };
}

/** `12,345`. */
export const counted = (count: number): string => count.toLocaleString('en-US');
