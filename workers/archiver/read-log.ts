/**
 * Reads the log and cuts it into parts. A part is a function of the log alone: the entries of one span, in order, cut
 * where the next entry would exceed the rows or the bytes of a block (an entry that is larger than a block is a part
 * of its own). So whoever reads it, and however often, it is the same rows under the same token.
 *
 * Memory: the part under way and one page of entries.
 */
import { DamagedRows, unpackRows } from '../rows/rows.js';
import type { Position } from './archive-scripts.js';

/** An entry of the log as Redis returns it. */
export interface LogEntry {
  id: string;
  ms: number;
  /** request id, or empty when the entry has none */
  request: string;
  format: string;
  rows: Buffer;
  /** JSON array of index keys */
  index: string;
  bytes: number;
}

/** An entry whose rows go to ClickHouse. */
export interface PartEntry {
  id: string;
  bytes: Buffer;
  rows: number;
  source: LogEntry;
}

export interface Refusal {
  entry: LogEntry;
  reason: string;
}

export interface Part {
  /** position it was read from; undefined at the very first */
  from: Position | undefined;
  /** position once it is archived */
  to: Position;
  token: string;
  entries: PartEntry[];
  refused: Refusal[];
  requests: string[];
  /** index key → requests of this part that it finds */
  index: Map<string, string[]>;
  rows: number;
  bytes: number;
  /** everything that was logged before this Unix ms is archived with it */
  archivedMs: number;
  /** Unix ms of its first and last entry */
  firstMs: number;
  lastMs: number;
}

export type Reading =
  | { status: 'part'; part: Part }
  /** the log has nothing beyond the position */
  | { status: 'empty' }
  /** its oldest span, which ends at `endMs`, is not old enough yet; `now` in Redis's time */
  | { status: 'open'; endMs: number; oldestMs: number; now: number };

export interface PartReaderOptions {
  partition: number;
  span: number;
  blockRows: number;
  blockBytes: number;
  /** entries after the log id `after` (empty: from the start), at most `count` */
  page(after: string, count: number): Promise<LogEntry[]>;
  /**
   * Closes the span that ends at `endMs`, or says that it is too early; `now` in Redis's time. One that ends more than
   * `aheadMs` after that is closed all the same.
   */
  seal(endMs: number, aheadMs: number): Promise<{ closed: boolean; now: number }>;
}

export interface PartReader {
  /** The part after `position`. Consecutive calls must follow each other's `to`; else call `reset` first. */
  next(position: Position | undefined): Promise<Reading>;
  reset(): void;
}

const PAGE_BYTES = 4 * 1024 * 1024;
/**
 * So few that a page is no danger though every entry of it be as large as one can be (some 30 MB). Asking more often costs next
 * to nothing: at 2,000 entries a second that is 250 times.
 */
const PAGE_ENTRIES = 8;
/**
 * An entry is logged with the time of the clock. One that is further ahead of it than this was logged before the clock was set
 * back (or on another host, before a failover), and nobody waits for that time to come again.
 */
const AHEAD_MS = 10_000;

export function createPartReader(options: PartReaderOptions): PartReader {
  let pending: LogEntry[] = [];
  let taken = 0;
  let lastRead: string | undefined;
  let count = PAGE_ENTRIES;
  let sealedMs = 0;
  let notEarlierMs = 0;

  async function fill(after: string): Promise<boolean> {
    if (taken < pending.length) return true;
    pending = await options.page(lastRead ?? after, count);
    taken = 0;
    if (pending.length === 0) return false;
    lastRead = pending[pending.length - 1]!.id;
    // Redis cannot be asked for so many bytes, only for so many entries: as many as would fit if all were as large as
    // the largest of the last page.
    const largest = pending.reduce((most, entry) => Math.max(most, entry.bytes), 1);
    count = Math.max(1, Math.min(PAGE_ENTRIES, Math.floor(PAGE_BYTES / largest)));
    return true;
  }

  /** After one that was closed ahead of its time the next comes when a span has passed: else each would be an entry long. */
  async function seal(endMs: number, span: number): Promise<{ closed: boolean; now: number }> {
    const { closed, now } = await options.seal(endMs, Number.POSITIVE_INFINITY);
    if (closed || endMs - now <= AHEAD_MS || now < notEarlierMs) return { closed, now };
    notEarlierMs = now + span;
    return await options.seal(endMs, AHEAD_MS);
  }

  return {
    reset() {
      pending = [];
      taken = 0;
      lastRead = undefined;
      count = PAGE_ENTRIES;
    },
    async next(position) {
      const after = position?.last ?? '';
      if (!(await fill(after))) return { status: 'empty' };
      const span = position?.span ?? options.span;
      const second = Math.floor(pending[taken]!.ms / span);
      const endMs = (second + 1) * span;
      if (sealedMs < endMs) {
        const { closed, now } = await seal(endMs, span);
        if (!closed) return { status: 'open', endMs, oldestMs: pending[taken]!.ms, now };
        sealedMs = endMs;
      }
      // A failover can bring back a log without its seal, and so entries of a span that was archived. They become
      // one more part of the span that the position is at: it never goes back.
      const at = Math.max(second, position?.second ?? 0);
      const part = emptyPart(position, {
        span,
        second: at,
        part: position?.second === at ? position.part : 0,
        last: '',
      });
      while (await fill(after)) {
        const entry = pending[taken]!;
        if (entry.ms >= endMs) break;
        if (!take(part, entry, options)) return { status: 'part', part: finish(part, options.partition, false) };
        taken++;
      }
      return { status: 'part', part: finish(part, options.partition, at === second) };
    },
  };
}

