/** Has what was checked forgotten, and says how far that is (decisions, Evidence, masks, labels). Workers do it (`workers/erasures/`). */
import { ApiError } from '../../shared/api/errors.js';
import { runMarks, sessionMarks, userMarks } from '../../shared/erasure-marks.js';
import { receiptOf } from '../../shared/erasure-receipt.js';
import { isUuid } from '../../shared/ids.js';
import type { ErasureOrder } from '../../shared/streams/erasures.js';
import { actorOf } from '../audit/actor.js';
import { notFound } from '../http/auth.js';
import type { Edge, Exchange, RouteHandlers } from '../http/exchange.js';
import { queryError, readQuery, requireId, requireName } from '../http/query.js';
import { requireOwnRegion } from '../http/region.js';
import { sendJson } from '../http/response.js';
import { foundItem, type RequestedItem } from './found.js';
import { identityOf } from './risk.js';
import { deploymentOf } from './sessions.js';

/** Seconds after which there may be room again. */
const FULL_SECONDS = 60;

async function eraseUser(edge: Edge, exchange: Exchange): Promise<void> {
  const { kind, user } = identityOf(exchange.query);
  const marks = (salt: string): string[] => userMarks({ salt, team: exchange.key.team }, kind, user);
  await accept(edge, exchange, { subject: 'user', scope: '', internal: '', marks });
}

async function eraseRun(edge: Edge, exchange: Exchange): Promise<void> {
  const { environment_id: scope, run_id: run } = readQuery(exchange.query, ['environment_id', 'run_id']);
  requireName('environment_id', scope);
  requireId('run_id', run);
  const { team, environments } = exchange.key;
  if (!environments.has(scope)) throw notFound('environment_id');
  const marks = (salt: string): string[] => runMarks({ salt, team, scope }, run);
  await accept(edge, exchange, { subject: 'run', scope, internal: '', marks });
}

async function eraseEvent(edge: Edge, exchange: Exchange): Promise<void> {
  const { environment_id: scope } = readQuery(exchange.query, ['environment_id']);
  requireName('environment_id', scope);
  const visible = exchange.key.environments.has(scope);
  const internal = await existing(edge, exchange, 'event', { scope: 'environment_id', id: scope, visible });
  await accept(edge, exchange, { subject: 'event', scope, internal: internal.id, marks: () => [] });
}

async function eraseSession(edge: Edge, exchange: Exchange): Promise<void> {
  const query = readQuery(exchange.query, ['deployment_id']);
  const scope = deploymentOf(exchange, query.deployment_id);
  const { team, deployments } = exchange.key;
  const asked = { scope: 'deployment_id', id: scope, visible: deployments.has(scope) } as const;
  const { id, external } = await existing(edge, exchange, 'session', asked);
  const marks = (salt: string): string[] => sessionMarks({ salt, team, scope }, id, external);
  await accept(edge, exchange, { subject: 'session', scope, internal: id, marks });
}

/** The check of the id in the path, and the caller's name of its session. One that is under way is erased when it has ended. Throws 400, 404, 503. */
async function existing(
  edge: Edge,
  exchange: Exchange,
  kind: 'event' | 'session',
  { scope, id: name, visible }: RequestedItem,
): Promise<{ id: string; external: string }> {
  const param = `internal_${kind}_id`;
  if (!isUuid(exchange.id)) throw queryError(param, 'uuid', 'expected a UUID');
  requireOwnRegion(edge, param, exchange.id);
  const id = exchange.id.toLowerCase();
  const found = await edge.lookup.byId(kind, exchange.key.team, name, id);
  if (visible && found.status === 'pending') return { id, external: found.session ?? '' };
  if (visible && found.status === 'found') return { id, external: found.item.externalSessionId };
  return { id, external: foundItem(found, { scope, id: param, visible }).externalSessionId };
}

async function accept(edge: Edge, exchange: Exchange, order: Omit<ErasureOrder, 'team' | 'actor'>): Promise<void> {
  const { team } = exchange.key;
  const erasure = await asked(edge.erasures.add({ ...order, team, actor: actorOf(exchange) }));
  if (!erasure) {
    throw new ApiError('overloaded', 'As many erasures are under way as there is room for. Try again later.', {
      retryAfter: FULL_SECONDS,
    });
  }
  sendJson(edge, exchange, JSON.stringify(receiptOf(erasure)));
}

async function getErasure(edge: Edge, exchange: Exchange): Promise<void> {
  if (!isUuid(exchange.id)) throw queryError('erasure_id', 'uuid', 'expected a UUID');
  requireOwnRegion(edge, 'erasure_id', exchange.id);
  const erasure = await asked(edge.erasures.find(exchange.id.toLowerCase()));
  if (erasure?.team !== exchange.key.team) throw notFound('erasure_id');
  sendJson(edge, exchange, JSON.stringify(receiptOf(erasure)));
}

/** Throws 503 where Redis cannot be asked, or too few replicas have what is answered. */
async function asked<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof ApiError) throw error;
    throw new ApiError('unavailable', 'Erasures cannot be taken or read at the moment. Try again.');
  }
}

export const erasureRoutes = {
  eraseUser,
  eraseSession,
  eraseRun,
  eraseEvent,
  getErasure,
} satisfies RouteHandlers;
