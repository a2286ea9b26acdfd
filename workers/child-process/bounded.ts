/**
 * Runs one program to its end, within bounds of time and output. If the worker is killed, nobody watches the program any
 * more; a limit of its processor time then ends it.
 */
import { type Program, startChild } from './child.js';

export interface ProcessBounds {
  limitMs: number;
  outputBytes: number;
  signal: AbortSignal;
}

export type ProcessOutcome =
  /** it ended by itself with code 0 */
  | { ended: 'done'; output: Buffer }
  /** it could not be started, ended with another code, or somebody else killed it */
  | { ended: 'crashed' }
  /** it was killed: it took too long, wrote too much, or `signal` was aborted */
  | { ended: 'timeout' | 'output' | 'cancelled' };

/** Resolves once the process is gone. Never rejects. */
export async function runProcess(
  program: Program,
  input: readonly Buffer[],
  { limitMs, outputBytes, signal }: ProcessBounds,
): Promise<ProcessOutcome> {
  if (signal.aborted) return { ended: 'cancelled' };
  const chunks: Buffer[] = [];
  let bytes = 0;
  const child = startChild<'timeout' | 'output' | 'cancelled'>({
    program: limited(program, Math.ceil(limitMs / 1000) + 1),
    onData(chunk) {
      bytes += chunk.length;
      if (bytes > outputBytes) child.end('output');
      else chunks.push(chunk);
    },
  });
  const cancel = (): void => child.end('cancelled');
  signal.addEventListener('abort', cancel, { once: true });
  child.limit(limitMs, 'timeout');
  // A process that does not read all of its input says by its exit code what it makes of that.
  child.write(input);
  child.closeInput();
  const { ending, code } = await child.gone;
  signal.removeEventListener('abort', cancel);
  if (ending !== 'crashed' && ending !== 'nonsense') return { ended: ending };
  return code === 0 ? { ended: 'done', output: Buffer.concat(chunks) } : { ended: 'crashed' };
}

/** The shell limits its own processor time, then becomes the program. */
function limited({ command, args, env }: Program, cpuSeconds: number): Program {
  const script = 'ulimit -t "$1"; shift; exec "$@"';
  return { command: '/bin/sh', args: ['-c', script, 'sh', String(cpuSeconds), command, ...args], env };
}
