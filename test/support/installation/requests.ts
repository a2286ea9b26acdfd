/**
 * Requests of a load, and what their answers say. Each has a name of its own, as its run or the caller's id of its session or artifact.
 * So every row that turns up can be traced to the request that it came from.
 */
import assert from 'node:assert/strict';
import { partsOf } from '#weir/shared/ids';

export type Kind = 'events' | 'event' | 'session' | 'artifact';

/** A verdict of one item, as an answer or a table has it. */
export interface Verdict {
  id: string;
  /** name of the request and of the item in it */
  item: string;
  /** null: there is none yet, or it could not be evaluated */
  flagged: boolean | null;
  policies: string;
}

/** An event of an earlier request that a batch refers to. */
export interface Reference {
  run: string;
  event: string;
  flagged: boolean;
}

export interface Draft {
  kind: Kind;
  name: string;
  /** event ids in order, without references; of others than events: none */
  events: string[];
  path: string;
  body: string;
  reference?: Reference;
}

/** What an answer says. */
export interface Outcome {
  /** of a 200, for each item */
  verdicts: Verdict[];
  /** of a 504: ids that were made for the items */
  ids: string[];
  /** of an error */
  code: string;
  /** it says that nobody knows whether the check was accepted */
  inDoubt: boolean;
  /** of a 200 to a batch with a reference: what became of it */
  referred?: { status: string; flagged: boolean | null };
}

export interface DraftOptions {
  name: string;
  /** bytes of padding of each event, default 0 */
  padding?: number;
  /** events of a batch, default 4 to 6 */
  events?: number;
  /** beside batches and sessions also single events, images, references and declared causes */
  all?: boolean;
  /** half of the sessions are streams of one piece, which an older release does not know */
  streams?: boolean;
  /** an event that was answered before, if there is one */
  earlier?(): Reference | undefined;
}

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAABAAAAAMCAMAAABcOc2zAAAAA1BMVEU6bqXTREzSAAAACXBIWXMAAAPoAAAD6AG1e1JrAAAADElEQVQI12NgGD4AAADMAAG01/g9AAAAAElFTkSuQmCC';

/** One request in eight is a session check; of all kinds one is an image, one a single event, and one has a reference. */
export function draftOf(number: number, options: DraftOptions): Draft {
  const name = `${options.name}-${number}`;
  const turn = number % 8;
  if (turn === 7) return options.streams && number % 16 === 15 ? streamDraft(name, number) : sessionDraft(name, number);
  if (options.all && turn === 3) return artifactDraft(name);
  if (options.all && turn === 5) return eventDraft(name, options);
  return batchDraft(name, number, options);
}

function sessionDraft(name: string, number: number): Draft {
  const content = number % 16 === 7 ? 'Charge 4111 1111 1111 1111, please.' : 'Good morning.';
  const metadata = { user: { id: `user-${name}`, email: `${name}@example.org` } };
  const body = { deployment_id: 'chat', external_session_id: name, messages: [{ role: 'user', content, metadata }] };
  return { kind: 'session', name, events: [], path: '/api/session/check', body: JSON.stringify(body) };
}

/** What is stored of it is a session. */
function streamDraft(name: string, number: number): Draft {
  const delta = number % 32 === 15 ? 'Charge 4111 1111 1111 1111, please.' : 'Good morning.';
  const metadata = { user: { id: `user-${name}`, email: `${name}@example.org` } };
  const piece = { stream_id: name, sequence: 0, delta, final: true, role: 'user', metadata };
  const body = { deployment_id: 'chat', external_session_id: name, ...piece };
  return { kind: 'session', name, events: [], path: '/api/stream/check', body: JSON.stringify(body) };
}

function artifactDraft(name: string): Draft {
  const body = { deployment_id: 'chat', external_artifact_id: name, content: { kind: 'image', data: PNG } };
  return { kind: 'artifact', name, events: [], path: '/api/artifact', body: JSON.stringify(body) };
}

function eventDraft(name: string, { padding = 0 }: DraftOptions): Draft {
  const body = { environment_id: 'prod', run_id: name, event: eventOf(1, 'e0', name, padding) };
  return { kind: 'event', name, events: ['e0'], path: '/api/event', body: JSON.stringify(body) };
}

function batchDraft(name: string, number: number, options: DraftOptions): Draft {
  const { padding = 0, all, events: count = 4 + (number % 3) } = options;
  // A reference to an event of the same id would have its place in the answer.
  const ids = Array.from({ length: count }, (_, i) => (all ? `e${number}x${i}` : `e${i}`));
  const events: Record<string, unknown>[] = ids.map((id, i) => eventOf(i, id, name, padding));
  if (all) events[2]!.parent = { event_id: ids[0] };
  if (all && number % 16 === 4)
    events[3] = { type: 'artifact', event_id: ids[3], content: { kind: 'image', data: PNG } };
  const reference = all && number % 8 === 1 ? options.earlier?.() : undefined;
  if (reference) events.push({ type: 'message', event_id: reference.event, run_id: reference.run });
  const body = JSON.stringify({ environment_id: 'prod', run_id: name, events });
  return { kind: 'events', name, events: ids, path: '/api/events', body, ...(reference ? { reference } : {}) };
}

