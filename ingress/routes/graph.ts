/** The graph of a run (4.12). */
import { DEFAULT_NODES, LIMITS } from '../../shared/api/limits.js';
import type { Edge, Exchange, RouteHandlers } from '../http/exchange.js';
import { queryError, readQuery, requireId, requireName } from '../http/query.js';
import { requireOwnRegion } from '../http/region.js';
import { sendJson } from '../http/response.js';
import { decodeCursor } from '../lookups/run-graph.js';
import { foundValue } from './found.js';

/**
 * No environment has this name. An environment that the key was not granted is replaced by it, so that the look-up takes the time
 * of an absent one, however much is stored.
 */
const NOWHERE = '';

async function getRunGraph(edge: Edge, exchange: Exchange): Promise<void> {
  const query = readQuery(exchange.query, ['environment_id', 'run_id', 'limit', 'cursor']);
  requireName('environment_id', query.environment_id);
  requireId('run_id', query.run_id);
  const limit = limitOf(query.limit);
  const after = query.cursor === '' ? undefined : decodeCursor(query.cursor);
  if (query.cursor !== '' && !after) throw queryError('cursor', 'cursor', 'expected next_cursor of the page before');
  const { key } = exchange;
  const visible = key.environments.has(query.environment_id);
  const environment = visible ? query.environment_id : NOWHERE;
  const found = await edge.lookup.runGraph({ team: key.team, environment, run: query.run_id, after, limit });
  // A run may go on in another region, so its id does not say where its events are.
  if (visible && found.status === 'absent') requireOwnRegion(edge, 'run_id', query.run_id);
  sendJson(edge, exchange, JSON.stringify(foundValue(found, visible ? 'run_id' : 'environment_id')));
}

function limitOf(text: string): number {
  if (text === '') return DEFAULT_NODES;
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= LIMITS.graphNodes) return limit;
  throw queryError('limit', 'range', `expected a whole number from 1 to ${LIMITS.graphNodes}`);
}

export const graphRoutes = { getRunGraph } satisfies RouteHandlers;
