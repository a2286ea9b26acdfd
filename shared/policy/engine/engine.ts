/**
 * The engine of a team: all detectors of all its policies in one pass over a text, and one more for each view that can differ.
 *
 * The automaton finds where a term, a credential or a required literal of a pattern may be, and digits say where a number may be. Only
 * those places are looked at closely. Patterns without a required literal share one set.
 */
import { buildAutomaton, digitPlaces, type InBytes, MAX_PREFIX } from './automaton.js';
import { entriesOf, literalsOf, type Owners, type ProbeEntry } from './entries.js';
import { type LongEngine, scanLong } from './long-scan.js';
import { type LongScans, run, runAll, type ScanInSteps } from './long-scans.js';
import { type ScanText, withPayloads } from './payloads.js';
import { type Chunk, chunkAt, chunkBehind, chunkFrom } from './probes/number.js';
import type { Interest } from './probes/probe.js';
import {
  copyOf,
  type Finds,
  isOpen,
  lookAt,
  lookAtChunk,
  lookAtWhole,
  type Numbers,
  newScan,
  type Scan,
  type Sweeping,
  search,
  sweep,
  type WantedDetectors,
} from './scan.js';
import { SECTIONS, type SectionSizes } from './sections.js';
import { type LookSteps, stepsFor } from './steps.js';
import { ALL_KINDS, lookAtSet, setOf } from './unanchored.js';
import { HINTS, isHint, mayBeEncoded, mayBeEncodedWords } from './views/may-be-encoded.js';
import { mayBeTurned } from './views/rotated.js';
import { KINDS, passOf, type ViewKind, type ViewText, viewInPass, viewOf, viewsOf } from './views/views.js';

export interface Engine {
  wanted(detectors: Iterable<number>): WantedDetectors;
  /**
   * Scans `text`; undefined when nothing fires. Text before `from` is of earlier texts: finds that end at or before it do not count,
   * and offsets of the evidence are relative to it. With `crossing`, `text` is plain ASCII around `from`, and only finds of terms that
   * begin before `from` are asked for. With `all`, finds are kept beyond the first few of a detector.
   */
  scan(text: string, wanted: WantedDetectors, from: number, how?: How): Finds | undefined;
}

export interface How {
  crossing?: boolean;
  all?: boolean | undefined;
  /** finds that begin at this offset or behind do not count */
  until?: number | undefined;
  /** the text, where it stands as bytes already */
  inBytes?: InBytes | undefined;
  /** runs the scan where the text is long; absent: it is scanned at once */
  scans?: LongScans | undefined;
}

const AS_EVER: How = {};

/** So far behind its beginning a find has the literal that leads to it, at most: data stand before the kind of their manifest. */
const LITERAL_AHEAD = 5000;

/** `detectors`: by number of a detector, what it looks for. */
export function buildEngine(detectors: readonly (readonly Interest[])[], sizes: SectionSizes = SECTIONS): Engine {
  const entries = entriesOf(detectors);
  const { literals, owners } = literalsOf(entries);
  if (detectors.some((interests) => interests.some(({ decoded }) => decoded !== undefined))) addHints(literals, owners);
  const automaton = buildAutomaton(literals);
  const set = setOf(entries);

  // One scan runs at a time, so the closure that the automaton calls is made once. Its state is here.
  let scan: Scan;
  /** patterns to search the view for that is being scanned */
  const pending = new Set<ProbeEntry>();
  const hit = (literal: number, start: number): void => visit(owners[literal]!, start, scan, pending);
  const pass = (kind: ViewKind, crossing: boolean): void => {
    scan.pass = kind;
    const view = viewOf(scan.views, kind);
    const { length } = view.text;
    // Only of the text as sent is known where a section ends.
    const last = crossing ? scan.from + MAX_PREFIX : kind === KINDS.raw ? scan.end + LITERAL_AHEAD : length;
    const until = Math.min(length, last);
    const bytes = kind === KINDS.raw ? scan.views.inBytes : undefined;
    const count = bytes ? automaton.scanBytes(bytes, hit, until) : automaton.scan(view.text, hit, until);
    if (kind === KINDS.raw) scan.digits = count;
    for (const numbers of scan.wanted.numbers) {
      if (count >= numbers.look.digits) lookAtNumbers(numbers, view, scan, bytes && !crossing ? count : -1);
    }
    const { later } = scan;
    if (!later && scan.wanted.sets && set?.views.includes(kind)) lookAtSet(set, view, scan, pending);
    if (pending.size === 0) return;
    for (const entry of pending) {
      if (later) later.add(entry);
      else search(entry, view, scan);
    }
    pending.clear();
  };

  const scanViews = (of: Scan, crossing: boolean): void => {
    scan = of;
    // Clearing allocates. Something is left where the scan before threw.
    if (pending.size > 0) pending.clear();
    pass(KINDS.raw, crossing);
    let last: ViewKind = KINDS.raw;
    for (const kind of of.wanted.views) {
      const serving = passOf(of.views, kind);
      if (serving !== KINDS.raw && serving !== last) pass(serving, false);
      last = serving;
    }
  };

  const scanText = (
    text: string,
    wanted: WantedDetectors,
    from: number,
    { crossing = false, all, inBytes, until }: How,
    steps?: LookSteps,
  ) => {
    const of = newScan(viewsOf(text, inBytes), wanted, from, all, steps);
    if (until !== undefined) of.end = until;
    scanViews(of, crossing);
    for (const each of wanted.sweeps) sweep(each, of);
    for (const entry of wanted.whole) lookAtWhole(entry, viewOf(of.views, KINDS.raw), of);
    return of;
  };

  const scanInner: ScanText = (text, wanted, all, steps) => scanText(text, wanted, 0, { all }, steps).finds;
  const longEngine: LongEngine = { sizes, scanViews: (of) => scanViews(of, false), scanText: scanInner, set };

  return {
    wanted: (wanted) => wantedOf(wanted, entries, detectors),
    scan(text, wanted, from, how = AS_EVER) {
      const { crossing, all = false, scans } = how;
      if (text.length > sizes.longest && !crossing) {
        const begin = (): ScanInSteps<Finds | undefined> => scanLong(longEngine, { text, wanted, from, all });
        return scans ? copyOf(run(scans, begin)) : runAll(begin());
      }
      const of = scanText(text, wanted, from, how);
      const { finds, views, steps } = of;
      const plain = !crossing && !mayHold(of);
      if (crossing || (views.ascii && plain)) return finds;
      return withPayloads(finds, { text, ascii: views.ascii, wanted, plain, from, all, steps }, scanInner);
    },
  };
}

