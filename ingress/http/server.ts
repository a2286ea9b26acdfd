/**
 * The HTTP edge, on uWebSockets.js. What it asks of a request, in this order (decisions, General): that its end is
 * unambiguous; route and method; from the headers alone authentication, version, scope, rate, admission; then the size of
 * the body while it streams in, media type, JSON, validation, permission on what it names.
 *
 * States: listening → leaving (no new connections; what comes on those there are is served, and ends them) → draining (what is in
 * flight is answered, everything new is 503) → closed.
 */
import uWS, { type HttpRequest, type HttpResponse, type TemplatedApp, type us_listen_socket } from 'uWebSockets.js';
import { setTimeout as sleep } from 'node:timers/promises';
import { endpointLabel } from '../../shared/api/endpoints.js';
import { ApiError } from '../../shared/api/errors.js';
import { isId } from '../../shared/api/validate/measure.js';
import { VERSIONS, versionError } from '../../shared/api/versions.js';
import { newRequestId } from '../../shared/ids.js';
import type { Logger } from '../../shared/log.js';
import type { LocalNames } from '../../shared/loopback.js';
import type { Settings } from '../../shared/settings.js';
import { NO_CONFIGURATION } from '../../shared/streams/configuration.js';
import type { Registry } from '../../shared/telemetry.js';
import type { ApiKey, Directory } from '../admission/directory.js';
import { addressOf, createStrangers } from '../admission/failed-keys.js';
import { createShares } from '../admission/memory-shares.js';
import { type RateLimits, type Turn, tokensOf } from '../admission/rate-limit.js';
import { idempotencyKeyError } from '../dispatch/idempotency-key.js';
import type { Dispatcher } from '../dispatch/types.js';
import type { Lookup } from '../lookups/types.js';
import { createParser } from '../parse/body-parser.js';
import { ALL_ROUTES, routesAt } from '../routes/table.js';
import { authenticate, scopeError } from './auth.js';
import { createConnections } from './connections.js';
import { type Edge, type Exchange, type Headers, type Route, readHeaders, release } from './exchange.js';
import { afterParsing, framingError, isDoubtful, originError } from './framing.js';
import { createMetrics, type RouteMetrics } from './metrics.js';
import { bodyRefusal } from './read-body.js';
import { finish, sendError } from './response.js';
import { createTransfers } from './transfers.js';

export interface ServerOptions {
  dispatcher: Dispatcher;
  lookup: Lookup;
  rates: RateLimits;
  /** the configuration in force */
  directory(): Directory;
  /** undefined: ready for traffic; else why not, in a sentence */
  ready(): string | undefined;
  /** undefined: this process gets on with its work; else why not, in a sentence */
  progress(): string | undefined;
  settings: Settings<
    | 'host'
    | 'port'
    | 'deadlineMs'
    | 'pendingBytes'
    | 'transferMs'
    | 'stallMs'
    | 'bodyValues'
    | 'parseMs'
    | 'failedKeys'
    | 'addressConnections'
    | 'drainMs'
  >;
  registry: Registry;
  logger: Logger;
  /** true: fail when any other process has the port; else several ingress processes of a host share it */
  exclusive?: boolean;
  /** false: the key of this SHA-256 is treated as unknown although the configuration has it */
  keyAllowed?(sha256: string, headers: Headers): boolean;
  /** the names that requests may be for; default: any */
  names?: LocalNames | undefined;
}

export interface IngressServer {
  port: number;
  /** Leaves: resolves when nothing is in flight, at the latest after `limitMs`. */
  quiesce(limitMs: number): Promise<void>;
  /** Drains for at most `drainMs`, then closes what is left. */
  close(): Promise<void>;
}

const NO_ROUTE: Route = {
  method: 'GET',
  path: 'none',
  versions: [],
  scope: null,
  handle() {
    throw new ApiError('not_found', 'There is no such route.');
  },
};
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
 * An unread body of up to this many bytes is taken in and dropped after the answer: closing on a caller who is still
 * sending resets the connection, and many clients then never see the answer.
 */
const WORTH_DRAINING = 128 * 1024 * 1024;
const FLUSH_MS = 50;

