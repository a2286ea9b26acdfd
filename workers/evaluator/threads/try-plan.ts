/** The plan of a try, which a thread compiles of the part of a version that its team has, with what is edited. */

import { LIMITS } from '../../../shared/api/limits.js';
import type { Issue } from '../../../shared/api/types.js';
import { type Edits, editedConfiguration, type TriedScope } from '../../../shared/configuration/edited.js';
import { compilePlan } from '../../../shared/policy/compile.js';
import type { OwnModels } from '../../../shared/policy/models/own.js';
import type { TriedPolicies } from '../kinds/tried.js';

/** What is tried, and where. */
export interface TryReference extends TriedScope {
  /** JSON of what is edited; '' for nothing */
  edits: string;
}

export interface TryPlan extends TriedPolicies {
  /** what is wrong with what is edited: nothing is tried then */
  refused: Issue[] | undefined;
}

/** `text`: the configuration. */
export function compileTry(text: string, version: number, tried: TryReference, models: OwnModels): TryPlan {
  const edits = tried.edits === '' ? {} : (JSON.parse(tried.edits) as Edits);
  const labelsOf = (sha256: string) => models.get(sha256)?.model.labels.map(({ name }) => name);
  const edited = editedConfiguration(text, tried, edits, labelsOf);
  if (!edited.ok && tried.edits === '') throw new Error(`version ${version} cannot be tried`);
  const refused = edited.ok ? undefined : edited.problems.slice(0, LIMITS.issues).map(issueOf);
  const whole = edited.ok ? edited : editedConfiguration(text, tried, {});
  if (!whole.ok) throw new Error(`version ${version} cannot be tried`);
  const resources = { models };
  const { configuration } = whole;
  return {
    plan: compilePlan(configuration, version, resources),
    configuration,
    policies: new Map(configuration.policies.map((policy) => [policy.id, policy])),
    resources,
    refused,
  };
}

const issueOf = ({ path, message }: { path: string; message: string }): Issue => ({
  path,
  code: 'configuration',
  message,
});
