/**
 * The engine of a team: all detectors of all its policies in one pass over the text. The automaton finds where a term,
 * a credential or the required literal of a pattern may be, digits say where a number may be; only those places are looked
 * at closely. Patterns without a required literal share one set automaton.
 */

import type { View } from '../../configuration/types.js';
import type { Evidence } from '../types.js';
import { buildAutomaton, MAX_PREFIX } from './automaton.js';
import { isAsciiLetter, isDigit } from './probes/characters.js';
import { buildSets, findPattern, type PatternSet } from './probes/pattern-set.js';
import type { Find, Interest, NumberProbe, PatternProbe, Probe, TermProbe } from './probes/probe.js';
import { findTerm, termLiterals } from './probes/term.js';
import { groupTerms, type TermGroup } from './probes/term-groups.js';
import { hasLookAlikes, type ViewText, viewsOf } from './views/normalise.js';

/** Finds kept of one detector in one text: enough to show where, never a list that a caller can make long. */
export const MAX_EVIDENCE = 8;
/** Fewer digits make no number that is looked for. */
const MIN_DIGITS = 4;

/** Detectors that are wanted in a scan, with what that needs. */
export interface Wanted {
  /** 1 for each wanted detector */
  mask: Uint8Array;
  numbers: boolean;
  sets: boolean;
  nfkc: boolean;
  folded: boolean;
}

/** What a scan found. A detector in neither did not fire. */
export interface Finds {
  evidence: Map<number, Evidence[]>;
  /** detectors that could not run */
  failed: Set<number>;
}

export interface Engine {
  wanted(detectors: Iterable<number>): Wanted;
  /**
   * Scans `text`; undefined when nothing fires. Finds that end at or before `from` do not count: what precedes it are
   * earlier texts. Offsets of the evidence are relative to `from`. With `crossing`, `text` is plain ASCII around the place
   * `from`, and only finds of terms that begin before it are asked for.
   */
  scan(text: string, wanted: Wanted, from: number, crossing?: boolean): Finds | undefined;
}

interface Subscriber {
  detector: number;
  accepts: Interest['accepts'];
}

interface Entry {
  probe: Probe;
  subscribers: Subscriber[];
}

/** So many terms that begin alike are each looked at. */
const FEW_TERMS = 8;

/** Who asked for a literal. */
interface Owners {
  alone: Entry[];
  /** many terms, by the view that they are looked for in */
  groups: { name: View; terms: TermGroup<Entry> }[];
}

/** State of one scan. */
interface Scan {
  /** as sent */
  text: string;
  wanted: Wanted;
  from: number;
  finds: Finds | undefined;
  /** patterns to search in the view that was just scanned */
  pending: Set<Entry>;
}

export function buildEngine(detectors: readonly (readonly Interest[])[]): Engine {
  const entries = entriesOf(detectors);
  const { literals, owners } = literalsOf(entries);
  const automaton = buildAutomaton(literals);
  const numbers = entries.filter((entry) => entry.probe.kind === 'number');
  const inSet = entries.filter((entry) => entry.probe.kind === 'pattern' && entry.probe.literals === undefined);
  const set = inSet.length > 0 ? buildSets(inSet.map((entry) => entry.probe as PatternProbe)) : undefined;

  // One scan at a time: the closure handed to the automaton is made once, its state is here.
  let scan: Scan;
  let view: ViewText;
  /** a view that this pass over another one serves as well */
  let alike: (name: View, asked: readonly View[]) => ViewText | undefined = () => undefined;
  const hit = (literal: number, start: number): void => {
    const { alone, groups } = owners[literal]!;
    for (let i = 0; i < alone.length; i++) visit(alone[i]!, start);
    for (let i = 0; i < groups.length; i++) {
      const { name, terms } = groups[i]!;
      const target = targetOf(name, [name]);
      if (!target) continue;
      for (const entry of terms.at(target.text, start)) if (isOpen(entry, scan)) lookAt(entry, target, start, scan);
    }
  };
  const targetOf = (name: View, asked: readonly View[]): ViewText | undefined =>
    name === view.view ? view : alike(name, asked);
  const visit = (entry: Entry, start: number): void => {
    const { probe } = entry;
    if (probe.kind === 'pattern') {
      if (!scan.pending.has(entry) && isOpen(entry, scan)) scan.pending.add(entry);
      return;
    }
    if (!isOpen(entry, scan)) return;
    for (const name of probe.views) {
      const target = targetOf(name, probe.views);
      if (target) lookAt(entry, target, start, scan);
    }
  };

  const deep = (name: View, digits: number): void => {
    if (scan.wanted.numbers && digits >= MIN_DIGITS) lookAtNumbers(numbers, view, scan);
    if (set && scan.wanted.sets) lookAtSet(set, inSet, view, scan);
    for (const entry of scan.pending) {
      if (!entry.probe.views.includes(name)) continue;
      search(entry, view, scan);
    }
    scan.pending.clear();
  };

  return {
    wanted: (wanted) => wantedOf(wanted, entries, detectors.length),
    scan(text, wanted, from, crossing = false) {
      scan = { text, wanted, from, finds: undefined, pending: new Set() };
      const ascii = !BEYOND_ASCII.test(text);
      const views = viewsOf(text, ascii);
      const compatible = wanted.nfkc && !ascii ? views.nfkc() : undefined;
      view = views.raw;
      alike = (name, asked) => {
        // In ASCII the folded text differs by case alone, which the automaton ignores: one pass serves all views.
        if (name === 'folded') return ascii ? views.folded() : undefined;
        return name === 'nfkc' && !compatible && !asked.includes('raw') ? { ...views.raw, view: 'nfkc' } : undefined;
      };
      deep('raw', automaton.scan(text, hit, crossing ? Math.min(text.length, from + MAX_PREFIX) : text.length));
      alike = () => undefined;
      if (compatible) {
        view = compatible;
        deep('nfkc', automaton.scan(view.text, hit));
      }
      if (!ascii && wanted.folded) {
        view = views.folded();
        automaton.scan(view.text, hit);
        scan.pending.clear();
      }
      return scan.finds;
    },
  };
}