/** Starts listening. Rejects when the address is taken. */
export async function createServer(options: ServerOptions): Promise<IngressServer> {
  const parser = createParser(options.settings, options);
  const edge: Edge = {
    dispatcher: options.dispatcher,
    lookup: options.lookup,
    rates: options.rates,
    directory: options.directory,
    ready: options.ready,
    progress: options.progress,
    keyAllowed: options.keyAllowed ?? (() => true),
    names: options.names,
    settings: options.settings,
    logger: options.logger,
    metrics: createMetrics(options.registry, () => edge),
    parser,
    transfers: createTransfers(options.settings, (exchange, why) => {
      edge.metrics.cutOff(why);
      exchange.res.close();
    }),
    strangers: createStrangers(options.settings.failedKeys, options),
    held: createShares(options.settings.pendingBytes),
    inFlight: 0,
    draining: false,
    leaving: false,
    idle() {},
  };
  const metrics = new Map(
    [...ALL_ROUTES, NO_ROUTE].map((route) => [
      route,
      edge.metrics.route(route === NO_ROUTE ? 'none' : endpointLabel(route)),
    ]),
  );
  const app = uWS.App();
  app.any('/*', (res, req) => begin(edge, metrics, res, req));
  let port = 0;
  const connections = createConnections(options.settings.addressConnections, () => port, options);
  app.filter((res, change) => connections.changed(res, Number(change)));
  const socket = await listen(app, options);
  if (socket === false) {
    throw new Error(`Cannot listen on ${options.settings.host}:${options.settings.port}; is the port taken?`);
  }
  port = uWS.us_socket_local_port(socket as unknown as uWS.us_socket);
  let closed: Promise<void> | undefined;
  function leave(): void {
    if (edge.leaving) return;
    edge.leaving = true;
    uWS.us_listen_socket_close(socket as us_listen_socket);
  }
  async function close(): Promise<void> {
    leave();
    edge.draining = true;
    await drained(edge, options.settings.drainMs);
    // What was answered last may still be on its way through the socket's buffer.
    await sleep(FLUSH_MS);
    app.close();
    edge.transfers.close();
    await parser.close();
  }
  return {
    port,
    quiesce(limitMs) {
      leave();
      return drained(edge, limitMs);
    },
    close() {
      closed ??= close();
      return closed;
    },
  };
}

/** `LIBUS_LISTEN_EXCLUSIVE_PORT` of uSockets, which the types put in an enum that does not exist at run time. */
const EXCLUSIVE_PORT = 1;
// uWebSockets.js takes options after host and port, too; its types know them only without a host.
type Listen = (host: string, port: number, flags: number, done: (socket: us_listen_socket | false) => void) => void;

function listen(app: TemplatedApp, options: ServerOptions): Promise<us_listen_socket | false> {
  const { host, port } = options.settings;
  const flags = options.exclusive ? EXCLUSIVE_PORT : 0;
  return new Promise((resolve) => {
    (app.listen as unknown as Listen).call(app, host, port, flags, resolve);
  });
}

function drained(edge: Edge, limitMs: number): Promise<void> {
  if (edge.inFlight === 0) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, limitMs);
    edge.idle = () => {
      clearTimeout(timer);
      resolve();
    };
  });
}

function begin(edge: Edge, metrics: Map<Route, RouteMetrics>, res: HttpResponse, req: HttpRequest): void {
  const headers = readHeaders(req);
  const method = req.getCaseSensitiveMethod();
  const head = method === 'HEAD';
  const match = routesAt(req.getUrl());
  const paths = match?.routes;
  const route = method === 'POST' ? paths?.post : method === 'GET' || head ? paths?.get : undefined;
  const used = route ?? paths?.get ?? paths?.post ?? NO_ROUTE;
  const now = Date.now();
  const version = (VERSIONS as readonly string[]).includes(headers.serviceVersion) ? headers.serviceVersion : '';
  const last = isDoubtful(headers);
  const exchange: Exchange = {
    res,
    route: used,
    metrics: metrics.get(used)!,
    headers,
    head,
    id: match?.id ?? '',
    // Its types say otherwise, but without a `?` there is none.
    query: req.getQuery() ?? '',
    requestId: isId(headers.requestId) ? headers.requestId : newRequestId(0, now),
    version,
    key: NOBODY,
    received: now,
    started: performance.now(),
    turn: undefined,
    bytes: 0,
    came: 0,
    complete: true,
    done: false,
    sending: false,
    last,
    close: last,
    replayed: false,
    wait: 0,
  };
  edge.inFlight++;
  res.onAborted(() => {
    if (exchange.done && !exchange.sending) return;
    edge.metrics.aborted.inc();
    edge.transfers.end(exchange);
    // Bytes of a body that never became a check, or of an answer; those of a check are released when it settles.
    if (!exchange.complete || exchange.sending) release(edge, exchange);
    exchange.sending = false;
    finish(edge, exchange);
  });
  try {
    const refusal =
      framingError(headers) ?? originError(edge.names, headers) ?? headerError(edge, exchange, { match: paths, route });
    if (refusal) refuse(edge, exchange, refusal);
    else take(edge, exchange);
  } catch (error) {
    sendError(edge, exchange, error);
  }
}

