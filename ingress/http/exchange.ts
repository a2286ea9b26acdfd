/** One request and its answer under way, and what all of them share. */
import type { HttpRequest, HttpResponse } from 'uWebSockets.js';
import type { Endpoint } from '../../shared/api/endpoints.js';
import type { Logger } from '../../shared/log.js';
import { isForwardingHeader, type LocalNames } from '../../shared/loopback.js';
import type { Settings } from '../../shared/settings.js';
import type { ApiKey, Directory } from '../admission/directory.js';
import type { Strangers } from '../admission/failed-keys.js';
import type { Shares } from '../admission/memory-shares.js';
import type { RateLimits, Turn } from '../admission/rate-limit.js';
import type { Dispatcher } from '../dispatch/types.js';
import type { Lookup } from '../lookups/types.js';
import type { Parser } from '../parse/body-parser.js';
import type { EdgeMetrics, RouteMetrics } from './metrics.js';
import type { Transfers } from './transfers.js';

/** The headers that matter, copied: a request cannot be asked once its handler has returned. */
export interface Headers {
  authorization: string;
  /** `x-api-key`, which one route takes; several of them joined by commas, which is no key */
  apiKey: string;
  serviceVersion: string;
  contentType: string;
  contentEncoding: string;
  contentLength: string;
  /** undefined: there is none; '' where it is empty, which is as doubtful as any other */
  transferEncoding: string | undefined;
  host: string;
  origin: string;
  /** a header says that a proxy passed the request on */
  forwarded: boolean;
  requestId: string;
  traceparent: string;
  ifNoneMatch: string;
  /** several of them joined by commas, which means the same */
  prefer: string;
  /** undefined: none; '' also when it came more than once */
  idempotencyKey: string | undefined;
  /** a header that must come once came more often: its name */
  repeated: string;
}

/** What the routes work with. */
export interface Edge {
  dispatcher: Dispatcher;
  lookup: Lookup;
  rates: RateLimits;
  directory(): Directory;
  /** undefined: ready for traffic; else why not */
  ready(): string | undefined;
  /** undefined: this process gets on with its work; else why not */
  progress(): string | undefined;
  keyAllowed(sha256: string, headers: Headers): boolean;
  /** the names that requests may be for; undefined: any */
  names: LocalNames | undefined;
  settings: Settings<'deadlineMs'>;
  logger: Logger;
  metrics: EdgeMetrics;
  parser: Parser;
  transfers: Transfers<Exchange>;
  strangers: Strangers;
  /** memory of bodies that are held unanswered, and of answers that their callers have not taken yet */
  held: Shares;
  /** requests without an answer, or with one that is still going out */
  inFlight: number;
  draining: boolean;
  /** each connection ends with its next answer */
  leaving: boolean;
  /** called when `inFlight` has come down to 0 */
  idle(): void;
}

export interface Exchange {
  res: HttpResponse;
  route: Route;
  metrics: RouteMetrics;
  headers: Headers;
  /** HEAD: the answer of GET without its body */
  head: boolean;
  /** last segment of the path, where the route has one */
  id: string;
  /** undecoded query string, without `?` */
  query: string;
  requestId: string;
  /** known version that the caller sent, else '' */
  version: string;
  /** who asks; set on every route that is not open */
  key: ApiKey;
  /** Unix ms */
  received: number;
  /** ms of the monotonic clock */
  started: number;
  /** set while it is not known whether the key's rate lets this request go on; its body may come in meanwhile */
  turn: Promise<Turn> | undefined;
  /** bytes counted in `held`: memory set aside for the body, later the rest of the answer */
  bytes: number;
  /** bytes of the body that have come in */
  came: number;
  /** the body has come in whole, or there is none */
  complete: boolean;
  /** answered or given up by the caller: `res` must not be touched */
  done: boolean;
  /** answered, but the caller has not taken all of the answer yet */
  sending: boolean;
  /** close the connection after the answer, which is given when all that came with the request has been parsed */
  last: boolean;
  /** close the connection after the answer */
  close: boolean;
  /** seconds that the caller wants to wait, where that is not the deadline; 0: it is */
  wait: number;
  /** answered from the check of an earlier request with the same Idempotency-Key */
  replayed: boolean;
}

