/**
 * Finds, among up to millions of hashes of 256 bits, the one nearest to a given hash, by multi-index hashing.
 *
 * A hash is cut into segments, and each segment has a table from its value to the hashes that have it. Give every segment g a
 * radius r: if the radii plus one add up to 32, a hash within 31 bits of the query lies within r bits of it in some segment, since
 * with more than r in each the distance would be 32 or more. So looking up the values near the query's, segment by segment, misses
 * nothing. What is found there is compared in full. (Norouzi, Punjani, Fleet: "Fast exact search in Hamming space with
 * multi-index hashing", 2014.)
 *
 * All of it is typed arrays, over SharedArrayBuffers on demand: one thread builds an index, any number search it.
 */
import { PDQ_MAX_DISTANCE } from './detectors/pdq.js';

/** Words of 32 bits in a hash. */
const WORDS = 8;

interface Segment {
  bits: number;
  radius: number;
}

/** How hashes are cut; none means that all hashes are compared, one after the other. */
export type LayoutName = 'scan' | 'even' | 'mixed';

/**
 * With 1,000,000 random hashes a search that finds nothing takes 0.4 ms with `mixed`, 0.5 ms with `even`, 7 ms with `scan`:
 * `mixed` compares 1,700 of them where `even` compares 4,200, but has tables of 36 MB whatever the number of hashes, `even` of 4 MB.
 */
const LAYOUTS: Readonly<Record<LayoutName, readonly Segment[]>> = {
  scan: [],
  even: segments([16, 16, 1]),
  mixed: segments([4, 21, 2], [2, 18, 1], [8, 17, 1]),
};

/** Below so many hashes comparing with each is as fast. */
const SCAN_BELOW = 5_000;
/** From so many on the smaller buckets of `mixed` are worth its tables. */
const MIXED_FROM = 200_000;

/** An index as data: can be sent to another thread, which shares it when it was built with `shared`. */
export interface HashIndexData {
  layout: LayoutName;
  /** 8 words a hash, in the order of the list */
  hashes: Uint32Array;
  /** for each segment: where the entries of a value begin in `postings` */
  starts: readonly Uint32Array[];
  /** for each segment: positions in the list, by value of the segment */
  postings: readonly Uint32Array[];
}

export interface Match {
  /** bits that differ */
  distance: number;
  /** position in the list, the lowest of several that are as near */
  entry: number;
}

export interface HashIndex {
  readonly size: number;
  /** The nearest hash at most `maxDistance` (0 to 31) bits from `hash` (32 bytes). */
  nearest(hash: Uint8Array, maxDistance?: number): Match | undefined;
  /** The nearest to any of `hashes`, for example those of a turned and mirrored image; `of` says to which, the first of several. */
  nearestOf(hashes: readonly Uint8Array[], maxDistance?: number): (Match & { of: number }) | undefined;
}

