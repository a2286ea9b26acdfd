/**
 * Terms that begin alike. Where thousands of phrases share their first word, a look at each wherever that word occurs would cost too
 * much. Binary search finds those that are there.
 */

import { latinised } from '../../views/normalise.js';
import { isSpace } from '../characters.js';
import { isBehindWord, plainMark } from '../marks.js';
import { MAX_SPACES } from './term.js';

export interface TermGroup<T> {
  /** Terms that may be in `text` at `at`. Look-alikes count as equal, so there may be too many, but none is missed. */
  at(text: string, at: number): readonly T[];
}

interface Keyed<T> {
  key: string;
  members: T[];
  /** place of the longest other key that this one begins with; -1: none */
  parent: number;
}

/** `textOf`: a term as it reads in the view that it is looked for in. */
export function groupTerms<T>(terms: readonly T[], textOf: (term: T) => string): TermGroup<T> {
  const byKey = new Map<string, T[]>();
  for (const term of terms) {
    const text = textOf(term);
    const key = read(text, 0, text.length);
    const members = byKey.get(key);
    if (members) members.push(term);
    else byKey.set(key, [term]);
  }
  const keyed: Keyed<T>[] = [...byKey].map(([key, members]) => ({ key, members, parent: -1 }));
  keyed.sort((a, b) => (a.key < b.key ? -1 : 1));
  let longest = 0;
  keyed.forEach((each, i) => {
    longest = Math.max(longest, each.key.length);
    each.parent = beginningOf(keyed, each.key, i - 1);
  });
  const order = new Map(terms.map((term, i) => [term, i]));

  return {
    at(text, at) {
      const there = read(text, at, longest);
      // The last key that is not greater. What the text begins with is that key, or a key that it begins with.
      let low = 0;
      let high = keyed.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (keyed[middle]!.key <= there) low = middle + 1;
        else high = middle;
      }
      const found: T[] = [];
      for (let i = beginningOf(keyed, there, low - 1); i >= 0; i = keyed[i]!.parent) found.push(...keyed[i]!.members);
      return found.length > 1 ? found.sort((a, b) => order.get(a)! - order.get(b)!) : found;
    },
  };
}

/** Place of the longest key that `text` begins with, among key `from` and those that it begins with; -1: none. */
function beginningOf(keyed: readonly Keyed<unknown>[], text: string, from: number): number {
  let i = from;
  while (i >= 0 && !text.startsWith(keyed[i]!.key)) i = keyed[i]!.parent;
  return i;
}

/**
 * What is in `text` from `at`, as much as the longest term has. Each run of white space is one space, and so is each hyphen and underscore
 * behind a letter, whether it joins words or a term ends in it.
 */
function read(text: string, at: number, most: number): string {
  let there = '';
  let i = at;
  while (there.length < most && i < text.length) {
    const from = i;
    while (i - from < MAX_SPACES && isSpace(text.charCodeAt(i))) i++;
    if (i > from) there += ' ';
    else {
      there += i > at && isBehindWord(text, i) ? ' ' : String.fromCharCode(plainMark(text.charCodeAt(i)));
      i++;
    }
  }
  return latinised(there);
}