function take(edge: Edge, exchange: Exchange): void {
  const turn =
    exchange.key.requestsPerMinute === null
      ? undefined
      : edge.rates.take(exchange.key, tokensOf(Number(exchange.headers.contentLength)));
  count(edge, exchange, exchange.last ? afterParsing(turn) : turn);
}

/** What follows when the headers are in order and it is this request's turn. */
function admit(edge: Edge, exchange: Exchange): void {
  const refusal = postError(edge, exchange);
  if (refusal) refuse(edge, exchange, refusal);
  else handle(edge, exchange);
}

function handle(edge: Edge, exchange: Exchange): void {
  exchange.route.handle(edge, exchange)?.catch((error: unknown) => sendError(edge, exchange, error));
}

/** A request is refused, admitted, or on hold until Redis has counted it or what came with it is parsed. */
function count(edge: Edge, exchange: Exchange, turn: Turn | Promise<Turn>): void {
  if (!(turn instanceof Promise)) {
    if (turn) refuse(edge, exchange, turn);
    else admit(edge, exchange);
    return;
  }
  exchange.turn = turn;
  // A body comes whether or not it is wanted, so its reader must be there at once; it holds it until its turn.
  const reads = exchange.route.method === 'POST';
  const refusal = postError(edge, exchange);
  if (reads && !refusal) handle(edge, exchange);
  void turn.then((late) => {
    if (exchange.done) return;
    if (late) release(edge, exchange);
    const error = late ?? refusal;
    if (error) refuse(edge, exchange, error);
    else if (!reads) startLate(edge, exchange);
  });
}

function startLate(edge: Edge, exchange: Exchange): void {
  try {
    handle(edge, exchange);
  } catch (error) {
    sendError(edge, exchange, error);
  }
}

function headerError(
  edge: Edge,
  exchange: Exchange,
  { match, route }: { match: { allow: string } | undefined; route: Route | undefined },
): ApiError | undefined {
  if (!match) return new ApiError('not_found', 'There is no such route.');
  if (!route) {
    return new ApiError('method_not_allowed', `This route takes ${match.allow}.`, { allow: match.allow });
  }
  if (route.scope === null) return undefined;
  if (edge.draining) return new ApiError('shutting_down', 'This server is shutting down. Try again.');
  // Not a 401, which says that the key is wrong: nobody knows the keys of an installation without a configuration.
  if (edge.directory().version === 0) return new ApiError('unavailable', NO_CONFIGURATION);
  const key = authenticate(edge, exchange, route.apiKeyHeader);
  if (key instanceof ApiError) return edge.strangers.refusal(addressOf(exchange.res)) ?? key;
  exchange.key = key;
  return versionError(exchange.headers.serviceVersion, route.versions) ?? scopeError(key, route.scope);
}

/** What the headers of a POST say of its body, and whether there is room for it. */
function postError(edge: Edge, exchange: Exchange): ApiError | undefined {
  if (exchange.route.method === 'GET') return undefined;
  return idempotencyKeyError(exchange.headers) ?? edge.dispatcher.refusal() ?? bodyRefusal(edge, exchange);
}

function refuse(edge: Edge, exchange: Exchange, error: ApiError): void {
  if (exchange.last) {
    setImmediate(() => sendError(edge, exchange, error));
    return;
  }
  exchange.close = Number(exchange.headers.contentLength) > WORTH_DRAINING;
  sendError(edge, exchange, error);
}
