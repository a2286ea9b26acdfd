/**
 * Reads a plain batch in one walk over its bytes. Nearly every batch is plain: it is valid, and each event has content, no causes and
 * no image. Nothing is made of contents and metadata, which dispatch does not need, nor of ids until something asks for them.
 * Measured: 50 events take half of the time of `JSON.parse` and `validateEvents`, and leave nearly nothing to collect.
 *
 * It accepts nothing that `validateEvents` refuses, and makes the same of what it accepts. Whatever it does not know for sure is not
 * plain, and is left to `validateEvents`.
 */
import { conversationOf } from '../../conversation.js';
import { LIMITS } from '../../limits.js';
import { CHECKABLE_FIELDS, EVENT_TYPES } from '../../types.js';
import type { CheckInput } from '../issues.js';
import { isId } from '../measure.js';
import {
  byFirst,
  byteAt,
  elementsEnd,
  isAt,
  isSame,
  membersEnd,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
  quoted,
  type Read,
  readNull,
  STOPPED,
  spanEnd,
  valueEnd,
  walk,
} from './walk.js';

/** Where a text is, without its quotes. */
interface Place {
  start: number;
  /** STOPPED: it is absent */
  end: number;
}

const place = (): Place => ({ start: 0, end: STOPPED });

const NO_BODY: Buffer = Buffer.alloc(0);

/** The last batch that was read: what stands beside its events. */
const batch = { body: NO_BODY, scope: place(), run: place(), session: place(), count: 0 };

/** Ids of its events. */
const events = Array.from({ length: LIMITS.eventsPerBatch }, () => ({ id: place(), run: place(), session: place() }));

/** The event that is being read. */
const event = { ids: events[0]!, type: 0, hasRole: false, content: 0, first: 0 };

/**
 * What is made of a plain batch. Its lists are made when they are first asked for, which mostly nobody does: they are for late answers, for
 * retries, and for policies that look at earlier texts. A class, since V8 keeps accessors of an object's own outside of the young heap: with
 * them most of a request outlived the collections of young objects (measured: twice as many bytes did).
 */
class PlainEvents implements CheckInput {
  readonly references = [];
  readonly referred = [];
  readonly images = 0;
  readonly policies = [];
  readonly policiesField = 'policies';
  readonly scope: string;
  readonly affinity: string;
  readonly #body: Buffer;
  #ids: Ids | undefined;

  constructor(body: Buffer, scope: string, affinity: string) {
    this.#body = body;
    this.scope = scope;
    this.affinity = affinity;
  }

  get conversations(): Ids['conversations'] {
    return this.#made().conversations;
  }

  get eventIds(): Ids['eventIds'] {
    return this.#made().eventIds;
  }

  get runIds(): Ids['runIds'] {
    return this.#made().runIds;
  }

  #made(): Ids {
    this.#ids ??= idsOf(this.#body);
    return this.#ids;
  }
}

/** What `validateEvents` makes of `body`, which is UTF-8; undefined if it is not plain. The body must not change. */
export function readPlainEvents(body: Buffer): CheckInput | undefined {
  if (!readBatch(body)) return undefined;
  const first = events[0]!;
  const run = textAt(body, placeOf(first.run, batch.run));
  const affinity = run || textAt(body, placeOf(first.session, batch.session));
  return new PlainEvents(body, textAt(body, batch.scope), affinity);
}

/** `input` with its lists, as it goes to another thread. */
export function listed(input: CheckInput): CheckInput {
  if (!(input instanceof PlainEvents)) return input;
  const { conversations, eventIds, runIds } = input;
  return { ...input, conversations, eventIds, runIds };
}

type Ids = Pick<CheckInput, 'conversations' | 'eventIds'> & { runIds: string[] };

/** `body` is a plain batch. Others may have been read after it. */
function idsOf(body: Buffer): Ids {
  if (batch.body !== body) readBatch(body);
  const ids: Ids = { conversations: [], eventIds: [], runIds: [] };
  for (let i = 0; i < batch.count; i++) {
    const { id, run, session } = events[i]!;
    const runId = textAt(body, placeOf(run, batch.run));
    ids.eventIds.push(textAt(body, id));
    ids.runIds.push(runId);
    const conversation = conversationOf(textAt(body, placeOf(session, batch.session)), runId);
    if (!ids.conversations.includes(conversation)) ids.conversations.push(conversation);
  }
  return ids;
}

const placeOf = (own: Place, other: Place): Place => (own.end < 0 ? other : own);
const textAt = (body: Buffer, { start, end }: Place): string => (end < 0 ? '' : body.toString('latin1', start, end));

function readBatch(body: Buffer): boolean {
  batch.body = body;
  batch.count = 0;
  batch.scope.end = STOPPED;
  batch.run.end = STOPPED;
  batch.session.end = STOPPED;
  return walk(body, (at) => membersEnd(at, BESIDE_EVENTS)) && batch.scope.end > 0 && batch.count > 0;
}

/** Of 256 bytes a 1 for each that `is` is true of. */
const bytesThat = (is: (text: string) => boolean): Uint8Array =>
  Uint8Array.from({ length: 256 }, (_, byte) => (is(String.fromCharCode(byte)) ? 1 : 0));

