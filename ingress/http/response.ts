/** Sends answers: status, headers and body, once for each exchange. */
import { hash } from 'node:crypto';
import { DIALECTS, statusOf } from '../../shared/api/dialects/names.js';
import { ApiError, renderError } from '../../shared/api/errors.js';
import { deprecatedSince, type Version } from '../../shared/api/versions.js';
import { UnreadFormat } from '../../shared/formats.js';
import { ownRegion } from '../../shared/region.js';
import { loggedTrace } from '../../shared/traces/context.js';
import { type Edge, type Exchange, holdAs, release } from './exchange.js';
import { endSpan } from './tracing.js';

const STATUS: Record<number, string> = {
  200: '200 OK',
  303: '303 See Other',
  400: '400 Bad Request',
  401: '401 Unauthorized',
  403: '403 Forbidden',
  404: '404 Not Found',
  405: '405 Method Not Allowed',
  409: '409 Conflict',
  413: '413 Payload Too Large',
  415: '415 Unsupported Media Type',
  429: '429 Too Many Requests',
  500: '500 Internal Server Error',
  503: '503 Service Unavailable',
  504: '504 Gateway Timeout',
};

/** Marks an exchange as over: its answer is sent, or the caller has left. */
export function finish(edge: Edge, exchange: Exchange): void {
  exchange.done = true;
  edge.inFlight--;
  if (edge.inFlight === 0) edge.idle();
}

/** Answers 200, or 202 where the route says so, with `json`, a text or its bytes in UTF-8 (copied before this returns), unless the caller has left. */
export function sendJson(edge: Edge, exchange: Exchange, json: string | Uint8Array): void {
  if (!exchange.done) send(edge, exchange, exchange.route.accepted ? 202 : 200, json, undefined);
}

/** Answers with an error: an ApiError as it is, anything else as 500, which is logged but not shown to the caller. */
export function sendError(edge: Edge, exchange: Exchange, reason: unknown): void {
  let error: ApiError;
  if (reason instanceof ApiError) error = reason;
  else if (reason instanceof UnreadFormat && reason.newer) {
    error = new ApiError('unavailable', 'The result was stored by a newer release of this service. Try again.');
  } else {
    const { route, requestId, traceparent } = exchange;
    const ids = { request_id: requestId, ...loggedTrace(traceparent) };
    edge.logger.error({ err: reason, route: route.label, ...ids }, 'request failed');
    error = new ApiError('internal_error', 'The request could not be handled. Quote request_id when you report this.');
  }
  edge.metrics.refused(error.code);
  if (!exchange.done) send(edge, exchange, statusOf(error, exchange.route.dialect), errorBody(exchange, error), error);
}

/** As the service whose interface it is says it. */
function errorBody({ route: { dialect }, requestId }: Exchange, error: ApiError): string {
  return (dialect ? DIALECTS[dialect].error : renderError)(error, requestId);
}

/** The rate of the API key, if it has one, and the limit that this 429 is about, if that is another. */
function writeLimits(edge: Edge, { res, key }: Exchange, error: ApiError | undefined): void {
  const rate = key.requestsPerMinute === null ? undefined : edge.rates.headers(key);
  const policies = rate ? [rate.policy] : [];
  const limits = rate && rate.limit !== '' ? [rate.limit] : [];
  const quota = error?.details.quota;
  if (error && quota) {
    policies.push(`"${quota.name}";q=${quota.most};w=${quota.seconds}`);
    limits.push(`"${quota.name}";r=0;t=${error.retryAfter}`);
  }
  res.writeHeader('ratelimit-policy', policies.join(', '));
  if (limits.length > 0) res.writeHeader('ratelimit', limits.join(', '));
}

/** Tells a caller that its version was replaced by a newer one on this route (RFC 9745). */
function writeDeprecation({ res, version }: Exchange, named: Version): void {
  const since = deprecatedSince(version, named);
  if (since === undefined) return;
  res.writeHeader('deprecation', `@${since}`);
  res.writeHeader('link', '</docs>; rel="deprecation"; type="text/html"');
}

