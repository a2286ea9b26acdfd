/**
 * Lists of the PDQ hashes of known images, as text. A line is one of
 *
 *     HASH                        64 hexadecimal digits
 *     HASH COMMENT                after spaces, a tab, "," or ";"
 *     pdq HASH COMMENT            as the command line of ThreatExchange prints it
 *     hash=HASH,COMMENT           as the tools of the PDQ reference print it
 *     # anything                  and empty lines: nothing
 *
 * or a row of a CSV file. The first line of such a file names its columns, and the hash is in the column `hash`, `pdq`, `pdq_hash`,
 * `signal`, `signal_value`, `value` or `indicator`. The other columns are the comment. Quotes round a field are dropped.
 *
 * The text is UTF-8 with any line ends. A hash that comes twice counts once, with its first comment.
 */

import { readHash, type Storage, words, writeHash } from './hash-index.js';
import { pdqFromHex, pdqToHex } from './pdq.js';

/** Hashes in one list. */
export const MAX_LIST_HASHES = 2_000_000;
/** Bytes of one list. */
export const MAX_LIST_BYTES = 512 * 1024 * 1024;
/** Bytes of a comment that are kept. */
export const MAX_COMMENT_BYTES = 256;
/** Bytes of one line. */
const MAX_LINE_BYTES = 4_096;
/** Reading stops after so many problems. */
const MAX_PROBLEMS = 20;

/** A list as data. It can be sent to another thread, and is shared with it when it was read with `shared`. */
export interface HashList {
  /** hashes without repetitions */
  count: number;
  /** 8 words a hash, for `buildHashIndex` */
  hashes: Uint32Array;
  /** comments, one after the other, UTF-8 */
  comments: Uint8Array;
  /** for each hash, where its comment ends */
  commentEnds: Uint32Array;
  /** lines whose hash had come before in the list */
  repeated: number;
}

export interface ListProblem {
  /** from 1 */
  line: number;
  message: string;
}

export type ListResult = { ok: true; list: HashList } | { ok: false; problems: readonly ListProblem[] };

export interface ListEntry {
  /** 64 lower-case hexadecimal digits */
  hash: string;
  comment: string;
}

/** Reads a list. If lines are wrong, there is no list, but the problems of up to 20 lines. */
export function parseHashList(bytes: Uint8Array, storage: Storage = {}): ListResult {
  if (bytes.length > MAX_LIST_BYTES) {
    return { ok: false, problems: [{ line: 1, message: `the list has more than ${MAX_LIST_BYTES} bytes` }] };
  }
  const found = growingList();
  const problems: ListProblem[] = [];
  const reader = lineReader();
  let line = 0;
  for (let start = byteOrderMark(bytes); start < bytes.length && problems.length < MAX_PROBLEMS; ) {
    const newline = bytes.indexOf(10, start);
    const end = newline === -1 ? bytes.length : newline;
    line++;
    if (!(reader.startsWithHash() && found.addPlain(bytes, start, end))) {
      const read =
        end - start > MAX_LINE_BYTES ? tooLong(end - start) : reader.read(decode(bytes.subarray(start, end)));
      if (read.kind === 'problem') problems.push({ line, message: read.message });
      if (read.kind === 'entry') found.add(read.hash, encoder.encode(read.comment));
    }
    if (found.count() > MAX_LIST_HASHES) {
      problems.push({
        line,
        message: `the list has more than ${MAX_LIST_HASHES} hashes; divide it into several lists`,
      });
      break;
    }
    start = end + 1;
  }
  return problems.length > 0 ? { ok: false, problems } : { ok: true, list: found.finish(storage) };
}

/** The hash and comment of an entry. */
export function listEntry(list: HashList, entry: number): ListEntry {
  const from = entry === 0 ? 0 : list.commentEnds[entry - 1]!;
  // The bytes are copied because a TextDecoder takes no shared memory.
  const comment = decode(list.comments.slice(from, list.commentEnds[entry]!));
  return { hash: pdqToHex(readHash(list.hashes, entry)), comment };
}

export type HashListLine =
  | { kind: 'nothing' }
  | { kind: 'entry'; hash: Uint8Array; comment: string }
  | { kind: 'problem'; message: string };