const BEYOND_ASCII = /[\u0080-\uffff]/;

function entriesOf(detectors: readonly (readonly Interest[])[]): Entry[] {
  const byKey = new Map<string, Entry>();
  detectors.forEach((interests, detector) => {
    for (const interest of interests) {
      let entry = byKey.get(interest.key);
      if (!entry) {
        entry = { probe: interest.probe(), subscribers: [] };
        byKey.set(interest.key, entry);
      }
      entry.subscribers.push({ detector, accepts: interest.accepts });
    }
  });
  return [...byKey.values()];
}

/** Distinct literals, and by literal who asked for it. */
function literalsOf(entries: readonly Entry[]): { literals: string[]; owners: Owners[] } {
  const byText = new Map<string, Entry[]>();
  for (const entry of entries) {
    const { probe } = entry;
    if (probe.kind === 'number') continue;
    const texts = probe.kind === 'term' ? termLiterals(probe) : (probe.literals ?? []);
    for (const text of new Set(texts.map(lowered))) addTo(byText, text, entry);
  }
  return { literals: [...byText.keys()], owners: [...byText.values()].map(ownersOf) };
}

/** Lower case, place by place: what would become longer stays, as it does where the automaton reads it. */
function lowered(text: string): string {
  const whole = text.toLowerCase();
  if (whole.length === text.length) return whole;
  return Array.from(text, (each) => (each.toLowerCase().length === each.length ? each.toLowerCase() : each)).join('');
}

function addTo<K>(map: Map<K, Entry[]>, key: K, entry: Entry): void {
  const known = map.get(key);
  if (known) known.push(entry);
  else map.set(key, [entry]);
}

function ownersOf(entries: readonly Entry[]): Owners {
  const byView = new Map<View, Entry[]>();
  const alone: Entry[] = [];
  for (const entry of entries) {
    if (entry.probe.kind !== 'term') alone.push(entry);
    else for (const name of entry.probe.views) addTo(byView, name, entry);
  }
  const groups: Owners['groups'] = [];
  for (const [name, terms] of byView) {
    if (terms.length > FEW_TERMS)
      groups.push({ name, terms: groupTerms(terms, ({ probe }) => (probe as TermProbe).text) });
    else alone.push(...terms);
  }
  return { alone, groups };
}

function wantedOf(detectors: Iterable<number>, entries: readonly Entry[], count: number): Wanted {
  const mask = new Uint8Array(count);
  for (const detector of detectors) mask[detector] = 1;
  const wanted: Wanted = { mask, numbers: false, sets: false, nfkc: false, folded: false };
  for (const { probe, subscribers } of entries) {
    if (!subscribers.some(({ detector }) => mask[detector] === 1)) continue;
    if (probe.kind === 'number') wanted.numbers = true;
    if (probe.kind === 'pattern' && probe.literals === undefined) wanted.sets = true;
    if (probe.views.includes('nfkc')) wanted.nfkc = true;
    if (probe.views.includes('folded')) wanted.folded = true;
  }
  return wanted;
}

/** Whether a detector that is wanted can still use a find of `entry`. */
function isOpen(entry: Entry, scan: Scan): boolean {
  const { subscribers } = entry;
  for (let i = 0; i < subscribers.length; i++) {
    const { detector } = subscribers[i]!;
    if (scan.wanted.mask[detector] === 0) continue;
    if (!scan.finds) return true;
    const evidence = scan.finds.evidence.get(detector);
    if ((!evidence || evidence.length < MAX_EVIDENCE) && !scan.finds.failed.has(detector)) return true;
  }
  return false;
}

