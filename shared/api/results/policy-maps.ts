/**
 * Policies maps as bytes, and how much of one is how another one begins and ends. They recur from request to request. In a batch each flagged
 * event has a map of its own, which mostly differs from another one in a flag: records and rows leave out what they have in common.
 */

export interface PolicyMap {
  number: number;
  /** UTF-8 */
  bytes: Buffer;
  /** a byte for each unit of the text */
  isAscii: boolean;
  /** by number of another map */
  overlaps: Map<number, Overlap>;
}

/** Bytes that two maps have in common at the start and at the end. */
export interface Overlap {
  start: number;
  end: number;
}

/** Maps of a request with which another one is compared. */
export const MOST_COMPARED = 8;
/** Bytes that are compared by one call. */
const BLOCK = 512;
const MOST_MAPS = 200;
/** A longer map is not kept. */
const LONGEST_MAP = 8192;
const maps = new Map<string, PolicyMap>();
let next = 0;

/** Undefined where it is too long. */
export function policyMap(text: string): PolicyMap | undefined {
  const known = maps.get(text);
  if (known !== undefined) return known;
  if (text.length > LONGEST_MAP) return undefined;
  if (maps.size >= MOST_MAPS) maps.clear();
  const bytes = Buffer.from(text);
  const made: PolicyMap = { number: next++, bytes, isAscii: bytes.length === text.length, overlaps: new Map() };
  maps.set(text, made);
  return made;
}

function overlapOf(map: PolicyMap, other: PolicyMap): Overlap {
  const known = map.overlaps.get(other.number);
  if (known !== undefined) return known;
  const overlap = overlapIn(map.bytes, other.bytes);
  // Maps of before it were all forgotten may have left theirs.
  if (map.overlaps.size >= 2 * MOST_MAPS) map.overlaps.clear();
  map.overlaps.set(other.number, overlap);
  return overlap;
}

/** A map of the same request, and what another one has in common with it. */
export interface Alike<T> extends Overlap {
  other: T;
}

/** Where so little is left of a map, no other one is looked for: it mostly differs in a flag. */
const LITTLE = 16;

/** The first of `others` that has most in common with a map, or nearly all; undefined: none has anything. */
export function mostAlike<T extends { map: PolicyMap }>(map: PolicyMap, others: readonly T[]): Alike<T> | undefined {
  let most: Alike<T> | undefined;
  for (const other of others) {
    const { start, end } = overlapOf(map, other.map);
    if (start + end <= (most === undefined ? 0 : most.start + most.end)) continue;
    most = { other, start, end };
    if (map.bytes.length - start - end <= LITTLE) break;
  }
  return most;
}

function overlapIn(a: Buffer, b: Buffer): Overlap {
  const most = Math.min(a.length, b.length);
  let start = 0;
  while (start + BLOCK <= most && isSame(a, start, b, start)) start += BLOCK;
  while (start < most && a[start] === b[start]) start++;
  const left = most - start;
  let end = 0;
  while (end + BLOCK <= left && isSame(a, a.length - end - BLOCK, b, b.length - end - BLOCK)) end += BLOCK;
  while (end < left && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  return { start, end };
}

const isSame = (a: Buffer, inA: number, b: Buffer, inB: number): boolean =>
  a.compare(b, inB, inB + BLOCK, inA, inA + BLOCK) === 0;
