/**
 * The decoder: a small pool of processes, each with one image at a time. They are processes and not threads, because an
 * image can crash or hang a native library or make it take gigabytes. That then ends with one process and one image.
 *
 *   open:   an image takes a free process, else one is started up to the number allowed, else the image waits in the queue.
 *   closed: waiting and running images fail as `cancelled`, and the processes are killed.
 */
import { deferred } from '../../child-process/child.js';
import { type Confinement, UNCONFINED } from '../../child-process/confine.js';
import { type FailureReason, failure, IMAGE_LIMITS, type ImageFailure } from '../failure.js';
import { hashedOnly, type Rendered } from './child.js';
import { createDecodeQueue, type QueueLimits } from './queue.js';
import { type ImageProperties, sniff } from './sniff.js';
import {
  type DecodedPixels,
  type DecodeRequest,
  type ImageHash,
  type ImageMeasures,
  RENDITION_LIMITS,
  type Rendition,
  renditionBytes,
} from './types.js';
import { createWorkers, type PooledWorker, type Recycle } from './workers.js';

export interface DecodedImage {
  ok: true;
  /** width and height are of what was decoded, all else is what the header says */
  properties: Omit<ImageProperties, 'orientation'>;
  /** in the order asked for */
  pixels: DecodedPixels[];
  /** why there are no pixels, though the image could be hashed */
  unmade?: ImageFailure;
  /** when it was asked for */
  hash: ImageHash | undefined;
}

export interface DecodeOptions {
  /** at most 8, of at most 32 MiB of pixels together; at least one, unless a hash is asked for */
  renditions: Rendition[];
  hash?: boolean;
  /** Stops waiting and drops the result, except the hash. A running decode ends by itself or at its time limit. */
  signal?: AbortSignal;
  /** whose image it is, for the queue; default: nobody's in particular */
  team?: string;
}

export interface DecodeEvent {
  /** when there is only a hash: why there are no renditions */
  outcome: 'decoded' | FailureReason;
  /** from call to end, waiting included */
  ms: number;
  /** of these, waiting for a process */
  waitedMs: number;
}

export interface DecoderPool {
  /**
   * Looks at the header, then decodes the first frame, upright and on white. Rejects only for renditions that cannot be
   * asked for, whatever the bytes are.
   */
  decode(bytes: Buffer, options: DecodeOptions): Promise<DecodedImage | ImageFailure>;
  counts(): { workers: number; busy: number; waiting: number; waitingBytes: number };
  /** process ids, for tests and monitoring */
  pids(): number[];
  close(): Promise<void>;
}

export interface DecoderOptions {
  /** processes at once */
  workers: number;
  /** milliseconds of computing for decoding and hashing, and again for renditions [4,000]; more is the image's fault */
  cpuMs?: number;
  /** the same by the clock [20,000], which is more where the machine is busy; beyond it the service is at fault */
  limitMs?: number;
  /** resident bytes a process may hold [768 MiB]; checked every 10 ms */
  memoryBytes?: number;
  /** images that may wait [4,096], and their bytes [128 MiB] */
  waiting?: QueueLimits;
  /** a process ends after so many decodes [1,000], with so many resident bytes [256 MiB], idle for so long [60 s] */
  recycle?: Recycle;
  /** how processes are started; default: with the rights of this one */
  confinement?: Confinement;
  /** called once a decode; must not throw */
  observe?: (event: DecodeEvent) => void;
}

interface DecodeJob {
  team: string;
  bytes: Buffer;
  request: DecodeRequest;
  started: number;
  /** once it is hashed, while renditions are being made */
  measured: ImageMeasures | undefined;
  settle(result: Rendered | ImageFailure): void;
}

/** What is asked of a process. */
type DecodeInput = Pick<DecodeJob, 'team' | 'bytes' | 'request'>;

const MIB = 1024 * 1024;

export function createDecoder(options: DecoderOptions): DecoderPool {
  const jobs = createJobs(options);

  /** Renditions can cost too much for an image whose hash does not: one that is only hashed streams through. */
  async function made(asked: DecodeInput, signal: AbortSignal | undefined) {
    const all = await jobs.run(asked, signal);
    const { request } = asked;
    if (all.result.ok || !COSTS.has(all.result.reason) || !request.hashed || request.renditions.length === 0)
      return all;
    const { result } = await jobs.run({ ...asked, request: { ...request, renditions: [] } }, signal);
    return { started: all.started, result: result.ok ? { ...result, unmade: all.result } : result };
  }

  return {
    async decode(bytes, { renditions, hash = false, signal, team = '' }) {
      checkRenditions(renditions, hash);
      const called = performance.now();
      const observe = (outcome: DecodeEvent['outcome'], started: number): void => {
        const now = performance.now();
        options.observe?.({ outcome, ms: now - called, waitedMs: (started || now) - called });
      };
      const sniffed = sniff(bytes);
      if (!sniffed.ok) {
        observe(sniffed.reason, called);
        return sniffed;
      }
      const { orientation: _, ...properties } = sniffed.properties;
      const { kind, width, height } = properties;
      const request = { image: { kind, width, height }, renditions, hashed: hash };
      const { result, started } = await made({ team, bytes, request }, signal);
      observe(outcomeOf(result), started);
      return result.ok ? decodedAs(properties, result) : result;
    },
    counts: jobs.counts,
    pids: jobs.pids,
    close: jobs.close,
  };
}

