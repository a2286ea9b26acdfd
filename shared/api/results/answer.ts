/**
 * The answer of `POST /api/events`, made of the bytes of a record. Nothing is made of what is only copied, and what recurs in the answer is
 * copied from where it stands there: each policies map with what is around it, and the ids behind it. What stands between these is taken from
 * `renderEvent`, so an event is described once.
 *
 * Measured for a batch of `events-agents`: 36 µs, where rendering a decoded record took 94.
 */
import { MAX_ITEM } from '../../ids.js';
import { EVENT_TYPES } from '../types.js';
import { type EventShape, NOTHING, shapeNumber, shapeOf } from './event-shape.js';
import { AT, FLAGS, HEADER_BYTES, ID_LENGTH, STATUSES, StoredRecord } from './layout.js';
import type { RareMembers, Redacted } from './record.js';
import { timestamp } from './render.js';
import { findTakers } from './takers.js';

const COMMA = 44;
const COLON = 58;
const QUOTE = 34;
const CLOSE = 125;
const HEX = Buffer.from('0123456789abcdef');
const FAILED = STATUSES.indexOf('failed');
const NOT_FOUND = STATUSES.indexOf('not_found');
const START_BYTES = 256 * 1024;
/** A larger buffer is released after its answer. */
const KEPT_BYTES = 4 * 1024 * 1024;
/** Bytes around what an event has in an answer are fewer. */
const AROUND = 1024;
/** Up to this length a loop over the bytes is faster than a call that copies them. */
const FEW = 48;

/** A buffer that every answer reuses. It begins with a copy of the record, so that pieces are copied without an object for each. */
let out = Buffer.allocUnsafeSlow(START_BYTES);
let stored: StoredRecord;
/** times of the request in the answer: when it was received and completed, 24 characters each */
let times = 0;
const TIME_LENGTH = 24;
/** hexadecimal digit of the partition that shares its place in ids with items */
let shared = 0;

const list = (): Int32Array => new Int32Array(MAX_ITEM);
/** by item: where its map is in `out`, and the later event that took its place in the results, or -1 */
const mapStarts = list();
const mapEnds = list();
const takers = list();
/** by fragment, where it was made whole in `out`; else 0 */
let wholeStarts = new Int32Array(64);
let wholeEnds = new Int32Array(64);

/** What a reference names; the JSON of what few items have. */
type ReferenceTarget = NonNullable<RareMembers['target']>;
const targets: (ReferenceTarget | undefined)[] = [];
/** by item: its content with the marks */
let contents: (string | undefined)[] | undefined;

/**
 * The answer with its buckets by type and `event_id`, and `order` (decisions, Batch), as JSON in UTF-8. The next call overwrites these bytes,
 * so send or copy them before. `redacted`: by item, its content with the marks. Throws where the bytes are not those of a record.
 */
export function answerOf(record: Buffer, redacted?: readonly (Redacted | undefined)[]): Uint8Array {
  stored = new StoredRecord(record);
  contents = redacted?.map((content) => content?.('latin1'));
  targets.length = 0;
  for (let i = 0; i < stored.count; i++) targets.push(targetOf(i));
  findTakers(stored, takers);
  const most = record.length + longest();
  if (most > out.length) out = Buffer.allocUnsafeSlow(most);
  out.set(record, 0);
  shared = HEX.indexOf(record[HEADER_BYTES - 2]!) & 12;
  times = record.length;
  let at = times + out.write(timestamp(stored.received) + timestamp(stored.completed), times, 'latin1');
  at = findMaps(at);
  const start = at;
  blocks = 0;
  for (const tail of tails) tail.run = -1;
  const end = order(buckets(head(at)));
  const answer = out.subarray(start, end);
  if (out.length > KEPT_BYTES) out = Buffer.allocUnsafeSlow(START_BYTES);
  return answer;
}

function targetOf(i: number): ReferenceTarget | undefined {
  const rare = stored.number(i, AT.rare);
  return rare === 0 ? undefined : ((JSON.parse(stored.json(rare)) as RareMembers).target ?? undefined);
}

