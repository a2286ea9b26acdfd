/**
 * Indexes by callers' ids: sorted sets whose members name requests, scored by sequence. A member is the request id
 * and, for a run, 16 bits of hash per event id of that run in the request, so that a look-up of one event reads only
 * the records that can hold it (a false hit costs one read in 65,536).
 */
import { hash32 } from '../ids.js';

/** Members kept in an index. */
export const MOST_INDEX_MEMBERS = 10_000;

const SEPARATOR = ':';

const fold = (eventId: string): number => {
  const hash = hash32(eventId);
  return (hash ^ (hash >>> 16)) & 0xffff;
};

/** Member of a run's index for a request that holds events `eventIds` of that run. */
export function runMember(requestId: string, eventIds: readonly string[]): string {
  const hashes = Buffer.allocUnsafe(eventIds.length * 2);
  for (let i = 0; i < eventIds.length; i++) hashes.writeUInt16LE(fold(eventIds[i]!), i * 2);
  return requestId + SEPARATOR + hashes.toString('base64url');
}

/** Request id of a member. */
export function requestOf(member: string): string {
  return member.slice(0, 36);
}

/** Event ids by what members hold of them, for {@link mayHoldOf}. */
export type Folded = ReadonlyMap<number, readonly string[]>;

export function foldIds(eventIds: Iterable<string>): Folded {
  const folded = new Map<number, string[]>();
  for (const id of eventIds) {
    const same = folded.get(fold(id));
    if (same) same.push(id);
    else folded.set(fold(id), [id]);
  }
  return folded;
}

/** Those of many event ids that the request that `member` names may hold. */
export function mayHoldOf(member: string, folded: Folded): string[] {
  const hashes = Buffer.from(member.slice(37), 'base64url');
  // Of most members nothing is held.
  let held: Set<string> | undefined;
  for (let i = 0; i + 1 < hashes.length; i += 2) {
    const ids = folded.get(hashes[i]! | (hashes[i + 1]! << 8));
    if (ids === undefined) continue;
    held ??= new Set();
    for (const id of ids) held.add(id);
  }
  return held === undefined ? [] : [...held];
}

/** How many events of the run the request that `member` names has. */
export function eventsIn(member: string): number {
  return Math.floor(((member.length - 37) * 6) / 16);
}

/** What marks a member of a user's index whose check violated some policy. */
const VIOLATING = 'v';

/** Member of a user's index; whether the check violated a policy is said so that clean ones need not be read. */
export function userMember(requestId: string, violating: boolean): string {
  return violating ? requestId + SEPARATOR + VIOLATING : requestId;
}

/** Whether the check that a member of a user's index names may have violated a policy. */
export function mayViolate(member: string): boolean {
  return member.endsWith(SEPARATOR + VIOLATING);
}
