/** Answers: status, headers and body, once for each exchange. */
import { endpointLabel } from '../../shared/api/endpoints.js';
import { ApiError, renderError } from '../../shared/api/errors.js';
import { deprecatedSince, type Version } from '../../shared/api/versions.js';
import { type Edge, type Exchange, holdAs, release } from './exchange.js';

const STATUS: Record<number, string> = {
  200: '200 OK',
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

/** Marks an exchange as over: its answer is sent, or the caller left. */
export function finish(edge: Edge, exchange: Exchange): void {
  exchange.done = true;
  edge.inFlight--;
  if (edge.inFlight === 0) edge.idle();
}

/** Answers 200 with `json`, a text or its bytes in UTF-8 (sent before this returns), unless the caller has left. */
export function sendJson(edge: Edge, exchange: Exchange, json: string | Uint8Array): void {
  if (!exchange.done) send(edge, exchange, 200, json, undefined);
}

/** Answers with an error: an ApiError as it is, anything else as 500, told to the log but not to the caller. */
export function sendError(edge: Edge, exchange: Exchange, reason: unknown): void {
  let error: ApiError;
  if (reason instanceof ApiError) error = reason;
  else {
    const route = endpointLabel(exchange.route);
    edge.logger.error({ err: reason, route, request_id: exchange.requestId }, 'request failed');
    error = new ApiError('internal_error', 'The request could not be handled. Quote request_id when you report this.');
  }
  edge.metrics.refused(error.code);
  if (!exchange.done) send(edge, exchange, error.status, renderError(error, exchange.requestId), error);
}

/** The rate of the API key, where it has one, and the limit that this 429 is about, where that is another. */
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

/** Says so where the caller uses a version that a newer one has replaced on this route (RFC 9745). */
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
  // A connection that is still sending a body we do not want, or that outlives a drain, ends here.
  const close = exchange.close || edge.leaving;
  exchange.done = true;
  // Some are answered while their body still comes in, of which nothing is kept from here on.
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
}

function writeHead(edge: Edge, exchange: Exchange, status: number, error: ApiError | undefined): void {
  const { res, key, version } = exchange;
  res.writeStatus(STATUS[status] ?? `${status}`);
  res.writeHeader('content-type', 'application/json');
  res.writeHeader('x-request-id', exchange.requestId);
  if (version !== '') res.writeHeader('service-version', version);
  const { named } = exchange.route;
  // A method that the path does not take is no use of the route.
  if (named !== undefined && status !== 405) writeDeprecation(exchange, named);
  if (key.requestsPerMinute !== null || error?.details.quota) writeLimits(edge, exchange, error);
  // Only these are answers that were waited for.
  if (exchange.wait > 0 && (status === 200 || status === 504)) {
    res.writeHeader('preference-applied', `wait=${exchange.wait}`);
  }
  if (exchange.replayed) res.writeHeader('idempotency-replayed', 'true');
  if (!error) return;
  if (status === 401) res.writeHeader('www-authenticate', 'Bearer');
  if (error.retryAfter > 0) res.writeHeader('retry-after', String(error.retryAfter));
  if (error.details.allow) res.writeHeader('allow', error.details.allow);
}

/**
 * For how long a connection is kept that nothing is sent on: uWebSockets.js looks every 4 s for those that were idle for 10 s, by a
 * count of these looks. A caller who is told does not send on a connection that is just being closed, which he could not tell
 * from a request that was lost on the way.
 */
function writeKeepAlive(res: Exchange['res']): void {
  res.writeHeader('keep-alive', 'timeout=8');
}

/**
 * The head of an answer and its length, then the connection ends: told the length of a body that does not follow,
 * uWebSockets.js would take no further request on it, nor ever time it out, and heads that nobody reads would pile up.
 * Later, not now: while it is still parsing, what is written only goes out after the close.
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
 * Sends what the connection takes now and the rest as the caller reads. What uWebSockets.js buffers by itself nobody
 * could count: a caller who asks and asks and never reads would have it hold any number of answers. As long as one is
 * not sent whole, it ends the connection at the next request.
 */
function endBody(edge: Edge, exchange: Exchange, body: string | Uint8Array): void {
  const { res } = exchange;
  const size = sizeOf(body);
  if (res.tryEnd(body, size)[1]) return;
  const start = res.getWriteOffset();
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  // A copy: what was rendered may lie in memory that the next answer is rendered into.
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

/** An answer that is made once and may be kept by callers. */
export interface Content {
  type: string;
  body: Buffer;
  /** in quotes */
  etag: string;
  cacheControl: string;
  /** of pages: what they may load */
  policy?: string;
}

/** Answers 200 with `content`, or 304 when the caller has it, unless he has left. */
export function sendContent(edge: Edge, exchange: Exchange, content: Content): void {
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

function writeContentHead({ res, requestId, version }: Exchange, content: Content, same: boolean): void {
  res.writeStatus(same ? '304 Not Modified' : STATUS[200]!);
  res.writeHeader('x-request-id', requestId);
  if (version !== '') res.writeHeader('service-version', version);
  res.writeHeader('etag', content.etag);
  res.writeHeader('cache-control', content.cacheControl);
  res.writeHeader('x-content-type-options', 'nosniff');
  if (content.policy !== undefined) res.writeHeader('content-security-policy', content.policy);
  if (!same) res.writeHeader('content-type', content.type);
}

/**
 * Sends what the connection takes now, and the rest as the caller reads. All callers are sent the same bytes, so that
 * one who never reads makes nothing be kept.
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
