/** A client of the service, with a method for each endpoint that programs call. */
import { ENDPOINTS } from '../api/endpoints.js';
import type {
  Appeal,
  AppealRequest,
  ArtifactRequest,
  ArtifactResult,
  EventRequest,
  EventResult,
  EventsRequest,
  EventType,
  ItemAppeals,
  LabelQueue,
  LabelRequest,
  LabelResult,
  MessageInput,
  OpenAppeals,
  ProtectList,
  RestoreRequest,
  RestoreResult,
  RunGraph,
  SessionEnvelope,
  SessionRequest,
  SessionResult,
  StreamRequest,
  StreamResult,
  UserRisk,
} from '../api/types.js';
import { VERSIONS, type Version } from '../api/versions.js';
import { type EventsResult, sendEvents } from './batches.js';
import type { Result } from './errors.js';
import { graphPages, type RunGraphQuery } from './graph.js';
import { checkStreamPiece } from './streams/check.js';
import { type CallOptions, type ClientCall, type ClientSettings, MAX_MS, send } from './transport.js';

export interface ClientOptions {
  /** base address of the service, such as `http://127.0.0.1:8080` */
  url: string;
  apiKey: string;
  /** `service-version` to send; an endpoint without it gets its newest one. Default: the newest of all */
  version?: Version;
  /** time limit of a call in ms, with all attempts and waits; default 60,000 */
  timeoutMs?: number;
  /** time limit of one attempt in ms; default 15,000, longer than the service itself waits (8 s) */
  attemptTimeoutMs?: number;
  /** attempts after the first; default 4 */
  retries?: number;
  /**
   * true: each POST carries a generated `Idempotency-Key`, so that attempts after a cut connection or a 504 find the check of the
   * first one. Default false: only calls that name a key have one. The service remembers 100,000 keys of an API key for an hour
   * and refuses more (429). So true suits callers with at most 27 calls a second on average.
   */
  idempotencyKeys?: boolean;
  /** default: the global one */
  fetch?: typeof fetch;
}

/** Body of a session check (2.3). */
export type SessionInput = Omit<SessionRequest, 'messages'> & { messages: MessageInput[] };

export type ProtectQuery = { deployment_id: string; include_policy_names?: boolean } & (
  | { internal_id: string; external_id?: undefined }
  | { external_id: string; internal_id?: undefined }
);

/** true: the answer has what people said of the verdict, for keys of the scope `review` */
export type LabelsQuery = { labels?: boolean };

export type LabelQueueQuery = { days?: number; policy?: string; reviewer?: string; limit?: number };

/** Exactly one of the three ids names the item. */
export type AppealQuery = { environment_id?: string; deployment_id?: string } & (
  | { internal_event_id: string; internal_session_id?: undefined; internal_artifact_id?: undefined }
  | { internal_session_id: string; internal_event_id?: undefined; internal_artifact_id?: undefined }
  | { internal_artifact_id: string; internal_event_id?: undefined; internal_session_id?: undefined }
);

export type OpenAppealsQuery = { policy?: string; limit?: number; after?: string };

export type ArtifactQuery = { deployment_id?: string } & LabelsQuery &
  (
    | { internal_artifact_id: string; external_artifact_id?: undefined }
    | { external_artifact_id: string; internal_artifact_id?: undefined }
  );

export type RiskQuery = { id: string; email?: undefined } | { email: string; id?: undefined };

/** A text, or a list of them. */
export type RestoreInputOf<T extends string | string[]> = RestoreRequest & { text: T };

/** As many texts as were sent, in the same form. */
export type RestoredText<T extends string | string[]> = RestoreResult & { text: T extends string ? string : string[] };

