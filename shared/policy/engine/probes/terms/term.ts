/** Words and phrases. The automaton finds where one may start. This checks the whole of it, and its edges. */
import { MAX_PREFIX } from '../../automaton.js';
import { hasSigns, isSignAt, isSpace, isWordAt } from '../characters.js';
import type { Find, TermProbe } from '../probe.js';

/** White space between two words of a phrase may be this long, so that a line break with indentation hides nothing. */
export const MAX_SPACES = 32;

/**
 * What the automaton looks for: a term up to and with its first space, cut to what the automaton holds of a literal. So terms that
 * begin alike share a literal.
 */
export function termLiterals({ text, mixed }: TermProbe): string[] {
  const size = Math.min(text.indexOf(' ') + 1 || text.length, MAX_PREFIX);
  return [text, mixed ?? text].map((each) => each.slice(0, size));
}

/** The term of `probe` in `text` at `at`, if all of it is there. `mixed`: some letter is as `probe.mixed` has it. */
export function findTerm(probe: TermProbe, text: string, at: number): TermFind | undefined {
  const { text: term, mixed } = probe;
  let isMixed = false;
  let i = at;
  for (let t = 0; t < term.length; t++) {
    const unit = term.charCodeAt(t);
    if (unit === 32) {
      const from = i;
      while (i - from < MAX_SPACES && isSpace(text.charCodeAt(i))) i++;
      if (i === from) return undefined;
      continue;
    }
    const found = text.charCodeAt(i++);
    if (found === unit) continue;
    if (found !== mixed?.charCodeAt(t)) return undefined;
    isMixed = true;
  }
  if (probe.word && !(isEdge(text, at - 1, at) && isEdge(text, i, i - 1))) return undefined;
  return { start: at, end: i, score: 1, mixed: isMixed };
}

export interface TermFind extends Find {
  mixed: boolean;
}

/** Whether the term may end at `inside`, with `outside` next to it. A term that ends in a symbol may end anywhere. */
function isEdge(text: string, outside: number, inside: number): boolean {
  if (isWordAt(text, outside) && isWordAt(text, inside)) return false;
  return !signJoins(text, outside, inside) && !signJoins(text, inside, outside);
}

/** Whether a vowel sign at `sign` and its neighbour at `other`, a letter or sign of such a script, are one word. */
function signJoins(text: string, sign: number, other: number): boolean {
  if (!isSignAt(text, sign)) return false;
  return isSignAt(text, other) || (hasSigns(text.charCodeAt(other)) && isWordAt(text, other));
}
