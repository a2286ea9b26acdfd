/**
 * The record of a finished request: its verdicts, compact and complete in itself. The commit stores it under
 * `result:{p}:<id>` and publishes it as the reply. Answers and look-ups are rendered from it (`render.ts`).
 *
 * A record is text in lines. Line 1 is the head as JSON. The other lines are fragments of JSON, to which items point by
 * number. In a batch of 50 events a few policy maps and metadata objects recur. Writing each once makes the record five
 * times smaller than the answer (`fragments.ts`). Compact JSON has no raw line breaks, so lines are safe.
 */
import type { CheckKind, EventStatus } from '../types.js';
import { putFragments, readFragments } from './fragments.js';
import {
  position,
  putAgain,
  putAscii,
  putListed,
  putNumber,
  putUtf8,
  startText,
  takeText,
  writtenText,
} from './write-text.js';

/** A declared relationship between events (2.7): the cause as the caller named it; absent parts are ''. */
export interface DeclaredLink {
  kind: 'parent' | 'link';
  /** of links */
  relation: string;
  /** with `eventId`: the run of the cause */
  runId: string;
  /** '' if the cause is named by its internal id */
  eventId: string;
  internalId: string;
  /** internal id of the event that the link resolved to when this event was checked; never changes. Absent: none */
  target?: string | undefined;
}

export interface RecordItem {
  /** number of the item within the request, 1 to 63; its internal id is `itemId(record.id, item)` */
  item: number;
  /** event type, or `session` */
  type: string;
  eventId: string;
  runId: string;
  externalSessionId: string;
  status: EventStatus;
  /** null if it could not be evaluated (sessions: see `error`) */
  flagged: boolean | null;
  /** fragment: the policies map as returned */
  policies: number;
  /** fragment: what explains the map (`explanation.ts`), or -1 */
  explained: number;
  /** fragment: the request metadata, or -1 */
  metadata: number;
  /** fragment: where its marks go (`redaction.ts`); of a content without any: where it is. Absent: the check was not asked for that */
  marks?: number | ContentAt;
  /** in answers alone: JSON of its content with the marks */
  redacted?: Redacted;
  /** the same of its message, where something was found beside the content */
  redactedMessage?: Redacted;
  note: string;
  /** of a resolved reference: internal id, creation and completion (Unix ms) of the event, and whether it could not be evaluated */
  target: { id: string; created: number; completed: number; failed?: true } | null;
  /** of messages */
  role?: MessageRole;
  /** declared causes; absent if there are none */
  links?: readonly DeclaredLink[];
  /** of standalone artifacts and of those in a session */
  artifact?: ArtifactIds;
}

/** Bytes of the body. */
export type ContentAt = [start: number, end: number];

/** Gives a text as it is, or its bytes in UTF-8 as a character each. */
export type Redacted = (encoding: 'utf8' | 'latin1') => string;

/** The ids of an artifact (2.5) and of its session; '' if absent. */
export interface ArtifactIds {
  /** the caller's id */
  external: string;
  /** internal id of the linked session check; the caller's id is `externalSessionId` */
  session: string;
}

/** What is stored of a request without a verdict. */
export interface StoredError {
  status: number;
  code: string;
  message: string;
  /** path of the mistake, if it is the caller's */
  param?: string;
}

export type MessageRole = 'user' | 'assistant';

export interface ResultRecord {
  kind: CheckKind;
  /** request id */
  id: string;
  team: string;
  /** environment or deployment */
  scope: string;
  /** configuration version */
  config: number;
  /** sequence of the result: `sequenceOf` the id of the work entry */
  sequence: number;
  /** Unix ms */
  received: number;
  /** Unix ms */
  completed: number;
  /** row version (see `RowRequest`); absent: 1 */
  version?: number;
  /** finished so late that a newer result may have left Redis before (`latest.ts`) */
  late?: true;
  items: RecordItem[];
  /** JSON texts */
  fragments: string[];
  /** set if the request has no verdict: the error that the caller of a session gets */
  error: StoredError | null;
}

const ROLES = [undefined, 'user', 'assistant'] as const;

/** The run is left out if it is the run of the event, as it mostly is. */
type WireLink = [parent: 0 | 1, relation: string, run: string, event: string, internal: string, target?: string];

