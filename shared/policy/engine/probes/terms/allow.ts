/** Innocent words and phrases: a find that lies within one is none. */
import { isSpace, isWordAt } from '../characters.js';

export interface Allowed {
  /** lower case, words parted by single spaces */
  phrases: ReadonlySet<string>;
  /** words of the longest */
  words: number;
}

/** Longest word or phrase that is read, in UTF-16 units. */
const LONGEST = 256;

export function allowedOf(phrases: readonly string[]): Allowed {
  const most = phrases.reduce((sum, phrase) => Math.max(sum, phrase.split(' ').length), 1);
  return { phrases: new Set(phrases), words: most };
}

interface Span {
  start: number;
  end: number;
}

/** Those of `found` that lie within none of `spans`; both are in the order of their starts. */
export function outside<T extends Span>(found: readonly T[], spans: readonly Span[]): T[] {
  let next = 0;
  let reached = 0;
  return found.filter(({ start, end }) => {
    while (next < spans.length && spans[next]!.start <= start) reached = Math.max(reached, spans[next++]!.end);
    return end > reached;
  });
}

/** Whether what is at `start` to `end` of `text` lies within an allowed word or phrase. */
export function isAllowed(text: string, start: number, end: number, { phrases, words }: Allowed): boolean {
  if (phrases.size === 0) return false;
  const from = wordStart(text, start);
  const to = wordEnd(text, end);
  if (to - from > LONGEST) return false;
  const starts = [from];
  const ends = [to];
  for (let n = 1; n < words; n++) {
    const before = wordBefore(text, starts.at(-1)!);
    const after = wordAfter(text, ends.at(-1)!);
    if (before !== undefined) starts.push(before);
    if (after !== undefined) ends.push(after);
  }
  return starts.some((one) => ends.some((other) => other - one <= LONGEST && phrases.has(read(text, one, other))));
}

const read = (text: string, start: number, end: number): string =>
  text
    .slice(start, end)
    .toLowerCase()
    .replaceAll('’', "'")
    .replace(/[\s-]+/g, ' ');

const isInside = (text: string, index: number): boolean => {
  const unit = text.charCodeAt(index);
  return unit === 39 || unit === 0x2019 || isWordAt(text, index);
};

function wordStart(text: string, at: number): number {
  let start = at;
  while (start > 0 && at - start < LONGEST && isInside(text, start - 1)) start--;
  return start;
}

function wordEnd(text: string, at: number): number {
  let end = at;
  while (end < text.length && end - at < LONGEST && isInside(text, end)) end++;
  return end;
}

/** Where the word before the one at `start` starts, if only white space or a hyphen parts them. */
function wordBefore(text: string, start: number): number | undefined {
  let at = start - 1;
  if (at < 1 || !isGap(text.charCodeAt(at))) return undefined;
  while (at > 0 && start - at < LONGEST && isGap(text.charCodeAt(at - 1))) at--;
  return wordStart(text, at);
}

function wordAfter(text: string, end: number): number | undefined {
  let at = end;
  while (at < text.length && at - end < LONGEST && isGap(text.charCodeAt(at))) at++;
  return at === end || at >= text.length ? undefined : wordEnd(text, at);
}

const isGap = (unit: number): boolean => unit === 45 || isSpace(unit);
