/** One model: its process, started again after it died, and turns to use it. Scores of images under the labels of a model. */
import { setMaxListeners } from 'node:events';
import { within } from '../../shared/async.js';
import type { Logger } from '../../shared/log.js';
import type { Slots } from '../../shared/slots.js';
import type { Confinement } from '../child-process/confine.js';
import type { DecodedPixels, Rendition } from '../images/decode/types.js';
import { type CallTimes, timedCall } from './call.js';
import { type LoadOutcome, type ModelWorker, type RunFailure, type RunOutcome, startModelWorker } from './child.js';
import { channelsOf, type ImageDescription, modelRendition } from './file.js';
import type { LoadRequest, ModelPath } from './types.js';

const FAILURES = {
  busy: 'The image could not be scored by a model: too many images are waiting. Try again later.',
  cancelled: 'The image could not be scored by a model in time.',
  timeout: 'The image could not be scored by a model: it took too long.',
  crashed: 'The image could not be scored by a model: its process ended unexpectedly.',
  failed: 'The image could not be scored by a model: the model failed on it.',
} as const;

export type ScoreFailureReason = keyof typeof FAILURES;
export const SCORE_FAILURE_REASONS = Object.keys(FAILURES) as ScoreFailureReason[];

/** Scores by label, 0 to 1. When it failed, nothing is known of the image; `note` is a sentence for the caller. */
export type ScoreResult =
  | { ok: true; scores: Record<string, number> }
  | { ok: false; reason: ScoreFailureReason; note: string };

export interface ScoreEvent extends CallTimes {
  outcome: 'scored' | ScoreFailureReason;
}

export interface ImageModel extends Omit<ModelProcess, 'call'> {
  /** the pixels that it looks at */
  rendition: Rendition;
  /** Scores pixels of that rendition, in the turn of `team`. `signal` gives up. Rejects only for pixels of another rendition. */
  score(pixels: DecodedPixels, signal?: AbortSignal, team?: string): Promise<ScoreResult>;
}

/** Turns that models of one kind take together. */
export interface ModelTurns {
  slots: Slots;
  /** Bounds how many wait until a process is loaded. Nobody waits for a slot of these. */
  loading: Slots;
}

export interface ModelOptions extends ModelTurns {
  /** the host under which slots are taken: one inference at a time */
  key: string;
  name: string;
  limitMs: number;
  loadLimitMs: number;
  /** resident bytes that its process may hold */
  memoryBytes: number;
  /** how its process is started */
  confinement: Confinement;
  logger: Logger;
}

/** How long no process is started after one could not be. */
const PAUSE_MS = 5000;

export interface ModelProcess {
  loaded: Promise<LoadOutcome>;
  /** Runs `work` when it is the turn of `team`, unless `signal` ends that. */
  call<T extends { ok: true } | RunFailure>(
    work: (worker: ModelWorker) => Promise<T>,
    signal?: AbortSignal,
    team?: string,
  ): Promise<{ outcome: T | NoTurn; times: CallTimes }>;
  pid(): number | undefined;
  end(): Promise<void>;
}

export function createModelProcess(request: LoadRequest, options: ModelOptions): ModelProcess {
  const { loadLimitMs, confinement, logger, name } = options;
  const ended = new AbortController();
  // Every call listens.
  setMaxListeners(0, ended.signal);
  const process = keepProcess(() => startModelWorker({ request, loadLimitMs, confinement }), options, ended.signal);
  return {
    loaded: process.loaded,
    call: (work, signal, team) =>
      timedCall([signal, ended.signal], async (either, started) => {
        const turn = await waitForTurn(process, options, either, team);
        if (typeof turn === 'string') return turn;
        started();
        // A running inference cannot be stopped: the caller leaves, but the slot stays taken until the inference ends.
        const inference = work(turn.worker).finally(turn.release);
        const outcome = (await within(inference, { signal: either })) ?? 'cancelled';
        if (typeof outcome !== 'string' && !outcome.ok && outcome.reason === 'failed')
          logger.warn({ model: name }, `model failed: ${outcome.message}`);
        return outcome;
      }),
    pid: process.pid,
    async end() {
      ended.abort();
      await process.end();
    },
  };
}

