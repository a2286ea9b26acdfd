/**
 * The decoder: a small pool of processes, one image at a time each. Processes and not threads, since what an image does
 * to a native library (a crash, a hang, gigabytes) then ends with a process that holds one image and nothing else.
 *
 *   open: an image finds a free process, else one is started up to the number allowed, else it waits; the queue is
 *         bounded in images and bytes, for a team at half of them, and teams take turns. After each image a process is used
 *         again, or ended: when it has decoded enough, holds much memory, or was idle for a while. A process that fails takes
 *         its one image along, no other.
 *   closed: waiting and running images fail as `cancelled`, processes are killed.
 */

import { createLines } from '../../../shared/lines.js';
import { type Confinement, UNCONFINED } from '../child-process/confine.js';
import { type Failure, type FailureReason, failure, IMAGE_LIMITS } from '../failure.js';
import { type DecodeWorker, type Rendered, startWorker } from './child.js';
import { type ImageProperties, sniff } from './sniff.js';
import {
  type DecodeRequest,
  type ImageHash,
  type Measured,
  type Pixels,
  RENDITION_LIMITS,
  type Rendition,
  renditionBytes,
} from './types.js';

export interface Decoded {
  ok: true;
  /** width and height of what was decoded, all else as its header says */
  properties: Omit<ImageProperties, 'orientation'>;
  /** in the order asked for */
  pixels: Pixels[];
  /** why there are none, though the image could be hashed */
  unmade?: Failure;
  /** when it was asked for */
  hash: ImageHash | undefined;
}

export interface DecodeOptions {
  /** at most 8, together at most 32 MiB of pixels; at least one, unless a hash is asked for */
  renditions: Rendition[];
  hash?: boolean;
  /** gives up waiting and drops the result, but for the hash; a running decode ends by itself or at its time limit */
  signal?: AbortSignal;
  /** whose image it is, for turns and bounds of the queue; default: nobody's in particular, who is bound by the totals alone */
  team?: string;
}

export interface DecodeEvent {
  /** when only the hash could be had: why not the renditions */
  outcome: 'decoded' | FailureReason;
  /** from call to end, waiting included */
  ms: number;
  /** of these, waiting for a process */
  waitedMs: number;
}

export interface Decoder {
  /** Looks at the header, then decodes the first frame, upright and on white. Never rejects for what the bytes are. */
  decode(bytes: Buffer, options: DecodeOptions): Promise<Decoded | Failure>;
  counts(): { workers: number; busy: number; waiting: number; waitingBytes: number };
  /** process ids, for whoever watches them */
  pids(): number[];
  close(): Promise<void>;
}

export interface DecoderOptions {
  /** processes at once */
  workers: number;
  /**
   * milliseconds that decoding and hashing may take, and then what else is made of an image: of computing [4,000], which is
   * the image's fault, and in all [5,000], which otherwise is ours
   */
  cpuMs?: number;
  limitMs?: number;
  /** resident bytes a process may hold [768 MiB]; looked at every 10 ms */
  memoryBytes?: number;
  /** images that may wait [4,096], and their bytes [128 MiB]; those of a team, half of both, in the order in which they came */
  waiting?: { images: number; bytes: number };
  /** a process ends after so many decodes [1,000], with so many resident bytes [256 MiB], idle for so long [60 s] */
  recycle?: { decodes: number; residentBytes: number; idleMs: number };
  /** how processes are started; default: as this one */
  confinement?: Confinement;
  /** called once a decode; must not throw */
  observe?: (event: DecodeEvent) => void;
}

interface Job {
  team: string;
  bytes: Buffer;
  request: DecodeRequest;
  started: number;
  /** once it is hashed, while renditions are being made */
  measured: Measured | undefined;
  settle(result: Rendered | Failure): void;
}

/** What is asked of a process. */
type Asked = Pick<Job, 'team' | 'bytes' | 'request'>;

interface Member {
  worker: DecodeWorker;
  busy: boolean;
  decodes: number;
  idle: NodeJS.Timeout | undefined;
}

const MIB = 1024 * 1024;

