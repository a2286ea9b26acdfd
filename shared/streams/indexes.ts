/**
 * Indexes by callers' ids: sorted sets whose members name requests, scored by sequence. A member is the request id
 * and, for a run, 16 bits of hash per event id of that run in the request, so that a look-up of one event reads only
 * the records that can hold it (a false hit costs one read in 65,536).
 */
import { hash32 } from '../ids.js';

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

/** Whether the request that `member` names may hold `eventId`. */
export function mayHold(member: string, eventId: string): boolean {
  const hashes = Buffer.from(member.slice(37), 'base64url');
  const wanted = fold(eventId);
  for (let i = 0; i + 1 < hashes.length; i += 2) if (hashes.readUInt16LE(i) === wanted) return true;
  return false;
}
