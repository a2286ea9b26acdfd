/**
 * The bytes of a record. All numbers are little-endian.
 *
 *      0 u8   format               1 u8   index of its kind in `KINDS`
 *      2 u8   number of items      3 u8   1: finished late
 *      4 u32  bytes of the head: all but the fragments
 *      8 f64  sequence            16 f64  received            24 f64  completed (Unix ms)
 *     32 u32  config              36 u32  version
 *     40 u16  number of texts     42 u16  number of fragments
 *     44 u16  bytes of the team   46 u16  bytes of the scope  48 u32  bytes of the error (JSON; 0: none)
 *     52      request id, 36 characters
 *     88      team, scope, error
 *             items, 24 bytes each: u8 number, type, status, flag, role, then a u16 for each of `AT`
 *             texts, as they stand between the quotes of a JSON string
 *             u32 end of each text, from the first one on; text 0 is empty
 *     ---- end of the head
 *             fragments of JSON
 *             14 bytes for each of them: u32 end, u16 fragment that it begins and ends as (0: none, else 1 and more),
 *             u32 bytes that it begins with, u32 bytes that it ends with
 *
 * Items point to texts and fragments by number, and a number of a fragment is 0 for none, else 1 and more. So what recurs in a batch, such as
 * a policies map, a run or a session, is there once. Look-ups of runs read the head alone (`read-heads.lua`), and look-ups of others' ids only
 * its first bytes. So what these look at stays where it is in every later format: the format, the bytes of team and scope, and both behind the
 * id. Measured for 50 events of `events-50`: 5.4 KB, where lines of JSON took 7.8.
 */
import { RECORD_FORMATS, UnreadFormat } from '../../formats.js';
import type { EventStatus } from '../responses.js';
import { type CheckKind, EVENT_TYPES } from '../types.js';

export const FORMAT = RECORD_FORMATS.newest;
export const HEADER_BYTES = 88;
export const ITEM_BYTES = 24;
export const END_BYTES = 4;
export const FRAGMENT_BYTES = 14;
export const ID_LENGTH = 36;

export const KINDS: readonly CheckKind[] = ['events', 'event', 'session', 'artifact'];
export const TYPES: readonly string[] = [...EVENT_TYPES, 'session'];
export const STATUSES: readonly EventStatus[] = ['completed', 'failed', 'referenced', 'not_found'];
export const FLAGS = [false, true, null] as const;
export const ROLES = [undefined, 'user', 'assistant'] as const;

/** Where a member of an item is: bytes behind its start. */
export const AT = {
  number: 0,
  type: 1,
  status: 2,
  flag: 3,
  role: 4,
  /** texts */
  eventId: 6,
  run: 8,
  session: 10,
  note: 12,
  /** texts of JSON: declared causes; what few items have */
  links: 14,
  rare: 16,
  /** fragments */
  policies: 18,
  explained: 20,
  metadata: 22,
} as const;

const DAMAGED = 'a result record is damaged';

/** Throws an {@link UnreadFormat} where a record, or its beginning, is of a release that is newer than this one or too old. */
export function checkFormat(bytes: Buffer): void {
  if (bytes.length > 0 && bytes[0] !== FORMAT) throw new UnreadFormat('a stored result', bytes[0]!, RECORD_FORMATS);
}

/** Whether a record has an item: not that of a body that could not be read. */
export const hasItems = (record: Buffer): boolean => record[2] !== 0;

/** Reads a record, or its head alone. Texts and fragments are ranges of its bytes. */
export class StoredRecord {
  readonly bytes: Buffer;
  /** number of items, and where they begin */
  readonly count: number;
  readonly items: number;
  /** where each text ends, by its number; the first one begins where that of number 0 ends */
  readonly ends: Int32Array;
  /** where fragments begin, and what is known of each; 0 of a head alone */
  readonly heap: number;
  readonly table: number;
  readonly fragments: number;

