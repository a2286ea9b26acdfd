/**
 * The packed rows of one request. A commit appends them to the log, and the archiver sends the rows to ClickHouse.
 *
 *     CRC-32 of all that follows (u32) · number of items (u32) · rows of `checked` in RowBinary, columns by format
 *
 * Where what stands in the rows before is left out of them (`repeats.ts`), {@link WITH_REPEATS} is added to the number of items.
 *
 * The checksum keeps damage to one entry. Rows go to ClickHouse one behind the other: with a wrong length in one, the rows behind it could
 * be read as something else, and as those of another team. Redis has no checksum in the file that it appends to.
 *
 * Items that share a policies map make one row of `checked`. It has the columns of the request and the map once, and those of
 * the items as arrays. The views take the arrays apart (`ARRAY JOIN`). That costs the engine less than reading the same columns
 * again per item, and needs a third of the bytes.
 */
import { crc32 } from 'node:zlib';
import { MOST_COMPARED, mostAlike, type PolicyMap, policyMap } from '../../shared/api/results/policy-maps.js';
import type { Severity } from '../../shared/api/types.js';
import { partsOf } from '../../shared/ids.js';
import type { Evidence, ShadowVerdict, Source, Violation } from '../../shared/policy/types.js';
import { type RowFormat, STORED } from './columns.js';
import { createRepeats, LEAST_REPEATED } from './repeats.js';
import { createRowWriter, uuidBytes } from './row-binary.js';
import type { RowImage, RowItem, RowLink, RowRequest } from './row-types.js';
import { HEADER_BYTES, MAX_ITEMS, WITH_REPEATS } from './unpack-rows.js';

/** Value of the log field `format` for the rows of `items` (`columns.ts`). */
export function rowFormatOf(items: readonly RowItem[]): RowFormat {
  const images = items.some((item) => item.image !== undefined);
  if (items.some(({ verdict }) => verdict.shadow !== undefined)) return images ? '4' : '3';
  return images ? '2' : '1';
}

const KNOWN_IDS = 4096;
const NIL = new Uint8Array(16);

const KINDS = { events: 1, event: 2, session: 3, artifact: 4 } as const;
const STATUSES = { completed: 1, failed: 2 } as const;
const LINK_KINDS = { parent: 1, link: 2 } as const;
const SEVERITIES: Record<Severity, number> = { low: 1, medium: 2, high: 3 };
const SOURCES: Record<Source, number> = { text: 1, image: 2 };

const writer = createRowWriter();
const repeats = createRepeats(writer);
const policyIds = new Map<string, Uint8Array>();

/**
 * Packs the items of one request, in the `format` of their rows, into bytes that the next call overwrites. Lone surrogates become U+FFFD;
 * all else is kept. Throws when an id of ours or of a policy is not a UUID, which is a bug and not a fault of the input.
 */
