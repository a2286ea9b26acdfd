/**
 * A walk from one place of a text through the tries of a lexicon, along every way in which the text can be read: letters as they stand,
 * repeated, written as digits or symbols, hidden behind masks, or parted. It ends where the steps of the text do.
 */

import { isAllowed } from './allow.js';
import { ALL, DISGUISED, MASKED, SQUASHED } from './asked.js';
import { depthsOf } from './depths.js';
import { isEnd } from './ends.js';
import { fits, isStringed } from './fit.js';
import { childOf, type LexiconTerm, type NodeEnd, readingBit, type TermEnd, type TermReading } from './lexicon.js';
import { findRun, mayFollow } from './masks.js';
import type { Trail } from './trail.js';
import { ANY_LETTER, DIGIT, MASK, PLAIN, SEPARATOR, SPACE, SPACE_EDGE, STAR, unitAt } from './units.js';

/** A walk reads so far behind the end of the block that it starts in. So walks from one block read equally far, and share dead ends. */
const BLOCK = 384;
const BEHIND = 128;
/** Where something was found, a walk ends after so many steps: what could be thousands of words is one of them. */
const ENOUGH_STEPS = 4000;
/** Separators between two letters. */
const MAX_GAP = 3;
/** White space between the words of a phrase. */
const MAX_SPACES = 32;
/** Parts of a compound. */
const MAX_PARTS = 3;
const VOWELS = 'aeiou'.split('').reduce((bits, vowel) => bits | (1 << (vowel.charCodeAt(0) - 97)), 0);
const SPACE_BIT = 1 << SPACE_EDGE;

/** Finds the terms that start at `at`, where the tries are entered at `root`. With no steps left, not all ways were gone. */
export function walkFrom(trail: Trail, at: number, root: number): void {
  trail.from = at;
  trail.until = Math.min(trail.text.length, (Math.floor(at / BLOCK) + 1) * BLOCK + BEHIND);
  trail.plain = (unitAt(trail.text, at) & PLAIN) !== 0;
  trail.walled = (unitAt(trail.text, at - 1) & MASK) !== 0;
  if (!trail.plain && !trail.thorough && !showsLetter(trail, at)) return;
  trail.few = trail.steps - FREE_STEPS;
  trail.enough = trail.steps - ENOUGH_STEPS;
  walk(trail, at, root, 0, 0);
  if (trail.steps < trail.enough) trail.cut = true;
}

/** So far it is told whether a letter can be reached, without a walk. */
const AHEAD = 64;
const ON_THE_WAY = ANY_LETTER | SEPARATOR | MASK | SPACE;

/** Whether a letter as it stands may be read of what starts at `at`: digits and symbols alone are no word. */
function showsLetter(trail: Trail, at: number): boolean {
  const { text, until, spaced, lexicon } = trail;
  if (trail.shown < at) trail.shown = nextShown(text, at);
  const { shown } = trail;
  if (shown >= until) return false;
  if (shown - at > AHEAD) return true;
  let words = 0;
  let i = at;
  for (; i < shown; i++) {
    const unit = unitAt(text, i);
    if ((unit & ON_THE_WAY) === 0) break;
    const isGap = !spaced && (unit & SPACE) !== 0 && (unitAt(text, i - 1) & SPACE) === 0;
    if (isGap && ++words > lexicon.spaces) break;
  }
  trail.steps -= (i - at) >> 3;
  return i === shown;
}

/** Where the next letter as it stands is. */
function nextShown(text: string, from: number): number {
  let i = from;
  while (i < text.length && (unitAt(text, i) & PLAIN) === 0) i++;
  return i;
}

/** Most walks take fewer steps, and need not remember where they were. */
const FREE_STEPS = 8;
/** A way that took fewer steps is as quick to go again as to look up. */
const FEW_STEPS = 6;
/** Of larger tries, nothing is remembered of the nodes behind. */
const MOST_NODES = 1 << 20;

