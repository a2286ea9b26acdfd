/**
 * Reads a plain batch in one walk over its bytes, as ingress does (`shared/api/validate/plain/`): nearly every batch is plain. Only what
 * is evaluated and kept is made of it, and JSON is cut out in passing. What is not plain is left to `JSON.parse`; what is makes the same.
 */
import { CHECKABLE_FIELDS, EVENT_TYPES } from '../../../../shared/api/types.js';
import { declaresCauses } from '../../../../shared/api/validate/event.js';
import { mayHoldMedia } from '../../../../shared/api/validate/media-within.js';
import {
  byLength,
  byteAt,
  elementsEnd,
  membersEnd,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
  readSource,
  readString,
  SMALL_N,
  STOPPED,
  shortText,
  valueEnd,
  valueToRead,
  type WordOf,
  walk,
  wordIn,
  writtenText,
} from '../../../../shared/api/validate/plain/walk.js';
import type { SentBatch, SentEvent } from './sent.js';

interface Batch extends SentBatch {
  events: SentEvent[];
}

/** An event, and the batch that it is in. */
interface Place {
  event: SentEvent;
  batch: Batch;
}

/** A batch of `POST /api/events` that was validated; undefined if it is not plain. */
export function readPlainBatch(body: Uint8Array): SentBatch | undefined {
  const batch: Batch = { events: [], runId: undefined, session: '', mayHaveMedia: false };
  const whole = walk(Buffer.from(body.buffer, body.byteOffset, body.length), (at) => {
    const end = membersEnd(at, BESIDE_EVENTS, batch, readDefault);
    if (end >= 0) batch.mayHaveMedia = mayHoldMedia(writtenText());
    return end;
  });
  return whole && batch.events.length > 0 ? batch : undefined;
}

const DEFAULTS = ['environment_id', 'run_id', 'external_session_id'] as const;
const CONTENTS = ['content', 'arguments', 'output', 'definition', 'input', 'instructions', 'state'] as const;
const NAMES = ['name', 'call_id', 'format', 'external_artifact_id'] as const;
const BESIDE_EVENTS = byLength([...DEFAULTS, 'events']);
const IN_EVENT = byLength([
  ...DEFAULTS,
  ...NAMES,
  ...CONTENTS,
  'type',
  'role',
  'event_id',
  'metadata',
  'parent',
  'links',
]);
const TYPES = byLength(EVENT_TYPES);
const ROLES = byLength(['user', 'assistant']);

function readDefault(batch: Batch, name: WordOf<typeof BESIDE_EVENTS>, at: number): number {
  if (name === 'events') return elementsEnd(at, (event) => readEvent(event, batch));
  const end = valueToRead(at, 2);
  if (end < 0 || byteAt(at) !== QUOTE) return byteAt(at) === SMALL_N ? end : STOPPED;
  if (name === 'run_id') batch.runId = readString(at, end);
  else if (name === 'external_session_id') batch.session = readString(at, end);
  return end;
}

function readEvent(at: number, batch: Batch): number {
  const event = newEvent();
  const end = membersEnd(at, IN_EVENT, { event, batch }, readMember);
  if (end < 0 || !isPlain(event)) return STOPPED;
  if (event.causes && !declaresCauses(event.causes)) event.causes = undefined;
  batch.events.push(event);
  return end;
}

const NONE: readonly string[] = [];
const newEvent = (): SentEvent => ({
  // Until its type is read; with content it is not plain.
  type: 'artifact',
  role: '',
  name: '',
  callId: '',
  format: '',
  externalArtifactId: '',
  eventId: undefined,
  runId: undefined,
  session: undefined,
  field: undefined,
  isText: false,
  source: '',
  value: undefined,
  metadata: '',
  metadataValue: undefined,
  causes: undefined,
  unread: NONE,
});

/** It is a reference, or has a text. */
const isPlain = ({ type, field }: SentEvent): boolean =>
  field === undefined || (type !== 'artifact' && CHECKABLE_FIELDS[type].includes(field));

function readMember(place: Place, name: WordOf<typeof IN_EVENT>, at: number): number {
  const first = byteAt(at);
  if (first === QUOTE) return readText(place, name, at);
  if (first === OPEN_OBJECT || first === OPEN_ARRAY) return readJson(place.event, name, at);
  // `null` says that a member is absent. None may be another literal.
  return first === SMALL_N ? valueEnd(at, 4) : STOPPED;
}

function readJson(event: SentEvent, name: WordOf<typeof IN_EVENT>, at: number): number {
  const end = valueToRead(at, 4);
  if (end < 0) return STOPPED;
  if (name === 'metadata') {
    event.metadata = readSource(at, end);
    return byteAt(at) === OPEN_OBJECT ? end : STOPPED;
  }
  if (name === 'parent' || name === 'links') {
    event.causes ??= {};
    event.causes[name] = JSON.parse(readSource(at, end));
    return end;
  }
  if (!isContent(name) || event.field !== undefined) return STOPPED;
  event.field = name;
  event.source = readSource(at, end);
  return end;
}

const isContent = (name: string): boolean => (CONTENTS as readonly string[]).includes(name);

function readText({ event, batch }: Place, name: WordOf<typeof IN_EVENT>, at: number): number {
  const end = valueToRead(at, 4);
  if (end < 0) return STOPPED;
  switch (name) {
    case 'type':
      return takeType(event, at, end);
    case 'role':
      return takeRole(event, at, end);
    case 'event_id':
      event.eventId = shortText(at, end, undefined);
      return event.eventId === undefined ? STOPPED : end;
    case 'run_id':
      event.runId = shortText(at, end, batch.events.at(-1)?.runId);
      return event.runId === undefined ? STOPPED : end;
    case 'external_session_id':
      event.session = readString(at, end);
      return end;
    case 'environment_id':
      return end;
    case 'name':
      event.name = readString(at, end);
      return end;
    case 'call_id':
      event.callId = readString(at, end);
      return end;
    case 'format':
      event.format = readString(at, end);
      return end;
    case 'external_artifact_id':
      event.externalArtifactId = readString(at, end);
      return end;
    case 'metadata':
    case 'parent':
    case 'links':
      return STOPPED;
    default:
      return readContent(event, name, at, end);
  }
}

function takeType(event: SentEvent, at: number, end: number): number {
  const type = wordIn(TYPES, at + 1, end - 1);
  if (type === undefined) return STOPPED;
  event.type = type.word;
  return end;
}

function takeRole(event: SentEvent, at: number, end: number): number {
  const role = wordIn(ROLES, at + 1, end - 1);
  if (role === undefined) return STOPPED;
  event.role = role.word;
  return end;
}

function readContent(event: SentEvent, name: string, at: number, end: number): number {
  if (event.field !== undefined) return STOPPED;
  event.field = name;
  event.isText = true;
  event.source = readString(at, end);
  event.value = event.source;
  return end;
}