const HASH_COLUMNS = ['hash', 'pdq', 'pdq_hash', 'signal', 'signal_value', 'value', 'indicator'];
const NOTHING: HashListLine = { kind: 'nothing' };

export interface LineReader {
  read(line: string): HashListLine;
  /** whether all further lines begin with their hash; known once a line with content was read */
  startsWithHash(): boolean;
}

/** Reads the lines of one list, in order. The first line may name the columns. */
export function lineReader(): LineReader {
  let first = true;
  let column = -1;
  let separator = ',';
  return {
    read(text) {
      const line = text.trim();
      if (line === '' || line.startsWith('#')) return NOTHING;
      if (first) {
        first = false;
        separator = separatorOf(line);
        column = hashColumn(line);
        if (column !== -1) return NOTHING;
      }
      return column > 0 ? readRow(fieldsOf(line, separator), column) : readEntry(line);
    },
    startsWithHash: () => !first && column <= 0,
  };
}

/** The column with the hash; -1 if the line is not a header. */
function hashColumn(line: string): number {
  if (readEntry(line).kind === 'entry') return -1;
  const names = fieldsOf(line, separatorOf(line)).map((name) => name.toLowerCase());
  if (names.some((name) => !/^[a-z][a-z0-9_ -]*$/.test(name))) return -1;
  return names.findIndex((name) => HASH_COLUMNS.includes(name));
}

function readEntry(line: string): HashListLine {
  const parts = /^(?:"?pdq"?[\s,;:]+)?(?:hash=)?"?([0-9a-z]*)"?(?:[\s,;]+(.*))?$/is.exec(line);
  const hash = pdqFromHex(parts?.[1] ?? '');
  if (!hash) return problem(parts?.[1] ?? '');
  const comment = (parts?.[2] ?? '').trim();
  return { kind: 'entry', hash, comment: comment.replace(/^"(.*)"$/s, '$1') };
}

function readRow(fields: readonly string[], column: number): HashListLine {
  const text = (fields[column] ?? '').replace(/^hash=/i, '');
  const hash = pdqFromHex(text);
  if (!hash) return problem(text, ` in column ${column + 1}`);
  return { kind: 'entry', hash, comment: fields.filter((field, i) => i !== column && field !== '').join(', ') };
}

function problem(text: string, where = ''): HashListLine {
  const found = text === '' ? 'none' : `${text.length} characters`;
  const message = `expected a hash of 64 hexadecimal digits${where}, found ${found}${text.length === 64 ? ' that are not all such digits' : ''}`;
  return { kind: 'problem', message };
}

function tooLong(length: number): HashListLine {
  return { kind: 'problem', message: `expected a line of at most ${MAX_LINE_BYTES} bytes, found ${length}` };
}

/** The first of tab, ";" and "," that a header has. Comments below it may contain the others. */
function separatorOf(header: string): string {
  return ['\t', ';', ','].find((mark) => header.includes(mark)) ?? ',';
}

