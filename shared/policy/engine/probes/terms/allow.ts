/** Innocent words and phrases: a find that lies within one is none. */
import { isSpace, isWordAt } from '../characters.js';
import { APOSTROPHES, HYPHENS, plainMark } from '../marks.js';

export interface Allowed {
  /** lower case, words parted by single spaces */
  phrases: ReadonlySet<string>;
  /** words of these, and pairs of neighbours: what has another one is no part of a phrase */
  pieces: ReadonlySet<string>;
  /** words of the longest phrase */
  words: number;
  /** length of the longest word */
  longest: number;
}

/** Longest word or phrase that is read, in UTF-16 units. */
const LONGEST = 256;

export function allowedOf(phrases: readonly string[]): Allowed {
  const pieces = new Set<string>();
  let words = 1;
  let longest = 0;
  for (const phrase of phrases) {
    const all = phrase.split(' ');
    words = Math.max(words, all.length);
    all.forEach((word, n) => {
      longest = Math.max(longest, word.length);
      pieces.add(word);
      if (n > 0) pieces.add(`${all[n - 1]} ${word}`);
    });
  }
  return { phrases: new Set(phrases), pieces, words, longest };
}

/** Whether what is at `start` to `end` of `text` lies within an allowed word or phrase. */
export function isAllowed(text: string, start: number, end: number, allowed: Allowed): boolean {
  const { phrases, words } = allowed;
  if (phrases.size === 0) return false;
  const most = Math.min(LONGEST, allowed.longest + 1);
  const from = wordStart(text, start, most);
  const to = wordEnd(text, end, most);
  if (to - from > LONGEST) return false;
  const found = read(text, from, to).split(' ');
  if (!isPart(found, allowed)) return false;
  const starts = [from];
  const ends = [to];
  for (let word = found[0]!; starts.length < words; ) {
    const before = wordBefore(text, starts.at(-1)!, most);
    if (before === undefined) break;
    const one = read(text, before, starts.at(-1)!).trimEnd();
    if (!allowed.pieces.has(`${one} ${word}`)) break;
    starts.push(before);
    word = one;
  }
  for (let word = found.at(-1)!; ends.length < words; ) {
    const after = wordAfter(text, ends.at(-1)!, most);
    if (after === undefined) break;
    const one = read(text, ends.at(-1)!, after).trimStart();
    if (!allowed.pieces.has(`${word} ${one}`)) break;
    ends.push(after);
    word = one;
  }
  return starts.some((one) => ends.some((other) => other - one <= LONGEST && phrases.has(read(text, one, other))));
}

function isPart(words: readonly string[], { pieces }: Allowed): boolean {
  return words.every((word, n) => pieces.has(word) && (n === 0 || pieces.has(`${words[n - 1]} ${word}`)));
}

const ANY_APOSTROPHE = new RegExp(`[${APOSTROPHES}]`, 'g');
const GAPS = new RegExp(`[\\s${HYPHENS.replace('-', '\\-')}]+`, 'g');

const read = (text: string, start: number, end: number): string =>
  text.slice(start, end).toLowerCase().replace(ANY_APOSTROPHE, "'").replace(GAPS, ' ');

const isInside = (text: string, index: number): boolean => {
  return plainMark(text.charCodeAt(index)) === 39 || isWordAt(text, index);
};

function wordStart(text: string, at: number, most: number): number {
  let start = at;
  while (start > 0 && at - start < most && isInside(text, start - 1)) start--;
  return start;
}

function wordEnd(text: string, at: number, most: number): number {
  let end = at;
  while (end < text.length && end - at < most && isInside(text, end)) end++;
  return end;
}

/** Where the word before the one at `start` starts, if only white space or a hyphen parts them. */
function wordBefore(text: string, start: number, most: number): number | undefined {
  let at = start - 1;
  if (at < 1 || !isGap(text.charCodeAt(at))) return undefined;
  while (at > 0 && start - at < LONGEST && isGap(text.charCodeAt(at - 1))) at--;
  return wordStart(text, at, most);
}

function wordAfter(text: string, end: number, most: number): number | undefined {
  let at = end;
  while (at < text.length && at - end < LONGEST && isGap(text.charCodeAt(at))) at++;
  return at === end || at >= text.length ? undefined : wordEnd(text, at, most);
}

const isGap = (unit: number): boolean => plainMark(unit) === 45 || isSpace(unit);