/** Bytes that the answer has at most. */
function longest(): number {
  let most = AROUND;
  for (let i = 0; i < stored.count; i++) {
    let item = AROUND + mapLength(stored.number(i, AT.policies) - 1) + (contents?.[i]?.length ?? 0);
    for (const text of TEXTS)
      item += 2 * (stored.textEnd(stored.number(i, text)) - stored.textStart(stored.number(i, text)));
    most += item;
  }
  for (let fragment = 0; fragment < stored.fragments; fragment++) most += mapLength(fragment);
  return most;
}
const TEXTS = [AT.eventId, AT.run, AT.session, AT.note] as const;

const mapLength = (fragment: number): number =>
  fragment < 0 || fragment >= stored.fragments ? 2 : stored.fragmentLength(fragment);

/** Finds the map of each item in `out`. Those that are shortened are made whole there, once. */
function findMaps(at: number): number {
  if (wholeStarts.length < stored.fragments) {
    wholeStarts = new Int32Array(stored.fragments);
    wholeEnds = new Int32Array(stored.fragments);
  }
  wholeStarts.fill(0, 0, stored.fragments);
  for (let i = 0; i < stored.count; i++) {
    const fragment = stored.number(i, AT.policies) - 1;
    if (fragment < 0 || fragment >= stored.fragments) {
      mapStarts[i] = at;
      at = put(EMPTY_MAP, at);
      mapEnds[i] = at;
      continue;
    }
    at = makeWhole(fragment, at);
    mapStarts[i] = wholeStarts[fragment]!;
    mapEnds[i] = wholeEnds[fragment]!;
  }
  return at;
}

function makeWhole(fragment: number, at: number): number {
  if (wholeStarts[fragment]! > 0) return at;
  const base = stored.base(fragment);
  const start = stored.heap + stored.fragmentStart(fragment);
  const end = stored.heap + stored.fragmentEnd(fragment);
  if (base < 0) {
    wholeStarts[fragment] = start;
    wholeEnds[fragment] = end;
    return at;
  }
  at = makeWhole(base, at);
  const from = at;
  at = again(wholeStarts[base]!, wholeStarts[base]! + stored.baseStart(fragment), at);
  at = again(start, end, at);
  at = again(wholeEnds[base]! - stored.baseEnd(fragment), wholeEnds[base]!, at);
  wholeStarts[fragment] = from;
  wholeEnds[fragment] = at;
  return at;
}

const bytesOf = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text));

const EMPTY_MAP = bytesOf('{}');
const HEAD = [bytesOf('{"flagged":false,"failed":'), bytesOf('{"flagged":true,"failed":')] as const;
const RUN_FIRST = bytesOf(',"run_id":"');
const RESULTS = [bytesOf(',"results":{'), bytesOf('","results":{')] as const;
const BUCKETS = EVENT_TYPES.map((type, i) => bytesOf(`${i === 0 ? '' : '},'}"${type}":{`));
const ORDER = bytesOf('}},"order":[');
const END = bytesOf(']}');
const RESULT = bytesOf(',"result":');
const REDACTED = bytesOf(',"redacted":');

function head(at: number): number {
  let failed = 0;
  let any = 0;
  const run = stored.count === 0 ? 0 : stored.number(0, AT.run);
  let sameRun = stored.count > 0;
  for (let i = 0; i < stored.count; i++) {
    if (stored.byte(i, AT.status) === FAILED || targets[i]?.failed) failed++;
    if (FLAGS[stored.byte(i, AT.flag)] === true) any = 1;
    if (stored.number(i, AT.run) !== run) sameRun = false;
  }
  at = put(HEAD[any]!, at);
  at += out.write(String(failed), at, 'latin1');
  if (!sameRun) return put(RESULTS[0], at);
  return put(RESULTS[1], text(run, put(RUN_FIRST, at)));
}

