/**
 * Words that speak for entities. Those of all entities are one tree, so that the words around a number are read once, however many
 * entities it could be.
 */
import { isAsciiLetter, unitAt } from '../../engine/probes/characters.js';
import { changeOf, characterAt, IS_MARK } from '../../engine/views/change.js';
import { fold, latinised } from '../../engine/views/normalise.js';
import { isAscii } from '../../engine/views/views.js';
import { isBehindBreak } from './edges.js';

/** The words of one entity. */
export interface EntityWords {
  readonly patterns: readonly string[];
}

interface WordNode {
  /** by unit */
  next: Map<number, WordNode>;
  /** of which a word ends here; `whole`: only if the word of the text ends, too */
  ends: { words: EntityWords; whole: boolean }[];
}

const newNode = (): WordNode => ({ next: new Map(), ends: [] });
const root = newNode();

/**
 * Beginnings of words that speak for an entity, in any language; they are compared folded, that is in lower case without accents. `x?`
 * may be absent, `(a|b)` and `[ab]` are alternatives, and `\b` at the end demands the whole word.
 */
export function wordsOf(...patterns: readonly string[]): EntityWords {
  const words: EntityWords = { patterns };
  for (const pattern of patterns.flatMap((each) => each.split(/\|(?![^(]*\))/))) {
    const whole = pattern.endsWith('\\b');
    for (const text of variants(whole ? pattern.slice(0, -2) : pattern)) addWord(plain(text), words, whole);
  }
  return words;
}

function addWord(text: string, words: EntityWords, whole: boolean): void {
  let node = root;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    let next = node.next.get(unit);
    if (!next) {
      next = newNode();
      node.next.set(unit, next);
    }
    node = next;
  }
  node.ends.push({ words, whole });
}

/** The texts that a pattern stands for. */
function variants(pattern: string): string[] {
  const group = /\(([^()]*)\)(\??)|\[([^\]]*)\](\??)|(.)\?/u.exec(pattern);
  if (!group) return [pattern];
  const [whole, alternatives, mayLack, letters, mayLackLetter, optional] = group;
  const choices =
    alternatives !== undefined ? alternatives.split('|') : letters !== undefined ? [...letters] : [optional!];
  if (mayLack === '?' || mayLackLetter === '?' || optional !== undefined) choices.push('');
  const [head, tail] = [pattern.slice(0, group.index), pattern.slice(group.index + whole.length)];
  return choices.flatMap((choice) => variants(`${head}${choice}${tail}`));
}

/** The form in which words are compared. */
const plain = (text: string): string => (isAscii(text) ? text.toLowerCase() : fold(text));

/** By unit: its folded form, as far as that is one unit. What becomes of others depends on what is beside them. */
type FoldedUnits = Int32Array;
const DEPENDS = -1;
const FOLDED: FoldedUnits = new Int32Array(0x10000);
const LATIN: FoldedUnits = new Int32Array(0x10000);
const CHANGE = changeOf(fold);

function learn(forms: FoldedUnits, unit: number): number {
  const character = String.fromCharCode(unit);
  const folded = forms === LATIN ? latinised(fold(character)) : fold(character);
  const isAlone = characterAt(CHANGE, unit) < IS_MARK && folded.length === 1;
  const form = isAlone ? folded.charCodeAt(0) : DEPENDS;
  forms[unit] = form;
  return form;
}

/**
 * Whether a word that speaks for an entity may begin at `at`. A word of one script is compared as it is folded, one that mixes scripts with
 * Latin letters for those that look like them.
 */
export function mayBeginAt(text: string, at: number, forms: FoldedUnits = FOLDED): boolean {
  let node = root;
  let beyondAscii = false;
  for (let i = at; i < text.length && i >= 0; i++) {
    const unit = text.charCodeAt(i);
    const form = forms[unit]! || learn(forms, unit);
    if (form === DEPENDS) return true;
    beyondAscii ||= unit > 127;
    const next = node.next.get(form) ?? acrossJoint(node, text, i, form);
    if (!next) return beyondAscii && forms === FOLDED && mayBeginAt(text, at, LATIN);
    if (next.ends.length > 0) return true;
    node = next;
  }
  return false;
}

