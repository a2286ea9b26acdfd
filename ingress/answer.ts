/** Answers: status, headers and body, once for each exchange. */
import { ApiError, renderError } from '../shared/api/errors.js';
import { type Edge, type Exchange, release } from './exchange.js';

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
  if (edge.draining && edge.inFlight === 0) edge.idle();
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
    edge.logger.error({ err: reason, route: exchange.route.path, request_id: exchange.requestId }, 'request failed');
    error = new ApiError('internal_error', 'The request could not be handled. Quote request_id when you report this.');
  }
  edge.metrics.refused(error.code);
  if (!exchange.done) send(edge, exchange, error.status, renderError(error, exchange.requestId), error);
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
  const close = exchange.close || edge.draining;
  exchange.done = true;
  if (exchange.head) sendHead(edge, exchange, { status, size: sizeOf(body), error });
  else {
    res.cork(() => {
      writeHead(exchange, status, error);
      if (close) res.end(body, true);
      else endBody(edge, exchange, body);
    });
    if (!exchange.sending) finish(edge, exchange);
    else if (edge.pendingBytes > edge.settings.pendingBytes) {
      edge.metrics.cutOff('unread_answers');
      res.close();
    }
  }
  exchange.metrics[(status / 100) | 0]?.observe((performance.now() - exchange.started) / 1000);
}

function writeHead({ res, requestId, version }: Exchange, status: number, error: ApiError | undefined): void {
  res.writeStatus(STATUS[status] ?? `${status}`);
  res.writeHeader('content-type', 'application/json');
  res.writeHeader('x-request-id', requestId);
  if (version !== '') res.writeHeader('service-version', version);
  if (!error) return;
  if (status === 401) res.writeHeader('www-authenticate', 'Bearer');
  if (error.retryAfter > 0) res.writeHeader('retry-after', String(error.retryAfter));
  if (error.details.allow) res.writeHeader('allow', error.details.allow);
}

/**
 * The head of an answer and its length, then the connection ends: told the length of a body that does not follow,
 * uWebSockets.js would take no further request on it, nor ever time it out. Later, not now: while it is still parsing,
 * what is written only goes out after the close.
 */
function sendHead(
  edge: Edge,
  exchange: Exchange,
  { status, size, error }: { status: number; size: number; error: ApiError | undefined },
): void {
  const { res } = exchange;
  exchange.sending = true;
  setImmediate(() => {
    // The caller has left.
    if (!exchange.sending) return;
    res.cork(() => {
      writeHead(exchange, status, error);
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
  exchange.bytes = rest.length;
  edge.pendingBytes += rest.length;
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
