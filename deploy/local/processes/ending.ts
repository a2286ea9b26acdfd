/** How a child process ends. */
import type { ChildProcess } from 'node:child_process';

export interface ProcessEnding {
  /** Settles when the process has ended, with how: a signal, an exit code, or why it could not be started. */
  exited: Promise<string>;
  ended(): boolean;
  /** Sends a signal and waits for the end. */
  kill(signal: NodeJS.Signals): Promise<void>;
  /** Sends SIGTERM, and SIGKILL when the process has not ended after `limitMs`. */
  close(limitMs?: number): Promise<void>;
}

/** Call it right after the spawn, so that no end is missed. */
export function endingOf(child: ChildProcess, defaultLimitMs: number): ProcessEnding {
  let ended = false;
  const exited = new Promise<string>((resolve) => {
    const end = (how: string): void => {
      ended = true;
      resolve(how);
    };
    child.once('error', (error) => end(error.message));
    child.once('exit', (code, signal) => end(signal ? `signal ${signal}` : `exit code ${code}`));
  });
  const kill = async (signal: NodeJS.Signals): Promise<void> => {
    if (!ended) child.kill(signal);
    await exited;
  };
  return {
    exited,
    ended: () => ended,
    kill,
    close: async (limitMs = defaultLimitMs) => {
      const force = setTimeout(() => child.kill('SIGKILL'), limitMs);
      await kill('SIGTERM');
      clearTimeout(force);
    },
  };
}