function send(
  edge: Edge,
  exchange: Exchange,
  status: number,
  body: string | Uint8Array,
  error: ApiError | undefined,
): void {
  const { res } = exchange;
  // A connection ends here when it still sends a body that is not wanted, or when this process stops.
  const close = exchange.close || edge.leaving;
  exchange.done = true;
  // A request may be answered while its body still comes in: nothing of it is kept from here on.
  edge.transfers.end(exchange);
  if (!exchange.complete) release(edge, exchange);
  if (exchange.head) sendHead(edge, exchange, sizeOf(body), () => writeHead(edge, exchange, status, error));
  else {
    res.cork(() => {
      writeHead(edge, exchange, status, error);
      if (close) res.end(body, true);
      else {
        writeKeepAlive(res);
        endBody(edge, exchange, body);
      }
    });
    if (!exchange.sending) finish(edge, exchange);
    else if (edge.held.over(exchange.key)) {
      edge.metrics.cutOff('unread_answers');
      res.close();
    }
  }
  exchange.metrics[(status / 100) | 0]?.observe((performance.now() - exchange.started) / 1000);
  if (exchange.span) endSpan(exchange.span, status, error);
  edge.turns.leave(exchange);
}

function writeHead(edge: Edge, exchange: Exchange, status: number, error: ApiError | undefined): void {
  const { res, key, version } = exchange;
  res.writeStatus(STATUS[status] ?? `${status}`);
  res.writeHeader('content-type', 'application/json');
  res.writeHeader('x-request-id', exchange.requestId);
  if (version !== '') res.writeHeader('service-version', version);
  writeRegion(res);
  const { named } = exchange.route;
  // A 405 is not a use of the route.
  if (named !== undefined && status !== 405) writeDeprecation(exchange, named);
  if (key.requestsPerMinute !== null || error?.details.quota) writeLimits(edge, exchange, error);
  // Only these answers were waited for.
  if (exchange.wait > 0 && (status === 200 || status === 504)) {
    res.writeHeader('preference-applied', `wait=${exchange.wait}`);
  }
  if (exchange.cookies) writeCookies(res, exchange.cookies);
  if (exchange.replayed) res.writeHeader('idempotency-replayed', 'true');
  if (!error) return;
  if (status === 401) res.writeHeader('www-authenticate', 'Bearer');
  if (error.retryAfter > 0 && status !== 200) res.writeHeader('retry-after', String(error.retryAfter));
  if (error.details.allow) res.writeHeader('allow', error.details.allow);
}

function writeCookies(res: Exchange['res'], cookies: readonly string[]): void {
  for (const cookie of cookies) res.writeHeader('set-cookie', cookie);
}

/** Sends a browser on, unless the caller has left. */
export function redirect(
  edge: Edge,
  exchange: Exchange,
  { location, cookies }: { location: string; cookies: readonly string[] },
): void {
  if (exchange.done) return;
  const { res, head } = exchange;
  const writeRedirect = (): void => {
    res.writeStatus(STATUS[303]!);
    res.writeHeader('x-request-id', exchange.requestId);
    writeRegion(res);
    res.writeHeader('location', location);
    writeCookies(res, cookies);
  };
  exchange.done = true;
  if (head) sendHead(edge, exchange, 0, writeRedirect);
  else {
    finish(edge, exchange);
    res.cork(() => {
      writeRedirect();
      if (exchange.close || edge.leaving) res.end('', true);
      else {
        writeKeepAlive(res);
        res.end('');
      }
    });
  }
  exchange.metrics[3]?.observe((performance.now() - exchange.started) / 1000);
}

/** Of an installation that is one of several regions: which one has answered. */
function writeRegion(res: Exchange['res']): void {
  const { name } = ownRegion();
  if (name !== '') res.writeHeader('weir-region', name);
}

/**
 * How long an idle connection is kept. uWebSockets.js looks every 4 s for connections that were idle for 10 s, counted in looks. A
 * caller that knows this does not send on a connection that is just being closed: it could not tell that from a lost request.
 */
function writeKeepAlive(res: Exchange['res']): void {
  res.writeHeader('keep-alive', 'timeout=8');
}

/**
 * Sends the head of an answer with its length, then closes the connection. When a body of the announced length does not follow,
 * uWebSockets.js takes no further request on the connection and never times it out: heads that nobody reads would pile up.
 * Done later, not now: while uWebSockets.js is parsing, what is written only goes out after the close.
 */
function sendHead(edge: Edge, exchange: Exchange, size: number, write: () => void): void {
  const { res } = exchange;
  exchange.sending = true;
  setImmediate(() => {
    // The caller has left.
    if (!exchange.sending) return;
    res.cork(() => {
      write();
      res.writeHeader('connection', 'close');
      res.tryEnd('', size);
    });
    exchange.sending = false;
    finish(edge, exchange);
    res.close();
  });
}

