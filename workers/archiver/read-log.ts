/**
 * Reads the log and cuts it into parts. A part has the entries of one span, in order, up to the rows and bytes of a block. An entry that
 * is larger than a block is a part of its own. So a part is a function of the log alone: every archiver, and every repetition, makes the
 * same rows under the same token.
 *
 * Memory: the current part and one page of entries.
 */
import { DamagedRows, unpackRows } from '../rows/pack-rows.js';
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
  /** entries of the log, also those without rows, and the bytes of their fields */
  logEntries: number;
  logBytes: number;
  /** everything that was logged before this Unix ms is archived with it */
  archivedMs: number;
  /** Unix ms of its first and last entry */
  firstMs: number;
  lastMs: number;
}

export type Reading =
  | { status: 'part'; part: Part }
  /** the log has nothing after the position */
  | { status: 'empty' }
  /** the oldest span of the log, which ends at `endMs`, is not closed yet; `now` in Redis's time */
  | { status: 'open'; endMs: number; oldestMs: number; now: number };

export interface PartReaderOptions {
  partition: number;
  span: number;
  blockRows: number;
  blockBytes: number;
  /** entries after the log id `after` (empty: from the start), at most `count` */
  page(after: string, count: number): Promise<LogEntry[]>;
  /**
   * Closes the span that ends at `endMs`, unless it is too early; `now` in Redis's time. A span that ends more than `aheadMs` after
   * `now` is closed in any case.
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
 * Entries of a page at most. So few, because each may have some 30 MB. Reading more often costs next to nothing: at 2,000 entries a
 * second, 250 reads.
 */
const PAGE_ENTRIES = 8;
/**
 * An entry has the time of Redis's clock. If it is ahead of the clock by more than this, the clock was set back (or a failover led to
 * another host). Its span is closed at once rather than when that time comes again.
 */
const AHEAD_MS = 10_000;

export function createPartReader(options: PartReaderOptions): PartReader {
  const pages = createPages(options.page);
  const close = createClosing(options);
  return {
    reset: pages.reset,
    async next(position) {
      const after = position?.last ?? '';
      const oldest = pages.current() ?? (await pages.fetch(after));
      if (!oldest) return { status: 'empty' };
      const span = position?.span ?? options.span;
      const second = Math.floor(oldest.ms / span);
      const endMs = (second + 1) * span;
      const early = await close(endMs, span);
      if (early) return { status: 'open', endMs, oldestMs: oldest.ms, now: early.now };
      // A failover can bring back a log without its seal, and so entries of a span that is archived already. They become one more part
      // of the span that the position is at: the position never goes back.
      const at = Math.max(second, position?.second ?? 0);
      const number = position?.second === at ? position.part : 0;
      const part = emptyPart(position, { span, second: at, part: number, last: '' });
      for (;;) {
        const entry = pages.current() ?? (await pages.fetch(after));
        if (!entry || entry.ms >= endMs) break;
        if (!take(part, entry, options)) return { status: 'part', part: finish(part, options.partition, false) };
        pages.advance();
      }
      return { status: 'part', part: finish(part, options.partition, at === second) };
    },
  };
}

/** The entries of the log in order, read page by page. */
export function createPages(page: PartReaderOptions['page']) {
  let entries: LogEntry[] = [];
  let taken = 0;
  let lastRead: string | undefined;
  let count = PAGE_ENTRIES;
  return {
    reset(): void {
      entries = [];
      taken = 0;
      lastRead = undefined;
      count = PAGE_ENTRIES;
    },
    /** The next entry, if its page has been read. */
    current: (): LogEntry | undefined => entries[taken],
    advance(): void {
      taken++;
    },
    /** Reads the next page, the first one from `after` on, and returns its first entry. */
    async fetch(after: string): Promise<LogEntry | undefined> {
      entries = await page(lastRead ?? after, count);
      taken = 0;
      const last = entries.at(-1);
      if (last === undefined) return undefined;
      lastRead = last.id;
      // Redis limits a read by entries, not by bytes. So the next page has as many entries as fit if all are as large as the largest
      // one of this page.
      const largest = entries.reduce((most, entry) => Math.max(most, entry.bytes), 1);
      count = Math.max(1, Math.min(PAGE_ENTRIES, Math.floor(PAGE_BYTES / largest)));
      return entries[0];
    },
  };
}

/** Closes spans, each once. Returns undefined when the span is closed, else the time of Redis: it is too early. */
function createClosing({
  seal,
}: PartReaderOptions): (endMs: number, span: number) => Promise<{ now: number } | undefined> {
  let closedMs = 0;
  let notEarlierMs = 0;
  return async (endMs, span) => {
    if (closedMs >= endMs) return undefined;
    let { closed, now } = await seal(endMs, Number.POSITIVE_INFINITY);
    // Spans ahead of the clock are closed one in the time of a span. Else each would have a single entry.
    if (!closed && endMs - now > AHEAD_MS && now >= notEarlierMs) {
      notEarlierMs = now + span;
      ({ closed, now } = await seal(endMs, AHEAD_MS));
    }
    if (!closed) return { now };
    closedMs = endMs;
    return undefined;
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
    logEntries: 0,
    logBytes: 0,
    archivedMs: 0,
    firstMs: 0,
    lastMs: 0,
  };
}

/** Adds an entry to a part; false when it does not fit any more. */
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
  part.logEntries++;
  part.logBytes += entry.bytes;
  part.to.last = entry.id;
  if (first) part.firstMs = entry.ms;
  part.lastMs = entry.ms;
  return true;
}

function finish(part: Part, partition: number, complete: boolean): Part {
  const { span, second, part: number, last } = part.to;
  // The token says how many entries the part has and which is the last one. So a block never passes for another one that is stored
  // already, even if a failover has lost entries of the log or the limits differ after a restart.
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
    // The rows have a checksum of their own. An index that cannot be read only lives a week longer.
    return [];
  }
}

/** A log entry from an element of the reply of XRANGE. */
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