function buckets(at: number): number {
  for (let type = 0; type < EVENT_TYPES.length; type++) {
    at = put(BUCKETS[type]!, at);
    let first = true;
    for (let i = 0; i < stored.count; i++) {
      if (stored.byte(i, AT.type) !== type || takers[i]! >= 0) continue;
      if (!first) out[at++] = COMMA;
      first = false;
      out[at++] = QUOTE;
      at = text(stored.number(i, AT.eventId), at);
      out[at++] = QUOTE;
      out[at++] = COLON;
      at = result(i, at);
    }
  }
  return at;
}

// Blocks that may be copied: the results of own events up to their ids, by map and shape.
let blocks = 0;
const blockMaps = list();
const blockShapes = list();
const blockStarts = list();
const blockEnds = list();

function result(i: number, at: number): number {
  const content = contents?.[i];
  const number = shapeNumber(stored, i);
  const shape = shapeOf(number);
  const target = targets[i];
  at = target === undefined && shape.internal !== NOTHING ? block(i, number, shape, at) : opened(i, shape, target, at);
  at = text(stored.number(i, AT.eventId), at);
  if (content === undefined) return behindEvent(i, number, shape, at);
  at = restOf(i, shape, at).end;
  at = put(REDACTED, at - 1);
  at += out.write(content, at, 'latin1');
  out[at++] = CLOSE;
  return at;
}

function block(i: number, number: number, shape: EventShape, at: number): number {
  for (let known = 0; known < blocks; known++) {
    if (blockMaps[known] === mapStarts[i] && blockShapes[known] === number) {
      return again(blockStarts[known]!, blockEnds[known]!, at);
    }
  }
  const end = opened(i, shape, undefined, at);
  blockMaps[blocks] = mapStarts[i]!;
  blockShapes[blocks] = number;
  blockStarts[blocks] = at;
  blockEnds[blocks++] = end;
  return end;
}

/** A result up to the id of its event. */
function opened(
  i: number,
  { open, behindMap, betweenTimes, behindTimes }: EventShape,
  target: ReferenceTarget | undefined,
  at: number,
): number {
  at = put(behindMap, again(mapStarts[i]!, mapEnds[i]!, put(open, at)));
  if (betweenTimes === NOTHING) return at;
  if (target === undefined) {
    at = again(times + TIME_LENGTH, times + 2 * TIME_LENGTH, at);
    return put(behindTimes, again(times, times + TIME_LENGTH, put(betweenTimes, at)));
  }
  at += out.write(timestamp(target.completed), at, 'latin1');
  at = put(betweenTimes, at);
  at += out.write(timestamp(target.created), at, 'latin1');
  return put(behindTimes, at);
}

/** What was put behind the id of an own event. It is the same for those with the same run, session and shape, but for a number. */
interface Tail {
  run: number;
  session: number;
  shape: number;
  start: number;
  end: number;
  /** where the last two digits of the internal id are */
  digits: number;
}
const newTail = (): Tail => ({ run: -1, session: -1, shape: -1, start: 0, end: 0, digits: 0 });
const ofResults = newTail();
const ofOrder = newTail();
const tails = [ofResults, ofOrder] as const;

const isAgain = (tail: Tail, i: number, shape: number): boolean =>
  tail.shape === shape && tail.run === stored.number(i, AT.run) && tail.session === stored.number(i, AT.session);

function putTail({ start, end, digits }: Tail, i: number, at: number): number {
  const behind = again(start, end, at);
  putNumber(stored.byte(i, AT.number), at + digits - start);
  return behind;
}

function keepTail(tail: Tail, i: number, { shape, start, digits, end }: Omit<Tail, 'run' | 'session'>): void {
  tail.run = stored.number(i, AT.run);
  tail.session = stored.number(i, AT.session);
  tail.shape = shape;
  tail.start = start;
  tail.digits = digits;
  tail.end = end;
}

