/** Lets what is archived leave Redis, after its insert. Every step may be repeated; the position moves last. */
import type { Logger } from '../../shared/log.js';
import type { ArchiveScripts } from './archive-scripts.js';
import type { Piece } from './block.js';

export interface ReleaseOptions {
  scripts: ArchiveScripts;
  logger: Logger;
  /** how long archived results and index members stay, in ms */
  hotMs: number;
  /** Bounds how long an answer of Redis is awaited. */
  asked<T>(answer: Promise<T>): Promise<T>;
}

/**
 * Sets refused entries aside, lets index keys and results expire, and moves the position. False when the position was not where the piece
 * starts: another archiver has moved it.
 */
export type Release = (piece: Piece) => Promise<boolean>;

/** Keys or requests of one script call, and index calls at a time. */
const CHUNK = 500;

export function createRelease({ scripts, logger, hotMs, asked }: ReleaseOptions): Release {
  async function releaseIndexes({ index, lastMs: archivedMs }: Piece): Promise<void> {
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

  return async (piece: Piece): Promise<boolean> => {
    const { partition, from, to, requests, entries, bytes } = piece;
    for (const { entry, reason } of piece.refused) {
      const fields = ['id', entry.request, 'reason', reason, 'format', entry.format, 'rows', entry.rows];
      await asked(scripts.refuseEntry(partition, entry.id, fields));
      logger.error({ partition, entry: entry.id, request: entry.request, reason }, 'an entry was set aside');
    }
    await releaseIndexes(piece);
    const archived = (start: number, end?: number) => ({
      from,
      to,
      requests: requests.slice(start, end),
      hotMs,
      entries,
      bytes,
    });
    const last = Math.floor(Math.max(0, requests.length - 1) / CHUNK) * CHUNK;
    for (let i = 0; i < last; i += CHUNK) {
      if (!(await asked(scripts.expireOnly(partition, archived(i, i + CHUNK))))) return false;
    }
    return await asked(scripts.advance(partition, archived(last)));
  };
}
