/** A request with its answer (`Exchange`), and what all requests share (`Edge`). */
import type { HttpResponse } from 'uWebSockets.js';
import type { DialectName } from '../../shared/api/dialects/names.js';
import type { Endpoint, EndpointName } from '../../shared/api/endpoints.js';
import type { PolicyView } from '../../shared/api/results/explanation.js';
import type { Logger } from '../../shared/log.js';
import type { LocalNames } from '../../shared/loopback.js';
import type { Settings } from '../../shared/settings.js';
import type { Erasure, ErasureOrder } from '../../shared/streams/erasures.js';
import type { OpenSpan } from '../../shared/traces/spans.js';
import type { ApiKey, Directory } from '../admission/directory.js';
import type { FailedKeys } from '../admission/failed-keys.js';
import type { Shares } from '../admission/memory-shares.js';
import type { RateLimits, RateRefusal } from '../admission/rate-limit.js';
import type { AppealDesk } from '../appeals/desk.js';
import type { AuditTrail } from '../audit/trail.js';
import type { Dispatcher } from '../dispatch/types.js';
import type { LabelRow, RowStore } from '../labels/store.js';
import type { Logins } from '../logins/types.js';
import type { Lookup } from '../lookups/types.js';
import type { OperatorDesk } from '../operation/operation.js';
import type { Parser } from '../parse/body-parser.js';
import type { TextStreams } from '../streams/types.js';
import type { PolicyTries } from '../tries/types.js';
import type { VersionReader } from '../versions/versions.js';
import type { BodyMemory } from './body-memory.js';
import type { Headers, VersionRules } from './headers.js';
import type { EdgeMetrics, RouteMetrics } from './meters.js';
import type { TransferState, Transfers } from './transfers.js';
import type { RequestTurn, RequestTurns } from './turns.js';

/** Rejects with the error of Redis. */
export interface Erasures {
  /** undefined: there is no room for it */
  add(order: ErasureOrder): Promise<Erasure | undefined>;
  find(id: string): Promise<Erasure | undefined>;
}

export interface Tracing {
  /** Begins the span of a request, or not. */
  begin(exchange: Exchange): void;
}

/** What the routes work with. */
export interface Edge {
  dispatcher: Dispatcher;
  lookup: Lookup;
  labels: RowStore<LabelRow>;
  appeals: AppealDesk;
  audit: AuditTrail;
  /** undefined: nobody can sign in */
  logins: Logins | undefined;
  rates: RateLimits;
  streams: TextStreams;
  tries: PolicyTries;
  erasures: Erasures;
  operation: OperatorDesk;
  configurations: VersionReader;
  directory(): Directory;
  /** undefined: ready for traffic; else why not, in a sentence */
  ready(): string | undefined;
  /** undefined: this process gets on with its work; else why not, in a sentence */
  progress(): string | undefined;
  /** false: the key of this SHA-256 is treated as unknown although the configuration has it */
  keyAllowed(sha256: string, headers: Headers): boolean;
  versions: VersionRules;
  /** interfaces of other services that are served */
  dialects: ReadonlySet<DialectName>;
  /** the names that requests may be for; undefined: any */
  names: LocalNames | undefined;
  settings: Settings<'deadlineMs' | 'messageBytes' | 'maxAgeMs' | 'console'>;
  logger: Logger;
  metrics: EdgeMetrics;
  /** undefined: no request is traced */
  tracing: Tracing | undefined;
  parser: Parser;
  transfers: Transfers<Exchange>;
  turns: RequestTurns;
  failedKeys: FailedKeys;
  /** memory of unanswered bodies, and of answers that their callers have not taken yet */
  held: Shares;
  /** what bodies are copied into */
  memory: BodyMemory;
  /** requests without an answer, or with one that is still being sent */
  inFlight: number;
  draining: boolean;
  /** each connection ends with its next answer */
  leaving: boolean;
  /** called when `inFlight` has come down to 0 */
  idle(): void;
}

/**
 * Handled by callbacks, so its state is in flags:
 *
 *     on hold (`turn`) ──> reading (not `complete`) ──> complete ──> sending (`done`, `sending`) ──> over (`done`)
 *        └── caller left, or refused ──> over
 */
export interface Exchange {
  res: HttpResponse;
  route: Route;
  metrics: RouteMetrics;
  headers: Headers;
  /** as it came */
  method: string;
  /** HEAD: the answer of GET without its body */
  head: boolean;
  /** last segment of the path, where the route has one */
  id: string;
  /** undecoded query string, without `?` */
  query: string;
  requestId: string;
  /** known version that the caller sent, or '' */
  version: string;
  /** the caller's; set on every route that needs one */
  key: ApiKey;
  /** the caller's, of routes that may be told to the audit log; '' of others */
  address: string;
  /** Unix ms */
  received: number;
  /** ms of the monotonic clock */
  started: number;
  /** set while it is unknown whether the key's rate lets this request go on; its body may come in meanwhile */
  turn: Promise<RateRefusal> | undefined;
  /** set while it is counted in `turns` */
  place: RequestTurn | undefined;
  /** bytes counted in `held`: memory reserved for the body, later the rest of the answer */
  bytes: number;
  /** bytes of the body that have arrived */
  came: number;
  transfer: TransferState | undefined;
  /** the body, if its memory may be used again */
  body: Buffer | undefined;
  /** the whole body has arrived, or there is none */
  complete: boolean;
  /** answered, or the caller has left: `res` must not be touched */
  done: boolean;
  /** answered, but the caller has not taken all of the answer yet */
  sending: boolean;
  /** answer once everything that came with the request has been parsed, then close the connection */
  last: boolean;
  /** close the connection after the answer */
  close: boolean;
  /** seconds that the caller wants to wait; 0: until the deadline */
  wait: number;
  /** what the caller wants to see of policies */
  view: PolicyView;
  /** answered from the check of an earlier request with the same Idempotency-Key */
  replayed: boolean;
  /** W3C trace context of the check, or ''; recorded where there is a span */
  traceparent: string;
  span: OpenSpan | undefined;
  /** to set with the answer; absent: none */
  cookies?: readonly string[];
}

/** Counts so many bytes as held for this exchange, of its body or its answer. */
export function holdAs(edge: Edge, exchange: Exchange, bytes: number): void {
  edge.held.add(exchange.key, bytes - exchange.bytes);
  exchange.bytes = bytes;
}

/** Counts nothing as held for this exchange any more. */
export function release(edge: Edge, exchange: Exchange): void {
  holdAs(edge, exchange, 0);
}

/** Answers, now or later. What it throws or rejects with becomes an error answer. */
export type Handler = (edge: Edge, exchange: Exchange) => void | Promise<void>;

/** Handlers of some endpoints, by name. */
export type RouteHandlers = Partial<Record<EndpointName, Handler>>;

export interface Route extends Endpoint {
  /** its name in metrics, such as `GET /api/event/{internal_event_id}` */
  label: string;
  handle: Handler;
}
