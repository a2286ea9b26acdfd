/** Probes. Neither key nor version is needed (decisions, General). */
import { ApiError } from '../../shared/api/errors.js';
import { sendJson } from '../answer.js';
import type { Edge, Exchange, Route } from '../exchange.js';

const OK = '{"status":"ok"}';

function alive(edge: Edge, exchange: Exchange): void {
  const reason = edge.progress();
  if (reason !== undefined) throw new ApiError('unavailable', reason);
  sendJson(edge, exchange, OK);
}

function ready(edge: Edge, exchange: Exchange): void {
  if (edge.draining) throw new ApiError('shutting_down', 'This server is shutting down.');
  const reason = edge.ready();
  if (reason !== undefined) throw new ApiError('unavailable', reason);
  sendJson(edge, exchange, OK);
}

const common = { method: 'GET' as const, open: true, versions: [], scope: 'read' as const };

export const healthz: Route = { ...common, name: 'GET /healthz', handle: alive };
export const readyz: Route = { ...common, name: 'GET /readyz', handle: ready };
