/**
 * Takes items out of packed rows: what was erased must not come back with an entry that is archived later or again.
 *
 * Columns of items are arrays of equal length. What stays is copied as it is, and nothing is left out as a repeat any more.
 */
import { crc32 } from 'node:zlib';
import type { CheckKind } from '../../shared/api/types.js';
import type { MarkedItem } from '../../shared/erasure-marks.js';
import { partsOf } from '../../shared/ids.js';
import { COLUMNS_OF, type RowFormat } from './columns.js';
import { type Cell, type ReadRow, type RowPlace, readerOf, readLength } from './read-rows.js';
import { checkRows, HEADER_BYTES, type PackedRows } from './unpack-rows.js';

const NAMED = ['id', 'type', 'user_id', 'user_email', 'external_session_id', 'external_artifact_id', 'run_id'] as const;
const SHARED = ['team', 'scope', 'kind', 'sequence'] as const;
/** Of items of requests with images. */
const SESSION_ID = 'image_session_id';
const NEEDED: ReadonlySet<string> = new Set<string>([...NAMED, ...SHARED, SESSION_ID]);
/** As a column of UUIDs has no id. */
const NO_ID = '00000000-0000-0000-0000-000000000000';

/** An item in rows, by what tells whether it is erased, and where Redis has something of it. */
export interface RowIdentity extends MarkedItem {
  team: string;
  /** id of its request */
  request: string;
  kind: CheckKind;
  type: string;
  externalArtifactId: string;
  /** of an image: our id of the session check that it was sent for; else '' */
  sessionId: string;
  /** it belongs to a session check: all of its items do */
  ofSession: boolean;
  sequence: number;
  id: string;
}

/** By the number in `Enum8` of the column `kind`. */
const KINDS: readonly CheckKind[] = ['events', 'events', 'event', 'session', 'artifact'];

/**
 * The packed entry without the items that `gone` names, and the number of these; undefined where nothing is taken out. `gone` is told of
 * all items of a request. Throws `DamagedRows` as `checkRows` does.
 */
export function leaveOut(
  format: string,
  packed: Buffer,
  gone: (items: readonly RowIdentity[]) => ReadonlySet<string>,
): { packed: Buffer; taken: number } | undefined {
  const whole: PackedRows = checkRows(format, packed);
  if (whole.rows === 0) return undefined;
  const bytes = whole.bytes();
  const rows = rowsIn(format as RowFormat, bytes);
  const erased = gone(rows.flatMap(({ items }) => items));
  if (erased.size === 0) return undefined;
  const parts = rows.map((row) => without(bytes, row, erased));
  const rest = Buffer.concat([Buffer.alloc(HEADER_BYTES), ...parts]);
  rest.writeUInt32LE(whole.rows - erased.size, 4);
  rest.writeUInt32LE(crc32(rest.subarray(4)), 0);
  return { packed: rest, taken: erased.size };
}

/** A row of `checked`: where it stands, its items, and of each column of items where each element begins. */
interface PlacedRow {
  from: number;
  to: number;
  items: RowIdentity[];
  /** by column: where its length stands, and where each element begins, with the end of the last */
  columns: { at: number; elements: number[] }[];
}

function rowsIn(format: RowFormat, bytes: Buffer): PlacedRow[] {
  const place: RowPlace = { bytes, at: 0 };
  const rows: PlacedRow[] = [];
  while (place.at < bytes.length) {
    const from = place.at;
    const values: ReadRow = {};
    const columns: PlacedRow['columns'] = [];
    for (const { name, type } of COLUMNS_OF[format]) {
      const keep = NEEDED.has(name);
      const element = /^Array\((.*)\)$/.exec(type)?.[1];
      if (element === undefined) values[name] = readerOf(type)(place, keep);
      else {
        const { value, ...column } = readElements(place, readerOf(element), keep);
        columns.push(column);
        values[name] = value;
      }
    }
    rows.push({ from, to: place.at, items: itemsIn(values), columns });
  }
  return rows;
}

function readElements(place: RowPlace, read: (place: RowPlace, keep: boolean) => Cell, keep: boolean) {
  const { at } = place;
  const length = readLength(place);
  const value: Cell[] = [];
  const elements: number[] = [];
  for (let i = 0; i < length; i++) {
    elements.push(place.at);
    const cell = read(place, keep);
    if (keep) value.push(cell);
  }
  elements.push(place.at);
  return { at, elements, value };
}

function itemsIn(row: ReadRow): RowIdentity[] {
  const texts = (name: (typeof NAMED)[number]): string[] => row[name] as string[];
  const kind = KINDS[row.kind as number]!;
  const sessions = (row[SESSION_ID] ?? []) as string[];
  return texts('id').map((id, i) => ({
    team: row.team as string,
    scope: row.scope as string,
    kind,
    isEvent: kind === 'events' || kind === 'event',
    ofSession: kind === 'session',
    request: partsOf(id)?.requestId ?? '',
    type: texts('type')[i]!,
    externalArtifactId: texts('external_artifact_id')[i]!,
    sessionId: sessions[i] === undefined || sessions[i] === NO_ID ? '' : sessions[i],
    sequence: row.sequence as number,
    id,
    userId: texts('user_id')[i]!,
    userEmail: texts('user_email')[i]!,
    externalSessionId: texts('external_session_id')[i]!,
    runId: texts('run_id')[i]!,
  }));
}

function without(bytes: Buffer, { from, to, items, columns }: PlacedRow, erased: ReadonlySet<string>): Buffer {
  const kept = items.flatMap(({ id }, i) => (erased.has(id) ? [] : [i]));
  if (kept.length === items.length) return bytes.subarray(from, to);
  if (kept.length === 0) return Buffer.alloc(0);
  const parts: Buffer[] = [bytes.subarray(from, columns[0]!.at)];
  // No request has 128 items, so each length is a byte.
  const length = Buffer.of(kept.length);
  for (const { elements } of columns)
    parts.push(length, ...kept.map((i) => bytes.subarray(elements[i]!, elements[i + 1]!)));
  return Buffer.concat(parts);
}
