/** Words and phrases. */
import { type Cursor, choiceOf, complain, listOf, textOf } from '../../configuration/fields.js';
import type { Interest, TermProbe } from '../engine/probes/probe.js';
import { MAX_SPACES } from '../engine/probes/term.js';
import { foldTerm, mixedForm } from '../engine/views/normalise.js';
import { termIn, VIEWS, type View } from '../engine/views/views.js';
import type { Detector } from './detector.js';
import { CONTEXT_HELP, parametersAt, readContext, requireSome } from './parameters.js';

export interface TermsParameters {
  list: string[];
  match: 'word' | 'substring';
  views: View[];
  /** earlier texts that are looked at together with the current one */
  context: number;
}

const MAX_TERMS = 100_000;
/** Where the grammar has terms from, and this version does not. */
const PLANNED = ['file', 'bundle'];

export const terms: Detector<TermsParameters> = {
  help: 'words and phrases, also when they are disguised by case, accents, mixed scripts or invisible characters',
  parameters: {
    list: 'words and phrases',
    match: 'word or substring [word]',
    views: `forms of the text that are looked at, of ${VIEWS.join(', ')} [folded]`,
    context: CONTEXT_HELP,
  },
  read,
  text: { interests, reach },
};

function read(cursor: Cursor): TermsParameters | undefined {
  const fields = parametersAt(cursor, terms, PLANNED);
  if (!fields) return undefined;
  const planned = PLANNED.filter((key) => fields.has(key));
  for (const key of planned) {
    cursor.report.add([...cursor.path, key], `this version does not read terms from a ${key}; give a list`, 'key');
  }
  const views = listOf(fields.get('views'), VIEWS.length, (item) => choiceOf(item, VIEWS));
  const list = listOf(fields.get('list'), MAX_TERMS, readTerm);
  if (planned.length === 0) requireSome(fields.get('list'), 'a list of at least one word or phrase');
  return {
    list: [...new Set(list)],
    match: choiceOf(fields.get('match'), ['word', 'substring'] as const, 'word'),
    views: views.length === 0 ? ['folded'] : [...new Set(views)],
    context: readContext(fields),
  };
}

function readTerm(cursor: Cursor): string {
  const term = textOf(cursor, { expected: 'a word or phrase of 1 to 256 characters' });
  if (term !== '' && foldTerm(term) === '') {
    complain(cursor, 'expected a word or phrase with at least one visible character');
  }
  return term;
}

function interests({ list, match, views }: TermsParameters): Interest[] {
  const word = match === 'word';
  return list.flatMap((term) =>
    views.flatMap((view) => {
      const text = termIn(term, view);
      if (text === '') return [];
      const probe = (): TermProbe => {
        const mixed = view === 'folded' ? mixedForm(text) : undefined;
        return { kind: 'term', label: 'terms', views: [view], text, mixed, word };
      };
      return [{ key: `term:${view}:${match}:${text}`, probe }];
    }),
  );
}

function reach({ list }: TermsParameters): number {
  let longest = 0;
  for (const term of list) longest = Math.max(longest, term.length + term.split(' ').length * MAX_SPACES);
  return longest;
}