/** What follows the id of an event in its result. */
function behindEvent(i: number, number: number, shape: EventShape, at: number): number {
  const isOwn = targets[i] === undefined && shape.internal !== NOTHING && shape.note === NOTHING;
  if (isOwn && isAgain(ofResults, i, number)) return putTail(ofResults, i, at);
  const { digits, end } = restOf(i, shape, at);
  if (isOwn) keepTail(ofResults, i, { shape: number, start: at, digits, end });
  return end;
}

function restOf(i: number, shape: EventShape, at: number): Pick<Tail, 'digits' | 'end'> {
  if (shape.session !== NOTHING) at = text(stored.number(i, AT.session), put(shape.session, at));
  if (shape.internal !== NOTHING) at = internalId(i, put(shape.internal, at));
  const digits = at - 2;
  at = text(stored.number(i, AT.run), put(shape.run, at));
  if (shape.note !== NOTHING) at = text(stored.number(i, AT.note), put(shape.note, at));
  return { digits, end: put(shape.end, at) };
}

/** By type and place. */
const PLACES = EVENT_TYPES.map((type) =>
  Array.from({ length: MAX_ITEM }, (_, i) =>
    bytesOf(`${i === 0 ? '' : ','}{"index":${i},"type":"${type}","event_id":"`),
  ),
);
const RUN = bytesOf('","run_id":"');
const INTERNAL = bytesOf('","internal_event_id":"');
/** By status and flag. */
const PLACE_ENDS = STATUSES.flatMap((status) =>
  [false, true].map((flagged) => bytesOf(`","status":"${status}","flagged":${flagged}}`)),
);

function order(at: number): number {
  at = put(ORDER, at);
  for (let i = 0; i < stored.count; i++) {
    at = text(stored.number(i, AT.eventId), put(PLACES[stored.byte(i, AT.type)]![i]!, at));
    at = behindPlace(i, at);
    if (takers[i]! < 0) continue;
    at = result(i, put(RESULT, at - 1));
    out[at++] = CLOSE;
  }
  return put(END, at);
}

function behindPlace(i: number, at: number): number {
  const shape = stored.byte(i, AT.status) * 2 + (FLAGS[stored.byte(i, AT.flag)] === true ? 1 : 0);
  // What is put into a place below would be copied, too.
  const isOwn = targets[i] === undefined && stored.byte(i, AT.status) !== NOT_FOUND && takers[i]! < 0;
  if (isOwn && isAgain(ofOrder, i, shape)) return putTail(ofOrder, i, at);
  const start = at;
  at = text(stored.number(i, AT.run), put(RUN, at));
  if (stored.byte(i, AT.status) !== NOT_FOUND) at = internalId(i, put(INTERNAL, at));
  const digits = at - 2;
  at = put(PLACE_ENDS[shape]!, at);
  if (isOwn) keepTail(ofOrder, i, { shape, start, digits, end: at });
  return at;
}

// All of these write at `at`, and return where that ends.

/** The internal id of an event, or of the one that a reference names. */
function internalId(i: number, at: number): number {
  const target = targets[i];
  if (target !== undefined) return at + out.write(target.id, at, 'latin1');
  const end = again(HEADER_BYTES - ID_LENGTH, HEADER_BYTES, at);
  putNumber(stored.byte(i, AT.number), end - 2);
  return end;
}

/** Puts the number of an item into an internal id, of which it is the last six bits (`ids.ts`). */
function putNumber(item: number, at: number): void {
  out[at] = HEX[shared | (item >> 4)]!;
  out[at + 1] = HEX[item & 15]!;
}

function put(piece: Uint8Array, at: number): number {
  out.set(piece, at);
  return at + piece.length;
}

const text = (number: number, at: number): number => again(stored.textStart(number), stored.textEnd(number), at);

/** What `out` has from `start` to `end`. */
function again(start: number, end: number, at: number): number {
  const length = end - start;
  const to = out;
  if (length > FEW) to.copyWithin(at, start, end);
  else for (let i = 0; i < length; i++) to[at + i] = to[start + i]!;
  return at + length;
}
