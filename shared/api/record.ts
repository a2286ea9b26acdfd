/**
 * The record of a finished request: its verdicts, compact and complete in itself. It is what the commit stores under
 * `result:{p}:<id>` and publishes as the reply; answers and look-ups are rendered from it (`render.ts`).
 *
 * Text, lines separated by `\n`: line 1 is the head as JSON, the others are fragments of JSON that items point at by
 * number. In a batch of 50 events a handful of policy maps and metadata objects recur, so writing each once keeps the
 * record five times smaller than the answer it stands for; compact JSON has no raw line breaks, so lines are safe.
 */
import type { CheckKind, EventStatus } from './types.js';

export interface RecordItem {
  /** number of the item within the request, 1 to 63: its internal id is `itemId(record.id, item)` */
  item: number;
  /** event type, or `session` */
  type: string;
  eventId: string;
  runId: string;
  externalSessionId: string;
  status: EventStatus;
  /** null when it could not be evaluated (sessions: see `error`) */
  flagged: boolean | null;
  /** fragment: the policies map as returned */
  policies: number;
  /** fragment: the request metadata, or -1 */
  metadata: number;
  note: string;
  /** of a reference that resolved: internal id, creation and completion (Unix ms) of the event it names */
  target: { id: string; created: number; completed: number } | null;
}

export interface ResultRecord {
  kind: CheckKind;
  /** request id */
  id: string;
  team: string;
  /** environment or deployment */
  scope: string;
  /** configuration version */
  config: number;
  /** sequence of the result (`sequenceOf` the work entry's id) */
  sequence: number;
  /** Unix ms */
  received: number;
  /** Unix ms */
  completed: number;
  items: RecordItem[];
  /** JSON texts */
  fragments: string[];
  /** set when the request as a whole has no verdict: what a session's caller is answered with */
  error: { status: number; code: string; message: string } | null;
}

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
];
interface WireHead extends Omit<ResultRecord, 'items' | 'fragments'> {
  format: 1;
  items: WireItem[];
}

export function encodeRecord(record: ResultRecord): string {
  const { items, fragments, ...rest } = record;
  const head: WireHead = {
    format: 1,
    ...rest,
    items: items.map((i) => [
      i.item,
      i.type,
      i.eventId,
      i.runId,
      i.externalSessionId,
      i.status,
      i.flagged,
      i.policies,
      i.metadata,
      i.note,
      i.target,
    ]),
  };
  const first = JSON.stringify(head);
  return fragments.length === 0 ? first : `${first}\n${fragments.join('\n')}`;
}

/** Throws on text that is no record: stored results are our own, so that is a bug or a damaged store. */
export function decodeRecord(text: string): ResultRecord {
  const lines = text.split('\n');
  const { format, items, ...rest } = JSON.parse(lines[0]!) as WireHead;
  if (format !== 1) throw new Error(`result record of unknown format ${String(format)}`);
  return {
    ...rest,
    fragments: lines.slice(1),
    items: items.map((w) => ({
      item: w[0],
      type: w[1],
      eventId: w[2],
      runId: w[3],
      externalSessionId: w[4],
      status: w[5] as EventStatus,
      flagged: w[6],
      policies: w[7],
      metadata: w[8],
      note: w[9],
      target: w[10],
    })),
  };
}

/** Where a check ran: what a look-up must ask for to find it. */
export interface RecordOwner {
  team: string;
  /** environment or deployment */
  scope: string;
}

/** Whether a record that begins with `head`, at least the first few hundred characters of it, may be `owner`'s. */
export function mayBeOf(head: string, { team, scope }: RecordOwner): boolean {
  return head.includes(`"team":${JSON.stringify(team)},"scope":${JSON.stringify(scope)},`);
}

/** One checked item as it is kept, wherever it was found: in a hot record or in a row of ClickHouse. */
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
  /** JSON text, or empty */
  metadata: string;
  note: string;
  sequence: number;
  /** Unix ms */
  created: number;
  /** Unix ms */
  completed: number;
  error: ResultRecord['error'];
}
