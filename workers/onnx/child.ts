/**
 * The parent's side of a process that holds one model.
 *
 *   loading ── loaded ──> idle ── run ──> busy ── reply ──> idle
 *      │                   │                └ time limit, death, nonsense: ended, and what it ran on has no score
 *      └ refused, limit ──> ended <── end ──┘
 */
import { closeSync } from 'node:fs';
import { openToRead } from '../../shared/files.js';
import { programPath } from '../../shared/paths.js';
import {
  type ChildEnding,
  type ChildOptions,
  type ConfinedChild,
  deferred,
  nodeEnvironment,
  startChild,
} from '../child-process/child.js';
import type { Confinement } from '../child-process/confine.js';
import { createFrameReader, frame } from '../child-process/frames.js';
import { MODEL_LIMITS } from './file.js';
import { type LoadRequest, type ModelPath, type ModelReply, TEXTS_AT_ONCE, type TextRequest } from './types.js';

export type LoadOutcome =
  | { ok: true }
  /** `lasting`: the model itself is at fault, and another try does not help */
  | { ok: false; message: string; lasting: boolean };

export type RunFailure =
  | { ok: false; reason: 'timeout' | 'crashed' | 'cancelled' }
  | { ok: false; reason: 'failed'; message: string };
export type RunOutcome = { ok: true; scores: number[] } | RunFailure;
/** `counts` and `numbers` as in the reply `windows`. */
export type TextsOutcome = { ok: true; counts: number[]; numbers: Float64Array } | RunFailure;

export interface ModelWorker {
  pid: number | undefined;
  loaded: Promise<LoadOutcome>;
  /** Scores one image. Call it only when the model is loaded and nothing else is under way. Never rejects. */
  run(pixels: Buffer, limitMs: number): Promise<RunOutcome>;
  /** The same for texts. The process ends the request itself after its `limitMs`, unless an inference takes `limitMs` more. */
  runTexts(request: TextRequest, texts: Buffer, limitMs: number): Promise<TextsOutcome>;
  /** Kills the process, whatever it does; resolves when it is gone. */
  end(): Promise<void>;
  alive(): boolean;
}

export interface ModelStart {
  request: LoadRequest;
  loadLimitMs: number;
  /** how the process is started */
  confinement: Confinement;
}

type Reason = 'timeout' | 'cancelled';

export function startModelWorker(start: ModelStart): ModelWorker {
  const { request, loadLimitMs } = start;
  const load = deferred<LoadOutcome>();
  let loaded = false;
  let settleRun: ((outcome: RunOutcome | TextsOutcome) => void) | undefined;

  function refuse(message: string, lasting = false): void {
    load.resolve({ ok: false, message, lasting });
    child.end('crashed');
  }

  function accept(): void {
    loaded = true;
    child.limit();
    load.resolve({ ok: true });
  }

  function finish(outcome: RunOutcome | TextsOutcome): void {
    child.limit();
    settleRun?.(outcome);
    settleRun = undefined;
  }

  // A reply that nothing waits for must not end the time limit of something else.
  function take(reply: ModelReply, body: Buffer): void {
    if (reply.status === 'refused') refuse(reply.message, reply.lasting);
    else if (reply.status === 'memory') refuse(`it needs more memory than the ${mib(request)} MiB it may have`);
    else if (reply.status === 'loaded' && !loaded) accept();
    else if (reply.status === 'failed' && settleRun) finish({ ok: false, reason: 'failed', message: reply.message });
    else if (reply.status === 'scores' && settleRun) finish({ ok: true, scores: reply.scores });
    else if (reply.status === 'windows' && settleRun)
      finish({ ok: true, counts: reply.counts, numbers: numbersIn(body) });
    else if (reply.status === 'late' && settleRun) finish({ ok: false, reason: 'timeout' });
    else child.end('nonsense');
  }

  const reader = createFrameReader(
    () => ('text' in request && settleRun ? MAX_NUMBERS_BYTES : 0),
    (header, body) => take(header as ModelReply, body),
  );
  const child = startProcess(start, {
    onData: (chunk) => reader.push(chunk),
    onEnd(ending) {
      load.resolve({ ok: false, message: notLoaded(ending, loadLimitMs), lasting: false });
      settleRun?.({ ok: false, reason: ending === 'nonsense' ? 'crashed' : ending });
    },
  });
  child.limit(loadLimitMs, 'timeout');
  child.write(frame(request));

  async function ask<T extends RunOutcome | TextsOutcome>(parts: readonly Buffer[], limitMs: number): Promise<T> {
    const failure: RunFailure = { ok: false, reason: 'crashed' };
    if (!child.alive()) return failure as T;
    const outcome = deferred<T>();
    settleRun = outcome.resolve as typeof settleRun;
    child.limit(limitMs, 'timeout');
    child.write(parts);
    return outcome.promise;
  }

  return {
    pid: child.pid,
    loaded: load.promise,
    alive: child.alive,
    run: (pixels, limitMs) => ask<RunOutcome>(frame({}, [pixels]), limitMs),
    runTexts: (asked, texts, limitMs) => ask<TextsOutcome>(frame(asked, [texts]), asked.limitMs + limitMs),
    async end() {
      child.end('cancelled');
      await child.gone;
    },
  };
}

const NOT_LOADED: Record<Exclude<ChildEnding<Reason>, 'timeout'>, string> = {
  cancelled: 'it was ended',
  crashed: 'its process ended unexpectedly',
  nonsense: 'its process wrote nonsense',
};

const notLoaded = (ending: ChildEnding<Reason>, limitMs: number): string =>
  ending === 'timeout' ? `loading it and trying it took more than ${limitMs} ms` : NOT_LOADED[ending];

/** Offsets and scores of all windows of a request, all labels of each. */
const MAX_NUMBERS_BYTES = 8 * TEXTS_AT_ONCE * MODEL_LIMITS.windows * (MODEL_LIMITS.labels + 2);

/** Throws where there are not as many bytes as numbers need, which ends the process. */
const numbersIn = (body: Buffer): Float64Array => new Float64Array(new Uint8Array(body).buffer);

const mib = ({ memoryBytes }: LoadRequest): number => Math.round(memoryBytes / 1024 / 1024);

const PROGRAM = programPath('model');

type ChildHandlers = Pick<ChildOptions<Reason>, 'onData' | 'onEnd'>;

function startProcess({ request, confinement }: ModelStart, handlers: ChildHandlers): ConfinedChild<Reason> {
  const heap = 'text' in request ? TEXT_HEAP_MIB : HEAP_MIB;
  const program = confinement.wrap(process.execPath, [`--max-old-space-size=${heap}`, PROGRAM]);
  const files = 'tokenizer' in request ? [request.file, request.tokenizer] : [request.file];
  return withFiles(files, (descriptors) =>
    startChild<Reason>({
      program: { ...program, env: nodeEnvironment() },
      // The first is never written to: its end tells the process that this one has gone.
      descriptors: ['pipe', ...descriptors],
      ...handlers,
    }),
  );
}

const HEAP_MIB = 128;
/** The words of a tokenizer are in the heap. */
const TEXT_HEAP_MIB = 1024;

/** Hands files over open: a confined process may not be allowed to read the folder of models. */
function withFiles<T>(files: readonly ModelPath[], use: (descriptors: (number | 'ignore')[]) => T): T {
  const descriptors = files.map(({ path }) => {
    try {
      return openToRead(path);
    } catch {
      // It is gone or must not be read: the process reports that.
      return 'ignore';
    }
  });
  try {
    return use(descriptors);
  } finally {
    for (const each of descriptors) if (each !== 'ignore') closeSync(each);
  }
}
