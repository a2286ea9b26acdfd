/**
 * Looks at a text that goes on: a stream, of which a window is at hand. What detectors of bounded reach find counts once more text cannot change
 * it. The others look at sentences as they end. A policy fires early only where nothing that may follow can take that back, so `not` waits for the
 * end, and so do backends and models.
 */
import { type Expression, evaluateExpression, UNKNOWN, YES } from './detect-expression.js';
import type { LongScans } from './engine/long-scans.js';
import { firstOpen, type OpenFrom } from './engine/open.js';
import type { Finds, WantedDetectors } from './engine/scan.js';
import { SECTIONS } from './engine/sections.js';
import { endOfSentence } from './models/sentences.js';
import type { Selected, Selection, TeamPlan } from './plan.js';
import { decide } from './verdict.js';

export interface StreamWindow {
  text: string;
  /** it begins where the stream does */
  whole: boolean;
  /** up to where the text was handed on before: finds that end there were judged */
  safe: number;
  /** up to where sentences were looked at before */
  looked: number;
}

/** Offsets are in UTF-16 units of the window. */
export interface StreamLook {
  /** ids of the policies that are flagged */
  flagged: readonly string[];
  /** they are those of the window alone, which says less than the whole text */
  unsure?: true;
  /** up to where nothing can become part of a find any more */
  safe: number;
  looked: number;
  /** ids of the policies that may be flagged by what stands before `safe` */
  delayed: readonly string[];
}

/** How a selection looks at streams. */
interface StreamSelection {
  /** detectors of bounded reach, and the others that can look */
  bounded: WantedDetectors;
  others: WantedDetectors | undefined;
  open: OpenFrom;
  delayed: readonly string[];
}

const known = new WeakMap<Selection, StreamSelection>();

function streamSelectionOf(team: TeamPlan, selection: Selection): StreamSelection {
  const made = known.get(selection);
  if (made) return made;
  const { selected } = selection;
  const detectors = [...selection.users.keys()];
  const opens = detectors.flatMap((detector) => team.opens[detector] ?? []);
  const others = detectors.filter((detector) => !team.opens[detector] && !team.questions.has(detector));
  const of: StreamSelection = {
    bounded: team.engine.wanted(detectors.filter((detector) => team.opens[detector])),
    others: others.length > 0 ? team.engine.wanted(others) : undefined,
    open: firstOpen(...opens),
    delayed: selected.flatMap(({ policy, look, undecided }) =>
      undecided || !isPrompt(look.expression, team) ? [policy.id] : [],
    ),
  };
  known.set(selection, of);
  return of;
}

/** Whether any one find of bounded reach decides, and nothing else does. */
function isPrompt(expression: Expression, team: TeamPlan): boolean {
  if (expression.kind === 'detector') return team.opens[expression.detector] !== undefined;
  return expression.kind === 'any' && expression.of.every((each) => isPrompt(each, team));
}

/** Longest sentence, and how much of the text before the new sentences is looked at with them. */
const [LONGEST_SENTENCE, BEFORE_SENTENCES] = [1000, 2000] as const;

/** `scans`: of a long window; absent: it is scanned at once. */
export function lookAtStream(
  team: TeamPlan,
  selection: Selection,
  window: StreamWindow,
  scans?: LongScans,
): StreamLook {
  const { text, safe } = window;
  const { bounded, others, open, delayed } = streamSelectionOf(team, selection);
  const until = wholeAt(text, Math.max(safe, open(text)));
  const found: Fired = { detectors: new Set(), first: until, fresh: false };
  add(found, team.engine.scan(text, bounded, 0, { until, scans }), { at: 0, from: safe, until });
  const looked = sentencesEnd(text, window.looked);
  if (others && looked > window.looked) {
    const from = Math.max(0, window.looked - BEFORE_SENTENCES);
    const at = from === 0 ? 0 : endOfSentence(text, from, LONGEST_SENTENCE);
    add(found, team.engine.scan(text.slice(at, looked), others, 0, { scans }), {
      at,
      from: window.looked,
      until: looked,
    });
  }
  const flagged = found.fresh ? flaggedBy(selection.selected, found.detectors) : [];
  if (flagged.length === 0) return { flagged, safe: until, looked, delayed };
  const shown = Math.max(safe, found.first);
  if (!window.whole) return { flagged, unsure: true, safe: shown, looked, delayed };
  const whole = new Set(flaggedIn(team, selection, text, scans));
  const confirmed = flagged.filter((id) => whole.has(id));
  return { flagged: confirmed, safe: confirmed.length > 0 ? shown : until, looked, delayed };
}

/** Detectors that fired, where the first find begins, and whether one of the finds is new. */
interface Fired {
  detectors: Set<number>;
  first: number;
  fresh: boolean;
}

/** A part of a window: where its text begins, and what of it is new. */
interface WindowPart {
  at: number;
  from: number;
  until: number;
}

/** Adds the finds in a part of the window that begin before its end; those that end behind `from` are new. */
function add(fired: Fired, finds: Finds | undefined, { at, from, until }: WindowPart): void {
  for (const [detector, evidence] of finds?.evidence ?? []) {
    for (const { start, end } of evidence) {
      if (at + start >= until) continue;
      fired.detectors.add(detector);
      if (at + end <= from) continue;
      fired.fresh = true;
      fired.first = Math.min(fired.first, at + start);
    }
  }
}

/** Ids of the policies that are flagged in the whole text, as far as it has come. */
export const flaggedIn = (team: TeamPlan, selection: Selection, text: string, scans?: LongScans): string[] => {
  const finds = team.engine.scan(text, selection.wanted, 0, { scans });
  return decide(team, { selection, finds }, false).violations.map(({ id }) => id);
};

function flaggedBy(selected: readonly Selected[], fired: ReadonlySet<number>): string[] {
  const truth = (detector: number): typeof YES | typeof UNKNOWN => (fired.has(detector) ? YES : UNKNOWN);
  return selected
    .filter(({ look, undecided }) => !undecided && evaluateExpression(look.expression, truth) === YES)
    .map(({ policy }) => policy.id);
}

/** Behind the last sentence that has ended, from `from` on. */
function sentencesEnd(text: string, from: number): number {
  for (let at = from; ; ) {
    const end = endOfSentence(text, at, LONGEST_SENTENCE);
    if (end >= text.length) return at;
    at = end;
  }
}

/** Not between the halves of a character. */
function wholeAt(text: string, at: number): number {
  const before = text.charCodeAt(at - 1);
  return before >= 0xd800 && before <= 0xdbff ? at - 1 : at;
}

/** Units before what is open that are looked at with it: detectors read so much before a find (`engine/sections.ts`). */
export const STREAM_BEFORE = SECTIONS.before;

/** Where the window begins whose open part begins at `safe`: behind white space, where there is some. */
export function windowStart(text: string, safe: number, before = STREAM_BEFORE): number {
  const at = safe - before;
  if (at <= 0) return 0;
  for (let i = at; i > 0 && i > at - before; i--) if (text.charCodeAt(i - 1) <= 32) return i;
  return wholeAt(text, at);
}