const IN_ID = bytesThat(isId);
/** ASCII without escapes. */
const IN_TEXT = bytesThat((text) => text >= ' ' && text <= '~' && text !== '"' && text !== '\\');

/** Reads a text of at most so many bytes, all of them in `set`. `null` says that it is absent. */
function readText(to: Place, at: number, set: Uint8Array, most: number): number {
  if (byteAt(at) !== QUOTE) return readNull(at);
  const end = spanEnd(set, at + 1);
  if (byteAt(end) !== QUOTE || end - at - 1 > most) return STOPPED;
  to.start = at + 1;
  to.end = end;
  return end + 1;
}

const readSession = (to: Place, at: number): number => readText(to, at, IN_TEXT, LIMITS.nameCharacters);

function readId(to: Place, at: number): number {
  const end = readText(to, at, IN_ID, LIMITS.idCharacters);
  return to.end === to.start ? STOPPED : end;
}

const environment = place();

/** A request has one environment, which may be named in several places. */
function readEnvironment(at: number): number {
  environment.end = STOPPED;
  const end = readText(environment, at, IN_TEXT, LIMITS.nameCharacters);
  if (environment.end < 0) return end;
  const length = environment.end - environment.start;
  const { scope } = batch;
  if (scope.end < 0) {
    scope.start = environment.start;
    scope.end = environment.end;
  }
  const same = length === scope.end - scope.start && isSame(environment.start, scope.start, length);
  return same && length > 0 ? end : STOPPED;
}

const TYPES = EVENT_TYPES.map(quoted);
const MESSAGE = EVENT_TYPES.indexOf('message');
const ROLES = ['user', 'assistant'].map(quoted);

function readType(at: number): number {
  for (let type = 0; type < TYPES.length; type++) {
    if (!isAt(TYPES[type]!, at)) continue;
    event.type = type;
    return at + TYPES[type]!.length;
  }
  return STOPPED;
}

function readRole(at: number): number {
  for (const role of ROLES) {
    if (!isAt(role, at)) continue;
    event.hasRole = true;
    return at + role.length;
  }
  return readNull(at);
}

/** Level of the value of a member of an event. */
const LEVEL = 4;

function readName(at: number): number {
  const end = valueEnd(at, LEVEL);
  // It has no more characters than bytes.
  if (byteAt(at) === QUOTE) return end - at - 2 <= LIMITS.nameCharacters ? end : STOPPED;
  return readNull(at);
}

function readMetadata(at: number): number {
  if (byteAt(at) !== OPEN_OBJECT) return readNull(at);
  const end = valueEnd(at, LEVEL);
  return end - at <= LIMITS.metadataBytes ? end : STOPPED;
}

const CONTENTS = ['content', 'arguments', 'output', 'definition', 'input', 'instructions', 'state'] as const;

/** The fields that each type of event has its content in, a bit for each; none of an artifact, which has an image. */
const FITTING = EVENT_TYPES.map((type) =>
  CONTENTS.reduce(
    (bits, name, i) => (type !== 'artifact' && CHECKABLE_FIELDS[type].includes(name) ? bits | (1 << i) : bits),
    0,
  ),
);

const readContent =
  (field: number): Read =>
  (at) => {
    const first = byteAt(at)!;
    if (first !== QUOTE && first !== OPEN_OBJECT && first !== OPEN_ARRAY) return readNull(at);
    const end = valueEnd(at, LEVEL);
    if (event.content !== 0 || end - at > LIMITS.contentBytes) return STOPPED;
    event.content = field;
    event.first = first;
    return end;
  };

const BESIDE_EVENTS = byFirst({
  environment_id: readEnvironment,
  run_id: (at) => readId(batch.run, at),
  external_session_id: (at) => readSession(batch.session, at),
  events: (at) => elementsEnd(at, readEvent),
});

// Of names with the same first letter, those that are sent most come first.
const IN_EVENT = byFirst({
  ...Object.fromEntries(CONTENTS.map((name, i) => [name, readContent(1 << i)])),
  event_id: (at) => readId(event.ids.id, at),
  type: readType,
  role: readRole,
  run_id: (at) => readId(event.ids.run, at),
  external_session_id: (at) => readSession(event.ids.session, at),
  environment_id: readEnvironment,
  external_artifact_id: readName,
  name: readName,
  call_id: readName,
  format: readName,
  metadata: readMetadata,
  parent: readNull,
  links: readNull,
});

function readEvent(at: number): number {
  if (batch.count === LIMITS.eventsPerBatch) return STOPPED;
  const ids = events[batch.count]!;
  ids.id.end = STOPPED;
  ids.run.end = STOPPED;
  ids.session.end = STOPPED;
  event.ids = ids;
  event.type = STOPPED;
  event.hasRole = false;
  event.content = 0;
  const end = membersEnd(at, IN_EVENT);
  batch.count++;
  return isPlain() ? end : STOPPED;
}

function isPlain(): boolean {
  const { type, content, hasRole, first } = event;
  if (type < 0 || (FITTING[type]! & content) === 0) return false;
  return type !== MESSAGE || (hasRole && first !== OPEN_ARRAY);
}
