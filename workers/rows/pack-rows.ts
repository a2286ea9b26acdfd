/**
 * The packed rows of one request. A commit appends them to the log, and the archiver sends them to ClickHouse unchanged.
 *
 *     CRC-32 of all that follows (u32) · number of items (u32) · rows of `checked` in RowBinary, columns by format
 *
 * Items that share a policies map make one row of `checked`. It has the columns of the request and the map once, and those of
 * the items as arrays. The views take the arrays apart (`ARRAY JOIN`). That costs the engine less than reading the same columns
 * again per item, and needs a third of the bytes.
 */
import { crc32 } from 'node:zlib';
import { partsOf } from '../../shared/ids.js';
import type { Evidence, Severity, ShadowVerdict, Source, Violation } from '../../shared/policy/types.js';
import { COLUMNS_OF } from './columns.js';
import { createRowWriter, uuidBytes } from './row-binary.js';
import type { RowImage, RowItem, RowLink, RowRequest } from './row-types.js';

/**
 * Value of the log field `format` for the rows of `items`: '4' has columns for images after those of '3'. '5' and '6' are the same with
 * the verdict of policies in the shadow behind.
 */
export function rowFormatOf(items: readonly RowItem[]): '3' | '4' | '5' | '6' {
  const images = items.some((item) => item.image !== undefined);
  if (items.some(({ verdict }) => verdict.shadow !== undefined)) return images ? '6' : '5';
  return images ? '4' : '3';
}

const HEADER_BYTES = 8;
const MAX_ITEMS = 63;
const KNOWN_IDS = 4096;
const NIL = new Uint8Array(16);

const KINDS = { events: 1, event: 2, session: 3, artifact: 4 } as const;
const STATUSES = { completed: 1, failed: 2 } as const;
const LINK_KINDS = { parent: 1, link: 2 } as const;
const SEVERITIES: Record<Severity, number> = { low: 1, medium: 2, high: 3 };
const SOURCES: Record<Source, number> = { text: 1, image: 2 };

/** A packed entry is not as it was written, or has a format that this release does not know. */
export class DamagedRows extends Error {}

const writer = createRowWriter();
const policyIds = new Map<string, Uint8Array>();

/**
 * Packs the items of one request. Lone surrogates become U+FFFD; all else is kept.
 * Throws when an id of ours or of a policy is not a UUID, which is a bug and not a fault of the input.
 */
export function encodeRows(request: RowRequest, items: readonly RowItem[]): Buffer {
  const time = partsOf(request.id)?.time;
  const id = uuidBytes(request.id);
  if (time === undefined || id === undefined) throw new Error(`request id ${request.id} is not one of ours`);
  if (items.length > MAX_ITEMS) throw new Error(`${items.length} items, but a request has at most ${MAX_ITEMS}`);
  const format = rowFormatOf(items);
  writer.reset(HEADER_BYTES);
  let written = 0;
  for (const [policies, group] of groupByPolicies(items)) {
    if (written === 0) written = writeRequest(request, id, time);
    else writer.again(HEADER_BYTES, written);
    writer.text(policies);
    writeIds(id, group);
    writeTexts(group);
    writeLinks(group);
    writeViolations(group, violationsOf);
    writeEvidence(group);
    for (const textOf of LAST_TEXTS) writer.texts(group, textOf);
    if (format === '4' || format === '6') writeImages(group);
    if (format === '5' || format === '6') writeShadow(group);
  }
  const packed = writer.take();
  packed.writeUInt32LE(items.length, 4);
  packed.writeUInt32LE(crc32(packed.subarray(4)), 0);
  return packed;
}

export interface UnpackedRows {
  /** number of items, and so of rows in `items` */
  rows: number;
  /** rows of `checked` in RowBinary: a view of the entry, not a copy */
  bytes: Buffer;
}

