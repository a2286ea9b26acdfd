/**
 * Writes values in ClickHouse's RowBinary: little-endian numbers, LEB128 lengths, UTF-8 strings, and UUIDs as two 64-bit halves,
 * each with its bytes reversed. It runs in the evaluating thread for every item. So it writes into one buffer, which grows and is
 * used again.
 */

const START_BYTES = 1 << 20;
/** A larger buffer is dropped after the request that needed it. */
const KEEP_BYTES = 8 << 20;
/** Up to this length a loop over the characters is faster than a call of the native encoder. */
const SHORT = 40;
/** From this length on, copying what recurs is faster than such a loop. */
const COPIED = 12;

const HEX = new Int8Array(128).fill(-1);
for (let n = 0; n < 16; n++) {
  HEX['0123456789abcdef'.charCodeAt(n)] = n;
  HEX['0123456789ABCDEF'.charCodeAt(n)] = n;
}
/** Positions in the text of a UUID of its 16 bytes, in RowBinary's order. */
const UUID_POSITIONS = [16, 14, 11, 9, 6, 4, 2, 0, 34, 32, 30, 28, 26, 24, 21, 19];

export interface RowWriter {
  /** Starts over and leaves `reserved` bytes free at the front. */
  reset(reserved: number): void;
  byte(value: number): void;
  u16(value: number): void;
  u32(value: number): void;
  /** a whole number up to 2^53, as 64 bits */
  u64(value: number): void;
  f64(value: number): void;
  /** the length of a string or an array */
  length(value: number): void;
  /** the position after what was written */
  position(): number;
  bytes(value: Uint8Array): void;
  text(value: string): void;
  /** an array of the texts in a column of items. `textOf` is one function for all columns: calls of many are not compiled into the loop. */
  texts<T>(items: readonly T[], textOf: (item: T, column: number) => string, column: number): void;
  /** so many arrays of empty arrays, `count` in each */
  emptyLists(arrays: number, count: number): void;
  /** returns false and writes nothing when `value` is not a UUID */
  uuid(value: string): boolean;
  /** 16 bytes from {@link uuidBytes} */
  uuidBytes(bytes: Uint8Array): void;
  /** what was written, with the reserved bytes; overwritten after the next reset */
  written(): Buffer;
  /** a copy of it */
  take(): Buffer;
}

/** `value` in RowBinary; undefined when it is not a UUID. */
export function uuidBytes(value: string): Uint8Array | undefined {
  const bytes = new Uint8Array(16);
  return parseUuid(value, bytes, 0) ? bytes : undefined;
}

function parseUuid(value: string, target: Uint8Array, at: number): boolean {
  if (value.length !== 36) return false;
  let wrong = 0;
  for (let i = 0; i < 16; i++) {
    const position = UUID_POSITIONS[i]!;
    const a = value.charCodeAt(position);
    const b = value.charCodeAt(position + 1);
    const high = a < 128 ? HEX[a]! : -1;
    const low = b < 128 ? HEX[b]! : -1;
    wrong |= high | low;
    target[at + i] = (high << 4) | low;
  }
  return wrong >= 0;
}

function lengthBytes(value: number): number {
  if (value < 0x80) return 1;
  if (value < 0x4000) return 2;
  if (value < 0x200000) return 3;
  return value < 0x10000000 ? 4 : 5;
}

// These write at `at` where there is room, and return the position after what they wrote.

function writeLength(buffer: Buffer, at: number, value: number): number {
  let rest = value;
  let end = at;
  while (rest >= 0x80) {
    buffer[end++] = (rest & 0x7f) | 0x80;
    rest >>>= 7;
  }
  buffer[end] = rest;
  return end + 1;
}

