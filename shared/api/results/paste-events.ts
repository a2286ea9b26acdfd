/**
 * Writes the answer of `POST /api/events` straight from the bytes of a stored record. Nothing is made of what is only copied, and what
 * recurs in the answer is copied from where it stands there: each policy map with what is around it, and the ids behind it.
 *
 * It makes what `renderEvents` makes of the decoded record, or nothing where the batch is not plain. Measured: 50 events take 35 µs
 * instead of 75 µs, and leave 1 KB to collect instead of 100 KB.
 */
import { MAX_ITEM } from '../../ids.js';
import { EVENT_TYPES } from '../types.js';
import { batch, readBatch } from './read-batch.js';
import { timestamp } from './render.js';

const QUOTE = 34;
const COMMA = 44;
const HEX = Buffer.from('0123456789abcdef');

/** A buffer that every answer reuses. A larger one is released after its answer. */
let out = Buffer.allocUnsafeSlow(256 * 1024);
const ID_LENGTH = 36;
const KEPT_BYTES = 4 * 1024 * 1024;
/** Bytes around what an event has in an answer are fewer. */
const AROUND = 640;

const { numbers, types, eventIds, eventIdEnds, runIds, runIdEnds, sessions, sessionEnds } = batch;
const { groups, flagged, policies, fragments, fragmentEnds } = batch;
/** hexadecimal digit of the partition that shares its place in ids with items */
let shared = 0;
let times = '';

let record: Buffer = out;

// What may be copied: from the flag of a result to the id of its event, by map, type and flag.
let blocks = 0;
const blockKeys = new Int32Array(MAX_ITEM);
const blockStarts = new Int32Array(MAX_ITEM);
const blockEnds = new Int32Array(MAX_ITEM);

/** A text that ends an entry and names the event of its group: where it is, and where the last two digits of the id are. */
interface Tail {
  group: number;
  start: number;
  end: number;
  digits: number;
}
const newTail = (): Tail => ({ group: -1, start: 0, end: 0, digits: 0 });
const ofResults = newTail();
const ofOrder = [newTail(), newTail()] as const;

/** The answer as JSON in UTF-8, or undefined. The next call overwrites these bytes, so send or copy them before. */
export function pasteEvents(stored: Buffer): Uint8Array | undefined {
  if (!readBatch(stored)) return undefined;
  record = stored;
  shared = HEX.indexOf(stored[batch.id + ID_LENGTH - 2]!) & 12;
  times = `"updated_at":"${timestamp(batch.completed)}","created_at":"${timestamp(batch.received)}"`;
  const most = longest();
  if (most > out.length) out = Buffer.allocUnsafeSlow(most);
  blocks = 0;
  ofResults.group = -1;
  for (const tail of ofOrder) tail.group = -1;
  let any = false;
  for (let i = 0; i < batch.count; i++) if (flagged[i] === 1) any = true;
  const run = batch.sameRun ? `"run_id":"${textAt(runIds[0]!, runIdEnds[0]!)}",` : '';
  let at = write(`{"flagged":${any},"failed":0,${run}"results":{`, 0);
  at = order(buckets(at));
  const written = out.subarray(0, at);
  if (out.length > KEPT_BYTES) out = Buffer.allocUnsafeSlow(256 * 1024);
  record = out;
  return written;
}

/** Bytes that the answer has at most. */
function longest(): number {
  let most = AROUND;
  for (let i = 0; i < batch.count; i++) {
    const ids = eventIdEnds[i]! - eventIds[i]! + runIdEnds[i]! - runIds[i]!;
    const map = policies[i]!;
    most += AROUND + 2 * ids + sessionEnds[i]! - sessions[i]! + fragmentEnds[map]! - fragments[map]!;
  }
  return most;
}

const bytesOf = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text));
const BUCKETS = EVENT_TYPES.map((type, i) => bytesOf(`${i === 0 ? '' : '},'}"${type}":{`));
const ORDER = bytesOf('}},"order":[');
const PLACES = Array.from({ length: MAX_ITEM }, (_, i) => bytesOf(`${i === 0 ? '' : ','}{"index":${i},"type":"`));
const ORDER_TYPES = EVENT_TYPES.map((type) => bytesOf(`${type}","event_id":"`));
const END = bytesOf(']}');

