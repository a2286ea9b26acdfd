/**
 * Finds, among up to millions of hashes of 256 bits, the one nearest to any of a few queries, by multi-index hashing (Norouzi,
 * Punjani, Fleet: "Fast exact search in Hamming space with multi-index hashing", 2014).
 *
 * A hash is cut into segments. Each segment has a table from its value to the hashes that have it, and a radius of r bits. The
 * radii, plus one for each segment, add up to 32. So a hash within 31 bits of the query is within r bits of it in at least one
 * segment. Looking up the values near the query's in each segment therefore misses nothing. The hashes found are compared in
 * full.
 *
 * A search mostly waits for memory. So segments are long: nearly all values near the query's belong to no hash, and a bitmap
 * says so. The upper bits of a value are its row, the others, up to 5, are its column. The bitmap has a word for each row and a
 * bit for each column, so one word answers for all values near the query's in that row. Only if one of them occurs are the
 * postings of the row read, one or two. A posting is a position in the list with its column, so hashes of other columns are
 * skipped unread. Each step first touches all memory that it is going to read. A processor waits for many such reads at once,
 * but only for few when it works on each, and this saves about a third of the time.
 *
 * All data are typed arrays, on demand over SharedArrayBuffers: one thread builds an index, any number search it.
 */
import { PDQ_MAX_DISTANCE } from './pdq.js';

/** Words of 32 bits in a hash. */
const WORDS = 8;

interface Segment {
  /** where it begins in the hash */
  offset: number;
  bits: number;
  radius: number;
}

/** How hashes are cut. Without segments, a search compares all hashes, one after the other. */
interface Cut {
  /** bits of a segment that are its row; the others are its column */
  rowBits: number;
  segments: readonly Segment[];
}

/** Segments of radius 2, besides one of radius 1: ten times three, plus two, is 32. */
const WIDE = 10;
const COLUMN_BITS = 5;
/** Bits of a posting that hold the position in the list; those above hold the column. */
const POSITION_BITS = 32 - COLUMN_BITS;
/** A table of more rows fits no cache: it takes three times as long to build, and a search is no faster. */
const MOST_ROW_BITS = 19;

/** Rows that are looked at for one value, at most: those that differ in none, one or two bits. */
const MOST_HITS = 1 + MOST_ROW_BITS + (MOST_ROW_BITS * (MOST_ROW_BITS - 1)) / 2;
/** Entries that are compared in one go. */
const MOST_CANDIDATES = 256;

/** With fewer hashes than this, comparing with each is as fast. */
const SCAN_BELOW = 1_000;

/** For 1,000,000 hashes: six segments of 24 bits, four of 23, one of 20. If they are random, a search compares 260. */
function cutFor(size: number): Cut {
  if (size < SCAN_BELOW) return { rowBits: 0, segments: [] };
  const rowBits = Math.min(MOST_ROW_BITS, Math.ceil(Math.log2(size)) - 1);
  const narrow = rowBits + 1;
  const rest = 32 * WORDS - narrow;
  const segments: Segment[] = [{ offset: 0, bits: narrow, radius: 1 }];
  for (let g = 0, offset = narrow; g < WIDE; g++) {
    const bits = Math.min(rowBits + COLUMN_BITS, Math.floor((rest + g) / WIDE));
    segments.push({ offset, bits, radius: 2 });
    offset += bits;
  }
  return { rowBits, segments };
}

/** An index as data. It can be sent to another thread, and is shared with it when it was built with `shared`. */
export interface HashIndexData {
  /** it is cut as for so many hashes */
  cutAs: number;
  /** 8 words a hash, in the order of the list */
  hashes: Uint32Array;
  /** for each segment, by row: which columns occur, and where the postings of the row begin */
  rows: readonly Uint32Array[];
  /** for each segment, by row: column and position in the list */
  postings: readonly Uint32Array[];
}

export interface Match {
  /** bits that differ */
  distance: number;
  /** position in the list; the lowest if several are as near */
  entry: number;
}

export interface HashIndex {
  readonly size: number;
  /** The nearest hash at most `maxDistance` (0 to 31) bits from `hash` (32 bytes). */
  nearest(hash: Uint8Array, maxDistance?: number): Match | undefined;
  /** The nearest to any of `hashes`, for example those of a turned and mirrored image. `of` is the first that it is nearest to. */
  nearestOf(hashes: readonly Uint8Array[], maxDistance?: number): (Match & { of: number }) | undefined;
}

