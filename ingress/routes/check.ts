/** The way of every POST: read, parse, permit, dispatch, answer. What differs between kinds is in {@link CheckRoute}. */
import { ApiError, storedError, validationError } from '../../shared/api/errors.js';
import type { ResultRecord } from '../../shared/api/results/record.js';
import type { CheckKind } from '../../shared/api/types.js';
import type { CheckInput } from '../../shared/api/validate/issues.js';
import type { Scope } from '../admission/directory.js';
import { laneOf } from '../admission/lane.js';
import { fingerprintOf } from '../dispatch/idempotency-key.js';
import type { CheckRequest, Outcome } from '../dispatch/types.js';
import { type Edge, type Exchange, release } from '../http/exchange.js';
import { type Headers, isJson, isPlain, traceparentOf, waitOf } from '../http/headers.js';
import { readBody } from '../http/read-body.js';
import { sendError, sendJson } from '../http/response.js';
import { LARGE_BODY, type ParsedBody } from '../parse/body-parser.js';
import type { BodyKind, ParseResult } from '../parse/parse-body.js';

export interface CheckRoute {
  kind: CheckKind;
  /** how the body is read, where that is not its kind */
  body?: BodyKind;
  /** Where the check runs. Throws 400, 403 or 404. */
  permit(edge: Edge, exchange: Exchange, input: CheckInput): Scope;
  /** The answer to a request that leaves nothing to check. */
  nothing?(input: CheckInput): string | undefined;
  /** What the check carries beside what its kind has, where that must be looked up. Rejects with 404 or 503. */
  prepare?(edge: Edge, exchange: Exchange, input: CheckInput, scope: Scope): Promise<Partial<CheckRequest>>;
  render(record: ResultRecord): string | Uint8Array;
  /** The same, where something must be looked up for the answer. */
  renderLater?(edge: Edge, exchange: Exchange, record: ResultRecord): Promise<string>;
  /** What a request is answered whose work goes on: the 504 that says where its result will be, or the body of a 200. */
  timeout(requestId: string, scope: string, input: CheckInput, request: CheckRequest): ApiError | string;
  /** The error of a check in the words of the request that it was made of. */
  reword?(error: ApiError): ApiError;
}

/** Handles a POST of `route`'s kind. */
export function handleCheck(route: CheckRoute, edge: Edge, exchange: Exchange): void {
  readBody(edge, exchange, (pieces, length) => {
    edge.metrics.bodyBytes.observe(length);
    const media = mediaError(exchange.headers);
    if (media) end(edge, exchange, media);
    else if (length <= LARGE_BODY) {
      const body = pieces[0]!;
      const started = performance.now();
      const result = edge.parser.now(route.body ?? route.kind, body);
      edge.metrics.validation.observe((performance.now() - started) / 1000);
      proceed(route, edge, exchange, { body, result, values: 0 });
    } else {
      const started = performance.now();
      edge.parser.later(route.body ?? route.kind, pieces, exchange.key.team).then(
        (parsed) => {
          edge.metrics.validation.observe((performance.now() - started) / 1000);
          proceed(route, edge, exchange, parsed);
        },
        (error) => end(edge, exchange, error),
      );
    }
  });
}

/** The 415 of a body that is not plain JSON. */
function mediaError(headers: Headers): ApiError | undefined {
  if (!isPlain(headers)) {
    const message = 'A body with a Content-Encoding is not read. Send it as it is, without that header.';
    return new ApiError('unsupported_media_type', message, { param: 'content-encoding' });
  }
  if (isJson(headers)) return undefined;
  const message = 'Send JSON in UTF-8, as Content-Type: application/json.';
  return new ApiError('unsupported_media_type', message, { param: 'content-type' });
}

function end(edge: Edge, exchange: Exchange, error: unknown): void {
  release(edge, exchange);
  sendError(edge, exchange, error);
}

