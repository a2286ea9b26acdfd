/** The archiver's scripts in Redis, typed. What each does and promises stands in its file in `scripts/`. */
import { keys } from '../../shared/streams/keys.js';
import { type Argument, type Connection, script } from '../../shared/streams/script.js';

/** Entries kept in `refused:{p}`, and their bytes: twice the largest body (32 MiB), as of dead letters. */
const REFUSED_ENTRIES = 10_000;
const REFUSED_BYTES = 64 * 1024 * 1024;

/**
 * How far partition `p` is archived: all spans before number `second`, and of that one the first `part` parts, up to
 * the log id `last`.
 */
export interface Position {
  /** length of a span in ms; `second` counts spans since 1970 */
  span: number;
  second: number;
  part: number;
  last: string;
}

export interface Archived {
  from: Position | undefined;
  to: Position;
  /** requests whose results may expire now; more than a few hundred are best given in several calls, see `expireOnly` */
  requests: readonly string[];
  hotMs: number;
}

export interface ArchivedIndex {
  requests: readonly string[];
  /** Unix ms */
  archivedMs: number;
  hotMs: number;
}

export interface ArchiveScripts {
  position(p: number): Promise<Position | undefined>;
  /** Closes the span that ends before `endMs`; not before it is `delayMs` past, unless it is more than `aheadMs` to come. */
  seal(
    p: number,
    endMs: number,
    when: { delayMs: number; aheadMs?: number },
  ): Promise<{ closed: boolean; now: number }>;
  /** Moves the position; false when it was not at `from` any more. */
  advance(p: number, archived: Archived): Promise<boolean>;
  /** As `advance`, but leaves the position. */
  expireOnly(p: number, archived: Archived): Promise<boolean>;
  /**
   * Marks `requests` of an index key as archived (a few hundred at most), drops archived members from before
   * `archivedMs` less `hotMs`, and lets the key expire when nothing in it is left to archive; false when something is.
   */
  expireIndex(key: string, archived: ArchivedIndex): Promise<boolean>;
  /** Takes or keeps the lease; `holdMs` 0 gives it back. */
  lease(p: number, owner: string, holdMs: number): Promise<boolean>;
  /** Sets a log entry aside. */
  refuse(p: number, entryId: string, fields: readonly Argument[]): Promise<void>;
}

const seal = script('archive/seal-span');
const position = script('archive/move-position');
const index = script('indexes/expire-index');
const lease = script('archive/hold-lease');
const refuse = script('archive/refuse-entry');

export function createArchiveScripts(connection: Connection): ArchiveScripts {
  async function move(p: number, { from, to, requests, hotMs }: Archived, final: boolean): Promise<boolean> {
    const moved = await position(
      connection,
      [keys.position(p), keys.results(p), ...requests.map((id) => keys.result(p, id))],
      [
        to.span,
        from?.second ?? '',
        from?.part ?? '',
        final ? to.second : '',
        to.part,
        to.last,
        nextId(to.last),
        Math.round(hotMs),
      ],
    );
    return moved === 1;
  }

  return {
    async position(p) {
      const { span, second, part, last } = await connection.hgetall(keys.position(p));
      if (span === undefined || second === undefined || part === undefined || last === undefined) return undefined;
      return { span: Number(span), second: Number(second), part: Number(part), last };
    },
    async seal(p, endMs, { delayMs, aheadMs = Number.POSITIVE_INFINITY }) {
      const ahead = Number.isFinite(aheadMs) ? aheadMs : '';
      const [closed, now] = (await seal(connection, [keys.results(p)], [endMs, delayMs, ahead])) as [number, number];
      return { closed: closed === 1, now };
    },
    advance: (p, archived) => move(p, archived, true),
    expireOnly: (p, archived) => move(p, archived, false),
    async expireIndex(key, { requests, archivedMs, hotMs }) {
      // The last sequence of the millisecond before, see `sequenceOf`.
      const bound = Math.max(0, archivedMs - Math.round(hotMs)) * 4096 - 1;
      return (await index(connection, [key, keys.unarchived(key)], [bound, Math.round(hotMs), ...requests])) === 1;
    },
    async lease(p, owner, holdMs) {
      return (await lease(connection, [keys.lease(p)], [owner, holdMs])) === 1;
    },
    async refuse(p, entryId, fields) {
      const limits = [REFUSED_ENTRIES, REFUSED_BYTES];
      await refuse(connection, [keys.refused(p), keys.refusedBytes(p)], [entryId, ...limits, ...fields]);
    },
  };
}

/** The stream id right after `id`. */
export function nextId(id: string): string {
  const dash = id.indexOf('-');
  const ms = id.slice(0, dash);
  const count = BigInt(id.slice(dash + 1));
  return count === 0xffff_ffff_ffff_ffffn ? `${BigInt(ms) + 1n}-0` : `${ms}-${count + 1n}`;
}
