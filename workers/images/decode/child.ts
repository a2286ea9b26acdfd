/**
 * The parent's side of one decoding process.
 *
 *   starting ── ready ──> idle ── run ──> busy ── (hash) ── reply ──> idle, or busy with the image that was sent ahead
 *      │                   │               └ time limit, memory limit, death, nonsense ──> ended
 *      └ start limit ──> ended <── end ────┘
 *
 * When a process ends, the decode under way fails. If the image was hashed before, only its renditions are missing. An image that was sent
 * ahead and has not begun is as if it had not been sent.
 */
import { programPath } from '../../../shared/paths.js';
import { TRANSFORMS } from '../../../shared/pdq/pdq.js';
import { deferred, nodeEnvironment, startChild } from '../../child-process/child.js';
import type { Confinement } from '../../child-process/confine.js';
import { createFrameReader, FrameError, frame } from '../../child-process/frames.js';
import { failure, IMAGE_LIMITS, type ImageFailure } from '../failure.js';
import {
  type DecodedPixels,
  type DecodeReply,
  type DecodeRequest,
  type ImageHash,
  type ImageMeasures,
  renditionBytes,
} from './types.js';

/** How long a process may take to load its libraries. */
const START_LIMIT_MS = 30_000;

export interface WorkerLimits {
  /** resident bytes above which the process ends itself */
  memoryBytes: number;
  pixels: number;
  /** milliseconds of computing until an image is hashed, and again for its renditions */
  cpuMs: number;
  /** the same by the clock, which also runs while others have the processor */
  limitMs: number;
  /** how the process is started */
  confinement: Confinement;
}

export interface DecodeWorker {
  pid: number | undefined;
  /**
   * Decodes one image. Call it only while no other is under way. `onHashed` is called as soon as the image is hashed, when
   * renditions follow. Never rejects.
   */
  run(request: DecodeRequest, bytes: Buffer, onHashed?: (measured: ImageMeasures) => void): Promise<DecodeOutcome>;
  /**
   * Sends the image that is next while another is under way. It begins as soon as that one is done, and `run` of the same request gets what
   * comes of it; without such a call that is dropped. Does nothing where one was sent before.
   */
  prepare(request: DecodeRequest, bytes: Buffer): void;
  /** Kills the process, whatever it does; resolves when it is gone. */
  end(): Promise<void>;
  /** whether it can take another image */
  alive(): boolean;
}

export interface Rendered {
  ok: true;
  pixels: DecodedPixels[];
  /** why there are none, of an image that was hashed */
  unmade?: ImageFailure;
  measured: ImageMeasures;
}

export interface DecodeOutcome {
  made: Rendered | ImageFailure;
  /** what the process holds, in bytes; 0 when it has ended */
  resident: number;
}

interface DecodeRun {
  request: DecodeRequest;
  /** its image is on the way to the process, and nothing else comes before it */
  sent: boolean;
  measured?: ImageMeasures;
  onHashed: ((measured: ImageMeasures) => void) | undefined;
  outcome: Promise<DecodeOutcome>;
  settle(outcome: DecodeOutcome): void;
}

function runOf(request: DecodeRequest, onHashed?: DecodeRun['onHashed']): DecodeRun {
  const { promise: outcome, resolve: settle } = deferred<DecodeOutcome>();
  return { request, sent: false, onHashed, outcome, settle };
}

type Reason = 'decode_timeout' | 'decode_late' | 'decode_memory' | 'cancelled';

