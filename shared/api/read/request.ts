/** Walks over a request of events, and notes where its parts stand (`slots.ts`). */
import { isUuid } from '../../ids.js';
import { LIMITS } from '../limits.js';
import { CHECKABLE_FIELDS, EVENT_TYPES } from '../types.js';
import { checkArtifactContent } from '../validate/image.js';
import { createIssues } from '../validate/issues.js';
import { isId } from '../validate/measure.js';
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
import { clearRequest, nextSlot, nextTarget, request, slots, type TextPlace, textAt } from './slots.js';
import {
  byteAt,
  elementsEnd,
  isAt,
  isNullAt,
  isSame,
  type Members,
  membersEnd,
  membersOf,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
  quoted,
  type ReadValue,
  readNull,
  STOPPED,
  spanEnd,
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
  /** types, a bit for each, of which an event must not have one of its fields */
  misplaced: 0,
};

/** Level of the value of a member of an event; the body is on level 1. */
let level = 4;

/** Reads `body`, which is UTF-8, as that of `POST /api/events`. False: validation must say what is made of it. */
export function readBatch(body: Buffer): boolean {
  clearRequest(body);
  level = 4;
  return walk(body, (at) => membersEnd(at, BATCH)) && request.scope.end > 0 && request.events > 0;
}

/** The same for `POST /api/event`. */
export function readSingle(body: Buffer): boolean {
  clearRequest(body);
  level = 3;
  if (!walk(body, (at) => membersEnd(at, SINGLE)) || request.scope.end < 0 || request.events === 0) return false;
  const { run, session } = slots[0]!;
  return agree(run, request.run) && agree(session, request.session);
}

/** What stands in two places of a request must be the same. Whether it is where it is written in two ways is not known here. */
const agree = (one: TextPlace, other: TextPlace): boolean =>
  one.end < 0 || other.end < 0 || (one.coded === other.coded && isSameText(one, other));

function isSameText(one: TextPlace, other: TextPlace): boolean {
  const length = one.end - one.start;
  return (
    length === other.end - other.start &&
    request.body.compare(request.body, other.start, other.end, one.start, one.end) === 0
  );
}

/** Of 256 bytes a 1 for each that `is` is true of. */
const bytesThat = (is: (text: string) => boolean): Uint8Array =>
  Uint8Array.from({ length: 256 }, (_, byte) => (is(String.fromCharCode(byte)) ? 1 : 0));

const IN_ID = bytesThat(isId);
const IN_UUID = bytesThat((text) => /[0-9a-fA-F-]/.test(text));
/** ASCII without escapes. */
const IN_TEXT = bytesThat((text) => text >= ' ' && text <= '~' && text !== '"' && text !== '\\');

/** Reads a text of at most so many bytes, all of them in `set`. `null` says that it is absent. */
function readPlain(to: TextPlace, at: number, set: Uint8Array, most: number): number {
  if (byteAt(at) !== QUOTE) return readNull(at);
  const end = spanEnd(set, at + 1);
  if (byteAt(end) !== QUOTE || end - at - 1 > most) return STOPPED;
  to.start = at + 1;
  to.end = end;
  to.coded = false;
  return end + 1;
}

function readId(to: TextPlace, at: number): number {
  const end = readPlain(to, at, IN_ID, LIMITS.idCharacters);
  return to.end === to.start ? STOPPED : end;
}

/** Reads a text of any characters. It has no more of them than bytes. */
function readText(to: TextPlace, at: number): number {
  if (byteAt(at) !== QUOTE) return readNull(at);
  const plain = spanEnd(IN_TEXT, at + 1);
  to.coded = byteAt(plain) !== QUOTE;
  const end = to.coded ? valueEnd(at, level) : plain + 1;
  if (end < 0 || end - at - 2 > LIMITS.nameCharacters) return STOPPED;
  to.start = at + 1;
  to.end = end - 1;
  return end;
}

const environment = { start: 0, end: STOPPED, coded: false };

/** A request has one environment, which may be named in several places. */
function readEnvironment(at: number): number {
  environment.end = STOPPED;
  const end = readText(environment, at);
  if (environment.end < 0) return end;
  const length = environment.end - environment.start;
  const { scope } = request;
  if (scope.end < 0) Object.assign(scope, environment);
  const same = length === scope.end - scope.start && isSame(environment.start, scope.start, length);
  return same && length > 0 ? end : STOPPED;
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
  return STOPPED;
}