/** Where the data of an index or a list may live. */
export interface Storage {
  /** over SharedArrayBuffers, for use by several threads */
  shared?: boolean;
}

/** `count` numbers of 32 bits. */
export function words(count: number, { shared }: Storage = {}): Uint32Array {
  return new Uint32Array(shared ? new SharedArrayBuffer(count * 4) : new ArrayBuffer(count * 4));
}

/** Writes the 32 bytes of a hash as 8 words. */
export function writeHash(hash: Uint8Array, into: Uint32Array, entry: number): void {
  for (let i = 0; i < WORDS; i++) {
    const at = 4 * i;
    into[entry * WORDS + i] = (hash[at]! << 24) | (hash[at + 1]! << 16) | (hash[at + 2]! << 8) | hash[at + 3]!;
  }
}

/** The 32 bytes of an entry of a list. */
export function readHash(hashes: Uint32Array, entry: number): Uint8Array {
  return Uint8Array.from({ length: 4 * WORDS }, (_, i) => hashes[entry * WORDS + (i >> 2)]! >>> (24 - 8 * (i & 3)));
}

/**
 * Indexes `hashes` (8 words each, kept and not copied). 1,000,000 hashes take less than a second, and 90 MB besides their own
 * 32 MB. `cutAs` cuts as if there were another number of hashes.
 */
export function buildHashIndex(hashes: Uint32Array, options: Storage & { cutAs?: number } = {}): HashIndexData {
  const size = hashes.length / WORDS;
  if (!Number.isInteger(size)) throw new RangeError(`hash index: expected 8 words a hash, got ${hashes.length} in all`);
  if (size > 2 ** POSITION_BITS) {
    throw new RangeError(`hash index: expected at most ${2 ** POSITION_BITS} hashes, got ${size}`);
  }
  const { cutAs = size } = options;
  const { rowBits, segments } = cutFor(cutAs);
  const built = segments.map((segment) => {
    const columnBits = segment.bits - rowBits;
    // One more row says where the postings of the last one end.
    const rows = words(2 * (2 ** rowBits + 1), options);
    const postings = words(size, options);
    for (let i = 0; i < size; i++) {
      const value = valueAt(hashes, i, segment);
      const row = 2 * (value >>> columnBits);
      rows[row]! |= 1 << columnOf(value, columnBits);
      rows[row + 1]!++;
    }
    // First where the postings of a row end. Writing them from the end turns that into where they begin.
    for (let at = 3; at < rows.length; at += 2) rows[at]! += rows[at - 2]!;
    for (let i = size - 1; i >= 0; i--) {
      const value = valueAt(hashes, i, segment);
      const begin = 2 * (value >>> columnBits) + 1;
      rows[begin]!--;
      postings[rows[begin]!] = (columnOf(value, columnBits) << POSITION_BITS) | i;
    }
    return { rows, postings };
  });
  return { cutAs, hashes, rows: built.map(({ rows }) => rows), postings: built.map(({ postings }) => postings) };
}

/** Searches what `buildHashIndex` made, here or in another thread. */
export function hashIndex(data: HashIndexData): HashIndex {
  const size = data.hashes.length / WORDS;
  const best = createBest(data.hashes);
  const search = createSearch(data, best);
  const nearestOf = (list: readonly Uint8Array[], maxDistance = PDQ_MAX_DISTANCE) => {
    for (const hash of list) checkQuery(hash, maxDistance);
    best.start(list, maxDistance);
    search(list.length);
    return best.found();
  };
  const nearest = (hash: Uint8Array, maxDistance?: number): Match | undefined => {
    const match = nearestOf([hash], maxDistance);
    return match && { distance: match.distance, entry: match.entry };
  };
  return { size, nearest, nearestOf };
}

type Best = ReturnType<typeof createBest>;