/** Returns -1 when the text is not ASCII. */
function writeShort(buffer: Buffer, at: number, value: string): number {
  const count = value.length;
  const first = at + 1;
  for (let i = 0; i < count; i++) {
    const code = value.charCodeAt(i);
    if (code >= 0x80) return -1;
    buffer[first + i] = code;
  }
  buffer[at] = count;
  return first + count;
}

// The length precedes the bytes but is known only after they are written. Nearly all text is ASCII, with one byte per character:
// room is left for that length, and the bytes are moved when it was too little.
function writeLong(buffer: Buffer, at: number, value: string): number {
  const guess = lengthBytes(value.length);
  const bytes = buffer.write(value, at + guess);
  const needed = lengthBytes(bytes);
  if (needed !== guess) buffer.copyWithin(at + needed, at + guess, at + guess + bytes);
  return writeLength(buffer, at, bytes) + bytes;
}

export function createRowWriter(): RowWriter {
  let buffer = Buffer.allocUnsafeSlow(START_BYTES);
  let at = 0;

  function room(bytes: number): void {
    if (at + bytes <= buffer.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(buffer.length * 2, at + bytes));
    buffer.copy(larger, 0, 0, at);
    buffer = larger;
  }

  function putText(value: string): void {
    const count = value.length;
    room(count * 3 + 5);
    if (count === 0) {
      buffer[at++] = 0;
      return;
    }
    const end = count > SHORT ? -1 : writeShort(buffer, at, value);
    at = end < 0 ? writeLong(buffer, at, value) : end;
  }

  function again(from: number, to: number): void {
    room(to - from);
    buffer.copyWithin(at, from, to);
    at += to - from;
  }

  return {
    reset(reserved) {
      if (buffer.length > KEEP_BYTES) buffer = Buffer.allocUnsafeSlow(START_BYTES);
      at = reserved;
    },
    byte(value) {
      room(1);
      buffer[at++] = value;
    },
    u16(value) {
      room(2);
      at = buffer.writeUInt16LE(value, at);
    },
    u32(value) {
      room(4);
      at = buffer.writeUInt32LE(value, at);
    },
    u64(value) {
      room(8);
      at = buffer.writeUInt32LE(value % 0x1_0000_0000, at);
      at = buffer.writeUInt32LE(Math.floor(value / 0x1_0000_0000), at);
    },
    f64(value) {
      room(8);
      at = buffer.writeDoubleLE(value, at);
    },
    length(value) {
      room(5);
      at = writeLength(buffer, at, value);
    },
    emptyLists(arrays, count) {
      room(arrays * (count + 5));
      const bytes = buffer;
      for (let array = 0; array < arrays; array++) {
        let end = writeLength(bytes, at, count);
        for (let i = 0; i < count; i++) bytes[end++] = 0;
        at = end;
      }
    },
    position: () => at,
    bytes(value) {
      room(value.length);
      buffer.set(value, at);
      at += value.length;
    },
    text: putText,
    texts(items, textOf, column) {
      const count = items.length;
      room(count + 5);
      at = writeLength(buffer, at, count);
      let last = '';
      let from = 0;
      let to = 0;
      for (let i = 0; i < count; i++) {
        const value = textOf(items[i]!, column);
        // Most columns are empty in most rows, and there is room for those already.
        if (value === '' && at < buffer.length) buffer[at++] = 0;
        // Many have the same in neighbouring rows.
        else if (value.length >= COPIED && value === last) again(from, to);
        else {
          from = at;
          putText(value);
          to = at;
          last = value;
        }
      }
    },
    uuid(value) {
      room(16);
      if (!parseUuid(value, buffer, at)) return false;
      at += 16;
      return true;
    },
    uuidBytes(bytes) {
      room(16);
      for (let i = 0; i < 16; i++) buffer[at + i] = bytes[i]!;
      at += 16;
    },
    written: () => buffer.subarray(0, at),
    take() {
      const taken = Buffer.allocUnsafeSlow(at);
      buffer.copy(taken, 0, 0, at);
      return taken;
    },
  };
}
