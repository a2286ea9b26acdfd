/**
 * The parent's side of a process that holds one image model.
 *
 *   loading ── loaded ──> idle ── run ──> busy ── reply ──> idle
 *      │                   │                └ time limit, death, nonsense: ended, and that image has no score
 *      └ refused, limit ──> ended <── end ──┘
 *
 * An ended worker never comes back; whoever needs the model starts another.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { yieldToProcesses } from '../../../../shared/priority.js';
import type { Confinement } from '../../child-process/confine.js';
import { createFrameReader, frame } from '../../child-process/frames.js';
import type { LoadRequest, ModelReply } from './types.js';

export type LoadOutcome =
  | { ok: true }
  /** `lasting`: it is the model itself, and trying again does not help */
  | { ok: false; message: string; lasting: boolean };

export type RunOutcome =
  | { ok: true; scores: number[] }
  | { ok: false; reason: 'timeout' | 'crashed' | 'cancelled' }
  | { ok: false; reason: 'failed'; message: string };

export interface ModelWorker {
  pid: number | undefined;
  loaded: Promise<LoadOutcome>;
  /** Scores one image; call only when loaded and while no other is under way. Never rejects. */
  run(pixels: Buffer, limitMs: number): Promise<RunOutcome>;
  /** Kills the process, whatever it does; resolves when it is gone. */
  end(): Promise<void>;
  alive(): boolean;
}

const mib = ({ memoryBytes }: LoadRequest): number => Math.round(memoryBytes / 1024 / 1024);

const PROGRAM = fileURLToPath(new URL('./process.js', import.meta.url));

export interface ModelStart {
  request: LoadRequest;
  loadLimitMs: number;
  /** how the process is started */
  confinement: Confinement;
}

export function startModelWorker({ request, loadLimitMs, confinement }: ModelStart): ModelWorker {
  const child = start(request.file.path, confinement);
  if (child.pid !== undefined) yieldToProcesses(child.pid);
  let alive = true;
  let settle: ((outcome: RunOutcome) => void) | undefined;
  let settleLoad: (outcome: LoadOutcome) => void = () => undefined;
  const loaded = new Promise<LoadOutcome>((resolve) => {
    settleLoad = resolve;
  });
  const gone = new Promise<void>((resolve) => {
    const left = (): void => {
      die('crashed', 'its process ended unexpectedly');
      resolve();
    };
    child.once('close', left);
    child.once('error', left);
  });
  const loadTimer = setTimeout(() => {
    die('crashed', `loading it and trying it on a black image took more than ${loadLimitMs} ms`);
  }, loadLimitMs);

  function finish(outcome: RunOutcome): void {
    const waiting = settle;
    settle = undefined;
    waiting?.(outcome);
  }

  function die(reason: 'timeout' | 'crashed' | 'cancelled', message: string, lasting = false): void {
    alive = false;
    clearTimeout(loadTimer);
    child.kill('SIGKILL');
    settleLoad({ ok: false, message, lasting });
    finish({ ok: false, reason });
  }

  function take(reply: ModelReply): void {
    if (reply.status === 'refused') die('crashed', reply.message, reply.lasting);
    else if (reply.status === 'memory') die('crashed', `it needs more memory than the ${mib(request)} MiB it may have`);
    else if (reply.status === 'failed') finish({ ok: false, reason: 'failed', message: reply.message });
    else if (reply.status === 'scores') finish({ ok: true, scores: reply.scores });
    else {
      clearTimeout(loadTimer);
      settleLoad({ ok: true });
    }
  }

  const reader = createFrameReader(
    () => 0,
    (header) => take(header as ModelReply),
  );
  child.stdout?.on('data', (chunk: Buffer) => {
    try {
      reader.push(chunk);
    } catch {
      die('crashed', 'its process wrote nonsense');
    }
  });
  // A process that died while it was written to says so by `close`.
  // One that could not be started for want of files has no pipes at all.
  for (const pipe of [child.stdin, child.stdio?.[3]]) pipe?.on('error', () => undefined);
  for (const part of frame(request)) child.stdin?.write(part);

  return {
    pid: child.pid,
    loaded,
    alive: () => alive,
    async run(pixels, limitMs) {
      if (!alive) return { ok: false, reason: 'crashed' };
      const outcome = new Promise<RunOutcome>((resolve) => {
        settle = resolve;
      });
      const timer = setTimeout(() => die('timeout', 'it took too long'), limitMs);
      for (const part of frame({}, [pixels])) child.stdin?.write(part);
      const result = await outcome;
      clearTimeout(timer);
      return result;
    },
    async end() {
      die('cancelled', 'it was ended');
      await gone;
    },
  };
}

/** The model goes along as an open file: the process itself may not be allowed to read what lies in its folder. */
function start(path: string, confinement: Confinement): ChildProcess {
  const { command, args } = confinement.wrap(process.execPath, ['--max-old-space-size=128', PROGRAM]);
  let model: number | 'ignore' = 'ignore';
  try {
    model = openSync(path, 'r');
  } catch {
    // It is gone, or not to be read: the process says so.
  }
  try {
    // The fourth only says, by its end, that this process is gone.
    const stdio = ['pipe', 'pipe', 'ignore', 'pipe', model] as const;
    return spawn(command, args, { stdio: [...stdio], env: environment(), cwd: '/', detached: true });
  } finally {
    if (model !== 'ignore') closeSync(model);
  }
}

/** None of the parent's variables, which hold passwords, but what finds the libraries. */
function environment(): NodeJS.ProcessEnv {
  const path = process.env.LD_LIBRARY_PATH;
  return { MALLOC_ARENA_MAX: '2', UV_THREADPOOL_SIZE: '2', ...(path === undefined ? {} : { LD_LIBRARY_PATH: path }) };
}
