/** One scan of a text: which finds count, for which detectors, and where they stand in the text as sent. */
import type { Evidence } from '../types.js';
import type { ProbeEntry } from './entries.js';
import { hasNeeded } from './probes/literals.js';
import type { Chunk } from './probes/number.js';
import { findPattern } from './probes/pattern-set.js';
import {
  type Find,
  NotThere,
  type NumberLook,
  type PatternProbe,
  type PlaceProbe,
  type SweepLook,
  type TermProbe,
  type WholeProbe,
} from './probes/probe.js';
import { findTerm } from './probes/terms/term.js';
import { type LookSteps, sweepSteps } from './steps.js';
import { hasLookAlikes } from './views/normalise.js';
import { KINDS, offsetIn, passOf, type ViewKind, type Views, type ViewText, viewOf } from './views/views.js';

/** Finds kept of one detector in one text: enough to show where, and a bound that no text can exceed. */
export const MAX_EVIDENCE = 8;
/** Finds kept beyond these where all are asked for, of all detectors together. */
export const MAX_MORE = 40_000;

/** A probe of numbers, and the look for all that its detectors ask of it. */
export interface Numbers {
  entry: ProbeEntry;
  look: NumberLook;
}

/** A sweep, for all that its detectors ask of it. */
export interface Sweeping {
  entry: ProbeEntry;
  look: SweepLook;
}

/** Detectors that are wanted in a scan, with what that needs. */
export interface WantedDetectors {
  /** 1 for each wanted detector */
  mask: Uint8Array;
  numbers: readonly Numbers[];
  patterns: readonly ProbeEntry[];
  /** some patterns are told by the set alone */
  sets: boolean;
  /** what judges texts as a whole */
  whole: readonly ProbeEntry[];
  /** what sweeps a view */
  sweeps: readonly Sweeping[];
  /** those of them that look at what is decoded of a text, too; undefined: none does */
  decoded: WantedDetectors | undefined;
  /** those of these that look at ROT13, too */
  turned: WantedDetectors | undefined;
  /** some of them look for words, which may have no digit when they are encoded */
  words: boolean;
  /** views beside the text as sent */
  views: readonly ViewKind[];
}

/** What a scan found. A detector in neither did not fire. */
export interface Finds {
  evidence: Map<number, Evidence[]>;
  /** detectors that could not run */
  failed: Set<number>;
  /** those of them that may run another time: what they need was not there. The others depend on the item alone */
  passing?: Set<number>;
  /** those of them that do not know the language of the text, with it */
  foreign?: Map<number, string>;
  /** all were asked for, and there are more than are kept */
  over?: true;
}

/** For one that adds to what others are given, too. */
export function copyOf(finds: Finds | undefined): Finds | undefined {
  if (!finds) return undefined;
  const { evidence, failed, passing, foreign, ...more } = finds;
  const copied = [...evidence].map(([detector, all]) => [detector, all.map((one) => ({ ...one }))] as const);
  const copy: Finds = { ...more, evidence: new Map(copied), failed: new Set(failed) };
  if (passing) copy.passing = new Set(passing);
  if (foreign) copy.foreign = new Map(foreign);
  return copy;
}

/** Adds to `all` the detectors that could not run in `more`. */
export function addFailed(
  all: Finds,
  { failed, passing, foreign }: Pick<Finds, 'failed' | 'passing' | 'foreign'>,
): void {
  for (const detector of failed) {
    const language = foreign?.get(detector);
    if (language === undefined) all.foreign?.delete(detector);
    else if (!all.failed.has(detector)) all.foreign = (all.foreign ?? new Map()).set(detector, language);
    const lasts = all.failed.has(detector) && !all.passing?.has(detector);
    all.failed.add(detector);
    if (!passing?.has(detector)) all.passing?.delete(detector);
    else if (!lasts) all.passing = (all.passing ?? new Set()).add(detector);
  }
}