export function createDecoder(options: DecoderOptions): Decoder {
  const {
    cpuMs = 4000,
    limitMs = 5000,
    memoryBytes = 768 * MIB,
    waiting = { images: 4096, bytes: 128 * MIB },
    recycle = { decodes: 1000, residentBytes: 256 * MIB, idleMs: 60_000 },
    confinement = UNCONFINED,
  } = options;
  const members = new Set<Member>();
  /** Processes that were ended and are not gone yet: they count, since so does what they hold. */
  const ending = new Set<Promise<void>>();
  const queue = createLines<Job>();
  let queuedBytes = 0;
  let closed = false;

  function start(): Member {
    const worker = startWorker({ memoryBytes, pixels: IMAGE_LIMITS.pixels, cpuMs, limitMs, confinement });
    const member: Member = { worker, busy: false, decodes: 0, idle: undefined };
    members.add(member);
    return member;
  }

  function retire(member: Member): Promise<void> {
    clearTimeout(member.idle);
    members.delete(member);
    const gone = member.worker.end().then(() => {
      ending.delete(gone);
      next();
    });
    ending.add(gone);
    return gone;
  }

  /** A process that can take an image now; those that died while idle are forgotten on the way. */
  function available(): Member | undefined {
    for (const member of members) {
      if (member.busy) continue;
      if (member.worker.alive()) return member;
      void retire(member);
    }
    return members.size + ending.size < options.workers ? start() : undefined;
  }

  function next(): void {
    while (queue.size() > 0) {
      const member = available();
      if (!member) return;
      const job = queue.next()!;
      queuedBytes -= job.bytes.length;
      void work(member, job);
    }
  }

  async function work(member: Member, job: Job): Promise<void> {
    member.busy = true;
    member.decodes++;
    clearTimeout(member.idle);
    job.started = performance.now();
    const { made, resident } = await member.worker.run(job.request, job.bytes, (measured) => {
      job.measured = measured;
    });
    member.busy = false;
    job.settle(made);
    if (!members.has(member)) return;
    const used = member.decodes >= recycle.decodes || resident > recycle.residentBytes;
    if (used || !member.worker.alive()) void retire(member);
    else member.idle = setTimeout(() => void retire(member), recycle.idleMs).unref();
    next();
  }

  function enqueue(job: Job): boolean {
    const direct = queue.size() === 0 ? available() : undefined;
    if (direct) {
      void work(direct, job);
      return true;
    }
    if (!mayWait(job)) return false;
    queue.push(job.team, job);
    queuedBytes += job.bytes.length;
    return true;
  }

  function mayWait({ team, bytes }: Job): boolean {
    if (queue.size() >= waiting.images || queuedBytes + bytes.length > waiting.bytes) return false;
    if (team === '') return true;
    const own = queue.of(team);
    const ownBytes = own.reduce((sum, job) => sum + job.bytes.length, bytes.length);
    return own.length < waiting.images / 2 && ownBytes <= waiting.bytes / 2;
  }

  function leave(job: Job): void {
    if (queue.remove(job.team, job)) queuedBytes -= job.bytes.length;
    const cancelled = failure('cancelled');
    const { measured } = job;
    job.settle(measured ? { ok: true, measured, pixels: [], unmade: cancelled } : cancelled);
  }

  function run(job: Asked, signal: AbortSignal | undefined) {
    return new Promise<{ result: Rendered | Failure; started: number }>((resolve) => {
      const abort = (): void => leave(whole);
      const whole: Job = {
        ...job,
        started: 0,
        measured: undefined,
        settle(result) {
          signal?.removeEventListener('abort', abort);
          resolve({ result, started: whole.started });
        },
      };
      if (closed || signal?.aborted) return whole.settle(failure('cancelled'));
      signal?.addEventListener('abort', abort, { once: true });
      if (!enqueue(whole)) whole.settle(failure('decode_busy'));
    });
  }

  /** What is too dear to be made with its renditions may be had without: one that is only hashed streams through. */
  async function made(job: Asked, signal: AbortSignal | undefined) {
    const all = await run(job, signal);
    const { request } = job;
    if (all.result.ok || !COSTS.has(all.result.reason) || !request.hashed || request.renditions.length === 0)
      return all;
    const { result } = await run({ ...job, request: { ...request, renditions: [] } }, signal);
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
    counts: () => ({
      workers: members.size,
      busy: [...members].filter(({ busy }) => busy).length,
      waiting: queue.size(),
      waitingBytes: queuedBytes,
    }),
    pids: () => [...members].flatMap(({ worker }) => (worker.pid === undefined ? [] : [worker.pid])),
    async close() {
      closed = true;
      for (const job of queue.all()) leave(job);
      for (const member of [...members]) void retire(member);
      await Promise.all(ending);
    },
  };
}

const COSTS: ReadonlySet<FailureReason> = new Set(['decode_timeout', 'decode_late', 'decode_memory']);

function outcomeOf(result: Rendered | Failure): DecodeEvent['outcome'] {
  return result.ok ? (result.unmade?.reason ?? 'decoded') : result.reason;
}

function decodedAs(properties: Decoded['properties'], { measured, ...rest }: Rendered): Decoded {
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
