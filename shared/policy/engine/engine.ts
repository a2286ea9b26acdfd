/**
 * The engine of a team: all detectors of all its policies in one pass over a text, and one more for each view that can differ.
 *
 * The automaton finds where a term, a credential or a required literal of a pattern may be, and digits say where a number may be. Only
 * those places are looked at closely. Patterns without a required literal share one set.
 */
import { buildAutomaton, digitPlaces, type InBytes, MAX_PREFIX } from './automaton.js';
import { type Entry, entriesOf, literalsOf, type Owners } from './entries.js';
import { withPayloads } from './payloads.js';
import { type Chunk, chunkAt, chunkBehind, chunkFrom } from './probes/number.js';
import { buildSets, type PatternSet } from './probes/pattern-set.js';
import type { Interest, PatternProbe } from './probes/probe.js';
import {
  type Finds,
  isOpen,
  lookAt,
  lookAtChunk,
  lookAtWhole,
  MAX_MORE,
  mayHave,
  type Numbers,
  type Scan,
  type Sweeping,
  search,
  sweep,
  type Wanted,
} from './scan.js';
import { stepsFor } from './steps.js';
import { KINDS, passOf, VIEWS, type ViewKind, type ViewText, viewInPass, viewOf, viewsOf } from './views/views.js';

export interface Engine {
  wanted(detectors: Iterable<number>): Wanted;
  /**
   * Scans `text`; undefined when nothing fires. Text before `from` is of earlier texts: finds that end at or before it do not count,
   * and offsets of the evidence are relative to it. With `crossing`, `text` is plain ASCII around `from`, and only finds of terms that
   * begin before `from` are asked for. With `all`, finds are kept beyond the first few of a detector.
   */
  scan(text: string, wanted: Wanted, from: number, how?: How): Finds | undefined;
}

export interface How {
  crossing?: boolean;
  all?: boolean | undefined;
  /** the text, where it stands as bytes already */
  inBytes?: InBytes | undefined;
}

const AS_EVER: How = {};

/** `detectors`: by number of a detector, what it looks for. */
export function buildEngine(detectors: readonly (readonly Interest[])[]): Engine {
  const entries = entriesOf(detectors);
  const { literals, owners } = literalsOf(entries);
  const automaton = buildAutomaton(literals);
  const set = setOf(entries);

  // One scan runs at a time, so the closure that the automaton calls is made once. Its state is here.
  let scan: Scan;
  /** patterns to search the view for that is being scanned */
  const pending = new Set<Entry>();
  const hit = (literal: number, start: number): void => visit(owners[literal]!, start, scan, pending);
  const pass = (kind: ViewKind, crossing: boolean): void => {
    scan.pass = kind;
    const view = viewOf(scan.views, kind);
    const until = crossing ? Math.min(view.text.length, scan.from + MAX_PREFIX) : view.text.length;
    const bytes = kind === KINDS.raw ? scan.views.inBytes : undefined;
    const count = bytes ? automaton.scanBytes(bytes, hit, until) : automaton.scan(view.text, hit, until);
    for (const numbers of scan.wanted.numbers) {
      if (count >= numbers.look.digits) lookAtNumbers(numbers, view, scan, bytes && !crossing ? count : -1);
    }
    if (scan.wanted.sets && set?.views.includes(kind)) lookAtSet(set, view, scan, pending);
    if (pending.size === 0) return;
    for (const entry of pending) search(entry, view, scan);
    pending.clear();
  };

  const scanText = (text: string, wanted: Wanted, from: number, how: How): Finds | undefined => {
    const { crossing = false, all, inBytes } = how;
    scan = { views: viewsOf(text, inBytes), wanted, from, more: all ? MAX_MORE : 0, pass: KINDS.raw, finds: undefined };
    // Clearing allocates. Something is left where the scan before threw.
    if (pending.size > 0) pending.clear();
    pass(KINDS.raw, crossing);
    let last: ViewKind = KINDS.raw;
    for (const kind of wanted.views) {
      const serving = passOf(scan.views, kind);
      if (serving !== KINDS.raw && serving !== last) pass(serving, false);
      last = serving;
    }
    for (const each of wanted.sweeps) sweep(each, scan);
    for (const entry of wanted.whole) lookAtWhole(entry, viewOf(scan.views, KINDS.raw), scan);
    return scan.finds;
  };

  return {
    wanted: (wanted) => wantedOf(wanted, entries, detectors),
    scan(text, wanted, from, how = AS_EVER) {
      const finds = scanText(text, wanted, from, how);
      const { ascii } = scan.views;
      if (how.crossing || (ascii && !wanted.decoded)) return finds;
      const holder = { text, ascii, wanted, from, all: how.all === true };
      return withPayloads(finds, holder, (inner, of, all) => scanText(inner, of, 0, { all }));
    },
  };
}

const ALL_KINDS: readonly ViewKind[] = VIEWS.map((name) => KINDS[name]);

