/**
 * Terms of a lexicon in a text, however they are disguised: letters written as digits or symbols, repeated, hidden behind masks
 * (`f*ck`), or parted (`f.u.c.k`, `f u c k`). One sweep over the text: an automaton says where a term may be, and there the tries of the
 * lexicon are walked.
 *
 * All walks of a text together take a number of steps that is linear in its length.
 */

import type { InBytes } from '../../automaton.js';
import { type LookSteps, sweepSteps } from '../../steps.js';
import { ALL, type AskedTerms, askedOf } from './asked.js';
import { newBlock, readHalves, readUnits, secondHalf } from './block.js';
import { isEnd } from './ends.js';
import { AT_WORD, BEHIND_SYMBOL, END, IN_WORD, KIND_OF, KINDS, PLACES, placeBehind, type UnitPlace } from './kinds.js';
import {
  buildLexicon,
  isPlainTerm,
  type LexiconTerm,
  type Sweep,
  type SweepFind,
  type Take,
  type TermLexicon,
} from './lexicon.js';
import { noRun } from './masks.js';
import { createScout, ROW_SHIFT } from './scout.js';
import { newTrail, type Trail } from './trail.js';
import { ANY_LETTER, DIGIT, PLAIN, SPACE, unitAt } from './units.js';
import { walkFrom } from './walk.js';

/** A thorough sweep may take so many times as many. It throws where others end a walk because they have found something. */
const THOROUGH = 10;
const TOO_MANY = 'the text takes too many steps';
/** Spaces between two single letters. */
const MAX_GAP = 3;

/**
 * Makes the sweep of a lexicon. Its finds are in the order of their starts; no two have the same term and start. An allowed word that
 * is disguised is allowed, too. It throws where a text takes more steps than its length allows: then the rest was not looked at.
 */
export function createSweep(lexicon: TermLexicon): Sweep {
  const sweep = sweepOf(lexicon);
  const { phrases } = lexicon.allowed;
  if (phrases.size === 0) return sweep;
  let innocent: Spans | undefined;
  return (text, take, how = {}) => {
    const { steps = sweepSteps(text.length) } = how;
    let begun = false;
    const besides: Take = (find) => {
      // What stands as it is was held against the allowed words already.
      if (find.reading === 'folded') return take(find);
      innocent ??= spansOf(buildLexicon({ terms: [...phrases].filter(isPlainTerm).map(whole) }));
      if (!begun) innocent.begin(text, steps);
      begun = true;
      return innocent.hold(find) || take(find);
    };
    try {
      sweep(text, besides, { ...how, steps });
    } finally {
      if (begun) innocent?.end();
    }
  };
}

const whole = (text: string, id: number): LexiconTerm => ({ id, text, form: 'whole' });

/** Finds of a lexicon that others may lie within. The text is swept as far as it is asked for. */
interface Spans {
  begin(text: string, steps: LookSteps): void;
  /** Whether one of them holds `find`. It is asked in the order of the starts. */
  hold(find: SweepFind): boolean;
  /** Takes the steps that are spent. */
  end(): void;
}

function spansOf(lexicon: TermLexicon): Spans {
  const { begin, goTo, end: endAll } = stretchesOf(lexicon);
  let spans: SweepFind[] = [];
  let next = 0;
  let reached = 0;
  const add: Take = (span) => {
    spans.push(span);
    return true;
  };
  return {
    begin(text, steps) {
      begin(text, ALL, steps);
      [spans, next, reached] = [[], 0, 0];
    },
    hold({ start, end }) {
      goTo(start, add);
      while (next < spans.length && spans[next]!.start <= start) reached = Math.max(reached, spans[next++]!.end);
      return end <= reached;
    },
    end: endAll,
  };
}

