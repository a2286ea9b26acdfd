/** Who asks, in the matrix of routes and keys: each kind of key once, and the configuration that makes them so. */
import { createKey, DEMO_KEY, DEMO_KEY_SHA256, hashKey } from '#weir/shared/configuration/api-keys';

export type Scope =
  | 'check'
  | 'read'
  | 'risk'
  | 'content'
  | 'review'
  | 'erase'
  | 'try'
  | 'configure'
  | 'audit'
  | 'operate';

/** What a key is, as the rules see it; undefined where there is no key at all. */
export interface Granted {
  /** team of what is asked for */
  own: boolean;
  scopes: readonly Scope[];
  /** granted the deployment and the environment that are asked for */
  granted: boolean;
  /** its team has a deployment and an environment of the same names */
  sameNames: boolean;
  /** has a default deployment */
  standing: boolean;
}

export interface Caller {
  name: string;
  /** values of `Authorization`, one header each */
  headers: string[];
  is: Granted | 'missing' | 'invalid';
}

const ALL: readonly Scope[] = ['check', 'read', 'risk', 'content', 'review', 'erase', 'try', 'configure', 'audit'];
const KEYS = {
  full: createKey(),
  bare: createKey(),
  noCheck: createKey(),
  noRead: createKey(),
  noRisk: createKey(),
  noContent: createKey(),
  noReview: createKey(),
  noErase: createKey(),
  noTry: createKey(),
  noConfigure: createKey(),
  noAudit: createKey(),
  nothing: createKey(),
  elsewhere: createKey(),
  twin: createKey(),
  stranger: createKey(),
  expired: createKey(),
  revoked: createKey(),
  operator: createKey(),
};
export const FULL_KEY = KEYS.full;

const known: Granted = { own: true, scopes: ALL, granted: true, sameNames: true, standing: true };
const without = (scope: Scope): Granted => ({ ...known, scopes: ALL.filter((each) => each !== scope) });
const caller = (name: string, key: string, is: Caller['is']): Caller => ({ name, headers: [`Bearer ${key}`], is });

export const CALLERS: readonly Caller[] = [
  caller('a key that may do everything', KEYS.full, known),
  caller('a key without a default deployment', KEYS.bare, { ...known, standing: false }),
  caller('a key without the scope check', KEYS.noCheck, without('check')),
  caller('a key without the scope read', KEYS.noRead, without('read')),
  caller('a key without the scope risk', KEYS.noRisk, without('risk')),
  caller('a key without the scope content', KEYS.noContent, without('content')),
  caller('a key without the scope review', KEYS.noReview, without('review')),
  caller('a key without the scope erase', KEYS.noErase, without('erase')),
  caller('a key without the scope try', KEYS.noTry, without('try')),
  caller('a key without the scope configure', KEYS.noConfigure, without('configure')),
  caller('a key without the scope audit', KEYS.noAudit, without('audit')),
  caller('a key that was granted nothing', KEYS.nothing, { ...known, granted: false, standing: false }),
  caller('a key that was granted other things', KEYS.elsewhere, { ...known, granted: false, standing: false }),
  caller('a key of another team with things of the same names', KEYS.twin, { ...known, own: false }),
  caller('a key of another team without such things', KEYS.stranger, {
    ...known,
    own: false,
    granted: false,
    sameNames: false,
    standing: false,
  }),
  caller('a key that spans teams', KEYS.operator, {
    own: false,
    scopes: ['operate'],
    granted: false,
    sameNames: false,
    standing: false,
  }),
  caller('an expired key', KEYS.expired, 'invalid'),
  caller('a key that a later configuration has dropped', KEYS.revoked, 'invalid'),
  caller('the public key of the sample, not on loopback', DEMO_KEY, 'invalid'),
  caller('an unknown key', createKey(), 'invalid'),
  caller('a key with a character too much', `${KEYS.full}x`, 'invalid'),
  caller('the hash of a key', hashKey(KEYS.full), 'invalid'),
  { name: 'two keys', headers: [`Bearer ${KEYS.full}`, `Bearer ${KEYS.twin}`], is: 'invalid' },
  { name: 'a key twice', headers: [`Bearer ${KEYS.full}`, `Bearer ${KEYS.full}`], is: 'invalid' },
  { name: 'no key', headers: [], is: 'missing' },
  { name: 'an empty key', headers: ['Bearer '], is: 'missing' },
  { name: 'another scheme', headers: ['Basic YTpi'], is: 'missing' },
  { name: 'a key without its scheme', headers: [KEYS.full], is: 'missing' },
];

