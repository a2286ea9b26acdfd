/** The archiver's calls of scripts in Redis. Each script states its contract at its top. */
import type { Redis } from '../../shared/streams/client.js';
import { FOLLOWERS, keys } from '../../shared/streams/keys.js';
import { type Argument, script } from '../../shared/streams/script.js';
import { deleteDroppedSegments } from '../../shared/streams/segments.js';
import { sendTogether } from '../../shared/streams/send.js';

/** Limit of the number of refused entries of a partition. */
const REFUSED_ENTRIES = 10_000;

/** Results do not stay in Redis for longer because a follower does not read them. */
const BACKLOG_MS = 3_600_000;

/** Where the log of a partition is archived on. Ids are those of the log. */
export interface ArchivePosition {
  /** to go on after; empty: from the start */
  after: string;
  /** first one behind it; empty: there is none */
  oldest: string;
  /** Unix ms by the clock of Redis */
  now: number;
}

export interface Archived {
  /** last archived id of the log when `requests` were read; empty: nothing was archived */
  from: string;
  /** last id that is archived now */
  to: string;
  /** requests whose results may expire now; pass more than a few hundred in several calls of `expireOnly` */
  requests: readonly string[];
  hotMs: number;
  /** entries of the log that are archived with `to`, and their bytes in the log */
  entries: number;
  bytes: number;
}

export interface ArchivedIndex {
  key: string;
  requests: readonly string[];
  /** Unix ms */
  archivedMs: number;
  hotMs: number;
}

export interface ArchiveScripts {
  /** `after`: go on after this id rather than the position. */
  look(p: number, after?: string): Promise<ArchivePosition>;
  /** Moves the position; false when it was no longer at `from`. */
  advance(p: number, archived: Archived): Promise<boolean>;
  /** Like `advance`, but leaves the position where it is. */
  expireOnly(p: number, archived: Archived): Promise<boolean>;
  /**
   * For each index (a few hundred at most): marks `requests` as archived (a few hundred at most), drops archived members that are older
   * than `hotMs` before `archivedMs`, and lets the index expire once all its requests are archived; false when they are not.
   */
  expireIndexes(indexes: readonly ArchivedIndex[]): Promise<boolean[]>;
  /** Sets an entry aside that was read from the position `from`. */
  refuseEntry(p: number, from: string, refused: Refused): Promise<SetAside>;
}

/** `again`: it was set aside before. `moved` and `full`: it is not set aside. */
export type SetAside = 'aside' | 'again' | 'moved' | 'full';

export interface Refused {
  /** of the log */
  id: string;
  /** '' where the entry names none */
  request: string;
  fields: readonly Argument[];
}

export interface LogBounds {
  /** bytes of archived entries that one log keeps for a follower at most */
  backlog(): number;
  /** bytes of refused entries that are kept of one log; a single entry may have more */
  refused(): number;
}

const UNBOUNDED: LogBounds = { backlog: () => Number.MAX_SAFE_INTEGER, refused: () => Number.MAX_SAFE_INTEGER };

const lookAtLog = script('archive/look-at-log');
const movePosition = script('archive/move-position');
const expire = script('indexes/expire-index');
const refuse = script('archive/refuse-entry');

export function createArchiveScripts(connection: Redis, bounds: LogBounds = UNBOUNDED): ArchiveScripts {
  async function move(p: number, archived: Archived, final: boolean): Promise<boolean> {
    const { from, to, requests, hotMs } = archived;
    const moved = await movePosition(
      connection,
      [
        keys.position(p),
        keys.results(p),
        keys.logSegments(p),
        ...FOLLOWERS.map((follower) => keys.place(follower, p)),
        ...requests.map((id) => keys.result(p, id)),
      ],
      [
        from,
        final ? to : '',
        nextId(to),
        Math.round(hotMs),
        archived.bytes,
        archived.entries,
        Math.floor(bounds.backlog()),
        BACKLOG_MS,
        FOLLOWERS.length,
      ],
    );
    // Where it fails, the next move does it.
    if (moved === 2) await deleteDroppedSegments(connection, p).catch(() => undefined);
    return moved !== 0;
  }

  return {
    async look(p, after = '') {
      const reply = await lookAtLog(connection, [keys.position(p), keys.results(p)], [after]);
      const [from, oldest, now] = reply as [string, string, number];
      return { after: from, oldest, now };
    },
    advance: (p, archived) => move(p, archived, true),
    expireOnly: (p, archived) => move(p, archived, false),
    async expireIndexes(indexes) {
      const calls = indexes.map(({ key, requests, archivedMs, hotMs }) => {
        // The last sequence of the millisecond before, see `sequenceOf`.
        const bound = Math.max(0, archivedMs - Math.round(hotMs)) * 4096 - 1;
        return expire.prepare([key, keys.unarchived(key)], [bound, Math.round(hotMs), ...requests]);
      });
      const answers = await sendTogether(connection, calls);
      const failed = answers.find((answer) => answer instanceof Error);
      if (failed) throw failed;
      return answers.map((answer) => answer === 1);
    },
    async refuseEntry(p, from, { id, request, fields }) {
      const result = request === '' ? [] : [keys.result(p, request)];
      const scriptKeys = [keys.refused(p), keys.refusedBytes(p), keys.position(p), ...result];
      const limits = [REFUSED_ENTRIES, Math.floor(bounds.refused())];
      const outcome = await refuse(connection, scriptKeys, [id, from, ...limits, ...fields]);
      return outcome === 1 ? 'aside' : outcome === 2 ? 'again' : outcome === 0 ? 'moved' : 'full';
    },
  };
}

/** The next possible stream id after `id`. */
export function nextId(id: string): string {
  const dash = id.indexOf('-');
  const ms = id.slice(0, dash);
  const count = BigInt(id.slice(dash + 1));
  return count === 0xffff_ffff_ffff_ffffn ? `${BigInt(ms) + 1n}-0` : `${ms}-${count + 1n}`;
}
