/** What a rule of the detector is, and short ways to write one. */
import type { Find } from '../../engine/probes/probe.js';

export const RULE_GROUPS = ['providers', 'private-keys', 'places', 'generic'] as const;
export type RuleGroup = (typeof RULE_GROUPS)[number];

interface Rule {
  /** what policies and evidence call it */
  name: string;
  /** whose credential it is; for rules of no provider, a dash */
  provider: string;
  /** completes "finds" */
  what: string;
  group: RuleGroup;
  /** how sure a find is, 0 to 1 */
  score: number;
}

/** A credential that is told by its form, wherever it stands. */
export interface TokenRule extends Rule {
  kind: 'token';
  /** in their exact case; the credential starts with one of them, or has it up to `before` characters from its start */
  literals: readonly string[];
  /** source of a sticky pattern; group 1, where there is one, is the credential; its repetitions have a bound */
  pattern: string;
  /** the credential may start up to this many characters of `[A-Za-z0-9_-]` and `extra` before the literal */
  before?: number;
  extra?: string;
  /** a hyphen may be part of the credential, so it does not start after one */
  dashed?: boolean;
  /** least entropy, bits a character; placeholders such as xxxx have none */
  entropy: number;
  /** what is behind the literal has a digit, and is made of no words: an identifier may have such a form, too */
  random?: boolean;
  /** what else must hold of the credential */
  check?(secret: string): boolean;
}

/** A credential without a form of its own: a value of this form, whose name has the name of the provider in it or near it. */
export interface NamedRule extends Rule {
  kind: 'named';
  /** in lower case, without separators */
  words: readonly string[];
  /** source of a pattern that the whole value matches */
  pattern: string;
  entropy: number;
}

/** A credential that is told by the place where it stands. */
export interface PlaceRule extends Rule {
  kind: 'place';
  /** in their exact case, or in lower case with `anyCase` */
  literals: readonly string[];
  /** literals lead to the look in any case, and the look sees what stands there */
  anyCase?: boolean;
  /** what is behind, around or before the literal at `at` */
  look(text: string, at: number): Find | readonly Find[] | undefined;
}

/** A value with a name, or in quotes, that is told by the name and by how random it is. `generic.ts` has the look. */
export interface ValueRule extends Rule {
  kind: 'value';
}

export type SecretRule = TokenRule | NamedRule | PlaceRule | ValueRule;

type Optional<T, K extends keyof T> = Partial<Pick<T, K>>;

/** Named, provider, what it finds, literals, pattern. */
export function token(
  [name, provider, what]: readonly [string, string, string],
  literals: readonly string[],
  pattern: string,
  more: Optional<TokenRule, 'before' | 'extra' | 'dashed' | 'random' | 'entropy' | 'check' | 'score' | 'group'> = {},
): TokenRule {
  return {
    kind: 'token',
    name,
    provider,
    what,
    literals,
    pattern,
    group: 'providers',
    score: 0.9,
    entropy: 2.5,
    ...more,
  };
}

/** Named, provider, what it finds, words of the name, pattern of the value. */
export function named(
  [name, provider, what]: readonly [string, string, string],
  words: readonly string[],
  pattern: string,
  more: Optional<NamedRule, 'entropy' | 'score'> = {},
): NamedRule {
  return { kind: 'named', name, provider, what, words, pattern, group: 'providers', score: 0.8, entropy: 2.7, ...more };
}

/** Classes that many credentials are made of. */
const HEX = '[0-9a-f]';
export const BASE64 = '[A-Za-z0-9+/]';
export const CLASSES: Readonly<Record<string, string>> = {
  HEX,
  ALNUM: '[A-Za-z0-9]',
  LOWER: '[a-z0-9]',
  UPPER: '[A-Z0-9]',
  WORD: '[A-Za-z0-9_-]',
  BASE64,
  UUID: `${HEX}{8}-${HEX}{4}-${HEX}{4}-${HEX}{4}-${HEX}{12}`,
};
