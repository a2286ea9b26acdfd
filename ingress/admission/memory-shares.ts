/**
 * Memory that all callers share, in bytes. A team may take more only while more is free than it holds. So the first team can hold
 * half of all, the second a quarter, and so on: a team that fills its share leaves room for others. The keys of a team share what
 * it may hold by the same rule, so a key holds at most a quarter of all.
 */
import type { ApiKey } from './directory.js';

/** Whoever holds memory. */
export type MemoryHolder = Pick<ApiKey, 'team'>;

export interface Shares {
  /** bytes held by everybody */
  held(): number;
  /** Bytes that `key` may add now. */
  room(key: MemoryHolder): number;
  /** Whether the team of `key` holds more than is free, which happens when something is added without asking. */
  over(key: MemoryHolder): boolean;
  add(key: MemoryHolder, bytes: number): void;
  remove(key: MemoryHolder, bytes: number): void;
}

/** `limit`: bytes of all together. */
export function createShares(limit: number): Shares {
  const ofTeams = new Map<string, number>();
  // A key is one object as long as its configuration is in force.
  const ofKeys = new Map<MemoryHolder, number>();
  let total = 0;
  return {
    held: () => total,
    room(key) {
      const ofTeam = (limit - total - (ofTeams.get(key.team) ?? 0)) / 2;
      return Math.max(0, Math.floor((ofTeam - (ofKeys.get(key) ?? 0)) / 2));
    },
    over: (key) => (ofTeams.get(key.team) ?? 0) > limit - total,
    add(key, bytes) {
      total += bytes;
      change(ofTeams, key.team, bytes);
      change(ofKeys, key, bytes);
    },
    remove(key, bytes) {
      total -= bytes;
      change(ofTeams, key.team, -bytes);
      change(ofKeys, key, -bytes);
    },
  };
}

/** Owners that hold nothing are forgotten. */
function change<K>(held: Map<K, number>, owner: K, bytes: number): void {
  const now = (held.get(owner) ?? 0) + bytes;
  if (now === 0) held.delete(owner);
  else held.set(owner, now);
}