  /** Throws where the bytes are not those of a record: only this service writes them, so that is a bug or a damaged store. */
  constructor(bytes: Buffer) {
    checkFormat(bytes);
    if (bytes.length < HEADER_BYTES) throw new Error(DAMAGED);
    this.bytes = bytes;
    this.heap = bytes.readUInt32LE(4);
    this.count = bytes[2]!;
    this.items = HEADER_BYTES + bytes.readUInt16LE(44) + bytes.readUInt16LE(46) + bytes.readUInt32LE(48);
    const texts = this.items + this.count * ITEM_BYTES;
    const ends = this.heap - bytes.readUInt16LE(40) * END_BYTES;
    this.fragments = bytes.readUInt16LE(42);
    const isHead = bytes.length === this.heap;
    this.table = isHead ? 0 : bytes.length - this.fragments * FRAGMENT_BYTES;
    if (texts > ends || bytes.length < this.heap) throw new Error(DAMAGED);
    this.ends = endsIn(bytes, { from: ends, to: this.heap, texts });
    if (isHead) return;
    const isWhole = this.table >= this.heap && this.heap + this.fragmentEnd(this.fragments - 1) === this.table;
    if (!isWhole) throw new Error(DAMAGED);
  }

  get received(): number {
    return this.bytes.readDoubleLE(16);
  }

  get completed(): number {
    return this.bytes.readDoubleLE(24);
  }

  /** A member of an item that is a byte; the same of one that points to a text or a fragment. */
  byte(item: number, at: number): number {
    return this.bytes[this.items + item * ITEM_BYTES + at]!;
  }

  number(item: number, at: number): number {
    const { bytes } = this;
    const from = this.items + item * ITEM_BYTES + at;
    return bytes[from]! | (bytes[from + 1]! << 8);
  }

  /** Where a text begins and ends. */
  textStart(text: number): number {
    return this.ends[text === 0 ? 0 : text - 1]!;
  }

  textEnd(text: number): number {
    return this.ends[text]!;
  }

  /** The text as JSON has it, without its quotes. */
  json(text: number): string {
    return this.bytes.toString('utf8', this.textStart(text), this.textEnd(text));
  }

  /** Where a fragment begins and ends among the fragments. */
  fragmentStart(fragment: number): number {
    return fragment === 0 ? 0 : this.fragmentEnd(fragment - 1);
  }

  fragmentEnd(fragment: number): number {
    return fragment < 0 ? 0 : readNumber(this.bytes, this.table + fragment * FRAGMENT_BYTES);
  }

  /** The fragment that this one begins and ends as, or -1. Throws where that is none before it, or has less than what is said. */
  base(fragment: number): number {
    const base = this.bytes.readUInt16LE(this.table + fragment * FRAGMENT_BYTES + 4) - 1;
    const common = this.baseStart(fragment) + this.baseEnd(fragment);
    if (base >= fragment || common > (base < 0 ? 0 : this.fragmentLength(base))) throw new Error(DAMAGED);
    return base;
  }

  baseStart(fragment: number): number {
    return readNumber(this.bytes, this.table + fragment * FRAGMENT_BYTES + 6);
  }

  baseEnd(fragment: number): number {
    return readNumber(this.bytes, this.table + fragment * FRAGMENT_BYTES + 10);
  }

  /** Bytes of a fragment as a whole. */
  fragmentLength(fragment: number): number {
    const own = this.fragmentEnd(fragment) - this.fragmentStart(fragment);
    return own + this.baseStart(fragment) + this.baseEnd(fragment);
  }
}

/** A u32. Measured: a call of Buffer takes three times as long. */
const readNumber = (bytes: Buffer, at: number): number =>
  (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16)) + bytes[at + 3]! * 0x1000000;

function endsIn(bytes: Buffer, { from, to, texts }: { from: number; to: number; texts: number }): Int32Array {
  const ends = new Int32Array((to - from) / END_BYTES + 1);
  ends[0] = texts;
  for (let text = 1; text < ends.length; text++) ends[text] = texts + readNumber(bytes, from + (text - 1) * END_BYTES);
  return ends;
}