function emptyPart(from: Position | undefined, to: Position): Part {
  return {
    from,
    to,
    token: '',
    entries: [],
    refused: [],
    requests: [],
    index: new Map(),
    rows: 0,
    bytes: 0,
    archivedMs: 0,
    firstMs: 0,
    lastMs: 0,
  };
}

/** False when the entry does not fit any more. */
function take(part: Part, entry: LogEntry, limits: { blockRows: number; blockBytes: number }): boolean {
  const first = part.to.last === '';
  try {
    if (entry.request === '') throw new DamagedRows('the entry has no field "id"');
    const { rows, bytes } = unpackRows(entry.format, entry.rows);
    if (!first && (part.rows + rows > limits.blockRows || part.bytes + bytes.length > limits.blockBytes)) return false;
    if (rows > 0) part.entries.push({ id: entry.id, bytes, rows, source: entry });
    part.rows += rows;
    part.bytes += bytes.length;
  } catch (error) {
    if (!(error instanceof DamagedRows)) throw error;
    part.refused.push({ entry, reason: error.message });
  }
  if (entry.request !== '') {
    part.requests.push(entry.request);
    for (const key of indexKeysOf(entry.index)) {
      const requests = part.index.get(key);
      if (requests) requests.push(entry.request);
      else part.index.set(key, [entry.request]);
    }
  }
  part.to.last = entry.id;
  if (first) part.firstMs = entry.ms;
  part.lastMs = entry.ms;
  return true;
}

function finish(part: Part, partition: number, complete: boolean): Part {
  const { span, second, part: number, last } = part.to;
  // What the part holds is in its token, so that a log that lost entries in a failover, or other limits after a
  // restart, can never make a different block look like one that is stored already.
  const count = part.entries.length + part.refused.length;
  part.token = `${partition}:${second}:${number}:${count}:${last}`;
  part.to = complete ? { span, second: second + 1, part: 0, last } : { span, second, part: number + 1, last };
  part.archivedMs = complete ? (second + 1) * span : part.lastMs + 1;
  return part;
}

function indexKeysOf(json: string): string[] {
  if (json === '' || json === '[]') return [];
  try {
    const list: unknown = JSON.parse(json);
    return Array.isArray(list) ? list.filter((key): key is string => typeof key === 'string') : [];
  } catch {
    // The rows have their own checksum; an index that cannot be read only lives a week longer.
    return [];
  }
}

/** Makes a log entry of what XRANGE returns. */
export function logEntry([id, fields]: [Buffer, Buffer[]]): LogEntry {
  const entry: LogEntry = {
    id: id.toString(),
    ms: 0,
    request: '',
    format: '',
    rows: Buffer.alloc(0),
    index: '',
    bytes: 0,
  };
  entry.ms = Number(entry.id.slice(0, entry.id.indexOf('-')));
  for (let i = 0; i + 1 < fields.length; i += 2) {
    const value = fields[i + 1]!;
    entry.bytes += value.length;
    const name = fields[i]!.toString();
    if (name === 'rows') entry.rows = value;
    else if (name === 'id' || name === 'format' || name === 'index') {
      entry[name === 'id' ? 'request' : name] = value.toString();
    }
  }
  return entry;
}