export function writeRows(request: RowRequest, items: readonly RowItem[], format: RowFormat): Buffer {
  const time = partsOf(request.id)?.time;
  const id = uuidBytes(request.id);
  if (time === undefined || id === undefined) throw new Error(`request id ${request.id} is not one of ours`);
  if (items.length > MAX_ITEMS) throw new Error(`${items.length} items, but a request has at most ${MAX_ITEMS}`);
  writer.reset(HEADER_BYTES);
  repeats.start();
  let shared = 0;
  const maps: WrittenMap[] = [];
  for (const [policies, group] of groupByPolicies(items)) {
    if (shared > 0) repeats.add(0, shared);
    else {
      writeRequest(request, id, time);
      shared = repeats.position();
    }
    writePolicies(policies, maps);
    writeIds(id, group);
    writeColumns(group);
    if (group.some(hasLists)) writeLists(group);
    else writer.emptyLists(LISTS, group.length);
    writer.texts(group, textOf, CONTENT);
    writer.texts(group, textOf, METADATA);
    writer.texts(group, textOf, EXPLAINED);
    writeTags(group);
    if (format === '2' || format === '4') writeImages(group);
    if (format === '3' || format === '4') writeShadow(group);
  }
  const marked = repeats.end() ? items.length + WITH_REPEATS : items.length;
  const packed = writer.written();
  packed.writeUInt32LE(marked, 4);
  packed.writeUInt32LE(crc32(packed.subarray(4)), 0);
  return packed;
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

/** A policies map, and where it stands in the rows. */
interface WrittenMap {
  map: PolicyMap;
  at: number;
}

/** Writes a policies map but for what it has in common with the most similar of `before`. */
function writePolicies(policies: string, before: WrittenMap[]): void {
  const map = policyMap(policies);
  if (map === undefined) {
    writer.text(policies);
    return;
  }
  const { bytes } = map;
  writer.length(bytes.length);
  const at = repeats.position();
  const like = mostAlike(map, before);
  const start = like && like.start >= LEAST_REPEATED ? like.start : 0;
  const end = like && like.end >= LEAST_REPEATED ? like.end : 0;
  if (like && start > 0) repeats.add(like.other.at, start);
  writer.bytes(bytes.subarray(start, bytes.length - end));
  if (like && end > 0) repeats.add(like.other.at + like.other.map.bytes.length - end, end);
  if (before.length < MOST_COMPARED) before.push({ map, at });
}

function writeRequest(request: RowRequest, id: Uint8Array, time: number): void {
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
}

const idOfItem = new Uint8Array(16);

// The id of an item is that of its request but for the last 6 bits, which RowBinary puts at byte 8.
function writeIds(requestId: Uint8Array, group: readonly RowItem[]): void {
  const id = idOfItem;
  id.set(requestId);
  const high = id[8]! & 0xc0;
  writer.length(group.length);
  for (const item of group) {
    id[8] = high | item.item;
    writer.uuidBytes(id);
  }
}

const NOTE = 10;
const CONTENT = 11;
const METADATA = 12;
const EXPLAINED = 13;
/** Texts that are only stored have numbers from here on. */
const STORED_FROM = 14;

/** A text of an item. */
function textOf(item: RowItem, text: number): string {
  switch (text) {
    case 0:
      return item.type;
    case 1:
      return item.field;
    case 2:
      return item.role;
    case 3:
      return item.name;
    case 4:
      return item.eventId;
    case 5:
      return item.runId;
    case 6:
      return item.externalSessionId;
    case 7:
      return item.externalArtifactId;
    case 8:
      return item.userId;
    case 9:
      return item.userEmail;
    case NOTE:
      return item.note;
    case CONTENT:
      return item.content;
    case METADATA:
      return item.metadata;
    case EXPLAINED:
      return item.explained;
    default:
      return item.stored[text - STORED_FROM]!;
  }
}

/** The texts that follow each other in a row. */
const FIRST_TEXTS: readonly number[] = [0, 1, 2, 3, ...STORED.map((_, i) => STORED_FROM + i), 4, 5, 6, 7, 8, 9];

function writeTags(group: readonly RowItem[]): void {
  if (!group.some(hasTags)) {
    writer.emptyLists(1, group.length);
    return;
  }
  writer.length(group.length);
  for (const { tags } of group) {
    writer.length(tags.length);
    for (const [path, value] of tags) {
      writer.text(path);
      writer.text(value);
    }
  }
}

const hasTags = ({ tags }: RowItem): boolean => tags.length > 0;

function writeColumns(group: readonly RowItem[]): void {
  for (let i = 0; i < FIRST_TEXTS.length; i++) writer.texts(group, textOf, FIRST_TEXTS[i]!);
  writer.length(group.length);
  for (const item of group) writer.byte(STATUSES[item.status]);
  writer.length(group.length);
  for (const item of group) {
    writer.byte(item.flagged === null ? 1 : 0);
    if (item.flagged !== null) writer.byte(item.flagged ? 1 : 0);
  }
  writer.length(group.length);
  for (const item of group) writer.u16(Math.min(item.verdict.notEvaluated, 0xffff));
  writer.texts(group, textOf, NOTE);
}

/** What several columns have an array of for each item: the elements of all items, and how many each has. */
interface Nested<T> {
  counts: number[];
  all: T[];
}

function nestedOf<T>(group: readonly RowItem[], of: (item: RowItem) => readonly T[]): Nested<T> {
  const nested: Nested<T> = { counts: [], all: [] };
  for (const item of group) {
    const values = of(item);
    nested.counts.push(values.length);
    for (const value of values) nested.all.push(value);
  }
  return nested;
}

/** A column with one array per item. */
function writeNested<T>({ counts, all }: Nested<T>, write: (value: T) => void): void {
  writer.length(counts.length);
  let next = 0;
  for (const count of counts) {
    writer.length(count);
    for (let left = count; left > 0; left--) write(all[next++]!);
  }
}

// Made once: a closure that is made for a call is compiled in it.

const linksOf = (item: RowItem): readonly RowLink[] => item.links;
const LINK_WRITERS: readonly ((link: RowLink) => void)[] = [
  (link) => writer.byte(LINK_KINDS[link.kind]),
  (link) => writer.text(link.relation),
  (link) => writer.text(link.runId),
  (link) => writer.text(link.eventId),
  // The event that the link resolved to, else the internal id that the caller named. The nil UUID stands for none.
  (link) => {
    if (!writer.uuid(link.target ?? link.internalId)) writer.uuidBytes(NIL);
  },
];

const violationsOf = ({ verdict }: RowItem): readonly Violation[] => verdict.violations;
const VIOLATION_WRITERS: readonly ((violation: Violation) => void)[] = [
  (violation) => writer.uuidBytes(policyId(violation.id)),
  (violation) => writer.text(violation.name),
  (violation) => writer.byte(SEVERITIES[violation.severity]),
  (violation) => {
    writer.length(violation.sources.length);
    for (const source of violation.sources) writer.byte(SOURCES[source]);
  },
];

function writeViolations(group: readonly RowItem[], violations: Nested<Violation>): void {
  if (violations.all.length === 0) writer.emptyLists(VIOLATION_WRITERS.length, group.length);
  else for (const write of VIOLATION_WRITERS) writeNested(violations, write);
}

const NO_SHADOW: ShadowVerdict = { evaluated: [], violations: [], notEvaluated: 0 };
const shadowOf = ({ verdict }: RowItem): ShadowVerdict => verdict.shadow ?? NO_SHADOW;

/** Of evidence there are the names of detectors alone: offsets serve nothing that asks for shadows. */
function writeShadow(group: readonly RowItem[]): void {
  const evaluated = nestedOf(group, (item) => shadowOf(item).evaluated);
  writeNested(evaluated, (id) => writer.uuidBytes(policyId(id)));
  writer.length(group.length);
  for (const item of group) writer.u16(Math.min(shadowOf(item).notEvaluated, 0xffff));
  const violations = nestedOf(group, (item) => shadowOf(item).violations);
  writeViolations(group, violations);
  writeNested(violations, ({ evidence }) => {
    const detectors = [...new Set(evidence.map(({ detector }) => detector))];
    writer.length(detectors.length);
    for (const detector of detectors) writer.text(detector);
  });
}

const EVIDENCE_WRITERS: readonly ((evidence: Evidence) => void)[] = [
  (evidence) => writer.text(evidence.detector),
  (evidence) => writer.text(evidence.view),
  (evidence) => writer.byte(SOURCES[evidence.source]),
  (evidence) => writer.u32(evidence.start),
  (evidence) => writer.u32(evidence.end),
];
const writePolicy = (id: string): void => writer.uuidBytes(policyId(id));

function writeEvidence(group: readonly RowItem[]): void {
  const evidence: Nested<Evidence> = { counts: [], all: [] };
  const policies: Nested<string> = { counts: evidence.counts, all: [] };
  for (const { verdict } of group) {
    const before = evidence.all.length;
    for (const violation of verdict.violations) {
      for (const one of violation.evidence) {
        evidence.all.push(one);
        policies.all.push(violation.id);
      }
    }
    evidence.counts.push(evidence.all.length - before);
  }
  if (evidence.all.length === 0) {
    writer.emptyLists(1 + EVIDENCE_WRITERS.length, group.length);
    return;
  }
  writeNested(policies, writePolicy);
  for (const write of EVIDENCE_WRITERS) writeNested(evidence, write);
}

/** Columns of {@link writeLists}. */
const LISTS = LINK_WRITERS.length + VIOLATION_WRITERS.length + 1 + EVIDENCE_WRITERS.length;

/** Most items have neither links nor violations; evidence comes with these. */
const hasLists = ({ links, verdict }: RowItem): boolean => links.length > 0 || verdict.violations.length > 0;

function writeLists(group: readonly RowItem[]): void {
  const links = nestedOf(group, linksOf);
  if (links.all.length === 0) writer.emptyLists(LINK_WRITERS.length, group.length);
  else for (const write of LINK_WRITERS) writeNested(links, write);
  writeViolations(group, nestedOf(group, violationsOf));
  writeEvidence(group);
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
