/** Words and phrases: of the policy, of a file of the operator, and of the bundles that ship with Weir. */

import { SEVERITIES, type Severity } from '../../api/types.js';
import {
  type Cursor,
  choiceOf,
  complain,
  isAbsent,
  listOf,
  listOrText,
  noteShape,
  type ObjectFields,
  textOf,
} from '../../configuration/read/fields.js';
import { encodedFrom, lastLetters, lastShown, type OpenFrom } from '../engine/open.js';
import type { Find, Interest, SweepProbe, TermProbe } from '../engine/probes/probe.js';
import { allowedOf, isAllowed } from '../engine/probes/terms/allow.js';
import {
  buildLexicon,
  isPlainTerm,
  READINGS,
  readingBit,
  type SweepFind,
  type TermLexicon,
  type TermReading,
} from '../engine/probes/terms/lexicon.js';
import { createSweep } from '../engine/probes/terms/sweep.js';
import { MAX_SPACES } from '../engine/probes/terms/term.js';
import { foldTerm, mixedForm } from '../engine/views/normalise.js';
import { termIn, VIEWS, type View } from '../engine/views/views.js';
import type { Detector } from './detector.js';
import { CONTEXT_HELP, FILE_NAME, parametersAt, readContext } from './parameters.js';
import { BUNDLE_NAMES, type BundleName, loadBundles } from './terms/bundles.js';
import { MAX_TERMS, type ReadTerm, readTermFile } from './terms/file.js';
import { isMeant } from './terms/harmless.js';

/** Forms of a text that terms are looked for in. Bundles are looked for in those behind `nfkc`. */
const TERM_VIEWS = [...VIEWS, 'leetspeak', 'masked', 'squashed', 'decoded'] as const;
export type TermView = (typeof TERM_VIEWS)[number];

export interface TermsParameters {
  /** with the terms of a file, which is read when the configuration is applied */
  list: string[];
  file: null;
  bundle: BundleName[];
  match: 'word' | 'substring';
  views: TermView[];
  /** least severity of a term of a bundle or a file */
  severity: Severity;
  /** innocent words and phrases: no find lies within one */
  allow: string[];
  /** earlier texts that are looked at together with the current one */
  context: number;
}

const MAX_ALLOWED = 10_000;
const LIST_VIEWS: readonly TermView[] = ['folded'];
const BUNDLE_VIEWS: readonly TermView[] = TERM_VIEWS.slice(2);

export const terms: Detector<TermsParameters> = {
  help: 'words and phrases, also when they are disguised',
  parameters: {
    list: 'words and phrases',
    file: 'name of a file of terms beside the configuration; they join the list when it is applied [none]',
    bundle: `lists that ship with Weir, of ${BUNDLE_NAMES.join(', ')} [none]`,
    match: 'word or substring; a bundle knows this of each word [word]',
    views: `forms of the text that are looked at, of ${TERM_VIEWS.join(', ')} [folded; with a bundle all from folded on]`,
    severity: `least severity of terms, of ${SEVERITIES.join(', ')} [medium of a bundle, low of a file]`,
    allow: 'innocent words and phrases; what is found within one does not count [none]',
    context: CONTEXT_HELP,
  },
  read,
  text: { interests, open, reach, mark: () => 'TERM' },
};

function read(cursor: Cursor): TermsParameters | undefined {
  const fields = parametersAt(cursor, terms);
  if (!fields) return undefined;
  const bundle = readBundle(fields.get('bundle'));
  const least = fields.get('severity');
  const severity = choiceOf(least, SEVERITIES, bundle.length > 0 ? 'medium' : 'low');
  const list = listOf(fields.get('list'), MAX_TERMS, readTerm);
  const file = fields.get('file');
  const more = isAbsent(file) ? [] : readFile(file, isAbsent(least) ? 'low' : severity);
  if (list.length + more.length > MAX_TERMS)
    complain(file, `expected at most ${MAX_TERMS} terms with those of the list`);
  noteShape(cursor, { anyOf: ['list', 'file', 'bundle'].map((key) => ({ required: [key] })) });
  if (bundle.length === 0 && isAbsent(file) && isEmpty(fields.get('list'))) {
    complain(fields.get('list'), 'is required: expected a list of at least one word or phrase, a file or a bundle');
  }
  return {
    list: [...new Set([...list, ...more])],
    file: null,
    bundle,
    match: choiceOf(fields.get('match'), ['word', 'substring'] as const, 'word'),
    views: readViews(fields, bundle),
    severity,
    allow: [...new Set(listOf(fields.get('allow'), MAX_ALLOWED, readTerm))],
    context: readContext(fields),
  };
}