const sizeOf = (body: string | Uint8Array): number =>
  typeof body === 'string' ? Buffer.byteLength(body) : body.length;

/**
 * Sends what the connection takes now, and the rest as the caller reads. The rest is counted here. uWebSockets.js would buffer it
 * uncounted, for a caller that asks again and again and never reads. Until an answer is sent whole, uWebSockets.js ends the
 * connection at the next request.
 */
function endBody(edge: Edge, exchange: Exchange, body: string | Uint8Array): void {
  const { res } = exchange;
  const size = sizeOf(body);
  if (res.tryEnd(body, size)[1]) return;
  const start = res.getWriteOffset();
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  // A copy: the next answer may be rendered into the same memory.
  const rest = Buffer.from(bytes.subarray(start));
  exchange.sending = true;
  holdAs(edge, exchange, rest.length);
  edge.transfers.begin(exchange);
  res.onWritable((offset) => {
    let ok = true;
    res.cork(() => {
      const [fine, sent] = res.tryEnd(rest.subarray(offset - start), size);
      ok = fine;
      if (sent) taken(edge, exchange);
    });
    return ok;
  });
}

function taken(edge: Edge, exchange: Exchange): void {
  exchange.sending = false;
  edge.transfers.end(exchange);
  release(edge, exchange);
  finish(edge, exchange);
}

/** An answer that is made once and that callers may cache. */
export interface CacheableContent {
  type: string;
  body: Buffer;
  /** in quotes */
  etag: string;
  cacheControl: string;
  /** Content-Security-Policy of a page */
  policy?: string;
  /** the header of the request that chose it among others */
  vary?: string;
}

/** Browsers ask again each time, nearly always answered 304: what is shown is never older than the server. */
const REVALIDATED = 'no-cache';

export function cacheable(type: string, from: string | Buffer): CacheableContent {
  const body = Buffer.from(from);
  const etag = `"${hash('sha256', body, 'base64url').slice(0, 27)}"`;
  return { type, body, etag, cacheControl: REVALIDATED };
}

/** Answers 200 with `content`, or 304 when the caller has it, unless the caller has left. */
export function sendContent(edge: Edge, exchange: Exchange, content: CacheableContent): void {
  if (exchange.done) return;
  const { res, head } = exchange;
  const same = exchange.headers.ifNoneMatch.split(',').some((tag) => tag.trim().replace(/^W\//, '') === content.etag);
  exchange.done = true;
  if (same || head) {
    sendHead(edge, exchange, content.body.length, () => writeContentHead(exchange, content, same));
  } else {
    finish(edge, exchange);
    res.cork(() => {
      writeContentHead(exchange, content, false);
      if (exchange.close) {
        res.end(content.body, true);
        return;
      }
      if (edge.leaving) res.writeHeader('connection', 'close');
      else writeKeepAlive(res);
      sendWhole(res, content.body);
    });
  }
  exchange.metrics[2]?.observe((performance.now() - exchange.started) / 1000);
}

function writeContentHead({ res, requestId, version }: Exchange, content: CacheableContent, same: boolean): void {
  res.writeStatus(same ? '304 Not Modified' : STATUS[200]!);
  res.writeHeader('x-request-id', requestId);
  if (version !== '') res.writeHeader('service-version', version);
  writeRegion(res);
  res.writeHeader('etag', content.etag);
  res.writeHeader('cache-control', content.cacheControl);
  res.writeHeader('x-content-type-options', 'nosniff');
  if (content.vary !== undefined) res.writeHeader('vary', content.vary);
  if (content.policy !== undefined) res.writeHeader('content-security-policy', content.policy);
  if (!same) res.writeHeader('content-type', content.type);
}

/**
 * Sends what the connection takes now, and the rest as the caller reads. All callers get the same bytes, so one that never reads
 * makes this process hold nothing.
 */
function sendWhole(res: Exchange['res'], body: Buffer): void {
  const [, whole] = res.tryEnd(body, body.length);
  if (whole) return;
  res.onWritable((offset) => {
    let fine = true;
    res.cork(() => {
      [fine] = res.tryEnd(body.subarray(offset), body.length);
    });
    return fine;
  });
}
