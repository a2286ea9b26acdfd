/**
 * Child processes of this installation. Each is a program, started by Node, that says over its channel when it is
 * ready. Tests and measurements use the same handles to kill and restart them.
 *
 * States: starting → running → stopping (close, kill) → stopped; running → lost (it ended by itself).
 */
import { spawn } from 'node:child_process';
import { programPath } from '../../../shared/paths.js';
import { endingOf } from './ending.js';

/** What a child says when it is ready. */
export interface Ready {
  port: number;
  metricsPort: number;
}

/** One run of a part: a process from its start to its end. */
export interface PartRun {
  pid: number;
  ready: Ready;
  /** Settles when the process has ended, with how it ended. */
  exited: Promise<string>;
  /** Sends a signal and waits for the end. */
  kill(signal: NodeJS.Signals): Promise<void>;
  /** Ends it in order; by force when that takes longer than `limitMs`. */
  close(limitMs?: number): Promise<void>;
}

export interface ProcessOptions {
  /** In messages. */
  name: string;
  /** Absolute path of the program, as of `programPath`. */
  program: string;
  env: Record<string, string>;
  /** Default 60 s. */
  startMs?: number;
}

/** A process could not be started; the message says why in a sentence. */
export class StartError extends Error {}

const START_MS = 60_000;
const STOP_MS = 17_000;

/** Starts the program and waits for `{ready: true, port?, metricsPort?}`. Its logs go to our standard error. */
export async function startProcess(options: ProcessOptions): Promise<PartRun> {
  const guard = programPath('end-with-parent');
  const child = spawn(process.execPath, ['--import', guard, options.program], {
    env: { ...process.env, ...options.env },
    // In our session: the kernel may divide the processor among sessions first. Priorities of parts in different
    // sessions would then have no effect.
    stdio: ['ignore', 2, 2, 'ipc'],
  });
  const { exited, kill, close } = endingOf(child, STOP_MS);
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

/** A process of the installation, over all its runs. */
export interface InstallationPart {
  readonly name: string;
  readonly pid: number;
  /** Ports of the latest run; a restart keeps them. */
  readonly ready: Ready;
  readonly running: boolean;
  /** Ends the present run at once, as a crash does, but it is not restarted. Default SIGKILL. */
  kill(signal?: NodeJS.Signals): Promise<void>;
  /** Starts it again on the same ports and folders. */
  restart(): Promise<void>;
  /** Ends it in order. */
  close(limitMs?: number): Promise<void>;
  /** Called when a run ends by itself, with how it ended. */
  onLost(listener: (how: string) => void): void;
}

/** Starts a part by `start`, which gets the ports of the previous run. */
export async function createPart(
  name: string,
  start: (previous?: Ready) => Promise<PartRun>,
): Promise<InstallationPart> {
  let expected = false;
  let running = false;
  const listeners = new Set<(how: string) => void>();
  const begin = async (previous?: Ready): Promise<PartRun> => {
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
  let current: PartRun;
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