/** So many bytes are held for this exchange, of its body or its answer. */
export function holdAs(edge: Edge, exchange: Exchange, bytes: number): void {
  edge.held.add(exchange.key, bytes - exchange.bytes);
  exchange.bytes = bytes;
}

/** Nothing is held for this exchange any more. */
export function release(edge: Edge, exchange: Exchange): void {
  holdAs(edge, exchange, 0);
}

/** Answers, now or later. Whatever it throws or rejects with becomes an error answer. */
export type Handler = (edge: Edge, exchange: Exchange) => void | Promise<void>;

export interface Route extends Endpoint {
  handle: Handler;
}

let current: Headers;

// One function for all requests: uWebSockets.js calls it within `forEach`, before anything else can run.
function collect(name: string, value: string): void {
  switch (name) {
    case 'authorization':
      if (current.authorization !== '') current.repeated ||= name;
      current.authorization = value;
      break;
    case 'x-api-key':
      current.apiKey = current.apiKey === '' ? value : `${current.apiKey},${value}`;
      break;
    case 'service-version':
      current.serviceVersion = value;
      break;
    case 'content-type':
      current.contentType = value;
      break;
    case 'content-encoding':
      current.contentEncoding = value;
      break;
    case 'content-length':
      if (current.contentLength !== '') current.repeated = name;
      current.contentLength = value;
      break;
    case 'transfer-encoding':
      if (current.transferEncoding !== undefined) current.repeated = name;
      current.transferEncoding = value;
      break;
    case 'host':
      // What makes the end of the request doubtful matters more.
      if (current.host !== '') current.repeated ||= name;
      current.host = value;
      break;
    case 'origin':
      // Of several none counts.
      current.origin = current.origin === '' ? value : `${current.origin} ${value}`;
      break;
    case 'x-request-id':
      current.requestId = value;
      break;
    case 'idempotency-key':
      current.idempotencyKey = current.idempotencyKey === undefined ? value : '';
      break;
    case 'traceparent':
      current.traceparent = value;
      break;
    case 'prefer':
      current.prefer = current.prefer === '' ? value : `${current.prefer},${value}`;
      break;
    case 'if-none-match':
      current.ifNoneMatch = value;
      break;
    default:
      current.forwarded ||= isForwardingHeader(name);
  }
}

/** Copies what is needed of a request's headers. */
export function readHeaders(request: HttpRequest): Headers {
  current = {
    authorization: '',
    apiKey: '',
    serviceVersion: '',
    contentType: '',
    contentEncoding: '',
    contentLength: '',
    transferEncoding: undefined,
    host: '',
    origin: '',
    forwarded: false,
    requestId: '',
    traceparent: '',
    ifNoneMatch: '',
    prefer: '',
    idempotencyKey: undefined,
    repeated: '',
  };
  request.forEach(collect);
  return current;
}

const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/** A W3C trace context as it came, or '' when it is none. */
export function traceparentOf(headers: Headers): string {
  return headers.traceparent !== '' && TRACEPARENT.test(headers.traceparent) ? headers.traceparent : '';
}

/** Whether a body is sent as it is, not compressed. */
export function isPlain({ contentEncoding }: Headers): boolean {
  return contentEncoding === '' || contentEncoding.toLowerCase() === 'identity';
}

/** Whether a body of this content type is JSON in UTF-8. */
export function isJson(headers: Headers): boolean {
  if (headers.contentType === 'application/json') return true;
  const [type = '', ...parameters] = headers.contentType.toLowerCase().split(';');
  const name = type.trim();
  if (name !== 'application/json' && !(name.endsWith('+json') && name.includes('/'))) return false;
  return parameters.every((parameter) => {
    const [attribute = '', value = ''] = parameter.split('=');
    return attribute.trim() !== 'charset' || /^"?utf-?8"?$/.test(value.trim());
  });
}