/** A sweep that goes over a text stretch by stretch. */
interface Stretches {
  begin(text: string, asked: AskedTerms, steps: LookSteps, inBytes?: InBytes): void;
  /** Tells `take` all that starts up to `until`, and was not told before, until no more is of use. */
  goTo(until: number, take: Take): void;
  /** Takes what was spent from the steps that were given. */
  end(): void;
}

/** Walks where the automaton says that a term may be. */
export function sweepOf(lexicon: TermLexicon): Sweep {
  const { begin, goTo, end } = stretchesOf(lexicon);
  const known = new WeakMap<Uint8Array, AskedTerms>();
  return (text, take, { terms, steps = sweepSteps(text.length), inBytes } = {}) => {
    const asked = terms === undefined ? ALL : (known.get(terms) ?? askedOf(lexicon, terms));
    if (terms !== undefined) known.set(terms, asked);
    if (asked.readings === 0) return;
    begin(text, asked, steps, inBytes);
    try {
      goTo(text.length, take);
    } finally {
      end();
    }
  };
}

function stretchesOf(lexicon: TermLexicon): Stretches {
  const scout = createScout(lexicon);
  const trail = newTrail(lexicon);
  // Its own: while it tells of a find, another lexicon may be swept.
  const block = newBlock();
  const { states } = block;
  let bytes: InBytes | undefined;
  let at = 0;
  let state: number = AT_WORD;
  // What may be part of a term starts at `quiet`, which stands at `place`.
  let quiet = 0;
  let place: UnitPlace = AT_WORD;
  let steps: LookSteps = { left: 0 };
  let begun = 0;

  /** What may be part of a term that ends behind unit `last` of the block starts behind the last state that is a place. */
  const findQuiet = (last: number): void => {
    let i = last;
    while (i >= 0 && states[i]! > PLACES.length) i--;
    if (i < 0) return;
    quiet = at + i + 1;
    place = states[i] as UnitPlace;
  };
  /** Reads the block at `at`. Returns whether more is of use. */
  const readBlock = (take: Take): boolean => {
    readUnits(block, trail.text, bytes, at);
    const { size, units, from, kindOf } = block;
    const second = secondHalf(block);
    const ahead = readHalves(block, scout.table, state, second);
    if (ahead > 0) state = states[ahead - 1]!;
    for (let i = ahead; i < size; i++) {
      const kind = kindOf[units[from + i]!]!;
      let next = scout.table[(state << ROW_SHIFT) | kind]! || scout.learn(state, kind);
      if (next < 0) {
        findQuiet(i - 1);
        if (!walkAll(trail, { from: quiet, to: at + i, first: place }, take)) return false;
        next = -next;
      }
      // From where the state is the one that was supposed, so are those behind it.
      if (i >= second && i < second + ahead && states[i] === next) i = second + ahead - 1;
      else states[i] = next;
      state = states[i]!;
    }
    findQuiet(size - 1);
    at += size;
    return true;
  };
  return {
    begin(text, asked, ofText, inBytes) {
      steps = ofText;
      bytes = inBytes;
      begun = steps.left;
      begin(trail, text, begun);
      trail.asked = asked;
      scout.begin(text.length);
      [at, state, quiet, place] = [0, AT_WORD, 0, AT_WORD];
    },
    goTo(until, take) {
      const { text } = trail;
      while (at < text.length && quiet <= until) if (!readBlock(take)) return;
      if (at < text.length || quiet >= text.length) return;
      const end = scout.table[(state << ROW_SHIFT) | END]! || scout.learn(state, END);
      if (end < 0) walkAll(trail, { from: quiet, to: text.length - 1, first: place }, take);
      quiet = text.length;
    },
    end() {
      steps.left = Math.max(0, steps.left - (begun - trail.steps));
    },
  };
}

/** The same, which walks everywhere, and goes every way: tests hold the other against it. */
export function thoroughSweepOf(lexicon: TermLexicon): Sweep {
  const trail = newTrail(lexicon);
  trail.thorough = true;
  return (text, take) => {
    begin(trail, text, THOROUGH * sweepSteps(text.length).left);
    walkAll(trail, { from: 0, to: text.length - 1, first: AT_WORD }, take);
  };
}

