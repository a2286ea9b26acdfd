/**
 * The configuration after loading, with all defaults filled in and all references checked. Its JSON text is stored. Loading that text
 * gives the same value again.
 */

import type { ModerationsCategory } from '../api/dialects/moderations.js';
import type { Severity } from '../api/types.js';
import type { Detect } from '../policy/detectors/registry.js';
import type { Action, Direction, Source } from '../policy/types.js';
import type { BackendConfiguration } from './backend.js';
import type { KeyScope } from './key-scopes.js';
import type { LoginConfiguration } from './logins.js';
import type { MetricKind } from './metric-kinds.js';

export type { BackendConfiguration, Detect, KeyScope, MetricKind };

export const CONFIGURATION_VERSION = 1;

export interface TeamConfiguration {
  id: string;
  /** a policy that could not be evaluated is flagged */
  fail_closed: boolean;
  /** paths in metadata, such as `user.tier`, whose values history keeps as long as results; absent: none */
  tags?: string[];
}

export interface KeyConfiguration {
  id: string;
  /** null: it spans teams (`OPERATOR_SCOPES`) */
  team: string | null;
  /** lower-case hexadecimal SHA-256 of the key as sent */
  sha256: string;
  deployments: string[];
  default_deployment: string | null;
  environments: string[];
  scopes: KeyScope[];
  /** RFC 3339, null: never */
  expires_at: string | null;
  rate: { requests_per_minute: number } | null;
  /**
   * Blocks of addresses from which requests without a key count as its own, where the clients of a service send none. Absent: none, so that
   * releases without it read the others.
   */
  without_key_from?: string[];
  /** names of the regions in which it counts; absent: in all */
  regions?: string[];
}

export interface PolicyConfiguration {
  /** UUID, lower case */
  id: string;
  team: string;
  name: string;
  severity: Severity;
  action: Action;
  direction: Direction;
  sources: Source[];
  /** `type` or `type.field`; null: every type and field */
  events: string[] | null;
  /** evaluated and stored apart, and in no answer; absent: live */
  mode?: 'shadow';
  /** what becomes of a text in a language that its detectors do not know; absent: the policy is left out of the answer */
  unknown_language?: 'fail';
  detect: Detect;
}

export interface MetricConfiguration {
  id: string;
  team: string;
  name: string;
  kind: MetricKind;
  /** of a classifier */
  label?: string;
  /** of an expression: CEL over `metadata` and `event` */
  value?: string;
}

export interface DeploymentConfiguration {
  id: string;
  team: string;
  name: string;
  policies: string[];
  metrics: string[];
  /** what is checked of the calls of a LiteLLM gateway; absent: the newest turn */
  litellm?: { check: LitellmCheck };
  /** ids of policies by category of OpenAI's moderations; absent: by what their detectors look for, and their names */
  moderations?: Moderations;
}

export type Moderations = { [category in ModerationsCategory]?: string[] };

export type LitellmCheck = 'newest' | 'all';

export interface ConditionConfiguration {
  id: string;
  name: string;
  active: boolean;
  /** CEL over `metadata` and `event` */
  when: string;
  policies: string[];
  metrics: string[];
}

export interface EnvironmentConfiguration {
  id: string;
  team: string;
  conditions: ConditionConfiguration[];
}

export type HookEvent = 'flagged' | 'appeal';

/** A webhook: an address that is told of flagged checks, of appeals, or of both. */
export interface HookConfiguration {
  /** unique within its team */
  id: string;
  team: string;
  url: string;
  on: HookEvent[];
  /** those whose violations are told; null: all of the team */
  policies: string[] | null;
  /** name of an environment variable of the workers that has the secret it is signed with */
  secret_env: string;
}

export interface RiskConfiguration {
  window_days: number;
  weights: Record<Severity, number>;
  elevated: number;
  severe: number;
}

export interface RetentionConfiguration {
  /** 0: no content is kept after its check is finished */
  content_days: number;
  results_days: number;
  /** marks take the place of what flagged policies find, before content is stored; absent: it is stored as it was sent */
  content?: 'masked';
  /** of the audit log; absent: 400, so that releases without it read the others */
  audit_days?: number;
}

export interface Configuration {
  version: 1;
  teams: TeamConfiguration[];
  keys: KeyConfiguration[];
  backends: BackendConfiguration[];
  policies: PolicyConfiguration[];
  metrics: MetricConfiguration[];
  deployments: DeploymentConfiguration[];
  environments: EnvironmentConfiguration[];
  notify: HookConfiguration[];
  risk: RiskConfiguration;
  retention: RetentionConfiguration;
  /** groups whose people may sign in to the console; absent: none */
  logins?: LoginConfiguration[];
  /** names of regions by their numbers; absent: none */
  regions?: Record<string, string>;
}

/** One thing that is wrong with a configuration, and where. */
export interface Problem {
  file: string;
  /** from 1 */
  line: number;
  /** from 1 */
  column: number;
  /** for example `policies[2].detect.regex.patterns[0]`; empty for the whole file */
  path: string;
  /** what was expected, or what to do */
  message: string;
}