// The last three are there only if an item has them.
type WireItem = [
  number,
  string,
  string,
  string,
  string,
  string,
  boolean | null,
  number,
  number,
  string,
  RecordItem['target'],
  role?: number,
  links?: WireLink[],
  artifact?: [external: string, session: string],
];
interface WireHead extends Omit<ResultRecord, 'items' | 'fragments'> {
  format: 1;
  items: WireItem[];
  /** by place in `items`; absent where no item has any */
  explained?: number[];
  marks?: (number | ContentAt)[];
}

/** The bytes of a record. */
export function encodeRecord(record: ResultRecord): Buffer {
  writeRecord(record);
  return takeText();
}

/** The same, overwritten by the next call. The first line is what `JSON.stringify` makes of a {@link WireHead}. */
export function writeRecord(record: ResultRecord): Buffer {
  const { items, fragments } = record;
  startText();
  putUtf8(headOf(record));
  putAscii('"items":[');
  let named = NOBODY;
  let explained = false;
  let marked = false;
  for (let i = 0; i < items.length; i++) {
    const item = items[i]!;
    if (i > 0) putAscii(',');
    named = putItem(item, named);
    if (item.explained >= 0) explained = true;
    if (item.marks !== undefined) marked = true;
  }
  putAscii(']');
  if (explained) putExplained(items);
  if (marked) putAscii(`,"marks":${JSON.stringify(items.map(({ marks = -1 }) => marks))}`);
  putAscii('}');
  putFragments(fragments, items);
  return writtenText();
}

/** What is before the items. Look-ups count on the order of team and scope ({@link mayBeOf}). */
function headOf(record: ResultRecord): string {
  const { kind, id, team, scope, config, sequence, received, completed, version, late, error } = record;
  const { stringify } = JSON;
  const owner = `"team":${stringify(team)},"scope":${stringify(scope)}`;
  const times = `"config":${config},"sequence":${sequence},"received":${received},"completed":${completed}`;
  const rare = `${version === undefined ? '' : `"version":${version},`}${late ? '"late":true,' : ''}`;
  return `{"format":1,"kind":"${kind}","id":"${id}",${owner},${times},${rare}"error":${stringify(error)},`;
}

function putExplained(items: readonly RecordItem[]): void {
  putAscii(',"explained":[');
  for (let i = 0; i < items.length; i++) {
    if (i > 0) putAscii(',');
    putNumber(items[i]!.explained);
  }
  putAscii(']');
}

/** The run, the session and the status of an item that was put, and where they are. */
type Named = Pick<RecordItem, 'runId' | 'externalSessionId' | 'status'> & { from: number; to: number };
const NOBODY: Named = { runId: '', externalSessionId: '', status: 'failed', from: 0, to: 0 };

/** Puts a {@link WireItem}. Returns what it is named by, or `before`, of the item before it, where that is the same. */
function putItem(i: RecordItem, before: Named): Named {
  putAscii('[');
  putNumber(i.item);
  putAscii(',');
  putListed(i.type);
  putListed(i.eventId);
  const named = putNamed(i, before);
  putAscii(i.flagged === null ? 'null,' : i.flagged ? 'true,' : 'false,');
  putNumber(i.policies);
  putAscii(',');
  putNumber(i.metadata);
  if (i.note === '' && i.target === null) putAscii(',"",null');
  else {
    putAscii(',');
    putListed(i.note);
    putAscii(JSON.stringify(i.target));
  }
  const { role, links, artifact } = i;
  if (role !== undefined || links !== undefined || artifact !== undefined) putAscii(ROLE_MEMBERS[ROLES.indexOf(role)]!);
  if (links !== undefined || artifact !== undefined) {
    putAscii(',');
    putUtf8(JSON.stringify((links ?? []).map((link) => wireLink(link, i.runId))));
  }
  if (artifact !== undefined) {
    putAscii(',');
    putUtf8(JSON.stringify([artifact.external, artifact.session]));
  }
  putAscii(']');
  return named;
}

const ROLE_MEMBERS = ROLES.map((_, number) => `,${number}`);

/** Nearly all items of a batch have the same run, session and status: these are copied. */
function putNamed({ runId, externalSessionId, status }: RecordItem, before: Named): Named {
  if (
    before.runId === runId &&
    before.externalSessionId === externalSessionId &&
    before.status === status &&
    before.to > 0
  ) {
    putAgain(before.from, before.to);
    return before;
  }
  const from = position();
  putListed(runId);
  putListed(externalSessionId);
  putListed(status);
  return { runId, externalSessionId, status, from, to: position() };
}

