/**
 * The parent's side of one decoding process.
 *
 *   starting ── ready ──> idle ── run ──> busy ── (hash) ── reply ──> idle
 *      │                   │               └ time limit, memory limit, death, nonsense: ended, and that decode failed, or
 *      │                   │                 that of its pixels when it had been hashed
 *      └ start limit ──> ended <── end ────┘
 *
 * An ended worker never comes back; the pool starts another when there is work.
 */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { TRANSFORMS } from '../../../shared/pdq/pdq.js';
import { yieldToProcesses } from '../../../shared/priority.js';
import type { Confinement } from '../child-process/confine.js';
import { createFrameReader, FrameError, frame } from '../child-process/frames.js';
import { type Failure, failure, IMAGE_LIMITS } from '../failure.js';
import {
  type DecodeReply,
  type DecodeRequest,
  type ImageHash,
  type Measured,
  type Pixels,
  renditionBytes,
} from './types.js';

/** How long a process may take to load its libraries. */
const START_LIMIT_MS = 30_000;

export interface WorkerLimits {
  /** resident bytes above which the process ends itself */
  memoryBytes: number;
  pixels: number;
  /** milliseconds of computing for what an image is hashed from, and again for its renditions */
  cpuMs: number;
  /** the same by the clock, which also runs while others have the processor */
  limitMs: number;
  /** how the process is started */
  confinement: Confinement;
}

export interface DecodeWorker {
  pid: number | undefined;
  /**
   * Decodes one image; call only while no other is under way. `onHashed` is called as soon as it is hashed, when renditions
   * are to follow. Never rejects.
   */
  run(request: DecodeRequest, bytes: Buffer, onHashed?: (measured: Measured) => void): Promise<Outcome>;
  /** Kills the process, whatever it does; resolves when it is gone. */
  end(): Promise<void>;
  /** whether it can take another image */
  alive(): boolean;
}

export interface Rendered {
  ok: true;
  pixels: Pixels[];
  /** why there are none, of an image that was hashed */
  unmade?: Failure;
  measured: Measured;
}

export interface Outcome {
  made: Rendered | Failure;
  /** what the process holds, in bytes; 0 when it has ended */
  resident: number;
}

/** Where no process can be started, for want of processes or files, the worker has ended before it began. */
export function startWorker(limits: WorkerLimits): DecodeWorker {
  const child = start(limits);
  if (!child) return ENDED;
  let alive = true;
  let settle: ((outcome: Outcome) => void) | undefined;
  let request: DecodeRequest | undefined;
  let measured: Measured | undefined;
  let onHashed: ((measured: Measured) => void) | undefined;
  let timer: NodeJS.Timeout | undefined;
  let markReady: () => void = () => undefined;
  const ready = new Promise<void>((resolve) => {
    markReady = resolve;
  });
  const gone = new Promise<void>((resolve) => {
    const left = (): void => {
      die('crashed');
      resolve();
    };
    // `close`: gone, and everything it wrote was read, its last word before it ended itself included.
    child.once('close', left);
    child.once('error', left);
  });

  function finish(made: Rendered | Failure, resident: number): void {
    const waiting = settle;
    settle = undefined;
    request = undefined;
    measured = undefined;
    clearTimeout(timer);
    waiting?.({ made, resident });
  }

  function die(reason: 'crashed' | 'decode_timeout' | 'decode_late' | 'decode_memory' | 'cancelled'): void {
    alive = false;
    child!.kill('SIGKILL');
    finish(measured ? { ok: true, measured, pixels: [], unmade: failure(reason) } : failure(reason), 0);
  }

  function startTimer(): void {
    clearTimeout(timer);
    timer = setTimeout(() => die('decode_late'), limits.limitMs);
  }

  /** What follows has a time of its own. */
  function keep(made: Measured): void {
    if (settle && !measured) {
      measured = made;
      startTimer();
      onHashed?.(made);
    } else die('crashed');
  }

  const reader = createFrameReader(
    () => (request ? renditionBytes(request.renditions) : 0),
    (header, body) => {
      const reply = header as DecodeReply;
      if (reply.status === 'ready') markReady();
      else if (reply.status === 'hashed') keep(checked(reply.measured, true));
      else if (reply.status === 'refused') finish(failure(reply.reason), reply.resident);
      else if (reply.status !== 'done') die(LAST_WORDS[reply.status]);
      else {
        const pixels = cut(reply.pixels, body);
        if (pixels)
          finish({ ok: true, pixels, measured: checked(reply.measured, request?.hashed ?? false) }, reply.resident);
        else die('crashed');
      }
    },
  );
  child.stdout.on('data', (chunk: Buffer) => {
    try {
      reader.push(chunk);
    } catch {
      die('crashed');
    }
  });
  // A process that died while it was written to says so by `close`.
  child.stdin.on('error', () => undefined);

  return {
    pid: child.pid,
    alive: () => alive,
    async run(wanted, bytes, hashed) {
      const outcome = new Promise<Outcome>((resolve) => {
        settle = resolve;
      });
      request = wanted;
      onHashed = hashed;
      timer = setTimeout(() => die('crashed'), START_LIMIT_MS);
      void ready.then(() => {
        if (!settle) return;
        startTimer();
        for (const part of frame(wanted, [bytes])) child.stdin.write(part);
      });
      return outcome;
    },
    async end() {
      die('cancelled');
      await gone;
    },
  };
}

