/**
 * Makes the outcome of a work entry: the record that answers are rendered from, the rows of history, and the entries of indexes. A pure
 * function of plan, entry and what was gathered, so a second attempt has the same outcome. It runs on a thread.
 */
import type { ResultRecord } from '../../shared/api/results/record.js';
import { withoutPaths } from '../../shared/api/results/stored-evidence.js';
import { writeRecord } from '../../shared/api/results/write-record.js';
import type { ArtifactRequest, SessionRequest } from '../../shared/api/types.js';
import { sequenceOf } from '../../shared/ids.js';
import { Paused } from '../../shared/policy/engine/long-scans.js';
import type { Plan } from '../../shared/policy/plan.js';
import type { Asks, ShadowVerdict } from '../../shared/policy/types.js';
import { lookAnswerBytes } from '../../shared/streams/looks.js';
import { rowFormatOf, writeRows } from '../rows/pack-rows.js';
import type { Draft, Entry } from './draft.js';
import { artifactOutcome } from './kinds/artifact.js';
import { type EntryBody, madeBody, readBody } from './kinds/body.js';
import { batchIn, draftOf, type EventsBatch, evaluateEvents } from './kinds/events/events.js';
import {
  beginSession,
  draftOfSession,
  evaluateSessionCheck,
  type SessionCheck,
  sessionOutcome,
} from './kinds/sessions/session.js';
import { type BegunLook, beginLook, evaluateLook, isLook } from './kinds/stream.js';
import { type TriedPolicies, triedBytes } from './kinds/tried.js';
import type { SHADOW_OUTCOMES } from './meters.js';
import { type Slice, WHOLE } from './slice.js';

/** `Bytes`: what stands for bytes in it. */
export interface EntryOutcome<Bytes = Buffer> {
  record: Bytes;
  rows: Bytes;
  /** of the packed rows */
  format: string;
  index: [key: string, member: string][];
  context: [key: string, members: string[], seconds?: number][];
  /** checked items, and how many of them are flagged or failed */
  items: number;
  flagged: number;
  failed: number;
  /** items whose conditions took too many steps */
  stopped: number;
  /** items in a language that a policy did not know */
  foreign: number;
  /** verdicts of policies in the shadow; absent: there are none */
  shadow?: ShadowCounts | undefined;
  /** what backends or models may still decide: this is no outcome before they were asked. Absent: it is one */
  asks?: readonly ItemAsks[] | undefined;
}

export type Keep<Bytes> = (bytes: Buffer) => Bytes;

function copyOf(bytes: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(copy);
  return copy;
}

/** What to ask about the text of an item. */
export interface ItemAsks extends Asks {
  item: number;
}

export type ShadowCounts = Record<(typeof SHADOW_OUTCOMES)[number], number>;

/** Evaluates one entry. */
export function evaluateEntry(plan: Plan, entry: Entry): EntryOutcome {
  const begun = begin(plan, entry);
  goOn(begun, WHOLE);
  return finish(begun, copyOf);
}

/** An entry whose items are evaluated in slices. */
export interface Begun {
  entry: Entry;
  /** what is evaluated at once, a session, or a batch of events, which are evaluated one by one */
  made: Draft | SessionCheck | EventsBatch | BegunLook;
}

const isBatch = (made: Begun['made']): made is EventsBatch => 'sent' in made;
const isBegunLook = (made: Begun['made']): made is BegunLook => 'header' in made && 'scans' in made && 'made' in made;
const isSession = (made: Begun['made']): made is SessionCheck => 'split' in made;

export const begin = (plan: Plan, entry: Entry): Begun => ({
  entry,
  made: isLook(entry.header) ? beginLook(plan, entry.header, entry) : begunDraft(plan, entry),
});

/** Evaluates items until all are evaluated, or the slice is over, which may be within one. Returns whether all are. */
export function goOn({ made }: Begun, slice: Slice): boolean {
  try {
    if (isBatch(made)) return evaluateEvents(made, slice);
    if (isBegunLook(made)) evaluateLook(made, slice);
    else if (isSession(made)) evaluateSessionCheck(made, slice);
    return true;
  } catch (error) {
    if (error instanceof Paused) return false;
    throw error;
  }
}

function draftIn(made: Exclude<Begun['made'], BegunLook>): Draft {
  if (isBatch(made)) return draftOf(made);
  return isSession(made) ? draftOfSession(made) : made;
}

/**
 * The outcome, with what `keep` makes of the bytes of record and rows. These are overwritten when it has returned. `tried`: that of a try is its
 * answer.
 */
export function finish<Bytes>(begun: Begun, keep: Keep<Bytes>, tried?: TriedPolicies): EntryOutcome<Bytes> {
  if (isBegunLook(begun.made)) return lookOutcome(lookAnswerBytes(begun.made.made!), keep);
  const made = draftIn(begun.made);
  const outcome = tried ? lookOutcome(triedBytes(tried, begun.entry, made), keep) : encode(begun.entry, made, keep);
  const asks = asksIn(made);
  if (asks.length > 0) outcome.asks = asks;
  return outcome;
}