/** When no process can be started, the worker has ended from the start. */
export function startWorker(limits: WorkerLimits): DecodeWorker {
  /** under way */
  let run: DecodeRun | undefined;
  /** sent ahead */
  let next: DecodeRun | undefined;
  /** was sent ahead and has begun; `run` was not called for it yet */
  let begun: DecodeRun | undefined;
  const ready = deferred<void>();
  const reader = createFrameReader(
    () => (run ? renditionBytes(run.request.renditions) : 0),
    (header, body) => take(header as DecodeReply, body),
  );
  const child = startChild<Reason>({
    program: programFor(limits),
    onData: (chunk) => reader.push(chunk),
    onEnd(ending) {
      const why = failure(ending === 'nonsense' ? 'crashed' : ending);
      const ahead = next;
      next = undefined;
      if (run) finish(run.measured ? hashedOnly(run.measured, why) : why, 0);
      ahead?.settle({ made: failure('crashed'), resident: 0 });
    },
  });

  function finish(made: Rendered | ImageFailure, resident: number): void {
    const done = run;
    run = next;
    if (next) begun = next;
    next = undefined;
    if (run) child.limit(limits.limitMs, 'decode_late');
    else child.limit();
    done?.settle({ made, resident });
  }

  function take(reply: DecodeReply, body: Buffer): void {
    if (reply.status === 'ready') ready.resolve();
    else if (reply.status === 'hashed') keep(checked(reply.measured, true));
    else if (reply.status === 'refused') finish(failure(reply.reason), reply.resident);
    else if (reply.status === 'memory') child.end('decode_memory');
    else if (reply.status === 'costly') child.end('decode_timeout');
    else if (reply.status === 'done') finish(renderedIn(reply, body, run?.request.hashed ?? false), reply.resident);
    else child.end('nonsense');
  }

  /** The renditions have a time limit of their own. */
  function keep(measured: ImageMeasures): void {
    if (!run || run.measured) throw new FrameError('an image is hashed once');
    run.measured = measured;
    child.limit(limits.limitMs, 'decode_late');
    run.onHashed?.(measured);
  }

  function send(one: DecodeRun, bytes: Buffer): void {
    one.sent = true;
    child.write(frame(one.request, [bytes]));
  }

  function sendAhead(one: DecodeRun, bytes: Buffer): Promise<DecodeOutcome> {
    next = one;
    send(one, bytes);
    return one.outcome;
  }

  return {
    pid: child.pid,
    alive: child.alive,
    prepare(request, bytes) {
      // Comes after the start of the image under way, which waits for the same.
      void ready.promise.then(() => {
        if (run?.sent && run.request !== request && !next && child.alive()) void sendAhead(runOf(request), bytes);
      });
    },
    async run(request, bytes, onHashed) {
      if (!child.alive()) return { made: failure('crashed'), resident: 0 };
      const ahead = begun;
      begun = undefined;
      if (ahead?.request === request) {
        ahead.onHashed = onHashed;
        if (ahead.measured) onHashed?.(ahead.measured);
        return ahead.outcome;
      }
      const started = runOf(request, onHashed);
      // What began by itself and nobody waits for any more.
      if (run) return sendAhead(started, bytes);
      run = started;
      child.limit(START_LIMIT_MS, 'crashed');
      void ready.promise.then(() => {
        // A process that replied before it was ready has no claim to the image.
        if (run !== started) return;
        child.limit(limits.limitMs, 'decode_late');
        send(started, bytes);
      });
      return started.outcome;
    },
    async end() {
      child.end('cancelled');
      await child.gone;
    },
  };
}

/** What there is of an image that was hashed, when nothing more comes of it. */
export function hashedOnly(measured: ImageMeasures, unmade: ImageFailure): Rendered {
  return { ok: true, measured, pixels: [], unmade };
}

const PROGRAM = programPath('decoder');

function programFor({ memoryBytes, pixels, cpuMs, confinement }: WorkerLimits) {
  const limits = [memoryBytes, pixels, cpuMs].map(String);
  const args = ['--max-old-space-size=64', '--expose-gc', PROGRAM, ...limits];
  return { ...confinement.wrap(process.execPath, args), env: nodeEnvironment() };
}

/** An image may have taken over the process that decodes it. A size or hash that no image has ends the process. */
export function checked(measured: ImageMeasures, hashed: boolean): ImageMeasures {
  const { width, height, hash } = measured;
  const fits = (side: number): boolean => Number.isInteger(side) && side >= 1 && side <= IMAGE_LIMITS.side;
  if (!fits(width) || !fits(height)) throw new FrameError('an image has no such size');
  if (hashed && !isHash(hash)) throw new FrameError('an image has no such hash');
  return measured;
}

const isHash = (hash: ImageHash | undefined): boolean =>
  hash !== undefined &&
  Number.isInteger(hash.quality) &&
  hash.quality >= 0 &&
  hash.quality <= 100 &&
  Array.isArray(hash.hashes) &&
  hash.hashes.length === TRANSFORMS.length &&
  hash.hashes.every((hex) => typeof hex === 'string' && /^[0-9a-f]{64}$/.test(hex));

function renderedIn(reply: DecodeReply & { status: 'done' }, body: Buffer, hashed: boolean): Rendered {
  return { ok: true, pixels: cut(reply.pixels, body), measured: checked(reply.measured, hashed) };
}

/** The renditions of a reply. Throws a FrameError when sizes and bytes do not agree. */
function cut(sizes: { width: number; height: number; channels: 1 | 3 }[], body: Buffer): DecodedPixels[] {
  let at = 0;
  const pixels = sizes.map(({ width, height, channels }): DecodedPixels => {
    const from = at;
    at += width * height * channels;
    if (at > body.length) throw new FrameError('renditions have more pixels than were sent');
    return { width, height, channels, data: body.subarray(from, at) };
  });
  if (at !== body.length) throw new FrameError('renditions have fewer pixels than were sent');
  return pixels;
}
