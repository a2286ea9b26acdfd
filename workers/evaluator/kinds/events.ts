/** Events (2.7, 6): one by one in the order of the batch, so that a reference sees the events before it. */

import { conversationOf } from '../../../shared/api/conversation.js';
import type { RecordItem, StoredItem } from '../../../shared/api/results/record.js';
import {
  type ArtifactContent,
  CHECKABLE_FIELDS,
  type EventInput,
  type EventsRequest,
} from '../../../shared/api/types.js';
import { declaresCauses } from '../../../shared/api/validate/event.js';
import { causeKey } from '../../../shared/api/validate/issues.js';
import { isStructured, mayHoldMedia, mediaNote, mediaWithin } from '../../../shared/api/validate/media-within.js';
import {
  type Named,
  type Referred,
  referenceItem,
  unresolvedItem,
  withoutCauses,
} from '../../../shared/api/validate/reference.js';
import { type Sources, sourcesOf } from '../../../shared/api/validate/sources.js';
import { unreadNote, unreadOfEvent } from '../../../shared/api/validate/unread.js';
import { generatedId, itemId } from '../../../shared/ids.js';
import { createReader, type Reading, readString } from '../../../shared/policy/content.js';
import { evaluateEvent, evaluateImageEvent, evaluateLostImageEvent } from '../../../shared/policy/evaluate.js';
import type { Plan } from '../../../shared/policy/plan.js';
import type { EventContent, Verdict } from '../../../shared/policy/types.js';
import { runMember } from '../../../shared/streams/indexes.js';
import { keys } from '../../../shared/streams/keys.js';
import type { RowItem, RowLink } from '../../rows/row-types.js';
import { contextMember } from '../context.js';
import { type Draft, type Entry, type Fragments, failClosed, fragmentTable } from '../draft.js';
import { imageContent, NOT_JUDGED, rowImage, shownContent, verdictNote } from '../images/content.js';
import type { Body } from './body.js';

const NOT_EVALUATED: Verdict = {
  flagged: false,
  policies: '{}',
  evaluated: [],
  violations: [],
  notEvaluated: 0,
  unknown: 0,
  note: '',
};
const NO_METADATA: Record<string, unknown> = Object.freeze(Object.create(null));
const NO_LINKS: readonly RowLink[] = [];