/** State of one scan. */
export interface Scan {
  views: Views;
  wanted: WantedDetectors;
  /** finds that end at or before this offset do not count */
  from: number;
  /** and so do those that start before this one, or at this one and behind: a section of a text has its own alone */
  first: number;
  end: number;
  /** of a section: takes the patterns that are to be searched in the whole text */
  later: Set<ProbeEntry> | undefined;
  /** of a whole text: the folded views of its sections, which are made anyway; undefined: it has none */
  folded: readonly string[] | undefined;
  /** steps that are left for sweeps over the text, and over what it holds */
  steps: LookSteps;
  /** finds that may still be kept beyond the first `MAX_EVIDENCE` of a detector */
  more: number;
  /** the view that is being scanned */
  pass: ViewKind;
  /** digits in the text as sent */
  digits: number;
  /** something leads to what may be encoded */
  hinted: boolean;
  finds: Finds | undefined;
}

/** A scan of all of a text. `all`: all finds are asked for. */
export const newScan = (
  views: Views,
  wanted: WantedDetectors,
  from: number,
  all: boolean | undefined,
  steps = sweepSteps(views.sent.length),
): Scan => ({
  views,
  wanted,
  from,
  first: 0,
  end: Number.MAX_SAFE_INTEGER,
  later: undefined,
  folded: undefined,
  steps,
  more: all ? MAX_MORE : 0,
  pass: KINDS.raw,
  digits: 0,
  hinted: false,
  finds: undefined,
});

/** Whether a detector that is wanted can still use a find of `entry`. */
export function isOpen({ subscribers }: ProbeEntry, { wanted, finds, more }: Scan): boolean {
  for (let i = 0; i < subscribers.length; i++) {
    const { detector } = subscribers[i]!;
    if (wanted.mask[detector] === 0) continue;
    if (!finds) return true;
    const evidence = finds.evidence.get(detector);
    if ((!evidence || evidence.length < MAX_EVIDENCE || more > 0) && !finds.failed.has(detector)) return true;
  }
  return false;
}

/** Looks at one place of a view. Where that throws, the detectors that asked for it could not run. */
export function lookAt(entry: ProbeEntry, view: ViewText, at: number, scan: Scan): void {
  const { probe } = entry;
  try {
    const found =
      probe.kind === 'term' ? lookForTerm(probe, view, at, scan) : (probe as PlaceProbe).look(view.text, at);
    if (found) keepAll(entry, found, view, scan);
  } catch (error) {
    fail(entry, scan, error);
  }
}

/** The same for a chunk of digits. */
export function lookAtChunk(
  entry: ProbeEntry,
  look: ReturnType<NumberLook['look']>,
  view: ViewText,
  chunk: Chunk,
  scan: Scan,
): void {
  try {
    const found = look(chunk);
    if (found) keepAll(entry, found, view, scan);
  } catch (error) {
    fail(entry, scan, error);
  }
}

function keepAll(entry: ProbeEntry, found: Find | readonly Find[], view: ViewText, scan: Scan): void {
  if (!isList(found)) keep(entry, found, view, scan);
  else for (const find of found) keep(entry, find, view, scan);
}

const isList = (found: Find | readonly Find[]): found is readonly Find[] => Array.isArray(found);

/** A Latin word, as it was sent, is no word of another script that looks like it. */
function lookForTerm(probe: TermProbe, view: ViewText, at: number, { views }: Scan): Find | undefined {
  const find = findTerm(probe, view.text, at);
  if (!find?.mixed) return find;
  return hasLookAlikes(views.sent.slice(view.toRaw(find.start), view.endToRaw(find.end))) ? find : undefined;
}

/**
 * Whether the text may have the pattern of `entry`: told by what the pattern needs, which takes a hundredth of a search. That is ASCII, and
 * folding keeps it: what stands in any view stands in the folded one, in small letters.
 */
export function mayHave({ probe }: ProbeEntry, { views, folded }: Scan): boolean {
  const { needs } = probe as PatternProbe;
  if (!folded) return hasNeeded(viewOf(views, KINDS.folded).text, needs);
  return needs.every((texts) => folded.some((each) => hasNeeded(each, [texts])));
}

/** Searches a whole view for a pattern. */
export function search(entry: ProbeEntry, view: ViewText, scan: Scan): void {
  if (!mayHave(entry, scan)) return;
  try {
    const find = findPattern(entry.probe as PatternProbe, view.text, offsetIn(view, scan.from));
    if (find) keep(entry, find, view, scan);
  } catch (error) {
    fail(entry, scan, error);
  }
}

