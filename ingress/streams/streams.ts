/**
 * Streams: texts that are checked while they are written (decisions, Streams). A piece goes through these steps:
 *
 *     places of the API key ──> appended ──> a look at the window ──> settled ──> answered
 *                                  │              └── flagged ──> closed ─┐
 *                                  └── the last piece ────────────────────┴──> checked as a whole, stored ──> ended, answered
 *
 * What is stored is an ordinary check. Each step may be repeated: the caller sends the piece again, and other processes go on with it.
 */
import { ApiError } from '../../shared/api/errors.js';
import { LIMITS } from '../../shared/api/limits.js';
import type { ResultRecord } from '../../shared/api/results/record.js';
import type { StreamPiece } from '../../shared/api/validate/issues.js';
import { LOOK_FORMAT } from '../../shared/formats.js';
import type { Logger } from '../../shared/log.js';
import { isOutOfMemory, isPassing, type Redis } from '../../shared/streams/client.js';
import type { LookAnswer, TextOffset } from '../../shared/streams/looks.js';
import type { Registry } from '../../shared/telemetry.js';
import type { Scope } from '../admission/directory.js';
import type { CheckCaller } from '../dispatch/check-request.js';
import { forgetClaim } from '../dispatch/idempotency/claims.js';
import type { Edge } from '../http/exchange.js';
import { checkStreamText, claimOf, failureOf, recordBytes, recordIn } from './check.js';
import { lookAt } from './look.js';
import {
  type Appended,
  appendPiece,
  countAttempt,
  endStream,
  leavePlaces,
  NOTE_MS,
  noteStream,
  type StreamName,
  type StreamState,
  settlePiece,
  takePlaces,
  textOf,
} from './state.js';
import { type StreamAnswer, type StreamMeters, streamMeters, type TextStreams } from './types.js';

export interface StreamTools {
  redis: Redis;
  /** the format that this process writes: looks are of a later release than those before */
  writes(): number;
  logger: Logger;
  registry: Registry;
}

interface StreamParts extends StreamTools {
  meters: StreamMeters;
}

/** A piece on its way. */
interface PieceInHand {
  edge: Edge;
  caller: CheckCaller;
  piece: StreamPiece;
  scope: Scope;
  name: StreamName;
}

/** Where there is no Redis at hand. */
export const NO_STREAMS: TextStreams = {
  meters: undefined,
  add: () => Promise.reject(new ApiError('unavailable', 'This process does not check streams.')),
};

/** `edge`: known once it is made. */
export function createStreams(tools: StreamTools, edge: () => Edge): TextStreams {
  const meters = streamMeters(tools.registry);
  const parts = { ...tools, meters };
  return {
    meters,
    async add(caller, piece, scope) {
      if (tools.writes() < LOOK_FORMAT) {
        throw new ApiError('unavailable', 'Streams are not checked before all processes have this release. Try again.');
      }
      const name: StreamName = { team: caller.key.team, kind: piece.kind, scope: scope.id, id: piece.id };
      try {
        return await addPiece(parts, { edge: edge(), caller, piece, scope, name });
      } catch (error) {
        throw refusalOf(error);
      }
    },
  };
}

/** The 503 of an error of Redis. */
function refusalOf(error: unknown): unknown {
  if (error instanceof ApiError) return error;
  if (isOutOfMemory(error)) return new ApiError('overloaded', 'There is no room for the text of streams. Try again.');
  if (isPassing(error))
    return new ApiError('unavailable', 'The service cannot reach the stream at the moment. Try again.');
  return error;
}

async function addPiece(parts: StreamParts, hand: PieceInHand): Promise<StreamAnswer> {
  const { piece, edge } = hand;
  // Asked before anything is stored: a look that is refused later leaves the piece where it is, to be sent again.
  const refusal = edge.dispatcher.refusal();
  if (refusal) throw refusal;
  // A piece of a stream that is there already takes what it has.
  if (piece.sequence === 0) await takeRoom(parts, hand, LIMITS.streamPlaceBytes);
  let appended = await append(parts, hand, LIMITS.streamPlaceBytes);
  if (appended.status === 'room') {
    const room = Math.ceil(appended.bytes / LIMITS.streamPlaceBytes) * LIMITS.streamPlaceBytes;
    await takeRoom(parts, hand, room);
    appended = await append(parts, hand, room);
  }
  switch (appended.status) {
    case 'go':
      if (appended.state.status === 'closing') return await finish(parts, hand, appended);
      return await look(parts, hand, appended);
    case 'ended':
      return answerOfEnded(appended.state, piece);
    case 'room':
      throw new Error('a stream has no room after it was taken');
    default:
      parts.meters.refused.inc({ reason: appended.status });
      throw refusedPiece(appended, hand);
  }
}

