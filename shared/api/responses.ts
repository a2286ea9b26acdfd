/**
 * The wire: what callers send and receive (sections 2 and 4 of the interface). Only these types cross it. Fields
 * that a caller may send with any value, because the service keeps them as they came, are `unknown`.
 */
import type { tags } from 'typia';

/** Which route a request came by; it decides how the body is read and how the answer looks. */
export type CheckKind = 'events' | 'event' | 'session' | 'artifact';

export const EVENT_TYPES = ['message', 'artifact', 'tool', 'function', 'agent', 'reasoning'] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/** Checkable fields by event type (2.7). */
export const CHECKABLE_FIELDS: Readonly<Record<EventType, readonly string[]>> = {
  message: ['content'],
  artifact: ['content'],
  tool: ['arguments', 'output', 'definition'],
  function: ['arguments', 'output', 'definition'],
  agent: ['input', 'instructions', 'output', 'state'],
  reasoning: ['content'],
};

/** A reference to another event: by the caller's ids (`run_id` defaults to the event's own) or by the internal id. */
export interface EventReference {
  event_id?: string | null;
  run_id?: string | null;
  internal_event_id?: string | null;
}

export interface EventLink extends EventReference {
  /** default `caused_by` */
  relation?: string | null;
}

/** One event as sent (2.7). Lengths, characters and content fields are checked after the types, by `validate.ts`. */
export interface EventInput {
  type: EventType;
  event_id?: string | null;
  run_id?: string | null;
  environment_id?: string | null;
  metadata?: Record<string, unknown> | null;
  external_session_id?: string | null;
  external_artifact_id?: string | null;
  name?: string | null;
  call_id?: string | null;
  format?: string | null;
  role?: 'user' | 'assistant' | null;
  parent?: EventReference | null;
  links?: EventLink[] | null;
  content?: unknown;
  arguments?: unknown;
  output?: unknown;
  definition?: unknown;
  input?: unknown;
  instructions?: unknown;
  state?: unknown;
}

/** Body of `POST /api/event` (4.6). */
export interface EventRequest {
  event: EventInput;
  environment_id?: string | null;
  run_id?: string | null;
  external_session_id?: string | null;
}

/** Body of `POST /api/events` (4.7). */
export interface EventsRequest {
  events: EventInput[];
  environment_id?: string | null;
  run_id?: string | null;
  external_session_id?: string | null;
}

export interface ContentPart {
  type: string;
  text?: string | null;
  /** of a refusal part */
  refusal?: string | null;
  content?: unknown;
  /** of an artifact part */
  external_artifact_id?: string | null;
}

/** A message of a session check (2.3). Its calls of tools and its refusal are part of its text. */
export interface MessageInput {
  role: string;
  /** an assistant's may be absent beside `tool_calls`, `function_call` or `refusal` */
  content?: string | ContentPart[] | null;
  /** in whatever shape a model gave them */
  tool_calls?: unknown[] | null;
  function_call?: Record<string, unknown> | null;
  refusal?: string | null;
  /** what else a model says, as its vendor or a gateway names it: in whatever shape */
  reasoning_content?: unknown;
  reasoning?: unknown;
  reasoning_details?: unknown;
  thinking?: unknown;
  thinking_blocks?: unknown;
  /** its `transcript` is text */
  audio?: unknown;
  /** the same content in the shape of a library for pages */
  parts?: unknown;
  metadata?: Record<string, unknown> | null;
}

/** An image as sent (2.6): exactly one of `url` and `data`. */
export interface ArtifactContent {
  kind: 'image';
  url?: string | null;
  /** base64, or a data URI */
  data?: string | null;
  mime_type?: string | null;
  name?: string | null;
}

/** Body of `POST /api/artifact` (4.5). */
export interface ArtifactRequest {
  content: ArtifactContent;
  external_artifact_id?: string | null;
  /** default `user` */
  role?: string | null;
  deployment_id?: string | null;
  /** at most one of the two */
  internal_session_id?: string | null;
  external_session_id?: string | null;
  policies?: string[] | null;
  policy_ids?: string[] | null;
  metadata?: Record<string, unknown> | null;
}

/** Body of `POST /api/session/check` (2.3). */
export interface SessionRequest {
  messages: MessageInput[] & tags.MinItems<1>;
  deployment_id?: string | null;
  external_session_id?: string | null;
  include_context?: boolean | null;
  metadata?: Record<string, unknown> | null;
  policies?: string[] | null;
  policy_ids?: string[] | null;
}

export type EventStatus = 'completed' | 'failed' | 'referenced' | 'not_found';

/** Policy result of an event (2.2). */
export interface EventPolicyResult {
  flagged: boolean;
  name: string;
  enabled_by_conditions?: { id: string; name: string }[];
}

/** Policy result of a session or an artifact (2.1). */
export interface PolicyResult {
  name: string;
  flagged: boolean;
  flagged_source: ('text' | 'image')[];
}