/** `last`: bit of the letter before, which `run` characters of the text stand for. */
function walk(trail: Trail, i: number, node: number, last: number, run: number): void {
  const { below } = trail.asked;
  if (below !== undefined && below[node] === 0 && !trail.owed) return;
  if (--trail.steps < 0 || (trail.steps < trail.enough && trail.found.length > 0)) return;
  if (trail.steps >= trail.few) goFrom(trail, i, node, last, run);
  else rememberFrom(trail, i, node, last, run);
}

/** The same, unless it is known to lead nowhere. */
function rememberFrom(trail: Trail, i: number, node: number, last: number, run: number): void {
  const { steps, ends, until, dead } = trail;
  const at = i * 2 + (trail.asked === ALL ? 1 : 0);
  const how = wayOf(trail, node, last);
  if (dead.has(at, how, until)) return;
  goFrom(trail, i, node, last, run);
  if (steps - trail.steps < FEW_STEPS || trail.steps < 0 || trail.ends !== ends) return;
  if (node < MOST_NODES && !trail.thorough) dead.add(at, how, until);
}

/** All that decides where a walk can go from a place: what was counted so far only decides whether a term fits. */
function wayOf(trail: Trail, node: number, last: number): number {
  const { spaced, inside, plain, walled, gaps, masked, piece, main, joined, owed } = trail;
  let how = (node << 2) | joined;
  how = (how << 1) | (walled ? 1 : 0);
  how = (how << 1) | (last === 0 ? 0 : 1);
  how = (how << 1) | (spaced ? 1 : 0);
  how = (how << 1) | (inside ? 1 : 0);
  how = (how << 1) | (plain ? 1 : 0);
  how = (how << 1) | (gaps > 0 ? 1 : 0);
  how = (how << 1) | (masked > 0 ? 1 : 0);
  how = (how << 1) | (piece > 0 ? 1 : 0);
  how = (how << 1) | (owed ? 1 : 0);
  return (how << 1) | (main?.form === 'compound' ? 1 : 0);
}

function goFrom(trail: Trail, i: number, node: number, last: number, run: number): void {
  const { text, lexicon, spaced } = trail;
  const { tries } = lexicon;
  const end = tries.ends[node];
  if (end !== undefined) atEnd(trail, i, end, last, run);
  const open = tries.edges[node]!;
  if ((open & SPACE_BIT) !== 0) atSpace(trail, i, childOf(tries, node, SPACE_BIT));
  if (i >= trail.until) return;
  const unit = unitAt(text, i);
  const { readings } = trail.asked;
  if ((unit & PLAIN) === 0 && (readings & DISGUISED) === 0) return;
  const bits = unit & ANY_LETTER;
  if (spaced && trail.piece > 0 && (unit & SPACE) === 0 && (bits & last) === 0 && (unit & SEPARATOR) === 0) return;
  for (let rest = open & bits; rest !== 0; rest &= rest - 1) {
    const bit = rest & -rest;
    read(trail, i, childOf(tries, node, bit), bit, bit === last ? run + 1 : 1);
  }
  if ((bits & last) !== 0 && (readings & DISGUISED) !== 0) repeat(trail, i, node, last, run);
  if (trail.letters === 0) return;
  if ((unit & MASK) !== 0 && isHiding(trail, i)) unmask(trail, i, node, bits);
  if (trail.masked > 0 || (readings & SQUASHED) === 0) return;
  if ((unit & SEPARATOR) !== 0 || (spaced && (unit & SPACE) !== 0)) skip(trail, i, node, last);
}

