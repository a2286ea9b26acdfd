/**
 * Lists of words that ship with Weir, by category and severity. Each line of a list is a root: spellings, endings and compounds
 * are made when the lists are first used, once a process.
 */

import { SEVERITIES, type Severity } from '../../../api/types.js';
import { dataLines } from '../../../data-file.js';
import {
  buildLexicon,
  FORMS,
  type LexiconTerm,
  type TermForm,
  type TermLexicon,
} from '../../engine/probes/terms/lexicon.js';
import { inTrie } from '../../engine/probes/terms/units.js';
import { foldTerm } from '../../engine/views/normalise.js';
import { ENDINGS, PARTS, spellingsOf } from './spelling.js';

export const BUNDLE_NAMES = [
  'profanity',
  'slurs',
  'sexual',
  'violence',
  'self_harm',
  'drugs',
  'insults',
  'weapons',
] as const;
export type BundleName = (typeof BUNDLE_NAMES)[number];

/** Languages beside English, by code. Each has one list for all bundles. */
export const LANGUAGES = ['de', 'fr', 'es', 'pt', 'it', 'ru', 'pl', 'tr', 'id', 'nl'] as const;
export type LanguageCode = 'en' | (typeof LANGUAGES)[number];

export interface BundleTerm {
  bundle: BundleName;
  severity: Severity;
  /** as it is listed, folded, in letters of tries */
  root: string;
  form: TermForm;
  language: LanguageCode;
  /** It counts only in a sentence of its language. */
  own: boolean;
  /** It has some that folding takes. Where they are needed, it counts without them only in a sentence of its language, or never. */
  marks: 'none' | 'some' | 'needed' | 'always';
  /** it with its endings */
  inflected: readonly string[];
}

const listed = (name: string): string[] => dataLines(`policy/detectors/terms/bundles/${name}`);
const wordsOf = (line: string): string[] => line.split(',').map((each) => each.trim());

/**
 * All roots, in the order of the lists. A line such as `[high whole]` says severity and form of those below; in a list of another language
 * it names the bundle, too, and `own` where they count only in that language.
 */
export const bundleTerms = (): BundleTerm[] => [
  ...BUNDLE_NAMES.flatMap((bundle) => termsOf(bundle, 'en', bundle)),
  ...LANGUAGES.flatMap((language) => termsOf(`language_${language}`, language)),
];

type Heading = Pick<BundleTerm, 'severity' | 'form' | 'bundle' | 'language' | 'own'>;

function termsOf(file: string, language: LanguageCode, only?: BundleName): BundleTerm[] {
  const terms: BundleTerm[] = [];
  let heading: Heading | undefined;
  for (const line of listed(file)) {
    if (line.startsWith('[')) heading = headingOf(file, line, language, only);
    else if (heading) for (const word of wordsOf(line)) terms.push(termOf(word, heading));
  }
  return terms;
}

function headingOf(file: string, line: string, language: LanguageCode, only?: BundleName): Heading {
  const [told, as, named, own] = line.slice(1, -1).split(' ');
  const severity = SEVERITIES.find((each) => each === told);
  const form = FORMS.find((each) => each === as);
  const bundle = only ?? BUNDLE_NAMES.find((each) => each === named);
  if (severity && form && bundle) return { severity, form, bundle, language, own: own === 'own' };
  throw new Error(`${file}.txt: expected a severity, a form and a bundle in ${line}`);
}

/** Shorter than this, a word without its marks may be any; the shortest are everyday words of English, such as got. */
const SHORT = 7;
const SHORTEST = 4;

/** A root, in which one word may have endings, each behind a stroke. Each `-` takes a letter away before. */
const LISTED = /^([^/]+)((?:\/[^/ ]*)*)( .*)?$/;

function termOf(word: string, heading: Heading): BundleTerm {
  const [, first = word, strokes = '', rest = ''] = LISTED.exec(word) ?? [];
  const forms = ['', ...strokes.split('/').slice(1)].map((ending) => withEnding(first, ending) + rest);
  const [root = '', ...inflected] = forms.map((form) => inTrie(foldTerm(form)));
  const isMarked = (form: string): boolean => heading.language !== 'ru' && foldTerm(form) !== form;
  const needsMarks = isMarked(first + rest) && root.length < SHORT;
  const marks = needsMarks ? (root.length < SHORTEST ? 'always' : 'needed') : forms.some(isMarked) ? 'some' : 'none';
  return { ...heading, root, marks, inflected };
}

function withEnding(root: string, ending: string): string {
  const taken = ending.lastIndexOf('-') + 1;
  return root.slice(0, root.length - taken) + ending.slice(taken);
}

export interface Bundles {
  lexicon: TermLexicon;
  /** by id of a term of the lexicon */
  terms: readonly BundleTerm[];
}

let known: Bundles | undefined;

/** All bundles as one lexicon, so that a text is swept once, whichever bundles its policies name. */
export function loadBundles(): Bundles {
  known ??= makeBundles();
  return known;
}

function makeBundles(): Bundles {
  const terms = bundleTerms();
  const spelled = new Map(listed('spelled').map((line) => line.split(': ') as [root: string, spellings: string]));
  const lexicon = buildLexicon({
    terms: terms.map((term, id) => lexiconTerm(term, id, spelled.get(term.root)?.split(' ') ?? [])),
    endings: ENDINGS,
    parts: PARTS,
    allowed: listed('allowed').flatMap(wordsOf),
  });
  return { lexicon, terms };
}

/** `own`: spellings that are listed */
function lexiconTerm({ root, form, language, inflected }: BundleTerm, id: number, own: readonly string[]): LexiconTerm {
  if (language !== 'en') return { id, text: root, form, spellings: inflected };
  const made = form === 'whole' ? [] : spellingsOf(root, own.length > 0);
  return {
    id,
    text: root,
    form,
    spellings: [...own, ...made, ...shortened(root, form), ...inflectedPhrase(root, form)],
  };
}

/** The verb of a phrase such as "jerk off", with its endings. */
function inflectedPhrase(root: string, form: TermForm): string[] {
  const [, verb, rest] = /^([a-z]+)( (?:off|up))$/.exec(root) ?? [];
  if (verb === undefined || form === 'whole') return [];
  return ['s', 'ed', 'ing', 'in'].map((ending) => verb + ending + rest);
}

/** A final e that vanishes before an ending: raping, whored. */
function shortened(root: string, form: TermForm): string[] {
  if (form === 'whole' || form === 'within' || !/[^aeiou]e$/.test(root)) return [];
  return ['ing', 'in', 'er', 'ers', 'ed', 'ist'].map((ending) => root.slice(0, -1) + ending);
}
