/**
 * Lists of English words that ship with Weir, by category and severity. Each line of a list is a root: spellings, endings and compounds
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

export interface BundleTerm {
  bundle: BundleName;
  severity: Severity;
  /** as it is listed */
  root: string;
  form: TermForm;
}

const listed = (name: string): string[] => dataLines(`policy/detectors/terms/bundles/${name}`);
const wordsOf = (line: string): string[] => line.split(',').map((each) => each.trim());

/** All roots, in the order of the lists. A line such as `[high whole]` says severity and form of those below. */
export const bundleTerms = (): BundleTerm[] => BUNDLE_NAMES.flatMap(termsOf);

function termsOf(bundle: BundleName): BundleTerm[] {
  const terms: BundleTerm[] = [];
  let heading: Pick<BundleTerm, 'severity' | 'form'> | undefined;
  for (const line of listed(bundle)) {
    if (line.startsWith('[')) {
      const [told, as] = line.slice(1, -1).split(' ');
      const [severity, form] = [SEVERITIES.find((each) => each === told), FORMS.find((each) => each === as)];
      if (severity === undefined || form === undefined)
        throw new Error(`${bundle}.txt: expected a severity and a form in ${line}`);
      heading = { severity, form };
    } else if (heading) terms.push(...wordsOf(line).map((root) => ({ bundle, root, ...heading! })));
  }
  return terms;
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
function lexiconTerm({ root, form }: BundleTerm, id: number, own: readonly string[]): LexiconTerm {
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