/** A look, or a try, makes nothing that is kept: its answer stands in place of a record. */
export const lookOutcome = <Bytes>(answer: Buffer, keep: Keep<Bytes>): EntryOutcome<Bytes> => ({
  record: keep(answer),
  rows: keep(NOTHING),
  format: '',
  index: [],
  context: [],
  items: 0,
  flagged: 0,
  failed: 0,
  stopped: 0,
  foreign: 0,
});

const NOTHING = Buffer.alloc(0);

/** What backends and models may decide of the items of a draft. */
export function asksIn({ rows }: Draft): ItemAsks[] {
  const all: ItemAsks[] = [];
  for (const { item, verdict } of rows) if (verdict.asks) all.push({ item, ...verdict.asks });
  return all;
}

/** With `plan` null nothing is evaluated, and every item fails with `failure`. */
function begunDraft(plan: Plan | null, entry: Entry, failure = ''): Exclude<Begun['made'], BegunLook> {
  const { kind } = entry.header;
  if (kind === 'events' || kind === 'event') return batchIn(plan, entry, failure);
  const body = readBody(entry.body);
  return kind === 'session'
    ? beginSession(plan, entry, body as EntryBody<SessionRequest>, failure)
    : artifactOutcome(plan, entry, body as EntryBody<ArtifactRequest>, failure);
}

/** The outcome of an entry that was given up: nothing is evaluated, and every item is `failed` with `note`. */
export function failedEntry(entry: Entry, note: string): EntryOutcome {
  const made = begunDraft(null, entry, note);
  goOn({ entry, made }, WHOLE);
  const failed = draftIn(made);
  if (failed.error) failed.error = internalError(note);
  return encode(entry, failed, copyOf);
}

/**
 * The same where the body cannot be read. A session and an artifact are one item each. How many events there were is unknown, so they
 * become one error.
 */
export function unreadableEntry(entry: Entry, note: string): EntryOutcome {
  const error = internalError(note);
  const { kind, external = null } = entry.header;
  if (kind === 'artifact') {
    const request: ArtifactRequest = { content: { kind: 'image' }, external_artifact_id: external };
    return encode(entry, artifactOutcome(null, entry, madeBody(request), note), copyOf);
  }
  if (kind === 'session') {
    const request: SessionRequest = { messages: [{ role: 'user', content: '' }] };
    return encode(entry, { ...sessionOutcome(null, entry, madeBody(request), note), error }, copyOf);
  }
  return encode(entry, { items: [], rows: [], fragments: [], index: [], context: [], error }, copyOf);
}

/** The rows of a check whose content is not kept. */
const emptied = (rows: Draft['rows']): Draft['rows'] =>
  rows.map((row) => ({ ...row, content: '', metadata: '', explained: withoutPaths(row.explained) }));

const internalError = (message: string): Draft['error'] => ({ status: 500, code: 'internal_error', message });

// Written field by field: copies of objects by their members are made slowly, and each entry passes here.
function encode<Bytes>(entry: Entry, made: Draft, keep: Keep<Bytes>): EntryOutcome<Bytes> {
  const { header, completed } = entry;
  const { kind, id, team, scope, config, key, received } = header;
  const { items, fragments, index, context, error } = made;
  const sequence = header.sequence ?? sequenceOf(entry.id);
  const version = 1 + (header.replay ?? 0);
  const rows = header.unkept ? emptied(made.rows) : made.rows;
  const format = rowFormatOf(rows);
  const counts = countsOf(rows);
  const record: ResultRecord = {
    kind,
    id,
    team,
    scope,
    config,
    sequence,
    received,
    completed,
    items,
    fragments,
    error,
  };
  if (version > 1) record.version = version;
  if (entry.late) record.late = true;
  const request = { kind, id, team, scope, config, sequence, received, completed, error, key, version };
  return {
    record: keep(writeRecord(record)),
    rows: keep(writeRows(request, rows, format)),
    format,
    index,
    context,
    items: rows.length,
    flagged: counts.flagged,
    failed: counts.failed,
    stopped: counts.stopped,
    foreign: counts.foreign,
    shadow: counts.shadow,
  };
}

type OutcomeCounts = Pick<EntryOutcome, 'items' | 'flagged' | 'failed' | 'stopped' | 'foreign' | 'shadow'>;

function countsOf(rows: Draft['rows']): OutcomeCounts {
  const counts: OutcomeCounts = { items: rows.length, flagged: 0, failed: 0, stopped: 0, foreign: 0 };
  for (const { flagged, status, verdict } of rows) {
    if (flagged === true) counts.flagged++;
    if (status === 'failed') counts.failed++;
    if (verdict.stopped) counts.stopped++;
    if (verdict.foreign) counts.foreign++;
    if (verdict.shadow) {
      counts.shadow ??= { flagged: 0, clean: 0, not_evaluated: 0 };
      addShadow(counts.shadow, verdict.shadow);
    }
  }
  return counts;
}

function addShadow(counts: ShadowCounts, { evaluated, violations, notEvaluated }: ShadowVerdict): void {
  counts.flagged += violations.length;
  counts.clean += evaluated.length - violations.length;
  counts.not_evaluated += notEvaluated;
}
