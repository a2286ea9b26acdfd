/**
 * What is taken of a batch to evaluate it. Every event has the same shape here, however it was sent: code that reads objects of many
 * shapes takes several times as long.
 */
import type { MessageRole } from '../../../../shared/api/results/record.js';
import { CHECKABLE_FIELDS, type CheckKind, type EventInput, type EventsRequest } from '../../../../shared/api/types.js';
import { declaresCauses } from '../../../../shared/api/validate/causes.js';
import { eventRoleOf } from '../../../../shared/api/validate/event-pass.js';
import { mayHoldMedia } from '../../../../shared/api/validate/media-within.js';
import { type MemberSources, sourcesOf } from '../../../../shared/api/validate/sources.js';
import { unreadOfEvent } from '../../../../shared/api/validate/unread.js';
import type { InBytes } from '../../../../shared/policy/engine/automaton.js';
import { NOTHING_STORED, STORED } from '../../../rows/columns.js';
import type { EntryBody } from '../body.js';

export interface SentBatch {
  events: readonly SentEvent[];
  runId: string | undefined;
  /** of the events that name none; '' if absent */
  session: string;
  /** whether a plain text in it may hold media */
  mayHaveMedia: boolean;
}

/** Absent strings are '' unless they may be undefined. */
export interface SentEvent {
  type: EventInput['type'];
  role: MessageRole | '';
  name: string;
  /** texts that are only stored, in the order of their columns */
  stored: readonly string[];
  externalArtifactId: string;
  eventId: string | undefined;
  runId: string | undefined;
  session: string | undefined;
  /** the field that is checked; undefined: it is a reference to another event */
  field: string | undefined;
  /** the content is a string */
  isText: boolean;
  /** content as it is kept: a string as it is, JSON as it was sent but without space; '' for an image */
  source: string;
  /** where a text without anything that must be decoded stands as bytes; undefined: nowhere */
  inBytes: InBytes | undefined;
  /** the same as a value; undefined: it was not parsed */
  value: unknown;
  /** as it was sent but without space */
  metadata: string;
  metadataValue: Record<string, unknown> | undefined;
  /** undefined: it declares none */
  causes: Pick<EventInput, 'parent' | 'links'> | undefined;
  /** names of the fields that hold content beside its own */
  unread: readonly string[];
}

/** The content of an event as a value. */
export const contentValue = ({ value, source }: SentEvent): unknown =>
  value === undefined ? JSON.parse(source) : value;

export function sentEvents({ value: request, json }: EntryBody<EventsRequest>, kind: CheckKind): SentBatch {
  const { events } = request;
  const fields = events.map(fieldOf);
  const wanted = (i: number): boolean => hasSource(events[i], fields[i]);
  const sources = sourcesOf(json, kind === 'event' ? 'event' : 'events', wanted);
  return {
    events: events.map((event, i) => sentEvent(event, fields[i], sources[i])),
    runId: request.run_id ?? undefined,
    session: request.external_session_id ?? '',
    mayHaveMedia: mayHoldMedia(json),
  };
}

function sentEvent(event: EventInput, field: string | undefined, sources: MemberSources | undefined): SentEvent {
  const value = field === undefined ? undefined : contentIn(event, field);
  const isText = typeof value === 'string';
  return {
    type: event.type,
    role: eventRoleOf(event.role),
    name: event.name ?? '',
    stored: storedOf(event),
    externalArtifactId: event.external_artifact_id ?? '',
    eventId: event.event_id ?? undefined,
    runId: event.run_id ?? undefined,
    session: event.external_session_id ?? undefined,
    field,
    isText,
    source: isText ? value : sourceIn(event, field, sources),
    inBytes: undefined,
    value,
    metadata: event.metadata == null ? '' : (sources?.get('metadata') ?? '{}'),
    metadataValue: event.metadata ?? undefined,
    causes: declaresCauses(event) ? event : undefined,
    unread: unreadOfEvent(event),
  };
}

const storedOf = (event: EventInput): readonly string[] =>
  STORED.some((name) => event[name] != null) ? STORED.map((name) => event[name] ?? '') : NOTHING_STORED;

const sourceIn = ({ type }: EventInput, field: string | undefined, sources: MemberSources | undefined): string =>
  type === 'artifact' || field === undefined ? '' : (sources?.get(field) ?? '');

const contentIn = (event: EventInput, field: string): unknown => (event as unknown as Record<string, unknown>)[field];

function fieldOf(event: EventInput): string | undefined {
  for (const field of CHECKABLE_FIELDS[event.type]) if (contentIn(event, field) != null) return field;
  return undefined;
}

/** Whether some of an event is kept or checked as JSON. */
function hasSource(event: EventInput | undefined, field: string | undefined): boolean {
  if (event === undefined || field === undefined) return false;
  if (event.metadata != null) return true;
  return event.type !== 'artifact' && typeof contentIn(event, field) !== 'string';
}
