/** Reads a source of chunks, one at a time, and lets it go. */

/** What chunks come from: anything that `for await` takes, or a stream of the web. */
export type ChunkSource<T> = AsyncIterable<T> | ReadableStream<T>;

export interface ChunkReader<T> {
  /** Call it again only when the one before has settled. */
  read(): Promise<{ done: true } | { done: false; chunk: T }>;
  /** Tells the source that nobody reads on. Never rejects; waits for the source unless it is asked for a chunk right now. */
  cancel(reason: unknown): Promise<void>;
}

/** Streams of OpenAI and Anthropic have this: it ends their request also while a chunk is awaited. */
interface Abortable {
  controller?: { abort?: (reason?: unknown) => void };
}

export function readerOf<T>(source: ChunkSource<T>): ChunkReader<T> {
  if ('getReader' in source) return readerOfStream(source);
  const chunks = source[Symbol.asyncIterator]();
  let pending = false;
  return {
    async read() {
      pending = true;
      try {
        const next = await chunks.next();
        return next.done ? { done: true } : { done: false, chunk: next.value };
      } finally {
        pending = false;
      }
    },
    async cancel(reason) {
      // A generator that waits for its model ends only when that has said something.
      const busy = pending;
      if (busy) (source as Abortable).controller?.abort?.(reason);
      const returned = Promise.resolve(chunks.return?.()).then(ignore, ignore);
      if (!busy) await returned;
    },
  };
}

function readerOfStream<T>(source: ReadableStream<T>): ChunkReader<T> {
  const reader = source.getReader();
  return {
    async read() {
      const { done, value } = await reader.read();
      return done ? { done: true } : { done: false, chunk: value as T };
    },
    cancel: (reason) => reader.cancel(reason).then(ignore, ignore),
  };
}

function ignore(): void {
  // What a source says about its end is of no use to anybody.
}
