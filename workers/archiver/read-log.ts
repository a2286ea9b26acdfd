/** Reads entries of the log. */
import type { Redis } from '../../shared/streams/client.js';
import { keys } from '../../shared/streams/keys.js';
import { readSegments, type SegmentsReference, segmentsBytes } from '../../shared/streams/segments.js';

/** An entry of the log as Redis returns it. */
export interface LogEntry {
  id: string;
  ms: number;
  /** request id, or empty when the entry has none */
  request: string;
  format: string;
  rows: Buffer;
  /** where its rows are, if they are large; else empty */
  segments: SegmentsReference;
  /** JSON array of index keys */
  index: string;
  /** of its trace (`trace-note.ts`), or empty */
  trace: string;
  /** it was refused before, and is replayed */
  again: boolean;
  /** it was refused before, and has no rows any more */
  dropped: boolean;
  /** its rows are not in Redis any more: it has left the log meanwhile */
  gone: boolean;
  /** of its fields and of its rows in segments */
  bytes: number;
}

const PAGE_BYTES = 4 * 1024 * 1024;
/**
 * Entries of a page at most. So few, because each may have some 30 MB. Reading more often costs next to nothing: at 2,000 entries a
 * second, 250 reads.
 */
const PAGE_ENTRIES = 8;

/**
 * The entries of a log in order, read page by page. `page` reads at most `count` entries after the id `after`: that of the last page, and
 * for the first one what `fetch` was given.
 */
export function createPages(page: (after: string, count: number) => Promise<LogEntry[]>) {
  let entries: LogEntry[] = [];
  let taken = 0;
  let lastRead: string | undefined;
  let count = PAGE_ENTRIES;
  return {
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

/**
 * Reads at most `count` entries of a log, with their rows. Fewer where these have more bytes than a page: the rest is read with the next
 * page. `asked` bounds how long an answer of Redis is awaited.
 */
export async function readPage(
  redis: Redis,
  partition: number,
  { from, to, count }: { from: string; to: string | number; count: number },
  asked: <T>(answer: Promise<T>) => Promise<T>,
): Promise<LogEntry[]> {
  const found = await asked(redis.xrangeBuffer(keys.results(partition), from, to, 'COUNT', count));
  const entries = (found as unknown as [Buffer, Buffer[]][]).map(logEntry);
  let bytes = 0;
  const page = entries.filter((entry, i) => {
    bytes += entry.bytes;
    return i === 0 || bytes <= PAGE_BYTES;
  });
  for (const entry of page) {
    if (entry.segments === '') continue;
    const rows = await asked(readSegments(redis, partition, entry.segments));
    entry.gone = rows === undefined;
    entry.rows = rows ?? entry.rows;
  }
  return page;
}

/** Unix ms of an id of the log. */
export const msOf = (id: string): number => Number(id.slice(0, id.indexOf('-')));

/** Compares entries of one log by their ids. */
export function byId(a: LogEntry, b: LogEntry): number {
  const count = ({ id }: LogEntry): bigint => BigInt(id.slice(id.indexOf('-') + 1));
  return a.ms - b.ms || Number(count(a) - count(b));
}

/** A log entry from an element of the reply of XRANGE. */
function logEntry([id, fields]: [Buffer, Buffer[]]): LogEntry {
  const entry: LogEntry = {
    id: id.toString(),
    ms: 0,
    request: '',
    format: '',
    rows: Buffer.alloc(0),
    segments: '',
    index: '',
    trace: '',
    again: false,
    dropped: false,
    gone: false,
    bytes: 0,
  };
  entry.ms = msOf(entry.id);
  for (let i = 0; i + 1 < fields.length; i += 2) {
    const value = fields[i + 1]!;
    entry.bytes += value.length;
    const name = fields[i]!.toString();
    if (name === 'rows') entry.rows = value;
    else if (name === 'segments') {
      entry.segments = value.toString();
      entry.bytes += segmentsBytes(entry.segments);
    } else if (name === 'again' || name === 'dropped') entry[name] = true;
    else if (name === 'id' || name === 'format' || name === 'index' || name === 'trace') {
      entry[name === 'id' ? 'request' : name] = value.toString();
    }
  }
  return entry;
}