/** With `plan` null nothing is evaluated: every event fails with `failure`. */
export function eventsOutcome(
  plan: Plan | null,
  entry: Entry,
  { value: request, json }: Body<EventsRequest>,
  failure: string = '',
): Draft {
  const { header } = entry;
  const fields = request.events.map(fieldOf);
  const sources = sourcesOf(json, header.kind === 'event' ? 'event' : 'events', (place) =>
    hasSource(request.events[place], fields[place]),
  );
  const mayHaveMedia = mayHoldMedia(json);
  const fragments = fragmentTable();
  const items: RecordItem[] = [];
  const rows: RowItem[] = [];
  const conversations = conversationTexts(entry);
  const resolve = referenceReader(plan, entry, fragments, failure);
  const runs = new Map<string, string[]>();
  const latest = new Map<string, RecordItem>();
  const batchRun = request.run_id ?? generatedId('run', header.id);
  // Hardly any batch names events of its own.
  const named = request.events.some((event, i) => fields[i] === undefined || declaresCauses(event));

  for (let i = 0; i < request.events.length; i++) {
    const event = request.events[i]!;
    const eventId = event.event_id ?? generatedId('evt', itemId(header.id, i + 1));
    const runId = event.run_id ?? batchRun;
    const session = event.external_session_id ?? request.external_session_id ?? '';
    const conversation = conversationOf(session, runId);
    const key = named ? `${runId} ${eventId}` : '';
    const field = fields[i];
    if (field === undefined) {
      const reference = { item: i + 1, type: event.type, eventId, runId, externalSessionId: session };
      const found = latest.get(key) ?? entry.gathered.references[i] ?? null;
      const item = resolve(reference, found);
      items.push(declaresCauses(event) ? withoutCauses(item) : item);
      continue;
    }
    const value = (event as unknown as Record<string, unknown>)[field];
    const metadata = metadataOf(event, sources[i]);
    const isImage = event.type === 'artifact';
    const source = isImage ? '' : asSent(value, field, sources[i]);
    const reading = isImage ? NO_TEXT : readContent(value, source);
    const content: EventContent = {
      type: event.type,
      field,
      role: event.role ?? '',
      name: event.name ?? '',
      text: reading.text,
      decoded: reading.decoded,
      metadata: metadata.value,
    };
    const row = isImage
      ? checkImage(plan, entry, content, { item: i + 1, failure })
      : check(plan, header, content, { before: conversations.before(conversation), failure });
    const shown = isImage ? shownContent(value as ArtifactContent) : source;
    fillRow(row, event, { item: i + 1, eventId, runId, session, metadata: metadata.json, content: shown });
    rows.push(row);
    if (!isImage && (mayHaveMedia || isStructured(value)))
      row.note = joined(row.note, mediaNote(mediaWithin(value, source)));
    row.note = joined(row.note, unreadNote(unreadOfEvent(event)));
    if (row.links.length > 0) row.note = resolveCauses(row, entry, latest);
    const item: RecordItem = {
      item: i + 1,
      type: event.type,
      eventId,
      runId,
      externalSessionId: session,
      status: row.status,
      flagged: row.flagged === true,
      policies: fragments.add(row.verdict.policies),
      metadata: metadata.json === '' ? -1 : fragments.add(metadata.json),
      note: row.note,
      target: null,
    };
    if (event.type === 'message' && event.role != null) item.role = event.role;
    if (row.links.length > 0) item.links = row.links;
    items.push(item);
    if (named) latest.set(key, item);
    if (!isImage) conversations.add(conversation, i + 1, content.text);
    const held = runs.get(runId);
    if (held) held.push(eventId);
    else runs.set(runId, [eventId]);
  }
  const index: Draft['index'] = [];
  for (const [run, events] of runs)
    index.push([keys.run(header.team, header.scope, run), runMember(header.id, events)]);
  return { items, rows, fragments: fragments.list, index, context: conversations.written(), error: null };
}

const MOST_METADATA = 1000;
const LONGEST_METADATA = 2048;
const metadataSeen = new Map<string, Metadata>();

interface Metadata {
  /** as it was sent, but without space; '' where there is none */
  json: string;
  /** for conditions */
  value: Record<string, unknown>;
}

const NONE: Metadata = { json: '', value: NO_METADATA };

/**
 * The same object for the same metadata: a few values recur over most of the traffic, and what the conditions say of
 * them is remembered by object.
 */
function metadataOf({ metadata }: EventInput, sources: Sources | undefined): Metadata {
  if (metadata == null) return NONE;
  const source = sources?.get('metadata') ?? '{}';
  if (source.length > LONGEST_METADATA) return { json: source, value: metadata };
  const seen = metadataSeen.get(source);
  if (seen !== undefined) return seen;
  if (metadataSeen.size >= MOST_METADATA) metadataSeen.clear();
  // In memory of its own: a part of a body keeps all of the body in memory.
  const known = { json: Buffer.from(source).toString(), value: metadata };
  metadataSeen.set(known.json, known);
  return known;
}

/** Whether something of an event is kept or checked as JSON. */
function hasSource(event: EventInput | undefined, field: string | undefined): boolean {
  if (event === undefined || field === undefined) return false;
  if (event.metadata != null) return true;
  return event.type !== 'artifact' && typeof (event as unknown as Record<string, unknown>)[field] !== 'string';
}

function fieldOf(event: EventInput): string | undefined {
  for (const field of CHECKABLE_FIELDS[event.type]) {
    if ((event as unknown as Record<string, unknown>)[field] != null) return field;
  }
  return undefined;
}

/** Content as it is kept: a string as it is, JSON as it was sent but without space. */
function asSent(value: unknown, field: string, sources: Sources | undefined): string {
  return typeof value === 'string' ? value : (sources?.get(field) ?? '');
}

const NO_TEXT: Reading = { text: '' };

