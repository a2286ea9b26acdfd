/**
 * A request from its headers to its handler. What is asked of it, in this order (decisions, General): that its end is
 * unambiguous; that it is for this machine, where only this machine is served; route and method; key, version, scope; rate; of
 * a POST Idempotency-Key, overload and announced length. The body and what is in it follow in the handler.
 *
 *     headers ──not in order──────> refused
 *        └── rate ──no token──────> refused
 *             ├── token ──> admitted ──POST that cannot be taken──> refused
 *             │                └──> handled
 *             └── Redis is asked, or what came with it is parsed ──> on hold; a POST is read meanwhile ──> as above
 */
import type { HttpRequest, HttpResponse } from 'uWebSockets.js';
import { ApiError } from '../../shared/api/errors.js';
import { PLAIN_VIEW } from '../../shared/api/results/explanation.js';
import { isId } from '../../shared/api/validate/measure.js';
import { VERSIONS, versionError } from '../../shared/api/versions.js';
import { newRequestId } from '../../shared/ids.js';
import { NO_CONFIGURATION } from '../../shared/streams/configuration.js';
import type { ApiKey } from '../admission/directory.js';
import { addressOf } from '../admission/failed-keys.js';
import { type RateRefusal, tokensOf } from '../admission/rate-limit.js';
import { idempotencyKeyError } from '../dispatch/idempotency/key.js';
import { NO_ROUTE, type PathRoutes, routesAt } from '../routes/table.js';
import { authenticate, contentError, scopeError, sessionOf, signedIn } from './auth.js';
import { type Edge, type Exchange, holdAs, type Route, release } from './exchange.js';
import { afterParsing, framingError, isDoubtful, originError } from './framing.js';
import { readHeaders, traceparentOf } from './headers.js';
import type { RouteMetrics } from './meters.js';
import { bodyRefusal } from './read-body.js';
import { finish, sendError } from './response.js';

const NOBODY: ApiKey = {
  id: '',
  team: '',
  deployments: new Set(),
  defaultDeployment: '',
  environments: new Set(),
  scopes: new Set(),
  expiresAt: null,
  requestsPerMinute: null,
};
/**
 * An unread body of up to this many bytes is received and dropped after the answer: closing on a caller that is still sending
 * resets the connection, and many clients then never see the answer.
 */
const WORTH_DRAINING = 128 * 1024 * 1024;

/** Takes a request that uWebSockets.js has read the headers of. `metrics` has every route, and {@link NO_ROUTE}. */
export function receive(edge: Edge, metrics: Map<Route, RouteMetrics>, res: HttpResponse, req: HttpRequest): void {
  const headers = readHeaders(req, edge.versions);
  const method = req.getCaseSensitiveMethod();
  const head = method === 'HEAD';
  const match = routesAt(req.getUrl(), edge.dialects);
  const paths = match?.routes;
  const route = routeOf(paths, method);
  const used = route ?? paths?.get ?? paths?.post ?? paths?.delete ?? NO_ROUTE;
  const now = Date.now();
  const last = isDoubtful(headers, method);
  const exchange: Exchange = {
    res,
    route: used,
    metrics: metrics.get(used)!,
    headers,
    method,
    head,
    id: match?.id ?? '',
    // Despite its type it is undefined without a `?`.
    query: used.below ? '' : (req.getQuery() ?? ''),
    requestId: isId(headers.requestId) ? headers.requestId : newRequestId(0, now),
    version: (VERSIONS as readonly string[]).includes(headers.serviceVersion) ? headers.serviceVersion : '',
    key: NOBODY,
    address: '',
    received: now,
    started: performance.now(),
    turn: undefined,
    place: undefined,
    bytes: 0,
    came: 0,
    transfer: undefined,
    body: undefined,
    complete: true,
    done: false,
    sending: false,
    last,
    close: last,
    replayed: false,
    wait: 0,
    view: PLAIN_VIEW,
    traceparent: traceparentOf(headers),
    span: undefined,
  };
  edge.inFlight++;
  res.onAborted(() => abort(edge, exchange));
  try {
    const refusal = headersError(edge, exchange, paths, route);
    if (refusal) refuse(edge, exchange, refusal);
    else {
      edge.tracing?.begin(exchange);
      takeTurn(edge, exchange);
    }
  } catch (error) {
    sendError(edge, exchange, error);
  }
}

function routeOf(paths: PathRoutes | undefined, method: string): Route | undefined {
  if (method === 'POST' || paths?.below) return paths?.post;
  if (method === 'GET' || method === 'HEAD') return paths?.get;
  return method === 'DELETE' ? paths?.delete : undefined;
}

/** The caller has left. */
function abort(edge: Edge, exchange: Exchange): void {
  if (exchange.done && !exchange.sending) return;
  edge.metrics.aborted.inc();
  // That of an answer has ended with it.
  if (!exchange.done) exchange.span?.end('aborted');
  edge.transfers.end(exchange);
  // Bytes of a body that never became a check, or of an answer. Those of a check are released when it settles.
  if (!exchange.complete || exchange.sending) release(edge, exchange);
  exchange.sending = false;
  finish(edge, exchange);
}

