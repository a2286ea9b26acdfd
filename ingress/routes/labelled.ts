/** What people said of verdicts, where the query of a look-up asks for it (`labels=true`). */
import { ApiError } from '../../shared/api/errors.js';
import type { Edge, Exchange } from '../http/exchange.js';
import { readBoolean, readQuery } from '../http/query.js';
import { unavailable } from './found.js';

/** Whether a query asks for labels. Throws 400, and 403 where the key may not see them. Call it before anything is looked up. */
export function readLabels({ key, query }: Pick<Exchange, 'key' | 'query'>): boolean {
  if (query === '' || !readBoolean('labels', readQuery(query, ['labels']).labels)) return false;
  if (key.scopes.has('review')) return true;
  const message =
    'The API key does not have the scope review, which labels=true needs. Leave that out, or use another key.';
  throw new ApiError('permission_denied', message, { param: 'labels' });
}

/** Items of one team and scope with their labels, where these are `wanted`. Throws 503. */
export async function labelled<T extends { id: string }>(
  edge: Edge,
  owner: { team: string; scope: string },
  { items, wanted }: { items: readonly T[]; wanted: boolean },
): Promise<(T & { labels?: string })[]> {
  if (!wanted || items.length === 0) return [...items];
  const found = await edge.lookup.labels(
    owner.team,
    owner.scope,
    items.map(({ id }) => id),
  );
  if (found.status !== 'found') throw unavailable();
  return items.map((item) => ({ ...item, labels: JSON.stringify(found.value.get(item.id) ?? []) }));
}
