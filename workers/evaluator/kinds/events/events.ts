/** Events (2.7, 6): evaluated one by one in the order of the batch, so that a reference sees the events before it. */

import { conversationOf } from '../../../../shared/api/conversation.js';
import type { RecordItem, StoredItem } from '../../../../shared/api/results/record.js';
import {
  type Referred,
  referenceItem,
  type SentReference,
  targetOf,
  unresolvedItem,
  withoutCauses,
} from '../../../../shared/api/results/reference.js';
import type { ArtifactContent } from '../../../../shared/api/types.js';
import { isBase64Media, mayNameMedia, mediaNote, mediaWithin } from '../../../../shared/api/validate/media-within.js';
import { unreadNote } from '../../../../shared/api/validate/unread.js';
import { generatedId, itemId } from '../../../../shared/ids.js';
import {
  eachElement,
  eachMember,
  isNamed,
  looksLikeJson,
  memberAt,
  skipValue,
  valueStart,
} from '../../../../shared/json.js';
import { type ContentReading, repeatedNote } from '../../../../shared/policy/content/content.js';
import { forget, type LongScans, newScans, rewind } from '../../../../shared/policy/engine/long-scans.js';
import type { Plan, TagPath } from '../../../../shared/policy/plan.js';
import type { EventContent, Verdict } from '../../../../shared/policy/types.js';
import { runMember } from '../../../../shared/streams/hot/indexes.js';
import { keys } from '../../../../shared/streams/keys.js';
import type { RowItem } from '../../../rows/row-types.js';
import {
  answersFor,
  type Draft,
  type Entry,
  type Fragments,
  failClosed,
  fragmentTable,
  unansweredNote,
} from '../../draft.js';
import { shownContent } from '../../images/content.js';
import { isOver, type Slice, WHOLE } from '../../slice.js';
import { withUnread } from '../artifact.js';
import { explanationOf, type SentContent } from '../explanation.js';
import { createRedactor, type Redactor, storedMarks } from '../mark-offsets.js';
import { explainedBeside, type KeptPlace, type MaskedContent, maskedContent, maskedEarlier } from '../masked.js';
import { tagPathsOf, tagsIn } from '../tags.js';
import { NOBODY, type User } from '../user.js';
import { resolveCauses } from './causes.js';
import { metadataOf, readContent } from './content.js';
import { type Conversations, conversationsOf } from './conversations.js';
import { readEvents } from './read.js';
import { imageRow, nameRow, textRow } from './row.js';
import { contentValue, type SentBatch, type SentEvent } from './sent.js';

/** A batch while its events are evaluated. */
export interface EventsBatch {
  plan: Plan | null;
  entry: Entry;
  sent: SentBatch;
  /** why its events fail where there is no plan */
  failure: string;
  /** run of the events that name none */
  run: string;
  /** what the team has kept of metadata beside verdicts */
  tags: readonly TagPath[];
  fragments: Fragments;
  /** undefined: the content is not redacted */
  redact: ((verdict: Verdict, i: number) => ReturnType<Redactor>) | undefined;
  conversations: Conversations;
  /** the latest event of each id so far, by `keyOf`; undefined: no event of the batch names another one, as in most batches */
  latest: Map<string, RecordItem> | undefined;
  /** by run the user that its newest event so far names; undefined: there is one event */
  users: Map<string, User> | undefined;
  /** of the event that is evaluated */
  scans: LongScans;
  /** number of the event that is evaluated next */
  next: number;
  items: RecordItem[];
  rows: RowItem[];
  /** event ids by run */
  runs: Map<string, string[]>;
}

/** With `plan` null nothing is evaluated: every event fails with `failure`. */
export function eventsOutcome(plan: Plan | null, entry: Entry, failure: string = ''): Draft {
  const batch = batchIn(plan, entry, failure);
  evaluateEvents(batch, WHOLE);
  return draftOf(batch);
}

/** The batch in the body of an entry; a single event is a batch of one. */
export const batchIn = (plan: Plan | null, entry: Entry, failure: string): EventsBatch =>
  batchOf(plan, entry, readEvents(entry.body, entry.header.kind), failure);

/** The same of what was read of it. */
export function batchOf(plan: Plan | null, entry: Entry, sent: SentBatch, failure: string): EventsBatch {
  const { header } = entry;
  const { events } = sent;
  return {
    plan,
    entry,
    sent,
    failure,
    run: sent.runId ?? generatedId('run', header.id),
    tags: tagPathsOf(plan, entry),
    fragments: fragmentTable(),
    redact: header.redact ? redactEvents(entry, events) : undefined,
    conversations: conversationsOf(entry),
    latest: events.some(({ field, causes }) => field === undefined || causes) ? new Map() : undefined,
    users: events.length > 1 ? new Map() : undefined,
    scans: newScans(WHOLE),
    next: 0,
    items: [],
    rows: [],
    runs: new Map(),
  };
}

