/**
 * The configuration that the contract is tested with: two teams, and a policy for each rule of selection. Ids recur on
 * purpose: both teams have an environment `prod` and a deployment `chat`, and `support` is an environment and a deployment.
 */
import { createKey, hashKey } from '#weir/shared/configuration/api-keys';

export const POLICY = {
  card: 'aaaaaaaa-0000-4000-8000-000000000001',
  mail: 'aaaaaaaa-0000-4000-8000-000000000002',
  sesame: 'aaaaaaaa-0000-4000-8000-000000000003',
  toolOutput: 'aaaaaaaa-0000-4000-8000-000000000004',
  agentState: 'aaaaaaaa-0000-4000-8000-000000000005',
  cheap: 'aaaaaaaa-0000-4000-8000-000000000006',
  split: 'aaaaaaaa-0000-4000-8000-000000000007',
  image: 'aaaaaaaa-0000-4000-8000-000000000008',
  unused: 'aaaaaaaa-0000-4000-8000-000000000009',
  globex: 'bbbbbbbb-0000-4000-8000-000000000001',
} as const;

/** Chosen everywhere, and computed after a check. */
export const METRIC = 'cccccccc-0000-4000-8000-000000000001';
/** Chosen by the condition `free` alone. */
const TIER = 'cccccccc-0000-4000-8000-000000000002';

/** A number that passes the checksum of payment cards, of no bank. */
export const CARD = '4111 1111 1111 1111';

export const KEY = {
  acme: createKey(),
  /** of the same team, granted less */
  narrow: createKey(),
  globex: createKey(),
  /** dropped by a later configuration */
  spare: createKey(),
  /** expires by a later configuration */
  lapsing: createKey(),
  /** spans teams */
  operator: createKey(),
};

export interface ConfigurationChange {
  /** words of the policy `sesame` */
  sesame?: string;
  /** without it, the key `spare` is not there */
  spare?: boolean;
  /** RFC 3339 */
  lapses?: string;
}

const policy = (id: string, name: string, rest: string): string => `- {id: ${id}, team: acme, name: ${name}, ${rest}}`;

/** As YAML. */
export function configuration({ sesame = 'open sesame', spare = true, lapses }: ConfigurationChange = {}): string {
  const grants = 'deployments: [chat, support], default_deployment: chat, environments: [prod, staging, support]';
  const all = 'scopes: [check, read, risk]';
  return `version: 1
teams:
- {id: acme}
- {id: globex, tags: [user.tier]}
keys:
- {id: acme, team: acme, sha256: ${hashKey(KEY.acme)}, ${grants}, scopes: [check, read, risk, content, review, erase, try, configure, audit]}
- {id: narrow, team: acme, sha256: ${hashKey(KEY.narrow)}, deployments: [support], environments: [staging], ${all}}
- {id: globex, team: globex, sha256: ${hashKey(KEY.globex)}, deployments: [chat], default_deployment: chat, environments: [prod], scopes: [check, read, risk, review, audit]}
${spare ? `- {id: spare, team: acme, sha256: ${hashKey(KEY.spare)}, ${grants}, ${all}}` : ''}
- {id: lapsing, team: acme, sha256: ${hashKey(KEY.lapsing)}, ${grants}, ${all}${lapses ? `, expires_at: "${lapses}"` : ''}}
- {id: operator, sha256: ${hashKey(KEY.operator)}, scopes: [operate]}
policies:
${policy(POLICY.card, 'Cards', 'severity: high, detect: {pii: {entities: [CREDIT_CARD]}}')}
${policy(POLICY.mail, 'Mail in answers', 'direction: output, events: [message], detect: {pii: {entities: [EMAIL_ADDRESS]}}')}
${policy(POLICY.sesame, 'Sesame', `direction: input, detect: {terms: {list: ["${sesame}"]}}`)}
${policy(POLICY.toolOutput, 'Tool output', 'severity: low, events: [tool.output], detect: {terms: {list: [hush hush]}}')}
${policy(POLICY.agentState, 'Agent state', 'events: [agent.state], detect: {terms: {list: [hush hush]}}')}
${policy(POLICY.cheap, 'Cheap', 'severity: low, detect: {terms: {list: [for nothing]}}')}
${policy(POLICY.split, 'Split', 'detect: {terms: {list: [purple elephants dance], context: 2}}')}
${policy(POLICY.image, 'Images', 'sources: [image], detect: {terms: {list: [open sesame]}}')}
${policy(POLICY.unused, 'Unused', 'detect: {terms: {list: [open sesame]}}')}
- {id: ${POLICY.globex}, team: globex, name: Globex, detect: {terms: {list: [open sesame]}}}
metrics:
- {id: ${METRIC}, team: acme, name: Tokens of metrics, kind: tokens}
- {id: ${TIER}, team: acme, name: Tier of metrics, kind: expression, value: metadata.user.tier}
deployments:
- {id: chat, team: acme, name: Chat, policies: [${POLICY.card}, ${POLICY.mail}, ${POLICY.sesame}, ${POLICY.image}], metrics: [${METRIC}]}
- {id: support, team: acme, name: Support, policies: [${POLICY.card}, ${POLICY.split}]}
- {id: chat, team: globex, name: Chat, policies: [${POLICY.globex}]}
environments:
- id: prod
  team: acme
  conditions:
  - {id: all, name: Everything, when: "true", policies: [${POLICY.card}, ${POLICY.mail}, ${POLICY.sesame}, ${POLICY.toolOutput}, ${POLICY.agentState}, ${POLICY.image}], metrics: [${METRIC}]}
  - {id: free, name: Free tier, when: 'metadata.user.tier in ["free", "trial"]', policies: [${POLICY.cheap}, ${POLICY.card}], metrics: [${METRIC}, ${TIER}]}
  - {id: off, name: Off, active: false, when: "true", policies: [${POLICY.unused}]}
- id: staging
  team: acme
  conditions:
  - {id: tools, name: Tools, when: 'event.type == "tool"', policies: [${POLICY.card}]}
  - {id: search, name: Search, when: 'event.name == "search"', policies: [${POLICY.cheap}]}
  - {id: asks, name: Asks, when: 'event.role == "user" && metadata.level > 3', policies: [${POLICY.sesame}]}
- id: support
  team: acme
  conditions:
  - {id: all, name: Everything, when: "true", policies: [${POLICY.split}]}
- id: prod
  team: globex
  conditions:
  - {id: all, name: Everything, when: "true", policies: [${POLICY.globex}]}
`;
}
