/**
 * Renders answers from stored results. Answers are built as text: policy maps and metadata are JSON already, so they are
 * pasted and never parsed.
 */
import { itemId } from '../../ids.js';
import type { StoredArtifact } from '../artifact.js';
import type { RecordItem, ResultRecord, StoredItem } from './record.js';

/** RFC 3339, UTC, milliseconds. */
export function timestamp(ms: number): string {
  return new Date(ms).toISOString();
}

const quote = (text: string): string => JSON.stringify(text);

/** An item of a record as a stored item. A reference has the ids and times of the event that it names. */
export function storedItem(record: ResultRecord, item: RecordItem): StoredItem {
  return {
    id: item.target?.id ?? itemId(record.id, item.item),
    requestId: record.id,
    kind: record.kind,
    team: record.team,
    scope: record.scope,
    type: item.type,
    eventId: item.eventId,
    runId: item.runId,
    externalSessionId: item.externalSessionId,
    status: item.status,
    flagged: item.flagged,
    policies: record.fragments[item.policies] ?? '{}',
    explained: record.fragments[item.explained] ?? '',
    metadata: item.metadata < 0 ? '' : (record.fragments[item.metadata] ?? ''),
    note: item.note,
    sequence: record.sequence,
    version: record.version ?? 1,
    created: item.target?.created ?? record.received,
    completed: item.target?.completed ?? record.completed,
    ...(item.artifact ? { artifact: item.artifact } : {}),
    ...(record.late ? { late: record.late } : {}),
    ...(item.redacted === undefined ? {} : { redacted: item.redacted('utf8') }),
    ...(item.redactedMessage === undefined ? {} : { redactedMessage: item.redactedMessage('utf8') }),
    ...(item.sealed === undefined ? {} : { sealed: item.sealed }),
    error: record.error,
  };
}

/** The member behind redacted content; '' where that has no numbered marks. A seal has no characters that JSON escapes. */
export const sealMember = (sealed: string | undefined): string => (sealed === undefined ? '' : `,"sealed":"${sealed}"`);

const labelsMember = (labels: string | undefined): string => (labels === undefined ? '' : `,"labels":${labels}`);

interface EventRendering {
  /** look-ups include the stored metadata (2.8 "when available") */
  metadata?: boolean;
  /** the answer of `POST /api/event` also has `run_id` at the top (4.6) */
  runId?: boolean;
}

/** Event result (2.8) of one stored item. */
export function renderEvent(stored: StoredItem, options: EventRendering = {}): string {
  return eventJson(stored, timestamp(stored.created), timestamp(stored.completed), options);
}

/** What is rendered of an event. */
type RenderedEvent = Pick<
  StoredItem,
  | 'flagged'
  | 'policies'
  | 'type'
  | 'status'
  | 'eventId'
  | 'externalSessionId'
  | 'id'
  | 'runId'
  | 'note'
  | 'redacted'
  | 'sealed'
  | 'labels'
> & { metadata: string };

export function eventJson(stored: RenderedEvent, created: string, updated: string, options: EventRendering): string {
  const found = stored.status !== 'not_found';
  const session = stored.externalSessionId === '' ? '' : `"external_session_id":${quote(stored.externalSessionId)},`;
  const internal = found ? `"internal_event_id":"${stored.id}",` : '';
  const times = found ? `"updated_at":"${updated}","created_at":"${created}",` : '"updated_at":null,';
  // Event and run ids have only characters that JSON does not escape (2.7).
  let json = `{"flagged":${stored.flagged === true},"policies":${stored.policies},"event":{"type":"${stored.type}","status":"${stored.status}",${times}"event_id":"${stored.eventId}",${session}${internal}"run_id":"${stored.runId}"}`;
  if (options.runId) json += `,"run_id":"${stored.runId}"`;
  if (stored.note !== '') json += `,"note":${quote(stored.note)}`;
  if (stored.redacted !== undefined) json += `,"redacted":${stored.redacted}${sealMember(stored.sealed)}`;
  json += labelsMember(stored.labels);
  if (options.metadata && stored.metadata !== '') json += `,"metadata":${stored.metadata}`;
  return `${json}}`;
}

/** Session result (2.4). */
export function renderSession(stored: StoredItem): string {
  let json = `{"flagged":${stored.flagged === true},"internal_session_id":"${stored.id}",`;
  if (stored.externalSessionId !== '') json += `"external_session_id":${quote(stored.externalSessionId)},`;
  json += `"policies":${stored.policies}`;
  if (stored.note !== '') json += `,"note":${quote(stored.note)}`;
  if (stored.redacted !== undefined) json += `,"redacted":${stored.redacted}`;
  if (stored.redactedMessage !== undefined) json += `,"redacted_message":${stored.redactedMessage}`;
  json += sealMember(stored.sealed) + labelsMember(stored.labels);
  return `${json}}`;
}

/** Artifact result (2.5). A field that does not apply is null. */
export function renderArtifact(artifact: StoredArtifact): string {
  const { status, flagged, policies, id, external, session, created, completed, note, labels } = artifact;
  const orNull = (text: string): string => (text === '' ? 'null' : quote(text));
  const ids = `"internal_artifact_id":"${id}","external_artifact_id":${orNull(external)}`;
  const sessions = `"internal_session_id":${orNull(session.internal)},"external_session_id":${orNull(session.external)}`;
  const updated = completed === null ? 'null' : `"${timestamp(completed)}"`;
  const times = `"created_at":"${timestamp(created)}","updated_at":${updated}`;
  return `{"status":"${status}","flagged":${flagged},"policies":${policies},"kind":"image",${ids},${sessions},${times},"note":${orNull(note)}${labelsMember(labels)}}`;
}

/** Envelope of a stored session (2.4). An artifact that names only the caller's session id belongs to this check. */
export function renderEnvelope(stored: StoredItem, artifacts: readonly StoredArtifact[] = []): string {
  const rendered = artifacts.map((artifact) => {
    const { internal, external } = artifact.session;
    return renderArtifact(internal !== '' ? artifact : { ...artifact, session: { internal: stored.id, external } });
  });
  return `{"session":${renderSession(stored)},"artifacts":[${rendered.join(',')}]}`;
}