/** Whether the mask at `i` may hide a letter. */
function isHiding({ text, asked, plain, gaps }: Trail, i: number): boolean {
  return (asked.readings & MASKED) !== 0 && plain && gaps === 0 && !isStringed(text, i);
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
  const { text, masks } = trail;
  const { tries } = trail.lexicon;
  // Of several stars, each hides one.
  const star = text.charCodeAt(i) === STAR && text.charCodeAt(i - 1) !== STAR && text.charCodeAt(i + 1) !== STAR;
  lookAtRun(trail, i);
  const left = masks.to - i - 1;
  trail.letters++;
  trail.masked++;
  trail.piece++;
  for (let rest = tries.edges[node]! & ANY_LETTER & ~bits; rest !== 0; rest &= rest - 1) {
    hide(trail, i, childOf(tries, node, rest & -rest), left);
    if (star) hideSecond(trail, i, childOf(tries, node, rest & -rest), left);
  }
  trail.piece--;
  trail.masked--;
  trail.letters--;
}

/** Units of a run, and of what is behind it, that are looked at in a step. */
const UNITS_A_STEP = 4;
function lookAtRun(trail: Trail, i: number): void {
  trail.steps -= (findRun(trail.masks, trail.text, i) / UNITS_A_STEP) | 0;
}

/** What is hidden at `i` leads to `node`. */
function hide(trail: Trail, i: number, node: number, left: number): void {
  const { lexicon, masks, thorough, walled } = trail;
  lookAtRun(trail, i);
  trail.depths ??= depthsOf(lexicon.tries);
  if (thorough || mayFollow(trail.depths, masks, { node, left, walled })) walk(trail, i + 1, node, 0, 0);
  else trail.steps--;
}

function hideSecond(trail: Trail, i: number, node: number, left: number): void {
  const { tries } = trail.lexicon;
  trail.letters++;
  trail.masked++;
  trail.starred++;
  for (let rest = tries.edges[node]! & ANY_LETTER; rest !== 0; rest &= rest - 1) {
    hide(trail, i, childOf(tries, node, rest & -rest), left);
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
    const isOf = trail.owed || isAsked(trail, term);
    if (isOf && (done || (free && trail.gaps === 0)) && isFound(trail, one, i)) {
      report(trail, term, i);
      if (main && main.term !== term) report(trail, main.term, i);
    }
    if (more && !free && form !== 'whole') goOn(trail, i, last, run, one);
  }
  if (!main || !(end.ending || end.part)) return;
  if (done && trail.owed && isFound(trail, main, i)) report(trail, main.term, i);
  if (more && end.part) goOn(trail, i, last, run, main);
}

function isFound(trail: Trail, one: TermEnd, end: number): boolean {
  trail.ends++;
  return fits(trail, one, end);
}

/** Behind a term, or a part of a compound. */
function goOn(trail: Trail, i: number, last: number, run: number, main: TermEnd): void {
  const { endings, parts, terms } = trail.lexicon;
  const { main: before, owed } = trail;
  trail.joined++;
  trail.main = main;
  trail.owed = isAsked(trail, main.term);
  walk(trail, i, endings, last, run);
  if (main.form === 'compound') {
    walk(trail, i, parts, last, run);
    walk(trail, i, terms, last, run);
  }
  trail.main = before;
  trail.owed = owed;
  trail.joined--;
}

const isAsked = ({ asked }: Trail, { id }: LexiconTerm): boolean => asked.terms === undefined || asked.terms[id] !== 0;

/** A find of a term that was found already makes that longer. */
function report(trail: Trail, term: LexiconTerm, end: number): void {
  const { text, from, found, lexicon, asked } = trail;
  const reading = readingOf(trail);
  if (asked.terms !== undefined && (asked.terms[term.id]! & readingBit(reading)) === 0) return;
  const known = found.find((one) => one.term === term);
  if (known) known.end = Math.max(known.end, end);
  else if (!isAllowed(text, from, end, lexicon.allowed)) found.push({ start: from, end, reading, term });
}

function readingOf({ digits, symbols, masked, repeated, gaps }: Trail): TermReading {
  if (masked > 0) return 'masked';
  if (gaps > 0) return 'squashed';
  return digits + symbols + repeated > 0 ? 'leetspeak' : 'folded';
}