/** The fields of a row. Separators within quotes do not count. */
function fieldsOf(line: string, separator: string): string[] {
  const fields: string[] = [];
  let field = '';
  let quoted = false;
  for (const character of line) {
    if (character === '"') quoted = !quoted;
    else if (character === separator && !quoted) {
      fields.push(field.trim());
      field = '';
    } else field += character;
  }
  return [...fields, field.trim()];
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

function decode(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}

function byteOrderMark(bytes: Uint8Array): number {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
}

/** The value of a hexadecimal digit, else 255. */
const DIGITS = Uint8Array.from({ length: 256 }, (_, code) => {
  const value = /[0-9a-fA-F]/.test(String.fromCharCode(code)) ? Number.parseInt(String.fromCharCode(code), 16) : 255;
  return value;
});

/** Hashes without repetitions, and their comments, in arrays that double when they are full. */
function growingList() {
  let hashes = words(8 * 1024);
  let ends = words(1024);
  let comments = new Uint8Array(16 * 1024);
  let used = 0;
  let count = 0;
  let repeated = 0;
  const known = hashSet((entry, word) => hashes[entry * 8 + word]!);
  const scratch = new Uint8Array(32);
  const add = (hash: Uint8Array, comment: Uint8Array): void => {
    if (count === ends.length) {
      hashes = grown(hashes, words(hashes.length * 2));
      ends = grown(ends, words(ends.length * 2));
    }
    writeHash(hash, hashes, count);
    if (!known.add(count)) {
      repeated++;
      return;
    }
    const length = clippedLength(comment);
    if (used + length > comments.length) comments = grown(comments, new Uint8Array((used + length) * 2));
    comments.set(comment.subarray(0, length), used);
    used += length;
    ends[count++] = used;
  };
  /** Takes a line with a hash, and perhaps a comment after one space or comma, without making strings. */
  const addPlain = (bytes: Uint8Array, start: number, lineEnd: number): boolean => {
    const end = lineEnd > start && bytes[lineEnd - 1] === 13 ? lineEnd - 1 : lineEnd;
    const after = start + 64;
    if (end < after) return false;
    if (
      end > after &&
      (end === after + 1 || !isSeparator(bytes[after]!) || !isPlain(bytes[after + 1]!) || !isPlain(bytes[end - 1]!))
    ) {
      return false;
    }
    for (let i = 0; i < 32; i++) {
      const high = DIGITS[bytes[start + 2 * i]!]!;
      const low = DIGITS[bytes[start + 2 * i + 1]!]!;
      if ((high | low) > 15) return false;
      scratch[i] = (high << 4) | low;
    }
    add(scratch, bytes.subarray(Math.min(after + 1, end), end));
    return true;
  };
  const finish = (storage: Storage): HashList => {
    const commentBytes = new Uint8Array(storage.shared ? new SharedArrayBuffer(used) : new ArrayBuffer(used));
    commentBytes.set(comments.subarray(0, used));
    return {
      count,
      hashes: grown(hashes.subarray(0, 8 * count), words(8 * count, storage)),
      comments: commentBytes,
      commentEnds: grown(ends.subarray(0, count), words(count, storage)),
      repeated,
    };
  };
  return { add, addPlain, finish, count: () => count };
}

function isSeparator(byte: number): boolean {
  return byte === 32 || byte === 44;
}

/** No space, separator or quote, and ASCII: nothing to trim or drop. */
function isPlain(byte: number): boolean {
  return byte > 34 && byte < 127 && byte !== 44 && byte !== 59;
}

function grown<T extends Uint8Array | Uint32Array>(from: T, to: T): T {
  to.set(from);
  return to;
}

/** The length that is kept: at most MAX_COMMENT_BYTES, without half a character at the end. */
function clippedLength(comment: Uint8Array): number {
  if (comment.length <= MAX_COMMENT_BYTES) return comment.length;
  let length = MAX_COMMENT_BYTES;
  while (length > 0 && (comment[length]! & 0xc0) === 0x80) length--;
  return length;
}

/** The entries that came before, with open addressing: that takes far less memory than a Set of strings. */
function hashSet(word: (entry: number, index: number) => number): { add(entry: number): boolean } {
  let slots = new Int32Array(2048).fill(-1);
  let used = 0;
  // With a random seed, nobody can prepare a list whose hashes all fall into one slot.
  const seed = (Math.random() * 2 ** 32) | 0;
  const place = (entry: number): boolean => {
    const mask = slots.length - 1;
    let mixed = seed;
    for (let i = 0; i < 8; i++) mixed = Math.imul(mixed ^ word(entry, i), 0x85ebca6b) ^ (mixed >>> 15);
    let slot = (mixed ^ (mixed >>> 16)) & mask;
    for (; slots[slot] !== -1; slot = (slot + 1) & mask) if (same(slots[slot]!, entry)) return false;
    slots[slot] = entry;
    return true;
  };
  const same = (a: number, b: number): boolean => {
    for (let i = 0; i < 8; i++) if (word(a, i) !== word(b, i)) return false;
    return true;
  };
  return {
    add(entry) {
      if (2 * used >= slots.length) {
        const before = slots;
        slots = new Int32Array(before.length * 2).fill(-1);
        for (const known of before) if (known !== -1) place(known);
      }
      const isNew = place(entry);
      if (isNew) used++;
      return isNew;
    },
  };
}