/** All methods resolve with a {@link Result} and never reject. */
export interface Client {
  /**
   * Checks any number of events in order, in batches of 50 (4.7). Each batch is sent when the one before is answered. The time
   * limit of a call applies to each batch.
   */
  checkEvents(request: EventsRequest, options?: CallOptions): Promise<EventsResult>;
  /** Checks one event (4.6). */
  checkEvent(request: EventRequest, options?: CallOptions): Promise<Result<EventResult>>;
  /** The result with this internal id (4.8). */
  getEvent(
    query: { internal_event_id: string; environment_id: string } & LabelsQuery,
    options?: CallOptions,
  ): Promise<Result<EventResult>>;
  /** The latest result of the caller's own ids (4.9). */
  findEvent(
    query: { environment_id: string; run_id: string; event_id: string; type?: EventType } & LabelsQuery,
    options?: CallOptions,
  ): Promise<Result<EventResult>>;
  /** Checks the last message of a chat (4.1). */
  checkSession(request: SessionInput, options?: CallOptions): Promise<Result<SessionResult>>;
  /** The same check, answered like the look-ups. */
  createSession(request: SessionInput, options?: CallOptions): Promise<Result<SessionEnvelope>>;
  /** The session check with this internal id (4.2). */
  getSession(
    query: { internal_session_id: string; deployment_id?: string } & LabelsQuery,
    options?: CallOptions,
  ): Promise<Result<SessionEnvelope>>;
  /** The latest check of the caller's own session (4.3). */
  findSession(
    query: { external_session_id: string; deployment_id?: string } & LabelsQuery,
    options?: CallOptions,
  ): Promise<Result<SessionEnvelope>>;
  /** Checks a piece of a text that is being written. Wait for its answer before the next; the same piece may be sent again. */
  checkStream(request: StreamRequest, options?: CallOptions): Promise<Result<StreamResult>>;
  /** Puts back what the marks of checks with `redact: 'reversible'` stand for. Its answer has a list of texts where the request has one. */
  restore<T extends string | string[]>(
    request: RestoreInputOf<T>,
    options?: CallOptions,
  ): Promise<Result<RestoredText<T>>>;
  /** Checks an image (4.5). A check that takes long is answered `processing`: look it up later. */
  checkArtifact(request: ArtifactRequest, options?: CallOptions): Promise<Result<ArtifactResult>>;
  /** An image by its internal id, or the last created one of the caller's own id (4.4). */
  getArtifact(query: ArtifactQuery, options?: CallOptions): Promise<Result<ArtifactResult>>;
  /** A page of the relationships between the events of a run (4.12). */
  getRunGraph(query: RunGraphQuery, options?: CallOptions): Promise<Result<RunGraph>>;
  /** Page after page, up to the last one or to the first failure, which it gives like a page. */
  runGraphPages(query: RunGraphQuery, options?: CallOptions): AsyncGenerator<Result<RunGraph>, void, undefined>;
  /** Session checks as the protect view shows them, newest first (4.10). */
  getProtect(query: ProtectQuery, options?: CallOptions): Promise<Result<ProtectList>>;
  /** The risk level of a user, by recent violations (4.11). */
  getRisk(query: RiskQuery, options?: CallOptions): Promise<Result<UserRisk>>;
  /** Says whether a verdict was right. */
  label(request: LabelRequest, options?: CallOptions): Promise<Result<LabelResult>>;
  /** Flagged verdicts without a label, those first of which a label says most. */
  getLabelQueue(query?: LabelQueueQuery, options?: CallOptions): Promise<Result<LabelQueue>>;
  /** Says that a user disagrees with a verdict. Its answer has the appeal as it stands, also where it was made before. */
  appeal(request: AppealRequest, options?: CallOptions): Promise<Result<Appeal>>;
  /** The appeals of an item, with their state. */
  getAppeals(query: AppealQuery, options?: CallOptions): Promise<Result<ItemAppeals>>;
  /** A page of appeals that nobody has decided, the oldest first. */
  getOpenAppeals(query?: OpenAppealsQuery, options?: CallOptions): Promise<Result<OpenAppeals>>;
  /** Whether the process makes progress. Needs no key. */
  healthz(options?: CallOptions): Promise<Result<{ status: 'ok' }>>;
  /** Whether it is ready for traffic. Needs no key. */
  readyz(options?: CallOptions): Promise<Result<{ status: 'ok' }>>;
}

