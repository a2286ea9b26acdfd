/** Writes records (`layout.ts`) into one buffer, which grows and is used again. One record is written at a time. */
import {
  AT,
  END_BYTES,
  FLAGS,
  FORMAT,
  FRAGMENT_BYTES,
  HEADER_BYTES,
  ID_LENGTH,
  ITEM_BYTES,
  KINDS,
  ROLES,
  STATUSES,
  TYPES,
} from './layout.js';
import { MOST_COMPARED, mostAlike, type PolicyMap, policyMap } from './policy-maps.js';
import type { DeclaredLink, RareMembers, RecordItem, ResultRecord } from './record.js';

const START_BYTES = 256 * 1024;
/** A larger buffer is dropped after the record that needed it. */
const KEEP_BYTES = 4 * 1024 * 1024;
const SPACE = 32;
const QUOTE = 34;
const BACKSLASH = 92;
const TILDE = 126;
/** Up to this length a loop over the characters is faster than a call of the native encoder. */
const SHORT = 64;

let buffer = Buffer.allocUnsafeSlow(START_BYTES);
let at = 0;
/** where the texts begin, and the ends of those that were put */
let texts = 0;
let ends: number[] = [];
/** numbers of the texts that recur */
let known = new Map<string, number>();

/** The bytes of a record, overwritten by the next call. */
export function writeRecord(record: ResultRecord): Buffer {
  const { items, fragments } = record;
  if (buffer.length > KEEP_BYTES) buffer = Buffer.allocUnsafeSlow(START_BYTES);
  at = HEADER_BYTES;
  const team = putEscaped(record.team);
  const scope = putEscaped(record.scope);
  const error = record.error === null ? 0 : putUtf8(JSON.stringify(record.error));
  const start = at;
  ends = [];
  known = new Map();
  texts = start + items.length * ITEM_BYTES;
  room(items.length * ITEM_BYTES);
  at = texts;
  for (let i = 0; i < items.length; i++) putItem(items[i]!, i === 0 ? undefined : items[i - 1], start + i * ITEM_BYTES);
  room(ends.length * END_BYTES);
  for (const end of ends) at = buffer.writeUInt32LE(end, at);
  const head = at;
  putFragments(fragments, items);
  putHeader(record, { team, scope, error, head });
  return buffer.subarray(0, at);
}

function putHeader(
  record: ResultRecord,
  { team, scope, error, head }: Record<'team' | 'scope' | 'error' | 'head', number>,
): void {
  const to = buffer;
  to[0] = FORMAT;
  to[1] = KINDS.indexOf(record.kind);
  to[2] = record.items.length;
  to[3] = record.late ? 1 : 0;
  to.writeUInt32LE(head, 4);
  to.writeDoubleLE(record.sequence, 8);
  to.writeDoubleLE(record.received, 16);
  to.writeDoubleLE(record.completed, 24);
  to.writeUInt32LE(record.config, 32);
  to.writeUInt32LE(record.version ?? 1, 36);
  to.writeUInt16LE(ends.length, 40);
  to.writeUInt16LE(record.fragments.length, 42);
  to.writeUInt16LE(team, 44);
  to.writeUInt16LE(scope, 46);
  to.writeUInt32LE(error, 48);
  to.write(record.id, HEADER_BYTES - ID_LENGTH, ID_LENGTH, 'latin1');
}

function putItem(item: RecordItem, before: RecordItem | undefined, to: number): void {
  const { eventId, runId, externalSessionId, note, links } = item;
  const from = to - ITEM_BYTES;
  // Nearly all items of a batch have the run and the session of the one before.
  const run = before?.runId === runId ? numberAt(from + AT.run) : textAgain(runId);
  const session =
    before?.externalSessionId === externalSessionId ? numberAt(from + AT.session) : textAgain(externalSessionId);
  const event = text(eventId);
  const told = note === '' ? 0 : textAgain(note);
  const causes = links === undefined ? 0 : linksText(links, runId);
  const rare = hasRare(item) ? json(rareOf(item)) : 0;
  buffer[to] = item.item;
  buffer[to + AT.type] = TYPES.indexOf(item.type);
  buffer[to + AT.status] = STATUSES.indexOf(item.status);
  buffer[to + AT.flag] = FLAGS.indexOf(item.flagged);
  buffer[to + AT.role] = ROLES.indexOf(item.role);
  buffer[to + AT.role + 1] = 0;
  putNumber(event, to + AT.eventId);
  putNumber(run, to + AT.run);
  putNumber(session, to + AT.session);
  putNumber(told, to + AT.note);
  putNumber(causes, to + AT.links);
  putNumber(rare, to + AT.rare);
  putNumber(item.policies + 1, to + AT.policies);
  putNumber(item.explained + 1, to + AT.explained);
  putNumber(item.metadata + 1, to + AT.metadata);
}

function putNumber(value: number, to: number): void {
  buffer[to] = value & 0xff;
  buffer[to + 1] = value >> 8;
}

const numberAt = (from: number): number => buffer[from]! | (buffer[from + 1]! << 8);