export function createImageModel(
  file: ModelPath,
  { input, output }: ImageDescription,
  options: ModelOptions & { observe: ((event: ScoreEvent) => void) | undefined },
): ImageModel {
  const { labels, ...rest } = output;
  const { memoryBytes, limitMs } = options;
  const rendition = modelRendition(input);
  const process = createModelProcess({ file, memoryBytes, input, output: { ...rest, labels: labels.length } }, options);
  return {
    rendition,
    ...process,
    async score(pixels, signal, team) {
      checkPixels(pixels, rendition);
      const { outcome, times } = await process.call((worker) => worker.run(pixels.data, limitMs), signal, team);
      const result = resultOf(outcome, labels);
      options.observe?.({ outcome: result.ok ? 'scored' : result.reason, ...times });
      return result;
    },
  };
}

function keepProcess(
  start: () => ModelWorker,
  { name, logger }: Pick<ModelOptions, 'name' | 'logger'>,
  ended: AbortSignal,
) {
  let worker = start();
  let pausedUntil = 0;

  function startAgain(): void {
    logger.warn({ model: name }, 'the process of a model is started again');
    worker = start();
    void worker.loaded.then((outcome) => {
      if (outcome.ok || ended.aborted) return;
      pausedUntil = performance.now() + PAUSE_MS;
      logger.error({ model: name }, `the process of a model does not start: ${outcome.message}`);
    });
  }

  return {
    /** of the first process */
    loaded: worker.loaded,
    /** A loaded process. A dead one is replaced first; undefined when that fails, and for a while after it failed. */
    async usable(): Promise<ModelWorker | undefined> {
      if (!worker.alive()) {
        if (ended.aborted || performance.now() < pausedUntil) return undefined;
        startAgain();
      }
      const current = worker;
      return (await current.loaded).ok ? current : undefined;
    },
    pid: () => (worker.alive() ? worker.pid : undefined),
    end: () => worker.end(),
  };
}

export type NoTurn = 'busy' | 'cancelled' | 'crashed';

/** Waits for a loaded process without a slot, so that other models go on, and then for the slot. */
async function waitForTurn(
  process: ReturnType<typeof keepProcess>,
  { slots, loading, key }: ModelOptions,
  signal: AbortSignal,
  team?: string,
): Promise<{ worker: ModelWorker; release(): void } | NoTurn> {
  for (;;) {
    if (signal.aborted) return 'cancelled';
    const leave = await loading.take(key, signal);
    if (leave === undefined) return 'busy';
    const worker = await within(process.usable(), { signal }).finally(leave);
    if (signal.aborted) return 'cancelled';
    if (worker === undefined) return 'crashed';
    const release = await slots.take(key, signal, team).catch(() => 'cancelled' as const);
    if (release === undefined) return 'busy';
    if (release === 'cancelled') return 'cancelled';
    if (worker.alive()) return { worker, release };
    // It died of what it looked at before.
    release();
  }
}

function resultOf(outcome: RunOutcome | NoTurn, labels: readonly string[]): ScoreResult {
  if (typeof outcome === 'string') return failed(outcome);
  if (!outcome.ok) return failed(outcome.reason);
  return { ok: true, scores: Object.fromEntries(labels.map((label, i) => [label, outcome.scores[i]!])) };
}

const failed = (reason: ScoreFailureReason): ScoreResult => ({ ok: false, reason, note: FAILURES[reason] });

/** A mistake of the code that asks, not of the image: throws. */
function checkPixels({ width, height, channels, data }: DecodedPixels, rendition: Rendition): void {
  const wanted = channelsOf({ channels: rendition.kind });
  const { width: w, height: h } = rendition;
  if (width !== w || height !== h || channels !== wanted || data.length !== w * h * wanted) {
    throw new RangeError(`the model looks at ${w} × ${h} pixels of ${wanted} bytes`);
  }
}
