/**
 * What the HTTP edge needs of a configuration: API keys and what each may name. Deployments and environments belong to a team; two
 * teams may use the same id.
 */

import { blockOf, isWithin } from '../../shared/address-blocks.js';
import type { Severity } from '../../shared/api/types.js';
import { type LoginConfiguration, SCOPES_OF_ROLE } from '../../shared/configuration/logins.js';
import type {
  Configuration,
  HookConfiguration,
  KeyConfiguration,
  KeyScope,
  PolicyConfiguration,
  RiskConfiguration,
} from '../../shared/configuration/types.js';
import { contextOf } from '../../shared/policy/detect-expression.js';
import { ownRegion } from '../../shared/region.js';
import { type Meanings, meaningsOf } from './meanings.js';

export type { KeyScope };

export interface ApiKey {
  id: string;
  /** '' when it spans teams */
  team: string;
  deployments: ReadonlySet<string>;
  /** '' when the key has none */
  defaultDeployment: string;
  environments: ReadonlySet<string>;
  scopes: ReadonlySet<KeyScope>;
  /** Unix ms, null: never */
  expiresAt: number | null;
  /** null: no limit */
  requestsPerMinute: number | null;
  /** it is a person who has signed in, and no key */
  login?: true;
}

/** Where checks run: an environment or a deployment. */
export interface Scope {
  id: string;
  team: string;
  /** policies that a check may name; of an environment, those that its conditions can select */
  policies: ReadonlySet<string>;
  /** largest `context: n` of their detectors: how many earlier texts the engine reads; 0 for none */
  contextDepth: number;
  /** some policy of it lets content pass without what it has found */
  redacts: boolean;
  /** all messages of a gateway's call are checked; absent: the newest turn */
  checksAll?: true;
}

export interface KnownDeployment extends Scope {
  /** What its live policies look for. */
  meanings(): Meanings;
}

/** A policy as people name it. */
export interface NamedPolicy {
  id: string;
  name: string;
}

/** One that is in use. */
export interface UsedPolicy extends NamedPolicy {
  severity: Severity;
  mode: 'live' | 'shadow';
}

export interface Directory {
  /** configuration version */
  version: number;
  /** identity of the configuration */
  id: string;
  /** by lower-case hexadecimal SHA-256 of the key as sent */
  key(sha256: string): ApiKey | undefined;
  /** that of requests without one from this address */
  keyOf(address: string): { key: ApiKey; sha256: string } | undefined;
  /** that of a person who is in these groups: by the first entry of `logins` that names one; undefined: there is none */
  login(user: string, groups: readonly string[]): ApiKey | undefined;
  failClosed(team: string): boolean;
  /** false: `content_days: 0` */
  keepsContent: boolean;
  /** `content: masked` */
  masksContent: boolean;
  deployment(team: string, id: string): KnownDeployment | undefined;
  environment(team: string, id: string): Scope | undefined;
  /** severity of a live policy of the team, undefined when it has no such policy (any more) */
  severity(team: string, policy: string): Severity | undefined;
  /** live policies of the team, by name; with those in the shadow where these are asked for */
  policies(team: string, shadow?: boolean): readonly UsedPolicy[];
  /** webhooks of the team */
  hooks(team: string): readonly HookConfiguration[];
  /** how user risk follows from violations (4.11) */
  risk: RiskConfiguration;
  /** names of the regions that the configuration knows, by number */
  regions: ReadonlyMap<number, string>;
}