/** Whether the text that was scanned last may hold something that is encoded. */
function mayHold({ wanted, views, digits, hinted }: Scan): boolean {
  const { decoded, turned, words } = wanted;
  if (!decoded) return false;
  const { sent, inBytes } = views;
  if (hinted) return true;
  if (words) return !inBytes || mayBeEncodedWords(inBytes, sent);
  if (digits > 0 && (!inBytes || mayBeEncoded(inBytes, sent.length, digitPlaces, digits))) return true;
  return turned !== undefined && mayBeTurned(sent);
}

/** Makes the hints of what is encoded literals, where a detector looks for it. They are known by the scan that there is anyway. */
function addHints(literals: string[], owners: Owners[]): void {
  for (const hint of HINTS) {
    const known = literals.indexOf(hint);
    if (known >= 0) owners[known]!.hint = true;
    else {
      literals.push(hint);
      owners.push({ alone: [], groups: [], hint: true });
    }
  }
}

function wantedOf(
  detectors: Iterable<number>,
  entries: readonly ProbeEntry[],
  interests: readonly (readonly Interest[])[],
): WantedDetectors {
  const mask = new Uint8Array(interests.length);
  const wanted = [...detectors];
  for (const detector of wanted) mask[detector] = 1;
  const patterns: ProbeEntry[] = [];
  let sets = false;
  const numbers: Numbers[] = [];
  const whole: ProbeEntry[] = [];
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
    if (probe.kind === 'pattern') patterns.push(entry);
    if (probe.kind === 'pattern' && probe.literals === undefined) sets = true;
    for (const kind of views) asked.add(kind);
  }
  const others = ALL_KINDS.filter((kind) => kind !== KINDS.raw && asked.has(kind));
  const all: WantedDetectors = {
    mask,
    numbers,
    patterns,
    sets,
    whole,
    sweeps,
    views: others,
    decoded: undefined,
    turned: undefined,
    words: false,
  };
  const those = (detects: (interest: Interest) => boolean): WantedDetectors | undefined => {
    const some = wanted.filter((detector) => interests[detector]!.some(detects));
    if (some.length === 0) return undefined;
    // Where all are wanted, it is itself.
    return some.length === wanted.length ? all : wantedOf(some, entries, interests);
  };
  all.decoded = those(({ decoded }) => decoded !== undefined);
  all.turned = those(({ decoded }) => decoded === 'words' || decoded === 'sentences');
  all.words = those(({ decoded }) => decoded === 'words') !== undefined;
  return all;
}

/** A literal was found in the view that is being scanned, at `start`. */
function visit({ alone, groups, hint }: Owners, start: number, scan: Scan, pending: Set<ProbeEntry>): void {
  const { views, pass } = scan;
  if (hint && !scan.hinted && pass === KINDS.raw) scan.hinted = isHint(views.sent, start);
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

/** What numbers have around them that may claim their digits, at most. */
const AROUND_NUMBER = 1024;

/** `count`: so many digits of the view are known by their places, and are all that are looked at; -1: none is. */
function lookAtNumbers(numbers: Numbers, view: ViewText, scan: Scan, count: number): void {
  const { entry, look } = numbers;
  if (!entry.views.includes(scan.pass)) return;
  const { text } = view;
  const lookAtChunks = look.look(text, stepsFor(text.length, NUMBER_STEPS.each, NUMBER_STEPS.floor));
  const lookAtOne = (chunk: Chunk): void => {
    if (look.digits <= chunk.digits && isOpen(entry, scan)) lookAtChunk(entry, lookAtChunks, view, chunk, scan);
  };
  if (count < 0) {
    const isRaw = scan.pass === KINDS.raw;
    const last = isRaw ? scan.end + AROUND_NUMBER : text.length;
    let chunk = chunkFrom(text, isRaw ? Math.max(0, scan.first - AROUND_NUMBER) : 0);
    for (; chunk && chunk.at < last; chunk = chunkBehind(text, chunk)) {
      lookAtOne(chunk.end > last ? { ...chunk, end: last } : chunk);
    }
  }
  for (let n = 0; n < count; ) {
    const chunk = chunkAt(digitPlaces, n, count);
    n += chunk.digits;
    lookAtOne(chunk);
  }
}
