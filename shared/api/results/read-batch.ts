/**
 * Reads the head of a stored batch as it is written, if it is plain: each event was checked by itself and has nothing but its verdict and
 * its ids. Only positions are kept, in lists that every batch uses again.
 */
import { MAX_ITEM } from '../../ids.js';
import { EVENT_TYPES } from '../types.js';

const LINE_FEED = 10;
const SPACE = 32;
const QUOTE = 34;
const COMMA = 44;
const MINUS = 45;
const ZERO = 48;
const NINE = 57;
const OPEN_ARRAY = 91;
const BACKSLASH = 92;
const CLOSE_ARRAY = 93;
const TILDE = 126;

/** In place of a position or a number: there is none. */
export const STOPPED = -1;
/** Most fragments of a plain batch. */
const MOST_LINES = 1024;
const MOST_DIGITS = 16;
const ID_LENGTH = 36;

const list = (length: number = MAX_ITEM): Int32Array => new Int32Array(length);

/** The last batch that was read. Positions are bytes of the record; texts are without their quotes. */
export const batch = {
  /** number of its items */
  count: 0,
  /** the request id */
  id: 0,
  /** Unix ms */
  received: 0,
  completed: 0,
  sameRun: true,
  // By place of the item.
  numbers: list(),
  /** index in `EVENT_TYPES` */
  types: list(),
  eventIds: list(),
  eventIdEnds: list(),
  runIds: list(),
  runIdEnds: list(),
  sessions: list(),
  sessionEnds: list(),
  /** the place of an earlier item with the same run and session, or its own */
  groups: list(),
  /** 0 or 1 */
  flagged: list(),
  /** fragment */
  policies: list(),
  /** the last fragment that is a map */
  lastMap: 0,
  // By number of the fragment.
  fragments: list(MOST_LINES),
  fragmentEnds: list(MOST_LINES),
  /** of a shortened map: the fragment that it begins and ends as, and how many bytes of that; else STOPPED */
  bases: list(MOST_LINES),
  baseStarts: list(MOST_LINES),
  baseEnds: list(MOST_LINES),
  /** bytes of the fragment as a whole */
  lengths: list(MOST_LINES),
};

const { numbers, types, eventIds, eventIdEnds, runIds, runIdEnds, sessions, sessionEnds, groups } = batch;
const { flagged, policies, fragments, fragmentEnds, bases, baseStarts, baseEnds, lengths } = batch;
/** more than there are items, so that most hashes are found at their first place */
const HASHES = 256;
/** of event ids; 0: free */
const hashes = list(HASHES);

const NOTHING: Uint8Array = new Uint8Array(0);
/** what is being read */
let bytes = NOTHING;
/** the number that was read last */
let value = 0;
/** position behind the status that was read last */
let groupEnd = 0;

/** Whether the record is a plain batch. Then `batch` has it. */
export function readBatch(record: Buffer): boolean {
  bytes = record;
  const end = readHead();
  const found = end > 0 && findFragments(record, end);
  bytes = NOTHING;
  return found;
}

const bytesOf = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text));

const KIND = bytesOf('{"format":1,"kind":"events","id":"');
const TEAM = bytesOf('","team":"');
const SCOPE = bytesOf('","scope":"');
const CONFIG = bytesOf('","config":');
const SEQUENCE = bytesOf(',"sequence":');
const RECEIVED = bytesOf(',"received":');
const COMPLETED = bytesOf(',"completed":');
const ITEMS = bytesOf(',"error":null,"items":[');

// The functions below read what is at `at`, and return the position behind it, or STOPPED. They take STOPPED, too.

function readHead(): number {
  batch.id = skip(KIND, 0);
  let at = skip(TEAM, textEnd(batch.id));
  if (at !== batch.id + ID_LENGTH + TEAM.length) return STOPPED;
  at = skip(CONFIG, textEnd(skip(SCOPE, textEnd(at))));
  at = readNumber(skip(RECEIVED, readNumber(skip(SEQUENCE, readNumber(at)))));
  batch.received = value;
  at = readNumber(skip(COMPLETED, at));
  batch.completed = value;
  return readItems(skip(ITEMS, at));
}

