/**
 * Terms of a lexicon in a text, however they are disguised: letters written as digits or symbols, repeated, hidden behind masks
 * (`f*ck`), or parted (`f.u.c.k`, `f u c k`). One sweep over the text: wherever a word may start, the tries of the lexicon are walked.
 *
 * A walk takes a bounded number of steps, and all walks of a text together a number that is linear in its length.
 */
import { isWordAt } from './characters.js';
import { isAllowed, outside } from './term-allow.js';
import {
  buildLexicon,
  childOf,
  type Form,
  isPlainTerm,
  type Lexicon,
  type LexiconTerm,
  type NodeEnd,
  type Reading,
  type Sweep,
  type SweepFind,
  type TermEnd,
} from './term-lexicon.js';
import {
  AT_WORD,
  CLASS_OF,
  DIGIT_CLASS,
  FOREIGN_CLASS,
  INSIDE,
  SYMBOL_CLASS,
  startsOf,
  VEIL_CLASS,
} from './term-starts.js';
import { ANY_LETTER, DIGIT, MASK, PLAIN, SEPARATOR, SPACE, SPACE_EDGE, STAR, UNITS } from './term-units.js';

/** Steps of one walk, and of all walks of a text: so many for each character, and these. */
const WALK_STEPS = 400;
const STEPS_PER_UNIT = 24;
const FREE_STEPS = 20_000;
/** Separators between two letters. */
const MAX_GAP = 3;
/** White space between the words of a phrase. */
const MAX_SPACES = 32;
/** Parts of a compound. */
const MAX_PARTS = 3;
/** In a shorter term, a vowel that is written twice makes another word: cook. */
const LONG_TERM = 6;
/** Of a term that is not longer, the first and the last letter say which it is. */
const LONGEST_MASKED = 9;
const VOWELS = 'aeiou'.split('').reduce((bits, vowel) => bits | (1 << (vowel.charCodeAt(0) - 97)), 0);
/** Of the classes of three units, that of the second. */
const SECOND = 31 << 5;
const SPACE_BIT = 1 << SPACE_EDGE;

const NONE: SweepFind[] = [];

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