const hasRare = ({ target, marks, artifact, scores, finds }: RecordItem): boolean =>
  target !== null || marks !== undefined || artifact !== undefined || scores !== undefined || finds !== undefined;

const rareOf = ({ target, marks, artifact, scores, finds }: RecordItem): RareMembers => ({
  target: target ?? undefined,
  marks,
  scores,
  finds,
  artifact,
});

/** Puts {@link StoredLink}s as JSON, piece by piece: nearly every event of an agent has one. */
function linksText(links: readonly DeclaredLink[], ownRun: string): number {
  for (let i = 0; i < links.length; i++) {
    const { kind, relation, runId, eventId, internalId, target } = links[i]!;
    putAscii(i === 0 ? '[' : ',');
    putAscii(kind === 'parent' ? '[1,"' : '[0,"');
    putEscaped(relation);
    putAscii('","');
    if (runId !== ownRun) putEscaped(runId);
    putAscii('","');
    putEscaped(eventId);
    putAscii('","');
    putEscaped(internalId);
    if (target !== undefined) {
      putAscii('","');
      putEscaped(target);
    }
    putAscii('"]');
  }
  putAscii(links.length === 0 ? '[]' : ']');
  return ends.push(at - texts);
}

/** The number of a text that may recur. */
function textAgain(value: string): number {
  if (value === '') return 0;
  const before = known.get(value);
  if (before !== undefined) return before;
  const number = text(value);
  known.set(value, number);
  return number;
}

/** Puts a text. Returns its number. */
function text(value: string): number {
  if (value === '') return 0;
  putEscaped(value);
  return ends.push(at - texts);
}

function json(value: unknown): number {
  putUtf8(JSON.stringify(value));
  return ends.push(at - texts);
}

/** Puts a text as it stands between the quotes of a JSON string. Returns how many bytes that are. */
function putEscaped(value: string): number {
  const start = at;
  if (value.length > SHORT || !putPlain(value)) putUtf8(escaped(value));
  return at - start;
}

function putAscii(value: string): void {
  const { length } = value;
  room(length);
  for (let i = 0; i < length; i++) buffer[at + i] = value.charCodeAt(i);
  at += length;
}

/** Puts `value`, or returns false where it has something to escape or is not ASCII. */
function putPlain(value: string): boolean {
  const { length } = value;
  room(length);
  const to = buffer;
  for (let i = 0; i < length; i++) {
    const unit = value.charCodeAt(i);
    if (unit < SPACE || unit > TILDE || unit === QUOTE || unit === BACKSLASH) return false;
    to[at + i] = unit;
  }
  at += length;
  return true;
}

/** A text as it stands between the quotes of a JSON string: a lone surrogate is escaped, too. */
const escaped = (value: string): string => JSON.stringify(value).slice(1, -1);

/** Puts any text. Returns how many bytes that are. */
function putUtf8(value: string): number {
  room(value.length * 3);
  const length = buffer.write(value, at);
  at += length;
  return length;
}

function room(bytes: number): void {
  if (at + bytes <= buffer.length) return;
  const larger = Buffer.allocUnsafeSlow(Math.max(buffer.length * 2, at + bytes));
  buffer.copy(larger, 0, 0, at);
  buffer = larger;
}

/** A map that was put. */
interface PutMap {
  map: PolicyMap;
  fragment: number;
}

/** Less is not worth the numbers. */
const LEAST_SHORTENED = 40;

/** Puts the fragments. Those that are maps of `items` are shortened by what they have in common with a map before them. */
function putFragments(fragments: readonly string[], items: readonly RecordItem[]): void {
  const maps: boolean[] = [];
  for (let i = 0; i < items.length; i++) maps[items[i]!.policies] = true;
  const before: PutMap[] = [];
  const heap = at;
  /** end, base, bytes of its start and end */
  const table: number[] = [];
  for (let i = 0; i < fragments.length; i++) {
    const map = maps[i] === true ? policyMap(fragments[i]!) : undefined;
    if (!map?.isAscii) {
      putUtf8(fragments[i]!);
      table.push(at - heap, 0, 0, 0);
      continue;
    }
    const like = mostAlike(map, before);
    const shortens = like !== undefined && like.start + like.end >= LEAST_SHORTENED;
    const { start, end } = shortens ? like : NOTHING;
    putBytes(map.bytes.subarray(start, map.bytes.length - end));
    table.push(at - heap, shortens ? like.other.fragment + 1 : 0, start, end);
    if (before.length < MOST_COMPARED) before.push({ map, fragment: i });
  }
  room(fragments.length * FRAGMENT_BYTES);
  for (let i = 0; i < table.length; i += 4) {
    at = buffer.writeUInt32LE(table[i]!, at);
    at = buffer.writeUInt16LE(table[i + 1]!, at);
    at = buffer.writeUInt32LE(table[i + 2]!, at);
    at = buffer.writeUInt32LE(table[i + 3]!, at);
  }
}

const NOTHING = { start: 0, end: 0 };

function putBytes(bytes: Uint8Array): void {
  room(bytes.length);
  buffer.set(bytes, at);
  at += bytes.length;
}
