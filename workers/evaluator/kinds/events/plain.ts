/**
 * Reads a plain batch in one walk over its bytes, as ingress does (`shared/api/read/`): nearly every batch is plain. Only what
 * is evaluated and kept is made of it, and JSON is cut out in passing. What is not plain is left to `JSON.parse`; what is makes the same.
 */

import {
  byteAt,
  elementsEnd,
  isAsWritten,
  isAt,
  isNullAt,
  membersEnd,
  membersOf,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
  quoted,
  type ReadValue,
  readNull,
  readSource,
  readString,
  STOPPED,
  shortText,
  valueEnd,
  valueToRead,
  walk,
  writtenText,
} from '../../../../shared/api/read/walk.js';
import { CHECKABLE_FIELDS, EVENT_TYPES, type EventLink } from '../../../../shared/api/types.js';
import { declaresCauses } from '../../../../shared/api/validate/causes.js';
import { mayHoldMedia } from '../../../../shared/api/validate/media-within.js';
import { BESIDE_CONTENT } from '../../../../shared/api/validate/unread.js';
import { looksLikeJson } from '../../../../shared/json.js';
import { NOTHING_STORED, STORED } from '../../../rows/columns.js';
import type { SentBatch, SentEvent } from './sent.js';

interface PlainBatch extends SentBatch {
  events: SentEvent[];
}

const NONE: readonly string[] = [];
const newBatch = (): PlainBatch => ({ events: [], runId: undefined, session: '', mayHaveMedia: false });
const newEvent = (): SentEvent => ({
  // Until its type is read; with content it is not plain.
  type: 'artifact',
  role: '',
  name: '',
  stored: NOTHING_STORED,
  externalArtifactId: '',
  eventId: undefined,
  runId: undefined,
  session: undefined,
  field: undefined,
  isText: false,
  source: '',
  inBytes: undefined,
  value: undefined,
  metadata: '',
  metadataValue: undefined,
  causes: undefined,
  unread: NONE,
});

const NO_BYTES: Buffer = Buffer.alloc(0);

// What is being read.
let body = NO_BYTES;
let batch = newBatch();
let event = newEvent();

/** A batch of `POST /api/events` that was validated; undefined if it is not plain. */
export function readPlainBatch(sent: Uint8Array): SentBatch | undefined {
  const made = newBatch();
  body = Buffer.from(sent.buffer, sent.byteOffset, sent.length);
  batch = made;
  const whole = walk(body, (at) => {
    const end = membersEnd(at, BESIDE_EVENTS);
    if (end >= 0) made.mayHaveMedia = mayHoldMedia(writtenText());
    return end;
  });
  body = NO_BYTES;
  batch = newBatch();
  event = newEvent();
  return whole && made.events.length > 0 ? made : undefined;
}

/** Level of the value of a member of an event. */
const LEVEL = 4;

/** Reads a text, of which `take` is told the position and that behind it. It returns that, too, or stops. */
const readText =
  (take: (at: number, end: number) => number): ReadValue =>
  (at) => {
    if (byteAt(at) !== QUOTE) return readNull(at);
    const end = valueToRead(at, LEVEL);
    return end < 0 ? STOPPED : take(at, end);
  };

/** Reads a text and hands over what it says. */
const readValue = (put: (value: string) => void): ReadValue =>
  readText((at, end) => {
    put(readString(at, end));
    return end;
  });

const TYPES = EVENT_TYPES.map((type) => ({ type, codes: quoted(type) }));
const ROLES = (['user', 'assistant'] as const).map((role) => ({
  role,
  codes: quoted(role),
  withPostfix: Uint8Array.from(Buffer.from(`"${role}-`)),
}));

function readType(at: number): number {
  for (const { type, codes } of TYPES) {
    if (!isAt(codes, at)) continue;
    event.type = type;
    return at + codes.length;
  }
  return STOPPED;
}

function readRole(at: number): number {
  for (const { role, codes, withPostfix } of ROLES) {
    const whole = isAt(codes, at);
    if (!whole && !isAt(withPostfix, at)) continue;
    event.role = role;
    return whole ? at + codes.length : valueEnd(at, LEVEL);
  }
  return readNull(at);
}

function takeEventId(at: number, end: number): number {
  event.eventId = shortText(at, end, undefined);
  return event.eventId === undefined ? STOPPED : end;
}

function takeRun(at: number, end: number): number {
  event.runId = shortText(at, end, batch.events.at(-1)?.runId);
  return event.runId === undefined ? STOPPED : end;
}

const readJson =
  (take: (source: string) => void): ReadValue =>
  (at) => {
    const end = valueToRead(at, LEVEL);
    if (end >= 0) take(readSource(at, end));
    return end;
  };

const takeMetadata = readJson((source) => {
  event.metadata = source;
});
const readMetadata: ReadValue = (at) => (byteAt(at) === OPEN_OBJECT ? takeMetadata(at) : readNull(at));