function begin(trail: Trail, text: string, steps: number): void {
  trail.text = text;
  trail.steps = steps;
  trail.dead.clear();
  trail.masks = noRun();
  trail.shown = 0;
}

/** `from` to `to`, both included; `from` stands at `first`. */
interface SweepStretch {
  from: number;
  to: number;
  first: UnitPlace;
}

/** Walks from each unit of the stretch that a term may start at. Returns whether more is of use. */
function walkAll(trail: Trail, { from, to, first }: SweepStretch, take: Take): boolean {
  const { text } = trail;
  let place = first;
  for (let i = from; i <= to; i++) {
    const code = text.charCodeAt(i);
    if ((unitAt(text, i) & ANY_LETTER) !== 0 && !isAmid(text, i) && !isAmount(text, i)) {
      findAt(trail, i, place);
      for (const find of trail.found) if (!take(find)) return false;
      if (trail.steps < 0) throw new RangeError(TOO_MANY);
    }
    place = placeBehind(place, KINDS[KIND_OF[code]!]!.sort);
  }
  return true;
}

/**
 * Puts what starts at `i` into the trail. A term is told once, with the reading that comes first, to the end that is farthest of all
 * readings. So where something that is asked for was found, all ways are gone.
 */
function findAt(trail: Trail, i: number, place: UnitPlace): void {
  const { found, asked } = trail;
  found.length = 0;
  trail.cut = false;
  walkAt(trail, i, place);
  if (trail.cut && trail.thorough) throw new RangeError(TOO_MANY);
  if (found.length === 0 || asked === ALL) return;
  const first = found.splice(0);
  trail.cut = false;
  trail.asked = ALL;
  walkAt(trail, i, place);
  trail.asked = asked;
  if (!trail.cut) return;
  for (const find of first) if (!found.some(({ term }) => term === find.term)) found.push(find);
}

function walkAt(trail: Trail, i: number, place: UnitPlace): void {
  const { terms, within } = trail.lexicon;
  const isPlain = (unitAt(trail.text, i) & PLAIN) !== 0;
  trail.inside = place === IN_WORD || (place === BEHIND_SYMBOL && !isPlain);
  if (trail.inside) {
    // Behind a letter only what may stand within words.
    if (within >= 0) walkFrom(trail, i, within);
    return;
  }
  walkFrom(trail, i, terms);
  if (place !== AT_WORD || !isSpaced(trail, i)) return;
  trail.spaced = true;
  walkFrom(trail, i, terms);
  trail.spaced = false;
}

/** Whether `i` is amid a run of one character: what starts there starts at the first or the last ones, too. */
function isAmid(text: string, i: number): boolean {
  const code = text.charCodeAt(i);
  return text.charCodeAt(i - 1) === code && text.charCodeAt(i + 1) === code && text.charCodeAt(i + 2) === code;
}

/** Three digits are no letters. */
function isAmount(text: string, i: number): boolean {
  const isDigit = (at: number): boolean => (unitAt(text, at) & DIGIT) !== 0;
  return isDigit(i) && isDigit(i + 1) && isDigit(i + 2);
}

/** Whether single characters parted by spaces start at `i`. */
function isSpaced({ text, lexicon }: Trail, i: number): boolean {
  const { tries, terms } = lexicon;
  if ((unitAt(text, i + 1) & SPACE) === 0) return false;
  if ((unitAt(text, i) & ANY_LETTER & tries.edges[terms]!) === 0) return false;
  let to = i + 2;
  while (to - i <= MAX_GAP && (unitAt(text, to) & SPACE) !== 0) to++;
  return (unitAt(text, to) & ANY_LETTER) !== 0 && isEnd(text, to + 1);
}