function sweepOf(lexicon: Lexicon): Sweep {
  const { tries, terms, within, endings, parts, allowed } = lexicon;
  const { edges, ends } = tries;
  const starts = startsOf(lexicon);

  // One sweep runs at a time, and a walk is hot: its state is here.
  let text = '';
  let found = NONE;
  let steps = 0;
  let from = 0;
  /** letters are parted by spaces */
  let spaced = false;
  /** it starts within a word */
  let inside = false;
  /** letters of the term so far, and how they stand in the text */
  let letters = 0;
  let digits = 0;
  let symbols = 0;
  let masked = 0;
  /** stars that hide two letters */
  let starred = 0;
  /** letters that the text has more often than the term; of these vowels, and third ones in a row */
  let repeated = 0;
  let vowels = 0;
  let strong = 0;
  let gaps = 0;
  /** letters since the last separator, and whether an earlier piece had several */
  let piece = 0;
  let broken = 0;
  /** parts of the compound so far */
  let joined = 0;

  // Reading behind the end gives no number, which is slow as an index.
  const unitAt = (i: number): number => (i >= 0 && i < text.length ? UNITS[text.charCodeAt(i)]! : 0);

  /** Whether a word may end before `i`. */
  const isEnd = (i: number): boolean => {
    if (i >= text.length) return true;
    const code = text.charCodeAt(i);
    return code < 128 ? (UNITS[code]! & (PLAIN | DIGIT)) === 0 : !isWordAt(text, i);
  };

  /** `last`: bit of the letter before, which `run` characters of the text stand for. `main`: the term that was read already. */
  function walk(i: number, node: number, last: number, run: number, main: TermEnd | undefined): void {
    if (--steps < 0) return;
    const end = ends[node];
    if (end !== undefined) atEnd(i, end, last, run, main);
    const open = edges[node]!;
    if ((open & SPACE_BIT) !== 0) atSpace(i, childOf(tries, node, SPACE_BIT), main);
    if (i >= text.length) return;
    const unit = unitAt(i);
    const bits = unit & ANY_LETTER;
    if (spaced && piece > 0 && (unit & SPACE) === 0 && (bits & last) === 0 && (unit & SEPARATOR) === 0) return;
    for (let rest = open & bits; rest !== 0; rest &= rest - 1) {
      const bit = rest & -rest;
      read(i, node, bit, bit === last ? run + 1 : 1, unit, main);
    }
    if ((bits & last) !== 0) {
      const vowel = (last & VOWELS) === 0 ? 0 : 1;
      if (run >= 2) strong++;
      repeated++;
      vowels += vowel;
      walk(i + 1, node, last, run + 1, main);
      vowels -= vowel;
      repeated--;
      if (run >= 2) strong--;
    }
    if (letters === 0) return;
    if ((unit & MASK) !== 0 && gaps === 0 && !isStringed(i)) unmask(i, node, bits, main);
    if (masked > 0) return;
    if ((unit & SEPARATOR) !== 0 || (spaced && (unit & SPACE) !== 0)) skip(i, node, last, main);
  }

  /** The unit at `i` is the letter `bit`. */
  function read(i: number, node: number, bit: number, run: number, unit: number, main: TermEnd | undefined): void {
    const kind = (unit & PLAIN) !== 0 ? 0 : (unit & DIGIT) !== 0 ? 1 : 2;
    if (kind === 1) digits++;
    else if (kind === 2) symbols++;
    letters++;
    piece++;
    walk(i + 1, childOf(tries, node, bit), bit, run, main);
    piece--;
    letters--;
    if (kind === 1) digits--;
    else if (kind === 2) symbols--;
  }

  /** The unit at `i` hides a letter; a star may hide several. */
  function unmask(i: number, node: number, bits: number, main: TermEnd | undefined): void {
    // One star may hide two letters; of several, each hides one.
    const star = text.charCodeAt(i) === STAR && text.charCodeAt(i - 1) !== STAR && text.charCodeAt(i + 1) !== STAR;
    letters++;
    masked++;
    piece++;
    for (let rest = edges[node]! & ANY_LETTER & ~bits; rest !== 0; rest &= rest - 1) {
      const to = childOf(tries, node, rest & -rest);
      walk(i + 1, to, 0, 0, main);
      if (star) {
        letters++;
        masked++;
        starred++;
        for (let more = edges[to]! & ANY_LETTER; more !== 0; more &= more - 1) {
          walk(i + 1, childOf(tries, to, more & -more), 0, 0, main);
        }
        starred--;
        letters--;
        masked--;
      }
    }
    piece--;
    masked--;
    letters--;
  }

  /** Separators at `i` part two letters. */
  function skip(i: number, node: number, last: number, main: TermEnd | undefined): void {
    if (inside) return;
    let to = i + 1;
    const between = spaced ? SEPARATOR | SPACE : SEPARATOR;
    while (to - i < MAX_GAP && (unitAt(to) & between) !== 0) to++;
    if ((unitAt(to) & ANY_LETTER) === 0) return;
    const before = piece;
    if (piece > 1) broken++;
    gaps++;
    piece = 0;
    walk(to, node, last, 0, main);
    piece = before;
    gaps--;
    if (piece > 1) broken--;
  }

  /** The term has a space where the text is at `i`: white space, hyphens, or nothing. */
  function atSpace(i: number, node: number, main: TermEnd | undefined): void {
    let to = i;
    while (to - i < MAX_SPACES && (unitAt(to) & (SPACE | SEPARATOR)) !== 0) to++;
    const before = piece;
    piece = 0;
    walk(to, node, 0, 0, main);
    piece = before;
  }

  function atEnd(i: number, end: NodeEnd, last: number, run: number, main: TermEnd | undefined): void {
    const done = isEnd(i);
    const more = !done && joined < MAX_PARTS;
    for (const one of end.terms) {
      const { term, form } = one;
      const free = form === 'within';
      if (main && !free && form !== 'compound') continue;
      if ((done || (free && gaps === 0)) && fits(one, i)) {
        report(term, i);
        if (main && main.term !== term) report(main.term, i);
      }
      if (more && !free && form !== 'whole') goOn(i, last, run, one);
    }
    if (!main || !(end.ending || end.part)) return;
    if (done && fits(main, i)) report(main.term, i);
    if (more && end.part) goOn(i, last, run, main);
  }

  /** Behind a term, or a part of a compound. */
  function goOn(i: number, last: number, run: number, main: TermEnd): void {
    joined++;
    walk(i, endings, last, run, main);
    if (main.form === 'compound') {
      walk(i, parts, last, run, main);
      walk(i, terms, last, run, main);
    }
    joined--;
  }

  /** Whether enough of the term is there to be sure. */
  function fits({ term: { text: term }, form }: TermEnd, end: number): boolean {
    const changed = digits + symbols + masked;
    if (changed + repeated + gaps === 0) return true;
    const shown = letters - changed;
    const size = Math.max(term.length, letters);
    if (repeated > 0 && strong === 0) {
      // A doubled letter may be that of an ending (fagging) or make another word (cook).
      if (term.length <= 3 && letters <= term.length) return false;
      if (vowels > 0 && form !== 'within' && term.length < LONG_TERM) return false;
    }
    // A symbol before a letter is one itself, so the word goes on.
    const goesOn = (unitAt(end) & ANY_LETTER) !== 0 && (unitAt(end + 1) & (PLAIN | DIGIT)) !== 0;
    if (digits + symbols > 0 && form !== 'within' && goesOn) return false;
    if (changed > 0 && (shown < 1 || size < 3 || (size === 3 && digits + masked > 1))) return false;
    if (starred > 0 && form !== 'within') return false;
    if (masked > 0 && (gaps > 0 || !isUnmasked(form, shown, end))) return false;
    if (gaps === 0) return true;
    if (broken > 0 || piece > 1) return !spaced && (form === 'within' || size >= 5);
    return size > 2 && shown * 2 >= letters && (form === 'within' || isAlone(end));
  }

  /** Whether what masks leave of a word says which it is. */
  function isUnmasked(form: Form, shown: number, end: number): boolean {
    if ((unitAt(from) & PLAIN) === 0 || (repeated > 0 && form !== 'within')) return false;
    const ended = (unitAt(end - 1) & PLAIN) !== 0 || text.charCodeAt(end - 1) === STAR;
    if (!ended) return false;
    if (form === 'within' && shown >= 3) return true;
    // The whole of what is masked must be the word.
    const next = unitAt(end);
    if (!isEnd(end) || (unitAt(from - 1) & MASK) !== 0 || text.charCodeAt(end) === STAR) return false;
    if ((next & MASK) !== 0 && (unitAt(end + 1) & (ANY_LETTER | MASK)) !== 0) return false;
    const bold = form === 'within' || form === 'compound';
    if ((unitAt(end - 1) & PLAIN) !== 0) {
      if (letters < 4) return bold && text.charCodeAt(from + 1) === STAR;
      return shown >= 2 && (shown * 2 >= letters || (bold && letters <= LONGEST_MASKED));
    }
    if (letters < 4) return false;
    if (shown >= 3 && masked === 1) return true;
    // `f***`: only what is known by its first letter and its length.
    return form === 'within' && !inside && masked >= 3 && letters <= LONG_TERM;
  }

  /** Whether the unit at `i` is one of several that part single letters. */
  function isStringed(i: number): boolean {
    const code = text.charCodeAt(i);
    const isPair = (other: number): boolean =>
      text.charCodeAt(other) === code && (unitAt((i + other) / 2) & PLAIN) !== 0;
    const around = Number(isPair(i - 2)) + Number(isPair(i + 2)) + Number(isPair(i - 2) && isPair(i - 4));
    return around >= (code === STAR || (unitAt(i) & ANY_LETTER) !== 0 ? 2 : 1);
  }

  /** Whether no further single letter stands around, parted as those of the term are. */
  function isAlone(end: number): boolean {
    const isLetter = (i: number): boolean => (unitAt(i) & PLAIN) !== 0;
    const isGap = (i: number): boolean => (unitAt(i) & (spaced ? SPACE : SEPARATOR)) !== 0;
    if (isGap(end) && isLetter(end + 1) && !isLetter(end + 2)) return false;
    return !(isGap(from - 1) && isLetter(from - 2) && !isLetter(from - 3));
  }

  function report(term: LexiconTerm, end: number): void {
    for (let n = found.length - 1; n >= 0; n--) {
      const known = found[n]!;
      if (known.start !== from) break;
      if (known.term === term) {
        known.end = Math.max(known.end, end);
        return;
      }
    }
    if (isAllowed(text, from, end, allowed)) return;
    if (found === NONE) found = [];
    found.push({ start: from, end, reading: reading(), term });
  }

  function reading(): Reading {
    if (masked > 0) return 'masked';
    if (gaps > 0) return 'squashed';
    return digits + symbols + repeated > 0 ? 'leetspeak' : 'folded';
  }

  function start(i: number, node: number): void {
    from = i;
    const left = steps;
    steps = Math.min(left, WALK_STEPS);
    const given = steps;
    walk(i, node, 0, 0, undefined);
    steps = left - (given - Math.max(steps, 0));
  }

  return (whole) => {
    text = whole;
    found = NONE;
    steps = FREE_STEPS + STEPS_PER_UNIT * text.length;
    const size = whole.length;
    const classes = CLASS_OF;
    const table = starts;
    let key = 0;
    let before = 0;
    // `key` has the classes of three units. What starts at the first of them is looked at when the third is known.
    for (let i = -2; i < size; i++) {
      key = ((key << 5) & 0x7fff) | (i + 2 < size ? classes[whole.charCodeAt(i + 2)]! : 0);
      const first = key >> 10;
      const kinds = table[key]!;
      // Behind a letter only what may stand within words. A single character may be one of several that spaces part.
      if (
        before === 0
          ? (kinds & AT_WORD) !== 0 || (key & SECOND) === 0
          : before > 26
            ? kinds !== 0
            : (kinds & INSIDE) !== 0
      ) {
        if (first !== 0 && i >= 0) consider(i, first, before, kinds);
        if (steps <= 0) throw new RangeError('the text takes too many steps');
      }
      // A symbol behind a letter may be one itself.
      before = first === SYMBOL_CLASS && before !== 0 && before !== VEIL_CLASS ? DIGIT_CLASS : first;
    }
    text = '';
    return found;
  };

  /** Something may start at `i`, whose unit is of class `first`, behind one of class `before`. */
  function consider(i: number, first: number, before: number, kinds: number): void {
    if (isAmid(i)) return;
    inside =
      (before > 0 && before <= 26) ||
      before === DIGIT_CLASS ||
      before === FOREIGN_CLASS ||
      (before === SYMBOL_CLASS && first > 26);
    if (inside) {
      if ((kinds & INSIDE) !== 0) start(i, within);
      return;
    }
    if ((kinds & AT_WORD) !== 0) start(i, terms);
    if (isSpaced(i)) {
      spaced = true;
      start(i, terms);
      spaced = false;
    }
  }

  /** Whether `i` is amid a run of one character: what starts there starts at the first or the last ones, too. */
  function isAmid(i: number): boolean {
    const code = text.charCodeAt(i);
    return [i - 1, i + 1, i + 2].every((other) => text.charCodeAt(other) === code);
  }

  /** Whether single characters parted by spaces start at `i`. */
  function isSpaced(i: number): boolean {
    if ((unitAt(i) & ANY_LETTER & edges[terms]!) === 0) return false;
    if ((unitAt(i + 1) & SPACE) === 0) return false;
    let to = i + 2;
    while (to - i <= MAX_GAP && (unitAt(to) & SPACE) !== 0) to++;
    return (unitAt(to) & ANY_LETTER) !== 0 && isEnd(to + 1);
  }
}