/** As YAML; the revoked key is in the first version alone. */
export function matrixConfiguration(revoked: boolean): string {
  const grants = 'deployments: [chat], default_deployment: chat, environments: [prod]';
  const key = (id: keyof typeof KEYS, team: string, rest: string, sha256 = hashKey(KEYS[id])): string =>
    `- {id: ${id}, team: ${team}, sha256: ${sha256}, ${rest}}`;
  const all = 'scopes: [check, read, risk, content, review, erase, try, configure, audit]';
  const policy = 'cccccccc-0000-4000-8000-000000000001';
  const twin = 'cccccccc-0000-4000-8000-000000000002';
  const when = (id: string): string => `conditions: [{id: all, name: All, when: "true", policies: [${id}]}]`;
  return `version: 1
teams: [{id: acme}, {id: globex}, {id: initech}]
keys:
${key('full', 'acme', `${grants}, ${all}`)}
${key('bare', 'acme', `deployments: [chat], environments: [prod], ${all}`)}
${key('noCheck', 'acme', `${grants}, scopes: [read, risk, content, review, erase, try, configure, audit]`)}
${key('noRead', 'acme', `${grants}, scopes: [check, risk, content, review, erase, try, configure, audit]`)}
${key('noRisk', 'acme', `${grants}, scopes: [check, read, content, review, erase, try, configure, audit]`)}
${key('noContent', 'acme', `${grants}, scopes: [check, read, risk, review, erase, try, configure, audit]`)}
${key('noReview', 'acme', `${grants}, scopes: [check, read, risk, content, erase, try, configure, audit]`)}
${key('noErase', 'acme', `${grants}, scopes: [check, read, risk, content, review, try, configure, audit]`)}
${key('noTry', 'acme', `${grants}, scopes: [check, read, risk, content, review, erase, configure, audit]`)}
${key('noConfigure', 'acme', `${grants}, scopes: [check, read, risk, content, review, erase, try, audit]`)}
${key('noAudit', 'acme', `${grants}, scopes: [check, read, risk, content, review, erase, try, configure]`)}
${key('nothing', 'acme', all)}
${key('elsewhere', 'acme', `deployments: [support], environments: [staging], ${all}`)}
${key('twin', 'globex', `${grants}, ${all}`)}
${key('stranger', 'initech', `deployments: [desk], environments: [lab], ${all}`)}
${key('expired', 'acme', `${grants}, ${all}, expires_at: "2024-01-01T00:00:00Z"`)}
${revoked ? '' : key('revoked', 'acme', `${grants}, ${all}`)}
- {id: operator, sha256: ${hashKey(KEYS.operator)}, scopes: [operate]}
- {id: demo, team: acme, sha256: ${DEMO_KEY_SHA256}, ${grants}, ${all}}
policies:
- {id: ${policy}, team: acme, name: Sesame, detect: {terms: {list: [open sesame]}}}
- {id: ${twin}, team: globex, name: Sesame, detect: {terms: {list: [open sesame]}}}
deployments:
- {id: chat, team: acme, name: Chat, policies: [${policy}]}
- {id: support, team: acme, name: Support, policies: [${policy}]}
- {id: chat, team: globex, name: Chat, policies: [${twin}]}
- {id: desk, team: initech, name: Desk, policies: []}
environments:
- {id: prod, team: acme, ${when(policy)}}
- {id: staging, team: acme, ${when(policy)}}
- {id: prod, team: globex, ${when(twin)}}
- {id: lab, team: initech, conditions: []}
`;
}
