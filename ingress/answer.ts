/** Answers: status, headers and body, once for each exchange. */
import { ApiError, renderError } from '../shared/api/errors.js';
import type { Edge, Exchange } from './exchange.js';

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

/** Marks an exchange as over, by an answer or because the caller left. */
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
  finish(edge, exchange);
  res.cork(() => {
    res.writeStatus(STATUS[status] ?? `${status}`);
    res.writeHeader('content-type', 'application/json');
    res.writeHeader('x-request-id', exchange.requestId);
    if (exchange.version !== '') res.writeHeader('service-version', exchange.version);
    if (exchange.key.requestsPerMinute !== null) {
      const { policy, limit } = edge.rates.headers(exchange.key);
      res.writeHeader('ratelimit-policy', policy);
      if (limit !== '') res.writeHeader('ratelimit', limit);
    }
    if (exchange.replayed) res.writeHeader('idempotency-replayed', 'true');
    if (error) {
      if (status === 401) res.writeHeader('www-authenticate', 'Bearer');
      if (error.retryAfter > 0) res.writeHeader('retry-after', String(error.retryAfter));
      if (error.details.allow) res.writeHeader('allow', error.details.allow);
    }
    if (exchange.head) res.endWithoutBody(typeof body === 'string' ? Buffer.byteLength(body) : body.length, close);
    else res.end(body, close);
  });
  exchange.metrics[(status / 100) | 0]?.observe((performance.now() - exchange.started) / 1000);
}
