/**
 * One process that looks at what callers sent: a decoder, a model, text recognition. It gets pipes and the variables that
 * its owner names, nothing else of the worker. It yields the processor to the worker.
 *
 *   running ── `end`, its time limit, output that cannot be read, its own end ──> ended
 *
 * An ended process never comes back; its owner starts another one when there is work. A process leads a group of its own,
 * and the whole group is killed: a program that is a script takes along what it started.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { yieldToProcesses } from '../../shared/process/priority.js';

export interface Program {
  command: string;
  args: readonly string[];
  /** all of its variables */
  env: Readonly<Record<string, string>>;
}

/** Why a process ended: what its owner said, or that it died or wrote what its owner cannot read. */
export type ChildEnding<Own extends string> = Own | 'crashed' | 'nonsense';

export interface ChildOptions<Own extends string> {
  program: Program;
  /** descriptors from 3 on */
  descriptors?: readonly ('pipe' | 'ignore' | number)[];
  /** Takes what the process writes. Throws for what it cannot read, which ends the process. */
  onData(chunk: Buffer): void;
  /** Called once. When the process cannot be started, that is before `startChild` returns. */
  onEnd?(ending: ChildEnding<Own>): void;
}

export interface ConfinedChild<Own extends string> {
  pid: number | undefined;
  alive(): boolean;
  write(parts: readonly Buffer[]): void;
  /** No more input follows. */
  closeInput(): void;
  /** Ends the process after `ms`. Replaces the limit before; without arguments, lifts it. */
  limit(ms?: number, ending?: ChildEnding<Own>): void;
  /** Kills the process, whatever it does. Does nothing when it has ended. */
  end(ending: ChildEnding<Own>): void;
  /** Resolves once the process is gone and its output was read; `code` is null after a kill. */
  gone: Promise<{ ending: ChildEnding<Own>; code: number | null }>;
}

/** Never throws: without processes or files left on the machine, the child has ended from the start. */
export function startChild<Own extends string>(options: ChildOptions<Own>): ConfinedChild<Own> {
  const child = launch(options);
  const pid = child?.pid;
  let ended: ChildEnding<Own> | undefined;
  let timer: NodeJS.Timeout | undefined;

  function finish(ending: ChildEnding<Own>): ChildEnding<Own> {
    ended = ending;
    clearTimeout(timer);
    options.onEnd?.(ending);
    return ending;
  }

  function end(ending: ChildEnding<Own>): void {
    if (ended !== undefined) return;
    if (pid !== undefined) killGroup(pid);
    // A process that left the group may still hold the pipe.
    child?.stdout?.destroy();
    finish(ending);
  }

  const gone = new Promise<{ ending: ChildEnding<Own>; code: number | null }>((resolve) => {
    const leave = (code: number | null): void => resolve({ ending: ended ?? finish('crashed'), code });
    // `close` comes after all output, and so after the last words of a process that ends itself.
    child?.once('close', leave);
    child?.on('error', () => leave(null));
    if (!child) leave(null);
  });
  if (pid === undefined) end('crashed');
  else yieldToProcesses(pid);

  child?.stdout?.on('data', (chunk: Buffer) => {
    if (ended !== undefined) return;
    try {
      options.onData(chunk);
    } catch {
      end('nonsense');
    }
  });
  // Writing to a process that has died is an error of the pipe. The end of the process says enough.
  for (const pipe of child?.stdio ?? []) pipe?.on('error', () => undefined);

  return {
    pid,
    alive: () => ended === undefined,
    write(parts) {
      for (const part of parts) child?.stdin?.write(part);
    },
    closeInput: () => void child?.stdin?.end(),
    limit(ms, ending) {
      clearTimeout(timer);
      if (ended === undefined && ms !== undefined && ending !== undefined) timer = setTimeout(() => end(ending), ms);
    },
    end,
    gone,
  };
}

/** A promise, and the function that resolves it. */
export function deferred<T>(): { promise: Promise<T>; resolve(value: T): void } {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

/** None of the worker's variables, which hold passwords: only what finds shared libraries. For programs that run on Node. */
export function nodeEnvironment(): Record<string, string> {
  const path = process.env.LD_LIBRARY_PATH;
  // Two arenas: with one for each thread, the process would keep the memory of pixels that it has freed.
  return { MALLOC_ARENA_MAX: '2', UV_THREADPOOL_SIZE: '2', ...(path === undefined ? {} : { LD_LIBRARY_PATH: path }) };
}

function launch({ program, descriptors = [] }: Pick<ChildOptions<string>, 'program' | 'descriptors'>) {
  const { command, args, env } = program;
  try {
    const child: ChildProcess = spawn(command, [...args], {
      stdio: ['pipe', 'pipe', 'ignore', ...descriptors],
      env: { ...env },
      cwd: '/',
      detached: true,
    });
    return child;
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
