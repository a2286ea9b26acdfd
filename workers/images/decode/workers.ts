/**
 * The decoding processes: started when there is work, up to the number allowed, and used again after each image. A process
 * is ended when it has decoded enough, holds much memory, fails, or is idle for a while.
 */
import { type DecodeOutcome, type DecodeWorker, startWorker, type WorkerLimits } from './child.js';

export interface Recycle {
  decodes: number;
  residentBytes: number;
  idleMs: number;
}

export interface PooledWorker {
  worker: DecodeWorker;
  busy: boolean;
  decodes: number;
  idle: NodeJS.Timeout | undefined;
}

export interface WorkersOptions {
  most: number;
  limits: WorkerLimits;
  recycle: Recycle;
  /** called when a process has gone and another one may be started */
  onGone(): void;
}

export function createWorkers({ most, limits, recycle, onGone }: WorkersOptions) {
  const members = new Set<PooledWorker>();
  /** Processes that were ended and are not gone yet. They count, since they still hold memory. */
  const ending = new Set<Promise<void>>();

  function start(): PooledWorker {
    const member: PooledWorker = { worker: startWorker(limits), busy: false, decodes: 0, idle: undefined };
    members.add(member);
    return member;
  }

  function retire(member: PooledWorker): void {
    clearTimeout(member.idle);
    members.delete(member);
    const gone = member.worker.end().then(() => {
      ending.delete(gone);
      onGone();
    });
    ending.add(gone);
  }

  return {
    /** A process that can take an image now; undefined when there is none and no further one is allowed. */
    free(): PooledWorker | undefined {
      for (const member of members) {
        if (member.busy) continue;
        if (member.worker.alive()) return member;
        // It died while it was idle.
        retire(member);
      }
      return members.size + ending.size < most ? start() : undefined;
    },
    /** Has a free process decode one image. Never rejects. */
    async run(member: PooledWorker, ...decode: Parameters<DecodeWorker['run']>): Promise<DecodeOutcome['made']> {
      member.busy = true;
      member.decodes++;
      clearTimeout(member.idle);
      const { made, resident } = await member.worker.run(...decode);
      member.busy = false;
      // Else it was ended by `close`.
      if (members.has(member)) {
        const used = member.decodes >= recycle.decodes || resident > recycle.residentBytes;
        if (used || !member.worker.alive()) retire(member);
        else member.idle = setTimeout(() => retire(member), recycle.idleMs).unref();
      }
      return made;
    },
    /** Sends a process that is busy the image that is next. */
    prepare(...image: Parameters<DecodeWorker['prepare']>): void {
      for (const { busy, worker } of members) if (busy) worker.prepare(...image);
    },
    counts: () => ({ workers: members.size, busy: [...members].filter(({ busy }) => busy).length }),
    pids: () => [...members].flatMap(({ worker }) => worker.pid ?? []),
    /** Ends all of them; resolves when they are gone. */
    async close(): Promise<void> {
      for (const member of [...members]) retire(member);
      await Promise.all(ending);
    },
  };
}
