/**
 * A stream in Redis: its text, and what is known of it. Its life (decisions, Streams):
 *
 *     open ──a policy is flagged, the last piece has come, or none for long──> closing ──its check has a result──> ended ──> forgotten
 *
 * - open: pieces are appended; looks move what is safe.
 * - closing: nothing is appended any more, so the check that is stored is the same however often it is tried.
 * - ended: the record is kept for those who ask again; the text is dropped.
 */
import { createHash, randomUUID } from 'node:crypto';
import { LIMITS } from '../../shared/api/limits.js';
import type { StreamPiece } from '../../shared/api/validate/issues.js';
import { hash32 } from '../../shared/ids.js';
import { isCluster, type Redis } from '../../shared/streams/client.js';
import { keys, OPEN_STREAM_SETS } from '../../shared/streams/keys.js';
import type { TextOffset } from '../../shared/streams/looks.js';
import { type Argument, script } from '../../shared/streams/script.js';
import { sendTogether } from '../../shared/streams/send.js';

const append = script('streams/append-piece');
const settle = script('streams/settle-piece');
const end = script('streams/end-stream');
const expire = script('streams/expire-stream');
const takePlacesOf = script('streams/take-places');
const note = script('streams/note-stream');
const takeIdleIn = script('streams/take-idle');

export const IDLE_MS = LIMITS.streamSeconds * 1000;
/** A stream that no process ends is dropped after a day. */
const LIFE_MS = 86_400_000;
/** How long the result of one that has ended is kept for a piece that is sent again. */
const KEPT_MS = 600_000;
/** How often it is noted that a stream lives, at most. */
export const NOTE_MS = 60_000;
/** Streams that are ended at once, and how long others leave them to the process that has taken them. */
const [MOST_IDLE, LEASE_MS] = [32, 60_000] as const;

/** Which stream. */
export interface StreamName {
  team: string;
  kind: 'deployment' | 'environment';
  scope: string;
  id: string;
}

export interface StreamState {
  /** random: another stream with the same name has another one */
  id: string;
  /** id of the API key that has begun it */
  key: string;
  role: string;
  run: string;
  session: string;
  /** JSON, or '' */
  metadata: string;
  status: 'open' | 'closing' | 'ended';
  /** why it closes, or has ended */
  how: 'flagged' | 'final' | undefined;
  /** number of the check that is stored of it: one that had no verdict is made again under another */
  attempt: number;
  /** UTF-16 units and code points that have come */
  units: number;
  points: number;
  /** bytes of the text and the metadata */
  bytes: number;
  /** bytes that it has room for */
  room: number;
  safe: TextOffset;
  /** where the window begins */
  window: TextOffset;
  /** up to where sentences were looked at, and what had come at the last look, in UTF-16 units */
  looked: number;
  seen: number;
  /** JSON of the ids of delayed policies, of the last look */
  delayed: string;
  /** Unix ms at which it was noted that it lives, and of its last piece, by Redis's clock */
  noted: number;
  last: number;
  /** its record, once it has ended */
  record: Buffer | undefined;
}

export type Appended =
  /** `text`: from the window on; of a stream that closes, all of it */
  | { status: 'go'; state: StreamState; text: Buffer }
  | { status: 'ended'; state: StreamState }
  | { status: 'gap'; expected: number }
  | { status: 'opening'; name: string }
  | { status: 'room'; bytes: number }
  | { status: 'differs' | 'busy' | 'over' | 'long' };

const keyOf = ({ team, kind, scope, id }: StreamName): string => keys.stream(team, kind, scope, id);
const bothKeys = (name: StreamName): string[] => [keyOf(name), keys.streamText(keyOf(name))];

export interface AppendOptions {
  /** id of the API key */
  key: string;
  /** bytes that there is room for */
  room: number;
  /** most bytes of the stream */
  most: number;
}

