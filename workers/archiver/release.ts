/** Lets what is archived leave Redis, after its insert. Every step may be repeated; the position moves last. */
import type { Logger } from '../../shared/log.js';
import type { ArchiveScripts } from './archive-scripts.js';
import type { Part, Refusal } from './read-log.js';

export interface ReleaseOptions {
  scripts: ArchiveScripts;
  logger: Logger;
  /** how long archived results and index members stay, in ms */
  hotMs: number;
  /** Bounds how long an answer of Redis is awaited. */
  asked<T>(answer: Promise<T>): Promise<T>;
}

/**
 * Sets `refused` aside, lets index keys and results expire, and moves the position. False when the position was not where `part` starts:
 * another archiver has moved it.
 */
export type Release = (partition: number, part: Part, refused: readonly Refusal[]) => Promise<boolean>;

/** Keys or requests of one script call, and index calls at a time. */
const CHUNK = 500;

export function createRelease({ scripts, logger, hotMs, asked }: ReleaseOptions): Release {
  async function releaseIndexes({ index, archivedMs }: Part): Promise<void> {
    const calls: (() => Promise<boolean>)[] = [];
    for (const [key, requests] of index) {
      for (let i = 0; i < requests.length; i += CHUNK) {
        const some = { requests: requests.slice(i, i + CHUNK), archivedMs, hotMs };
        calls.push(() => scripts.expireIndex(key, some));
      }
    }
    for (let i = 0; i < calls.length; i += CHUNK) {
      await asked(Promise.all(calls.slice(i, i + CHUNK).map((call) => call())));
    }
  }

  return async (partition: number, part: Part, refused: readonly Refusal[]): Promise<boolean> => {
    for (const { entry, reason } of refused) {
      const fields = ['id', entry.request, 'reason', reason, 'format', entry.format, 'rows', entry.rows];
      await asked(scripts.refuseEntry(partition, entry.id, fields));
      logger.error({ partition, entry: entry.id, request: entry.request, reason }, 'an entry was set aside');
    }
    await releaseIndexes(part);
    const archived = (from: number, to?: number) => ({
      from: part.from,
      to: part.to,
      requests: part.requests.slice(from, to),
      hotMs,
      entries: part.logEntries,
      bytes: part.logBytes,
    });
    const last = Math.floor(Math.max(0, part.requests.length - 1) / CHUNK) * CHUNK;
    for (let i = 0; i < last; i += CHUNK) {
      if (!(await asked(scripts.expireOnly(partition, archived(i, i + CHUNK))))) return false;
    }
    return await asked(scripts.advance(partition, archived(last)));
  };
}
