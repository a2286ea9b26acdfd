/** What people speak of: the verdict of a policy on an item, found as its look-up finds the item. */
import { ApiError, validationError } from '../../shared/api/errors.js';
import type { ItemKind } from '../../shared/api/results/record.js';
import { timestamp } from '../../shared/api/results/render.js';
import type { JudgedPlace } from '../../shared/api/validate/issues.js';
import { fieldOf } from '../../shared/api/validate/judged.js';
import type { ApiKey, NamedPolicy } from '../admission/directory.js';
import { notFound } from '../http/auth.js';
import type { Edge } from '../http/exchange.js';
import { requireOwnRegion } from '../http/region.js';
import { foundItem, foundValue } from './found.js';

/** As ClickHouse reads a time in UTC. */
export const columnTime = (ms: number): string => timestamp(ms).replace('T', ' ').slice(0, -1);

/** Where the item is: as named, else where the key works alone. Throws 400. */
export function scopeOf(key: ApiKey, { kind, scope }: JudgedPlace): string {
  if (scope !== '') return scope;
  const [only, ...more] = kind === 'event' ? key.environments : [key.defaultDeployment];
  if (only !== undefined && only !== '' && more.length === 0) return only;
  const [path, why] =
    kind === 'event'
      ? ['environment_id', 'was granted several environments, or none']
      : ['deployment_id', 'has no default deployment'];
  throw validationError([{ path, code: 'required', message: `is required, since the API key ${why}` }]);
}

export interface ItemVerdict {
  /** null: the item has none */
  flagged: boolean | null;
  /** by id, those that judged it */
  policies: ReadonlyMap<string, { name: string; flagged: boolean }>;
}

/** What an item was answered, found as its look-up finds it. Throws 404, 409, 422, 500, 503. */
export async function verdictOf(edge: Edge, key: ApiKey, { kind, id, scope }: JudgedPlace): Promise<ItemVerdict> {
  const field = fieldOf(kind);
  requireOwnRegion(edge, field, id);
  const { flagged, policies } = await itemOf(edge, key, { kind, id, scope, field });
  const map = JSON.parse(policies) as Record<string, { name: string; flagged: boolean }>;
  return { flagged, policies: new Map(Object.entries(map)) };
}

async function itemOf(
  edge: Edge,
  key: ApiKey,
  { kind, id, scope, field }: { kind: ItemKind; id: string; scope: string; field: string },
): Promise<{ flagged: boolean | null; policies: string }> {
  if (kind !== 'artifact') {
    const found = await edge.lookup.byId(kind, key.team, scope, id);
    const isEvent = kind === 'event';
    const visible = (isEvent ? key.environments : key.deployments).has(scope);
    return foundItem(found, { scope: isEvent ? 'environment_id' : 'deployment_id', id: field, visible });
  }
  const found = await edge.lookup.artifactById(key.team, scope, id);
  // Looked up before this, so that it takes the same time.
  if (!key.deployments.has(scope) && found.status !== 'unavailable') throw notFound('deployment_id');
  const artifact = foundValue(found, field);
  if (artifact.status === 'processing')
    throw new ApiError('result_not_ready', 'The check was accepted and is not finished yet. Try again.');
  return artifact;
}

/** Those that judged an item. */
export const judgesOf = ({ policies }: ItemVerdict): NamedPolicy[] =>
  [...policies].map(([id, { name }]): NamedPolicy => ({ id, name }));

/** The policy of that id or name, of the first list that has one. Throws 400, 404. */
export function policyAmong(lists: readonly (readonly NamedPolicy[])[], asked: string): NamedPolicy {
  const [policy, ...more] = lists.map((some) => named(some, asked)).find(isSome) ?? [];
  if (!policy) throw notFound('policy');
  if (more.length === 0) return policy;
  throw validationError([
    { path: 'policy', code: 'ambiguous', message: 'is the name of several policies, expected an id' },
  ]);
}

const isSome = (list: readonly unknown[]): boolean => list.length > 0;

/** Ids are UUIDs, in which case does not matter. */
function named(policies: readonly NamedPolicy[], asked: string): NamedPolicy[] {
  const byId = policies.filter(({ id }) => id === asked.toLowerCase());
  return byId.length > 0 ? byId : policies.filter(({ name }) => name === asked);
}