/** Evaluates events until all are evaluated, or the slice is over. Returns whether all are. Throws {@link Paused} within one. */
export function evaluateEvents(batch: EventsBatch, slice: Slice): boolean {
  const { events } = batch.sent;
  batch.scans.turn = slice;
  for (let i = batch.next; i < events.length; i++) {
    const event = events[i]!;
    if (event.field === undefined) continue;
    evaluate(batch, event, i);
    batch.next = i + 1;
    if (isOver(slice, event.source.length)) return batch.next === events.length;
  }
  return true;
}

/** What is made of a batch whose events have been evaluated: that is later, so that what scans look up stays in the caches of the processor. */
export function draftOf(batch: EventsBatch): Draft {
  const { header } = batch.entry;
  const { events } = batch.sent;
  for (let i = 0, row = 0; i < events.length; i++) {
    const event = events[i]!;
    if (event.field === undefined) addReference(batch, event, i);
    else addItem(batch, event, batch.rows[row++]!);
  }
  const index: Draft['index'] = [];
  for (const [run, ids] of batch.runs) {
    index.push([keys.run(header.team, header.scope, run), runMember(header.id, ids)]);
  }
  const { items, rows, fragments, conversations } = batch;
  const context = conversations.written(header.masked && keptEarlier(rows));
  return { items, rows, fragments: fragments.list, index, context, error: null };
}

/** Redacts events by their number. Marks are placed by where the contents are written in the body. */
function redactEvents({ body, header: { kind } }: Entry, events: readonly SentEvent[]): EventsBatch['redact'] {
  const json = Buffer.from(body.buffer, body.byteOffset, body.length).toString();
  const redact = createRedactor(json);
  const found: number[] = [];
  const find = (i: number, start: number): number =>
    eachMember(json, start, (value, name) => {
      if (isNamed(json, name, events[i]?.field ?? '')) found[i] = value;
      return skipValue(json, value);
    });
  const holder = memberAt(json, valueStart(json), kind === 'event' ? 'event' : 'events');
  if (kind === 'event') find(0, holder);
  else eachElement(json, holder, find);
  return ({ redaction }, i) => {
    const at = found[i] ?? -1;
    return redact(redaction, { at, values: [at] });
  };
}

const keyOf = ({ runId, eventId }: SentReference): string => `${runId} ${eventId}`;

/** What identifies an event: the ids that the caller gave it, else generated ones. */
function namedIn({ entry, sent, run }: EventsBatch, event: SentEvent, i: number): SentReference {
  return {
    item: i + 1,
    type: event.type,
    eventId: event.eventId ?? generatedId('evt', itemId(entry.header.id, i + 1)),
    runId: event.runId ?? run,
    externalSessionId: event.session ?? sent.session,
  };
}

const NO_TEXT: ContentReading = { text: '' };

/** Adds the row of an event. */
function evaluate(batch: EventsBatch, event: SentEvent, i: number): void {
  const { conversations } = batch;
  const named = namedIn(batch, event, i);
  const metadata = metadataOf(event);
  const isImage = event.type === 'artifact';
  const reading = isImage ? NO_TEXT : readingOf(event);
  const content = contentOf(event, reading, metadata.value);
  content.redact = batch.redact !== undefined || batch.entry.header.masked;
  content.answers = answersFor(batch.entry.gathered, named.item);
  content.scans = batch.scans;
  rewind(batch.scans);
  const conversation = isImage ? '' : conversationOf(named.externalSessionId, named.runId);
  const row = isImage
    ? imageRow(batch, content, named.item)
    : textRow(batch, content, conversations.before(conversation));
  if (batch.scans.known) forget(batch.scans);
  nameRow(row, event, named);
  if (reading.repeats && row.status !== 'failed') row.note = joined(row.note, repeatedNote(reading));
  row.metadata = metadata.json;
  if (batch.tags.length > 0) {
    const { value, json } = metadata;
    row.tags = tagsIn(batch.tags, [{ value, json, at: () => valueStart(json) }]);
  }
  const user = userOf(batch, named.runId, metadata.user);
  row.userId = user.id;
  row.userEmail = user.email;
  row.content = isImage
    ? shownContent(contentValue(event) as ArtifactContent, batch.entry.header.masked)
    : event.source;
  batch.rows.push(row);
  if (!isImage) conversations.add(conversation, named.item, content.text);
}

/** The user of an event: the one that its metadata name (`own`), else that of the newest event before it in the request with the same run. */
function userOf({ users }: EventsBatch, run: string, own: User): User {
  if (users === undefined) return own;
  if (own === NOBODY) return users.get(run) ?? NOBODY;
  users.set(run, own);
  return own;
}

