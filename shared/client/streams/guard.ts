/**
 * Hands on the chunks of a model's stream when their text is safe.
 *
 *     source ──read──> queue of chunks ──all of their text is safe──> consumer
 *                         │ text                  ^
 *                         v                       │ safe_until
 *                 parts: pieces ──────> POST /api/stream/check
 *
 * Chunks keep their order, and are handed on as they came. A chunk waits for the text that it adds to; one that ends a part waits for the
 * last verdict on it. Everything happens within `next`, so a consumer that does not ask stops the source, too. While a request is under
 * way the source is read on, up to a limit. The guard ends
 *
 * - with the source, when all parts have their last verdict;
 * - with an error: a violation, a service that cannot be asked, or the source's own, which comes behind what was safe before it;
 * - when the consumer wants no more (`return`), or the signal says so.
 *
 * In each case the source is cancelled and all streams at the service are closed.
 */

import type { StreamRequest, StreamResult } from '../../api/types.js';
import { type ClientError, isServiceError, WeirError } from '../errors.js';
import { MOST_UNITS, type PieceCall } from './part.js';
import { createParts, type TextNeed } from './parts.js';
import { type ChunkTexts, nothing, TEXT_PART } from './reading.js';
import { createChunkReader } from './shapes.js';
import { type ChunkSource, readerOf } from './source.js';
import { WeirViolation } from './violation.js';

/** Chunks that wait at most. A stream at the service has fewer characters. */
const MOST_CHUNKS = 1024 * 1024;
/** Chunks that are read while a request is under way. */
const CHUNKS_AHEAD = 1000;

export interface GuardOptions<T = unknown> extends Omit<StreamRequest, 'stream_id' | 'sequence' | 'delta' | 'final'> {
  client: { checkStream: PieceCall };
  /** ends the guard as `return` does, with its reason as the error */
  signal?: AbortSignal;
  /**
   * Which policies text waits for. `fast`, the default: those that judge while it grows. Policies that judge sentences or the end may
   * then still be violated by text that was handed on. `all`: text is handed on when every policy has judged it, which may be at its end.
   */
  waitFor?: 'fast' | 'all';
  /**
   * What happens when the service cannot be asked, after all retries. `error`, the default: the guard ends with a `WeirError`. `pass`: the
   * rest is handed on without a check, and `unchecked` says why. Errors of the request itself, such as a wrong key, are always errors.
   */
  ifUnavailable?: 'error' | 'pass';
  /** time limit in ms of each piece, with all attempts; default: that of the client */
  timeoutMs?: number;
  /** The text that a chunk adds, for sources of other shapes than the guard knows. Undefined: none. */
  textOf?: (chunk: T) => string | undefined;
  /** The streams at the service have this name and a number. Default: a random one. */
  streamId?: string;
}

export interface GuardedStream<T> extends AsyncIterableIterator<T> {
  /** the newest verdict on each part of the source: its text, each of its tool calls, its reasoning */
  readonly answers: readonly StreamResult[];
  /** why the rest was handed on without a check; undefined: it was not */
  readonly unchecked: ClientError | undefined;
  return(): Promise<IteratorResult<T, undefined>>;
  /** The same as a stream of the web. Use either. */
  toReadableStream(): ReadableStream<T>;
}

/** How something ended: with an `error`, or well. */
type GuardEnd = { error?: unknown };