const SPACE = 32;

/** Whether a word begins with a capital within a name such as `phoneNumber`. */
export function isHump(text: string, at: number): boolean {
  const [unit, before] = [unitAt(text, at), unitAt(text, at - 1)];
  return unit >= 65 && unit <= 90 && before >= 97 && before <= 122;
}

/** Names of programs part their words by `_`, `-` or a hump, where a phrase has a space. */
function acrossJoint(node: WordNode, text: string, at: number, form: number): WordNode | undefined {
  const space = node.next.get(SPACE);
  // A space that ends a pattern is one.
  if (!space || space.ends.length > 0) return undefined;
  if (form === 95 || form === 45) return space;
  return isHump(text, at) ? space.next.get(form) : undefined;
}

/** Where words may begin in the stretch of a text that was asked for so far. */
export interface WordPlaces {
  from: number;
  to: number;
  places: number[];
  /** the place that was found last */
  at: number;
}

export const wordPlaces = (): WordPlaces => ({ from: -1, to: -1, places: [], at: 0 });

/** By unit of ASCII: 1 where a word begins so. Made when all words are known. */
let first: Uint8Array | undefined;

/**
 * Whether a word may begin in `text` from `from` on and before `to`; within a longer one it may at `from` alone. Stretches are asked for
 * roughly in order, so that each is read once.
 */
export function hasPlace(known: WordPlaces, text: string, from: number, to: number): boolean {
  if (known.from < 0 || from > known.to) {
    known.from = from;
    known.to = from;
    known.places.length = 0;
    known.at = 0;
  }
  if (from < known.from) return true;
  const { places } = known;
  first ??= Uint8Array.from({ length: 128 }, (_, unit) => Number(root.next.has(LOWER[unit]!)));
  for (; known.to < to; known.to++) {
    const unit = text.charCodeAt(known.to);
    if (unit < 128 && first[unit] === 0) continue;
    const begins =
      !isAsciiLetter(unitAt(text, known.to - 1)) || isHump(text, known.to) || isBehindBreak(text, known.to);
    if (begins && mayBeginAt(text, known.to)) places.push(known.to);
  }
  while (known.at > 0 && places[known.at - 1]! >= from) known.at--;
  while (known.at < places.length && places[known.at]! < from) known.at++;
  return (known.at < places.length && places[known.at]! < to) || mayBeginAt(text, from);
}

const NONE: readonly EntityWords[] = [];

/** By unit of ASCII: in lower case. */
const LOWER = Uint8Array.from({ length: 128 }, (_, unit) => (unit >= 65 && unit <= 90 ? unit + 32 : unit));
const lowered = (unit: number): number => (unit < 128 ? LOWER[unit]! : unit);

const isLetterOrDigit = (unit: number): boolean => (unit >= 97 && unit <= 122) || (unit >= 48 && unit <= 57);

/** All words of which one stands in `text` from `from` to `to`, which is plain but for capitals. */
export function wordsIn(text: string, from: number, to: number): readonly EntityWords[] {
  let found: EntityWords[] | undefined;
  let inWord = false;
  for (let i = from; i < to; i++) {
    const first = lowered(text.charCodeAt(i));
    const begins = !inWord || (i > from && (isHump(text, i) || isBehindBreak(text, i)));
    inWord = isLetterOrDigit(first);
    let node = begins ? root.next.get(first) : undefined;
    for (let j = i + 1; node; j++) {
      const unit = j < to ? lowered(text.charCodeAt(j)) : -1;
      for (const { words, whole } of node.ends) {
        if (whole && isLetterOrDigit(unit) && !(j < to && isHump(text, j))) continue;
        found ??= [];
        if (!found.includes(words)) found.push(words);
      }
      node = node.next.get(unit) ?? (j < to ? acrossJoint(node, text, j, unit) : undefined);
    }
  }
  return found ?? NONE;
}
