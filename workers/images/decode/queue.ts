/**
 * Images that wait for a decoding process. Their number and their bytes are bounded. A team may have half of both, and
 * teams take turns. An empty team name means nobody in particular: it is bound by the totals alone.
 */
import { createLines } from '../../../shared/lines.js';

export interface QueueLimits {
  images: number;
  bytes: number;
}

/** What the queue looks at. */
export interface QueuedImage {
  team: string;
  bytes: Buffer;
}

export function createDecodeQueue<Job extends QueuedImage>(limits: QueueLimits) {
  const lines = createLines<Job>();
  let total = 0;

  function hasRoom({ team, bytes }: Job): boolean {
    if (lines.size() >= limits.images || total + bytes.length > limits.bytes) return false;
    if (team === '') return true;
    const own = lines.of(team);
    const ownBytes = own.reduce((sum, job) => sum + job.bytes.length, bytes.length);
    return own.length < limits.images / 2 && ownBytes <= limits.bytes / 2;
  }

  return {
    /** False when there is no room. */
    add(job: Job): boolean {
      if (!hasRoom(job)) return false;
      lines.push(job.team, job);
      total += job.bytes.length;
      return true;
    },
    next(): Job | undefined {
      const job = lines.next();
      if (job) total -= job.bytes.length;
      return job;
    },
    /** What `next` takes out, as things are. */
    first: () => lines.first(),
    /** Takes out `job`, if it waits. */
    remove(job: Job): void {
      if (lines.remove(job.team, job)) total -= job.bytes.length;
    },
    all: () => lines.all(),
    counts: () => ({ waiting: lines.size(), waitingBytes: total }),
  };
}