/** The directory of `configuration`, known as `identity`. It never changes. */
export function buildDirectory(configuration: Configuration, identity: { version: number; id: string }): Directory {
  const depths = new Map(configuration.policies.map((policy) => [policy.id, contextOf(policy.detect)]));
  let policies: Map<string, PolicyConfiguration> | undefined;
  const byId = (): Map<string, PolicyConfiguration> => {
    policies ??= new Map(configuration.policies.map((policy) => [policy.id, policy]));
    return policies;
  };
  const redacting = new Set(configuration.policies.flatMap(({ id, action }) => (action === 'redact' ? id : [])));
  const scopeOf = (team: string, id: string, policies: readonly string[], checksAll = false): Scope => ({
    id,
    team,
    policies: new Set(policies),
    contextDepth: policies.reduce((most, policy) => Math.max(most, depths.get(policy) ?? 0), 0),
    redacts: policies.some((policy) => redacting.has(policy)),
    ...(checksAll ? { checksAll } : {}),
  });
  const index = <S extends Scope>(scopes: readonly S[]): Map<string, S> =>
    new Map(scopes.map((scope) => [scopeKey(scope.team, scope.id), scope]));
  const keys = new Map(configuration.keys.map((key) => [key.sha256, { key: keyOf(key), regions: key.regions }]));
  const keyHere = (sha256: string): ApiKey | undefined => {
    const known = keys.get(sha256);
    // A process may hear of its region after it has read the configuration.
    return known?.regions?.includes(ownRegion().name) === false ? undefined : known?.key;
  };
  const blocks = configuration.keys.flatMap(({ sha256, without_key_from: texts = [] }) => {
    return texts.length === 0 ? [] : [{ sha256, blocks: texts.flatMap((text) => blockOf(text) ?? []) }];
  });
  const failing = new Set(configuration.teams.filter((team) => team.fail_closed).map((team) => team.id));
  const deployments = index(
    configuration.deployments.map((deployment): KnownDeployment => {
      const { team, id, policies, litellm } = deployment;
      let known: Meanings | undefined;
      const meanings = (): Meanings => {
        known ??= meaningsOf(deployment, byId());
        return known;
      };
      return { ...scopeOf(team, id, policies, litellm?.check === 'all'), meanings };
    }),
  );
  const environments = index(
    configuration.environments.map(({ team, id, conditions }) =>
      scopeOf(
        team,
        id,
        conditions.filter(({ active }) => active).flatMap(({ policies }) => policies),
      ),
    ),
  );
  const live = configuration.policies.filter(({ mode }) => mode !== 'shadow');
  const severities = new Map(live.map(({ team, id, severity }) => [scopeKey(team, id), severity]));
  return {
    version: identity.version,
    id: identity.id,
    key: keyHere,
    keyOf(address) {
      const sha256 = blocks.find((one) => isWithin(address, one.blocks))?.sha256;
      const key = sha256 === undefined ? undefined : keyHere(sha256);
      return key && { key, sha256: sha256! };
    },
    login(user, groups) {
      const found = configuration.logins?.find(({ group }) => groups.includes(group));
      return found && personOf(user, found);
    },
    failClosed: (team) => failing.has(team),
    keepsContent: configuration.retention.content_days > 0,
    masksContent: configuration.retention.content === 'masked',
    deployment: (team, id) => deployments.get(scopeKey(team, id)),
    environment: (team, id) => environments.get(scopeKey(team, id)),
    severity: (team, policy) => severities.get(scopeKey(team, policy)),
    policies: (of, shadow = false) =>
      (shadow ? configuration.policies : live)
        .filter(({ team }) => team === of)
        .map(({ id, name, severity, mode }): UsedPolicy => ({ id, name, severity, mode: mode ?? 'live' }))
        .sort((a, b) => (a.name < b.name ? -1 : 1)),
    hooks: (of) => configuration.notify.filter(({ team }) => team === of),
    risk: configuration.risk,
    regions: new Map(Object.entries(configuration.regions ?? {}).map(([number, name]) => [Number(number), name])),
  };
}

/** Unique, since ids of teams have no space in them. */
function scopeKey(team: string, id: string): string {
  return `${team} ${id}`;
}

function keyOf(key: KeyConfiguration): ApiKey {
  return {
    id: key.id,
    team: key.team ?? '',
    deployments: new Set(key.deployments),
    defaultDeployment: key.default_deployment ?? '',
    environments: new Set(key.environments),
    scopes: new Set(key.scopes),
    expiresAt: key.expires_at === null ? null : Date.parse(key.expires_at),
    requestsPerMinute: key.rate === null ? null : key.rate.requests_per_minute,
  };
}

/** A person has what a key of the same scopes has. */
function personOf(user: string, { team, role, environments, deployments }: LoginConfiguration): ApiKey {
  const [only = '', ...more] = deployments;
  return {
    id: user,
    team: team ?? '',
    deployments: new Set(deployments),
    defaultDeployment: more.length === 0 ? only : '',
    environments: new Set(environments),
    scopes: new Set(SCOPES_OF_ROLE[role]),
    expiresAt: null,
    requestsPerMinute: null,
    login: true,
  };
}