function readItems(at: number): number {
  batch.sameRun = true;
  hashes.fill(0);
  for (let i = 0; i < MAX_ITEM && at > 0; i++) {
    at = readItem(i, at);
    const behind = bytes[at++];
    if (behind === COMMA) continue;
    batch.count = i + 1;
    return behind === CLOSE_ARRAY ? at : STOPPED;
  }
  return STOPPED;
}

const BETWEEN = bytesOf('","');
const STATUS = bytesOf('","completed",');
const TRUE = bytesOf('true,');
const FALSE = bytesOf('false,');
const NULL = bytesOf('null,');
/** No note, and not a reference. */
const BARE = bytesOf(',"",null');
/** The same behind what stands for no metadata. */
const BARER = bytesOf('-1,"",null');

function readItem(i: number, at: number): number {
  if (bytes[at] !== OPEN_ARRAY) return STOPPED;
  at = readNumber(at + 1);
  numbers[i] = value;
  if (value > MAX_ITEM || bytes[at] !== COMMA) return STOPPED;
  at = readGroup(i, readEventId(i, skip(BETWEEN, readType(i, at + 1))));
  at = readNumber(readFlag(i, at));
  policies[i] = value;
  if (value >= MOST_LINES || bytes[at] !== COMMA) return STOPPED;
  at = bytes[at + 1] === MINUS ? skip(BARER, at + 1) : skip(BARE, readNumber(at + 1));
  // The role of a message, then the declared causes: they are not in the answer.
  if (bytes[at] === COMMA) at += 2;
  if (bytes[at] === COMMA) at = listEnd(at + 1);
  return bytes[at] === CLOSE_ARRAY ? at + 1 : STOPPED;
}

/** Position behind a list of lists of numbers and texts without escapes. */
function listEnd(at: number): number {
  const read = bytes;
  if (read[at] !== OPEN_ARRAY) return STOPPED;
  for (let depth = 0; at > 0 && at < read.length; at++) {
    const byte = read[at];
    if (byte === QUOTE) at = textEnd(at + 1);
    else if (byte === OPEN_ARRAY) depth++;
    else if (byte === CLOSE_ARRAY && --depth === 0) return at + 1;
    if (at < 0) return STOPPED;
  }
  return STOPPED;
}

const TYPES = EVENT_TYPES.map((type) => bytesOf(`"${type}`));

function readType(i: number, at: number): number {
  for (let type = 0; type < TYPES.length; type++) {
    const end = skip(TYPES[type]!, at);
    if (end < 0 || bytes[end] !== QUOTE) continue;
    types[i] = type;
    return end;
  }
  return STOPPED;
}

/** Two events with one id may have the same place in the answer: such a batch is not plain. */
function readEventId(i: number, at: number): number {
  const end = textEnd(at);
  let hash = 0;
  for (let k = at; k < end; k++) hash = Math.imul(hash ^ bytes[k]!, 0x01000193);
  if (!isNew(hash === 0 ? 1 : hash)) return STOPPED;
  eventIds[i] = at;
  eventIdEnds[i] = end;
  return end;
}

function isNew(hash: number): boolean {
  let slot = hash & (HASHES - 1);
  for (; hashes[slot] !== 0; slot = (slot + 1) & (HASHES - 1)) if (hashes[slot] === hash) return false;
  hashes[slot] = hash;
  return true;
}

/** Run, session and status, behind the id of an event. Mostly they are those of the item before. */
function readGroup(i: number, at: number): number {
  const before = i - 1;
  const end = i === 0 ? STOPPED : skipSame(eventIdEnds[before]!, groupEnd, at);
  if (end < 0) return readOwnGroup(i, at);
  const moved = at - eventIdEnds[before]!;
  runIds[i] = runIds[before]! + moved;
  runIdEnds[i] = runIdEnds[before]! + moved;
  sessions[i] = sessions[before]! + moved;
  sessionEnds[i] = sessionEnds[before]! + moved;
  groups[i] = groups[before]!;
  groupEnd = end;
  return end;
}