/** Checks a packed entry. Throws {@link DamagedRows} when it is not exactly as it was written. */
export function unpackRows(format: string, packed: Buffer): UnpackedRows {
  if (!Object.hasOwn(COLUMNS_OF, format))
    throw new DamagedRows(`rows of format ${JSON.stringify(format.slice(0, 20))} are unknown`);
  if (packed.length < HEADER_BYTES) throw new DamagedRows(`packed rows of ${packed.length} bytes are cut off`);
  if (crc32(packed.subarray(4)) !== packed.readUInt32LE(0)) throw new DamagedRows('packed rows have a wrong checksum');
  const rows = packed.readUInt32LE(4);
  const bytes = packed.subarray(HEADER_BYTES);
  if (rows > MAX_ITEMS || (rows === 0) !== (bytes.length === 0)) {
    throw new DamagedRows(`packed rows say ${rows} items in ${bytes.length} bytes`);
  }
  return { rows, bytes };
}

function groupByPolicies(items: readonly RowItem[]): Map<string, RowItem[]> {
  const groups = new Map<string, RowItem[]>();
  for (const item of items) {
    const group = groups.get(item.verdict.policies);
    if (group === undefined) groups.set(item.verdict.policies, [item]);
    else group.push(item);
  }
  return groups;
}

/** Returns where its columns end. */
function writeRequest(request: RowRequest, id: Uint8Array, time: number): number {
  writer.text(request.team);
  writer.text(request.scope);
  writer.byte(KINDS[request.kind]);
  writer.u64(time);
  writer.uuidBytes(id);
  writer.u16(request.version ?? 1);
  writer.u64(request.sequence);
  writer.u32(request.config);
  writer.text(request.key);
  writer.u64(request.received);
  writer.u64(request.completed);
  writer.text(request.error ? JSON.stringify(request.error) : '');
  return writer.position();
}

// The id of an item is that of its request but for the last 6 bits, which RowBinary puts at byte 8.
function writeIds(requestId: Uint8Array, group: readonly RowItem[]): void {
  const id = Uint8Array.from(requestId);
  const high = id[8]! & 0xc0;
  writer.length(group.length);
  for (const item of group) {
    id[8] = high | item.item;
    writer.uuidBytes(id);
  }
}

// Made once: a closure that is made for a call is compiled in it.
type TextOf = (item: RowItem) => string;
const TEXTS: readonly TextOf[] = [
  (item) => item.type,
  (item) => item.field,
  (item) => item.role,
  (item) => item.name,
  (item) => item.callId,
  (item) => item.format,
  (item) => item.eventId,
  (item) => item.runId,
  (item) => item.externalSessionId,
  (item) => item.externalArtifactId,
  (item) => item.userId,
  (item) => item.userEmail,
];
const NOTE: TextOf = (item) => item.note;
const LAST_TEXTS: readonly TextOf[] = [(item) => item.content, (item) => item.metadata, (item) => item.explained];

function writeTexts(group: readonly RowItem[]): void {
  for (const textOf of TEXTS) writer.texts(group, textOf);
  writer.length(group.length);
  for (const item of group) writer.byte(STATUSES[item.status]);
  writer.length(group.length);
  for (const item of group) {
    writer.byte(item.flagged === null ? 1 : 0);
    if (item.flagged !== null) writer.byte(item.flagged ? 1 : 0);
  }
  writer.length(group.length);
  for (const item of group) writer.u16(Math.min(item.verdict.notEvaluated, 0xffff));
  writer.texts(group, NOTE);
}

/** A column with one array per item; `of` returns its elements. */
function nested<T>(group: readonly RowItem[], of: (item: RowItem) => readonly T[], write: (value: T) => void): void {
  writer.length(group.length);
  for (const item of group) {
    const values = of(item);
    writer.length(values.length);
    for (const value of values) write(value);
  }
}

/** Writes `columns` columns in which each item has an empty array. */
function empty(group: readonly RowItem[], columns: number): void {
  for (let column = 0; column < columns; column++) {
    writer.length(group.length);
    writer.zeros(group.length);
  }
}

const linksOf = (item: RowItem): readonly RowLink[] => item.links;

function writeLinks(group: readonly RowItem[]): void {
  if (group.every((item) => item.links.length === 0)) {
    empty(group, 5);
    return;
  }
  nested(group, linksOf, (link) => writer.byte(LINK_KINDS[link.kind]));
  nested(group, linksOf, (link) => writer.text(link.relation));
  nested(group, linksOf, (link) => writer.text(link.runId));
  nested(group, linksOf, (link) => writer.text(link.eventId));
  // The event that the link resolved to, else the internal id that the caller named. The nil UUID stands for none.
  nested(group, linksOf, (link) => {
    if (!writer.uuid(link.target ?? link.internalId)) writer.uuidBytes(NIL);
  });
}