function headersError(
  edge: Edge,
  exchange: Exchange,
  paths: PathRoutes | undefined,
  route: Route | undefined,
): ApiError | undefined {
  const { headers } = exchange;
  const doubt = framingError(headers) ?? originError(edge.names, headers);
  if (doubt) return doubt;
  if (!paths) return new ApiError('not_found', 'There is no such route.');
  if (!route) {
    return new ApiError('method_not_allowed', `This route takes ${paths.allow}.`, { allow: paths.allow });
  }
  if (route.scope === null) return undefined;
  if (edge.draining) return new ApiError('shutting_down', 'This server is shutting down. Try again.');
  // Not a 401, which says that the key is wrong: without a configuration nobody knows the keys.
  if (edge.directory().version === 0) return new ApiError('unavailable', NO_CONFIGURATION);
  // While the caller is there. Checks are not told to the audit log.
  if (route.scope !== 'check' || route.audited) exchange.address = addressOf(exchange.res);
  if (sessionOf(edge, exchange) !== '') return undefined;
  return keyError(edge, exchange, authenticate(edge, exchange, route));
}

/** What the key of a request, or its person, may not do. */
function keyError(edge: Edge, exchange: Exchange, key: ApiKey | ApiError): ApiError | undefined {
  const { headers, route } = exchange;
  if (key instanceof ApiError) {
    const address = exchange.address || addressOf(exchange.res);
    return (key.code === 'permission_denied' ? undefined : edge.failedKeys.refusal(address, exchange.requestId)) ?? key;
  }
  exchange.key = key;
  return (
    versionError(headers.serviceVersion, route.versions) ??
    scopeError(key, route.scope!) ??
    scopeError(key, route.also ?? 'any') ??
    contentError(exchange)
  );
}

/** Who has signed in is asked of Redis. A body may come in meanwhile, and counts as nobody's until then. */
async function askPerson(edge: Edge, exchange: Exchange, token: string): Promise<RateRefusal> {
  try {
    const person = await signedIn(edge.logins!, exchange, token);
    const { bytes } = exchange;
    release(edge, exchange);
    const refusal = exchange.done ? undefined : keyError(edge, exchange, person);
    if (!exchange.done) holdAs(edge, exchange, bytes);
    return refusal;
  } catch (error) {
    return error instanceof ApiError ? error : new ApiError('internal_error', 'The request could not be handled.');
  }
}

function takeTurn(edge: Edge, exchange: Exchange): void {
  const token = exchange.route.scope === null ? '' : sessionOf(edge, exchange);
  if (token !== '') {
    const known = askPerson(edge, exchange, token);
    hold(edge, exchange, exchange.last ? known.then(afterParsing) : known);
    return;
  }
  const turn =
    exchange.key.requestsPerMinute === null
      ? undefined
      : edge.rates.take(exchange.key, tokensOf(Number(exchange.headers.contentLength)));
  if (turn instanceof Promise) hold(edge, exchange, exchange.last ? afterParsing(turn) : turn);
  else if (exchange.last) hold(edge, exchange, afterParsing(turn));
  else if (turn) refuse(edge, exchange, turn);
  else admit(edge, exchange);
}

function admit(edge: Edge, exchange: Exchange): void {
  const refusal = postError(edge, exchange);
  if (refusal) refuse(edge, exchange, refusal);
  else handle(edge, exchange);
}

/** Until its turn is known: Redis has to count it, or what came with it has to be parsed first. */
function hold(edge: Edge, exchange: Exchange, turn: Promise<RateRefusal>): void {
  exchange.turn = turn;
  // A body arrives at once, wanted or not, so its reader must be there. It holds the body until the turn is known.
  const reads = exchange.route.method === 'POST';
  const refusal = postError(edge, exchange);
  if (reads && !refusal) handle(edge, exchange);
  void turn.then((late) => {
    if (exchange.done) return;
    if (late) release(edge, exchange);
    const error = late ?? refusal;
    if (error) refuse(edge, exchange, error);
    else if (!reads) handleSafely(edge, exchange);
  });
}

function handle(edge: Edge, exchange: Exchange): void {
  exchange.route.handle(edge, exchange)?.catch((error: unknown) => sendError(edge, exchange, error));
}

function handleSafely(edge: Edge, exchange: Exchange): void {
  try {
    handle(edge, exchange);
  } catch (error) {
    sendError(edge, exchange, error);
  }
}

/** Why a POST is refused by its headers alone. */
function postError(edge: Edge, exchange: Exchange): ApiError | undefined {
  if (exchange.route.method !== 'POST') return undefined;
  const refusal = exchange.route.alone ? undefined : edge.dispatcher.refusal();
  return idempotencyKeyError(exchange.headers) ?? refusal ?? bodyRefusal(edge, exchange);
}

function refuse(edge: Edge, exchange: Exchange, error: ApiError): void {
  if (exchange.last) {
    setImmediate(() => sendError(edge, exchange, error));
    return;
  }
  exchange.close = Number(exchange.headers.contentLength) > WORTH_DRAINING;
  sendError(edge, exchange, error);
}
