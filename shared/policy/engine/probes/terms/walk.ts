/**
 * A walk from one place of a text through the tries of a lexicon, along every way in which the text can be read: letters as they stand,
 * repeated, written as digits or symbols, hidden behind masks, or parted. It takes a bounded number of steps.
 */

import { isAllowed } from './allow.js';
import { fits, isStringed } from './fit.js';
import { childOf, type NodeEnd, type Reading, type TermEnd } from './lexicon.js';
import { isEnd, type Trail, unitAt } from './trail.js';
import { ANY_LETTER, DIGIT, MASK, PLAIN, SEPARATOR, SPACE, SPACE_EDGE, STAR } from './units.js';

const WALK_STEPS = 400;
/** Separators between two letters. */
const MAX_GAP = 3;
/** White space between the words of a phrase. */
const MAX_SPACES = 32;
/** Parts of a compound. */
const MAX_PARTS = 3;
const VOWELS = 'aeiou'.split('').reduce((bits, vowel) => bits | (1 << (vowel.charCodeAt(0) - 97)), 0);
const SPACE_BIT = 1 << SPACE_EDGE;

/** Finds the terms that start at `at`, where the tries are entered at `root`. Takes its steps from those of the trail. */
export function walkFrom(trail: Trail, at: number, root: number): void {
  trail.from = at;
  const left = trail.steps;
  const given = Math.min(left, WALK_STEPS);
  trail.steps = given;
  walk(trail, at, root, 0, 0);
  trail.steps = left - (given - Math.max(trail.steps, 0));
}

/** `last`: bit of the letter before, which `run` characters of the text stand for. */
function walk(trail: Trail, i: number, node: number, last: number, run: number): void {
  if (--trail.steps < 0) return;
  const { text, lexicon, spaced } = trail;
  const { tries } = lexicon;
  const end = tries.ends[node];
  if (end !== undefined) atEnd(trail, i, end, last, run);
  const open = tries.edges[node]!;
  if ((open & SPACE_BIT) !== 0) atSpace(trail, i, childOf(tries, node, SPACE_BIT));
  if (i >= text.length) return;
  const unit = unitAt(text, i);
  const bits = unit & ANY_LETTER;
  if (spaced && trail.piece > 0 && (unit & SPACE) === 0 && (bits & last) === 0 && (unit & SEPARATOR) === 0) return;
  for (let rest = open & bits; rest !== 0; rest &= rest - 1) {
    const bit = rest & -rest;
    read(trail, i, childOf(tries, node, bit), bit, bit === last ? run + 1 : 1);
  }
  if ((bits & last) !== 0) repeat(trail, i, node, last, run);
  if (trail.letters === 0) return;
  if ((unit & MASK) !== 0 && trail.gaps === 0 && !isStringed(text, i)) unmask(trail, i, node, bits);
  if (trail.masked > 0) return;
  if ((unit & SEPARATOR) !== 0 || (spaced && (unit & SPACE) !== 0)) skip(trail, i, node, last);
}

/** The unit at `i` is the letter `bit`, which leads to `node`. */
function read(trail: Trail, i: number, node: number, bit: number, run: number): void {
  const unit = unitAt(trail.text, i);
  const digit = (unit & DIGIT) !== 0 ? 1 : 0;
  const symbol = (unit & (PLAIN | DIGIT)) === 0 ? 1 : 0;
  trail.digits += digit;
  trail.symbols += symbol;
  trail.letters++;
  trail.piece++;
  walk(trail, i + 1, node, bit, run);
  trail.piece--;
  trail.letters--;
  trail.symbols -= symbol;
  trail.digits -= digit;
}

/** The unit at `i` is the letter before once more. */
function repeat(trail: Trail, i: number, node: number, last: number, run: number): void {
  const vowel = (last & VOWELS) === 0 ? 0 : 1;
  const strong = run >= 2 ? 1 : 0;
  trail.strong += strong;
  trail.repeated++;
  trail.vowels += vowel;
  walk(trail, i + 1, node, last, run + 1);
  trail.vowels -= vowel;
  trail.repeated--;
  trail.strong -= strong;
}