/** The queries of a search, and the nearest entry that was found so far. */
function createBest(hashes: Uint32Array) {
  const size = hashes.length / WORDS;
  let queries = words(WORDS);
  let distance = 0;
  let entry = -1;
  let of = 0;

  /** Compares a query with an entry. Keeps the entry if it is nearer than the one found, or as near and before it. */
  const compare = (candidate: number, query: number): void => {
    const at = candidate * WORDS;
    const to = query * WORDS;
    // Half of the bits of two unrelated images differ, so these four words are almost always enough.
    let sum =
      differing(hashes[at]! ^ queries[to]!, hashes[at + 1]! ^ queries[to + 1]!) +
      differing(hashes[at + 2]! ^ queries[to + 2]!, hashes[at + 3]! ^ queries[to + 3]!);
    if (sum > distance) return;
    sum +=
      differing(hashes[at + 4]! ^ queries[to + 4]!, hashes[at + 5]! ^ queries[to + 5]!) +
      differing(hashes[at + 6]! ^ queries[to + 6]!, hashes[at + 7]! ^ queries[to + 7]!);
    if (sum > distance) return;
    if (sum === distance && entry !== -1 && (query > of || (query === of && candidate >= entry))) return;
    distance = sum;
    entry = candidate;
    of = query;
  };
  return {
    start(list: readonly Uint8Array[], maxDistance: number): void {
      if (queries.length < list.length * WORDS) queries = words(list.length * WORDS);
      for (const [query, hash] of list.entries()) writeHash(hash, queries, query);
      distance = maxDistance;
      entry = -1;
    },
    compare,
    /** Compares the first `count` queries with every entry. */
    scan(count: number): void {
      for (let query = 0; query < count; query++) {
        for (let candidate = 0; candidate < size; candidate++) compare(candidate, query);
      }
    },
    /** The bits of a query that are its value in a segment. */
    valueOf: (query: number, segment: Segment): number => valueAt(queries, query, segment),
    /** Entries farther away than this do not matter any more. */
    distance: (): number => distance,
    found: () => (entry === -1 ? undefined : { distance, entry, of }),
  };
}

/** Finds the rows of a segment that have values near those of queries. */
function createRowFinder({ cutAs, rows }: HashIndexData, best: Best) {
  const { rowBits, segments } = cutFor(cutAs);
  const masks = [0, 1, 2].map((flips) => masksOf(rowBits, flips));
  const touched = words(1);
  let hits = new Int32Array(3 * MOST_HITS);

  /**
   * Finds the values that occur in segment `g` and differ from a query's in `turned` bits. Writes their row, their columns and
   * the query behind the first `count` hits, and answers how many hits there are then.
   */
  const findOne = (query: number, g: number, turned: number, count: number): number => {
    const table = rows[g]!;
    const columnBits = segments[g]!.bits - rowBits;
    const value = best.valueOf(query, segments[g]!);
    const row = value >>> columnBits;
    let sum = 0;
    for (const mask of masks[turned]!) sum |= table[2 * (row ^ mask)]!;
    // Stored, because the compiler may leave out reads whose result is used nowhere.
    touched[0] = sum;
    let next = count;
    for (let flips = 0; flips <= turned; flips++) {
      const wanted = COLUMNS_AT[turned - flips]![columnOf(value, columnBits)]!;
      for (const mask of masks[flips]!) {
        const near = row ^ mask;
        const found = table[2 * near]! & wanted;
        // Always written, and kept if there is something. Without branches the reads do not wait for each other.
        hits[3 * next] = near;
        hits[3 * next + 1] = found;
        hits[3 * next + 2] = query;
        next += (found | -found) >>> 31;
      }
    }
    return next;
  };
  return {
    /** row, columns and query of each hit */
    hits: () => hits,
    /** Finds the hits of the first `count` queries and answers how many there are. */
    find(count: number, g: number, turned: number): number {
      if (hits.length < 3 * MOST_HITS * count) hits = new Int32Array(3 * MOST_HITS * count);
      let found = 0;
      for (let query = 0; query < count; query++) found = findOne(query, g, turned, found);
      return found;
    },
  };
}

