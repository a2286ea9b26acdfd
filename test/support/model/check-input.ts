/** What dispatch needs of a request of events, made of its parsed value: the model of the reader of ingress, `shared/api/read/`. */
import { conversationOf } from '#weir/shared/api/conversation';
import { LIMITS } from '#weir/shared/api/limits';
import type { EventInput, EventReference, EventRequest, EventsRequest } from '#weir/shared/api/types';
import { declaresCauses, hasContent } from '#weir/shared/api/validate/causes';
import { type CheckInput, causeKey, type Validation } from '#weir/shared/api/validate/issues';
import { issuesOfEvent, issuesOfEvents } from '#weir/shared/api/validate/validate';

/** A request, as it is read. */
interface InputPass {
  events: readonly EventInput[];
  run: string;
  session: string;
  input: CheckInput & { runIds: string[] };
  causes: Set<string>;
}

/** What is wrong with a body, or what is made of it. */
export function validateEvents(body: unknown, bodyBytes?: number, json?: string): Validation {
  const issues = issuesOfEvents(body, bodyBytes, json);
  return issues.length > 0 ? { ok: false, issues } : { ok: true, value: inputOf(body as EventsRequest) };
}

/** The same of a single event. */
export function validateEvent(body: unknown, bodyBytes?: number, json?: string): Validation {
  const issues = issuesOfEvent(body, bodyBytes, json);
  if (issues.length > 0) return { ok: false, issues };
  const { event, ...beside } = body as EventRequest;
  return { ok: true, value: inputOf({ ...beside, events: [event] }) };
}

function inputOf({ environment_id, run_id, external_session_id, events }: EventsRequest): CheckInput {
  const run = run_id ?? '';
  const session = external_session_id ?? '';
  const scope = environment_id ?? events.find((event) => event.environment_id != null)?.environment_id ?? '';
  const first = events[0]!;
  const input = {
    scope,
    affinity: (first.run_id ?? run) || (first.external_session_id ?? session),
    conversations: [],
    references: [],
    referred: [],
    eventIds: [],
    runIds: [],
    images: 0,
    policies: [],
    policiesField: 'policies' as const,
  };
  const pass: InputPass = { events, run, session, input, causes: new Set() };
  for (const [i, event] of events.entries()) addEvent(pass, event, i);
  return input;
}

function addEvent(pass: InputPass, event: EventInput, index: number): void {
  const { input } = pass;
  const run = event.run_id ?? pass.run;
  input.runIds.push(run);
  // A generated run is a conversation too: later requests may send its id.
  const conversation = conversationOf(event.external_session_id ?? pass.session, run);
  if (!input.conversations.includes(conversation)) input.conversations.push(conversation);
  if (!hasContent(event)) {
    addReference(pass, event, index);
    return;
  }
  input.eventIds.push(event.event_id ?? '');
  if (event.type === 'artifact') input.images++;
  for (const target of [event.parent, ...(event.links ?? [])]) if (target != null) addCause(pass, target, index);
}

function addReference({ events, run: top, session, input }: InputPass, event: EventInput, index: number): void {
  const run = event.run_id ?? top;
  const names = { run_id: run, event_id: event.event_id! };
  const referred = { index, type: event.type, ...names, external_session_id: event.external_session_id ?? session };
  input.eventIds.push(null);
  input.referred.push(declaresCauses(event) ? { ...referred, declares: true } : referred);
  // A generated run has no earlier events outside the batch.
  if (run !== '' && !isInBatch(events.slice(0, index), top, names)) input.references.push({ index, ...names });
}

/** Adds a declared cause that is not in the batch: only the stores can tell whether it exists. */
function addCause(
  { events, run: top, input, causes }: InputPass,
  target: EventReference | string,
  index: number,
): void {
  const named = typeof target === 'string' ? { event_id: target } : target;
  const internal = named.internal_event_id?.toLowerCase() ?? '';
  const event = named.event_id ?? '';
  const run = internal === '' ? (named.run_id ?? events[index]!.run_id ?? top) : '';
  if (internal === '' && (run === '' || isInBatch(events.slice(0, index), top, { run_id: run, event_id: event })))
    return;
  const key = causeKey(run, event, internal);
  if (causes.has(key) || causes.size >= LIMITS.declarationsPerBatch) return;
  causes.add(key);
  input.causes ??= [];
  input.causes.push({ run_id: run, event_id: event, internal_event_id: internal });
}

/** Whether one of these events has content and these ids. */
const isInBatch = (earlier: readonly EventInput[], top: string, named: { run_id: string; event_id: string }): boolean =>
  earlier.some(
    (event) => hasContent(event) && event.event_id === named.event_id && (event.run_id ?? top) === named.run_id,
  );
