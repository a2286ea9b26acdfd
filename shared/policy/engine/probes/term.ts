/** Words and phrases. The automaton finds where one may start; here its whole text and its edges are checked. */

import type { TermsParameters } from '../../../configuration/types.js';
import { MAX_PREFIX } from '../automaton.js';
import { mixedForm, termIn } from '../views/normalise.js';
import { hasSigns, isSignAt, isSpace, isWordAt } from './characters.js';
import type { Find, Interest, TermProbe } from './probe.js';

/** White space between two words of a phrase may be this long, so that a line break or indentation hides nothing. */
export const MAX_SPACES = 32;

export function termInterests(parameters: TermsParameters): Interest[] {
  const word = parameters.match === 'word';
  return parameters.list.flatMap((term) =>
    parameters.views.flatMap((view) => {
      const text = termIn(term, view);
      if (text === '') return [];
      return [
        {
          key: `term:${view}:${word ? 'word' : 'substring'}:${text}`,
          probe: (): TermProbe => {
            const mixed = view === 'folded' ? mixedForm(text) : undefined;
            return { kind: 'term', label: 'terms', views: [view], text, mixed, word };
          },
        },
      ];
    }),
  );
}

/** Most characters of plain ASCII that a find of any of the terms can span. */
export function termReach(parameters: TermsParameters): number {
  let reach = 0;
  for (const term of parameters.list) reach = Math.max(reach, term.length + term.split(' ').length * MAX_SPACES);
  return reach;
}

/**
 * The parts of a term that the automaton looks for: up to its first space, and that space. No more than is entered into it, so
 * that terms which begin alike have the same one.
 */
export function termLiterals({ text, mixed }: TermProbe): string[] {
  const size = Math.min(text.indexOf(' ') + 1 || text.length, MAX_PREFIX);
  return [text, mixed ?? text].map((each) => each.slice(0, size));
}

/** The term of `probe` in `text` at `at`, if it is all there. A find in which a letter is as `mixed` has it says so. */
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

/** Whether the term may end at `inside` with `outside` next to it; a term that ends in a symbol has its edge there. */
function isEdge(text: string, outside: number, inside: number): boolean {
  if (isWordAt(text, outside) && isWordAt(text, inside)) return false;
  return !signJoins(text, outside, inside) && !signJoins(text, inside, outside);
}

/** Whether a vowel sign at `sign` and a letter or sign of such a script at `other`, its neighbour, are one word. */
function signJoins(text: string, sign: number, other: number): boolean {
  if (!isSignAt(text, sign)) return false;
  return isSignAt(text, other) || (hasSigns(text.charCodeAt(other)) && isWordAt(text, other));
}
