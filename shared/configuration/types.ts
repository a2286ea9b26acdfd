/**
 * The configuration after loading: every default filled in, every reference checked. Its JSON text is what is stored,
 * and loading that text gives the same value again.
 */
import type { Direction, ImageKind, Severity, Source } from '../policy/types.js';

/** What a key may do: POST, GET, and ask for a user's risk. */
export type KeyScope = 'check' | 'read' | 'risk';

export const CONFIGURATION_VERSION = 1;

export const VIEWS = ['raw', 'nfkc', 'folded'] as const;
/** A form of the text that a detector looks at: as sent; compatibility-normalised without invisible characters; folded. */
export type View = (typeof VIEWS)[number];

export const PII_ENTITIES = [
  'CREDIT_CARD',
  'IBAN_CODE',
  'EMAIL_ADDRESS',
  'PHONE_NUMBER',
  'IP_ADDRESS',
  'US_SSN',
] as const;
export type PiiEntity = (typeof PII_ENTITIES)[number];

export interface TermsParameters {
  list: string[];
  match: 'word' | 'substring';
  views: View[];
  /** earlier texts that are looked at together with the current one */
  context: number;
}

export interface RegexParameters {
  patterns: string[];
  /** of `i` (case-insensitive), `m` (^ and $ match at lines), `s` (dot matches line breaks) */
  flags: string;
  context: number;
}

export interface PiiParameters {
  entities: PiiEntity[];
  /** lowest score, 0 to 1, at which a find counts */
  threshold: number;
  context: number;
}

export interface SecretsParameters {
  /** names of rules, or `all` */
  rules: string[];
  /** patterns; a secret that one of them matches is no find */
  allow: string[];
  context: number;
}

export interface ImageHashParameters {
  /** name of a list of known hashes */
  list: string;
  /** largest Hamming distance, of 256 bits, at which two hashes are the same picture */
  max_distance: number;
  /** images whose hash has a lower quality (0 to 100) are too featureless to be compared */
  min_quality: number;
}

/** Fires when everything that is given holds; null: not given. Pixels after orientation, bytes as received. */
export interface ImagePropertiesParameters {
  kinds: ImageKind[] | null;
  min_width: number | null;
  max_width: number | null;
  min_height: number | null;
  max_height: number | null;
  min_bytes: number | null;
  max_bytes: number | null;
  animated: boolean | null;
  has_gps: boolean | null;
}

export interface OnnxParameters {
  /** name of a model that the operator supplies */
  model: string;
  label: string;
  threshold: number;
}

export type Detect =
  | { any: Detect[] }
  | { all: Detect[] }
  | { not: Detect }
  | { terms: TermsParameters }
  | { regex: RegexParameters }
  | { pii: PiiParameters }
  | { secrets: SecretsParameters }
  | { image_hash: ImageHashParameters }
  | { image_properties: ImagePropertiesParameters }
  | { image_text: { detect: Detect } }
  | { onnx: OnnxParameters };

export interface TeamConfiguration {
  id: string;
  /** a policy that could not be evaluated is flagged */
  fail_closed: boolean;
}

export interface KeyConfiguration {
  id: string;
  team: string;
  /** lower-case hexadecimal SHA-256 of the key as sent */
  sha256: string;
  deployments: string[];
  default_deployment: string | null;
  environments: string[];
  scopes: KeyScope[];
  /** RFC 3339, null: never */
  expires_at: string | null;
  rate: { requests_per_minute: number } | null;
}

export interface PolicyConfiguration {
  /** UUID, lower case */
  id: string;
  team: string;
  name: string;
  severity: Severity;
  direction: Direction;
  sources: Source[];
  /** `type` or `type.field`; null: every type and field */
  events: string[] | null;
  detect: Detect;
}

export interface MetricConfiguration {
  id: string;
  team: string;
  name: string;
  kind: string;
}

export interface DeploymentConfiguration {
  id: string;
  team: string;
  name: string;
  policies: string[];
  metrics: string[];
}

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

export interface RiskConfiguration {
  window_days: number;
  weights: Record<Severity, number>;
  elevated: number;
  severe: number;
}

export interface RetentionConfiguration {
  /** 0: no content is kept once its check is finished */
  content_days: number;
  results_days: number;
}

export interface Configuration {
  version: 1;
  teams: TeamConfiguration[];
  keys: KeyConfiguration[];
  policies: PolicyConfiguration[];
  metrics: MetricConfiguration[];
  deployments: DeploymentConfiguration[];
  environments: EnvironmentConfiguration[];
  risk: RiskConfiguration;
  retention: RetentionConfiguration;
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