const isJson = (first: number | undefined): boolean => first === OPEN_OBJECT || first === OPEN_ARRAY;

/** The parent or the link that is read. */
let named: EventLink = {};

/** Reads the id of an event, or an object that names one. */
function readNamed(at: number): number {
  named = {};
  if (byteAt(at) !== QUOTE) return membersEnd(at, IN_NAMED);
  const end = valueToRead(at, LEVEL);
  if (end >= 0) named.event_id = readString(at, end);
  return end;
}

const putNamed = (name: 'event_id' | 'run_id' | 'internal_event_id' | 'relation'): ReadValue =>
  readValue((value) => {
    named[name] = value;
  });

const IN_NAMED = membersOf(
  {
    event_id: putNamed('event_id'),
    run_id: putNamed('run_id'),
    internal_event_id: putNamed('internal_event_id'),
    relation: putNamed('relation'),
  },
  (at) => valueEnd(at, LEVEL + 2),
);

function readParent(at: number): number {
  if (byteAt(at) !== QUOTE && byteAt(at) !== OPEN_OBJECT) return readNull(at);
  const end = readNamed(at);
  event.causes ??= {};
  event.causes.parent = named;
  return end;
}

function readLinks(at: number): number {
  if (byteAt(at) !== OPEN_ARRAY) return readNull(at);
  const links: EventLink[] = [];
  const end = elementsEnd(at, (link) => {
    const behind = readNamed(link);
    links.push(named);
    return behind;
  });
  event.causes ??= {};
  event.causes.links = links;
  return end;
}

function takeString(at: number, end: number): void {
  event.source = readString(at, end);
  event.value = event.source;
  if (isAsWritten(end) && !looksLikeJson(event.source)) event.inBytes = { bytes: body, at: at + 1 };
}

const readContent =
  (field: string): ReadValue =>
  (at) => {
    if (isNullAt(at)) return readNull(at);
    const end = valueToRead(at, LEVEL);
    if (end < 0 || event.field !== undefined) return STOPPED;
    event.field = field;
    event.isText = byteAt(at) === QUOTE;
    if (event.isText) takeString(at, end);
    else event.source = readSource(at, end);
    return end;
  };

/** A field with content beside that of the event, such as `tool_calls`, is named in a note if there is something in it. */
const readUnread =
  (name: string): ReadValue =>
  (at) => {
    const end = valueToRead(at, LEVEL);
    const first = byteAt(at);
    const isValue = first === QUOTE || isJson(first) || isNumber(first);
    // Quotes or brackets with nothing between them.
    if (end >= 0 && isValue && (isNumber(first) || readSource(at, end).length > 2))
      event.unread = [...event.unread, name];
    return end;
  };

const MINUS = 45;
const ZERO = 48;
const NINE = 57;
const isNumber = (first: number | undefined): boolean =>
  first !== undefined && (first === MINUS || (first >= ZERO && first <= NINE));

const readOther: ReadValue = (at) => valueEnd(at, LEVEL);

const BESIDE_EVENTS = membersOf(
  {
    environment_id: readText((_, end) => end),
    run_id: readValue((run) => {
      batch.runId = run;
    }),
    external_session_id: readValue((session) => {
      batch.session = session;
    }),
    events: (at) => elementsEnd(at, readEvent),
  },
  readOther,
);

const readStored = (at: number): ReadValue =>
  readValue((value) => {
    event.stored = event.stored.with(at, value);
  });

const CONTENTS = ['content', 'arguments', 'output', 'definition', 'input', 'instructions', 'state'] as const;
const IN_EVENT = membersOf(
  {
    environment_id: readText((_, end) => end),
    run_id: readText(takeRun),
    external_session_id: readValue((session) => {
      event.session = session;
    }),
    event_id: readText(takeEventId),
    type: readType,
    role: readRole,
    name: readValue((name) => {
      event.name = name;
    }),
    ...Object.fromEntries(STORED.map((name, i) => [name, readStored(i)])),
    external_artifact_id: readValue((artifact) => {
      event.externalArtifactId = artifact;
    }),
    metadata: readMetadata,
    parent: readParent,
    links: readLinks,
    ...Object.fromEntries(CONTENTS.map((name) => [name, readContent(name)])),
    ...Object.fromEntries(BESIDE_CONTENT.map((name) => [name, readUnread(name)])),
  },
  readOther,
);

function readEvent(at: number): number {
  event = newEvent();
  const end = membersEnd(at, IN_EVENT);
  if (end < 0 || !isPlain(event)) return STOPPED;
  if (event.causes && !declaresCauses(event.causes)) event.causes = undefined;
  batch.events.push(event);
  return end;
}

/** It is a reference, or has a text. */
const isPlain = ({ type, field }: SentEvent): boolean =>
  field === undefined || (type !== 'artifact' && CHECKABLE_FIELDS[type].includes(field));
