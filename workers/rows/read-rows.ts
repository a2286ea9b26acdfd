/**
 * Reads the packed rows of a request again. Columns that are not asked for are passed over. The rows have a checksum, so what does not
 * read as rows is a bug and throws.
 */
import { COLUMNS_OF, type RowFormat } from './columns.js';
import { type UnpackedRows, unpackRows } from './unpack-rows.js';

/** A value of RowBinary: strings, numbers (64 bits become a number), UUIDs as text, null, and lists of these. */
export type Cell = string | number | null | Cell[];

/** One row of `checked`: the columns that were asked for, by name. */
export type ReadRow = Record<string, Cell>;

/** Bytes of rows, and the position in them. */
export interface RowPlace {
  bytes: Buffer;
  at: number;
}

/** `keep` false passes over the value. */
export type CellReader = (place: RowPlace, keep: boolean) => Cell;

/** The rows of an entry of the log. Throws `DamagedRows` as {@link unpackRows} does. */
export function readRows(format: string, packed: Buffer, columns: ReadonlySet<string>): ReadRow[] {
  const { bytes }: UnpackedRows = unpackRows(format, packed);
  const place = { bytes, at: 0 };
  const rows: ReadRow[] = [];
  while (place.at < bytes.length) {
    const row: ReadRow = {};
    for (const { name, type } of COLUMNS_OF[format as RowFormat]) {
      const keep = columns.has(name);
      const value = readerOf(type)(place, keep);
      if (keep) row[name] = value;
    }
    rows.push(row);
  }
  return rows;
}

/** Number of the configuration that an entry was judged by; undefined where it has no rows, or they are damaged. */
export function configOf(packed: Buffer): number | undefined {
  const place = { bytes: packed, at: ENTRY_HEADER };
  // Team and scope.
  readText(place, false);
  readText(place, false);
  place.at += BEFORE_CONFIG;
  return place.at + 4 <= packed.length ? packed.readUInt32LE(place.at) : undefined;
}

/** The team of an entry; undefined where it has no rows, or they are damaged. */
export function teamOf(packed: Buffer): string | undefined {
  return packed.length <= ENTRY_HEADER ? undefined : (readText({ bytes: packed, at: ENTRY_HEADER }, true) as string);
}

/** Checksum and number of items. */
const ENTRY_HEADER = 8;
/** Kind, time, id of the request, version and sequence. */
const BEFORE_CONFIG = 1 + 8 + 16 + 2 + 8;

const readers = new Map<string, CellReader>();

/** Reads values of a type of ClickHouse. */
export function readerOf(type: string): CellReader {
  const known = readers.get(type);
  if (known) return known;
  const reader = makeReader(type);
  readers.set(type, reader);
  return reader;
}

function makeReader(type: string): CellReader {
  const inner = /^(\w+)\((.*)\)$/.exec(type);
  switch (inner?.[1] ?? type) {
    case 'LowCardinality':
      return readerOf(inner![2]!);
    case 'Array':
      return listReader(readerOf(inner![2]!));
    case 'Map':
      return mapReader(inner![2]!.split(', ').map(readerOf));
    case 'Nullable':
      return nullableReader(readerOf(inner![2]!));
    case 'String':
      return readText;
    case 'UUID':
      return readUuid;
    case 'Enum8':
    case 'Bool':
    case 'UInt8':
      return fixed(1, (bytes, at) => bytes[at]!);
    case 'UInt16':
      return fixed(2, (bytes, at) => bytes.readUInt16LE(at));
    case 'UInt32':
      return fixed(4, (bytes, at) => bytes.readUInt32LE(at));
    case 'UInt64':
    case 'DateTime64':
      return fixed(8, (bytes, at) => Number(bytes.readBigUInt64LE(at)));
    default:
      throw new Error(`columns of type ${type} cannot be read`);
  }
}

function fixed(size: number, read: (bytes: Buffer, at: number) => number): CellReader {
  return (place, keep) => {
    const { at } = place;
    place.at += size;
    return keep ? read(place.bytes, at) : null;
  };
}

/** A length, as RowBinary writes it: seven bits a byte. */
export function readLength(place: RowPlace): number {
  let value = 0;
  for (let shift = 0; ; shift += 7) {
    const byte = place.bytes[place.at++] ?? 0;
    value += (byte & 0x7f) * 2 ** shift;
    if (byte < 0x80) return value;
  }
}

const readText: CellReader = (place, keep) => {
  const length = readLength(place);
  const { at } = place;
  place.at += length;
  return keep ? place.bytes.toString('utf8', at, place.at) : null;
};

const readUuid: CellReader = (place, keep) => {
  const { at } = place;
  place.at += 16;
  if (!keep) return null;
  const half = (from: number): string =>
    Buffer.from(place.bytes.subarray(from, from + 8))
      .reverse()
      .toString('hex');
  const hex = half(at) + half(at + 8);
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
};

function listReader(element: CellReader): CellReader {
  return (place, keep) => {
    const length = readLength(place);
    const list: Cell[] = [];
    for (let i = 0; i < length; i++) {
      const value = element(place, keep);
      if (keep) list.push(value);
    }
    return keep ? list : null;
  };
}

/** A list of pairs. Types of keys and values have no parameters. */
function mapReader(pair: readonly CellReader[]): CellReader {
  return listReader((place, keep) => {
    const cells = pair.map((read) => read(place, keep));
    return keep ? cells : null;
  });
}

function nullableReader(value: CellReader): CellReader {
  return (place, keep) => (place.bytes[place.at++] === 1 ? null : value(place, keep));
}