/** The unit at `i` hides a letter that is none of `bits`; a star may hide two. */
function unmask(trail: Trail, i: number, node: number, bits: number): void {
  const { text } = trail;
  const { tries } = trail.lexicon;
  // Of several stars, each hides one.
  const star = text.charCodeAt(i) === STAR && text.charCodeAt(i - 1) !== STAR && text.charCodeAt(i + 1) !== STAR;
  trail.letters++;
  trail.masked++;
  trail.piece++;
  for (let rest = tries.edges[node]! & ANY_LETTER & ~bits; rest !== 0; rest &= rest - 1) {
    const to = childOf(tries, node, rest & -rest);
    walk(trail, i + 1, to, 0, 0);
    if (star) unmaskSecond(trail, i, to);
  }
  trail.piece--;
  trail.masked--;
  trail.letters--;
}

function unmaskSecond(trail: Trail, i: number, node: number): void {
  const { tries } = trail.lexicon;
  trail.letters++;
  trail.masked++;
  trail.starred++;
  for (let rest = tries.edges[node]! & ANY_LETTER; rest !== 0; rest &= rest - 1) {
    walk(trail, i + 1, childOf(tries, node, rest & -rest), 0, 0);
  }
  trail.starred--;
  trail.masked--;
  trail.letters--;
}

/** Separators at `i` part two letters. */
function skip(trail: Trail, i: number, node: number, last: number): void {
  if (trail.inside) return;
  const { text } = trail;
  let to = i + 1;
  const between = trail.spaced ? SEPARATOR | SPACE : SEPARATOR;
  while (to - i < MAX_GAP && (unitAt(text, to) & between) !== 0) to++;
  if ((unitAt(text, to) & ANY_LETTER) === 0) return;
  const before = trail.piece;
  const broken = before > 1 ? 1 : 0;
  trail.broken += broken;
  trail.gaps++;
  trail.piece = 0;
  walk(trail, to, node, last, 0);
  trail.piece = before;
  trail.gaps--;
  trail.broken -= broken;
}

/** The term has a space where the text is at `i`: white space, hyphens, or nothing. */
function atSpace(trail: Trail, i: number, node: number): void {
  const { text } = trail;
  let to = i;
  while (to - i < MAX_SPACES && (unitAt(text, to) & (SPACE | SEPARATOR)) !== 0) to++;
  const before = trail.piece;
  trail.piece = 0;
  walk(trail, to, node, 0, 0);
  trail.piece = before;
}

function atEnd(trail: Trail, i: number, end: NodeEnd, last: number, run: number): void {
  const { main } = trail;
  const done = isEnd(trail.text, i);
  const more = !done && trail.joined < MAX_PARTS;
  for (const one of end.terms) {
    const { term, form } = one;
    const free = form === 'within';
    if (main && !free && form !== 'compound') continue;
    if ((done || (free && trail.gaps === 0)) && fits(trail, one, i)) {
      report(trail, term, i);
      if (main && main.term !== term) report(trail, main.term, i);
    }
    if (more && !free && form !== 'whole') goOn(trail, i, last, run, one);
  }
  if (!main || !(end.ending || end.part)) return;
  if (done && fits(trail, main, i)) report(trail, main.term, i);
  if (more && end.part) goOn(trail, i, last, run, main);
}

/** Behind a term, or a part of a compound. */
function goOn(trail: Trail, i: number, last: number, run: number, main: TermEnd): void {
  const { endings, parts, terms } = trail.lexicon;
  const before = trail.main;
  trail.joined++;
  trail.main = main;
  walk(trail, i, endings, last, run);
  if (main.form === 'compound') {
    walk(trail, i, parts, last, run);
    walk(trail, i, terms, last, run);
  }
  trail.main = before;
  trail.joined--;
}

/** A find of one term that starts where another does makes that longer. */
function report(trail: Trail, term: TermEnd['term'], end: number): void {
  const { text, from, found, lexicon } = trail;
  for (let n = found.length - 1; n >= 0; n--) {
    const known = found[n]!;
    if (known.start !== from) break;
    if (known.term === term) {
      known.end = Math.max(known.end, end);
      return;
    }
  }
  if (!isAllowed(text, from, end, lexicon.allowed)) {
    found.push({ start: from, end, reading: readingOf(trail), term });
  }
}

function readingOf({ digits, symbols, masked, repeated, gaps }: Trail): Reading {
  if (masked > 0) return 'masked';
  if (gaps > 0) return 'squashed';
  return digits + symbols + repeated > 0 ? 'leetspeak' : 'folded';
}