function append({ redis }: StreamParts, hand: PieceInHand, room: number): Promise<Appended> {
  const { name, piece, caller } = hand;
  return appendPiece(redis, name, piece, { key: caller.key.id, room, most: mostBytes(hand) });
}

/** No more than can be checked when it has ended. */
const mostBytes = ({ name, edge }: PieceInHand): number =>
  name.kind === 'environment' ? LIMITS.contentBytes : Math.min(LIMITS.streamBytes, edge.settings.messageBytes);

/** Takes the places of so many bytes, and notes the stream as open. Throws 429. */
async function takeRoom({ redis, meters }: StreamParts, { name, caller }: PieceInHand, bytes: number): Promise<void> {
  const [ms] = await Promise.all([takePlaces(redis, name, caller.key.id, bytes), noteStream(redis, name)]);
  if (ms === 0) return;
  meters.refused.inc({ reason: 'places' });
  const kib = LIMITS.streamPlaceBytes / 1024;
  const message = `This API key has its ${LIMITS.streamPlaces} open streams, each counted once for every ${kib} KiB. End some with a last piece; one that is idle ends by itself.`;
  const quota = { name: 'streams', most: LIMITS.streamPlaces, seconds: LIMITS.streamSeconds };
  throw new ApiError('rate_limited', message, { retryAfter: 1, quota });
}

function refusedPiece(appended: Appended, hand: PieceInHand): ApiError {
  const { piece, name } = hand;
  const { sequence } = piece;
  const conflict = (message: string, param = 'sequence'): ApiError =>
    new ApiError('stream_conflict', message, { param });
  switch (appended.status) {
    case 'gap':
      return appended.expected === 0
        ? conflict(`sequence: there is no such stream in this ${name.kind}, or it has expired; a stream begins with 0.`)
        : conflict(`sequence: expected ${appended.expected}, or ${appended.expected - 1} again, and got ${sequence}.`);
    case 'differs':
      return conflict('delta: the piece with this sequence said something else.', 'delta');
    case 'opening':
      return conflict(`${appended.name}: differs from that of the first piece.`, appended.name);
    case 'busy':
      return new ApiError(
        'stream_busy',
        'The piece before is not answered yet. Wait for its answer, or send it again.',
      );
    case 'over':
      return conflict('sequence: the last piece of this stream has come. Begin another stream.');
    default: {
      const message = `delta: a stream of this kind holds at most ${mostBytes(hand)} bytes of UTF-8, metadata included. End it, and begin another.`;
      return new ApiError('content_too_large', message, { param: 'delta' });
    }
  }
}

type Going = Extract<Appended, { status: 'go' }>;

/**
 * A window of more units than this is looked at again when it has grown by a part of itself: what is held back for long then costs time that
 * is linear in it.
 */
const LONG_WINDOW = 32 * 1024;
const GROWTH = 8;

async function look(parts: StreamParts, hand: PieceInHand, { state, text }: Going): Promise<StreamAnswer> {
  const { redis, logger } = parts;
  const { name, piece, caller } = hand;
  const isOld = state.last - state.noted > NOTE_MS;
  if (isOld) renew(parts, hand, state);
  const length = state.units - state.window.units;
  if (length > LONG_WINDOW && (state.units - state.seen) * GROWTH < length) {
    return { safe: state.safe, delayed: state.delayed, final: false };
  }
  const found = await lookFrom(parts, hand, { state, text });
  const { from, answer } = found;
  const safe = behind(from, answer.safe);
  const settled = {
    sequence: piece.sequence,
    safe,
    window: behind(from, answer.next),
    looked: from.units + answer.looked,
    seen: state.units,
    noted: isOld ? state.last : state.noted,
    delayed: JSON.stringify(answer.delayed),
    closes: answer.flagged.length > 0,
  };
  const settling = settlePiece(redis, name, state.id, settled);
  if (!settled.closes) {
    // The next piece can do without: then it looks at more.
    settling.catch((error: unknown) =>
      logger.debug({ error: String(error), request_id: caller.requestId }, 'a look at a stream was not kept'),
    );
    return { safe, delayed: settled.delayed, final: false };
  }
  await settling;
  const all = from.units === 0 && state.window.units === 0 ? text : await textOf(redis, name);
  return await finish(parts, hand, { status: 'go', state: { ...state, safe, how: 'flagged' }, text: all });
}

