/**
 * Validates the bodies of sessions and artifacts, and explains those of events that were refused. First the types, with validators that
 * typia makes from `requests.ts` at build time. Then everything that types do not say, in the order of the body.
 *
 * A valid body makes no issues and no strings. Only an invalid body is read again, piece by piece, to say what is wrong.
 * Lists of the caller are never read beyond their limit, so a hostile body costs no more than a good one of its size.
 */
import { createIs, createValidate, type IValidation, type tags } from 'typia';
import { LIMITS } from '../limits.js';
import type {
  ArtifactRequest,
  ContentPart,
  EventInput,
  EventLink,
  EventRequest,
  EventsRequest,
  Issue,
  MessageInput,
  SessionRequest,
} from '../types.js';
import { checkArtifact } from './artifact.js';
import { checkEnvironment, checkEvent, topRunId } from './event.js';
import type { EventPass } from './event-pass.js';
import { addTypia, createIssues, type Issues, type Validation } from './issues.js';
import { charactersExceed, deeperThan } from './measure.js';
import { BESIDE_EVENT, BESIDE_EVENTS, checkMisplaced } from './misplaced.js';
import { checkSession } from './session.js';
import { sourcesOf } from './sources.js';

export type { CheckInput, Validation } from './issues.js';

const isEvents = createIs<EventsRequest>();
const isEvent = createIs<EventRequest>();
/** Earlier messages are context, which refuses nothing: only the last one has its types checked. */
type SessionBody = Omit<SessionRequest, 'messages'> & { messages: unknown[] & tags.MinItems<1> };
const isSession = createIs<SessionBody>();
const isMessage = createIs<MessageInput>();
// `checkArtifactContent` explains the image, so that its errors are the same wherever an image is sent.
const isArtifact = createIs<Omit<ArtifactRequest, 'content'>>();
const explainEvents = createValidate<EventsRequest>();
const explainEvent = createValidate<EventRequest>();
const explainInput = createValidate<EventInput>();
const explainLink = createValidate<EventLink | string>();
const explainArtifact = createValidate<Omit<ArtifactRequest, 'content'>>();
const explainSession = createValidate<SessionBody>();
const explainMessage = createValidate<MessageInput>();
const explainPart = createValidate<ContentPart>();

/** Limits that are settings. */
export interface TextLimits {
  /** bytes of text in the message of a session that is checked */
  messageBytes: number;
}

export const DEFAULT_LIMITS: TextLimits = { messageBytes: LIMITS.messageTextBytes };

type Validator = (body: unknown, bodyBytes?: number, json?: string, limits?: TextLimits) => Validation;

/** What is wrong with a body of events that the reader does not take (`read/`). */
type Explain = (body: unknown, bodyBytes?: number, json?: string) => Issue[];

/**
 * Explains what is wrong with the body of a `POST /api/events` (4.7). `bodyBytes`: its length as sent; a short body needs no measuring.
 * `json`: the body as sent, to measure values in. Without it, values are measured as `JSON.stringify` writes them.
 */
export const issuesOfEvents: Explain = (body, bodyBytes = Number.MAX_SAFE_INTEGER, json = undefined) => {
  const issues = createIssues();
  const list = (body as EventsRequest | null)?.events;
  if (Array.isArray(list) && list.length > LIMITS.eventsPerBatch) {
    issues.add('events', 'too_many_events', `expected at most ${LIMITS.eventsPerBatch} events`);
  } else if (deeperThan(body, LIMITS.jsonDepth)) addTooDeep(issues);
  else if (!isEvents(body)) explainBatch(issues, body);
  else {
    if (body.events.length === 0) issues.add('events', 'too_few', 'expected at least 1 event');
    checkMisplaced(issues, body, '', BESIDE_EVENTS);
    const sources = longSources(bodyBytes, json, 'events');
    checkEvents(issues, body, { bodyBytes, sources, events: body.events, path: eventPath });
  }
  return issues.list;
};

/** The same of a `POST /api/event` (4.6). */
export const issuesOfEvent: Explain = (body, bodyBytes = Number.MAX_SAFE_INTEGER, json = undefined) => {
  const issues = createIssues();
  if (deeperThan(body, LIMITS.jsonDepth)) addTooDeep(issues);
  else if (!isEvent(body)) explainSingle(issues, body);
  else {
    checkMisplaced(issues, body, '', BESIDE_EVENT);
    for (const key of ['run_id', 'external_session_id'] as const) {
      if (typeof body[key] !== 'string' || typeof body.event[key] !== 'string' || body[key] === body.event[key])
        continue;
      issues.add(`event.${key}`, 'conflict', `expected the same value as ${key} at the top`);
    }
    const sources = longSources(bodyBytes, json, 'event');
    checkEvents(issues, body, { bodyBytes, sources, events: [body.event], path: () => 'event' });
  }
  return issues.list;
};

/** Checks the events of a body with valid types, and what stands beside them: defaults for every event. */
function checkEvents(
  issues: Issues,
  { run_id: run, external_session_id: session, environment_id: environment }: EventRequest | EventsRequest,
  sent: Pick<EventPass, 'bodyBytes' | 'sources' | 'events' | 'path'>,
): void {
  const pass: EventPass = { issues, ...sent, scope: '', runId: topRunId(issues, run), declared: 0 };
  if (charactersExceed(session ?? '', LIMITS.nameCharacters)) {
    issues.add('external_session_id', 'too_long', `expected at most ${LIMITS.nameCharacters} characters`);
  }
  checkEnvironment(pass, environment, 'environment_id');
  for (let i = 0; i < pass.events.length && !issues.full(); i++) checkEvent(pass, i);
  if (issues.list.length === 0 && pass.scope === '') {
    issues.add('environment_id', 'required', 'is required, expected string');
  }
}