function wireLink({ kind, relation, runId, eventId, internalId, target }: DeclaredLink, ownRun: string): WireLink {
  const wire: WireLink = [kind === 'parent' ? 1 : 0, relation, runId === ownRun ? '' : runId, eventId, internalId];
  if (target !== undefined) wire.push(target);
  return wire;
}

function linksOf(wire: readonly WireLink[], runId: string): DeclaredLink[] {
  return wire.map(([parent, relation, run, event, internal, target]) => ({
    kind: parent === 1 ? 'parent' : 'link',
    relation,
    runId: run === '' && event !== '' ? runId : run,
    eventId: event,
    internalId: internal,
    ...(target === undefined ? {} : { target }),
  }));
}

/** Throws if `text` is not a record. Only this service writes records, so that is a bug or a damaged store. */
export function decodeRecord(text: string): ResultRecord {
  const [head = '', ...lines] = text.split('\n');
  return { ...decodeHead(head), fragments: readFragments(lines) };
}

/** Like {@link decodeRecord}, but reads the first line only: everything except the fragments. */
export function decodeHead(line: string): Omit<ResultRecord, 'fragments'> {
  const { format, items, explained, marks, ...rest } = JSON.parse(line) as WireHead;
  if (format !== 1) throw new Error(`result record of unknown format ${String(format)}`);
  const head: Omit<ResultRecord, 'fragments'> = {
    ...rest,
    items: items.map((w, place) => ({
      item: w[0],
      type: w[1],
      eventId: w[2],
      runId: w[3],
      externalSessionId: w[4],
      status: w[5] as EventStatus,
      flagged: w[6],
      policies: w[7],
      explained: explained?.[place] ?? -1,
      metadata: w[8],
      note: w[9],
      target: w[10],
      role: ROLES[w[11] ?? 0],
      links: w[12] === undefined || w[12].length === 0 ? undefined : linksOf(w[12], w[3]),
      artifact: w[13] === undefined ? undefined : { external: w[13][0], session: w[13][1] },
    })),
  };
  for (const [place, at] of marks?.entries() ?? []) if (at !== -1) head.items[place]!.marks = at;
  return head;
}

/** Where a check ran. A look-up must name the same team and scope. */
export interface RecordOwner {
  team: string;
  /** environment or deployment */
  scope: string;
}

/**
 * Whether look-ups by the caller's id find a check: it has a verdict or was given up. A check that was answered 400, 422
 * or 503 has neither, and does not hide an earlier one.
 */
export const isOutcome = (error: StoredError | null): boolean => error === null || error.status === 500;

/** Whether a record may belong to `owner`. `head`: at least its first few hundred characters. */
export function mayBeOf(head: string, { team, scope }: RecordOwner): boolean {
  return head.includes(`"team":${JSON.stringify(team)},"scope":${JSON.stringify(scope)},`);
}

/** The kind of an item in look-ups. */
export type ItemKind = 'event' | 'session' | 'artifact';

/** An event is an event, alone or in a batch. An image in a session is an artifact. */
export function kindOf({ kind, type }: Pick<StoredItem, 'kind' | 'type'>): ItemKind {
  if (kind === 'session') return type === 'artifact' ? 'artifact' : 'session';
  return kind === 'artifact' ? 'artifact' : 'event';
}

/** One checked item as stored, either in a hot record or in a row of ClickHouse. */
export interface StoredItem {
  id: string;
  requestId: string;
  kind: CheckKind;
  team: string;
  scope: string;
  type: string;
  eventId: string;
  runId: string;
  externalSessionId: string;
  status: EventStatus;
  flagged: boolean | null;
  /** JSON text of the policies map */
  policies: string;
  /** what explains the map (`explanation.ts`), or empty */
  explained: string;
  /** JSON text, or empty */
  metadata: string;
  note: string;
  sequence: number;
  /** row version; the highest is the newest */
  version: number;
  /** Unix ms */
  created: number;
  /** Unix ms */
  completed: number;
  /** only if hot: finished so late that a newer result may have left Redis before (`latest.ts`) */
  late?: true | undefined;
  /** of artifacts, if known: for hot ones, and when history was asked for artifacts */
  artifact?: ArtifactIds | undefined;
  /** in answers of checks alone: JSON of the content with marks */
  redacted?: string;
  /** the same of the message, where something was found beside its content */
  redactedMessage?: string;
  error: ResultRecord['error'];
}