function buckets(at: number): number {
  for (let type = 0; type < EVENT_TYPES.length; type++) {
    at = put(BUCKETS[type]!, at);
    let first = true;
    for (let i = 0; i < batch.count; i++) {
      if (types[i] !== type) continue;
      if (!first) out[at++] = COMMA;
      first = false;
      out[at++] = QUOTE;
      at = short(eventIds[i]!, eventIdEnds[i]!, at);
      at = block(i, at);
      at = short(eventIds[i]!, eventIdEnds[i]!, at);
      at = behindResult(i, at);
    }
  }
  return at;
}

function order(at: number): number {
  at = put(ORDER, at);
  for (let i = 0; i < batch.count; i++) {
    at = put(PLACES[i]!, at);
    at = put(ORDER_TYPES[types[i]!]!, at);
    at = short(eventIds[i]!, eventIdEnds[i]!, at);
    at = behindPlace(i, at);
  }
  return put(END, at);
}

/** From the quote behind the id that names a result to that before the id of its event. */
function block(i: number, at: number): number {
  const map = policies[i]!;
  const key = (map * EVENT_TYPES.length + types[i]!) * 2 + flagged[i]!;
  for (let known = 0; known < blocks; known++) {
    if (blockKeys[known] === key) return again(blockStarts[known]!, blockEnds[known]!, at);
  }
  blockKeys[blocks] = key;
  blockStarts[blocks] = at;
  at = write(`":{"flagged":${flagged[i] === 1},"policies":`, at);
  at += record.copy(out, at, fragments[map], fragmentEnds[map]);
  at = write(`,"event":{"type":"${EVENT_TYPES[types[i]!]}","status":"completed",${times},"event_id":"`, at);
  blockEnds[blocks++] = at;
  return at;
}

function behindResult(i: number, at: number): number {
  if (ofResults.group === groups[i]) return behindAgain(ofResults, i, at);
  const session = textAt(sessions[i]!, sessionEnds[i]!);
  const before = `",${session === '' ? '' : `"external_session_id":"${session}",`}"internal_event_id":"`;
  return behind(ofResults, i, at, { before, after: `","run_id":"${runOf(i)}"}}` });
}

function behindPlace(i: number, at: number): number {
  const tail = ofOrder[flagged[i] === 1 ? 1 : 0];
  if (tail.group === groups[i]) return behindAgain(tail, i, at);
  const before = `","run_id":"${runOf(i)}","internal_event_id":"`;
  return behind(tail, i, at, { before, after: `","status":"completed","flagged":${flagged[i] === 1}}` });
}

function behind(tail: Tail, i: number, at: number, { before, after }: { before: string; after: string }): number {
  tail.group = groups[i]!;
  tail.start = at;
  tail.digits = before.length + ID_LENGTH - 2;
  tail.end = write(`${before}${textAt(batch.id, batch.id + ID_LENGTH)}${after}`, at);
  return withItem(tail, i, at, tail.end);
}

const behindAgain = (tail: Tail, i: number, at: number): number =>
  withItem(tail, i, at, again(tail.start, tail.end, at));

/** Writes the number of the item into the id of the tail at `at`: its last six bits (`ids.ts`). */
function withItem({ digits }: Tail, i: number, at: number, end: number): number {
  const item = numbers[i]!;
  out[at + digits] = HEX[shared | (item >> 4)]!;
  out[at + digits + 1] = HEX[item & 15]!;
  return end;
}

const runOf = (i: number): string => textAt(runIds[i]!, runIdEnds[i]!);

/** Bytes of the record, a character each, as they are written again. */
const textAt = (start: number, end: number): string => record.toString('latin1', start, end);

// All of these write at `at`, and return where that ends.

const write = (text: string, at: number): number => at + out.write(text, at, 'latin1');

function put(piece: Uint8Array, at: number): number {
  out.set(piece, at);
  return at + piece.length;
}

/** What the answer has from `start` to `end`. */
function again(start: number, end: number, at: number): number {
  out.copyWithin(at, start, end);
  return at + end - start;
}

/** What the record has there. */
function short(start: number, end: number, at: number): number {
  const to = out;
  const from = record;
  for (let i = start; i < end; i++) to[at++] = from[i]!;
  return at;
}
