/**
 * How the types of the wire are described, field by field: words, units, lengths, formats. A field of a type without
 * its line does not compile, nor does a line without its field. The lines are in `request-fields.ts` and
 * `answer-fields.ts`.
 */
import { LIMITS } from '../limits.js';
import type {
  ArtifactContent,
  ArtifactRequest,
  ArtifactResult,
  BatchOrderEntry,
  ContentPart,
  ErrorBody,
  EventInput,
  EventLink,
  EventPolicyResult,
  EventReference,
  EventRequest,
  EventResult,
  EventsRequest,
  EventsResponse,
  GuardrailRequest,
  GuardrailResponse,
  Issue,
  MessageInput,
  PolicyResult,
  ProtectItem,
  ProtectList,
  ProtectViolation,
  RunGraph,
  RunGraphEdge,
  RunGraphNode,
  SessionEnvelope,
  SessionRequest,
  SessionResult,
  UserRisk,
} from '../types.js';

/** The part of JSON Schema 2020-12 that the document uses. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  items?: Schema;
  oneOf?: Schema[];
  allOf?: Schema[];
  description?: string;
  default?: unknown;
  format?: string;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
}

/** Answer of the probes. */
export interface Probe {
  status: 'ok';
}

/** Words alone, or words and what the type does not say. */
export type Refinement<V = unknown> = string | Refined<V>;

type Limits = Pick<
  Schema,
  'type' | 'format' | 'pattern' | 'minLength' | 'maxLength' | 'minimum' | 'maximum' | 'minItems' | 'maxItems'
>;

export interface Refined<V> extends Limits {
  about: string;
  /** instead of what the type says */
  schema?: Schema;
  /** limits of the elements of an array */
  items?: Limits;
  /** of an object without a name, or of the elements of an array of such */
  fields?: Fields<V extends readonly (infer E)[] ? E : V>;
}

export type Fields<T> = { readonly [P in keyof T]-?: Refinement<NonNullable<T[P]>> };

export interface Components {
  ArtifactContent: ArtifactContent;
  ArtifactRequest: ArtifactRequest;
  ArtifactResult: ArtifactResult;
  BatchOrderEntry: BatchOrderEntry;
  ContentPart: ContentPart;
  ErrorBody: ErrorBody;
  EventInput: EventInput;
  EventLink: EventLink;
  EventPolicyResult: EventPolicyResult;
  EventReference: EventReference;
  EventRequest: EventRequest;
  EventResult: EventResult;
  EventsRequest: EventsRequest;
  EventsResponse: EventsResponse;
  GuardrailRequest: GuardrailRequest;
  GuardrailResponse: GuardrailResponse;
  Issue: Issue;
  MessageInput: MessageInput;
  PolicyResult: PolicyResult;
  Probe: Probe;
  ProtectItem: ProtectItem;
  ProtectList: ProtectList;
  ProtectViolation: ProtectViolation;
  RunGraph: RunGraph;
  RunGraphEdge: RunGraphEdge;
  RunGraphNode: RunGraphNode;
  SessionEnvelope: SessionEnvelope;
  SessionRequest: SessionRequest;
  SessionResult: SessionResult;
  UserRisk: UserRisk;
}

export type ComponentName = keyof Components;

/** What callers send. */
export type RequestName =
  | 'ArtifactContent'
  | 'ArtifactRequest'
  | 'ContentPart'
  | 'EventInput'
  | 'EventLink'
  | 'EventReference'
  | 'EventRequest'
  | 'EventsRequest'
  | 'GuardrailRequest'
  | 'MessageInput'
  | 'SessionRequest';

/** Words and fields of the types `N`. */
export type Described<N extends ComponentName> = {
  readonly [K in N]: { about: string; fields: Fields<Components[K]> };
};

/** Event and run ids (2.7), as a pattern. */
export const ID_PATTERN = '^[A-Za-z0-9._:-]+$';

export const id = (about: string): Refined<string> => ({
  about,
  minLength: 1,
  maxLength: LIMITS.idCharacters,
  pattern: ID_PATTERN,
});
export const name = (about: string): Refined<string> => ({ about, maxLength: LIMITS.nameCharacters });
export const uuid = (about: string): Refined<string> => ({ about, format: 'uuid' });
export const time = (about: string): Refined<string> => ({ about, format: 'date-time' });
