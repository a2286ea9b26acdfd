/** What a team is shown of the configuration: its own part, without secrets and addresses (`/api/configuration/…`). */
import type { Severity } from './types.js';

/** A version of the configuration that is kept. */
export interface ConfigurationVersion {
  /** Its number. @x-form count */
  version: number;
  /** Whether it is the active one. */
  active: boolean;
  /** When it became active. Absent if it never did, or before this was noted. @x-form time */
  applied_at?: string;
  /** How many entries of your team it has added, changed or removed. 0: it is about others. Null: the version before it is not kept. */
  changes: number | null;
  /** What that is, such as `policies: 1 added`. Absent, as the next ones, unless there are such changes. */
  summary?: string;
  /** The user who has applied it. */
  by?: string;
  /** The machine that it was applied from. */
  host?: string;
  /** What that user said of it. */
  message?: string;
}

/** The versions that are kept. */
export interface ConfigurationVersions {
  /** The newest first. */
  versions: ConfigurationVersion[];
  /** Where the next page begins: `before` of the next question. Absent if there is none. @x-form count */
  next?: number;
}

/** An entry of the configuration that changed. */
export interface ChangedEntry {
  /** Where it stands: `policies`, `environments`, `risk` and so on. */
  section: string;
  /** What became of it. */
  what: 'added' | 'changed' | 'removed';
  /** Its name and id. Empty for `risk` and `retention`, which hold for all teams. */
  title: string;
  /** Of what changed: the path, and the value before and after, in words. */
  fields: string[];
}

/** What a version has changed for your team. */
export interface VersionChanges {
  /** The version. @x-form count */
  version: number;
  /** The one that it is compared with. Null: none before it is kept, so all that it has is added. */
  from: number | null;
  /** Such as `policies: 1 added, 2 changed`. Empty: nothing of your team changed. */
  summary: string;
  /** The entries. */
  changes: ChangedEntry[];
  /** How many entries and fields are left out, because there are too many. @x-form count */
  left_out: number;
}

/** A policy of your team, as the configuration has it. */
export interface ConfiguredPolicy {
  /** Its id. @x-form uuid */
  policy_id: string;
  /** Its name. */
  policy_name: string;
  /** How serious a violation is. */
  severity: Severity;
  /** What becomes of content that violates it. */
  action: 'block' | 'redact';
  /** What it looks at: what users say, what models say, or both. */
  direction: 'input' | 'output' | 'any';
  /** Whether it looks at texts, or at images. */
  sources: ('text' | 'image')[];
  /** The events that it looks at, as `type` or `type.field`. Null: all. */
  events: string[] | null;
  /** Whether it flags, or is only counted. */
  mode: 'live' | 'shadow';
  /** What becomes of a text in a language that its detectors do not know. Absent: the policy is left out of the answer. */
  unknown_language?: 'fail';
  /** Its detectors. @x-form object */
  detect: unknown;
  /** Whether long lists or texts of `detect` are cut off. */
  cut: boolean;
}

/** Policies of your team. */
export interface ConfiguredPolicies {
  /** The version that they are of. @x-form count */
  version: number;
  /** As the configuration has them, in order. */
  policies: ConfiguredPolicy[];
  /** Where the next page begins: `after` of the next question. Absent if there is none. @x-form uuid */
  next?: string;
}
