/**
 * Runs one program with bounds: nothing but standard input and output, so many bytes out, so much time. It leads a process
 * group of its own, and what ends it ends the group: a program that is a script takes along what it started. Should its
 * parent be killed, nobody ends it; so the system does, once it has computed for longer than it may take.
 */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { yieldToProcesses } from '../../../shared/priority.js';

export interface Program {
  /** absolute path */
  command: string;
  args: readonly string[];
  /** all of its variables */
  env: Readonly<Record<string, string>>;
}

export interface ProcessBounds {
  limitMs: number;
  outputBytes: number;
  signal: AbortSignal;
}

export type ProcessOutcome =
  /** it ended by itself with code 0 */
  | { ended: 'done'; output: Buffer }
  /** it could not be started, ended with another code, or was killed by somebody else */
  | { ended: 'crashed' }
  /** it was killed for taking too long, for writing too much, by `signal` */
  | { ended: 'timeout' | 'output' | 'cancelled' };

/** Resolves once the process is gone. Never rejects. */
export function runProcess(
  program: Program,
  input: readonly Buffer[],
  { limitMs, outputBytes, signal }: ProcessBounds,
): Promise<ProcessOutcome> {
  if (signal.aborted) return Promise.resolve({ ended: 'cancelled' });
  return new Promise((resolve) => {
    const started = start(program, Math.ceil(limitMs / 1000) + 1);
    if (!started) return resolve({ ended: 'crashed' });
    const child = started;
    child.once('error', () => resolve({ ended: 'crashed' }));
    // Not started, for want of processes or files: there are no pipes, and the error follows.
    const { pid } = child;
    if (pid === undefined) return;
    yieldToProcesses(pid);
    const chunks: Buffer[] = [];
    let bytes = 0;
    let reason: 'timeout' | 'output' | 'cancelled' | undefined;

    function kill(why: NonNullable<typeof reason>): void {
      if (reason !== undefined) return;
      reason = why;
      killGroup(pid!);
      // Whoever left the group may still hold the pipe.
      child.stdout.destroy();
    }
    const cancel = (): void => kill('cancelled');
    const timer = setTimeout(() => kill('timeout'), limitMs);
    signal.addEventListener('abort', cancel, { once: true });

    function settle(outcome: ProcessOutcome): void {
      clearTimeout(timer);
      signal.removeEventListener('abort', cancel);
      resolve(reason === undefined ? outcome : { ended: reason });
    }
    child.once('close', (code) => {
      settle(code === 0 ? { ended: 'done', output: Buffer.concat(chunks) } : { ended: 'crashed' });
    });
    child.stdout.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > outputBytes) kill('output');
      else chunks.push(chunk);
    });
    // A process that does not read all of its input says what it thinks of it by its exit code.
    child.stdin.on('error', () => undefined);
    for (const part of input) child.stdin.write(part);
    child.stdin.end();
  });
}

/** Becomes the program that its arguments name, once its time of the processor is limited. */
const LIMITED = 'ulimit -t "$1"; shift; exec "$@"';

function start(
  { command, args, env }: Program,
  cpuSeconds: number,
): ChildProcessByStdio<Writable, Readable, null> | undefined {
  try {
    return spawn('/bin/sh', ['-c', LIMITED, 'sh', String(cpuSeconds), command, ...args], {
      stdio: ['pipe', 'pipe', 'ignore'],
      env: { ...env },
      cwd: '/',
      detached: true,
    });
  } catch {
    return undefined;
  }
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It is gone already.
  }
}