/** Completes the row of an event, and adds what its record has of it. */
function addItem(batch: EventsBatch, event: SentEvent, row: RowItem): void {
  const { latest, runs } = batch;
  const { source } = event;
  const isImage = event.type === 'artifact';
  const { masked: isMasked } = batch.entry.header;
  let inside = 0;
  if (!isImage && mayHoldMedia(batch.sent, event)) {
    const media = mediaWithin(contentValue(event), source);
    const { field } = event;
    inside = media.images + media.files;
    row.note = joined(
      row.note,
      mediaNote(
        media,
        media.paths.map((path) => inField(field!, path)),
      ),
    );
  }
  row.note = joined(row.note, unansweredNote(batch.entry.gathered, row.item, row.verdict.unknown));
  row.note = joined(row.note, unreadNote(event.unread));
  if (isImage) row.note = withUnread(row.note, contentValue(event) as ArtifactContent);
  if (row.links.length > 0) row.note = resolveCauses(row, batch.entry, latest);
  const masked = isMasked && !isImage ? maskedEvent(event, row, inside) : undefined;
  // Only for a find: a function that is made for an event is compiled in it.
  const sent = row.verdict.violations.length > 0 ? sentAs(batch, event, row, masked?.placeOf) : undefined;
  row.explained = explanationOf(row.verdict, sent);
  const item = itemOf(event, row, batch.fragments);
  row.explained = explainedBeside(row.explained, masked);
  if (batch.redact && !isImage) item.marks = storedMarks(batch.redact(row.verdict, row.item - 1), batch.fragments);
  batch.items.push(item);
  latest?.set(keyOf(row), item);
  const ids = runs.get(row.runId);
  if (ids) ids.push(row.eventId);
  else runs.set(row.runId, [row.eventId]);
}

/** Puts the marks into the content of a row, or leaves it out. `media`: images and files in it. */
function maskedEvent({ isText }: SentEvent, row: RowItem, media: number): MaskedContent {
  const { redaction } = row.verdict;
  const masked = maskedContent(row.content, { isJson: !isText, redaction, media });
  row.content = masked.content;
  row.note = joined(row.note, masked.note);
  return masked;
}

/** What is kept of the text of an item for later checks. */
const keptEarlier =
  (rows: readonly RowItem[]) =>
  (item: number, text: string): string | undefined => {
    const row = rows.find((one) => one.item === item);
    return row === undefined || row.content === '' ? undefined : maskedEarlier(text, row.verdict.redaction);
  };

/** How evidence is found in the content of an event. */
function sentAs(
  { entry }: EventsBatch,
  { type, isText, source }: SentEvent,
  { item }: RowItem,
  keptAt: KeptPlace | undefined,
): SentContent {
  if (type === 'artifact') {
    const image = entry.gathered.images?.[item];
    return { readings: [image?.ok ? image.reading.text : undefined] };
  }
  return isText ? { text: source, keptAt } : { read: (reader) => reader.json(source), keptAt };
}

const readingOf = ({ source, isText, inBytes }: SentEvent): ContentReading =>
  inBytes ? { text: source } : readContent(source, isText);

function contentOf(
  event: SentEvent,
  { text, decoded }: ContentReading,
  metadata: Record<string, unknown>,
): EventContent {
  const { type, field = '', role, name, inBytes } = event;
  return { type, field, role, name, text, inBytes, decoded, answers: undefined, scans: undefined, metadata };
}

const mayHoldMedia = ({ mayHaveMedia }: SentBatch, { isText, source, inBytes }: SentEvent): boolean =>
  isText ? mayHaveMedia || isBase64Media(source) || (!inBytes && looksLikeJson(source)) : mayNameMedia(source);

/** A path in a field, such as `output[0].source`. */
const inField = (field: string, path: string): string =>
  path === '' || path.startsWith('[') ? field + path : `${field}.${path}`;

const joined = (note: string, more: string): string => (note === '' || more === '' ? note + more : `${note}; ${more}`);

function itemOf(event: SentEvent, row: RowItem, fragments: Fragments): RecordItem {
  const { item, type, eventId, runId, externalSessionId, status, verdict, explained, metadata, note, links } = row;
  const made: RecordItem = {
    item,
    type,
    eventId,
    runId,
    externalSessionId,
    status,
    flagged: row.flagged === true,
    policies: fragments.add(verdict.policies),
    explained: explained === '' ? -1 : fragments.add(explained),
    metadata: metadata === '' ? -1 : fragments.add(metadata),
    note,
    target: null,
  };
  if (event.type === 'message' && event.role !== '') made.role = event.role;
  if (links.length > 0) made.links = links;
  return made;
}

/**
 * Resolves a reference within the batch, or by what was gathered (4.9). If it could not be looked up, the verdict that it stands for is
 * not known, so it counts as not evaluated.
 */
function addReference(batch: EventsBatch, event: SentEvent, i: number): void {
  const { plan, entry, failure, fragments } = batch;
  const named = namedIn(batch, event, i);
  const found = batch.latest?.get(keyOf(named)) ?? entry.gathered.references[i] ?? null;
  const item =
    found === 'unavailable'
      ? unresolvedItem(named, { flagged: failClosed(plan, entry.header) === true, note: failure }, fragments.add)
      : referenceItem(named, found === null ? undefined : referred(found, entry), fragments.add);
  batch.items.push(event.causes ? withoutCauses(item) : item);
}

function referred(found: RecordItem | StoredItem, { header, completed }: Entry): Referred {
  const { status, type, externalSessionId, flagged, note, policies, explained } = found;
  const at =
    'item' in found
      ? { id: itemId(header.id, found.item), created: header.received, completed }
      : { id: found.id, created: found.created, completed: found.completed };
  return { type, externalSessionId, flagged, note, policies, explained, target: targetOf(status, at) };
}