const isEmpty = (cursor: Cursor): boolean =>
  isAbsent(cursor) || (Array.isArray(cursor.value) && cursor.value.length === 0);

/** One name or a list of names. */
function readBundle(cursor: Cursor): BundleName[] {
  return [...new Set(listOrText(cursor, BUNDLE_NAMES.length, (item) => choiceOf(item, BUNDLE_NAMES)))];
}

function readViews(fields: ObjectFields, bundle: readonly BundleName[]): TermView[] {
  const cursor = fields.get('views');
  const views = [...new Set(listOf(cursor, TERM_VIEWS.length, (item) => choiceOf(item, TERM_VIEWS)))];
  if (views.length === 0) return [...(bundle.length > 0 ? BUNDLE_VIEWS : LIST_VIEWS)];
  if (bundle.length > 0 && !views.some((view) => BUNDLE_VIEWS.includes(view))) {
    complain(cursor, `a bundle is looked for in ${BUNDLE_VIEWS.join(', ')}; expected at least one of them`);
  }
  return views;
}

const TERM = 'a word or phrase of 1 to 256 characters';

function readTerm(cursor: Cursor): string {
  const term = textOf(cursor, { expected: TERM });
  if (term !== '' && foldTerm(term) === '') {
    complain(cursor, 'expected a word or phrase with at least one visible character');
  }
  return term;
}

/** Terms of the file that `cursor` names. */
function readFile(cursor: Cursor, least: Severity): string[] {
  const name = textOf(cursor, FILE_NAME);
  const { files } = cursor.report;
  if (name === '') return [];
  if (!files) {
    complain(
      cursor,
      'a file is read by weir apply and weir check-config, beside the configuration; elsewhere give a list',
    );
    return [];
  }
  const isTerm: ReadTerm = (term) => term.length <= 256 && foldTerm(term) !== '';
  try {
    return readTermFile(files.terms(name), isTerm)
      .filter(({ severity }) => SEVERITIES.indexOf(severity) >= SEVERITIES.indexOf(least))
      .map(({ term }) => term);
  } catch (error) {
    complain(cursor, `${name}: ${(error as Error).message}`);
    return [];
  }
}

function interests(parameters: TermsParameters): Interest[] {
  const { views, allow } = parameters;
  const allowed = allowedOf(allow.map(foldTerm));
  const counts: Accepts = (find, text) => !isAllowed(text, find.start, find.end, allowed);
  const accepts = allow.length === 0 ? undefined : counts;
  const found = [...listed(parameters, accepts), ...disguised(parameters, counts), ...bundled(parameters, counts)];
  return views.includes('decoded') ? found.map((interest) => ({ ...interest, decoded: 'words' })) : found;
}

type Accepts = NonNullable<Interest['accepts']>;

/** Terms of the list, each where the automaton finds how it begins. */
function listed({ list, match, views }: TermsParameters, accepts: Accepts | undefined): Interest[] {
  const word = match === 'word';
  const own = views.filter((view): view is View => (VIEWS as readonly string[]).includes(view));
  return list.flatMap((term) =>
    own.flatMap((view) => {
      const text = termIn(term, view);
      if (text === '') return [];
      const probe = (): TermProbe => {
        const loose = view === 'folded';
        return {
          kind: 'term',
          label: 'terms',
          views: [view],
          text,
          mixed: loose ? mixedForm(text) : undefined,
          loose,
          word,
        };
      };
      return [{ key: `term:${view}:${match}:${text}`, probe, ...(accepts ? { accepts } : {}) }];
    }),
  );
}

const isDisguise = (view: string): boolean => view !== 'folded' && (READINGS as readonly string[]).includes(view);

/** Bits of the readings that `views` name. */
const readingsIn = (views: readonly string[]): number =>
  READINGS.reduce((bits, reading) => (views.includes(reading) ? bits | readingBit(reading) : bits), 0);

