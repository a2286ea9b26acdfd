/**
 * The scan of a long text, in steps: its sections, then what must see all of it, then what it holds. It finds what a scan at once finds, but for
 * what reaches further than a section and its surroundings. Of a detector that finds more than are kept, those of the first sections are.
 */
import type { ProbeEntry } from './entries.js';
import { addWithin, MAX_DEPTH, type PayloadHolder, payloadsIn, type ScanText, withPayloads } from './payloads.js';
import type { PatternProbe, SweepProbe, WholeProbe } from './probes/probe.js';
import {
  isOpen,
  lookAtWhole,
  mayHave,
  newScan,
  type Scan,
  type Sweeping,
  search,
  sweep,
  type WantedDetectors,
} from './scan.js';
import { type Section, type SectionSizes, sectionsOf } from './sections.js';
import type { LookSteps } from './steps.js';
import { lookAtSet, mayMatch, type Unanchored } from './unanchored.js';
import { KINDS, passOf, type ViewKind, viewOf, viewsOf } from './views/views.js';

/** What it needs of an engine, of which other scans run between its steps. */
export interface LongEngine {
  sizes: SectionSizes;
  /** scans the views of a text, but for what sweeps it or judges it as a whole */
  scanViews(scan: Scan): void;
  /** scans a short text at once */
  scanText: ScanText;
  set: Unanchored | undefined;
}

export interface LongText {
  text: string;
  wanted: WantedDetectors;
  from: number;
  all: boolean;
  /** those of the text that it is in; absent: it is in none */
  steps?: LookSteps | undefined;
}

const isUndivided = ({ entry }: Sweeping): boolean => (entry.probe as SweepProbe).undivided === true;

/** What the sections of a text say of the whole. */
interface SectionsSummary {
  /** patterns of which a literal was found */
  later: Set<ProbeEntry>;
  /** views that have a pass of their own somewhere */
  differing: Set<ViewKind>;
  folded: string[];
}

/** `depth`: 1 for a text that is in no other. */
export function* scanLong(engine: LongEngine, long: LongText, depth = 1): Generator<undefined, Scan['finds']> {
  const { text, wanted, from, all } = long;
  // Where it stands as bytes, its sections will.
  const views = { ...viewsOf(text), inBytes: undefined };
  const whole = newScan(views, wanted, from, all, long.steps);
  const said: SectionsSummary = { later: new Set(), differing: new Set([KINDS.raw]), folded: [] };
  const sections = sectionsOf(text, from, engine.sizes);
  for (const section of sections) {
    scanSection(engine, whole, section, said);
    yield;
  }
  // A pattern may reach back to where no section is.
  const isAll = sections[0]?.first === 0;
  if (isAll && !whole.views.ascii) whole.folded = said.folded;
  if (wanted.patterns.length > 0) yield* searchAll(engine, whole, isAll ? said : saidOf(whole));
  for (const each of wanted.sweeps.filter(isUndivided)) {
    sweep(each, whole);
    yield;
  }
  yield* judgeWhole(whole);
  if (depth <= MAX_DEPTH && (!whole.views.ascii || wanted.decoded)) {
    yield* scanWithin(engine, whole, { text, ascii: whole.views.ascii, wanted, from, all, steps: whole.steps }, depth);
  }
  return whole.finds;
}

/** Its finds are those of the whole. */
function scanSection(engine: LongEngine, whole: Scan, section: Section, said: SectionsSummary): void {
  const { wanted, views, finds, more } = whole;
  const { first, end, from, to } = section;
  const scan = newScan(viewsOf(views.sent.slice(from, to)), wanted, whole.from - from, false);
  Object.assign(scan, { first: first - from, end: end - from, later: said.later, finds, more });
  engine.scanViews(scan);
  for (const each of wanted.sweeps) if (!isUndivided(each)) sweep(each, scan);
  whole.finds = scan.finds;
  whole.more = scan.more;
  for (const kind of wanted.views) if (passOf(scan.views, kind) === kind) said.differing.add(kind);
  if (!views.ascii && wanted.patterns.length > 0) said.folded.push(viewOf(scan.views, KINDS.folded).text);
}

/** What holds of any text. */
const saidOf = ({ wanted, views }: Scan): SectionsSummary => ({
  later: new Set(wanted.patterns.filter(({ probe }) => (probe as PatternProbe).literals !== undefined)),
  differing: new Set([KINDS.raw, ...wanted.views].filter((kind) => passOf(views, kind) === kind)),
  folded: [],
});

/** Patterns, whose length may have no bound. */
function* searchAll(
  { set }: LongEngine,
  whole: Scan,
  { later, differing }: SectionsSummary,
): Generator<undefined, void> {
  const { wanted, views } = whole;
  for (const kind of differing) {
    whole.pass = kind;
    const pending = new Set<ProbeEntry>();
    for (const entry of later) {
      if (entry.views.includes(kind) && isOpen(entry, whole) && mayHave(entry, whole)) pending.add(entry);
    }
    const asked = wanted.sets && set?.views.includes(kind) && mayMatch(set, whole) ? set : undefined;
    if (pending.size === 0 && !asked) continue;
    const view = viewOf(views, kind);
    yield;
    if (asked) {
      lookAtSet(asked, view, whole, pending);
      yield;
    }
    for (const entry of pending) {
      search(entry, view, whole);
      yield;
    }
  }
}

/** Judges the whole. What several probes need is worked out once. */
function* judgeWhole(whole: Scan): Generator<undefined, void> {
  const { wanted, views, from } = whole;
  const view = viewOf(views, KINDS.raw);
  /** the text, and the earlier ones by themselves; by what works it out: what is known of each */
  const texts = from > 0 ? [view.text, view.text.slice(0, from - 1)] : [view.text];
  const known = new Map<object, unknown[]>();
  for (const entry of wanted.whole) {
    const { inSteps } = entry.probe as WholeProbe;
    if (!inSteps) lookAtWhole(entry, view, whole);
    else {
      const { by, steps, find } = inSteps;
      const all = known.get(by) ?? [];
      known.set(by, all);
      while (all.length < texts.length) all.push(yield* goThrough(steps(texts[all.length]!)));
      lookAtWhole(entry, view, whole, { look: (text) => find(text, all[text.length === texts[0]!.length ? 0 : 1]) });
    }
    yield;
  }
}

function* goThrough(steps: Iterator<undefined, unknown>): Generator<undefined, unknown> {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    yield;
  }
}

function* scanWithin(
  engine: LongEngine,
  whole: Scan,
  holder: PayloadHolder,
  depth: number,
): Generator<undefined, void> {
  const { scanText, sizes } = engine;
  const payloads = payloadsIn(holder);
  yield;
  for (const [payload, wanted] of payloads) {
    const { text } = payload;
    // Of what has one place, few finds are enough.
    const all = holder.all && payload.inPlace === true;
    const within = { text, wanted, from: 0, all, steps: holder.steps };
    let found: Scan['finds'];
    if (text.length > sizes.longest) found = yield* scanLong(engine, within, depth + 1);
    else {
      found = scanText(text, wanted, all, holder.steps);
      if (depth < MAX_DEPTH) found = withPayloads(found, { ...within, ascii: false }, scanText, depth + 1);
    }
    if (found) whole.finds = addWithin(whole.finds, found, payload, holder);
    yield;
  }
}
