/** Walks over a request of events, and notes where its parts stand (`slots.ts`). */
import { LIMITS } from '../limits.js';
import { STORED_TEXTS } from '../requests.js';
import { CHECKABLE_FIELDS, EVENT_TYPES } from '../types.js';
import { checkArtifactContent } from '../validate/image.js';
import { createIssues } from '../validate/issues.js';
import { textExceeds } from '../validate/measure.js';
import { isImagePart } from '../validate/media-within.js';
import {
  BESIDE_EVENT,
  BESIDE_EVENTS,
  checkMisplaced,
  type FieldHints,
  IN_EVENT,
  IN_EVENT_CONTENT,
  IN_LINK,
  IN_PARENT,
} from '../validate/misplaced.js';
import { byteAt, isAt, OPEN_ARRAY, OPEN_OBJECT, QUOTE, quoted, STOPPED } from './scan.js';
import { clearRequest, isSameText, nextSlot, nextTarget, request, slots, type TextPlace } from './slots.js';
import { IN_TEXT, isLarger, readId, readPlace, readShort, readText, readUuid, stringAt, valueAt } from './texts.js';
import {
  elementsEnd,
  isNullAt,
  type Members,
  membersEnd,
  membersOf,
  type ReadValue,
  readNull,
  valueEnd,
  walk,
} from './walk.js';

/** The event that is being read. */
const event = {
  slot: slots[0]!,
  hasRole: false,
  /** the fields of its content that are not null, a bit for each */
  contents: 0,
  /** where its content is */
  start: 0,
  end: 0,
  first: 0,
  /** its content is a list with parts that are not text alone */
  hasParts: false,
  /** a field of content is null */
  hasNull: false,
  hasUnknown: false,
  /** types, a bit for each, of which an event may have a field in the wrong place */
  misplaced: 0,
};
/** the same of the parent or the link that is read, and of what stands beside the events */
let inTarget = false;
let beside = false;
let targetLevel = 0;

/** Level of the value of a member of an event; the body is on level 1. */
let level = 4;

/** Reads `body`, which is UTF-8, as that of `POST /api/events`. False: it is refused. */
export const readBatch = (body: Buffer): boolean => readRequest(body, 4, BATCH) && isInPlace(BESIDE_EVENTS);

/** The same for `POST /api/event`. */
export function readSingle(body: Buffer): boolean {
  if (!readRequest(body, 3, SINGLE) || !isInPlace(BESIDE_EVENT)) return false;
  const { run, session } = slots[0]!;
  return agree(run, request.run) && agree(session, request.session);
}

function readRequest(body: Buffer, levelOfMembers: number, members: Members): boolean {
  clearRequest(body);
  level = levelOfMembers;
  beside = false;
  return walk(body, (at) => membersEnd(at, members)) && request.scope.end > 0 && request.events > 0;
}

const isInPlace = (places: FieldHints): boolean => !beside || hasNoMisplaced(0, request.body.length, places);

/** Whether the object between two positions has no field in the wrong place: whether some are depends on others. */
function hasNoMisplaced(start: number, end: number, places: FieldHints): boolean {
  const issues = createIssues();
  checkMisplaced(issues, valueAt(start, end), '', places);
  return issues.list.length === 0;
}

/** What stands in two places of a request must be the same. */
const agree = (one: TextPlace, other: TextPlace): boolean => one.end < 0 || other.end < 0 || isSameText(one, other);

const environment = { start: 0, end: STOPPED, coded: false };

/** A request has one environment, which may be named in several places. */
function readEnvironment(at: number): number {
  environment.end = STOPPED;
  const end = readPlace(environment, at, IN_TEXT);
  if (environment.end < 0) return end;
  const { scope } = request;
  if (scope.end < 0) Object.assign(scope, environment);
  return environment.end > environment.start && isSameText(environment, scope) ? end : STOPPED;
}

const TYPES = EVENT_TYPES.map(quoted);
const MESSAGE = EVENT_TYPES.indexOf('message');
const ARTIFACT = EVENT_TYPES.indexOf('artifact');

function readType(at: number): number {
  for (let type = 0; type < TYPES.length; type++) {
    if (!isAt(TYPES[type]!, at)) continue;
    event.slot.type = type;
    return at + TYPES[type]!.length;
  }
  const end = byteAt(at) === QUOTE ? valueEnd(at, level) : STOPPED;
  if (end < 0) return STOPPED;
  event.slot.type = (EVENT_TYPES as readonly string[]).indexOf(stringAt(at, end));
  return event.slot.type < 0 ? STOPPED : end;
}

const ROLES = ['user', 'assistant'].map(quoted);
/** As they may be written, with a postfix. */
const ROLE = /^(?:user|assistant)(?:-|$)/;

