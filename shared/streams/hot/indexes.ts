/**
 * Members of the indexes by callers' ids. An index is a sorted set of requests by sequence. A member is the request id. In the
 * index of a run, 16 bits of hash follow for each event of the run in the request. So a look-up of one event reads only the
 * records that may hold it; one record in 65,536 is read in vain.
 */
import { hash32 } from '../../ids.js';

/** Members kept in an index. */
export const MOST_INDEX_MEMBERS = 10_000;

const SEPARATOR = ':';

const fold = (eventId: string): number => {
  const hash = hash32(eventId);
  return (hash ^ (hash >>> 16)) & 0xffff;
};

/** Member of a run's index for a request with events `eventIds` of that run. */
export function runMember(requestId: string, eventIds: readonly string[]): string {
  const hashes = Buffer.allocUnsafe(eventIds.length * 2);
  for (let i = 0; i < eventIds.length; i++) hashes.writeUInt16LE(fold(eventIds[i]!), i * 2);
  return requestId + SEPARATOR + hashes.toString('base64url');
}

/** The keys of indexes that a log entry names, as JSON. An index that is not named here only lives a week longer. */
export function indexKeysOf(json: string): string[] {
  try {
    const list: unknown = JSON.parse(json || '[]');
    return Array.isArray(list) ? list.filter((key): key is string => typeof key === 'string') : [];
  } catch {
    // The rows have a checksum of their own.
    return [];
  }
}

/** Request id of a member. */
export function requestOf(member: string): string {
  return member.slice(0, 36);
}

/** Event ids by their hashes in members, for {@link mayHoldOf}. */
export type EventIdsByHash = ReadonlyMap<number, readonly string[]>;

export function foldIds(eventIds: Iterable<string>): EventIdsByHash {
  const folded = new Map<number, string[]>();
  for (const id of eventIds) {
    const same = folded.get(fold(id));
    if (same) same.push(id);
    else folded.set(fold(id), [id]);
  }
  return folded;
}

/** The event ids that the request of `member` may hold. */
export function mayHoldOf(member: string, folded: EventIdsByHash): string[] {
  const hashes = Buffer.from(member.slice(37), 'base64url');
  // Most members hold none of them.
  let held: Set<string> | undefined;
  for (let i = 0; i + 1 < hashes.length; i += 2) {
    const ids = folded.get(hashes[i]! | (hashes[i + 1]! << 8));
    if (ids === undefined) continue;
    held ??= new Set();
    for (const id of ids) held.add(id);
  }
  return held === undefined ? [] : [...held];
}

/** The number of events of the run in the request of `member`. */
export function eventsIn(member: string): number {
  return Math.floor(((member.length - 37) * 6) / 16);
}

/** Marks a member of a user's index whose check violated a policy. */
const VIOLATING = 'v';

/** Member of a user's index. It says whether the check violated a policy, so that clean checks need not be read. */
export function userMember(requestId: string, violating: boolean): string {
  return violating ? requestId + SEPARATOR + VIOLATING : requestId;
}

/** Whether the check of a member of a user's index may have violated a policy. */
export function mayViolate(member: string): boolean {
  return member.endsWith(SEPARATOR + VIOLATING);
}
