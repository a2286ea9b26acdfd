/**
 * Every route, found by path. A route is an endpoint of `shared/api/endpoints.ts` and a handler of that name in the module of its
 * resource. A resource is a line here. A route without a handler does not compile.
 */
import type { DialectName } from '../../shared/api/dialects/names.js';
import { ENDPOINTS, type EndpointName, endpointLabel } from '../../shared/api/endpoints.js';
import { ApiError } from '../../shared/api/errors.js';
import { agentgatewayRoutes } from '../dialects/agentgateway.js';
import { envoyRoutes } from '../dialects/envoy.js';
import { litellmRoutes } from '../dialects/litellm.js';
import { moderationsRoutes } from '../dialects/moderations.js';
import { nemoRoutes } from '../dialects/nemo.js';
import { perspectiveRoutes } from '../dialects/perspective.js';
import { portkeyRoutes } from '../dialects/portkey.js';
import { presidioRoutes } from '../dialects/presidio.js';
import type { Handler, Route } from '../http/exchange.js';
import { appealRoutes } from './appeals.js';
import { artifactRoutes } from './artifacts.js';
import { auditRoutes } from './audit.js';
import { configurationRoutes } from './configuration.js';
import { consoleRoutes } from './console.js';
import { conversationRoutes } from './conversation.js';
import { docsRoutes } from './docs.js';
import { erasureRoutes } from './erasures.js';
import { eventRoutes } from './events.js';
import { graphRoutes } from './graph.js';
import { healthRoutes } from './health.js';
import { historyRoutes } from './history.js';
import { homeRoutes } from './home.js';
import { labelRoutes } from './labels.js';
import { loginRoutes } from './logins.js';
import { operationRoutes } from './operation.js';
import { protectRoutes } from './protect.js';
import { restoreRoutes } from './restore.js';
import { riskRoutes } from './risk.js';
import { sessionRoutes } from './sessions.js';
import { streamRoutes } from './streams.js';
import { tryRoutes } from './try.js';
import { tryManyRoutes } from './try-many.js';

const HANDLERS: Readonly<Record<EndpointName, Handler>> = {
  ...eventRoutes,
  ...sessionRoutes,
  ...artifactRoutes,
  ...graphRoutes,
  ...streamRoutes,
  ...restoreRoutes,
  ...historyRoutes,
  ...conversationRoutes,
  ...auditRoutes,
  ...erasureRoutes,
  ...protectRoutes,
  ...riskRoutes,
  ...labelRoutes,
  ...appealRoutes,
  ...tryRoutes,
  ...tryManyRoutes,
  ...configurationRoutes,
  ...operationRoutes,
  ...litellmRoutes,
  ...moderationsRoutes,
  ...perspectiveRoutes,
  ...presidioRoutes,
  ...agentgatewayRoutes,
  ...portkeyRoutes,
  ...envoyRoutes,
  ...nemoRoutes,
  ...healthRoutes,
  ...docsRoutes,
  ...loginRoutes,
  ...consoleRoutes,
  ...homeRoutes,
};

/** Every route once. */
export const ALL_ROUTES: readonly Route[] = Object.entries(ENDPOINTS).map(([name, endpoint]) => ({
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

/** The routes at one path. */
export interface PathRoutes {
  get: Route | undefined;
  post: Route | undefined;
  delete: Route | undefined;
  /** value of the header `allow` on a 405 */
  allow: string;
  /** of another service's interface */
  dialect: DialectName | undefined;
  /** all that is below, by every method, is that of `post` */
  below: boolean;
}

const exact = new Map<string, PathRoutes>();
const byId: [prefix: string, routes: PathRoutes][] = [];
for (const path of new Set(ALL_ROUTES.map((route) => route.path))) {
  const get = ALL_ROUTES.find((route) => route.path === path && route.method === 'GET');
  const post = ALL_ROUTES.find((route) => route.path === path && route.method === 'POST');
  const remove = ALL_ROUTES.find((route) => route.path === path && route.method === 'DELETE');
  const allow = [...(get ? ['GET', 'HEAD'] : []), ...(post ? ['POST'] : []), ...(remove ? ['DELETE'] : [])].join(', ');
  const routes = { get, post, delete: remove, allow, dialect: (post ?? get)?.dialect, below: post?.below === true };
  const parameter = path.indexOf('{');
  if (parameter < 0) exact.set(path, routes);
  else byId.push([path.slice(0, parameter), routes]);
}

/** The routes at `path`, and the id in its last segment, if any. `served`: interfaces of other services that are. */
export function routesAt(
  path: string,
  served: ReadonlySet<DialectName>,
): { routes: PathRoutes; id: string } | undefined {
  const routes = exact.get(path);
  if (routes) return routes.dialect === undefined || served.has(routes.dialect) ? { routes, id: '' } : undefined;
  for (const [prefix, found] of byId) {
    if (!path.startsWith(prefix) || (found.dialect !== undefined && !served.has(found.dialect))) continue;
    if (found.below) return { routes: found, id: '' };
    if (path.length === prefix.length) continue;
    const id = path.slice(prefix.length);
    if (!id.includes('/')) return { routes: found, id };
  }
  return undefined;
}