function readRole(at: number): number {
  event.hasRole = true;
  for (const role of ROLES) if (isAt(role, at)) return at + role.length;
  event.hasRole = byteAt(at) === QUOTE;
  if (!event.hasRole) return readNull(at);
  const end = valueEnd(at, level);
  return end >= 0 && ROLE.test(stringAt(at, end)) ? end : STOPPED;
}

const readName = readShort(LIMITS.nameCharacters);

function readMetadata(at: number): number {
  if (byteAt(at) !== OPEN_OBJECT) return readNull(at);
  const end = valueEnd(at, level);
  return end - at <= LIMITS.metadataBytes || !isLarger(LIMITS.metadataBytes, at, end) ? end : STOPPED;
}

const CONTENTS = ['content', 'arguments', 'output', 'definition', 'input', 'instructions', 'state'] as const;

/** The fields that each type of event has its content in, a bit for each. */
const FITTING = EVENT_TYPES.map((type) =>
  CONTENTS.reduce((bits, name, i) => (CHECKABLE_FIELDS[type].includes(name) ? bits | (1 << i) : bits), 0),
);
/** Functions take and return numbers and booleans, too. */
const RETURNED = (1 << CONTENTS.indexOf('arguments')) | (1 << CONTENTS.indexOf('output'));

const readContent =
  (field: number): ReadValue =>
  (at) => {
    const first = byteAt(at)!;
    if (first !== QUOTE && first !== OPEN_OBJECT && first !== OPEN_ARRAY && (field & RETURNED) === 0) {
      event.hasNull = true;
      return readNull(at);
    }
    const end = first === OPEN_ARRAY ? elementsEnd(at, readPart) : valueEnd(at, level);
    if (isNullAt(at)) event.hasNull = true;
    else if (event.contents !== 0) return STOPPED;
    else {
      event.contents = field;
      event.first = first;
      event.start = at;
      event.end = end;
    }
    return end;
  };

/** Types of parts that are text, as callers write them. */
const TEXT_PARTS = ['text', 'input_text', 'output_text'].map(quoted);

function readPartType(at: number): number {
  for (const type of TEXT_PARTS) if (isAt(type, at)) return at + type.length;
  return readInPart(at);
}

/** What a part has beside its text. */
function readInPart(at: number): number {
  event.hasParts = true;
  return valueEnd(at, level + 2);
}

const IN_PART = membersOf({ type: readPartType, text: (at) => valueEnd(at, level + 2) }, readInPart);

function readPart(at: number): number {
  return byteAt(at) === OPEN_OBJECT ? membersEnd(at, IN_PART) : valueEnd(at, level + 1);
}

/** Reads what a parent or a link names: the id of an event, or an object. */
function readTarget(at: number, members: Members): number {
  if (request.targets >= LIMITS.declarationsPerBatch) return STOPPED;
  request.names = true;
  target = nextTarget();
  if (byteAt(at) === QUOTE) return readId(target.event, at);
  inTarget = false;
  targetLevel = level + (members === OF_PARENT ? 1 : 2);
  const end = membersEnd(at, members);
  if (inTarget && end >= 0 && !hasNoMisplaced(at, end, members === OF_PARENT ? IN_PARENT : IN_LINK)) return STOPPED;
  const { event: named, internal } = target;
  return named.end < 0 === internal.end < 0 ? STOPPED : end;
}

/** The target that is being read. */
let target = nextTarget();

/** Readers of fields that may belong elsewhere. */
const misplaced = (places: FieldHints, read: ReadValue): Record<string, ReadValue> =>
  Object.fromEntries(Array.from(places.keys(), (name) => [name, read]));

/** A member of a parent is one level deeper than one of an event, and that of an element of links two. */
const readInTarget: ReadValue = (at) => valueEnd(at, targetLevel);

function readMisplacedInTarget(at: number): number {
  inTarget = true;
  return readInTarget(at);
}

const targetMembers = (places: FieldHints, more: Record<string, ReadValue>): Members =>
  membersOf(
    {
      ...misplaced(places, readMisplacedInTarget),
      event_id: (at) => readId(target.event, at),
      run_id: (at) => readId(target.run, at),
      internal_event_id: (at) => readUuid(target.internal, at),
      ...more,
    },
    readInTarget,
  );

const OF_PARENT = targetMembers(IN_PARENT, {});
const OF_LINK = targetMembers(IN_LINK, { relation: readShort(LIMITS.relationCharacters) });

function readParent(at: number): number {
  const first = byteAt(at);
  if (first !== QUOTE && first !== OPEN_OBJECT) return readNull(at);
  event.slot.parent = request.targets;
  return readTarget(at, OF_PARENT);
}