/** `label`: what the evidence says of a term. The probe is asked for readings: by id of a term, bits. */
function sweepFor(lexicon: TermLexicon, label?: (id: number) => string): SweepProbe {
  const sweep = createSweep(lexicon);
  const findOf = ({ start, end, reading, term: { id } }: SweepFind): Find => {
    const find: Find = { start, end, score: 1, view: reading, term: id };
    if (label) find.label = label(id);
    return find;
  };
  return {
    kind: 'sweep',
    label: 'terms',
    views: ['folded'],
    lookFor(asked) {
      const all = together(asked as readonly Uint8Array[]);
      return (text, take, steps, inBytes) => sweep(text, (find) => take(findOf(find)), { terms: all, steps, inBytes });
    },
  };
}

const together = (asked: readonly Uint8Array[]): Uint8Array =>
  Uint8Array.from(asked[0] ?? [], (_, term) => asked.reduce((bits, one) => bits | one[term]!, 0));

/** Terms of the list that are words of Latin letters, where the views of disguises are asked for. */
function disguised({ list, match, views }: TermsParameters, counts: Accepts): Interest[] {
  const plain = views.some(isDisguise) ? [...new Set(list.map(foldTerm))].filter(isPlainTerm) : [];
  if (plain.length === 0) return [];
  const asked = new Uint8Array(plain.length).fill(readingsIn(views.filter(isDisguise)));
  return [
    {
      key: `sweep:${match}:${plain.join(',')}`,
      probe: () => {
        const form = match === 'word' ? 'whole' : 'within';
        return sweepFor(buildLexicon({ terms: plain.map((text, id) => ({ id, text, form })) }));
      },
      asked,
      accepts: (find, text, place) => isAsked(asked, find) && counts(find, text, place),
    },
  ];
}

/** All bundles are one probe: each detector accepts what it asks for. */
function bundled({ bundle, views, severity }: TermsParameters, counts: Accepts): Interest[] {
  if (bundle.length === 0) return [];
  const { terms: known } = loadBundles();
  const least = SEVERITIES.indexOf(severity);
  const readings = readingsIn(views);
  const asked = Uint8Array.from(known, (term) =>
    bundle.includes(term.bundle) && SEVERITIES.indexOf(term.severity) >= least ? readings : 0,
  );
  return [
    {
      key: 'bundles',
      probe: () => sweepFor(loadBundles().lexicon, (id) => `terms:${known[id]!.bundle}`),
      asked,
      accepts: (find, text, place) =>
        isAsked(asked, find) && counts(find, text, place) && isMeant(find, known[find.term!]!, place),
    },
  ];
}

const isAsked = (asked: Uint8Array, { term, view }: Find): boolean =>
  (asked[term!]! & readingBit(view as TermReading)) !== 0;

/** Disguises have no bound: letters may be repeated as often as one likes. */
function reach({ list, bundle, views }: TermsParameters): number {
  if (bundle.length > 0 || views.some(isDisguise)) return Number.POSITIVE_INFINITY;
  let longest = 0;
  for (const term of list) longest = Math.max(longest, term.length + term.split(' ').length * MAX_SPACES);
  return longest;
}

/** Letters beside a term that tell whether it is a word of its own: particles, and what is segmented with it. */
const BESIDE = 20;
/** Characters behind a term of a bundle that tell whether it is meant: the rest of its sentence, and where a bracket closes. */
const BEHIND_BUNDLE = 200;
/** Letters of the longest term of a bundle, each of which may be written as two. */
const LONGEST_OF_BUNDLE = 2 * 40;

function open({ list, bundle, views, allow }: TermsParameters): OpenFrom {
  const longestOf = (texts: readonly string[]): number => texts.reduce((most, text) => Math.max(most, text.length), 0);
  const letters = 2 * longestOf(list) + 2 * longestOf(allow) + BESIDE;
  const most = bundle.length > 0 ? Math.max(letters, LONGEST_OF_BUNDLE) : letters;
  const encoded = views.includes('decoded');
  return (text) => {
    const behind = bundle.length > 0 ? lastShown(text, BEHIND_BUNDLE) : text.length;
    const from = lastLetters(text.slice(0, behind), most);
    return encoded ? encodedFrom(text, from) : from;
  };
}