function readContent(value: unknown, source: string): Reading {
  if (typeof value === 'string') return readString(value);
  const reader = createReader();
  reader.json(source);
  return reader.done();
}

const joined = (note: string, more: string): string => (note === '' || more === '' ? note + more : `${note}; ${more}`);

function check(
  plan: Plan | null,
  header: Entry['header'],
  content: EventContent,
  { before, failure }: { before: readonly string[]; failure: string },
): RowItem {
  return judged(plan, header, content, failure, (of, scope) => evaluateEvent(of, scope, content, before));
}

/**
 * An artifact event: one whose image could not be looked at fails by itself, and says why. Where the team fails closed, the
 * policies for it are flagged, as they are in a session.
 */
function checkImage(
  plan: Plan | null,
  { header, gathered, indexes }: Entry,
  content: EventContent,
  { item, failure }: { item: number; failure: string },
): RowItem {
  const image = gathered.images?.[item];
  const reason = failure || (image?.ok === false ? image.note : NOT_JUDGED);
  const row = judged(plan, header, content, reason, (of, scope) =>
    image?.ok ? evaluateImageEvent(of, scope, content, imageContent(image, indexes)) : NOT_EVALUATED,
  );
  if (row.verdict !== NOT_EVALUATED) row.note = verdictNote(row.verdict, [image]);
  else if (row.flagged === true && !image?.ok) {
    const lost: Judge = (of, scope) => evaluateLostImageEvent(of, scope, content);
    row.verdict = judged(plan, header, content, reason, lost).verdict;
  }
  row.image = rowImage(image, '');
  return row;
}

type Judge = (plan: Plan, scope: { team: string; environment: string }) => Verdict;

/** With `plan` null, and where `judge` has no verdict, the event fails with `failure`. */
function judged(
  plan: Plan | null,
  header: Entry['header'],
  content: EventContent,
  failure: string,
  judge: Judge,
): RowItem {
  let verdict = NOT_EVALUATED;
  let note = failure;
  if (plan !== null) {
    try {
      verdict = judge(plan, { team: header.team, environment: header.scope });
      if (verdict !== NOT_EVALUATED) note = verdict.note;
    } catch {
      // A bug in a detector must not take the other 49 events with it, nor read as clean.
      note = 'the event could not be evaluated';
    }
  }
  const failed = verdict === NOT_EVALUATED || (verdict.notEvaluated > 0 && !verdict.flagged);
  const row = { ...EMPTY_ROW, verdict, note };
  row.type = content.type;
  row.field = content.field;
  row.role = content.role;
  row.name = content.name;
  row.status = failed ? 'failed' : 'completed';
  row.flagged = failed ? failClosed(plan, header) : verdict.flagged;
  return row;
}

const EMPTY_ROW: RowItem = {
  item: 0,
  type: '',
  field: '',
  role: '',
  name: '',
  callId: '',
  format: '',
  eventId: '',
  runId: '',
  externalSessionId: '',
  externalArtifactId: '',
  content: '',
  metadata: '',
  userId: '',
  userEmail: '',
  status: 'completed',
  note: '',
  links: NO_LINKS,
  verdict: NOT_EVALUATED,
  flagged: null,
};

interface Placed {
  item: number;
  eventId: string;
  runId: string;
  session: string;
  metadata: string;
  content: string;
}

function fillRow(row: RowItem, event: EventInput, placed: Placed): void {
  row.item = placed.item;
  row.eventId = placed.eventId;
  row.runId = placed.runId;
  row.externalSessionId = placed.session;
  row.metadata = placed.metadata;
  row.content = placed.content;
  row.callId = event.call_id ?? '';
  row.format = event.format ?? '';
  row.externalArtifactId = event.external_artifact_id ?? '';
  if (event.parent != null || event.links != null) row.links = linksOf(event, placed.runId);
}

/** Declared causes as the caller named them; a run defaults to the event's own. */
function linksOf(event: EventInput, runId: string): RowLink[] {
  const links: RowLink[] = [];
  const add = (kind: RowLink['kind'], relation: string, to: NonNullable<EventInput['parent']>): void => {
    const internalId = to.internal_event_id?.toLowerCase() ?? '';
    links.push({
      kind,
      relation,
      runId: internalId === '' ? (to.run_id ?? runId) : '',
      eventId: to.event_id ?? '',
      internalId,
    });
  };
  if (event.parent != null) add('parent', '', event.parent);
  for (const link of event.links ?? []) add('link', link.relation ?? 'caused_by', link);
  return links;
}

