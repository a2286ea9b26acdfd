/**
 * Parsing bodies: small ones here and now, others in threads, one after the other. Teams take turns for a thread. Of the two
 * threads one has what takes a few milliseconds, so that it waits for nothing that takes a second.
 *
 * A thread is started by the first body for it. It is ended when its heap has grown out of proportion, since a heap does not
 * shrink by itself, and when a body takes it too long. When it dies (a body that blows up to more memory than it may have), what
 * it had been given is refused; what waits is not. The next body starts another one.
 */
import { Worker } from 'node:worker_threads';
import { ApiError } from '../../shared/api/errors.js';
import { createLines } from '../../shared/lines.js';
import type { Logger } from '../../shared/log.js';
import type { Settings } from '../../shared/settings.js';
import { Counter, Gauge, type Registry } from '../../shared/telemetry.js';
import type { ParseAnswer, ParseTask } from './thread-main.js';
import { type BodyKind, type ParseResult, parseBody } from './parse-body.js';

/** Bodies above this are parsed off the loop, which they would hold up for a millisecond and more. Bytes. */
export const LARGE_BODY = 64 * 1024;
/** Bodies above this wait only for each other. Bytes. */
const HUGE_BODY = 256 * 1024;
// What a body of 32 MiB with the most values takes once it is parsed, several times over.
const THREAD_HEAP_MB = 1024;
const BLOATED_BYTES = 256 * 1024 * 1024;

export interface ParsedBody {
  body: Buffer;
  result: ParseResult;
  /** JSON values and names of a body over LARGE_BODY; 0 for others, which have few */
  values: number;
}

export interface Parser {
  /** For bodies up to LARGE_BODY. */
  now(kind: BodyKind, body: Buffer): ParseResult;
  /**
   * For larger ones, of a team, in pieces. They are taken, and given back anew as one; rejects with 503 when the thread died or
   * took too long.
   */
  later(kind: BodyKind, pieces: readonly Buffer[], team: string): Promise<ParsedBody>;
  close(): Promise<void>;
}

interface Task {
  kind: BodyKind;
  pieces: readonly Buffer[];
  resolve(parsed: ParsedBody): void;
  reject(error: ApiError): void;
}

export interface ParserTools {
  logger: Logger;
  registry: Registry;
}

export function createParser(settings: Settings<'bodyValues' | 'parseMs'>, { logger, registry }: ParserTools): Parser {
  const ended = new Counter({
    name: 'weir_parse_ended_total',
    help: 'Bodies over 64 KiB that were refused since parsing them took too long or too much memory',
    registers: [registry],
  });
  const threads = { large: createThread(settings, { logger, ended }), huge: createThread(settings, { logger, ended }) };
  new Gauge({
    name: 'weir_parse_waiting',
    help: 'Bodies over 64 KiB that wait to be parsed',
    registers: [registry],
    collect() {
      this.set(threads.large.waiting() + threads.huge.waiting());
    },
  });
  return {
    now: parseBody,
    later(kind, pieces, team) {
      const thread = bytesOf(pieces) > HUGE_BODY ? threads.huge : threads.large;
      return new Promise((resolve, reject) => thread.add(team, { kind, pieces, resolve, reject }));
    },
    async close() {
      threads.large.close();
      threads.huge.close();
    },
  };
}

interface ParseThread {
  add(team: string, task: Task): void;
  waiting(): number;
  close(): void;
}

function createThread(
  settings: Settings<'bodyValues' | 'parseMs'>,
  { logger, ended }: { logger: Logger; ended: Counter },
): ParseThread {
  let thread: Worker | undefined;
  let current: { task: Task; timer: NodeJS.Timeout } | undefined;
  const waiting = createLines<Task>();

  /** Takes the task off the thread, whatever has become of it. */
  function finish(): Task | undefined {
    const task = current?.task;
    clearTimeout(current?.timer);
    current = undefined;
    return task;
  }

  function onDone({ bytes, result, values, heap }: ParseAnswer): void {
    finish()?.resolve({ body: Buffer.from(bytes), result, values });
    if (heap > BLOATED_BYTES) end();
    next();
  }

  /** A thread that was given up is not heard any more. */
  function end(): void {
    const worker = thread;
    thread = undefined;
    worker?.removeAllListeners();
    worker?.on('error', () => undefined);
    void worker?.terminate();
  }

  function giveUp(): void {
    end();
    ended.inc();
    finish()?.reject(unparsed());
    next();
  }

  function start(): Worker {
    const worker = new Worker(new URL('./thread-main.js', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: THREAD_HEAP_MB },
    });
    worker.on('message', onDone);
    worker.on('error', (error) => logger.error({ err: error }, 'the parsing thread failed'));
    worker.on('exit', giveUp);
    // It must not keep the process alive on its own.
    worker.unref();
    return worker;
  }

  function next(): void {
    if (current) return;
    const task = waiting.next();
    if (!task) return;
    thread ??= start();
    const pieces = task.pieces.map(alone);
    const bytes = bytesOf(pieces);
    const timer = setTimeout(() => {
      logger.warn({ bytes, limit_ms: settings.parseMs }, 'a body took too long to parse');
      giveUp();
    }, settings.parseMs);
    current = { task, timer };
    const message: ParseTask = { kind: task.kind, pieces, mostValues: settings.bodyValues };
    thread.postMessage(message, pieces);
  }

  return {
    add(team, task) {
      waiting.push(team, task);
      next();
    },
    waiting: () => waiting.size(),
    close() {
      const left = [finish(), ...waiting.all()];
      while (waiting.next());
      end();
      for (const task of left) task?.reject(unparsed());
    },
  };
}

const bytesOf = (pieces: readonly { byteLength: number }[]): number =>
  pieces.reduce((sum, { byteLength }) => sum + byteLength, 0);

/** The memory of `piece`. Only a buffer that owns its memory can be handed over. */
function alone(piece: Buffer): ArrayBuffer {
  const own = piece.byteLength === piece.buffer.byteLength && piece.buffer instanceof ArrayBuffer;
  return own ? (piece.buffer as ArrayBuffer) : new Uint8Array(piece).buffer;
}

function unparsed(): ApiError {
  return new ApiError('unavailable', 'The body could not be parsed now. Try again, or send a smaller one.');
}