/** Compares queries with the entries in rows that were found. */
function createRowReader({ hashes, rows, postings }: HashIndexData, best: Best) {
  const candidates = new Int32Array(2 * MOST_CANDIDATES);
  const touched = words(1);

  const compareAll = (count: number): void => {
    let sum = 0;
    for (let i = 0; i < count; i++) sum |= hashes[candidates[2 * i]! * WORDS]!;
    touched[0] = sum;
    for (let i = 0; i < count; i++) best.compare(candidates[2 * i]!, candidates[2 * i + 1]!);
  };

  /** Compares the entries of the first `count` hits and answers how many postings it read. */
  return (hits: Int32Array, g: number, count: number): number => {
    const table = rows[g]!;
    const posting = postings[g]!;
    let sum = 0;
    for (let hit = 0; hit < count; hit++) sum |= posting[table[2 * hits[3 * hit]! + 1]!]!;
    touched[0] = sum;
    let read = 0;
    let kept = 0;
    for (let hit = 0; hit < count; hit++) {
      const row = hits[3 * hit]!;
      const found = hits[3 * hit + 1]!;
      const query = hits[3 * hit + 2]!;
      const from = table[2 * row + 1]!;
      const to = table[2 * row + 3]!;
      for (let i = from; i < to; i++) {
        const one = posting[i]!;
        candidates[2 * kept] = one & (2 ** POSITION_BITS - 1);
        candidates[2 * kept + 1] = query;
        kept += (found >>> (one >>> POSITION_BITS)) & 1;
        if (kept < MOST_CANDIDATES) continue;
        compareAll(kept);
        kept = 0;
      }
      read += to - from;
    }
    compareAll(kept);
    return read;
  };
}

/**
 * Searches with the first `count` queries: for the values themselves, which finds near duplicates at once, then for values
 * one bit away, then two.
 */
function createSearch(data: HashIndexData, best: Best): (count: number) => void {
  const size = data.hashes.length / WORDS;
  const { segments } = cutFor(data.cutAs);
  const rows = createRowFinder(data, best);
  const readRows = createRowReader(data, best);
  return (count) => {
    if (segments.length === 0) best.scan(count);
    let read = 0;
    let reach = -1;
    for (let turned = 0; turned <= 2; turned++) {
      for (const [g, { radius }] of segments.entries()) {
        if (radius < turned) continue;
        // All queries first, then all that was found: the more reads there are at once, the less each waits.
        const found = rows.find(count, g, turned);
        read += readRows(rows.hits(), g, found);
        // Everything up to so many bits away was found.
        reach++;
        if (best.distance() <= reach) return;
        // Look-alikes share their rows. When there are many of them, comparing with every entry is less work.
        if (read > size * count) {
          best.scan(count);
          return;
        }
      }
    }
  };
}

function checkQuery(hash: Uint8Array, maxDistance: number): void {
  if (hash.length !== 4 * WORDS) throw new RangeError(`hash index: expected a hash of 32 bytes, got ${hash.length}`);
  if (!Number.isInteger(maxDistance) || maxDistance < 0 || maxDistance > PDQ_MAX_DISTANCE) {
    throw new RangeError(`hash index: expected a distance of 0 to ${PDQ_MAX_DISTANCE}, got ${maxDistance}`);
  }
}

/** For each distance and column: the columns that differ from it in so many bits, as a bitmap. */
const COLUMNS_AT = [0, 1, 2].map((flips) =>
  Int32Array.from({ length: 2 ** COLUMN_BITS }, (_, column) =>
    masksOf(COLUMN_BITS, flips).reduce((all, mask) => all | (1 << (column ^ mask)), 0),
  ),
);

/** All numbers of `bits` bits of which `set` are set. */
function masksOf(bits: number, set: number): Int32Array {
  if (set === 0) return Int32Array.of(0);
  const masks: number[] = [];
  for (let top = 0; top < bits; top++) for (const rest of masksOf(top, set - 1)) masks.push((1 << top) | rest);
  return Int32Array.from(masks);
}

/** The bits of a segment of an entry. */
function valueAt(hashes: Uint32Array, entry: number, { offset, bits }: Segment): number {
  const word = entry * WORDS + (offset >>> 5);
  const shift = offset & 31;
  let value = hashes[word]! >>> shift;
  if (shift + bits > 32) value |= hashes[word + 1]! << (32 - shift);
  return value & ((1 << bits) - 1);
}

function columnOf(value: number, columnBits: number): number {
  return value & ((1 << columnBits) - 1);
}

/** Bits set in two words. */
function differing(a: number, b: number): number {
  let x = a - ((a >>> 1) & 0x55555555);
  let y = b - ((b >>> 1) & 0x55555555);
  x = (x & 0x33333333) + ((x >>> 2) & 0x33333333);
  y = (y & 0x33333333) + ((y >>> 2) & 0x33333333);
  x += y;
  return Math.imul((x & 0x0f0f0f0f) + ((x >>> 4) & 0x0f0f0f0f), 0x01010101) >>> 24;
}
