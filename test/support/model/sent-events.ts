/** What is taken of a batch, by `JSON.parse` and a second walk for what is kept as it was written: the model of `read.ts` of the worker. */
import {
  CHECKABLE_FIELDS,
  type CheckKind,
  type EventInput,
  type EventRequest,
  type EventsRequest,
} from '#weir/shared/api/types';
import { declaresCauses } from '#weir/shared/api/validate/causes';
import { eventRoleOf } from '#weir/shared/api/validate/event-pass';
import { mayHoldMedia } from '#weir/shared/api/validate/media-within';
import { type MemberSources, sourcesOf } from '#weir/shared/api/validate/sources';
import { unreadOfEvent } from '#weir/shared/api/validate/unread';
import { type EntryBody, readBody } from '#weir/workers/evaluator/kinds/body';
import type { SentBatch, SentEvent } from '#weir/workers/evaluator/kinds/events/sent';
import { NOTHING_STORED, STORED } from '#weir/workers/rows/columns';

/** The same of a body. A single event is a batch of one. */
export function sentIn(sent: Uint8Array, kind: CheckKind): SentBatch {
  const { value, json } = readBody(sent);
  if (kind === 'events') return sentEvents({ value: value as EventsRequest, json }, kind);
  const { event, environment_id, run_id, external_session_id } = value as EventRequest;
  return sentEvents({ value: { environment_id, run_id, external_session_id, events: [event] }, json }, kind);
}

function sentEvents({ value: request, json }: EntryBody<EventsRequest>, kind: CheckKind): SentBatch {
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
