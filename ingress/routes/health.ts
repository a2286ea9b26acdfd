/** Probes. They need neither key nor version (decisions, General). */
import { ApiError } from '../../shared/api/errors.js';
import type { Edge, Exchange, RouteHandlers } from '../http/exchange.js';
import { sendJson } from '../http/response.js';

const OK = '{"status":"ok"}';

function healthz(edge: Edge, exchange: Exchange): void {
  const reason = edge.progress();
  if (reason !== undefined) throw new ApiError('unavailable', reason);
  sendJson(edge, exchange, OK);
}

function readyz(edge: Edge, exchange: Exchange): void {
  if (edge.draining) throw new ApiError('shutting_down', 'This server is shutting down.');
  const reason = edge.ready();
  if (reason !== undefined) throw new ApiError('unavailable', reason);
  sendJson(edge, exchange, OK);
}

export const healthRoutes = { healthz, readyz } satisfies RouteHandlers;
