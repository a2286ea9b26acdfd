/** Words and phrases. The automaton finds where one may start; here its whole text and its edges are checked. */
import type { TermsParameters } from '../configuration-types.js';
import { termIn } from '../normalise.js';
import { isSpace, isWordAt } from './characters.js';
import type { Find, Interest, TermProbe } from './probe.js';

/** White space between two words of a phrase may be this long, so that a line break or indentation hides nothing. */
const MAX_SPACES = 32;

export function termInterests(parameters: TermsParameters): Interest[] {
  const word = parameters.match === 'word';
  return parameters.list.flatMap((term) =>
    parameters.views.flatMap((view) => {
      const text = termIn(term, view);
      if (text === '') return [];
      return [
        {
          key: `term:${view}:${word ? 'word' : 'substring'}:${text}`,
          probe: (): TermProbe => ({ kind: 'term', label: 'terms', views: [view], text, word }),
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

/** The part of a term that the automaton looks for: up to its first space, and that space. */
export function termLiteral(text: string): string {
  const space = text.indexOf(' ');
  return space < 0 ? text : text.slice(0, space + 1);
}

/** The term of `probe` in `text` at `at`, if it is all there. */
export function findTerm(probe: TermProbe, text: string, at: number): Find | undefined {
  const term = probe.text;
  let i = at;
  for (let t = 0; t < term.length; t++) {
    const unit = term.charCodeAt(t);
    if (unit === 32) {
      const from = i;
      while (i - from < MAX_SPACES && isSpace(text.charCodeAt(i))) i++;
      if (i === from) return undefined;
    } else if (text.charCodeAt(i++) !== unit) return undefined;
  }
  if (probe.word && !(isEdge(text, at - 1, at) && isEdge(text, i, i - 1))) return undefined;
  return { start: at, end: i, score: 1 };
}

/** Whether the term may end at `inside` with `outside` next to it; a term that ends in a symbol has its edge there. */
function isEdge(text: string, outside: number, inside: number): boolean {
  return !isWordAt(text, outside) || !isWordAt(text, inside);
}