/** Something for most policies of the sample configuration, and much that is clean. */
function eventOf(i: number, id: string, run: string, padding: number): Record<string, unknown> {
  const pad = padding > 0 ? ` ${'lorem ipsum '.repeat(Math.ceil(padding / 12))}` : '';
  if (i % 5 === 1)
    return { type: 'message', role: 'user', event_id: id, content: `My card is 4111 1111 1111 1111.${pad}` };
  if (i % 5 === 2) {
    return { type: 'tool', event_id: id, name: 'shell', arguments: { command: `rm -rf /tmp/${run}${pad}` } };
  }
  if (i % 5 === 3) {
    const content = `Write to someone@example.org about ${run}.${pad}`;
    return { type: 'message', role: 'assistant', event_id: id, content, metadata: { user: { tier: 'free' } } };
  }
  return { type: 'message', role: 'user', event_id: id, content: `Nothing to see in ${run}.${pad}` };
}

interface EventAnswer {
  flagged: boolean | null;
  policies: unknown;
  event: { event_id: string; internal_event_id: string; status: string };
}

interface BatchAnswer {
  results: Record<string, Record<string, EventAnswer>>;
  order: { event_id: string; run_id: string; status: string; flagged: boolean | null }[];
}

/** What a body says of the answer with this status. */
export function outcomeOf(draft: Draft, status: number, body: unknown): Outcome {
  const outcome: Outcome = {
    verdicts: [],
    ids: [],
    code: codeOf(body),
    inDoubt: /nobody can say|is not safe/.test(messageOf(body)),
  };
  if (status === 504) outcome.ids = timeoutIds(body);
  if (status !== 200) return outcome;
  outcome.verdicts = verdictsOf(draft, body);
  if (draft.reference) {
    const { run, event } = draft.reference;
    const { status, flagged } = (body as BatchAnswer).order.find(
      (one) => one.run_id === run && one.event_id === event,
    )!;
    outcome.referred = { status, flagged };
  }
  return outcome;
}

const codeOf = (body: unknown): string => (body as { error?: { code?: string } } | undefined)?.error?.code ?? '';
const messageOf = (body: unknown): string =>
  (body as { error?: { message?: string } } | undefined)?.error?.message ?? '';

function verdictsOf({ kind, name, events }: Draft, body: unknown): Verdict[] {
  if (kind === 'event') return [eventVerdict(name, body as EventAnswer)];
  if (kind === 'events') {
    const own = new Set(events);
    return Object.values((body as BatchAnswer).results)
      .flatMap((bucket) => Object.values(bucket))
      .filter(({ event }) => own.has(event.event_id))
      .map((one) => eventVerdict(name, one));
  }
  return [{ ...storedVerdict(body), item: name }];
}

const eventVerdict = (name: string, one: EventAnswer): Verdict => ({
  ...storedVerdict(one),
  item: `${name} ${one.event.event_id}`,
});

/** What a body says of the one item in it. An event that failed is `flagged: false` there, since the field is never null. */
export function storedVerdict(body: unknown): Omit<Verdict, 'item'> {
  const { session, ...rest } = body as Partial<EventAnswer> & {
    session?: { internal_session_id: string; flagged: boolean; policies: unknown };
    internal_session_id?: string;
    internal_artifact_id?: string;
  };
  const { flagged: said = null, policies } = session ?? rest;
  const flagged = rest.event?.status === 'failed' && !said ? null : said;
  const id =
    session?.internal_session_id ??
    rest.internal_session_id ??
    rest.internal_artifact_id ??
    rest.event?.internal_event_id ??
    '';
  return { id, flagged, policies: interned(JSON.stringify(policies)) };
}

/** Answers repeat few texts, many times over. */
const texts = new Map<string, string>();

function interned(text: string): string {
  const known = texts.get(text);
  if (known !== undefined) return known;
  texts.set(text, text);
  return text;
}

function timeoutIds(body: unknown): string[] {
  const { error } = body as {
    error: {
      items?: { internal_event_id: string }[];
      result?: { internal_session_id?: string; internal_event_id?: string };
    };
  };
  const { items, result } = error;
  const ids = items?.map((item) => item.internal_event_id) ?? [
    result?.internal_session_id ?? result?.internal_event_id ?? '',
  ];
  for (const id of ids) assert.ok(partsOf(id), `an id of a 504: ${JSON.stringify(body)}`);
  return ids;
}
