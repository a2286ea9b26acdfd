/**
 * A thread that parses bodies one after the other, as the loop sees it. What runs on it is `thread-main.ts`. Teams take turns.
 *
 *     not started ──first body──> idle ──body──> parsing ──answer──> idle
 *         ^                                         ├── answer, and its heap has bloated ──> ended
 *         └── ended <───────────────────────────────┴── died, or out of time: the body is refused
 *
 * A dead thread loses only the body that it had. Those that wait go to the next thread, which the next body starts.
 */
import { ApiError } from '../../shared/api/errors.js';
import { createLines } from '../../shared/lines.js';
import type { Logger } from '../../shared/log.js';
import { programPath } from '../../shared/paths.js';
import { createThreads, type Threads } from '../../shared/process/threads.js';
import type { Settings } from '../../shared/settings.js';
import type { Counter } from '../../shared/telemetry.js';
import type { BodyKind, ParseResult } from './parse-body.js';
import type { ParseAnswer, ParseTask, TextsAnswer, TextsTask } from './thread-main.js';

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
  /** the `X-Request-Id` of its answer, for logs */
  requestId: string | undefined;
  kind: BodyKind;
  pieces: readonly Buffer[];
  resolve(parsed: ParsedBody): void;
  reject(error: ApiError): void;
}

/** A body that was checked, whose texts are wanted: a copy, whose memory is taken. */
export interface WaitingTexts extends TextsTask {
  /** as of a body */
  requestId: string | undefined;
  resolve(texts: Map<number, string>): void;
  reject(error: ApiError): void;
}

export interface ParsingThread {
  add(team: string, body: WaitingBody | WaitingTexts): void;
  waiting(): number;
  /** Ends the thread. Rejects the body that it has and those that wait. */
  close(): Promise<void>;
}

/** `ended` counts bodies that were refused because their thread was ended. */
export function createThread(
  settings: Settings<'bodyValues' | 'messageBytes' | 'parseMs'>,
  { logger, ended }: { logger: Logger; ended: Counter },
): ParsingThread {
  const waiting = createLines<WaitingBody | WaitingTexts>();
  let isParsing = false;
  let thread = notStarted();

  function notStarted(): Threads {
    const onError = (error: unknown): void => logger.error({ err: error }, 'the parsing thread failed');
    return createThreads({
      program: programPath('parsing-thread'),
      threads: 1,
      tasks: 1,
      heapMb: THREAD_HEAP_MB,
      onError,
    });
  }

  async function end(): Promise<void> {
    const last = thread;
    thread = notStarted();
    await last.end();
  }

  async function parse({ kind, pieces: given, resolve }: WaitingBody, on: Threads): Promise<number> {
    const pieces = given.map(ownMemory);
    const limits = { messageBytes: settings.messageBytes };
    const task: ParseTask = { kind, pieces, mostValues: settings.bodyValues, limits };
    const { bytes, heap, ...parsed } = (await on.run(task, pieces, settings.parseMs)).result as ParseAnswer;
    resolve({ body: Buffer.from(bytes), ...parsed });
    return heap;
  }

  async function readTexts({ kind, body, items, resolve }: WaitingTexts, on: Threads): Promise<number> {
    const task: TextsTask = { kind, body, items };
    const { texts, heap } = (await on.run(task, [body], settings.parseMs)).result as TextsAnswer;
    resolve(new Map(texts));
    return heap;
  }

  async function work(job: WaitingBody | WaitingTexts): Promise<void> {
    const on = thread;
    const bytes = 'items' in job ? job.body.byteLength : bytesOf(job.pieces);
    try {
      const heap = 'items' in job ? await readTexts(job, on) : await parse(job, on);
      if (heap > BLOATED_BYTES && on === thread) void end();
    } catch (error) {
      job.reject(unparsed());
      // It was closed.
      if (on !== thread) return;
      ended.inc();
      logger.warn(
        { err: error, request_id: job.requestId, bytes, limit_ms: settings.parseMs },
        'a body could not be parsed',
      );
    }
  }

  async function next(): Promise<void> {
    const job = isParsing ? undefined : waiting.next();
    if (!job) return;
    isParsing = true;
    await work(job);
    isParsing = false;
    void next();
  }

  return {
    add(team, body) {
      waiting.push(team, body);
      void next();
    },
    waiting: () => waiting.size(),
    async close() {
      for (let body = waiting.next(); body; body = waiting.next()) body.reject(unparsed());
      await end();
    },
  };
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