/** Result of one event (2.8; 4.6 adds `run_id` at the top). */
export interface EventResult {
  flagged: boolean;
  policies: Record<string, EventPolicyResult>;
  event: {
    type: EventType;
    status: EventStatus;
    updated_at: string | null;
    created_at?: string;
    event_id: string;
    external_session_id?: string;
    internal_event_id?: string;
    run_id: string;
  };
  run_id?: string;
  note?: string;
  metadata?: unknown;
}

/** Entry of `order` in a batch's answer. */
export interface BatchOrderEntry {
  index: number;
  type: EventType;
  event_id: string;
  run_id: string;
  internal_event_id?: string;
  status: EventStatus;
  flagged: boolean;
  /** the full result, where a later event of the same type and id took its place in the bucket */
  result?: EventResult;
}

/** Answer of `POST /api/events`. */
export interface EventsResponse {
  flagged: boolean;
  /** events that could not be evaluated */
  failed: number;
  run_id?: string;
  results: Record<EventType, Record<string, EventResult>>;
  order: BatchOrderEntry[];
}

/** Result of a session check (2.4). */
export interface SessionResult {
  flagged: boolean;
  internal_session_id: string;
  external_session_id?: string;
  policies: Record<string, PolicyResult>;
  note?: string;
}

/** Result of an artifact check (2.5). */
export interface ArtifactResult {
  status: 'processing' | 'completed' | 'failed';
  flagged: boolean | null;
  policies: Record<string, PolicyResult>;
  kind: 'image';
  internal_artifact_id: string;
  external_artifact_id: string | null;
  internal_session_id: string | null;
  external_session_id: string | null;
  created_at: string | null;
  updated_at: string | null;
  note: string | null;
}

/** Envelope of a stored session (2.4). */
export interface SessionEnvelope {
  session: SessionResult;
  artifacts: ArtifactResult[];
}

/** Relationships between the events of a run (4.12), a page of them. */
export interface RunGraph {
  run_id: string;
  environment_id: string;
  nodes: RunGraphNode[];
  /** those whose effect is a node of this page */
  edges: RunGraphEdge[];
  /** where the next page begins; null on the last one */
  next_cursor: string | null;
}

/** One checked event of the run, in the order of submission. */
export interface RunGraphNode {
  internal_event_id: string;
  event_id: string;
  type: EventType;
  /** of messages */
  role?: 'user' | 'assistant';
  status: 'completed' | 'failed';
  flagged: boolean;
  /** RFC 3339 */
  created_at: string;
}

/** Cause → effect, resolved when it is read. */
export interface RunGraphEdge {
  kind: 'parent' | 'link';
  /** internal id of the cause; as the caller named it where there is no such event */
  source: string;
  /** internal id of the effect */
  target: string;
  /** of links */
  relation?: string;
  resolved: boolean;
}

/** One session check as the protect view shows it (2.9). */
export interface ProtectItem {
  external_id?: string;
  internal_id: string;
  violation: boolean;
  violations: Record<string, ProtectViolation>;
}

export interface ProtectViolation {
  violation: boolean;
  /** when policy names were asked for */
  name?: string;
  /** only what triggered it */
  violation_source: ('text' | 'image')[];
}

/** Answer of `GET /api/protect/get_by_id` (4.10). */
export interface ProtectList {
  list: ProtectItem[];
}

export type RiskLevel = 'normal' | 'elevated' | 'severe';

/** Answer of `GET /api/radar/risk` (2.10, 4.11). */
export interface UserRisk {
  risk_level: RiskLevel;
  window_days: number;
}

/** Body of LiteLLM's generic guardrail call; what it sends beside these is ignored. */
export interface GuardrailRequest {
  texts?: string[] | null;
  images?: string[] | null;
  /** calls that the model makes, in whatever shape */
  tool_calls?: unknown[] | null;
  /** definitions of what it may call, likewise */
  tools?: unknown[] | null;
  /** the messages that texts, images and calls were taken from; looked at where nothing was */
  structured_messages?: unknown[] | null;
  input_type?: 'request' | 'response' | null;
  /** kept in the metadata of the check when it is a string of at most 256 characters */
  litellm_call_id?: unknown;
  /** likewise */
  litellm_trace_id?: unknown;
}

/** What LiteLLM does next: `NONE` goes on, `BLOCKED` refuses with the reason. */
export interface GuardrailResponse {
  action: 'NONE' | 'BLOCKED';
  blocked_reason?: string;
}

export type ErrorType =
  | 'invalid_request_error'
  | 'authentication_error'
  | 'permission_error'
  | 'not_found_error'
  | 'conflict_error'
  | 'rate_limit_error'
  | 'api_error';

/** One thing that is wrong with a request. The rejected value itself is never repeated. */
export interface Issue {
  path: string;
  code: string;
  message: string;
}

/** Body of every error (7). */
export interface ErrorBody {
  error: {
    type: ErrorType;
    code: string;
    message: string;
    param?: string;
    issues?: Issue[];
    request_id: string;
    /** 504 of a single check: where its result will be */
    result?: { internal_session_id?: string; internal_event_id?: string; result_url: string };
    /** 504 of a batch */
    items?: { index: number; event_id: string; internal_event_id: string }[];
  };
}
