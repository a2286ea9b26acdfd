/** Patterns without a required literal, and the set that says which of them may match. */
import type { ProbeEntry } from './entries.js';
import { buildSets, type PatternSet } from './probes/pattern-set.js';
import type { PatternProbe } from './probes/probe.js';
import { isOpen, mayHave, type Scan } from './scan.js';
import { KINDS, VIEWS, type ViewKind, type ViewText } from './views/views.js';

export interface Unanchored {
  entries: readonly ProbeEntry[];
  patterns: PatternSet;
  /** that some of them look at */
  views: readonly ViewKind[];
}

export const ALL_KINDS: readonly ViewKind[] = VIEWS.map((name) => KINDS[name]);

export function setOf(all: readonly ProbeEntry[]): Unanchored | undefined {
  const entries = all.filter(({ probe }) => probe.kind === 'pattern' && probe.literals === undefined);
  if (entries.length === 0) return undefined;
  const views = ALL_KINDS.filter((kind) => entries.some((entry) => entry.views.includes(kind)));
  return { entries, patterns: buildSets(entries.map(({ probe }) => probe as PatternProbe)), views };
}

/** Up to so many patterns are each held against the text before the set goes over it. */
const FEW_PATTERNS = 8;

/** Whether some of them may match a view of the text, told without making that. */
export const mayMatch = ({ entries }: Unanchored, scan: Scan): boolean =>
  entries.length > FEW_PATTERNS || entries.some((entry) => mayHave(entry, scan));

/** Adds to `pending` those that may match the view that is being scanned. */
export function lookAtSet(
  set: Unanchored,
  view: ViewText,
  scan: Scan,
  pending: { add(entry: ProbeEntry): unknown },
): void {
  if (!mayMatch(set, scan)) return;
  const { entries, patterns } = set;
  let matched: number[];
  try {
    matched = patterns.match(view.text);
  } catch {
    // Each pattern is tried alone, so that only the one at fault fails.
    matched = entries.map((_, i) => i);
  }
  for (const index of matched) {
    const entry = entries[index]!;
    if (entry.views.includes(scan.pass) && isOpen(entry, scan)) pending.add(entry);
  }
}