function readOwnGroup(i: number, at: number): number {
  const run = skip(BETWEEN, at);
  runIds[i] = run;
  runIdEnds[i] = textEnd(run);
  const session = skip(BETWEEN, runIdEnds[i]!);
  sessions[i] = session;
  sessionEnds[i] = textEnd(session);
  groups[i] = i;
  // To the end of the run, since one run may begin with another.
  if (batch.sameRun && i > 0 && skipSame(runIds[i - 1]!, runIdEnds[i - 1]! + 1, run) < 0) batch.sameRun = false;
  groupEnd = skip(STATUS, sessionEnds[i]!);
  return groupEnd;
}

function readFlag(i: number, at: number): number {
  const sure = skip(FALSE, at);
  flagged[i] = 0;
  if (sure > 0) return sure;
  const end = skip(TRUE, at);
  if (end > 0) flagged[i] = 1;
  return end > 0 ? end : skip(NULL, at);
}

/** Finds the fragments that items point to, behind the head. */
function findFragments(record: Buffer, head: number): boolean {
  let most = 0;
  for (let i = 0; i < batch.count; i++) if (policies[i]! > most) most = policies[i]!;
  batch.lastMap = most;
  let end = record.indexOf(LINE_FEED, head);
  for (let line = 0; line <= most; line++) {
    if (end < 0 || end === record.length) return false;
    fragments[line] = end + 1;
    end = record.indexOf(LINE_FEED, end + 1);
    if (end < 0) end = record.length;
    fragmentEnds[line] = end;
    bases[line] = STOPPED;
    lengths[line] = end - fragments[line]!;
    if (record[fragments[line]!] === TILDE && !readShortened(line)) return false;
  }
  return true;
}

/** Reads what is before the rest of a shortened map (`record.ts`). */
function readShortened(line: number): boolean {
  let at = readNumber(fragments[line]! + 1);
  const base = value;
  at = readNumber(bytes[at] === SPACE ? at + 1 : STOPPED);
  baseStarts[line] = value;
  at = readNumber(bytes[at] === SPACE ? at + 1 : STOPPED);
  baseEnds[line] = value;
  if (bytes[at] !== SPACE || base >= line) return false;
  bases[line] = base;
  fragments[line] = at + 1;
  const common = baseStarts[line]! + baseEnds[line]!;
  lengths[line] = fragmentEnds[line]! - at - 1 + common;
  return baseStarts[line]! >= 0 && baseEnds[line]! >= 0 && common <= lengths[base]!;
}

function skip(expected: Uint8Array, at: number): number {
  if (at < 0) return STOPPED;
  const read = bytes;
  for (let i = 0; i < expected.length; i++) if (read[at + i] !== expected[i]) return STOPPED;
  return at + expected.length;
}

/** What stands from `start` to `end`, once more. */
function skipSame(start: number, end: number, at: number): number {
  const read = bytes;
  const length = end - start;
  if (at < 0) return STOPPED;
  for (let i = 0; i < length; i++) if (read[at + i] !== read[start + i]) return STOPPED;
  return at + length;
}

/** A text without escapes, up to its quote. */
function textEnd(at: number): number {
  const read = bytes;
  if (at < 0) return STOPPED;
  for (; at < read.length; at++) {
    const byte = read[at]!;
    if (byte === QUOTE) return at;
    if (byte === BACKSLASH) return STOPPED;
  }
  return STOPPED;
}

/** A whole number. Sets `value`. */
function readNumber(at: number): number {
  const read = bytes;
  const start = at;
  let sum = 0;
  value = 0;
  if (at < 0) return STOPPED;
  for (; at - start <= MOST_DIGITS; at++) {
    const byte = read[at]!;
    if (!(byte >= ZERO && byte <= NINE)) break;
    sum = sum * 10 + byte - ZERO;
  }
  value = sum;
  return at > start && at - start <= MOST_DIGITS ? at : STOPPED;
}
