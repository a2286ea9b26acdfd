/** Compares stored verdicts with those of another configuration, and adds up what differs. */

/** Counts of one policy, over the items that were compared. */
export interface PolicyTally {
  name: string;
  /** flagged now, and not then */
  newly_flagged: number;
  /** flagged then, and not now */
  newly_cleared: number;
  /** flagged then and now */
  still_flagged: number;
  /** looked at then or now, and never flagged */
  still_clean: number;
  /** it could not be evaluated then or now */
  not_evaluated: number;
  /** it looks at earlier texts, which are not stored */
  without_context: number;
}

export type VerdictChange = 'newly_flagged' | 'newly_cleared';

/** A policies map: by id, whether it is flagged, and its name. */
export type PoliciesMap = ReadonlyMap<string, { flagged: boolean; name: string }>;

export function parseMap(json: string): PoliciesMap {
  return new Map(Object.entries(JSON.parse(json) as Record<string, { flagged: boolean; name: string }>));
}

/** What is not known of an item, and so of its policies. */
export interface Doubts {
  /** some policies could not be evaluated then: one that is not in the stored map may be one of them */
  before: boolean;
  /** the same of now */
  now: boolean;
  /** earlier texts are not known, which these policies look at */
  context: ReadonlySet<string> | undefined;
}

/** What a policy did on an item. */
export type PolicyOutcome = Exclude<keyof PolicyTally, 'name'>;

/** By id of each policy that looked at the item then or now: what it did. */
export function outcomesOf(then: PoliciesMap, now: PoliciesMap, doubts: Doubts): Map<string, PolicyOutcome> {
  const outcomes = new Map<string, PolicyOutcome>();
  for (const id of new Set([...then.keys(), ...now.keys()])) outcomes.set(id, outcomeOf(id, then, now, doubts));
  return outcomes;
}

function outcomeOf(id: string, then: PoliciesMap, now: PoliciesMap, doubts: Doubts): PolicyOutcome {
  const [was, is] = [then.get(id), now.get(id)];
  if ((!was && doubts.before) || (!is && doubts.now)) return 'not_evaluated';
  if (doubts.context?.has(id)) return 'without_context';
  if (is?.flagged) return was?.flagged ? 'still_flagged' : 'newly_flagged';
  return was?.flagged ? 'newly_cleared' : 'still_clean';
}

/** Tallies by id of the policy. */
export type Tallies = Map<string, PolicyTally>;

export function tallyOf(tallies: Tallies, id: string, name: string): PolicyTally {
  const known = tallies.get(id);
  if (known) return known;
  const made = {
    name,
    newly_flagged: 0,
    newly_cleared: 0,
    still_flagged: 0,
    still_clean: 0,
    not_evaluated: 0,
    without_context: 0,
  };
  tallies.set(id, made);
  return made;
}

/** Adds `more` to `sum`: numbers by name. */
export function addCounts<T extends object>(sum: T, more: T): void {
  const [into, from] = [sum as Record<string, unknown>, more as Record<string, unknown>];
  for (const [name, value] of Object.entries(from)) {
    if (typeof value === 'number') into[name] = ((into[name] as number | undefined) ?? 0) + value;
  }
}
