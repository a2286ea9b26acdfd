/** All rules, their names and their groups. */

import { CALL_RULES } from './calls.js';
import { CODES } from './codes.js';
import { COMMAND_LINES } from './command-lines.js';
import { SPOKEN } from './finder.js';
import { GENERIC } from './generic.js';
import { LOGINS } from './logins.js';
import { KUBERNETES } from './manifests.js';
import { PHRASES } from './phrases.js';
import { AZURE_STORAGE, PLACES } from './places.js';
import { PREFIXED } from './prefixed.js';
import { PRIVATE_KEYS } from './private-keys.js';
import { PROVIDERS } from './providers.js';
import { RULE_GROUPS, type SecretRule } from './rule.js';
import { SERVICES } from './services.js';
import { SYSTEMS } from './systems.js';

export const SECRET_RULES: readonly SecretRule[] = [
  ...PROVIDERS,
  SERVICES,
  ...PRIVATE_KEYS,
  ...PLACES,
  ...COMMAND_LINES,
  ...SYSTEMS,
  ...CALL_RULES,
  ...LOGINS,
  ...CODES,
  ...PHRASES,
  KUBERNETES,
  AZURE_STORAGE,
  SPOKEN,
  PREFIXED,
  ...GENERIC,
];

export const SECRET_RULE_NAMES: readonly string[] = SECRET_RULES.map(({ name }) => name);

/** What a policy may name: all rules, a group, or a rule. */
export const SECRET_CHOICES: readonly string[] = ['all', ...RULE_GROUPS, ...SECRET_RULE_NAMES];

/** The rules that `choices` name. */
export function rulesOf(choices: readonly string[]): SecretRule[] {
  const chosen = new Set(choices);
  return SECRET_RULES.filter(({ name, group }) => chosen.has('all') || chosen.has(group) || chosen.has(name));
}
