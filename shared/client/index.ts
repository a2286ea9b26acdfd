/** The client of the service, as its package exports it (`deploy/clients/typescript`). Runs wherever there is a `fetch`. */
export type { ErrorCode } from '../api/errors.js';
export type {
  ArtifactContent,
  ArtifactRequest,
  ArtifactResult,
  BatchOrderEntry,
  EventInput,
  EventLink,
  EventReference,
  EventRequest,
  EventResult,
  EventStatus,
  EventsRequest,
  EventsResponse,
  EventType,
  Issue,
  ItemLabel,
  LabelKind,
  LabelQueue,
  LabelRequest,
  LabelResult,
  LabelStatement,
  MessageInput,
  PolicyEvidence,
  PolicyResult,
  ProtectItem,
  ProtectList,
  QueuedLabel,
  QueueReason,
  RestoreRequest,
  RestoreResult,
  RiskLevel,
  RunGraph,
  RunGraphEdge,
  RunGraphNode,
  SessionEnvelope,
  SessionResult,
  Severity,
  StreamRequest,
  StreamResult,
  UserRisk,
} from '../api/types.js';
export type { Version } from '../api/versions.js';
export type { EventsFailure, EventsResult } from './batches.js';
export {
  type ArtifactQuery,
  type Client,
  type ClientOptions,
  createClient,
  type LabelQueueQuery,
  type LabelsQuery,
  type ProtectQuery,
  type RestoredText,
  type RestoreInputOf,
  type RiskQuery,
  type SessionInput,
} from './client.js';
export {
  type AbortedError,
  type ClientError,
  type Failure,
  isServiceError,
  type NetworkError,
  type ProtocolError,
  type Result,
  type ServiceError,
  type Success,
  type TimeoutError,
  type UsageError,
  unwrap,
  WeirError,
} from './errors.js';
export type { RunGraphQuery } from './graph.js';
export { type GuardedStream, type GuardOptions, guardStream } from './streams/guard.js';
export type { ChunkSource } from './streams/source.js';
export { WeirViolation } from './streams/violation.js';
export type { CallOptions } from './transport.js';
