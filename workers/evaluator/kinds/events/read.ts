/**
 * Reads the events of a request in one walk over its bytes, as ingress does (`shared/api/read/`). Only what is evaluated and kept is made of
 * it, and JSON is cut out in passing. It was validated when it was accepted.
 */

import {
  byteAt,
  isAsWritten,
  isAt,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
  quoted,
  readSource,
  readString,
  STOPPED,
  shortText,
  writtenText,
} from '../../../../shared/api/read/scan.js';
import {
  elementsEnd,
  isNullAt,
  type Members,
  membersEnd,
  membersOf,
  type ReadValue,
  readNull,
  valueEnd,
  valueToRead,
  walk,
} from '../../../../shared/api/read/walk.js';
import { type CheckKind, EVENT_TYPES, type EventInput, type EventLink } from '../../../../shared/api/types.js';
import { declaresCauses } from '../../../../shared/api/validate/causes.js';
import { eventRoleOf } from '../../../../shared/api/validate/event-pass.js';
import { mayHoldMedia } from '../../../../shared/api/validate/media-within.js';
import { BESIDE_CONTENT } from '../../../../shared/api/validate/unread.js';
import { looksLikeJson } from '../../../../shared/json.js';
import { NOTHING_STORED, STORED } from '../../../rows/columns.js';
import type { SentBatch, SentEvent } from './sent.js';

interface ReadBatch extends SentBatch {
  events: SentEvent[];
}

const NONE: readonly string[] = [];
const newBatch = (): ReadBatch => ({ events: [], runId: undefined, session: '', mayHaveMedia: false });
const newEvent = (): SentEvent => ({
  // Until its type is read.
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

/** level of the value of a member of an event */
let level = 0;

/** The events of a body of this kind. Throws an error of our own, which quotes nothing of it, where it is not one any more. */
export function readEvents(sent: Uint8Array, kind: CheckKind): SentBatch {
  const made = newBatch();
  body = Buffer.from(sent.buffer, sent.byteOffset, sent.length);
  batch = made;
  level = kind === 'event' ? 3 : 4;
  const members = kind === 'event' ? SINGLE : BATCH;
  const whole = walk(body, (at) => {
    const end = membersEnd(at, members);
    if (end >= 0) made.mayHaveMedia = mayHoldMedia(writtenText());
    return end;
  });
  body = NO_BYTES;
  batch = newBatch();
  event = newEvent();
  if (!whole || made.events.length === 0) throw new Error('the body of the entry has no events that can be read');
  return made;
}

/** Reads a text, of which `take` is told the position and that behind it. It returns that, too, or stops. */
const readText =
  (take: (at: number, end: number) => number): ReadValue =>
  (at) => {
    if (byteAt(at) !== QUOTE) return readNull(at);
    const end = valueToRead(at, level);
    return end < 0 ? STOPPED : take(at, end);
  };

/** Reads a text and hands over what it says. */
const readValue = (put: (value: string) => void): ReadValue =>
  readText((at, end) => {
    put(readString(at, end));
    return end;
  });

const TYPES = EVENT_TYPES.map((type) => ({ type, codes: quoted(type) }));
const ROLES = (['user', 'assistant'] as const).map((role) => ({ role, codes: quoted(role) }));

/** A type that is written with escapes is one all the same. */
const readWrittenType = readValue((type) => {
  event.type = type as SentEvent['type'];
});

function readType(at: number): number {
  for (const { type, codes } of TYPES) {
    if (!isAt(codes, at)) continue;
    event.type = type;
    return at + codes.length;
  }
  return readWrittenType(at);
}

const readWrittenRole = readValue((role) => {
  event.role = eventRoleOf(role as EventInput['role']);
});

function readRole(at: number): number {
  for (const { role, codes } of ROLES) {
    if (!isAt(codes, at)) continue;
    event.role = role;
    return at + codes.length;
  }
  return readWrittenRole(at);
}

function takeEventId(at: number, end: number): number {
  event.eventId = shortText(at, end, undefined) ?? readString(at, end);
  return end;
}

function takeRun(at: number, end: number): number {
  event.runId = shortText(at, end, batch.events.at(-1)?.runId) ?? readString(at, end);
  return end;
}

const readJson =
  (take: (source: string) => void): ReadValue =>
  (at) => {
    const end = valueToRead(at, level);
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

let namedLevel = 0;

/** Reads the id of an event, or an object that names one. `members`: level of the values of its members. */
function readNamed(at: number, members: number): number {
  named = {};
  namedLevel = members;
  if (byteAt(at) !== QUOTE) return membersEnd(at, IN_NAMED);
  const end = valueToRead(at, level);
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
  (at) => valueEnd(at, namedLevel),
);

function readParent(at: number): number {
  if (byteAt(at) !== QUOTE && byteAt(at) !== OPEN_OBJECT) return readNull(at);
  const end = readNamed(at, level + 1);
  event.causes ??= {};
  event.causes.parent = named;
  return end;
}

function readLinks(at: number): number {
  if (byteAt(at) !== OPEN_ARRAY) return readNull(at);
  const links: EventLink[] = [];
  const end = elementsEnd(at, (link) => {
    const behind = readNamed(link, level + 2);
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
    const end = valueToRead(at, level);
    if (end < 0) return STOPPED;
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
    const end = valueToRead(at, level);
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

const readOther: ReadValue = (at) => valueEnd(at, level);

const membersBeside = (holder: 'event' | 'events', read: ReadValue): Members =>
  membersOf(
    {
      run_id: readValue((run) => {
        batch.runId = run;
      }),
      external_session_id: readValue((session) => {
        batch.session = session;
      }),
      [holder]: read,
    },
    (at) => valueEnd(at, 2),
  );
const BATCH = membersBeside('events', (at) => elementsEnd(at, readEvent));
const SINGLE = membersBeside('event', (at) => readEvent(at));

const readStored = (at: number): ReadValue =>
  readValue((value) => {
    event.stored = event.stored.with(at, value);
  });

const CONTENTS = ['content', 'arguments', 'output', 'definition', 'input', 'instructions', 'state'] as const;
const IN_EVENT = membersOf(
  {
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
  if (end < 0) return STOPPED;
  if (event.causes && !declaresCauses(event.causes)) event.causes = undefined;
  if (event.type === 'artifact' && event.field !== undefined) takeImage();
  batch.events.push(event);
  return end;
}

/** What is kept of an image is made of its value. */
function takeImage(): void {
  event.value ??= JSON.parse(event.source);
  event.source = '';
}