function readLinks(at: number): number {
  if (byteAt(at) !== OPEN_ARRAY) return readNull(at);
  event.slot.firstLink = request.targets;
  const end = elementsEnd(at, readLink);
  event.slot.links = request.targets - event.slot.firstLink;
  return event.slot.links <= LIMITS.linksPerEvent ? end : STOPPED;
}

const readLink: ReadValue = (at) => readTarget(at, OF_LINK);

/** Fields that events of some types may not have, and by name these types, a bit for each. */
function misplacedInEvents(): Record<string, ReadValue> {
  const types = new Map<string, number>();
  for (const [i, type] of EVENT_TYPES.entries()) {
    for (const name of IN_EVENT[type].keys()) types.set(name, (types.get(name) ?? 0) | (1 << i));
  }
  const reads = Array.from(types, ([name, bits]): [string, ReadValue] => [
    name,
    (at) => {
      event.hasUnknown = true;
      if (!isNullAt(at)) event.misplaced |= bits;
      return valueEnd(at, level);
    },
  ]);
  return Object.fromEntries(reads);
}

// Of names with the same first letter, those that are sent most come first.
const IN_AN_EVENT = membersOf(
  {
    ...Object.fromEntries(CONTENTS.map((name, i) => [name, readContent(1 << i)])),
    event_id: (at) => readId(event.slot.id, at),
    type: readType,
    role: readRole,
    run_id: (at) => readId(event.slot.run, at),
    external_session_id: (at) => readText(event.slot.session, at),
    environment_id: readEnvironment,
    external_artifact_id: readName,
    name: readName,
    ...Object.fromEntries(STORED_TEXTS.map((name) => [name, readName])),
    metadata: readMetadata,
    parent: readParent,
    links: readLinks,
    ...misplacedInEvents(),
  },
  (at) => {
    event.hasUnknown = true;
    return valueEnd(at, level);
  },
);

const readBeside: ReadValue = (at) => valueEnd(at, 2);

function readMisplacedBeside(at: number): number {
  beside = true;
  return readBeside(at);
}

const BESIDE = {
  environment_id: readEnvironment,
  run_id: (at: number) => readId(request.run, at),
  external_session_id: (at: number) => readText(request.session, at),
};
const BATCH = membersOf(
  { ...BESIDE, events: (at) => elementsEnd(at, readOne), ...misplaced(BESIDE_EVENTS, readMisplacedBeside) },
  readBeside,
);
const SINGLE = membersOf(
  { ...BESIDE, event: (at) => readOne(at), ...misplaced(BESIDE_EVENT, readMisplacedBeside) },
  readBeside,
);

function readOne(at: number): number {
  if (request.events === LIMITS.eventsPerBatch) return STOPPED;
  event.slot = nextSlot();
  event.hasRole = false;
  event.contents = 0;
  event.hasParts = false;
  event.hasNull = false;
  event.hasUnknown = false;
  event.misplaced = 0;
  const end = membersEnd(at, IN_AN_EVENT);
  request.events++;
  return end >= 0 && isWhole(at, end) ? end : STOPPED;
}

/** Whether the event between two positions is as its type wants it. */
function isWhole(start: number, end: number): boolean {
  const { slot, contents, hasRole, first } = event;
  const { type } = slot;
  if (type < 0) return false;
  if ((event.misplaced & (1 << type)) !== 0 && !hasNoMisplaced(start, end, IN_EVENT[EVENT_TYPES[type]!])) return false;
  if (contents === 0) {
    slot.isReference = true;
    request.names = true;
    return !event.hasUnknown && !(event.hasNull && hasRole);
  }
  if ((FITTING[type]! & contents) === 0) return false;
  if (type === ARTIFACT) return isImage();
  if (event.end - event.start > LIMITS.contentBytes && isTooLarge()) return false;
  return type !== MESSAGE || (hasRole && (first !== OPEN_ARRAY || !event.hasParts || hasNoImages()));
}

/** The content of the event as a value. */
const contentValue = (): unknown => valueAt(event.start, event.end);

/** Whether the content, which may be written longer than it is, has too many bytes. */
const isTooLarge = (): boolean =>
  event.first === QUOTE
    ? textExceeds(contentValue() as string, LIMITS.contentBytes)
    : isLarger(LIMITS.contentBytes, event.start, event.end);

function isImage(): boolean {
  const content = contentValue();
  const issues = createIssues();
  checkArtifactContent(issues, content, '', 'event');
  checkMisplaced(issues, content, '', IN_EVENT_CONTENT);
  request.images++;
  return issues.list.length === 0;
}

/** Whether none of the parts of the content is an image: only text is checked in a message event. */
const hasNoImages = (): boolean => !(contentValue() as unknown[]).some(isImagePart);
