/** A team with a key for each way in which content may be judged, or not. */
import { createKey, hashKey } from '#weir/shared/configuration/api-keys';

export interface DialectKeys {
  /** its policies have no map */
  open: string;
  /** its policies are mapped to categories */
  mapped: string;
  /** its backend is not there */
  dead: string;
  /** its backend does not answer */
  slow: string;
  /** the same, for gateways: a backend is not called any more after five calls that took a second */
  silent: string;
  /** its policy redacts */
  masking: string;
}

export const KEYS: DialectKeys = {
  open: createKey(),
  mapped: createKey(),
  dead: createKey(),
  slow: createKey(),
  silent: createKey(),
  masking: createKey(),
};

const id = (n: number): string => `dddddddd-0000-4000-8000-00000000000${n}`;
const policy = (n: number, name: string, detect: string, rest = ''): string =>
  `- {id: ${id(n)}, team: acme, name: ${name}, detect: ${detect}${rest}}`;
const deployment = (name: string, policies: readonly number[], rest = ''): string =>
  `- {id: ${name}, team: acme, name: ${name}, policies: [${policies.map(id).join(', ')}]${rest}}`;
const asked = (backend: string): string =>
  `{llm: {backend: ${backend}, flagged_content: advice, allowed_content: the rest}}`;

/** `slow`: port of a server that takes connections and answers nothing. */
export const dialectConfiguration = (slow: number): string => `version: 1
teams: [{id: acme}]
keys:
${Object.entries(KEYS)
  .map(
    ([name, key]) =>
      `- {id: ${name}, team: acme, sha256: ${hashKey(key)}, deployments: [${name}], default_deployment: ${name}, scopes: [check, read, risk]}`,
  )
  .join('\n')}
backends:
- {id: dead, team: acme, url: "http://127.0.0.1:9/v1", model: m, timeout_ms: 500}
- {id: slow, team: acme, url: "http://127.0.0.1:${slow}/v1", model: m}
- {id: silent, team: acme, url: "http://127.0.0.1:${slow}/v1", model: m}
policies:
${policy(1, 'Hateful words', '{classifier: {label: hate}}')}
${policy(2, 'Payment data', '{pii: {entities: [CREDIT_CARD]}}')}
${policy(3, 'Images', '{image_properties: {kinds: [png]}}')}
${policy(4, 'Dead', asked('dead'))}
${policy(5, 'Slow', asked('slow'))}
${policy(7, 'Silent', asked('silent'))}
${policy(6, 'Mail', '{pii: {entities: [EMAIL_ADDRESS]}}', ', action: redact')}
deployments:
${deployment('open', [1, 2, 3])}
${deployment('mapped', [1, 2], `, moderations: {harassment: ${id(1)}, illicit: [${id(2)}]}`)}
${deployment('dead', [4])}
${deployment('slow', [5])}
${deployment('silent', [7])}
${deployment('masking', [2, 6])}
`;
