/**
 * Terms of a lexicon in a text, however they are disguised: letters written as digits or symbols, repeated, hidden behind masks
 * (`f*ck`), or parted (`f.u.c.k`, `f u c k`). One sweep over the text: an automaton says where a term may be, and there the tries of the
 * lexicon are walked.
 *
 * A walk takes a bounded number of steps, and all walks of a text together a number that is linear in its length.
 */
import { outside } from './allow.js';
import { AT_WORD, BEHIND_SYMBOL, END, IN_WORD, KIND_OF, KINDS, PLACES, type Place, placeBehind } from './kinds.js';
import { buildLexicon, isPlainTerm, type Lexicon, type LexiconTerm, type Sweep } from './lexicon.js';
import { createScout, ROW_SHIFT } from './scout.js';
import { isEnd, newTrail, type Trail, unitAt } from './trail.js';
import { ANY_LETTER, DIGIT, PLAIN, SPACE } from './units.js';
import { walkFrom } from './walk.js';

/** Steps of all walks of a text: so many for each character, and these. */
const STEPS_PER_UNIT = 24;
const FREE_STEPS = 20_000;
/** Spaces between two single letters. */
const MAX_GAP = 3;

/**
 * Makes the sweep of a lexicon. Its finds are in the order of their starts; no two have the same term and start. An allowed word that
 * is disguised is allowed, too. It throws where a text takes more steps than its length allows: then the rest was not looked at.
 */
export function createSweep(lexicon: Lexicon): Sweep {
  const sweep = sweepOf(lexicon);
  const { phrases } = lexicon.allowed;
  let innocent: Sweep | undefined;
  return (text) => {
    const found = sweep(text);
    // What stands as it is was held against the allowed words already.
    if (phrases.size === 0 || found.every(({ reading }) => reading === 'folded')) return found;
    innocent ??= sweepOf(buildLexicon({ terms: [...phrases].filter(isPlainTerm).map(whole) }));
    const spans = innocent(text);
    return spans.length === 0 ? found : outside(found, spans);
  };
}

const whole = (text: string, id: number): LexiconTerm => ({ id, text, form: 'whole' });

/** Walks where the automaton says that a term may be. */
export function sweepOf(lexicon: Lexicon): Sweep {
  const scout = createScout(lexicon);
  const trail = newTrail(lexicon);
  return (text) => {
    begin(trail, text);
    scout.begin();
    let { table } = scout;
    let state: number = AT_WORD;
    // What may be part of a term starts at `quiet`, which stands at `place`.
    let quiet = 0;
    let place: Place = AT_WORD;
    for (let i = 0; i < text.length; i++) {
      const kind = KIND_OF[text.charCodeAt(i)]!;
      let next = table[(state << ROW_SHIFT) | kind]!;
      if (next <= 0) {
        if (next === 0) {
          next = scout.learn(state, kind);
          table = scout.table;
        }
        if (next < 0) {
          walkAll(trail, quiet, i, place);
          next = -next;
        }
      }
      state = next;
      if (state <= PLACES.length) {
        quiet = i + 1;
        place = state as Place;
      }
    }
    const end = table[(state << ROW_SHIFT) | END]! || scout.learn(state, END);
    if (end < 0) walkAll(trail, quiet, text.length - 1, place);
    return trail.found;
  };
}

/** The same, which walks everywhere: tests hold the other against it. */
export function thoroughSweepOf(lexicon: Lexicon): Sweep {
  const trail = newTrail(lexicon);
  return (text) => {
    begin(trail, text);
    walkAll(trail, 0, text.length - 1, AT_WORD);
    return trail.found;
  };
}

function begin(trail: Trail, text: string): void {
  trail.text = text;
  trail.found = [];
  trail.steps = FREE_STEPS + STEPS_PER_UNIT * text.length;
}

/** Walks from each unit of the stretch from `from` to `to`, both included, that a term may start at. `first`: where `from` stands. */
function walkAll(trail: Trail, from: number, to: number, first: Place): void {
  const { text } = trail;
  let place = first;
  for (let i = from; i <= to; i++) {
    const code = text.charCodeAt(i);
    if ((unitAt(text, i) & ANY_LETTER) !== 0 && !isAmid(text, i) && !isAmount(text, i)) walkAt(trail, i, place);
    if (trail.steps <= 0) throw new RangeError('the text takes too many steps');
    place = placeBehind(place, KINDS[KIND_OF[code]!]!.sort);
  }
}

function walkAt(trail: Trail, i: number, place: Place): void {
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
