/** One image model: its process, started again after it died, and scores of images under its labels. */
import { setMaxListeners } from 'node:events';
import { within } from '../../shared/async.js';
import type { Logger } from '../../shared/log.js';
import type { Slots } from '../../shared/slots.js';
import type { Confinement } from '../child-process/confine.js';
import type { Pixels, Rendition } from '../images/decode/types.js';
import { type CallTimes, timedCall } from './call.js';
import { type LoadOutcome, type ModelWorker, type RunOutcome, startModelWorker } from './child.js';
import { channelsOf, type ModelDescription, modelRendition } from './file.js';
import type { ModelPath } from './types.js';

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

export interface Model {
  /** the pixels that it looks at */
  rendition: Rendition;
  loaded: Promise<LoadOutcome>;
  /** Scores pixels of that rendition. `signal` gives up. Rejects only for pixels of another rendition. */
  score(pixels: Pixels, signal?: AbortSignal): Promise<ScoreResult>;
  pid(): number | undefined;
  end(): Promise<void>;
}

export interface ModelOptions {
  slots: Slots;
  /** Bounds how many wait until a process is loaded. Nobody waits for a slot of these. */
  loading: Slots;
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
  observe: ((event: ScoreEvent) => void) | undefined;
}

/** How long no process is started after one could not be. */
const PAUSE_MS = 5000;

export function createModel(file: ModelPath, description: ModelDescription, options: ModelOptions): Model {
  const { limitMs, loadLimitMs, memoryBytes, confinement, logger, name } = options;
  const { input, output } = description;
  const { labels, ...rest } = output;
  const request = { file, memoryBytes, input, output: { ...rest, labels: labels.length } };
  const rendition = modelRendition(input);
  const ended = new AbortController();
  // Every image that is scored listens.
  setMaxListeners(0, ended.signal);
  const process = keepProcess(() => startModelWorker({ request, loadLimitMs, confinement }), options, ended.signal);

  async function infer(worker: ModelWorker, pixels: Pixels): Promise<RunOutcome> {
    const outcome = await worker.run(pixels.data, limitMs);
    if (!outcome.ok && outcome.reason === 'failed')
      logger.warn({ model: name }, `image model failed: ${outcome.message}`);
    return outcome;
  }

  return {
    rendition,
    loaded: process.loaded,
    async score(pixels, signal) {
      checkPixels(pixels, rendition);
      const { outcome, times } = await timedCall([signal, ended.signal], async (either, started) => {
        const turn = await waitForTurn(process, options, either);
        if (typeof turn === 'string') return turn;
        started();
        // A running inference cannot be stopped: the caller leaves, but the slot stays taken until the inference ends.
        const inference = infer(turn.worker, pixels).finally(turn.release);
        return (await within(inference, { signal: either })) ?? 'cancelled';
      });
      const result = resultOf(outcome, labels);
      options.observe?.({ outcome: result.ok ? 'scored' : result.reason, ...times });
      return result;
    },
    pid: process.pid,
    async end() {
      ended.abort();
      await process.end();
    },
  };
}

type ModelProcess = ReturnType<typeof keepProcess>;

function keepProcess(
  start: () => ModelWorker,
  { name, logger }: Pick<ModelOptions, 'name' | 'logger'>,
  ended: AbortSignal,
) {
  let worker = start();
  let pausedUntil = 0;

  function startAgain(): void {
    logger.warn({ model: name }, 'the process of an image model is started again');
    worker = start();
    void worker.loaded.then((outcome) => {
      if (outcome.ok || ended.aborted) return;
      pausedUntil = performance.now() + PAUSE_MS;
      logger.error({ model: name }, `the process of an image model does not start: ${outcome.message}`);
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

type NoTurn = 'busy' | 'cancelled' | 'crashed';

/** Waits for a loaded process without a slot, so that other models go on, and then for the slot. */
async function waitForTurn(
  process: ModelProcess,
  { slots, loading, key }: ModelOptions,
  signal: AbortSignal,
): Promise<{ worker: ModelWorker; release(): void } | NoTurn> {
  for (;;) {
    if (signal.aborted) return 'cancelled';
    const leave = await loading.take(key, signal);
    if (leave === undefined) return 'busy';
    const worker = await within(process.usable(), { signal }).finally(leave);
    if (signal.aborted) return 'cancelled';
    if (worker === undefined) return 'crashed';
    const release = await slots.take(key, signal).catch(() => 'cancelled' as const);
    if (release === undefined) return 'busy';
    if (release === 'cancelled') return 'cancelled';
    if (worker.alive()) return { worker, release };
    // It died of the image before this one.
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
function checkPixels({ width, height, channels, data }: Pixels, rendition: Rendition): void {
  const wanted = channelsOf({ channels: rendition.kind });
  const { width: w, height: h } = rendition;
  if (width !== w || height !== h || channels !== wanted || data.length !== w * h * wanted) {
    throw new RangeError(`the model looks at ${w} × ${h} pixels of ${wanted} bytes`);
  }
}