/** Patterns without a required literal, and the set that says which of them may match. */
interface Unanchored {
  entries: readonly Entry[];
  patterns: PatternSet;
  /** that some of them look at */
  views: readonly ViewKind[];
}

function setOf(all: readonly Entry[]): Unanchored | undefined {
  const entries = all.filter(({ probe }) => probe.kind === 'pattern' && probe.literals === undefined);
  if (entries.length === 0) return undefined;
  const views = ALL_KINDS.filter((kind) => entries.some((entry) => entry.views.includes(kind)));
  return { entries, patterns: buildSets(entries.map(({ probe }) => probe as PatternProbe)), views };
}

function wantedOf(
  detectors: Iterable<number>,
  entries: readonly Entry[],
  interests: readonly (readonly Interest[])[],
): Wanted {
  const mask = new Uint8Array(interests.length);
  const wanted = [...detectors];
  for (const detector of wanted) mask[detector] = 1;
  let sets = false;
  const numbers: Numbers[] = [];
  const whole: Entry[] = [];
  const sweeps: Sweeping[] = [];
  const asked = new Set<ViewKind>();
  for (const entry of entries) {
    const { probe, views, subscribers } = entry;
    if (!subscribers.some(({ detector }) => mask[detector] === 1)) continue;
    const asks = (): unknown[] => subscribers.filter(({ detector }) => mask[detector] === 1).map((one) => one.asked);
    if (probe.kind === 'number') numbers.push({ entry, look: probe.lookFor(asks()) });
    if (probe.kind === 'whole') whole.push(entry);
    if (probe.kind === 'sweep') {
      sweeps.push({ entry, look: probe.lookFor(asks()) });
      continue;
    }
    if (probe.kind === 'pattern' && probe.literals === undefined) sets = true;
    for (const kind of views) asked.add(kind);
  }
  const others = ALL_KINDS.filter((kind) => kind !== KINDS.raw && asked.has(kind));
  const decoding = wanted.filter((detector) => interests[detector]!.some((interest) => interest.decoded));
  let decoded: Wanted | undefined;
  // Where all are wanted, it is itself.
  if (decoding.length > 0 && decoding.length < wanted.length) decoded = wantedOf(decoding, entries, interests);
  const all: Wanted = { mask, numbers, sets, whole, sweeps, views: others, decoded };
  if (decoding.length > 0) all.decoded ??= all;
  return all;
}

/** A literal was found in the view that is being scanned, at `start`. */
function visit({ alone, groups }: Owners, start: number, scan: Scan, pending: Set<Entry>): void {
  const { views, pass } = scan;
  for (let i = 0; i < alone.length; i++) {
    const entry = alone[i]!;
    const { probe, views: asked } = entry;
    if (probe.kind === 'pattern') {
      if (asked.includes(pass) && !pending.has(entry) && isOpen(entry, scan)) pending.add(entry);
      continue;
    }
    if (!isOpen(entry, scan)) continue;
    for (let v = 0; v < asked.length; v++) {
      const view = viewInPass(views, pass, asked[v]!, asked);
      if (view) lookAt(entry, view, start, scan);
    }
  }
  for (let i = 0; i < groups.length; i++) {
    const { kind, terms } = groups[i]!;
    const view = viewInPass(views, pass, kind);
    if (!view) continue;
    for (const entry of terms.at(view.text, start)) if (isOpen(entry, scan)) lookAt(entry, view, start, scan);
  }
}

/** Steps of looks at numbers: each look says what it spends. Tables, dumps and logs take a tenth of it. */
const NUMBER_STEPS = { each: 160, floor: 1_000_000 };

/** `count`: so many digits of the view are known by their places, and are all that are looked at; -1: none is. */
function lookAtNumbers(numbers: Numbers, view: ViewText, scan: Scan, count: number): void {
  const { entry, look } = numbers;
  if (!entry.views.includes(scan.pass)) return;
  const { text } = view;
  const lookAtChunks = look.look(text, stepsFor(text.length, NUMBER_STEPS.each, NUMBER_STEPS.floor));
  const lookAtOne = (chunk: Chunk): void => {
    if (look.digits <= chunk.digits && isOpen(entry, scan)) lookAtChunk(entry, lookAtChunks, view, chunk, scan);
  };
  if (count < 0) for (let chunk = chunkFrom(text, 0); chunk; chunk = chunkBehind(text, chunk)) lookAtOne(chunk);
  for (let n = 0; n < count; ) {
    const chunk = chunkAt(digitPlaces, n, count);
    n += chunk.digits;
    lookAtOne(chunk);
  }
}

/** Up to so many patterns are each held against the text before the set goes over it. */
const FEW_PATTERNS = 8;

function lookAtSet({ entries, patterns }: Unanchored, view: ViewText, scan: Scan, pending: Set<Entry>): void {
  if (entries.length <= FEW_PATTERNS && !entries.some((entry) => mayHave(entry, scan))) return;
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