/** Where the data of an index or a list may live. */
export interface Storage {
  /** over SharedArrayBuffers, to be used by several threads */
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
 * Indexes `hashes` (8 words each, kept and not copied). 1,000,000 take about a second, and 96 MB beside the hashes' 32 MB.
 * `layout` is chosen by their number when it is not given.
 */
export function buildHashIndex(hashes: Uint32Array, options: Storage & { layout?: LayoutName } = {}): HashIndexData {
  const size = hashes.length / WORDS;
  if (!Number.isInteger(size)) throw new RangeError(`hash index: expected 8 words a hash, got ${hashes.length} in all`);
  const layout = options.layout ?? (size < SCAN_BELOW ? 'scan' : size < MIXED_FROM ? 'even' : 'mixed');
  const starts: Uint32Array[] = [];
  const postings: Uint32Array[] = [];
  let offset = 0;
  for (const { bits } of LAYOUTS[layout]) {
    const begin = words(2 ** bits + 1, options);
    for (let i = 0; i < size; i++) begin[valueAt(hashes, i, offset, bits) + 1]!++;
    for (let value = 0; value < 2 ** bits; value++) begin[value + 1]! += begin[value]!;
    const next = begin.slice(0, 2 ** bits);
    const posting = words(size, options);
    for (let i = 0; i < size; i++) posting[next[valueAt(hashes, i, offset, bits)]!++] = i;
    starts.push(begin);
    postings.push(posting);
    offset += bits;
  }
  return { layout, hashes, starts, postings };
}

/** Searches what `buildHashIndex` made, here or in another thread. */
export function hashIndex({ layout, hashes, starts, postings }: HashIndexData): HashIndex {
  const size = hashes.length / WORDS;
  const cut = LAYOUTS[layout];
  const offsets = cut.map((_, i) => cut.slice(0, i).reduce((sum, { bits }) => sum + bits, 0));
  const rounds = roundsOf(cut);
  const query = new Uint32Array(WORDS);
  let distance = 0;
  let entry = -1;

  /** Compares the query with an entry; keeps it when it is nearer than what was found, or as near and earlier. */
  const compare = (candidate: number): void => {
    const at = candidate * WORDS;
    // Half of the bits of two unrelated images differ: these four words are almost always enough.
    let sum =
      differing(hashes[at]! ^ query[0]!, hashes[at + 1]! ^ query[1]!) +
      differing(hashes[at + 2]! ^ query[2]!, hashes[at + 3]! ^ query[3]!);
    if (sum > distance) return;
    sum +=
      differing(hashes[at + 4]! ^ query[4]!, hashes[at + 5]! ^ query[5]!) +
      differing(hashes[at + 6]! ^ query[6]!, hashes[at + 7]! ^ query[7]!);
    if (sum > distance || (sum === distance && entry !== -1 && entry <= candidate)) return;
    distance = sum;
    entry = candidate;
  };
  const scan = (): void => {
    for (let candidate = 0; candidate < size; candidate++) compare(candidate);
  };
  const search = (): void => {
    let compared = 0;
    for (const { masks, reach } of rounds) {
      for (let g = 0; g < cut.length; g++) {
        const begin = starts[g]!;
        const posting = postings[g]!;
        const value = valueAt(query, 0, offsets[g]!, cut[g]!.bits);
        for (const mask of masks[g]!) {
          const from = begin[value ^ mask]!;
          const to = begin[(value ^ mask) + 1]!;
          // A list of look-alikes shares its buckets: then going through all once is the lesser work.
          compared += to - from;
          if (compared > size) {
            scan();
            return;
          }
          for (let i = from; i < to; i++) compare(posting[i]!);
        }
      }
      if (distance <= reach) return;
    }
  };
  const nearest = (hash: Uint8Array, maxDistance = PDQ_MAX_DISTANCE): Match | undefined => {
    checkQuery(hash, maxDistance);
    writeHash(hash, query, 0);
    distance = maxDistance;
    entry = -1;
    if (cut.length === 0) scan();
    else search();
    return entry === -1 ? undefined : { distance, entry };
  };
  const nearestOf = (list: readonly Uint8Array[], maxDistance = PDQ_MAX_DISTANCE) => {
    let best: (Match & { of: number }) | undefined;
    for (const [of, hash] of list.entries()) {
      const limit = best ? best.distance - 1 : maxDistance;
      const match = limit < 0 ? undefined : nearest(hash, limit);
      if (match) best = { ...match, of };
    }
    return best;
  };
  return { size, nearest, nearestOf };
}

function checkQuery(hash: Uint8Array, maxDistance: number): void {
  if (hash.length !== 4 * WORDS) throw new RangeError(`hash index: expected a hash of 32 bytes, got ${hash.length}`);
  if (!Number.isInteger(maxDistance) || maxDistance < 0 || maxDistance > PDQ_MAX_DISTANCE) {
    throw new RangeError(`hash index: expected a distance of 0 to ${PDQ_MAX_DISTANCE}, got ${maxDistance}`);
  }
}

/** What to look up in one go. */
interface Round {
  /** for each segment: the bits to turn over in its value */
  masks: readonly Int32Array[];
  /** after this round everything up to so many bits away was found */
  reach: number;
}

/** First the values themselves, which finds near duplicates at once; then those one bit away, and so on. */
function roundsOf(cut: readonly Segment[]): Round[] {
  const last = Math.max(0, ...cut.map(({ radius }) => radius));
  return Array.from({ length: last + 1 }, (_, turned) => ({
    masks: cut.map(({ bits, radius }) => (turned <= radius ? masksOf(bits, turned) : new Int32Array(0))),
    reach: cut.reduce((sum, { radius }) => sum + Math.min(radius, turned) + 1, 0) - 1,
  }));
}

/** All numbers of `bits` bits of which `set` are set. */
function masksOf(bits: number, set: number): Int32Array {
  if (set === 0) return Int32Array.of(0);
  const masks: number[] = [];
  for (let top = 0; top < bits; top++) for (const rest of masksOf(top, set - 1)) masks.push((1 << top) | rest);
  return Int32Array.from(masks);
}

/** `bits` bits of an entry from bit `offset` on. */
function valueAt(hashes: Uint32Array, entry: number, offset: number, bits: number): number {
  const word = entry * WORDS + (offset >>> 5);
  const shift = offset & 31;
  let value = hashes[word]! >>> shift;
  if (shift + bits > 32) value |= hashes[word + 1]! << (32 - shift);
  return value & ((1 << bits) - 1);
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

/** `[how many, bits, radius]`, one after the other. */
function segments(...groups: readonly (readonly [count: number, bits: number, radius: number])[]): Segment[] {
  return groups.flatMap(([count, bits, radius]) => Array.from({ length: count }, () => ({ bits, radius })));
}
