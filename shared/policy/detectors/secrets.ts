/** Credentials: keys of providers, private keys, tokens and passwords, except those that a policy allows. */
import { type Cursor, choiceOf, isAbsent, listOrWord } from '../../configuration/read/fields.js';
import { encodedFrom, lastShown } from '../engine/open.js';
import { compilePattern } from '../engine/probes/pattern.js';
import type { Find, Interest, PlaceLook, PlaceProbe } from '../engine/probes/probe.js';
import type { Detector } from './detector.js';
import { CONTEXT_HELP, parametersAt, readContext, readPatterns, readThreshold } from './parameters.js';
import { finderOf } from './secrets/finder.js';
import { rulesOf, SECRET_CHOICES } from './secrets/rules.js';

export interface SecretsParameters {
  /** names of rules and groups, or `all` */
  rules: string[];
  /** patterns; a secret that one of them matches is no find */
  allow: string[];
  /** lowest score, 0 to 1, at which a find counts */
  threshold: number;
  context: number;
}

export const secrets: Detector<SecretsParameters> = {
  help: 'keys of providers, private keys, tokens, passwords',
  parameters: {
    rules: 'all, groups (providers, private-keys, places, generic), or names such as github-token [all]',
    allow: 'patterns of secrets to let pass [none]',
    threshold: 'least score, 0 to 1 [0.5]',
    context: CONTEXT_HELP,
  },
  read,
  text: { interests, open: () => openSecret, mark: () => 'SECRET' },
};

function read(cursor: Cursor): SecretsParameters | undefined {
  const fields = parametersAt(isAbsent(cursor) ? { ...cursor, value: {} } : cursor, secrets);
  if (!fields) return undefined;
  const given = fields.get('rules');
  const rules = listOrWord(given, 'all', SECRET_CHOICES.length, (item) => choiceOf(item, SECRET_CHOICES)) ?? ['all'];
  return {
    rules: rules.length === 0 || rules.includes('all') ? ['all'] : [...new Set(rules)],
    allow: readPatterns(fields.get('allow'), ''),
    threshold: readThreshold(fields.get('threshold')),
    context: readContext(fields),
  };
}

/** A probe a literal. Policies with the same rules share them. */
function interests({ rules, allow, threshold }: SecretsParameters): Interest[] {
  const allowed = allow.map((pattern) => compilePattern(pattern, ''));
  const accepts = (find: Find, text: string): boolean => {
    if (find.score < threshold) return false;
    if (allowed.length === 0) return true;
    const secret = text.slice(find.start, find.end);
    return !allowed.some((pattern) => pattern.test(secret));
  };
  const choice = [...rules].sort().join();
  return [...finderOf(rulesOf(rules)).looks].map(([literal, look]) => ({
    key: `secret:${choice}:${literal}`,
    probe: () => probeOf(literal, look),
    accepts,
    decoded: DECODED,
  }));
}

/** Keys have digits when they are encoded. */
const DECODED = 'numbers' as const;
const VIEWS = ['raw', 'nfkc'] as const;
function probeOf(literal: string, look: PlaceLook): PlaceProbe {
  return { kind: 'place', label: 'secrets', views: VIEWS, literals: [literal], look };
}

/** Characters from the beginning of a value to all that decides whether it is one. */
const REACH = 400;
/** What a private key and the data of a manifest begin with, so far before the end of a text at most. */
const [KEY_REACH, KEY_BEGINS] = [24 * 1024, /-----BEGIN (?![\s\S]*-----END )/] as const;

function openSecret(text: string): number {
  const open = encodedFrom(text, lastShown(text, REACH));
  const from = Math.max(0, text.length - KEY_REACH);
  const begun = KEY_BEGINS.exec(text.slice(from));
  return begun ? Math.min(open, from + begun.index) : open;
}
