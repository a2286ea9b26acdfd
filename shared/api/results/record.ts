/**
 * The record of a finished request: its verdicts, compact and complete in itself. The commit stores it under `result:{p}:<id>` and publishes
 * it as the reply (`layout.ts` has its bytes). The answer of a batch is made of these (`answer.ts`); other answers, look-ups and retries are
 * made of what is read here.
 */
import type { CheckKind, EventStatus } from '../types.js';
import {
  AT,
  checkFormat,
  FLAGS,
  FORMAT,
  HEADER_BYTES,
  ID_LENGTH,
  KINDS,
  ROLES,
  STATUSES,
  StoredRecord,
  TYPES,
} from './layout.js';

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
  /** of its text, and of its sentences where they were asked for, too. Absent: the check was not asked for scores */
  scores?: readonly TextScores[];
  /** all that was found in its text. Absent: the check was not asked for that */
  finds?: FoundInText;
  /** in answers alone: JSON of its content with the marks */
  redacted?: Redacted;
  /** the same of its message, where something was found beside the content */
  redactedMessage?: Redacted;
  /** what its numbered marks replace, sealed; absent: it has none */
  sealed?: string;
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

/** Scores that a check is asked for: labels of the models of Weir. */
export interface AskedScores {
  labels: readonly string[];
  /** of each sentence by itself, too */
  sentences?: true;
}

/** All that violated policies have found in a text. */
export interface FoundInText {
  /** By policy and detector: start and end in UTF-16 units, and score, of one find behind the other. Both 0: it is not in one place. */
  of: Readonly<Record<string, Readonly<Record<string, readonly number[]>>>>;
  /** there is more than is kept, and nothing of it is told */
  over?: true;
  /** some policies are left out, since they do not know the language */
  foreign?: true;
}

/** Scores of a text, or of a part of it. */
export interface TextScores {
  /** in UTF-16 units */
  start: number;
  end: number;
  /** by label */
  of: LabelScores;
}

/** `score`: 0 to 1. `least`: with that the detector of the label fires. `foreign`: the language of the text, which the model does not know. */
export type LabelScores = Readonly<Record<string, { score: number; least: number } | { foreign: string }>>;

/** Bytes of the body. */
export type ContentAt = [start: number, end: number];

/** Content with the places of its marks (`redaction.ts`). */
export interface Marked {
  at: ContentAt;
  texts?: string[];
  cuts?: number[];
}

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

/** The declared causes of an event. The run is left out where it is the run of the event, as it mostly is. */
export type StoredLink = [
  parent: 0 | 1,
  relation: string,
  run: string,
  event: string,
  internal: string,
  target?: string,
];

/** What few items have. */
export type RareMembers = Pick<RecordItem, 'marks' | 'artifact' | 'scores' | 'finds'> & {
  target?: RecordItem['target'];
};

/** Throws if `bytes` are not a record. Only this service writes records, so that is a bug or a damaged store. */
export function decodeRecord(bytes: Buffer): ResultRecord {
  const stored = new StoredRecord(bytes);
  return { ...headOf(stored), fragments: fragmentsOf(stored) };
}

/** The same of the head of a record alone: everything except the fragments. */
export const decodeHead = (bytes: Buffer): Omit<ResultRecord, 'fragments'> => headOf(new StoredRecord(bytes));

function headOf(stored: StoredRecord): Omit<ResultRecord, 'fragments'> {
  const { bytes, count } = stored;
  const { team, scope, error } = ownerOf(bytes);
  const version = bytes.readUInt32LE(36);
  return {
    kind: KINDS[bytes[1]!]!,
    id: bytes.toString('latin1', HEADER_BYTES - ID_LENGTH, HEADER_BYTES),
    team,
    scope,
    config: bytes.readUInt32LE(32),
    sequence: bytes.readDoubleLE(8),
    received: stored.received,
    completed: stored.completed,
    ...(version === 1 ? {} : { version }),
    ...(bytes[3] === 1 ? { late: true } : {}),
    items: Array.from({ length: count }, (_, i) => itemOf(stored, i)),
    error: error === '' ? null : (JSON.parse(error) as StoredError),
  };
}

function itemOf(stored: StoredRecord, i: number): RecordItem {
  const text = (at: number): string => unescaped(stored.json(stored.number(i, at)));
  const links = stored.number(i, AT.links);
  const rare = stored.number(i, AT.rare);
  const runId = text(AT.run);
  const { target = null, ...more } = rare === 0 ? {} : (JSON.parse(stored.json(rare)) as RareMembers);
  return {
    item: stored.byte(i, AT.number),
    type: TYPES[stored.byte(i, AT.type)]!,
    eventId: text(AT.eventId),
    runId,
    externalSessionId: text(AT.session),
    status: STATUSES[stored.byte(i, AT.status)]!,
    flagged: FLAGS[stored.byte(i, AT.flag)]!,
    policies: stored.number(i, AT.policies) - 1,
    explained: stored.number(i, AT.explained) - 1,
    metadata: stored.number(i, AT.metadata) - 1,
    note: text(AT.note),
    target,
    role: ROLES[stored.byte(i, AT.role)],
    links: links === 0 ? undefined : linksOf(JSON.parse(stored.json(links)) as StoredLink[], runId),
    artifact: undefined,
    ...more,
  };
}

/** A text from what stands between the quotes of a JSON string. */
const unescaped = (json: string): string => (json.includes('\\') ? (JSON.parse(`"${json}"`) as string) : json);

function linksOf(links: readonly StoredLink[], runId: string): DeclaredLink[] {
  return links.map(([parent, relation, run, event, internal, target]) => ({
    kind: parent === 1 ? 'parent' : 'link',
    relation,
    runId: run === '' && event !== '' ? runId : run,
    eventId: event,
    internalId: internal,
    ...(target === undefined ? {} : { target }),
  }));
}

/** The fragments, whole. Only ASCII is shortened, so its bytes are units of the text. */
function fragmentsOf(stored: StoredRecord): string[] {
  const fragments: string[] = [];
  for (let i = 0; i < stored.fragments; i++) {
    const { heap } = stored;
    const own = stored.bytes.toString('utf8', heap + stored.fragmentStart(i), heap + stored.fragmentEnd(i));
    const base = stored.base(i);
    const other = base < 0 ? '' : fragments[base]!;
    fragments.push(other.slice(0, stored.baseStart(i)) + own + other.slice(other.length - stored.baseEnd(i)));
  }
  return fragments;
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

/**
 * Whether a record is one of `owner`. `head`: at least its first 4 KiB. One of others is never read further, whatever its format: that would
 * tell it from an absent one.
 */
export function isOf(head: Buffer, owner: RecordOwner): boolean {
  if (head.length < HEADER_BYTES) return false;
  if (head[0]! < FORMAT) checkFormat(head);
  const { team, scope } = ownerOf(head);
  if (team !== owner.team || scope !== owner.scope) return false;
  checkFormat(head);
  return true;
}

/** What stands between the header and the items. */
function ownerOf(bytes: Buffer): { team: string; scope: string; error: string } {
  const team = HEADER_BYTES + bytes.readUInt16LE(44);
  const scope = team + bytes.readUInt16LE(46);
  return {
    team: unescaped(bytes.toString('utf8', HEADER_BYTES, team)),
    scope: unescaped(bytes.toString('utf8', team, scope)),
    error: bytes.toString('utf8', scope, scope + bytes.readUInt32LE(48)),
  };
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
  /** what the numbered marks of both replace, sealed */
  sealed?: string;
  /** in look-ups alone: JSON of what people said of the verdict */
  labels?: string;
  error: ResultRecord['error'];
}
