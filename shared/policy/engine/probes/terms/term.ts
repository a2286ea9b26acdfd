/** Words and phrases. The automaton finds where one may start. This checks the whole of it, and its edges. */
import { MAX_PREFIX } from '../../automaton.js';
import { isSpace } from '../characters.js';
import { isJoin, plainMark } from '../marks.js';
import type { Find, TermProbe } from '../probe.js';
import { endsWord, startsWord } from './edges.js';

/** White space between two words of a phrase may be this long, so that a line break with indentation hides nothing. */
export const MAX_SPACES = 32;
const SPACE = 32;
/** What may stand for a space, as the automaton reads it. */
const JOINS = ['-', '_'];

/**
 * What the automaton looks for: a term up to and with its first space, cut to what the automaton holds of a literal. So terms that
 * begin alike share a literal.
 */
export function termLiterals({ text, mixed, loose }: TermProbe): string[] {
  const size = Math.min(text.indexOf(' ') + 1 || text.length, MAX_PREFIX);
  const begins = [text, mixed ?? text].map((each) => each.slice(0, size));
  if (!loose || text.charCodeAt(size - 1) !== SPACE) return begins;
  return begins.flatMap((each) => [each, ...JOINS.map((join) => each.slice(0, -1) + join)]);
}

/** The term of `probe` in `text` at `at`, if all of it is there. `mixed`: some letter is as `probe.mixed` has it. */
export function findTerm(probe: TermProbe, text: string, at: number): TermFind | undefined {
  const { text: term, mixed, loose } = probe;
  let isMixed = false;
  let i = at;
  for (let t = 0; t < term.length; t++) {
    const unit = term.charCodeAt(t);
    if (unit === SPACE) {
      const from = i;
      while (i - from < MAX_SPACES && isSpace(text.charCodeAt(i))) i++;
      if (i === from && !(loose && isJoin(text, i++))) return undefined;
      continue;
    }
    const found = text.charCodeAt(i++);
    if (found === unit || (loose && plainMark(found) === unit)) continue;
    if (found !== mixed?.charCodeAt(t)) return undefined;
    isMixed = true;
  }
  if (probe.word && !(startsWord(text, at, i) && endsWord(text, at, i))) return undefined;
  return { start: at, end: i, score: 1, mixed: isMixed };
}

export interface TermFind extends Find {
  mixed: boolean;
}
