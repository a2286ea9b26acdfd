/**
 * Lists of English words that ship with Weir, by category and severity. Each line of a list is a root: spellings, endings and compounds
 * are made when the lists are first used, once a process.
 */

import {
  buildLexicon,
  FORMS,
  type LexiconTerm,
  type TermForm,
  type TermLexicon,
} from '../../engine/probes/terms/lexicon.js';
import type { PolicySeverity } from '../../types.js';
import { ALLOWED } from './bundles/allowed.js';
import { drugs } from './bundles/drugs.js';
import { insults } from './bundles/insults.js';
import { profanity } from './bundles/profanity.js';
import { selfHarm } from './bundles/self-harm.js';
import { sexual } from './bundles/sexual.js';
import { slurs } from './bundles/slurs.js';
import { SPELLED } from './bundles/spelled.js';
import { violence } from './bundles/violence.js';
import { weapons } from './bundles/weapons.js';
import type { BundleWords } from './bundles/words.js';
import { ENDINGS, PARTS, spellingsOf } from './spelling.js';

const BUNDLES = {
  profanity,
  slurs,
  sexual,
  violence,
  self_harm: selfHarm,
  drugs,
  insults,
  weapons,
} satisfies Record<string, BundleWords>;

export type BundleName = keyof typeof BUNDLES;
export const BUNDLE_NAMES = Object.keys(BUNDLES) as BundleName[];
export const SEVERITIES = ['low', 'medium', 'high'] as const satisfies readonly PolicySeverity[];

export interface BundleTerm {
  bundle: BundleName;
  severity: PolicySeverity;
  /** as it is listed */
  root: string;
  form: TermForm;
}

/** All roots, in the order of the lists. */
export function bundleTerms(): BundleTerm[] {
  return BUNDLE_NAMES.flatMap((bundle) => {
    const words: BundleWords = BUNDLES[bundle];
    return SEVERITIES.flatMap((severity) =>
      FORMS.flatMap((form) =>
        (words[severity]?.[form] ?? '')
          .split(',')
          .map((root) => root.trim())
          .filter((root) => root !== '')
          .map((root) => ({ bundle, severity, root, form })),
      ),
    );
  });
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
  const lexicon = buildLexicon({
    terms: terms.map(lexiconTerm),
    endings: ENDINGS,
    parts: PARTS,
    allowed: [...new Set(ALLOWED.split(/[,\n]/).map((each) => each.trim()))].filter((each) => each !== ''),
  });
  return { lexicon, terms };
}

function lexiconTerm({ root, form }: BundleTerm, id: number): LexiconTerm {
  const own = (SPELLED[root] ?? '').split(' ').filter((each) => each !== '');
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