function proceed(route: CheckRoute, edge: Edge, exchange: Exchange, parsed: ParsedBody): void {
  try {
    const input = accepted(parsed.result);
    const scope = route.permit(edge, exchange, input);
    const nothing = route.nothing?.(input);
    if (nothing !== undefined) {
      release(edge, exchange);
      sendJson(edge, exchange, nothing);
      return;
    }
    // Reading the body took time; the state of things may have changed.
    const refusal = edge.dispatcher.refusal();
    if (refusal) throw refusal;
    const request = checkRequest(route, edge, exchange, { parsed, input, scope });
    if (route.prepare) {
      route.prepare(edge, exchange, input, scope).then(
        (more) => dispatch(route, edge, exchange, { input, request: { ...request, ...more } }),
        (error) => end(edge, exchange, error),
      );
    } else dispatch(route, edge, exchange, { input, request });
  } catch (error) {
    end(edge, exchange, error);
  }
}

interface Dispatched {
  input: CheckInput;
  request: CheckRequest;
}

function dispatch(route: CheckRoute, edge: Edge, exchange: Exchange, { input, request }: Dispatched): void {
  begin(edge, exchange, request, input).then(
    (outcome) => {
      release(edge, exchange);
      answer(route, edge, exchange, { outcome, input, request });
    },
    (error) => end(edge, exchange, error),
  );
}

/** With an Idempotency-Key, a retry is known by the hash of what it sends. */
function begin(edge: Edge, exchange: Exchange, request: CheckRequest, input: CheckInput): Promise<Outcome> {
  const { idempotencyKey: key } = exchange.headers;
  if (key === undefined) return edge.dispatcher.check(request);
  const { eventIds, referred, conversations } = input;
  return fingerprintOf(exchange.route.path, request.scope, request.body).then((fingerprint) =>
    edge.dispatcher.check({ ...request, conversations, retry: { key, fingerprint, eventIds, referred } }),
  );
}

function accepted(result: ParseResult): CheckInput {
  if (result.ok) return result.value;
  throw result.ok === null ? new ApiError('invalid_json', result.invalid) : validationError(result.issues);
}

function checkRequest(
  route: CheckRoute,
  edge: Edge,
  exchange: Exchange,
  { parsed, input, scope }: { parsed: ParsedBody; input: CheckInput; scope: Scope },
): CheckRequest {
  const { version, id } = edge.directory();
  const body = input.session === undefined ? parsed.body : Buffer.from(input.session);
  exchange.wait = waitOf(exchange.headers.prefer, edge.settings.deadlineMs);
  return {
    kind: route.kind,
    team: exchange.key.team,
    scope: scope.id,
    config: version,
    configId: id,
    key: exchange.key.id,
    affinity: input.affinity,
    body,
    lane: laneOf({ images: input.images, bytes: body.length, values: parsed.values }),
    references: input.references,
    ...(input.causes ? { causes: input.causes } : {}),
    ...(input.runIds ? { events: { eventIds: input.eventIds, runIds: input.runIds } } : {}),
    images: input.images,
    conversations: scope.contextDepth > 0 ? input.conversations : [],
    contextDepth: scope.contextDepth,
    received: exchange.received,
    deadlineMs: edge.settings.deadlineMs,
    ...(exchange.wait > 0 ? { waitMs: exchange.wait * 1000 } : {}),
    traceparent: traceparentOf(exchange.headers),
  };
}

function answer(
  route: CheckRoute,
  edge: Edge,
  exchange: Exchange,
  { outcome, input, request }: Dispatched & { outcome: Outcome },
): void {
  if (exchange.done) return;
  exchange.replayed = outcome.replayed === true;
  try {
    if (outcome.status === 'timeout') {
      const late = route.timeout(outcome.id, request.scope, input, request);
      if (typeof late !== 'string') throw late;
      sendJson(edge, exchange, late);
      return;
    }
    const { record } = outcome;
    // Events and artifacts carry their failures themselves; a session has no status to say it with.
    if (record.error && (record.kind === 'session' || record.items.length === 0)) {
      const error = storedError(record.error);
      throw route.reword?.(error) ?? error;
    }
    if (route.renderLater) {
      route.renderLater(edge, exchange, record).then(
        (json) => sendJson(edge, exchange, json),
        (error) => sendError(edge, exchange, error),
      );
    } else sendJson(edge, exchange, route.render(record));
  } catch (error) {
    sendError(edge, exchange, error);
  }
}

/** The 504 that all kinds share, with what each adds. */
export function timeoutError(details: ApiError['details']): ApiError {
  const message = 'The check was accepted but not finished in time. It goes on; fetch its result later.';
  return new ApiError('evaluation_timeout', message, details);
}
