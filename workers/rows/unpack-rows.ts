/** Checks packed rows (`pack-rows.ts`) and makes them whole. */
import { crc32 } from 'node:zlib';
import { COLUMNS_OF } from './columns.js';
import { wholeLength, writeWhole } from './repeats.js';

export const HEADER_BYTES = 8;
export const MAX_ITEMS = 63;
/** Added to the number of items where repeats are left out. */
export const WITH_REPEATS = 0x8000_0000;

/** A packed entry is not as it was written, or has a format that this release does not know. */
export class DamagedRows extends Error {}

/** Rows of an entry that was found right. */
export interface PackedRows {
  /** number of items, and so of rows in `items` */
  rows: number;
  /** of the rows of `checked` */
  length: number;
  /** Writes them to `target` from `at` on; returns the position behind. */
  write(target: Buffer, at: number): number;
  /** The same alone: a view of the entry where nothing was left out. */
  bytes(): Buffer;
}

/** Whether the rows of an entry have a format of a newer release: those of this one have the first numbers. */
export const isNewerFormat = (format: string): boolean =>
  /^[1-9]\d?$/.test(format) && !Object.hasOwn(COLUMNS_OF, format);

/** Checks a packed entry. Throws {@link DamagedRows} when it is not exactly as it was written. */
export function checkRows(format: string, packed: Buffer): PackedRows {
  if (!Object.hasOwn(COLUMNS_OF, format))
    throw new DamagedRows(`rows of format ${JSON.stringify(format.slice(0, 20))} are unknown`);
  if (packed.length < HEADER_BYTES) throw new DamagedRows(`packed rows of ${packed.length} bytes are cut off`);
  if (crc32(packed.subarray(4)) !== packed.readUInt32LE(0)) throw new DamagedRows('packed rows have a wrong checksum');
  const rows = packed.readUInt32LE(4) % WITH_REPEATS;
  const repeated = rows !== packed.readUInt32LE(4);
  const bytes = packed.subarray(HEADER_BYTES);
  const length = repeated ? wholeLength(bytes) : bytes.length;
  if (length === undefined || rows > MAX_ITEMS || (rows === 0) !== (length === 0)) {
    throw new DamagedRows(`packed rows say ${rows} items in ${bytes.length} bytes`);
  }
  return {
    rows,
    length,
    write: (target, at) => (repeated ? writeWhole(bytes, target, at) : at + bytes.copy(target, at)),
    bytes() {
      if (!repeated) return bytes;
      const whole = Buffer.allocUnsafeSlow(length);
      writeWhole(bytes, whole, 0);
      return whole;
    },
  };
}

export interface UnpackedRows {
  rows: number;
  /** rows of `checked` in RowBinary */
  bytes: Buffer;
}

/** The rows of a packed entry. Throws {@link DamagedRows} as {@link checkRows} does. */
export function unpackRows(format: string, packed: Buffer): UnpackedRows {
  const packedRows = checkRows(format, packed);
  return { rows: packedRows.rows, bytes: packedRows.bytes() };
}