/** Hands on the chunks of `source` in order, each when its text is safe. Ends with a {@link WeirViolation} as soon as a policy is violated. */
export function guardStream<T>(source: ChunkSource<T>, options: GuardOptions<T>): GuardedStream<T> {
  const { client, signal, waitFor = 'fast', ifUnavailable = 'error', timeoutMs, textOf, streamId, ...common } = options;
  if (!['fast', 'all'].includes(waitFor)) throw new TypeError('waitFor: expected "fast" or "all".');
  if (!['error', 'pass'].includes(ifUnavailable)) throw new TypeError('ifUnavailable: expected "error" or "pass".');
  const reader = readerOf(source);
  const queue = createChunkQueue<T>(textOf);
  let reading = false;
  let sourceEnd: GuardEnd | undefined;
  let end: GuardEnd | undefined;
  let unchecked: ClientError | undefined;
  let stopped: Promise<unknown> | undefined;
  let wake = (): void => {};

  const parts = createParts(streamId ?? crypto.randomUUID(), {
    call: client.checkStream,
    common: { ...common, role: common.role ?? 'assistant' },
    timeoutMs,
    waitsForAll: waitFor === 'all',
    onAnswer(answer) {
      if (answer.flagged) finish({ error: new WeirViolation(answer) });
      wake();
    },
    onError(error) {
      if (ifUnavailable === 'pass' && isUnavailable(error)) unchecked ??= error;
      else finish({ error: new WeirError(error) });
      wake();
    },
  });

  function finish(how: GuardEnd): void {
    end ??= how;
    wake();
  }

  async function read(): Promise<void> {
    reading = true;
    const next = await reader.read().catch((error: unknown) => ({ done: true as const, error }));
    reading = false;
    if (next.done) {
      sourceEnd = 'error' in next ? { error: next.error } : {};
      parts.endAll();
    } else if (end === undefined) {
      try {
        queue.push(next.chunk, (texts) => (unchecked === undefined ? parts.take(texts) : []));
      } catch (error) {
        finish({ error });
      }
    }
    wake();
  }

  /** While a request is under way, up to a limit. Else there is nothing left to do but to read on. */
  function mayRead(): boolean {
    if (reading || sourceEnd !== undefined) return false;
    return !parts.areSending() || (parts.unsent() < MOST_UNITS && queue.length() < CHUNKS_AHEAD);
  }

  /** Cancels the source and closes all streams, once. Never rejects. */
  function stop(reason?: unknown): Promise<unknown> {
    signal?.removeEventListener('abort', abort);
    stopped ??= Promise.all([sourceEnd === undefined ? reader.cancel(reason) : undefined, parts.close()]);
    return stopped;
  }

  function abort(): void {
    finish({ error: signal?.reason });
    void stop(signal?.reason);
  }

  async function step(): Promise<IteratorResult<T, undefined>> {
    for (;;) {
      if (end !== undefined) {
        const how = end;
        // What ended with an error says so once.
        end = {};
        void stop(how.error);
        if ('error' in how) throw how.error;
        return { done: true, value: undefined };
      }
      if (unchecked === undefined) parts.send();
      const next = queue.take(unchecked !== undefined);
      if (next !== undefined) return { done: false, value: next.chunk };
      if (sourceEnd !== undefined && queue.length() === 0 && (!parts.areOpen() || unchecked !== undefined)) {
        finish(sourceEnd);
        continue;
      }
      if (mayRead()) void read();
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  }

  if (signal?.aborted) abort();
  else signal?.addEventListener('abort', abort, { once: true });
  let last: Promise<unknown> = Promise.resolve();
  const guarded: GuardedStream<T> = {
    get answers() {
      return parts.answers();
    },
    get unchecked() {
      return unchecked;
    },
    next() {
      const next = last.then(step, step);
      last = next;
      return next;
    },
    async return() {
      finish({});
      await stop();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]: () => guarded,
    toReadableStream: () => streamOf(guarded),
  };
  return guarded;
}

/** Chunks that wait, in order. */
function createChunkQueue<T>(textOf: ((chunk: T) => string | undefined) | undefined) {
  const readChunk = textOf === undefined ? createChunkReader() : (chunk: T) => readingOf(textOf(chunk));
  let waiting: { chunk: T; needs: TextNeed[] }[] = [];
  let first = 0;
  let taken = 0;
  return {
    length: () => waiting.length - first,
    /** Throws where a chunk cannot be read. */
    push(chunk: T, needsOf: (texts: ChunkTexts) => TextNeed[]): void {
      const texts = readChunk(chunk);
      if (texts === undefined && taken === 0 && waiting.length === 0) throw new TypeError(UNKNOWN);
      if (waiting.length - first === MOST_CHUNKS) throw new RangeError(`${MOST_CHUNKS} chunks wait for a verdict.`);
      waiting.push({ chunk, needs: needsOf(texts ?? nothing()) });
    },
    /** The first chunk, if its text is safe. */
    take(unchecked: boolean): { chunk: T } | undefined {
      const next = waiting[first];
      if (next === undefined) return undefined;
      if (!unchecked && !next.needs.every(({ part, upTo }) => part.isSafe(upTo))) return undefined;
      first++;
      taken++;
      // Not one by one, which would move all others each time.
      if (first * 2 > waiting.length) {
        waiting = waiting.slice(first);
        first = 0;
      }
      return next;
    },
  };
}

const UNKNOWN =
  'source: its first chunk is neither a text nor of a kind that is known. Give textOf, which says what text a chunk adds; decode bytes first.';

const readingOf = (text: string | undefined): ChunkTexts => ({
  ...nothing(),
  adds: text === undefined || text === '' ? [] : [{ part: TEXT_PART, text }],
});

const streamOf = <T>(chunks: GuardedStream<T>): ReadableStream<T> =>
  new ReadableStream<T>(
    {
      async pull(controller) {
        const next = await chunks.next();
        if (next.done) controller.close();
        else controller.enqueue(next.value);
      },
      async cancel() {
        await chunks.return();
      },
    },
    { highWaterMark: 0 },
  );

/** The service could not be asked, which says nothing about the request. */
function isUnavailable(error: ClientError): boolean {
  if (error.type === 'network_error' || error.type === 'timeout_error') return true;
  if (error.type === 'protocol_error') return error.status >= 500;
  return isServiceError(error) && (error.status === 429 || error.status >= 500);
}