/** Judges the whole text, and the earlier ones by themselves, as a find in these is none of the current text. */
export function lookAtWhole(
  entry: ProbeEntry,
  view: ViewText,
  scan: Scan,
  { look }: Pick<WholeProbe, 'look'> = entry.probe as WholeProbe,
): void {
  const { from } = scan;
  try {
    const find = look(view.text);
    if (!find) return;
    if (find.foreign !== undefined) failForeign(entry, find, view.text, scan);
    // A line break parts the earlier texts from the current one.
    const earlier = from > 0 ? look(view.text.slice(0, from - 1)) : undefined;
    keep(entry, find, view, scan, earlier);
  } catch (error) {
    fail(entry, scan, error);
  }
}

/** Sweeps the view that serves the one that is asked for. What it finds before it throws counts. */
export function sweep({ entry, look }: Sweeping, scan: Scan): void {
  if (!isOpen(entry, scan)) return;
  const kind = passOf(scan.views, entry.views[0]!);
  const view = viewOf(scan.views, kind);
  try {
    look(
      view.text,
      (find) => {
        keep(entry, find, view, scan);
        return isOpen(entry, scan);
      },
      scan.steps,
      kind === KINDS.raw ? scan.views.inBytes : undefined,
    );
  } catch (error) {
    fail(entry, scan, error);
  }
}

function fail(entry: ProbeEntry, scan: Scan, error: unknown): void {
  const failed = wantedOf(entry, scan);
  addFailed(findsOf(scan), error instanceof NotThere ? { failed, passing: failed } : { failed });
}

function failForeign({ subscribers }: ProbeEntry, find: Find, text: string, scan: Scan): void {
  const place = { sent: scan.views.sent, start: find.start, end: find.end };
  const open = subscribers.filter(
    ({ detector, accepts }) => scan.wanted.mask[detector] === 1 && !accepts?.(find, text, place),
  );
  if (open.length === 0) return;
  const foreign = new Map(open.map(({ detector }) => [detector, find.foreign!]));
  addFailed(findsOf(scan), { failed: new Set(foreign.keys()), foreign });
}

/** The detectors of a scan that asked for what `entry` looks for. */
function wantedOf({ subscribers }: ProbeEntry, { wanted }: Scan): Set<number> {
  const detectors = new Set<number>();
  for (const { detector } of subscribers) if (wanted.mask[detector] === 1) detectors.add(detector);
  return detectors;
}

function findsOf(scan: Scan): Finds {
  scan.finds ??= { evidence: new Map(), failed: new Set() };
  return scan.finds;
}

/** `earlier`: what the probe finds without the current text; whoever accepts that has no find in the current one. */
function keep(entry: ProbeEntry, find: Find, view: ViewText, scan: Scan, earlier?: Find): void {
  const end = view.endToRaw(find.end);
  if (end <= scan.from) return;
  const at = view.toRaw(find.start);
  if (at < scan.first || at >= scan.end) return;
  const start = Math.max(at, scan.from);
  const sent = { sent: scan.views.sent, start: at, end };
  for (const { detector, accepts } of entry.subscribers) {
    if (scan.wanted.mask[detector] === 0 || (accepts && !accepts(find, view.text, sent))) continue;
    if (earlier && (!accepts || accepts(earlier, view.text, sent))) continue;
    scan.finds ??= { evidence: new Map(), failed: new Set() };
    let evidence = scan.finds.evidence.get(detector);
    if (!evidence) {
      evidence = [];
      scan.finds.evidence.set(detector, evidence);
    }
    const place = { start: start - scan.from, end: end - scan.from };
    const label = find.label ?? entry.probe.label;
    if (isKnown(evidence, label, place)) continue;
    if (evidence.length >= MAX_EVIDENCE) {
      if (scan.more === 0) continue;
      if (--scan.more === 0) scan.finds.over = true;
    }
    const made: Evidence = { detector: label, view: find.view ?? view.view, source: 'text', ...place };
    if (find.score < 1) made.score = find.score;
    evidence.push(made);
  }
}

/** Whether one of the last finds says the same. Where all are asked for, there may be very many. */
function isKnown(evidence: readonly Evidence[], label: string, at: { start: number; end: number }): boolean {
  for (let i = evidence.length - 1; i >= 0 && i >= evidence.length - MAX_EVIDENCE; i--) {
    const { detector, start, end } = evidence[i]!;
    if (detector === label && start <= at.start && end >= at.end) return true;
  }
  return false;
}
