/**
 * Leaves out of packed rows what stands in them before. Rows of one request repeat its columns, and most of the JSON of a policies map: each
 * flagged event has a map of its own, which differs from another one in a flag. Redis writes what it is given into memory and into its file.
 *
 *     rows without what is repeated · repeats, each three u32: bytes of these rows since the repeat before, where in the whole rows it
 *     stands first, its length · length of the whole rows (u32) · number of repeats (u32)
 */

const REPEAT_BYTES = 12;
const END_BYTES = 8;
/** A shorter piece is written again. */
export const LEAST_REPEATED = 40;
/** More than rows ever are. */
const MOST_BYTES = 2 ** 30;

/** What is written of rows with repeats. */
interface RepeatOutput {
  position(): number;
  u32(value: number): void;
}

export interface Repeats {
  /** Begins rows at the position of the writer. */
  start(): void;
  /** The position in the whole rows. */
  position(): number;
  /** The next `length` bytes are those that stand at `from` in the whole rows. */
  add(from: number, length: number): void;
  /** Writes what is behind the rows. False: there are no repeats, and nothing is written. */
  end(): boolean;
}

export function createRepeats(writer: RepeatOutput): Repeats {
  const found: number[] = [];
  let first = 0;
  let last = 0;
  let leftOut = 0;
  const position = (): number => writer.position() - first + leftOut;
  return {
    start() {
      found.length = 0;
      first = writer.position();
      last = first;
      leftOut = 0;
    },
    position,
    add(from, length) {
      found.push(writer.position() - last, from, length);
      last = writer.position();
      leftOut += length;
    },
    end() {
      if (found.length === 0) return false;
      const length = position();
      for (let i = 0; i < found.length; i++) writer.u32(found[i]!);
      writer.u32(length);
      writer.u32(found.length / 3);
      return true;
    },
  };
}

/** Length of the whole rows; undefined where `bytes` are not as they were written. */
export function wholeLength(bytes: Buffer): number | undefined {
  if (bytes.length < END_BYTES) return undefined;
  const count = bytes.readUInt32LE(bytes.length - 4);
  const end = bytes.length - END_BYTES - count * REPEAT_BYTES;
  if (end < 0) return undefined;
  let given = 0;
  let length = 0;
  for (let at = end; at < bytes.length - END_BYTES; at += REPEAT_BYTES) {
    const before = bytes.readUInt32LE(at);
    const repeated = bytes.readUInt32LE(at + 8);
    given += before;
    length += before;
    if (bytes.readUInt32LE(at + 4) + repeated > length) return undefined;
    length += repeated;
  }
  length += end - given;
  if (given > end || length > MOST_BYTES || length !== bytes.readUInt32LE(bytes.length - END_BYTES)) return undefined;
  return length;
}

/** Writes the whole rows to `target` from `start` on. `bytes`: as {@link wholeLength} has found them right. Returns the position behind. */
export function writeWhole(bytes: Buffer, target: Buffer, start: number): number {
  const table = bytes.length - END_BYTES - bytes.readUInt32LE(bytes.length - 4) * REPEAT_BYTES;
  const behind = start + bytes.readUInt32LE(bytes.length - END_BYTES);
  // First to where they end. Moved from there to their places, they never overtake what is not moved yet.
  let read = behind - table;
  bytes.copy(target, read, 0, table);
  let at = start;
  for (let repeat = table; repeat < bytes.length - END_BYTES; repeat += REPEAT_BYTES) {
    const before = bytes.readUInt32LE(repeat);
    const from = start + bytes.readUInt32LE(repeat + 4);
    const length = bytes.readUInt32LE(repeat + 8);
    target.copyWithin(at, read, read + before);
    read += before;
    at += before;
    target.copyWithin(at, from, from + length);
    at += length;
  }
  return behind;
}
