/** What the detectors of a team look for: probes with the detectors that asked for them, and the literals that lead to them. */
import type { Interest, TermProbe, TextProbe } from './probes/probe.js';
import { groupTerms, type TermGroup } from './probes/terms/groups.js';
import { termLiterals } from './probes/terms/term.js';
import { KINDS, type ViewKind } from './views/views.js';

interface Subscriber {
  detector: number;
  accepts: Interest['accepts'];
  asked: unknown;
}

/** A probe, and the detectors that share it. */
export interface ProbeEntry {
  probe: TextProbe;
  /** that the probe is looked for in */
  views: readonly ViewKind[];
  subscribers: Subscriber[];
}

/** Up to so many terms that begin alike are each looked at; more are searched by halving. */
const FEW_TERMS = 8;

/** What a literal leads to. */
export interface Owners {
  alone: ProbeEntry[];
  /** many terms, by the view that they are looked for in */
  groups: { kind: ViewKind; terms: TermGroup<ProbeEntry> }[];
  /** it leads to what is encoded */
  hint: boolean;
}

/** By detector: its interests. Those with the same key share an entry. */
export function entriesOf(detectors: readonly (readonly Interest[])[]): ProbeEntry[] {
  const byKey = new Map<string, ProbeEntry>();
  detectors.forEach((interests, detector) => {
    for (const { key, probe: make, accepts, asked } of interests) {
      let entry = byKey.get(key);
      if (!entry) {
        const probe = make();
        entry = { probe, views: probe.views.map((name) => KINDS[name]), subscribers: [] };
        byKey.set(key, entry);
      }
      entry.subscribers.push({ detector, accepts, asked });
    }
  });
  return [...byKey.values()];
}

/** Distinct literals, and by literal what it leads to. */
export function literalsOf(entries: readonly ProbeEntry[]): { literals: string[]; owners: Owners[] } {
  const byText = new Map<string, ProbeEntry[]>();
  for (const entry of entries) {
    for (const text of new Set(literalsIn(entry.probe).map(lowered))) addTo(byText, text, entry);
  }
  return { literals: [...byText.keys()], owners: [...byText.values()].map(ownersOf) };
}

function literalsIn(probe: TextProbe): readonly string[] {
  if (probe.kind === 'number' || probe.kind === 'whole' || probe.kind === 'sweep') return [];
  return probe.kind === 'term' ? termLiterals(probe) : (probe.literals ?? []);
}

/** Lower case, unit by unit. A character that would become longer stays as it is, which is how the automaton reads it. */
function lowered(text: string): string {
  const whole = text.toLowerCase();
  if (whole.length === text.length) return whole;
  return Array.from(text, (each) => (each.toLowerCase().length === each.length ? each.toLowerCase() : each)).join('');
}

function addTo<K>(map: Map<K, ProbeEntry[]>, key: K, entry: ProbeEntry): void {
  const known = map.get(key);
  if (known) known.push(entry);
  else map.set(key, [entry]);
}

function ownersOf(entries: readonly ProbeEntry[]): Owners {
  const byView = new Map<ViewKind, ProbeEntry[]>();
  const alone: ProbeEntry[] = [];
  for (const entry of entries) {
    if (entry.probe.kind !== 'term') alone.push(entry);
    else for (const kind of entry.views) addTo(byView, kind, entry);
  }
  const groups: Owners['groups'] = [];
  for (const [kind, terms] of byView) {
    if (terms.length > FEW_TERMS) {
      groups.push({ kind, terms: groupTerms(terms, ({ probe }) => (probe as TermProbe).text) });
    } else alone.push(...terms);
  }
  return { alone, groups, hint: false };
}