/**
 * Pins the declared causes that resolve: earlier events of the batch, and what was gathered. Returns the event's note, with
 * how many did not (2.7). These are kept all the same, and looked for again when the run graph is read.
 */
function resolveCauses(row: RowItem, entry: Entry, latest: ReadonlyMap<string, RecordItem>): string {
  let absent = 0;
  let unknown = 0;
  for (const link of row.links) {
    const key = causeKey(link.runId, link.eventId, link.internalId);
    const inBatch = latest.get(key);
    const state = inBatch ? { id: itemId(entry.header.id, inBatch.item) } : entry.gathered.causes?.[key];
    if (state === undefined) absent++;
    else if (state === 'unavailable') unknown++;
    else link.target = state.id;
  }
  const of = (count: number): string => `${count} of ${row.links.length} declared causes`;
  const notes = row.note === '' ? [] : [row.note];
  if (absent > 0) notes.push(`${of(absent)} did not resolve`);
  if (unknown > 0) notes.push(`${of(unknown)} could not be looked up`);
  return notes.join('; ');
}

/**
 * Reads reference-only events: resolved within the batch, or by what was gathered (4.9). One that nobody could look up
 * has not been evaluated, since the verdict that it stands for is not known.
 */
function referenceReader(plan: Plan | null, entry: Entry, fragments: Fragments, failure: string) {
  return (named: Named, found: RecordItem | StoredItem | null | 'unavailable'): RecordItem => {
    if (found !== 'unavailable') {
      return referenceItem(named, found === null ? undefined : referred(found, entry), fragments.add);
    }
    const flagged = failClosed(plan, entry.header) === true;
    return unresolvedItem(named, { flagged, note: failure }, fragments.add);
  };
}

function referred(found: RecordItem | StoredItem, { header, completed }: Entry): Referred {
  const { type, externalSessionId, flagged, note, policies } = found;
  const target =
    'item' in found
      ? { id: itemId(header.id, found.item), created: header.received, completed }
      : { id: found.id, created: found.created, completed: found.completed };
  return { type, externalSessionId, flagged, note, policies, target };
}

interface Conversations {
  /** texts before the current one, oldest first */
  before(conversation: string): readonly string[];
  add(conversation: string, item: number, text: string): void;
  written(): Draft['context'];
}

const NO_TEXTS: readonly string[] = [];
const NO_CONVERSATIONS: Conversations = { before: () => NO_TEXTS, add: () => {}, written: () => [] };

/** Earlier texts of each conversation, growing as the batch goes on. Kept only where the plan looks back. */
function conversationTexts(entry: Entry): Conversations {
  const { header } = entry;
  if (header.conversations === undefined) return NO_CONVERSATIONS;
  const texts = new Map<string, string[]>();
  const items = new Map<string, number[]>();
  const depth = header.contextDepth ?? 0;
  for (const [conversation, earlier] of Object.entries(entry.gathered.context)) texts.set(conversation, [...earlier]);
  return {
    before: (conversation) => texts.get(conversation) ?? NO_TEXTS,
    add(conversation, item, text) {
      keepLast(texts, conversation, text, depth);
      keepLast(items, conversation, item, depth);
    },
    written: () =>
      [...items].map(([conversation, numbers]) => {
        const last = texts.get(conversation)!.slice(-numbers.length);
        const members = numbers.map((item, i) => contextMember('events', header.id, item, last[i]!));
        return [keys.context(header.team, header.scope, conversation), members];
      }),
  };
}

/** Appends to a list and drops its oldest beyond `depth`: nobody looks further back. */
function keepLast<T>(lists: Map<string, T[]>, key: string, value: T, depth: number): void {
  const list = lists.get(key);
  if (!list) lists.set(key, [value]);
  else if (list.push(value) > depth) list.shift();
}
