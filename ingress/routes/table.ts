/** Every route, found by path. */
import type { Route } from '../exchange.js';
import { getEvent, getEventById, postEvent, postEvents } from './events.js';
import { healthz, readyz } from './health.js';
import { getSession, getSessionById, postSessionCheck } from './sessions.js';

export interface PathRoutes {
  get: Route | undefined;
  post: Route | undefined;
  /** value of the header `allow` on a 405 */
  allow: string;
}

function at(...routes: Route[]): PathRoutes {
  const get = routes.find((route) => route.method === 'GET');
  const post = routes.find((route) => route.method === 'POST');
  return { get, post, allow: [...(get ? ['GET', 'HEAD'] : []), ...(post ? ['POST'] : [])].join(', ') };
}

const EXACT = new Map<string, PathRoutes>([
  ['/api/events', at(postEvents)],
  ['/api/event', at(getEvent, postEvent)],
  ['/api/session/check', at(postSessionCheck)],
  ['/api/session', at(getSession)],
  ['/healthz', at(healthz)],
  ['/readyz', at(readyz)],
]);

const BY_ID: readonly [prefix: string, routes: PathRoutes][] = [
  ['/api/event/', at(getEventById)],
  ['/api/session/', at(getSessionById)],
];

/** Every route once. */
export const ALL_ROUTES: readonly Route[] = [...EXACT.values(), ...BY_ID.map(([, routes]) => routes)].flatMap(
  ({ get, post }) => [get, post].filter((route) => route !== undefined),
);

/** The routes at `path`, and the id that its last segment is, if any. */
export function routesAt(path: string): { routes: PathRoutes; id: string } | undefined {
  const exact = EXACT.get(path);
  if (exact) return { routes: exact, id: '' };
  for (const [prefix, routes] of BY_ID) {
    if (!path.startsWith(prefix) || path.length === prefix.length) continue;
    const id = path.slice(prefix.length);
    if (!id.includes('/')) return { routes, id };
  }
  return undefined;
}
