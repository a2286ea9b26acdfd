/**
 * Reads a body and bounds it while it comes in: by the limit of all bodies (413), and by the memory that its team and key may
 * hold (503, `memory-shares.ts`).
 */
import { ApiError } from '../../shared/api/errors.js';
import { LIMITS } from '../../shared/api/limits.js';
import { chargeBody, type RateRefusal } from '../admission/rate-limit.js';
import { LARGE_BODY } from '../parse/body-parser.js';
import { type BodyPieces, createPieces } from './body-pieces.js';
import { type Edge, type Exchange, holdAs, release } from './exchange.js';
import { afterParsing } from './framing.js';
import { sendError } from './response.js';

/** Memory is reserved for at least so many bytes at once. What is reserved is what is counted. */
const AT_ONCE = 64 * 1024;
/** Memory is reserved for so many times what has come in, and never for more than is announced. */
const AHEAD = 2;

const mostOf = ({ route }: Exchange): number => route.mostBytes ?? LIMITS.bodyBytes;

function tooLarge(exchange: Exchange): ApiError {
  return new ApiError('request_too_large', `The body is larger than ${mostOf(exchange)} bytes.`);
}

function overloaded(): ApiError {
  const message = 'The bodies of your team, or of all, that wait for their answers take as much memory as they may.';
  return new ApiError('overloaded', `${message} Try again, with fewer or smaller ones at once.`);
}

/** Why a body of the announced length is not even read. */
export function bodyRefusal(edge: Edge, exchange: Exchange): ApiError | undefined {
  const announced = Number(exchange.headers.contentLength);
  if (announced > mostOf(exchange)) return tooLarge(exchange);
  return announced > edge.held.room(exchange.key) ? overloaded() : undefined;
}

const TOO_MANY = 'Requests of your team wait longer than they should. Try again, with fewer at once.';

// A caller that is refused while it sends should get to read why. So what it sends further is dropped, up to these bounds,
// before the connection is closed.
const LINGER_BYTES = 8 * 1024 * 1024;
const LINGER_MS = 1000;

function refuseLate(edge: Edge, exchange: Exchange, error: ApiError): (size: number, isLast: boolean) => void {
  const answer = (): void => {
    clearTimeout(timer);
    if (exchange.done) return;
    exchange.close = true;
    sendError(edge, exchange, error);
  };
  const timer = setTimeout(answer, LINGER_MS);
  let dropped = 0;
  return (size, isLast) => {
    dropped += size;
    if (isLast || dropped > LINGER_BYTES) answer();
  };
}

/** Calls `done` with a copy of the whole body, one buffer up to `LARGE_BODY`; or answers 413 or 503 and closes. */
export function readBody(edge: Edge, exchange: Exchange, done: (body: Buffer[], length: number) => void): void {
  const announced = Number(exchange.headers.contentLength);
  // A body that comes at once needs no pieces.
  let memory: BodyPieces | undefined;
  const most = mostOf(exchange);
  let drop: ((size: number, isLast: boolean) => void) | undefined;
  exchange.complete = false;
  exchange.res.onData((chunk, isLast) => {
    if (exchange.done) return;
    const size = chunk.byteLength;
    if (drop) {
      drop(size, isLast);
      return;
    }
    const length = exchange.came;
    const needed = length + size;
    const room = needed <= most ? roomFor(edge, exchange, { needed, announced: isLast ? needed : announced }) : 0;
    if (room < needed) {
      memory = undefined;
      release(edge, exchange);
      edge.transfers.end(exchange);
      drop = refuseLate(edge, exchange, needed > most ? tooLarge(exchange) : overloaded());
      drop(size, isLast);
      return;
    }
    exchange.came = needed;
    // Copied: uWebSockets.js takes the chunk's memory back on return.
    const bytes = new Uint8Array(chunk);
    let body: Buffer[];
    if (isLast && length === 0 && size <= LARGE_BODY) {
      exchange.body = edge.memory.copy(bytes);
      body = [exchange.body];
    } else {
      memory ??= createPieces();
      if (room > memory.room()) {
        holdAs(edge, exchange, room);
        memory.reserve(room);
      }
      memory.add(bytes);
      if (!isLast) {
        if (length === 0) edge.transfers.begin(exchange, announced);
        return;
      }
      edge.transfers.end(exchange);
      body = memory.take();
    }
    exchange.complete = true;
    // The deadline counts from here: the time that a caller takes to send is its own.
    exchange.received = Date.now();
    holdAs(edge, exchange, needed);
    chargeBody(edge.rates, exchange.key, { announced, length: needed });
    const turn = exchange.last ? afterParsing(exchange.turn) : exchange.turn;
    const enter = (): void => edge.turns.enter(exchange, needed, () => begin(edge, exchange, () => done(body, needed)));
    if (turn) void turn.then((refusal) => inTurn(edge, exchange, refusal, enter));
    else enter();
  });
}

/** Its team has its turn. */
function begin(edge: Edge, exchange: Exchange, go: () => void): void {
  const waited = Date.now() - exchange.received;
  if (!exchange.done && waited <= edge.settings.maxAgeMs) {
    goOn(edge, exchange, go);
    return;
  }
  release(edge, exchange);
  if (exchange.done) edge.turns.leave(exchange);
  else sendError(edge, exchange, new ApiError('overloaded', TOO_MANY));
}

/** Goes on with a body that was read before its turn, unless it is refused now or the caller has left. */
function inTurn(edge: Edge, exchange: Exchange, refusal: RateRefusal, go: () => void): void {
  if (refusal || exchange.done) {
    release(edge, exchange);
    return;
  }
  goOn(edge, exchange, go);
}

function goOn(edge: Edge, exchange: Exchange, go: () => void): void {
  try {
    go();
  } catch (error) {
    release(edge, exchange);
    sendError(edge, exchange, error);
  }
}

/**
 * Bytes to reserve once so many are needed. `announced`: length of the body; 0 or NaN when it is not announced. Never more than
 * the caller may hold: fewer than needed means that the body is refused.
 */
function roomFor(edge: Edge, exchange: Exchange, { needed, announced }: { needed: number; announced: number }): number {
  if (needed <= exchange.bytes) return exchange.bytes;
  const most = announced >= needed ? announced : LIMITS.bodyBytes;
  const wanted = Math.min(most, Math.max(AT_ONCE, AHEAD * needed));
  return Math.min(wanted, exchange.bytes + edge.held.room(exchange.key));
}