/** Looks at one place; when that throws, the detectors that asked for it could not run. */
function lookAt(entry: Entry, view: ViewText, at: number, scan: Scan): void {
  const { probe } = entry;
  try {
    if (probe.kind === 'pattern') return;
    const find = probe.kind === 'term' ? lookForTerm(probe, view, at, scan) : probe.look(view.text, at);
    if (find) keep(entry, find, view, scan);
  } catch {
    fail(entry, scan);
  }
}

/** A word that is Latin as it was sent is not one of another script that looks like it. */
function lookForTerm(probe: TermProbe, view: ViewText, at: number, { text }: Scan): Find | undefined {
  const find = findTerm(probe, view.text, at);
  if (!find?.mixed) return find;
  return hasLookAlikes(text.slice(view.toRaw(find.start), view.endToRaw(find.end))) ? find : undefined;
}

/** Searches a whole view for a pattern. */
function search(entry: Entry, view: ViewText, scan: Scan): void {
  try {
    const find = findPattern(entry.probe as PatternProbe, view.text, offsetIn(view, scan.from));
    if (find) keep(entry, find, view, scan);
  } catch {
    fail(entry, scan);
  }
}

function fail(entry: Entry, scan: Scan): void {
  scan.finds ??= { evidence: new Map(), failed: new Set() };
  for (const { detector } of entry.subscribers) {
    if (scan.wanted.mask[detector] === 1) scan.finds.failed.add(detector);
  }
}

/** Where the raw offset `from` is in `view`. */
function offsetIn(view: ViewText, from: number): number {
  if (from === 0 || view.view === 'raw') return from;
  let low = 0;
  let high = view.text.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (view.toRaw(middle) < from) low = middle + 1;
    else high = middle;
  }
  return low;
}

function keep(entry: Entry, find: Find, view: ViewText, scan: Scan): void {
  const end = view.endToRaw(find.end);
  if (end <= scan.from) return;
  const start = Math.max(view.toRaw(find.start), scan.from);
  for (const { detector, accepts } of entry.subscribers) {
    if (scan.wanted.mask[detector] === 0 || (accepts && !accepts(find, view.text))) continue;
    scan.finds ??= { evidence: new Map(), failed: new Set() };
    let evidence = scan.finds.evidence.get(detector);
    if (!evidence) {
      evidence = [];
      scan.finds.evidence.set(detector, evidence);
    }
    const at = { start: start - scan.from, end: end - scan.from };
    const { label } = entry.probe;
    const known = evidence.some((e) => e.detector === label && e.start <= at.start && e.end >= at.end);
    if (known || evidence.length >= MAX_EVIDENCE) continue;
    evidence.push({ detector: label, view: view.view, source: 'text', ...at });
  }
}

/** Digits apart by more than this belong to different numbers. */
const MAX_GAP = 2;

/**
 * Looks for numbers at each run of digits. Runs close to each other are a cluster: of most texts' numbers (a year, a price)
 * the cluster has too few digits for anything that is looked for.
 */
function lookAtNumbers(numbers: readonly Entry[], view: ViewText, scan: Scan): void {
  const { text } = view;
  let i = 0;
  while (i < text.length) {
    if (!isDigit(text.charCodeAt(i))) {
      i++;
      continue;
    }
    const { end, digits } = clusterAt(text, i);
    let left = digits;
    for (let inside = false; i < end; i++) {
      const digit = isDigit(text.charCodeAt(i));
      if (digit && !inside) {
        for (const entry of numbers) {
          if ((entry.probe as NumberProbe).digits <= left && isOpen(entry, scan)) lookAt(entry, view, i, scan);
        }
      }
      inside = digit;
      if (digit) left--;
    }
  }
}

/** The cluster that starts with the digit at `from`: its end, and how many digits it has. */
function clusterAt(text: string, from: number): { end: number; digits: number } {
  let digits = 0;
  let end = from;
  for (let i = from; i < text.length && i - end <= MAX_GAP; i++) {
    const unit = text.charCodeAt(i);
    if (isDigit(unit)) {
      digits++;
      end = i + 1;
    } else if (isAsciiLetter(unit)) break;
  }
  return { end, digits };
}

function lookAtSet(set: PatternSet, inSet: readonly Entry[], view: ViewText, scan: Scan): void {
  let matched: number[];
  try {
    matched = set.match(view.text);
  } catch {
    // Each pattern is tried alone; the one at fault says so itself.
    matched = inSet.map((_, i) => i);
  }
  for (const index of matched) {
    const entry = inSet[index]!;
    if (isOpen(entry, scan)) scan.pending.add(entry);
  }
}