/** Looks at the window, and where that is not enough at the whole text. `from`: where what was looked at begins. */
async function lookFrom(
  { redis }: StreamParts,
  { edge, caller, name, scope }: PieceInHand,
  { state, text }: Pick<Going, 'state' | 'text'>,
): Promise<{ from: TextOffset; answer: LookAnswer }> {
  const { role, metadata, window: from } = state;
  const ask = (at: TextOffset, bytes: Buffer): Promise<LookAnswer> =>
    lookAt(edge, caller, {
      name,
      scope,
      window: bytes,
      look: {
        role: role === '' ? 'assistant' : role,
        metadata,
        whole: at.units === 0,
        safe: state.safe.units - at.units,
        looked: Math.max(0, state.looked - at.units),
      },
    });
  const answer = await ask(from, text);
  if (!answer.unsure) return { from, answer };
  return { from: START, answer: await ask(START, await textOf(redis, name)) };
}

const START: TextOffset = { units: 0, points: 0, bytes: 0 };

const behind = (from: TextOffset, at: TextOffset): TextOffset => ({
  units: from.units + at.units,
  points: from.points + at.points,
  bytes: from.bytes + at.bytes,
});

/** Keeps what the stream has, which ends by itself where it is idle. */
function renew({ redis, logger }: StreamParts, { name, caller }: PieceInHand, { key, room }: StreamState): void {
  const failed = (error: unknown): void =>
    logger.debug({ error: String(error), request_id: caller.requestId }, 'a stream could not be renewed');
  takePlaces(redis, name, key, room).catch(failed);
  noteStream(redis, name).catch(failed);
}

/** Has all that has come checked and stored. */
async function finish(parts: StreamParts, hand: PieceInHand, { state, text }: Going): Promise<StreamAnswer> {
  const { edge, caller, piece, scope, name } = hand;
  const record = await checkStreamText(edge, caller, { name, state, text, scope });
  const failure = failureOf(record);
  if (failure) {
    await countAttempt(parts.redis, name);
    throw failure;
  }
  await keep(parts, name, state, record);
  parts.meters.ended.inc({ how: state.how === 'flagged' ? 'flagged' : 'final' });
  return { ...answerWith(state, piece, record, text.length), text };
}

/** Keeps the result of a stream, and gives back what it has taken. */
export async function keep(
  { redis, logger }: Pick<StreamTools, 'redis' | 'logger'>,
  name: StreamName,
  state: StreamState,
  record: ResultRecord,
): Promise<void> {
  try {
    if (!(await endStream(redis, name, state.id, recordBytes(record)))) return;
    // From here on the stream itself has the result.
    await Promise.all([leavePlaces(redis, name, state), forgetClaim(redis, claimOf(name, state), record.id)]);
  } catch (error) {
    // The check is stored. A piece that is sent again finds it, and what the stream has taken is free after a while.
    logger.debug({ error: String(error), check_id: record.id }, 'the end of a stream was not kept');
  }
}

function answerWith(state: StreamState, piece: StreamPiece, record: ResultRecord, bytes: number): StreamAnswer {
  const clean = record.items[0]!.flagged !== true;
  const whole: TextOffset = { units: state.units, points: state.points, bytes };
  return { safe: clean ? whole : state.safe, delayed: '[]', final: piece.final, record };
}

/** Throws the error of one that ended by itself and could not be evaluated. */
function answerOfEnded(state: StreamState, piece: StreamPiece): StreamAnswer {
  const record = recordIn(state.record!);
  const failure = failureOf(record);
  if (failure) throw failure;
  return answerWith(state, piece, record, state.bytes);
}
