/** What the policies of a deployment look for, in the words of callers who ask about categories or scores. */
import { MODERATIONS_CATEGORIES, type ModerationsCategory } from '../../shared/api/dialects/moderations.js';
import type { DeploymentConfiguration, PolicyConfiguration } from '../../shared/configuration/types.js';
import { leavesOf } from '../../shared/policy/detect-expression.js';
import { sourcesOf } from '../../shared/policy/detectors/detector.js';
import type { PiiParameters } from '../../shared/policy/detectors/pii.js';
import { DETECTORS, type DetectorName } from '../../shared/policy/detectors/registry.js';
import type { Direction, Source } from '../../shared/policy/types.js';

export interface PolicyMeaning {
  name: string;
  /** of OpenAI's moderations, else its name */
  categories: readonly string[];
  /** whose scores its detectors go by, of the models of Weir */
  labels: readonly string[];
  /** what it looks at */
  sources: readonly Source[];
  /** what is written by a user alone, or by a model alone, or both */
  direction: Direction;
  /** what it finds in texts: entities of personal data, `SECRET`, else its name in capitals */
  entities: readonly string[];
}

/** By the id of the policy. */
export type Meanings = ReadonlyMap<string, PolicyMeaning>;

/** What a label of the models of Weir is among the categories of OpenAI. */
const CATEGORY_OF_LABEL: Readonly<Record<string, ModerationsCategory>> = {
  toxicity: 'harassment',
  sexism: 'harassment',
  hate: 'hate',
  sexual: 'sexual',
  violence: 'violence',
  self_harm: 'self-harm',
};

/** Of the live policies of `deployment`. `policies`: at least its own, by id. */
export function meaningsOf(
  deployment: DeploymentConfiguration,
  policies: ReadonlyMap<string, PolicyConfiguration>,
): Meanings {
  const live = deployment.policies.flatMap((id) => {
    const policy = policies.get(id);
    return policy && policy.mode !== 'shadow' ? [policy] : [];
  });
  return new Map(live.map((policy) => [policy.id, meaningOf(policy, deployment)]));
}

function meaningOf(
  { id, name, detect, sources: allowed, direction }: PolicyConfiguration,
  { moderations }: DeploymentConfiguration,
): PolicyMeaning {
  const leaves = leavesOf(detect).leaves.map((leaf) => Object.entries(leaf)[0] as [DetectorName, object]);
  const labels = [...new Set(leaves.flatMap(labelOf))];
  const looked = new Set(leaves.flatMap(([detector, parameters]) => sourcesOf(DETECTORS[detector], parameters)));
  const categories = moderations
    ? MODERATIONS_CATEGORIES.filter((category) => moderations[category]?.includes(id))
    : usualCategories(name, labels);
  return {
    name,
    categories: categories.length > 0 ? categories : [name],
    labels,
    sources: allowed.filter((source) => looked.has(source)),
    direction,
    entities: allowed.includes('text') ? [...new Set(leaves.flatMap((leaf) => entitiesOf(leaf, name)))] : [],
  };
}

function entitiesOf([detector, parameters]: [DetectorName, object], policy: string): readonly string[] {
  if (detector === 'pii') return (parameters as PiiParameters).entities;
  if (!sourcesOf(DETECTORS[detector], parameters).includes('text')) return [];
  return [entityOf(detector, policy)];
}

/** What a detector, such as `pii:CREDIT_CARD`, has found. */
export function entityOf(detector: string, policy: string): string {
  if (detector.startsWith('pii:')) return detector.slice('pii:'.length);
  return /^secrets(?::|$)/.test(detector) ? 'SECRET' : inCapitals(policy);
}

/** The name of a policy as callers write those of attributes and entities. */
export const inCapitals = (name: string): string => name.toUpperCase().replaceAll(/[^\p{L}\p{N}]+/gu, '_');

function labelOf([detector, parameters]: [DetectorName, object]): string[] {
  if (detector === 'injection') return ['injection'];
  const { label, file } = parameters as { label?: string; file?: string };
  return detector === 'classifier' && label !== undefined && file === undefined ? [label] : [];
}

/** Its name where that is a category, else what its labels are. */
function usualCategories(name: string, labels: readonly string[]): string[] {
  const written = name.toLowerCase().replaceAll(/[\s_]+/g, '-');
  const named = MODERATIONS_CATEGORIES.find((category) => category === written);
  if (named) return [named];
  return [...new Set(labels.flatMap((label) => CATEGORY_OF_LABEL[label] ?? []))];
}
