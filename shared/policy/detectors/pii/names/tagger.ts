/**
 * Tags the tokens of a passage: a linear model says of each how likely it begins or continues an entity, and the likeliest row of tags is
 * taken (Viterbi). Most words cannot begin a name, so they cost no more than their look-up.
 */
import type { ClassLexicon } from '../../../models/lexicon.js';
import { NAMES, WORD_CLASSES } from './classes.js';
import { FEATURES, featuresAt, readClasses } from './features.js';
import { MAX_TOKENS, SHAPES, type Tokens } from './tokens.js';

export const NAME_ENTITIES = ['PERSON', 'LOCATION', 'ORGANIZATION', 'POSTAL_ADDRESS'] as const;
export type NameEntity = (typeof NAME_ENTITIES)[number];

/** Tag 0 is none; 1 + 2e begins the entity e, and 2 + 2e continues it. */
export const TAGS = 1 + 2 * NAME_ENTITIES.length;
export const LANES = TAGS - 1;

export interface NameModel {
  lexicon: ClassLexicon;
  /** two of 32 bits a bucket: a byte a lane, a weight plus 128 */
  weights: Int32Array;
  /** what a step of a weight is worth, in logarithms of odds */
  step: number;
  /** by tag and the tag that follows */
  transitions: Float64Array;
  /** by entity: slope and offset of the logistic function that makes a probability of how far the entity is above none */
  calibration: readonly (readonly [slope: number, offset: number])[];
}

/** Whether a tag may follow another one: an entity goes on only where it has begun. */
export const mayFollow = (tag: number, before: number): boolean =>
  tag === 0 || tag % 2 === 1 || before === tag || before === tag - 1;

/** Whether a token that follows none may begin an entity: no sign, and no everyday word in small letters. */
export function mayBegin({ shape }: Tokens, classes: Uint16Array, i: number): boolean {
  const form = shape[i]!;
  if (form === SHAPES.sign || form === SHAPES.line || form === SHAPES.code) return false;
  return form !== SHAPES.lower || (classes[i]! & WORD_CLASSES.common) === 0 || (classes[i]! & NAMES) !== 0;
}

/** What each of the last passage has of what is read. */
export interface TaggedSpan {
  entity: number;
  /** tokens */
  first: number;
  last: number;
  /** how far it is above none, in logarithms of odds */
  margin: number;
}

const IMPOSSIBLE = -1e9;
/** A word that is less likely than this to begin anything begins nothing. */
const UNLIKELY = -3;

const classes = new Uint16Array(MAX_TOKENS + 1);
const buckets = new Int32Array(FEATURES);
const emissions = new Float64Array((MAX_TOKENS + 1) * LANES);
const scores = new Float64Array((MAX_TOKENS + 1) * TAGS);
const before = new Uint8Array((MAX_TOKENS + 1) * TAGS);
const open = new Uint8Array(MAX_TOKENS + 1);
const tags = new Uint8Array(MAX_TOKENS + 1);

/** The entities of a passage, in their order. */
export function tag(tokens: Tokens, model: NameModel): TaggedSpan[] {
  readClasses(tokens, model.lexicon, classes);
  if (!walk(tokens, model)) return [];
  readTags(tokens.count);
  return spansOf(tokens.count, model);
}

/** Scores all rows of tags; false where there is but none. */
function walk(tokens: Tokens, model: NameModel): boolean {
  const { count } = tokens;
  let isOpen = false;
  let any = false;
  for (let i = 0; i < count; i++) {
    // Nothing is open: the last token was none for sure.
    if (!isOpen && !mayBegin(tokens, classes, i)) {
      open[i] = 0;
      continue;
    }
    emit(tokens, model, i);
    if (!isOpen && bestBeginning(i, model) < UNLIKELY) {
      open[i] = 0;
      continue;
    }
    open[i] = 1;
    any = true;
    isOpen = step(i, model, isOpen);
  }
  return any;
}

