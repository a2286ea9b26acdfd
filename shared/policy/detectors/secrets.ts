/** Credentials: keys of providers, private keys and tokens, except those that a policy allows. */
import { type Cursor, choiceOf, isAbsent, listOf } from '../../configuration/fields.js';
import { compilePattern } from '../engine/probes/pattern.js';
import type { Find, Interest, PlaceProbe } from '../engine/probes/probe.js';
import type { Detector } from './detector.js';
import { CONTEXT_HELP, parametersAt, readContext, readPatterns } from './parameters.js';
import { SECRET_RULE_NAMES, SECRET_RULES, type SecretRule } from './secrets/rules.js';

export interface SecretsParameters {
  /** names of rules, or `all` */
  rules: string[];
  /** patterns; a secret that one of them matches is no find */
  allow: string[];
  context: number;
}

export const secrets: Detector<SecretsParameters> = {
  help: 'keys of well-known providers, private keys, JWTs',
  parameters: {
    rules: 'all, or names such as github-token [all]',
    allow: 'patterns of secrets to let pass [none]',
    context: CONTEXT_HELP,
  },
  read,
  text: { interests },
};

function read(cursor: Cursor): SecretsParameters | undefined {
  const fields = parametersAt(isAbsent(cursor) ? { ...cursor, value: {} } : cursor, secrets);
  if (!fields) return undefined;
  const known = ['all', ...SECRET_RULE_NAMES];
  const given = fields.get('rules');
  const rules = given.value === 'all' ? ['all'] : listOf(given, known.length, (item) => choiceOf(item, known));
  return {
    rules: rules.length === 0 || rules.includes('all') ? ['all'] : [...new Set(rules)],
    allow: readPatterns(fields.get('allow'), ''),
    context: readContext(fields),
  };
}

function interests({ rules, allow }: SecretsParameters): Interest[] {
  const allowed = allow.map((pattern) => compilePattern(pattern, ''));
  const accepts = (find: Find, text: string): boolean => {
    const secret = text.slice(find.start, find.end);
    return !allowed.some((pattern) => pattern.test(secret));
  };
  return SECRET_RULES.filter(({ name }) => rules.includes('all') || rules.includes(name)).map((rule) => ({
    key: `secret:${rule.name}`,
    probe: () => probeOf(rule),
    ...(allowed.length > 0 ? { accepts } : {}),
  }));
}

function probeOf(rule: SecretRule): PlaceProbe {
  return {
    kind: 'place',
    label: `secrets:${rule.name}`,
    views: ['raw', 'nfkc'],
    literals: rule.literals,
    look: (text, at) => findSecret(rule, text, at),
  };
}

const HYPHEN = 45;

function isTokenUnit(unit: number): boolean {
  const lower = unit | 32;
  return (unit >= 48 && unit <= 57) || (lower >= 97 && lower <= 122) || unit === 95;
}

/** The credential of `rule` whose literal is at `at`. */
export function findSecret(rule: SecretRule, text: string, at: number): Find | undefined {
  if (!rule.keyword && !rule.literals.some((literal) => text.startsWith(literal, at))) return undefined;
  const { pattern } = rule;
  const earliest = rule.before === undefined ? at : startOfToken(text, at, rule.before);
  // A credential within a longer word is part of something else. A keyword may be part of a longer word.
  const outside = text.charCodeAt(earliest - 1);
  if (!rule.keyword && (isTokenUnit(outside) || (rule.dashed && outside === HYPHEN))) return undefined;
  pattern.lastIndex = earliest;
  const match = pattern.exec(text);
  if (!match) return undefined;
  const secret = match[1] ?? match[0];
  const start = earliest + match[0].lastIndexOf(secret);
  if (rule.entropy !== undefined && entropyOf(secret) < rule.entropy) return undefined;
  if (rule.check && !rule.check(secret)) return undefined;
  return { start, end: start + secret.length, score: 1 };
}

/** Where the token that holds the literal starts, at most `most` characters before it. */
function startOfToken(text: string, at: number, most: number): number {
  let start = at;
  while (at - start < most) {
    const unit = text.charCodeAt(start - 1);
    if (!isTokenUnit(unit) && unit !== HYPHEN) break;
    start--;
  }
  return start;
}

/** Shannon entropy, bits a character. */
export function entropyOf(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}
