/**
 * Judging bodies: small ones here and now, large ones in a thread of their own, one after the other.
 *
 * The thread is started by the first large body. It is ended when it has nothing to do and its heap has grown out of
 * proportion, since a heap does not shrink by itself. When it dies (a body that blows up to more memory than it may
 * have), what it had been given is refused. Either way the next large body starts another one.
 */
import { Worker } from 'node:worker_threads';
import { ApiError } from '../shared/api/errors.js';
import type { Logger } from '../shared/log.js';
import { type BodyKind, type Judgement, judge } from './judge.js';
import type { ParseAnswer, ParseTask } from './parse-worker.js';

/** Bodies above this are judged off the loop. Bytes. */
export const LARGE_BODY = 256 * 1024;
// A body of 32 MiB of empty arrays takes about 1 GB once parsed.
const THREAD_HEAP_MB = 1536;
const BLOATED_BYTES = 256 * 1024 * 1024;

export interface Judged {
  body: Buffer;
  judgement: Judgement;
}

export interface Parser {
  /** For bodies up to LARGE_BODY. */
  now(kind: BodyKind, body: Buffer): Judgement;
  /** For larger ones. `body` is taken and given back anew; rejects with 503 when the thread died. */
  later(kind: BodyKind, body: Buffer): Promise<Judged>;
  close(): Promise<void>;
}

interface Waiting {
  worker: Worker;
  resolve(judged: Judged): void;
  reject(error: ApiError): void;
}

export function createParser(logger: Logger): Parser {
  let thread: Worker | undefined;
  let next = 0;
  const waiting = new Map<number, Waiting>();

  function start(): Worker {
    const worker = new Worker(new URL('./parse-worker.js', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: THREAD_HEAP_MB },
    });
    worker.on('message', ({ id, bytes, judgement, heap }: ParseAnswer) => {
      waiting.get(id)?.resolve({ body: Buffer.from(bytes), judgement });
      waiting.delete(id);
      if (waiting.size === 0 && heap > BLOATED_BYTES) {
        thread = undefined;
        worker.terminate();
      }
    });
    worker.on('error', (error) => logger.error({ err: error }, 'the parsing thread failed'));
    worker.on('exit', () => {
      if (thread === worker) thread = undefined;
      for (const [id, task] of waiting) {
        if (task.worker !== worker) continue;
        waiting.delete(id);
        task.reject(new ApiError('unavailable', 'The body could not be parsed now. Try again, or send a smaller one.'));
      }
    });
    // It must not keep the process alive on its own.
    worker.unref();
    return worker;
  }

  return {
    now: judge,
    later(kind, body) {
      thread ??= start();
      const worker = thread;
      return new Promise((resolve, reject) => {
        const id = next++;
        waiting.set(id, { worker, resolve, reject });
        // Only a buffer that owns its memory can be handed over.
        const own = body.byteLength === body.buffer.byteLength && body.buffer instanceof ArrayBuffer;
        const bytes = own ? (body.buffer as ArrayBuffer) : new Uint8Array(body).buffer;
        const task: ParseTask = { id, kind, bytes };
        worker.postMessage(task, [bytes]);
      });
    },
    async close() {
      await thread?.terminate();
    },
  };
}
