/**
 * Adds up pairs of verdicts. Many items have the same policies map then and the same one now, so what differs is worked out once for
 * each pair of maps.
 */
import {
  type Doubts,
  outcomesOf,
  type PoliciesMap,
  type PolicyOutcome,
  parseMap,
  type Tallies,
  tallyOf,
  type VerdictChange,
} from './compare.js';

/** A policies map then and one now. */
export interface PolicyMapPair {
  count: number;
  changes: readonly [policy: string, change: VerdictChange][];
  outcomes: ReadonlyMap<string, PolicyOutcome>;
  nameOf(id: string): string;
}

export interface Pairs {
  /** Those of `maps` that are not known; all of them after it had to forget. */
  unknown(maps: ReadonlySet<string>): string[];
  /** Adds the policies map that stands behind `map`. */
  learn(map: string, json: string): void;
  /** The map then; it must be known. */
  mapOf(map: string): PoliciesMap;
  pair(map: string, now: string, doubts: Doubts): PolicyMapPair;
  /** The tallies of all pairs, which begin anew. */
  take(): Tallies;
}

/** Maps and pairs that are remembered. */
const MOST = 10_000;

export function createPairs(): Pairs {
  const maps = new Map<string, PoliciesMap>();
  const pairs = new Map<string, Map<string, PolicyMapPair>>();

  function make(map: string, json: string, doubts: Doubts): PolicyMapPair {
    const [then, now] = [maps.get(map)!, parseMap(json)];
    const outcomes = outcomesOf(then, now, doubts);
    const changes = [...outcomes].filter((each): each is [string, VerdictChange] => each[1].startsWith('newly_'));
    return { count: 0, changes, outcomes, nameOf: (id) => (now.get(id) ?? then.get(id))!.name };
  }

  return {
    unknown(wanted) {
      const missing = [...wanted].filter((map) => !maps.has(map));
      if (missing.length === 0 || maps.size + missing.length <= MOST) return missing;
      maps.clear();
      return [...wanted];
    },
    learn: (map, json) => void maps.set(map, parseMap(json)),
    mapOf: (map) => maps.get(map)!,
    pair(map, now, doubts) {
      const { before, context } = doubts;
      const key = `${map}${before ? ' before' : ''}${doubts.now ? ' now' : ''}${context ? ' context' : ''}`;
      let by = pairs.get(key);
      if (!by) {
        by = new Map();
        pairs.set(key, by);
      }
      let pair = by.get(now);
      if (!pair) {
        pair = make(map, now, doubts);
        by.set(now, pair);
      }
      return pair;
    },
    take() {
      const tallies: Tallies = new Map();
      const all = [...pairs.values()].flatMap((by) => [...by.values()]);
      for (const { count, outcomes, nameOf } of all) {
        if (count === 0) continue;
        for (const [id, outcome] of outcomes) tallyOf(tallies, id, nameOf(id))[outcome] += count;
      }
      for (const pair of all) pair.count = 0;
      if (all.length > MOST) pairs.clear();
      return tallies;
    },
  };
}
