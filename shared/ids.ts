/**
 * Internal ids (RFC 9562 UUIDv7). One id is drawn for a request; its last 16 bits say where it lives:
 *
 *     48 bits Unix milliseconds · version 7 · 12 random · variant · 46 random · 10 partition · 6 item
 *
 * Item 0 is the request itself, items 1 to 63 are what it checks. From any internal id follow the request, the
 * partition, the key of the result and the time, without asking anybody.
 */
import { randomFillSync } from 'node:crypto';

/** Most partitions an installation can have (10 bits of the id). */
export const MAX_PARTITIONS = 1024;
/** Highest item number of a request (6 bits of the id). */
export const MAX_ITEM = 63;

const HEX4: string[] = Array.from({ length: 0x10000 }, (_, n) => n.toString(16).padStart(4, '0'));
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

// Random numbers are drawn 512 requests at a time: one call into the kernel per request would cost more than the id.
const pool = new Uint16Array(4 * 512);
let drawn = pool.length;

function draw(): number {
  if (drawn === pool.length) {
    randomFillSync(pool);
    drawn = 0;
  }
  return pool[drawn++]!;
}

/** A fresh request id (item 0) in `partition`, at `now` Unix milliseconds. */
export function newRequestId(partition: number, now: number = Date.now()): string {
  const high = Math.floor(now / 0x10000);
  return (
    HEX4[(high >>> 16) & 0xffff]! +
    HEX4[high & 0xffff]! +
    '-' +
    HEX4[now % 0x10000]! +
    '-' +
    HEX4[0x7000 | (draw() & 0x0fff)]! +
    '-' +
    HEX4[0x8000 | (draw() & 0x3fff)]! +
    '-' +
    HEX4[draw()]! +
    HEX4[draw()]! +
    HEX4[partition << 6]!
  );
}

/** The id of item `item` (0 to 63) of the request that `id`, any id of that request, belongs to. */
export function itemId(id: string, item: number): string {
  const low = Number.parseInt(id.slice(32), 16);
  return id.slice(0, 32) + HEX4[(low & 0xffc0) | item]!;
}

/** As {@link itemId}, for many items of one request. */
export function itemIds(id: string): (item: number) => string {
  const prefix = id.slice(0, 32);
  const low = Number.parseInt(id.slice(32), 16) & 0xffc0;
  return (item) => prefix + HEX4[low | item]!;
}

/** Whether `id` is a UUID in canonical form, lower or upper case. */
export function isUuid(id: string): boolean {
  return UUID.test(id.toLowerCase());
}

export interface IdParts {
  /** id of the request: item 0 */
  requestId: string;
  partition: number;
  item: number;
  /** Unix milliseconds at which the request was received */
  time: number;
}

/** What an id says of itself; undefined when it is not one of ours (any other UUID, or no UUID). */
export function partsOf(id: string): IdParts | undefined {
  const lower = id.toLowerCase();
  if (!UUID_V7.test(lower)) return undefined;
  const low = Number.parseInt(lower.slice(32), 16);
  return {
    requestId: lower.slice(0, 32) + HEX4[low & 0xffc0]!,
    partition: low >>> 6,
    item: low & 0x3f,
    time: Number.parseInt(lower.slice(0, 8) + lower.slice(9, 13), 16),
  };
}

/** Partition of an id of ours, which needs no checking. */
export function partitionOf(id: string): number {
  return Number.parseInt(id.slice(32), 16) >>> 6;
}

/** An event or run id for a caller who sent none: `evt_` or `run_` and the hex digits of an internal id. */
export function generatedId(prefix: 'evt' | 'run', id: string): string {
  return `${prefix}_${id.replaceAll('-', '')}`;
}

const GENERATED_RUN_ID = /^run_[0-9a-f]{32}$/;

/** The request that a run id was generated for; undefined when it is not one of ours. */
export function requestOfRun(runId: string): IdParts | undefined {
  if (!GENERATED_RUN_ID.test(runId)) return undefined;
  const hex = runId.slice(4);
  const lengths = [8, 12, 16, 20];
  return partsOf(`${hex.slice(0, 8)}-${lengths.map((at, i) => hex.slice(at, lengths[i + 1] ?? 32)).join('-')}`);
}

/** FNV-1a, 32 bits, over UTF-16 units: the same key is in the same place in every process and release. */
export function hash32(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) {
    hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  }
  return hash >>> 0;
}

/**
 * Sequence of a result as one number: the work entry's stream id `ms-n` as `ms * 4096 + n`. Exact as a double (and so
 * as a ZSET score) until the year 2039; more than 4,096 entries of one partition in one millisecond share the last place.
 */
export function sequenceOf(entryId: string): number {
  const dash = entryId.indexOf('-');
  return Number(entryId.slice(0, dash)) * 4096 + Math.min(Number(entryId.slice(dash + 1)), 4095);
}