/** Makes a client, which holds no connection and no state. Throws a TypeError when an option is not valid. */
export function createClient(options: ClientOptions): Client {
  const settings = settingsOf(options);
  const call =
    <T>(request: ClientCall) =>
    (options?: CallOptions): Promise<Result<T>> =>
      send<T>(settings, request, options);
  const client: Client = {
    checkEvents: (request, options) => sendEvents(settings, request, options),
    checkEvent: (body, options) => call<EventResult>({ endpoint: ENDPOINTS.checkEvent, body })(options),
    getEvent: ({ internal_event_id: id, ...query }, options) =>
      call<EventResult>({ endpoint: ENDPOINTS.getEvent, id, query })(options),
    findEvent: (query, options) => call<EventResult>({ endpoint: ENDPOINTS.findEvent, query })(options),
    checkSession: (body, options) => call<SessionResult>({ endpoint: ENDPOINTS.checkSession, body })(options),
    createSession: (body, options) => call<SessionEnvelope>({ endpoint: ENDPOINTS.createSession, body })(options),
    getSession: ({ internal_session_id: id, ...query }, options) =>
      call<SessionEnvelope>({ endpoint: ENDPOINTS.getSession, id, query })(options),
    findSession: (query, options) => call<SessionEnvelope>({ endpoint: ENDPOINTS.findSession, query })(options),
    checkStream: (piece, options) => checkStreamPiece(settings, piece, options),
    restore: <T extends string | string[]>(body: RestoreInputOf<T>, options?: CallOptions) =>
      call<RestoredText<T>>({ endpoint: ENDPOINTS.restore, body, isRepeatable: true })(options),
    checkArtifact: (body, options) => call<ArtifactResult>({ endpoint: ENDPOINTS.checkArtifact, body })(options),
    getArtifact: (query, options) => call<ArtifactResult>({ endpoint: ENDPOINTS.getArtifact, query })(options),
    getRunGraph: (query, options) => call<RunGraph>({ endpoint: ENDPOINTS.getRunGraph, query: { ...query } })(options),
    runGraphPages: (query, options) => graphPages((page) => client.getRunGraph(page, options), query),
    getProtect: (query, options) => call<ProtectList>({ endpoint: ENDPOINTS.getProtect, query })(options),
    getRisk: (query, options) => call<UserRisk>({ endpoint: ENDPOINTS.getRisk, query })(options),
    label: (body, options) => call<LabelResult>({ endpoint: ENDPOINTS.label, body, isRepeatable: true })(options),
    getLabelQueue: (query, options) =>
      call<LabelQueue>({ endpoint: ENDPOINTS.getLabelQueue, query: { ...query } })(options),
    appeal: (body, options) => call<Appeal>({ endpoint: ENDPOINTS.appeal, body, isRepeatable: true })(options),
    getAppeals: (query, options) => call<ItemAppeals>({ endpoint: ENDPOINTS.getAppeals, query: { ...query } })(options),
    getOpenAppeals: (query, options) =>
      call<OpenAppeals>({ endpoint: ENDPOINTS.getOpenAppeals, query: { ...query } })(options),
    healthz: call<{ status: 'ok' }>({ endpoint: ENDPOINTS.healthz }),
    readyz: call<{ status: 'ok' }>({ endpoint: ENDPOINTS.readyz }),
  };
  return client;
}

function settingsOf(options: ClientOptions): ClientSettings {
  const {
    url,
    apiKey,
    version = VERSIONS[VERSIONS.length - 1]!,
    timeoutMs = 60_000,
    attemptTimeoutMs = 15_000,
    retries = 4,
  } = options;
  const address = URL.canParse(url) ? new URL(url) : undefined;
  // Messages repeat neither: an address may contain a password, and a key is one.
  if (address === undefined || !/^https?:$/.test(address.protocol) || address.username !== '') {
    throw new TypeError('url: expected http://host:port or https://host:port, without user and password.');
  }
  if (address.search !== '' || address.hash !== '') throw new TypeError('url: expected no query and no fragment.');
  if (typeof apiKey !== 'string' || !/^[\x21-\x7e]+$/.test(apiKey)) {
    throw new TypeError('apiKey: expected visible ASCII characters, as weir keys create printed them.');
  }
  if (!VERSIONS.includes(version)) throw new TypeError(`version: expected one of ${VERSIONS.join(', ')}.`);
  for (const [name, ms] of Object.entries({ timeoutMs, attemptTimeoutMs })) {
    if (!(ms > 0 && ms <= MAX_MS))
      throw new TypeError(`${name}: expected milliseconds, more than 0 and at most ${MAX_MS}.`);
  }
  if (!Number.isInteger(retries) || retries < 0 || retries > 100) {
    throw new TypeError('retries: expected a whole number from 0 to 100.');
  }
  return {
    url: address.href.replace(/\/+$/, ''),
    apiKey,
    version,
    timeoutMs,
    attemptTimeoutMs,
    retries,
    idempotencyKeys: options.idempotencyKeys ?? false,
    // Browsers require the global object as its `this`.
    fetch: options.fetch ?? ((...request) => globalThis.fetch(...request)),
  };
}