/** Validates the body of `POST /api/session/check` (2.3). */
export const validateSession: Validator = (
  body,
  bodyBytes = Number.MAX_SAFE_INTEGER,
  json = undefined,
  { messageBytes } = DEFAULT_LIMITS,
) => {
  const issues = createIssues();
  const list = (body as SessionRequest | null)?.messages;
  if (Array.isArray(list) && list.length > LIMITS.messages) {
    issues.add('messages', 'too_many', `expected at most ${LIMITS.messages} messages`);
    return refused(issues);
  }
  if (deeperThan(body, LIMITS.jsonDepth)) return refused(issues, () => addTooDeep(issues));
  if (!isSession(body) || !isMessage(body.messages.at(-1))) return refused(issues, () => explainMessages(issues, body));
  const input = checkSession(body as SessionRequest, { bodyBytes, json, messageBytes }, issues);
  return issues.list.length === 0 ? { ok: true, value: input } : refused(issues);
};

/** Validates the body of `POST /api/artifact` (4.5). */
export const validateArtifact: Validator = (body, bodyBytes = Number.MAX_SAFE_INTEGER, json = undefined) => {
  const issues = createIssues();
  if (deeperThan(body, LIMITS.jsonDepth)) return refused(issues, () => addTooDeep(issues));
  if (!isArtifact(body)) return refused(issues, () => explainWith(issues, '', explainArtifact, body));
  const input = checkArtifact(body as ArtifactRequest, { bodyBytes, json }, issues);
  return issues.list.length === 0 ? { ok: true, value: input } : refused(issues);
};

const eventPath = (index: number): string => `events[${index}]`;

const NO_SOURCES: EventPass['sources'] = [];

/** JSON to measure values in. None if the whole body is shorter than the smallest limit of a value. */
function longSources(bodyBytes: number, json: string | undefined, holder: 'event' | 'events'): EventPass['sources'] {
  if (json === undefined || bodyBytes <= Math.min(LIMITS.contentBytes, LIMITS.metadataBytes)) return NO_SOURCES;
  return sourcesOf(json, holder, () => true);
}

function refused(issues: Issues, explain?: () => void): Validation {
  explain?.();
  // The two typia validators could disagree. A body that one of them refuses must not pass without an issue.
  if (issues.list.length === 0) issues.add('', 'type', 'does not have the expected shape');
  return { ok: false, issues: issues.list };
}

function addTooDeep(issues: Issues): void {
  issues.add('', 'too_deep', `expected at most ${LIMITS.jsonDepth} levels of nesting`);
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function explainBatch(issues: Issues, body: unknown): void {
  const events = isObject(body) && Array.isArray(body.events) ? body.events : undefined;
  explainWith(issues, '', explainEvents, events ? { ...(body as object), events: [] } : body);
  for (let i = 0; events && i < events.length && !issues.full(); i++) explainOne(issues, events[i], `events[${i}]`);
}

function explainSingle(issues: Issues, body: unknown): void {
  const has = isObject(body) && isObject(body.event);
  explainWith(issues, '', explainEvent, has ? { ...body, event: { type: 'message' } } : body);
  if (has) explainOne(issues, body.event, 'event');
}

function explainOne(issues: Issues, event: unknown, path: string): void {
  const links = isObject(event) && Array.isArray(event.links) ? event.links : undefined;
  explainWith(issues, path, explainInput, links ? { ...(event as object), links: [] } : event);
  if (links && links.length > LIMITS.linksPerEvent) {
    issues.add(`${path}.links`, 'too_many', `expected at most ${LIMITS.linksPerEvent} links`);
    return;
  }
  for (let i = 0; links && i < links.length; i++) explainWith(issues, `${path}.links[${i}]`, explainLink, links[i]);
}

function explainMessages(issues: Issues, body: unknown): void {
  if (!isObject(body)) {
    explainWith(issues, '', explainSession, body);
    return;
  }
  const { messages } = body;
  const envelope: Record<string, unknown> = { ...body };
  if (Array.isArray(messages)) envelope.messages = [{ role: 'user', content: '' }];
  for (const field of ['policies', 'policy_ids'] as const) {
    const list = body[field];
    // One element over the limit is enough to exceed it.
    if (Array.isArray(list)) envelope[field] = list.slice(0, LIMITS.policyIds + 1);
  }
  explainWith(issues, '', explainSession, envelope);
  if (!Array.isArray(messages)) return;
  if (messages.length === 0) issues.add('messages', 'too_few', 'expected at least 1 message');
  else explainParts(issues, messages.at(-1), `messages[${messages.length - 1}]`);
}

function explainParts(issues: Issues, message: unknown, path: string): void {
  const parts = isObject(message) && Array.isArray(message.content) ? message.content : undefined;
  explainWith(issues, path, explainMessage, parts ? { ...(message as object), content: '' } : message);
  for (let i = 0; parts && i < parts.length && !issues.full(); i++) {
    explainWith(issues, `${path}.content[${i}]`, explainPart, parts[i]);
  }
}

function explainWith(
  issues: Issues,
  path: string,
  explain: (value: unknown) => IValidation<unknown>,
  value: unknown,
): void {
  addTypia(issues, path, explain(value));
}