type ViolationsOf = (item: RowItem) => readonly Violation[];
const violationsOf: ViolationsOf = ({ verdict }) => verdict.violations;

function writeViolations(group: readonly RowItem[], of: ViolationsOf): void {
  if (group.every((item) => of(item).length === 0)) {
    empty(group, 4);
    return;
  }
  nested(group, of, (violation) => writer.uuidBytes(policyId(violation.id)));
  nested(group, of, (violation) => writer.text(violation.name));
  nested(group, of, (violation) => writer.byte(SEVERITIES[violation.severity]));
  nested(group, of, (violation) => {
    writer.length(violation.sources.length);
    for (const source of violation.sources) writer.byte(SOURCES[source]);
  });
}

const NO_SHADOW: ShadowVerdict = { evaluated: [], violations: [], notEvaluated: 0 };

/** Of evidence there are the names of detectors alone: offsets serve nothing that asks for shadows. */
function writeShadow(group: readonly RowItem[]): void {
  const shadowOf = ({ verdict }: RowItem): ShadowVerdict => verdict.shadow ?? NO_SHADOW;
  const of: ViolationsOf = (item) => shadowOf(item).violations;
  nested(
    group,
    (item) => shadowOf(item).evaluated,
    (id) => writer.uuidBytes(policyId(id)),
  );
  writer.length(group.length);
  for (const item of group) writer.u16(Math.min(shadowOf(item).notEvaluated, 0xffff));
  writeViolations(group, of);
  nested(group, of, ({ evidence }) => {
    writer.texts([...new Set(evidence.map(({ detector }) => detector))], (detector) => detector);
  });
}

interface PolicyEvidence extends Evidence {
  policy: string;
}

function writeEvidence(group: readonly RowItem[]): void {
  if (group.every((item) => item.verdict.violations.length === 0)) {
    empty(group, 6);
    return;
  }
  const all = new Map<RowItem, PolicyEvidence[]>();
  for (const item of group) {
    const found = item.verdict.violations.flatMap((v) => v.evidence.map((e) => ({ ...e, policy: v.id })));
    all.set(item, found);
  }
  const of = (item: RowItem) => all.get(item)!;
  nested(group, of, (evidence) => writer.uuidBytes(policyId(evidence.policy)));
  nested(group, of, (evidence) => writer.text(evidence.detector));
  nested(group, of, (evidence) => writer.text(evidence.view));
  nested(group, of, (evidence) => writer.byte(SOURCES[evidence.source]));
  nested(group, of, (evidence) => writer.u32(evidence.start));
  nested(group, of, (evidence) => writer.u32(evidence.end));
}

const NO_IMAGE: RowImage = {
  kind: '',
  width: 0,
  height: 0,
  bytes: 0,
  hash: '',
  quality: 0,
  fetchMs: 0,
  decodeMs: 0,
  internalSessionId: '',
};

function writeImages(group: readonly RowItem[]): void {
  const images = group.map((item) => item.image ?? NO_IMAGE);
  const each = (write: (image: RowImage) => void): void => {
    writer.length(images.length);
    for (const image of images) write(image);
  };
  each((image) => writer.text(image.kind));
  each((image) => writer.u32(image.width));
  each((image) => writer.u32(image.height));
  each((image) => writer.u32(image.bytes));
  each((image) => writer.text(image.hash));
  each((image) => writer.byte(image.quality));
  each((image) => writer.u32(image.fetchMs));
  each((image) => writer.u32(image.decodeMs));
  each((image) => {
    if (!writer.uuid(image.internalSessionId)) writer.uuidBytes(NIL);
  });
}

function policyId(id: string): Uint8Array {
  const known = policyIds.get(id);
  if (known !== undefined) return known;
  const bytes = uuidBytes(id);
  if (bytes === undefined) throw new Error(`policy id ${id} is no UUID`);
  if (policyIds.size >= KNOWN_IDS) policyIds.clear();
  policyIds.set(id, bytes);
  return bytes;
}
