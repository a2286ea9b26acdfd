/** Every route, found by path. */
import { ENDPOINTS, type Endpoint, type EndpointName, endpointLabel } from '../../shared/api/endpoints.js';
import { ApiError } from '../../shared/api/errors.js';
import type { Handler, Route } from '../http/exchange.js';
import { getArtifact, postArtifact } from './artifacts.js';
import { getDocs, getDocsFile, getOpenapi } from './docs.js';
import { getEvent, getEventById, postEvent, postEvents } from './events.js';
import { getRunGraph } from './graph.js';
import { postGuardrail } from './guardrail.js';
import { alive, ready } from './health.js';
import { getProtect } from './protect.js';
import { getRisk } from './risk.js';
import { getSession, getSessionById, postSession, postSessionCheck } from './sessions.js';

const HANDLERS: Record<EndpointName, Handler> = {
  checkEvents: postEvents,
  checkEvent: postEvent,
  findEvent: getEvent,
  getEvent: getEventById,
  checkSession: postSessionCheck,
  createSession: postSession,
  findSession: getSession,
  getSession: getSessionById,
  checkArtifact: postArtifact,
  getArtifact,
  getRunGraph,
  getProtect,
  getRisk,
  litellmGuardrail: postGuardrail,
  healthz: alive,
  readyz: ready,
  getOpenapi,
  getDocs,
  getDocsFile,
};

/** Every route once. */
export const ALL_ROUTES: readonly Route[] = Object.entries<Endpoint>(ENDPOINTS).map(([name, endpoint]) => ({
  ...endpoint,
  label: endpointLabel(endpoint),
  handle: HANDLERS[name as EndpointName],
}));

/** Stands for the route of a path that has none. */
export const NO_ROUTE: Route = {
  method: 'GET',
  path: 'none',
  label: 'none',
  versions: [],
  scope: null,
  handle() {
    throw new ApiError('not_found', 'There is no such route.');
  },
};

export interface PathRoutes {
  get: Route | undefined;
  post: Route | undefined;
  /** value of the header `allow` on a 405 */
  allow: string;
}

const exact = new Map<string, PathRoutes>();
const byId: [prefix: string, routes: PathRoutes][] = [];
for (const path of new Set(ALL_ROUTES.map((route) => route.path))) {
  const get = ALL_ROUTES.find((route) => route.path === path && route.method === 'GET');
  const post = ALL_ROUTES.find((route) => route.path === path && route.method === 'POST');
  const routes = { get, post, allow: [...(get ? ['GET', 'HEAD'] : []), ...(post ? ['POST'] : [])].join(', ') };
  const parameter = path.indexOf('{');
  if (parameter < 0) exact.set(path, routes);
  else byId.push([path.slice(0, parameter), routes]);
}

/** The routes at `path`, and the id that its last segment is, if any. */
export function routesAt(path: string): { routes: PathRoutes; id: string } | undefined {
  const routes = exact.get(path);
  if (routes) return { routes, id: '' };
  for (const [prefix, found] of byId) {
    if (!path.startsWith(prefix) || path.length === prefix.length) continue;
    const id = path.slice(prefix.length);
    if (!id.includes('/')) return { routes: found, id };
  }
  return undefined;
}