/** Images on their way through the queue and the processes. */
function createJobs(options: DecoderOptions) {
  const { cpuMs = 4000, limitMs = 20_000, memoryBytes = 768 * MIB, confinement = UNCONFINED } = options;
  const limits = { memoryBytes, pixels: IMAGE_LIMITS.pixels, cpuMs, limitMs, confinement };
  const recycle = options.recycle ?? { decodes: 1000, residentBytes: 256 * MIB, idleMs: 60_000 };
  const workers = createWorkers({ most: options.workers, limits, recycle, onGone: next });
  const queue = createDecodeQueue<DecodeJob>(options.waiting ?? { images: 4096, bytes: 128 * MIB });
  let closed = false;

  /**
   * A lone process gets the next image while it decodes, and begins with it by itself. It would else wait for the worker after each one.
   * With several, another one decodes meanwhile, and which of them is free first is not known. Whoever comes later has its turn later, so
   * that image stays the next one unless it is given up.
   */
  function prepare(): void {
    const job = options.workers === 1 ? queue.first() : undefined;
    if (job) workers.prepare(job.request, job.bytes);
  }

  function next(): void {
    while (queue.counts().waiting > 0) {
      const member = workers.free();
      if (!member) return;
      void work(member, queue.next()!);
    }
  }

  async function work(member: PooledWorker, job: DecodeJob): Promise<void> {
    job.started = performance.now();
    const running = workers.run(member, job.request, job.bytes, (measured) => {
      job.measured = measured;
    });
    prepare();
    const made = await running;
    job.settle(made);
    next();
  }

  /** False when the image can neither start nor wait. */
  function enter(job: DecodeJob): boolean {
    const member = queue.counts().waiting === 0 ? workers.free() : undefined;
    if (!member) {
      const added = queue.add(job);
      prepare();
      return added;
    }
    void work(member, job);
    return true;
  }

  function leave(job: DecodeJob): void {
    queue.remove(job);
    const cancelled = failure('cancelled');
    job.settle(job.measured ? hashedOnly(job.measured, cancelled) : cancelled);
  }

  return {
    async run(asked: DecodeInput, signal: AbortSignal | undefined) {
      if (closed || signal?.aborted) return { result: failure('cancelled'), started: 0 };
      const done = deferred<Rendered | ImageFailure>();
      const job: DecodeJob = { ...asked, started: 0, measured: undefined, settle: done.resolve };
      const abort = (): void => leave(job);
      signal?.addEventListener('abort', abort, { once: true });
      if (!enter(job)) job.settle(failure('decode_busy'));
      const result = await done.promise;
      signal?.removeEventListener('abort', abort);
      return { result, started: job.started };
    },
    counts: () => ({ ...workers.counts(), ...queue.counts() }),
    pids: workers.pids,
    async close() {
      closed = true;
      for (const job of queue.all()) leave(job);
      await workers.close();
    },
  };
}

const COSTS: ReadonlySet<FailureReason> = new Set(['decode_timeout', 'decode_late', 'decode_memory']);

function outcomeOf(result: Rendered | ImageFailure): DecodeEvent['outcome'] {
  return result.ok ? (result.unmade?.reason ?? 'decoded') : result.reason;
}

function decodedAs(properties: DecodedImage['properties'], { measured, ...rest }: Rendered): DecodedImage {
  const { width, height, hash } = measured;
  return { ...rest, properties: { ...properties, width, height }, hash };
}

/** A mistake of the code that asks, not of the image: throws. */
function checkRenditions(renditions: readonly Rendition[], hash: boolean): void {
  const { count, side, bytes } = RENDITION_LIMITS;
  const fits = (size: number): boolean => Number.isInteger(size) && size >= 1 && size <= side;
  const least = hash ? 0 : 1;
  if (renditions.length < least || renditions.length > count) {
    throw new RangeError(`${least} to ${count} renditions can be asked for, not ${renditions.length}`);
  }
  if (!renditions.every(({ width, height }) => fits(width) && fits(height)) || renditionBytes(renditions) > bytes) {
    throw new RangeError(`a rendition is 1 to ${side} pixels a side, all together at most ${bytes} bytes`);
  }
}
