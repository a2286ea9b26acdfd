/**
 * Memory that all callers share, in bytes. A team gets more of it only while more is free than it has, so it has half of it at
 * most, a second such team a quarter, and so on: whoever fills his share leaves room for others. What a team may have is shared
 * among its keys by the same rule, so a key has a quarter of all at most.
 */
import type { ApiKey } from './directory.js';

/** Who holds memory. */
export type Holder = Pick<ApiKey, 'team'>;

export interface Shares {
  /** bytes held by everybody */
  held(): number;
  /** Bytes that may be added for `key` now. */
  room(key: Holder): number;
  /** Whether the team of `key` has more than is free: something was added for it without asking. */
  over(key: Holder): boolean;
  add(key: Holder, bytes: number): void;
  remove(key: Holder, bytes: number): void;
}

/** Holds nothing at first. */
export function createShares(limit: number): Shares {
  const ofTeams = new Map<string, number>();
  // A key is one object for as long as its configuration is in force.
  const ofKeys = new Map<Holder, number>();
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

/** Who holds nothing is forgotten. */
function change<K>(held: Map<K, number>, owner: K, bytes: number): void {
  const now = (held.get(owner) ?? 0) + bytes;
  if (now === 0) held.delete(owner);
  else held.set(owner, now);
}