/** Appends a piece. Rejects with the error of Redis. */
export async function appendPiece(
  redis: Redis,
  name: StreamName,
  piece: StreamPiece,
  { key, room, most }: AppendOptions,
): Promise<Appended> {
  const { delta, sequence, final, role, run, session, metadata } = piece;
  const low = isLow(delta.charCodeAt(0)) ? delta.charCodeAt(0).toString(16) : '';
  const rest = low === '' ? delta : delta.slice(1);
  const high = isHigh(rest.charCodeAt(rest.length - 1)) ? rest.charCodeAt(rest.length - 1).toString(16) : '';
  const text = high === '' ? rest : rest.slice(0, -1);
  const values: Argument[] = [
    sequence,
    printOf(piece),
    final ? '1' : '',
    Buffer.from(text),
    delta.length,
    pointsIn(delta),
    low,
    high,
  ];
  values.push(role, run, session, metadata, randomUUID(), key, room, most, LIFE_MS);
  const reply = (await append.bytes(redis, bothKeys(name), values)) as [Buffer, ...unknown[]];
  const status = reply[0].toString();
  switch (status) {
    case 'go':
      return { status, state: stateIn(reply[1] as Buffer[]), text: reply[2] as Buffer };
    case 'ended':
      return { status, state: stateIn(reply[1] as Buffer[]) };
    case 'gap':
      return { status, expected: Number(reply[1]) };
    case 'opening':
      return { status, name: OPENING[String(reply[1])]! };
    case 'room':
      return { status, bytes: Number(reply[1]) };
    default:
      return { status: status as 'differs' };
  }
}

/** Names of what the first piece has said, as callers know them. */
const OPENING: Readonly<Record<string, string>> = {
  role: 'role',
  run: 'run_id',
  session: 'external_session_id',
  metadata: 'metadata',
};

const isHigh = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;
const isLow = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;

