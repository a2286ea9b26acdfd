/** Authentication and permissions (section 5): where 401, 403 and the 404 of foreign ids come from. */
import { hash, timingSafeEqual } from 'node:crypto';
import type { Endpoint } from '../../shared/api/endpoints.js';
import { ApiError } from '../../shared/api/errors.js';
import type { ApiKey, KeyScope, Scope } from '../admission/directory.js';
import { addressOf } from '../admission/failed-keys.js';
import type { Logins } from '../logins/types.js';
import type { Edge, Exchange } from './exchange.js';
import type { Headers } from './headers.js';
import { asksForContent, readQuery } from './query.js';

const BEARER = /^bearer +(\S+) *$/i;

/** The API key in the `Authorization` header. It lives as long as the request: nothing may keep it. */
export const bearerOf = ({ authorization }: Headers): string | undefined => BEARER.exec(authorization)?.[1];

/**
 * The key of a request, or the 401. Unknown, expired and revoked keys look alike. It is in the `Authorization` header, and may be elsewhere,
 * or nowhere, on routes that say so.
 */
export function authenticate(
  edge: Edge,
  exchange: Exchange,
  { apiKeyHeader, keyHeaderOnly, keyInQuery, keyless }: Endpoint,
): ApiKey | ApiError {
  const { headers, received: now } = exchange;
  const bearer = keyHeaderOnly ? undefined : bearerOf(headers);
  const elsewhere = (apiKeyHeader || keyHeaderOnly ? headers.apiKey : '') || (keyInQuery ? keyIn(exchange.query) : '');
  const token = elsewhere === '' ? bearer : elsewhere;
  if (token === undefined) {
    const known = keyless ? keyOfAddress(edge, exchange) : undefined;
    if (known) return known;
    const header = keyHeaderOnly ? 'x-api-key: <API key>' : 'Authorization: Bearer <API key>';
    return new ApiError('missing_api_key', `The header ${header} is missing.`);
  }
  // Keys are stored and found by their hash alone: comparing secrets byte by byte would leak them by timing.
  const sha256 = hash('sha256', token);
  const key = edge.directory().key(sha256);
  const live = key !== undefined && (key.expiresAt === null || key.expiresAt > now);
  // Of two different keys neither counts: the caller must not depend on which header a server reads first.
  const contradicted =
    !keyHeaderOnly && ((token !== bearer && headers.authorization !== '') || headers.repeated === 'authorization');
  if (!live || contradicted || !edge.keyAllowed(sha256, headers)) {
    return new ApiError('invalid_api_key', 'The API key is not valid.');
  }
  return key;
}

/**
 * The key of a request that has none, by its address. Not of one that a proxy has passed on, whose caller has another address, nor of one from
 * a page, whose reader did not ask for it.
 */
function keyOfAddress(edge: Edge, { headers, res, received: now }: Exchange): ApiKey | undefined {
  const { authorization, apiKey, forwarded, origin } = headers;
  if (authorization !== '' || apiKey !== '' || forwarded || origin !== '') return undefined;
  const known = edge.directory().keyOf(addressOf(res));
  if (!known || !edge.keyAllowed(known.sha256, headers)) return undefined;
  const { key } = known;
  if (key.expiresAt !== null && key.expiresAt <= now) return undefined;
  edge.metrics.keyless.inc();
  return key;
}

/**
 * What a request has in its cookie, in place of a key; '' where that does not count. It counts on routes that people use, and nowhere where a
 * program checks something: a browser sends it with every request, whoever has made the page ask.
 */
export function sessionOf({ logins }: Edge, { headers, route }: Exchange): string {
  if (!logins || headers.cookie === '' || headers.authorization !== '' || headers.apiKey !== '') return '';
  return route.scope === 'check' || route.dialect ? '' : logins.tokenIn(headers.cookie);
}

/** Whoever has signed in, or the 401 or 403. */
export async function signedIn(logins: Logins, exchange: Exchange, token: string): Promise<ApiKey | ApiError> {
  const person = await logins.find(token);
  if (!person) return new ApiError('invalid_api_key', 'You have signed out, or it was too long ago. Sign in again.');
  return csrfError(logins, exchange, token) ?? person;
}

/** The 403 of a request that changes something, and did not come from a page of this server. */
export function csrfError(
  logins: Logins,
  { route, headers }: Pick<Exchange, 'route' | 'headers'>,
  token: string,
): ApiError | undefined {
  if (route.method === 'GET') return undefined;
  const [expected, sent] = [Buffer.from(logins.csrfToken(token)), Buffer.from(headers.csrfToken)];
  if (expected.length === sent.length && timingSafeEqual(expected, sent)) return undefined;
  const message = 'A request that comes with a cookie needs the header x-csrf-token, as /console/session says it.';
  return new ApiError('permission_denied', message, { param: 'x-csrf-token' });
}

/** The key in a query; '' where there is none, or more than one. */
function keyIn(query: string): string {
  try {
    return readQuery(query, ['key']).key;
  } catch {
    return '';
  }
}

/** The 403 of a key that lacks the scope which a route needs. */
export function scopeError(key: ApiKey, scope: KeyScope | 'any'): ApiError | undefined {
  if (scope === 'any' || key.scopes.has(scope)) return undefined;
  return new ApiError('permission_denied', `The API key does not have the scope ${scope}, which this route needs.`);
}

/** The 403 of a key that may not be shown content, where the query asks for that. */
export function contentError(exchange: Exchange): ApiError | undefined {
  if (exchange.key.scopes.has('content') || !asksForContent(exchange)) return undefined;
  const message =
    'The API key does not have the scope content, which matched=true needs. Leave that out, or use another key.';
  return new ApiError('permission_denied', message, { param: 'matched' });
}

/** The 404 of the parameter that named nothing. Absent ids and ids of others get exactly the same answer. */
export function notFound(param: string): ApiError {
  return new ApiError('not_found', `There is no such ${param}, or none that this API key may see.`, { param });
}

/**
 * Where a POST runs. Throws 404 when the scope is absent or of another team, 403 when it is the team's own but was not granted
 * to this key.
 */
export function writableScope(edge: Edge, key: ApiKey, kind: 'environment' | 'deployment', id: string): Scope {
  const directory = edge.directory();
  const scope = kind === 'environment' ? directory.environment(key.team, id) : directory.deployment(key.team, id);
  const granted = kind === 'environment' ? key.environments : key.deployments;
  if (scope === undefined) throw notFound(`${kind}_id`);
  if (!granted.has(id)) {
    throw new ApiError('permission_denied', `The API key was not granted this ${kind}.`, { param: `${kind}_id` });
  }
  return scope;
}
