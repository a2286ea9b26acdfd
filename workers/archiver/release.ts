/** Lets what is archived leave Redis, after its insert. Every step may be repeated; the position moves last. */
import type { Logger } from '../../shared/log.js';
import type { ArchivedIndex, ArchiveScripts } from './archive-scripts.js';
import type { LogPiece } from './block.js';
import { byId } from './read-log.js';

export interface ReleaseOptions {
  scripts: ArchiveScripts;
  logger: Logger;
  /** how long archived results and index members stay, in ms */
  hotMs: number;
  /** Bounds how long an answer of Redis is awaited. */
  asked<T>(answer: Promise<T>): Promise<T>;
}

/**
 * Sets refused entries aside, lets index keys and results of the others expire, and moves the position.
 *
 * - `moved`: the position was not where the piece starts: another archiver has moved it.
 * - `full`: there is no room for a refused entry. Nothing has moved.
 */
export type Release = (piece: LogPiece) => Promise<'released' | 'moved' | 'full'>;

/** Keys or requests of one script call, and index calls at a time. */
const CHUNK = 500;
/** Entries of a piece that are logged one by one when they are set aside. */
const MOST_TOLD = 10;

export function createRelease({ scripts, logger, hotMs, asked }: ReleaseOptions): Release {
  /** Sets aside in the order of the log, so that they are listed and replayed in it. */
  async function setAside({ partition, from, refused }: LogPiece): Promise<'aside' | 'moved' | 'full'> {
    const inOrder = [...refused].sort((a, b) => byId(a.entry, b.entry));
    let count = 0;
    for (const { entry, reason } of inOrder) {
      const { id, request, format, rows, index } = entry;
      const fields = ['id', request, 'reason', reason, 'format', format, 'rows', rows, 'index', index];
      const outcome = await asked(scripts.refuseEntry(partition, from, { id, request, fields }));
      if (outcome === 'moved' || outcome === 'full') return outcome;
      if (outcome === 'aside' && ++count <= MOST_TOLD)
        logger.error({ partition, entry: id, check_id: request, reason }, 'an entry was set aside');
    }
    if (count > MOST_TOLD)
      logger.error({ partition, more: count - MOST_TOLD }, 'more entries were set aside (weir refused list)');
    return 'aside';
  }

  async function releaseIndexes({ index, lastMs: archivedMs }: LogPiece, aside: ReadonlySet<string>): Promise<void> {
    const indexes: ArchivedIndex[] = [];
    for (const [key, all] of index) {
      const requests = all.filter((request) => !aside.has(request));
      for (let i = 0; i < requests.length; i += CHUNK) {
        indexes.push({ key, requests: requests.slice(i, i + CHUNK), archivedMs, hotMs });
      }
    }
    for (let i = 0; i < indexes.length; i += CHUNK) {
      await asked(scripts.expireIndexes(indexes.slice(i, i + CHUNK)));
    }
  }

  return async (piece: LogPiece) => {
    const { partition, from, to, entries, bytes } = piece;
    const outcome = await setAside(piece);
    if (outcome !== 'aside') return outcome;
    // What is set aside is not archived: look-ups find it in Redis.
    const aside = new Set(piece.refused.map(({ entry }) => entry.request));
    const requests = piece.requests.filter((request) => !aside.has(request));
    await releaseIndexes(piece, aside);
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
      if (!(await asked(scripts.expireOnly(partition, archived(i, i + CHUNK))))) return 'moved';
    }
    return (await asked(scripts.advance(partition, archived(last)))) ? 'released' : 'moved';
  };
}