/** Why a process has ended itself. */
const LAST_WORDS = { memory: 'decode_memory', costly: 'decode_timeout' } as const;

const ENDED: DecodeWorker = {
  pid: undefined,
  alive: () => false,
  run: async () => ({ made: failure('crashed'), resident: 0 }),
  end: async () => undefined,
};

type Child = ChildProcessByStdio<Writable, Readable, null>;

function start({ memoryBytes, pixels, cpuMs, confinement }: WorkerLimits): Child | undefined {
  const limits = [memoryBytes, pixels, cpuMs].map(String);
  const program = ['--max-old-space-size=64', '--expose-gc', PROGRAM, ...limits];
  const { command, args } = confinement.wrap(process.execPath, program);
  try {
    const child: Child = spawn(command, args, {
      stdio: ['pipe', 'pipe', 'ignore'],
      env: environment(),
      cwd: '/',
      detached: true,
    });
    // Not started: there are no pipes, and the error follows.
    child.once('error', () => undefined);
    if (child.pid === undefined) return undefined;
    yieldToProcesses(child.pid);
    return child;
  } catch {
    return undefined;
  }
}

const PROGRAM = fileURLToPath(new URL('./process.js', import.meta.url));

/** None of the parent's variables, which hold passwords, but what finds the libraries. */
function environment(): NodeJS.ProcessEnv {
  const path = process.env.LD_LIBRARY_PATH;
  // Two arenas: with one per thread, freed pixels would stay with the process.
  return { MALLOC_ARENA_MAX: '2', UV_THREADPOOL_SIZE: '2', ...(path === undefined ? {} : { LD_LIBRARY_PATH: path }) };
}

/** A process may be in the hands of the image that it decodes: what has no such size or hash ends it, as any nonsense does. */
export function checked(measured: Measured, hashed: boolean): Measured {
  const { width, height, hash } = measured;
  const fits = (side: number): boolean => Number.isInteger(side) && side >= 1 && side <= IMAGE_LIMITS.side;
  if (!fits(width) || !fits(height)) throw new FrameError('an image has no such size');
  if (hashed && !isHash(hash)) throw new FrameError('an image has no such hash');
  return measured;
}

const isHash = (hash: ImageHash | undefined): boolean =>
  hash !== undefined &&
  Number.isInteger(hash.quality) &&
  hash.quality >= 0 &&
  hash.quality <= 100 &&
  Array.isArray(hash.hashes) &&
  hash.hashes.length === TRANSFORMS.length &&
  hash.hashes.every((hex) => typeof hex === 'string' && /^[0-9a-f]{64}$/.test(hex));

/** The renditions of a reply; undefined when sizes and bytes do not agree. */
function cut(sizes: { width: number; height: number; channels: 1 | 3 }[], body: Buffer): Pixels[] | undefined {
  let at = 0;
  const pixels: Pixels[] = [];
  for (const { width, height, channels } of sizes) {
    const end = at + width * height * channels;
    if (end > body.length) return undefined;
    pixels.push({ width, height, channels, data: body.subarray(at, end) });
    at = end;
  }
  return at === body.length ? pixels : undefined;
}