const ROLES = ['user', 'assistant'].map((role) => ({
  codes: quoted(role),
  withPostfix: Uint8Array.from(Buffer.from(`"${role}-`)),
}));

function readRole(at: number): number {
  for (const { codes, withPostfix } of ROLES) {
    if (isAt(codes, at)) {
      event.hasRole = true;
      return at + codes.length;
    }
    if (!isAt(withPostfix, at)) continue;
    event.hasRole = true;
    return valueEnd(at, level);
  }
  return readNull(at);
}

function readName(at: number): number {
  const end = valueEnd(at, level);
  // It has no more characters than bytes.
  if (byteAt(at) === QUOTE) return end - at - 2 <= LIMITS.nameCharacters ? end : STOPPED;
  return readNull(at);
}

function readMetadata(at: number): number {
  if (byteAt(at) !== OPEN_OBJECT) return readNull(at);
  const end = valueEnd(at, level);
  return end - at <= LIMITS.metadataBytes ? end : STOPPED;
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
    else if (event.contents !== 0 || end - at > LIMITS.contentBytes) return STOPPED;
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
  const end = membersEnd(at, members);
  const { event: named, internal } = target;
  if (named.end < 0 === internal.end < 0) return STOPPED;
  return internal.end < 0 || isUuid(textAt(request.body, internal)) ? end : STOPPED;
}

/** The target that is being read. */
let target = nextTarget();

/** Readers of fields that belong elsewhere: they say nothing when they are null. */
const misplaced = (places: FieldHints): Record<string, ReadValue> =>
  Object.fromEntries(Array.from(places.keys(), (name) => [name, readNull]));

/** An element of links is two levels deeper than a member of an event. */
const readInTarget: ReadValue = (at) => valueEnd(at, level + 2);

const targetMembers = (places: FieldHints, more: Record<string, ReadValue>): Members =>
  membersOf(
    {
      ...misplaced(places),
      event_id: (at) => readId(target.event, at),
      run_id: (at) => readId(target.run, at),
      internal_event_id: (at) => readPlain(target.internal, at, IN_UUID, LIMITS.idCharacters),
      ...more,
    },
    readInTarget,
  );

/** It has no more characters than bytes. */
function readRelation(at: number): number {
  if (byteAt(at) !== QUOTE) return readNull(at);
  const end = valueEnd(at, level);
  return end - at - 2 <= LIMITS.relationCharacters ? end : STOPPED;
}

const OF_PARENT = targetMembers(IN_PARENT, {});
const OF_LINK = targetMembers(IN_LINK, { relation: readRelation });

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

/** Fields that events of some types must not have, and by name these types, a bit for each. */
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
    call_id: readName,
    format: readName,
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

/** It is less deep than a member of an event. */
const readBeside: ReadValue = (at) => valueEnd(at, level);

const BESIDE = {
  environment_id: readEnvironment,
  run_id: (at: number) => readId(request.run, at),
  external_session_id: (at: number) => readText(request.session, at),
};
const BATCH = membersOf(
  { ...BESIDE, events: (at) => elementsEnd(at, readOne), ...misplaced(BESIDE_EVENTS) },
  readBeside,
);
const SINGLE = membersOf({ ...BESIDE, event: (at) => readOne(at), ...misplaced(BESIDE_EVENT) }, readBeside);

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
  return end >= 0 && isWhole() ? end : STOPPED;
}

function isWhole(): boolean {
  const { slot, contents, hasRole, first } = event;
  const { type } = slot;
  if (type < 0 || (event.misplaced & (1 << type)) !== 0) return false;
  if (contents === 0) {
    slot.isReference = true;
    request.names = true;
    return !event.hasUnknown && !(event.hasNull && hasRole);
  }
  if ((FITTING[type]! & contents) === 0) return false;
  if (type === ARTIFACT) return isImage();
  return type !== MESSAGE || (hasRole && (first !== OPEN_ARRAY || !event.hasParts || hasNoImages()));
}

/** The content of the event as a value. */
const contentValue = (): unknown => JSON.parse(request.body.toString('utf8', event.start, event.end));

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
