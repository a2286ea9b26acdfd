/**
 * The parent's side of a process that holds one image model.
 *
 *   loading ── loaded ──> idle ── run ──> busy ── reply ──> idle
 *      │                   │                └ time limit, death, nonsense: ended, and that image has no score
 *      └ refused, limit ──> ended <── end ──┘
 */
import { closeSync, openSync } from 'node:fs';
import { programPath } from '../../shared/paths.js';
import {
  type Child,
  type ChildOptions,
  deferred,
  type Ending,
  nodeEnvironment,
  startChild,
} from '../child-process/child.js';
import type { Confinement } from '../child-process/confine.js';
import { createFrameReader, frame } from '../child-process/frames.js';
import type { LoadRequest, ModelReply } from './types.js';

export type LoadOutcome =
  | { ok: true }
  /** `lasting`: the model itself is at fault, and another try does not help */
  | { ok: false; message: string; lasting: boolean };

export type RunOutcome =
  | { ok: true; scores: number[] }
  | { ok: false; reason: 'timeout' | 'crashed' | 'cancelled' }
  | { ok: false; reason: 'failed'; message: string };

export interface ModelWorker {
  pid: number | undefined;
  loaded: Promise<LoadOutcome>;
  /** Scores one image. Call it only when the model is loaded and no other image is under way. Never rejects. */
  run(pixels: Buffer, limitMs: number): Promise<RunOutcome>;
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
  let settleRun: ((outcome: RunOutcome) => void) | undefined;

  function refuse(message: string, lasting = false): void {
    load.resolve({ ok: false, message, lasting });
    child.end('crashed');
  }

  function accept(): void {
    loaded = true;
    child.limit();
    load.resolve({ ok: true });
  }

  function finish(outcome: RunOutcome): void {
    child.limit();
    settleRun?.(outcome);
    settleRun = undefined;
  }

  // A reply that nothing waits for must not end the time limit of something else.
  function take(reply: ModelReply): void {
    if (reply.status === 'refused') refuse(reply.message, reply.lasting);
    else if (reply.status === 'memory') refuse(`it needs more memory than the ${mib(request)} MiB it may have`);
    else if (reply.status === 'loaded' && !loaded) accept();
    else if (reply.status === 'failed' && settleRun) finish({ ok: false, reason: 'failed', message: reply.message });
    else if (reply.status === 'scores' && settleRun) finish({ ok: true, scores: reply.scores });
    else child.end('nonsense');
  }

  const reader = createFrameReader(
    () => 0,
    (header) => take(header as ModelReply),
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

  return {
    pid: child.pid,
    loaded: load.promise,
    alive: child.alive,
    async run(pixels, limitMs) {
      if (!child.alive()) return { ok: false, reason: 'crashed' };
      const outcome = deferred<RunOutcome>();
      settleRun = outcome.resolve;
      child.limit(limitMs, 'timeout');
      child.write(frame({}, [pixels]));
      return outcome.promise;
    },
    async end() {
      child.end('cancelled');
      await child.gone;
    },
  };
}

const NOT_LOADED: Record<Exclude<Ending<Reason>, 'timeout'>, string> = {
  cancelled: 'it was ended',
  crashed: 'its process ended unexpectedly',
  nonsense: 'its process wrote nonsense',
};

const notLoaded = (ending: Ending<Reason>, limitMs: number): string =>
  ending === 'timeout' ? `loading it and trying it on a black image took more than ${limitMs} ms` : NOT_LOADED[ending];

const mib = ({ memoryBytes }: LoadRequest): number => Math.round(memoryBytes / 1024 / 1024);

const PROGRAM = programPath('model');

type Handlers = Pick<ChildOptions<Reason>, 'onData' | 'onEnd'>;

function startProcess({ request, confinement }: ModelStart, handlers: Handlers): Child<Reason> {
  const program = confinement.wrap(process.execPath, ['--max-old-space-size=128', PROGRAM]);
  return withModel(request.file.path, (model) =>
    startChild<Reason>({
      program: { ...program, env: nodeEnvironment() },
      // The first is never written to: its end tells the process that this one has gone.
      descriptors: ['pipe', model],
      ...handlers,
    }),
  );
}

/** Hands the model over as an open file: a confined process may not be allowed to read the folder of models. */
function withModel<T>(path: string, use: (model: number | 'ignore') => T): T {
  let model: number | 'ignore' = 'ignore';
  try {
    model = openSync(path, 'r');
  } catch {
    // It is gone or must not be read: the process reports that.
  }
  try {
    return use(model);
  } finally {
    if (model !== 'ignore') closeSync(model);
  }
}
