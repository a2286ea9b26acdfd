/**
 * Child processes of this installation: each is one module, started by Node, that says over its channel when it is
 * ready. Tests and measurements use the same handles to kill and restart them.
 *
 * States: starting → running → stopping (close, kill) → stopped; running → lost (it ended by itself).
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { packageRoot } from '../../../shared/paths.js';

/** What a child says when it can work. */
export interface Ready {
  port: number;
  metricsPort: number;
}

/** One run of a part: a process from its start to its end. */
export interface Run {
  pid: number;
  ready: Ready;
  /** Settles when the process has ended, with how. */
  exited: Promise<string>;
  /** Sends a signal and waits for the end. */
  kill(signal: NodeJS.Signals): Promise<void>;
  /** Ends it in order; by force when that takes longer than `limitMs`. */
  close(limitMs?: number): Promise<void>;
}

export interface ProcessOptions {
  /** In messages. */
  name: string;
  /** Compiled module below the package's root, such as `dist/ingress/main.js`. */
  module: string;
  env: Record<string, string>;
  /** Default 60 s. */
  startMs?: number;
}

/** A process that could not be started, in a sentence. */
export class StartError extends Error {}

const START_MS = 60_000;
const STOP_MS = 17_000;

/** Starts `module` and waits for `{ready: true, port?, metricsPort?}`. Its logs go to our standard error. */
export async function startProcess(options: ProcessOptions): Promise<Run> {
  const guard = join(packageRoot, 'dist/deploy/local/processes/end-with-parent.js');
  const child = spawn(process.execPath, ['--import', guard, join(packageRoot, options.module)], {
    env: { ...process.env, ...options.env },
    // In our session: the kernel may share the processor among sessions first, and then no priority would tell parts apart.
    stdio: ['ignore', 2, 2, 'ipc'],
  });
  const exited = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, signal) => resolve(signal ? `signal ${signal}` : `exit code ${code}`));
  });
  let ended = false;
  exited.then(() => {
    ended = true;
  });
  const kill = async (signal: NodeJS.Signals): Promise<void> => {
    if (!ended) child.kill(signal);
    await exited;
  };
  const close = async (limitMs: number = STOP_MS): Promise<void> => {
    const force = setTimeout(() => child.kill('SIGKILL'), limitMs);
    await kill('SIGTERM');
    clearTimeout(force);
  };
  let timer: NodeJS.Timeout | undefined;
  const ready = new Promise<Ready>((resolve, reject) => {
    child.on('message', (message: Partial<Ready> & { ready?: boolean }) => {
      if (message?.ready === true) resolve({ port: message.port ?? 0, metricsPort: message.metricsPort ?? 0 });
    });
    exited.then((how) => reject(new StartError(`${options.name} ended while it was starting (${how}).`)));
    const limit = options.startMs ?? START_MS;
    timer = setTimeout(() => reject(new StartError(`${options.name} was not ready after ${limit / 1000} s.`)), limit);
  });
  try {
    return { pid: child.pid ?? 0, ready: await ready, exited, kill, close };
  } catch (error) {
    await kill('SIGKILL');
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** A process of the installation over all its runs. */
export interface Part {
  readonly name: string;
  readonly pid: number;
  /** Ports of the latest run; a restart keeps them. */
  readonly ready: Ready;
  readonly running: boolean;
  /** Ends the present run without a word, as a crash does; it is not restarted. Default SIGKILL. */
  kill(signal?: NodeJS.Signals): Promise<void>;
  /** Starts it again on the same ports and folders. */
  restart(): Promise<void>;
  /** Ends it in order. */
  close(limitMs?: number): Promise<void>;
  /** Called when a run ends that nobody ended, with how. */
  onLost(listener: (how: string) => void): void;
}

/** Starts a part by `start`, which gets the ports of the run before it. */
export async function createPart(name: string, start: (previous?: Ready) => Promise<Run>): Promise<Part> {
  let expected = false;
  let running = false;
  const listeners = new Set<(how: string) => void>();
  const begin = async (previous?: Ready): Promise<Run> => {
    const run = await start(previous);
    expected = false;
    running = true;
    run.exited.then((how) => {
      if (run !== current) return;
      running = false;
      if (!expected) for (const listener of listeners) listener(how);
    });
    return run;
  };
  let current: Run;
  current = await begin();
  return {
    name,
    get pid() {
      return current.pid;
    },
    get ready() {
      return current.ready;
    },
    get running() {
      return running;
    },
    async kill(signal = 'SIGKILL') {
      expected = true;
      await current.kill(signal);
    },
    async restart() {
      if (running) throw new Error(`${name} is still running.`);
      current = await begin(current.ready);
    },
    async close(limitMs) {
      expected = true;
      await current.close(limitMs);
    },
    onLost: (listener) => listeners.add(listener),
  };
}