function emit(tokens: Tokens, { weights, step: worth }: NameModel, i: number): void {
  featuresAt(tokens, classes, i, buckets);
  let [a, b, c, d] = [0, 0, 0, 0];
  for (let f = 0; f < FEATURES; f++) {
    const at = 2 * buckets[f]!;
    const [low, high] = [weights[at]!, weights[at + 1]!];
    a += low & 0xff00ff;
    b += (low >>> 8) & 0xff00ff;
    c += high & 0xff00ff;
    d += (high >>> 8) & 0xff00ff;
  }
  const at = i * LANES;
  const none = 128 * FEATURES;
  emissions[at] = ((a & 0xffff) - none) * worth;
  emissions[at + 1] = ((b & 0xffff) - none) * worth;
  emissions[at + 2] = ((a >>> 16) - none) * worth;
  emissions[at + 3] = ((b >>> 16) - none) * worth;
  emissions[at + 4] = ((c & 0xffff) - none) * worth;
  emissions[at + 5] = ((d & 0xffff) - none) * worth;
  emissions[at + 6] = ((c >>> 16) - none) * worth;
  emissions[at + 7] = ((d >>> 16) - none) * worth;
}

function bestBeginning(i: number, { transitions }: NameModel): number {
  let best = IMPOSSIBLE;
  for (let lane = 0; lane < LANES; lane += 2)
    best = Math.max(best, emissions[i * LANES + lane]! + transitions[lane + 1]!);
  return best - transitions[0]!;
}

/** Scores the tags of token `i`; returns whether one beside none is likely enough to go on. */
function step(i: number, { transitions }: NameModel, isOpen: boolean): boolean {
  const at = i * TAGS;
  const last = at - TAGS;
  let best = IMPOSSIBLE;
  for (let own = 0; own < TAGS; own++) {
    let [most, from] = [IMPOSSIBLE, 0];
    if (!isOpen) most = own > 0 && own % 2 === 0 ? IMPOSSIBLE : transitions[own]!;
    else if (own > 0 && own % 2 === 0) {
      const [begun, gone] = [
        scores[last + own - 1]! + transitions[(own - 1) * TAGS + own]!,
        scores[last + own]! + transitions[own * TAGS + own]!,
      ];
      [most, from] = begun >= gone ? [begun, own - 1] : [gone, own];
    } else {
      for (let tagBefore = 0; tagBefore < TAGS; tagBefore++) {
        const score = scores[last + tagBefore]! + transitions[tagBefore * TAGS + own]!;
        if (score > most) [most, from] = [score, tagBefore];
      }
    }
    const score = own === 0 ? most : most + emissions[i * LANES + own - 1]!;
    scores[at + own] = score;
    before[at + own] = from;
    if (own > 0 && score > best) best = score;
  }
  return best - scores[at]! > CLOSED;
}

/** Where none is likelier by so much, nothing goes on. */
const CLOSED = -5;

function readTags(count: number): void {
  let own = open[count - 1] === 1 ? bestAt(count - 1) : 0;
  for (let i = count - 1; i >= 0; i--) {
    const isRead = open[i] === 1;
    tags[i] = isRead ? own : 0;
    // What is not open follows none.
    own = isRead ? before[i * TAGS + own]! : 0;
  }
}

function bestAt(i: number): number {
  let best = 0;
  for (let own = 1; own < TAGS; own++) if (scores[i * TAGS + own]! > scores[i * TAGS + best]!) best = own;
  return best;
}

function spansOf(count: number, model: NameModel): TaggedSpan[] {
  const spans: TaggedSpan[] = [];
  for (let i = 0; i < count; i++) {
    const begun = tags[i]!;
    if (begun % 2 === 0) continue;
    const first = i;
    while (i + 1 < count && tags[i + 1] === begun + 1) i++;
    spans.push({ entity: (begun - 1) / 2, first, last: i, margin: marginOf(first, i, model) });
  }
  return spans;
}

function marginOf(first: number, last: number, { transitions }: NameModel): number {
  let margin = 0;
  let previous = 0;
  for (let i = first; i <= last; i++) {
    const own = tags[i]!;
    margin += emissions[i * LANES + own - 1]! + transitions[previous * TAGS + own]! - transitions[0]!;
    previous = own;
  }
  return margin + transitions[previous * TAGS]! - transitions[0]!;
}

/** Probability that what is so far above none is the entity. */
export function probabilityOf({ entity, margin }: TaggedSpan, { calibration }: NameModel): number {
  const [slope, offset] = calibration[entity]!;
  return 1 / (1 + Math.exp(-(slope * margin + offset)));
}