function pointsIn(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

const printOf = ({ delta, final }: StreamPiece): string =>
  createHash('sha1')
    .update(final ? 'final' : 'more')
    .update(delta, 'utf16le')
    .digest('base64');

function stateIn(list: readonly Buffer[]): StreamState {
  const of = new Map<string, Buffer>();
  for (let i = 0; i + 1 < list.length; i += 2) of.set(list[i]!.toString(), list[i + 1]!);
  const text = (name: string): string => of.get(name)?.toString() ?? '';
  const number = (name: string): number => Number(text(name));
  const offset = (name: string): TextOffset => ({
    units: number(`${name}Units`),
    points: number(`${name}Points`),
    bytes: number(`${name}Bytes`),
  });
  return {
    id: text('id'),
    key: text('key'),
    role: text('role'),
    run: text('run'),
    session: text('session'),
    metadata: text('metadata'),
    status: text('status') as StreamState['status'],
    how: (text('how') || undefined) as StreamState['how'],
    attempt: number('attempt'),
    units: number('units'),
    points: number('points'),
    bytes: number('bytes'),
    room: number('room'),
    safe: offset('safe'),
    window: offset('window'),
    looked: number('looked'),
    seen: number('seen'),
    delayed: text('delayed') || '[]',
    noted: number('noted'),
    last: number('last'),
    record: of.get('record'),
  };
}

/** What a look has moved. */
export interface SettledPiece {
  sequence: number;
  safe: TextOffset;
  window: TextOffset;
  looked: number;
  seen: number;
  noted: number;
  delayed: string;
  /** a policy is flagged, so the stream closes */
  closes: boolean;
}

export async function settlePiece(redis: Redis, name: StreamName, id: string, settled: SettledPiece): Promise<void> {
  const { sequence, safe, window, looked, seen, noted, delayed, closes } = settled;
  const offset = (prefix: string, { units, points, bytes }: TextOffset): Argument[] => [
    `${prefix}Units`,
    units,
    `${prefix}Points`,
    points,
    `${prefix}Bytes`,
    bytes,
  ];
  const fields = [
    ...offset('safe', safe),
    ...offset('window', window),
    'looked',
    looked,
    'seen',
    seen,
    'noted',
    noted,
    'delayed',
    delayed,
  ];
  await settle(redis, [keyOf(name)], [id, sequence, closes ? 'closing' : 'open', ...fields]);
}

/** All that has come. */
export async function textOf(redis: Redis, name: StreamName): Promise<Buffer> {
  return (await redis.getBuffer(keys.streamText(keyOf(name)))) ?? Buffer.alloc(0);
}

/** Counts a check without a verdict: the next one is another. */
export async function countAttempt(redis: Redis, name: StreamName): Promise<void> {
  await redis.hincrby(keyOf(name), 'attempt', 1);
}

/** False: it has ended already, or is another one. */
export async function endStream(redis: Redis, name: StreamName, id: string, record: Buffer): Promise<boolean> {
  return (await end(redis, bothKeys(name), [id, record, KEPT_MS])) === 1;
}

export type Expired =
  | { status: 'gone' }
  | { status: 'live'; ms: number }
  | { status: 'closing'; state: StreamState; text: Buffer };

/** Closes a stream that has been idle for too long. */
export async function expireStream(redis: Redis, name: StreamName): Promise<Expired> {
  const reply = (await expire.bytes(redis, bothKeys(name), [IDLE_MS])) as [Buffer, ...unknown[]];
  const status = reply[0].toString();
  if (status === 'live') return { status, ms: Number(reply[1]) };
  if (status === 'closing') return { status, state: stateIn(reply[1] as Buffer[]), text: reply[2] as Buffer };
  return { status: 'gone' };
}

const member = ({ team, kind, scope, id }: StreamName): string => JSON.stringify([team, kind, scope, id]);
const setOf = (stream: string): string => keys.openStreams(hash32(stream) % OPEN_STREAM_SETS);

/** Notes that a stream lives: it is looked at again after `ms`. */
export async function noteStream(redis: Redis, name: StreamName, ms: number = IDLE_MS): Promise<void> {
  const stream = member(name);
  await note(redis, [setOf(stream)], [ms, stream]);
}

/** The sets that have open streams, or of which Redis does not say so. */
export async function filledSets(redis: Redis): Promise<number[]> {
  const sets = Array.from({ length: OPEN_STREAM_SETS }, (_, set) => set);
  const filled = isCluster(redis) ? 1 : await redis.exists(...sets.map(keys.openStreams)).catch(() => 1);
  if (filled === 0) return [];
  const counts = await sendTogether(
    redis,
    sets.map((set) => ['ZCARD', keys.openStreams(set)]),
  ).catch(() => []);
  return sets.filter((set) => counts[set] !== 0);
}

/** Takes open streams that may be idle from one of the sets. */
export async function takeIdle(redis: Redis, set: number): Promise<StreamName[]> {
  const streams = (await takeIdleIn(redis, [keys.openStreams(set)], [LEASE_MS, MOST_IDLE])) as string[];
  return streams.map((each) => {
    const [team, kind, scope, id] = JSON.parse(each) as [string, StreamName['kind'], string, string];
    return { team, kind, scope, id };
  });
}

const placesOf = (name: StreamName, bytes: number): string[] => {
  const hash = createHash('sha1').update(member(name)).digest('base64url');
  const count = Math.max(1, Math.ceil(bytes / LIMITS.streamPlaceBytes));
  return Array.from({ length: count }, (_, i) => `${hash}:${i}`);
};

/** Takes, or keeps, the places of a stream of so many bytes. Resolves to 0, or to the ms until an API key without enough has one. */
export async function takePlaces(redis: Redis, name: StreamName, key: string, bytes: number): Promise<number> {
  const values = [IDLE_MS + NOTE_MS, LIMITS.streamPlaces, ...placesOf(name, bytes)];
  return Number(await takePlacesOf(redis, [keys.streamPlaces(name.team, key)], values));
}

/** Gives back what an ended stream has taken. */
export async function leavePlaces(
  redis: Redis,
  name: StreamName,
  { key, room }: Pick<StreamState, 'key' | 'room'>,
): Promise<void> {
  const stream = member(name);
  await Promise.all([
    redis.zrem(keys.streamPlaces(name.team, key), ...placesOf(name, room)),
    redis.zrem(setOf(stream), stream),
  ]);
}
