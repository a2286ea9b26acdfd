/**
 * A thread that parses bodies one after the other, as the loop sees it. What runs on it is `thread-main.ts`. Teams take turns.
 *
 *     not started ──first body──> idle ──body──> parsing ──answer──> idle
 *         ^                                         ├── answer, and its heap has bloated ──> ended
 *         └── ended <───────────────────────────────┴── died, or out of time: the body is refused
 *
 * A dead thread loses only the body that it had. Those that wait go to the next thread, which the next body starts.
 */
import { Worker } from 'node:worker_threads';
import { ApiError } from '../../shared/api/errors.js';
import { createLines } from '../../shared/lines.js';
import type { Logger } from '../../shared/log.js';
import { programPath } from '../../shared/paths.js';
import type { Settings } from '../../shared/settings.js';
import type { Counter } from '../../shared/telemetry.js';
import type { BodyKind, ParseResult } from './parse-body.js';
import type { ParseAnswer, ParseTask } from './thread-main.js';

/** Several times what a body of 32 MiB with the most values takes once it is parsed. */
const THREAD_HEAP_MB = 1024;
/** A heap does not shrink by itself: a thread whose heap is larger is ended. */
const BLOATED_BYTES = 256 * 1024 * 1024;

export interface ParsedBody {
  body: Buffer;
  result: ParseResult;
  /** JSON values and names of a body over `LARGE_BODY`; 0 for others, which have few */
  values: number;
  /** of such a body up to 256 KiB, see `cost.ts`; else 0 */
  cost: number;
}

export interface WaitingBody {
  kind: BodyKind;
  pieces: readonly Buffer[];
  resolve(parsed: ParsedBody): void;
  reject(error: ApiError): void;
}

export interface ParsingThread {
  add(team: string, body: WaitingBody): void;
  waiting(): number;
  /** Ends the thread. Rejects the body that it has and those that wait. */
  close(): void;
}

/** `ended` counts bodies that were refused because their thread was ended. */
export function createThread(
  settings: Settings<'bodyValues' | 'messageBytes' | 'parseMs'>,
  { logger, ended }: { logger: Logger; ended: Counter },
): ParsingThread {
  let thread: Worker | undefined;
  const current = createCurrent(settings.parseMs, onTimeOver);
  const waiting = createLines<WaitingBody>();

  function onAnswer({ bytes, result, values, cost, heap }: ParseAnswer): void {
    current.take()?.resolve({ body: Buffer.from(bytes), result, values, cost });
    if (heap > BLOATED_BYTES) end();
    next();
  }

  function end(): void {
    if (thread) endWorker(thread);
    thread = undefined;
  }

  function giveUp(): void {
    end();
    ended.inc();
    current.take()?.reject(unparsed());
    next();
  }

  function start(): Worker {
    const worker = startWorker();
    worker.on('message', onAnswer);
    worker.on('error', (error) => logger.error({ err: error }, 'the parsing thread failed'));
    worker.on('exit', giveUp);
    return worker;
  }

  function next(): void {
    const body = current.isSet() ? undefined : waiting.next();
    if (!body) return;
    const pieces = body.pieces.map(ownMemory);
    current.set(body, bytesOf(pieces));
    const limits = { messageBytes: settings.messageBytes };
    const task: ParseTask = { kind: body.kind, pieces, mostValues: settings.bodyValues, limits };
    thread ??= start();
    thread.postMessage(task, pieces);
  }

  function onTimeOver(bytes: number): void {
    logger.warn({ bytes, limit_ms: settings.parseMs }, 'a body took too long to parse');
    giveUp();
  }

  return {
    add(team, body) {
      waiting.push(team, body);
      next();
    },
    waiting: () => waiting.size(),
    close() {
      const left = [current.take(), ...waiting.all()];
      while (waiting.next());
      end();
      for (const body of left) body?.reject(unparsed());
    },
  };
}

/** The body that is being parsed. `over` is told its bytes when it takes longer than `limitMs`. */
function createCurrent(limitMs: number, over: (bytes: number) => void) {
  let body: WaitingBody | undefined;
  let timer: NodeJS.Timeout | undefined;
  return {
    isSet: (): boolean => body !== undefined,
    set(next: WaitingBody, bytes: number): void {
      body = next;
      timer = setTimeout(over, limitMs, bytes);
    },
    take(): WaitingBody | undefined {
      const taken = body;
      body = undefined;
      clearTimeout(timer);
      return taken;
    },
  };
}

function startWorker(): Worker {
  const worker = new Worker(programPath('parsing-thread'), {
    resourceLimits: { maxOldGenerationSizeMb: THREAD_HEAP_MB },
  });
  // It must not keep the process alive by itself.
  worker.unref();
  return worker;
}

function endWorker(worker: Worker): void {
  worker.removeAllListeners();
  worker.on('error', () => undefined);
  void worker.terminate();
}

export const bytesOf = (pieces: readonly { byteLength: number }[]): number =>
  pieces.reduce((sum, { byteLength }) => sum + byteLength, 0);

/** The memory of `piece`, copied unless the piece owns it: only owned memory can be transferred. */
function ownMemory(piece: Buffer): ArrayBuffer {
  const owned = piece.byteLength === piece.buffer.byteLength && piece.buffer instanceof ArrayBuffer;
  return owned ? (piece.buffer as ArrayBuffer) : new Uint8Array(piece).buffer;
}

function unparsed(): ApiError {
  return new ApiError('unavailable', 'The body could not be parsed now. Try again, or send a smaller one.');
}
