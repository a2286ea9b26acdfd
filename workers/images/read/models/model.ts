/** One image model: its process, started again after it died, and scores of images under its labels. */
import { within } from '../../../../shared/async.js';
import type { Logger } from '../../../../shared/log.js';
import type { Slots } from '../../../../shared/slots.js';
import type { Confinement } from '../../child-process/confine.js';
import type { Pixels, Rendition } from '../../decode/types.js';
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

/** Scores by label, 0 to 1. Failed: nothing is known of the image; `note` is a sentence for the caller. */
export type ScoreResult =
  | { ok: true; scores: Record<string, number> }
  | { ok: false; reason: ScoreFailureReason; note: string };

export interface ScoreEvent {
  outcome: 'scored' | ScoreFailureReason;
  /** from call to end, waiting included */
  ms: number;
  /** of these, waiting for a place */
  waitedMs: number;
}

export interface Model {
  /** the pixels that it looks at */
  rendition: Rendition;
  loaded: Promise<LoadOutcome>;
  /** Scores pixels of that rendition. `signal` gives up. Never rejects for what the pixels are. */
  score(pixels: Pixels, signal?: AbortSignal): Promise<ScoreResult>;
  pid(): number | undefined;
  end(): Promise<void>;
}

export interface ModelOptions {
  slots: Slots;
  /** room to wait until a process is loaded; never waited for itself */
  loading: Slots;
  /** one inference at a time under it */
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

/** After a process could not be started, this long no other is tried. */
const PAUSE_MS = 5000;

export function createModel(file: ModelPath, description: ModelDescription, options: ModelOptions): Model {
  const { slots, loading, key, name, limitMs, memoryBytes, logger } = options;
  const how = { loadLimitMs: options.loadLimitMs, confinement: options.confinement };
  const { input, output } = description;
  const { labels, ...rest } = output;
  const rendition = modelRendition(input);
  const end = new AbortController();
  const start = (): ModelWorker =>
    startModelWorker({ request: { file, memoryBytes, input, output: { ...rest, labels: labels.length } }, ...how });
  let worker = start();
  let pausedUntil = 0;

  function startAgain(): void {
    logger.warn({ model: name }, 'the process of an image model is started again');
    // Should that fail at once, none is tried for a while.
    pausedUntil = performance.now() + PAUSE_MS;
    worker = start();
    pausedUntil = 0;
    void worker.loaded.then((outcome) => {
      if (outcome.ok || end.signal.aborted) return;
      pausedUntil = performance.now() + PAUSE_MS;
      logger.error({ model: name }, `the process of an image model does not start: ${outcome.message}`);
    });
  }

  /** A process that is loaded, started for it where the one before is dead; undefined where there is none. */
  async function usable(): Promise<ModelWorker | undefined> {
    if (!worker.alive()) {
      if (end.signal.aborted || performance.now() < pausedUntil) return undefined;
      startAgain();
    }
    const current = worker;
    return (await current.loaded).ok ? current : undefined;
  }

  async function infer(process: ModelWorker, pixels: Pixels): Promise<RunOutcome> {
    const outcome = await process.run(pixels.data, limitMs);
    if (!outcome.ok && outcome.reason === 'failed')
      logger.warn({ model: name }, `image model failed: ${outcome.message}`);
    return outcome;
  }

  /** Loading is waited for without a place: other models go on meanwhile. */
  async function attempt(pixels: Pixels, signal: AbortSignal, started: () => void): Promise<RunOutcome | 'busy'> {
    for (;;) {
      if (signal.aborted) return CANCELLED;
      const leave = await loading.take(key, signal);
      if (leave === undefined) return 'busy';
      const process = await within(
        usable().catch(() => undefined),
        { signal },
      );
      leave();
      if (signal.aborted) return CANCELLED;
      if (process === undefined) return { ok: false, reason: 'crashed' };
      const release = await slots.take(key, signal).catch(() => 'cancelled' as const);
      if (release === undefined) return 'busy';
      if (release === 'cancelled') return CANCELLED;
      if (process.alive()) {
        started();
        // An inference under way cannot be broken off: the caller leaves, the place stays taken until it ends.
        const inference = infer(process, pixels).finally(release);
        return (await within(inference, { signal })) ?? CANCELLED;
      }
      // It died of the image before this one.
      release();
    }
  }

  return {
    rendition,
    loaded: worker.loaded,
    async score(pixels, signal) {
      checkPixels(pixels, rendition);
      const called = performance.now();
      let startedAt = 0;
      const giveUp = new AbortController();
      const abort = (): void => giveUp.abort();
      const signals = signal ? [signal, end.signal] : [end.signal];
      for (const each of signals) {
        if (each.aborted) abort();
        each.addEventListener('abort', abort, { once: true });
      }
      const outcome = await attempt(pixels, giveUp.signal, () => {
        startedAt = performance.now();
      });
      for (const each of signals) each.removeEventListener('abort', abort);
      const result = resultOf(outcome, labels);
      const now = performance.now();
      options.observe?.({
        outcome: result.ok ? 'scored' : result.reason,
        ms: now - called,
        waitedMs: (startedAt || now) - called,
      });
      return result;
    },
    pid: () => (worker.alive() ? worker.pid : undefined),
    async end() {
      end.abort();
      await worker.end();
    },
  };
}

const CANCELLED: RunOutcome = { ok: false, reason: 'cancelled' };

function resultOf(outcome: RunOutcome | 'busy', labels: readonly string[]): ScoreResult {
  if (outcome === 'busy') return { ok: false, reason: 'busy', note: FAILURES.busy };
  if (!outcome.ok) return { ok: false, reason: outcome.reason, note: FAILURES[outcome.reason] };
  return { ok: true, scores: Object.fromEntries(labels.map((label, i) => [label, outcome.scores[i]!])) };
}

/** A mistake of the code that asks, not of the image: throws. */
function checkPixels({ width, height, channels, data }: Pixels, rendition: Rendition): void {
  const wanted = channelsOf({ channels: rendition.kind });
  const { width: w, height: h } = rendition;
  if (width !== w || height !== h || channels !== wanted || data.length !== w * h * wanted) {
    throw new RangeError(`the model looks at ${w} × ${h} pixels of ${wanted} bytes`);
  }
}
