/**
 * The way of every POST that has something checked, in steps. Each step hands on to the next and does not come back:
 *
 *     read       the body, counted while it comes in            else 413, 503
 *     parse      JSON of the right shape; large ones on a thread   else 415, 400, 503
 *     authorise  where it runs, and what it may name            else 400, 403, 404
 *     submit     look up what is missing, hand it over          else 404, 409, 429, 503
 *     render     the record, or what a late check is told       200, 504, or the error of the check
 *
 * What differs between kinds of checks is in {@link CheckRoute}.
 */
import { ApiError, storedError } from '../../shared/api/errors.js';
import { isPlainView, type PolicyView, viewedRecord } from '../../shared/api/results/explanation.js';
import { hasItems } from '../../shared/api/results/layout.js';
import type { AskedScores, ResultRecord } from '../../shared/api/results/record.js';
import { redactedRecord } from '../../shared/api/results/redaction.js';
import type { CheckKind } from '../../shared/api/types.js';
import type { CheckInput } from '../../shared/api/validate/issues.js';
import type { Scope } from '../admission/directory.js';
import { canBeAddedAgain } from '../dispatch/add-again.js';
import { type CheckCaller, checkRequest } from '../dispatch/check-request.js';
import { fingerprintOf } from '../dispatch/idempotency/key.js';
import type { CheckOutcome, CheckRequest } from '../dispatch/types.js';
import { bearerOf } from '../http/auth.js';
import { type Edge, type Exchange, type Handler, release } from '../http/exchange.js';
import { waitOf } from '../http/headers.js';
import { readView } from '../http/query.js';
import { readBody } from '../http/read-body.js';
import { sendError, sendJson } from '../http/response.js';
import { tellFindings } from '../http/tracing.js';
import type { ParsedBody } from '../parse/body-parser.js';
import { withoutMark } from '../parse/byte-order-mark.js';
import type { BodyKind } from '../parse/parse-body.js';
import { createSealer } from '../seals/seal.js';
import { parseBody, validInput } from './body.js';
import { checkedTexts, type ItemTexts } from './matched.js';

export interface CheckRoute<Where extends Scope = Scope> {
  kind: CheckKind;
  /** how the body is read, where that is not its kind */
  body?(edge: Edge, exchange: Exchange): BodyKind;
  /** Where the check runs. Throws 400, 403 or 404. */
  permit(edge: Edge, exchange: Exchange, input: CheckInput): Where;
  /** The answer to a request without a body; absent: it is not valid. Throws 400. */
  empty?(exchange: Exchange): string;
  /** The answer to a request that leaves nothing to check. */
  nothing?(input: CheckInput): string | undefined;
  /** Whether the answer needs the redacted content; absent: where the query asks for it. */
  redacts?(scope: Where): boolean;
  /** What callers see of policies, where the query does not say. */
  view?: PolicyView;
  /** Scores that the answer needs. */
  scores?(scope: Where, input: CheckInput): AskedScores;
  /** The answer needs all that is found in the text. */
  finds?: true;
  /** The answer to several checks, where `input` is a batch of them: by their records, in order. */
  renderAll?(records: readonly ResultRecord[], input: CheckInput, scope: Where): string;
  /** Looks up what the check has beside what its input says; undefined: there is nothing to look up. */
  prepare?(input: CheckInput): PreparedCheck | undefined;
  render(record: ResultRecord, input: CheckInput, request: CheckRequest): string | Uint8Array;
  /** The same from the bytes of a record that has items. */
  renderStored?(stored: Buffer): Uint8Array;
  /** The same, where something must be looked up for the answer. */
  renderLater?(edge: Edge, exchange: Exchange, record: ResultRecord): Promise<string>;
  /** The answer to a late check: the 504 that says where its result will be, or the body of a 200. */
  timeout(requestId: string, scope: string, input: CheckInput, request: CheckRequest): ApiError | string;
  /** The error of a check in the words of the request that it was made of. */
  reword?(error: ApiError, input: CheckInput): ApiError;
}

/** Finds what changes in a check. Rejects with 400, 404, 409 or 503. */
export type PreparedCheck = (edge: Edge, request: CheckRequest) => Promise<Partial<CheckRequest>>;

/** A request on its way. */
interface CheckExchange {
  route: CheckRoute;
  edge: Edge;
  exchange: Exchange;
}

/** The handler of a POST that has `route` checked. */
export function checking(route: CheckRoute): Handler {
  return (edge, exchange) => {
    const check: CheckExchange = { route, edge, exchange };
    readBody(edge, exchange, (pieces, length) => parse(check, withoutMark(pieces), length));
  };
}

/** `pieces`: the body, one buffer up to `LARGE_BODY`. */
function parse(check: CheckExchange, pieces: Buffer[], length: number): void {
  const { route, edge, exchange } = check;
  try {
    const kind = route.body?.(edge, exchange) ?? route.kind;
    if (length === 0 && route.empty) {
      const answer = route.empty(exchange);
      release(edge, exchange);
      sendJson(edge, exchange, answer);
      return;
    }
    const parsed = parseBody(edge, exchange, kind, { pieces, length });
    if (!(parsed instanceof Promise)) authorise(check, parsed);
    else {
      parsed.then(
        (body) => authorise(check, body),
        (error) => end(check, error),
      );
    }
  } catch (error) {
    end(check, error);
  }
}

function authorise(check: CheckExchange, parsed: ParsedBody): void {
  const { route, edge, exchange } = check;
  try {
    const input = validInput(edge, parsed.result);
    exchange.view = route.view ?? readView(exchange);
    const scope = route.permit(edge, exchange, input);
    const nothing = route.nothing?.(input);
    if (nothing === undefined) {
      submit(check, input, scope, parsed);
      return;
    }
    release(edge, exchange);
    sendJson(edge, exchange, nothing);
  } catch (error) {
    end(check, error);
  }
}

function submit(check: CheckExchange, input: CheckInput, scope: Scope, parsed: ParsedBody): void {
  const { route, edge, exchange } = check;
  exchange.wait = waitOf(exchange.headers.prefer, edge.settings.deadlineMs);
  if (input.batch) {
    submitAll(check, input, scope, parsed);
    return;
  }
  const request = requestOf(check, input, scope, parsed);
  const { idempotencyKey: key } = exchange.headers;
  const prepare = route.prepare?.(input);
  if (!prepare && key === undefined) {
    dispatch(check, input, request);
    return;
  }
  // The dispatcher refuses by itself. Asked before, too, nothing is looked up or hashed for a request that it would refuse.
  const refusal = edge.dispatcher.refusal();
  if (refusal) throw refusal;
  completed(check, input, request, prepare).then(
    (complete) => dispatch(check, input, complete),
    (error) => end(check, error),
  );
}

function requestOf(
  { route, edge, exchange }: CheckExchange,
  input: CheckInput,
  scope: Scope,
  parsed: ParsedBody,
): CheckRequest {
  const redact = route.redacts ? route.redacts(scope) : exchange.view.redact === true;
  const scores = route.scores?.(scope, input);
  return checkRequest(edge, callerOf(exchange, redact), {
    kind: route.kind,
    input,
    scope,
    parsed,
    scores,
    finds: route.finds,
  });
}

/** Submits each of a batch by itself. They are answered together: where one has no verdict, by its error. */
function submitAll(check: CheckExchange, input: CheckInput, scope: Scope, parsed: ParsedBody): void {
  const { edge, exchange } = check;
  const refusal = edge.dispatcher.refusal();
  if (refusal) throw refusal;
  // One was counted with the request.
  if (exchange.key.requestsPerMinute !== null) edge.rates.charge(exchange.key, input.batch!.length - 1);
  const { idempotencyKey: key } = exchange.headers;
  const all = input.batch!.map(async (session, i): Promise<Submitted> => {
    const request = requestOf(check, { ...input, session }, scope, parsed);
    const complete = key === undefined ? request : await withRetry(exchange, input, request, `${key} ${i}`);
    return { request, outcome: await edge.dispatcher.check(complete) };
  });
  // All of them: as long as one is under way, its body may still be sent.
  void Promise.allSettled(all).then((settled) => {
    release(edge, exchange);
    if (exchange.done) return;
    try {
      const records = settled.map((one) => {
        if (one.status === 'rejected') throw one.reason;
        return recordOf(check, input, one.value);
      });
      exchange.replayed = settled.every((one) => one.status === 'fulfilled' && one.value.outcome.replayed === true);
      sendJson(edge, exchange, check.route.renderAll!(records, input, scope));
    } catch (error) {
      sendError(edge, exchange, error);
    }
  });
}

/** One of a batch. */
interface Submitted {
  request: CheckRequest;
  outcome: CheckOutcome;
}

/** Throws where it has no verdict. */
function recordOf(
  { route, exchange }: CheckExchange,
  input: CheckInput,
  { request, outcome }: Submitted,
): ResultRecord {
  if (outcome.status === 'timeout') throw route.timeout(outcome.id, request.scope, input, request);
  const { record } = outcome;
  if (exchange.span) tellFindings(exchange.span, record);
  if (!record.error) return viewedRecord(record, exchange.view);
  const error = storedError(record.error);
  throw route.reword?.(error, input) ?? error;
}

/** The caller of a request. */
export const callerOf = (exchange: Exchange, redact: boolean): CheckCaller => {
  const { key, received, traceparent, span, wait, requestId } = exchange;
  return { key, received, traceparent, ...(span ? { traced: true } : {}), requestId, redact, wait };
};

/** The request with what must be looked up for it, and with what a retry is recognised by. */
async function completed(
  { edge, exchange }: CheckExchange,
  input: CheckInput,
  request: CheckRequest,
  prepare: PreparedCheck | undefined,
): Promise<CheckRequest> {
  const more = await prepare?.(edge, request);
  const { idempotencyKey: key } = exchange.headers;
  const complete = { ...request, ...more };
  if (key === undefined) return complete;
  const known = await withRetry(exchange, input, complete, key);
  return more?.conversations ? { ...known, conversations: more.conversations } : known;
}

/** With what a retry is recognised by. */
async function withRetry(
  { route }: Exchange,
  { eventIds, referred, conversations }: CheckInput,
  request: CheckRequest,
  key: string,
): Promise<CheckRequest> {
  const fingerprint = await fingerprintOf(route.path, request.scope, request.body);
  return { ...request, conversations, retry: { key, fingerprint, eventIds, referred } };
}

function dispatch(check: CheckExchange, input: CheckInput, request: CheckRequest): void {
  const { edge, exchange } = check;
  edge.dispatcher.check(request).then(
    (outcome) => {
      if (exchange.view.matched && outcome.status === 'done') {
        renderMatched(check, input, request, outcome);
        return;
      }
      release(edge, exchange);
      render(check, input, request, outcome);
      if (outcome.status === 'done') leaveBody(check, request);
    },
    (error) => end(check, error),
  );
}

/**
 * Gives the memory of a body back whose check has its result: its entry was read, so none of it is still to be sent. Not where it may be
 * added again, nor where its content is shown, which may be made later.
 */
function leaveBody({ edge, exchange }: CheckExchange, request: CheckRequest): void {
  if (exchange.body && !canBeAddedAgain(request) && !request.redact) edge.memory.giveBack(exchange.body);
}

/** An outcome that has come in time. */
type FinishedCheck = Extract<CheckOutcome, { status: 'done' }>;

/** Renders with what was found in the texts of the body, which are read again for that. */
function renderMatched(check: CheckExchange, input: CheckInput, request: CheckRequest, outcome: FinishedCheck): void {
  const { edge, exchange } = check;
  const answer = (texts: ItemTexts | undefined): void => {
    release(edge, exchange);
    render(check, input, request, outcome, texts);
  };
  try {
    const texts = exchange.done ? undefined : checkedTexts(edge, request, outcome.record);
    if (texts instanceof Promise) texts.then(answer, (error) => end(check, error));
    else answer(texts);
  } catch (error) {
    end(check, error);
  }
}

function render(
  check: CheckExchange,
  input: CheckInput,
  request: CheckRequest,
  outcome: CheckOutcome,
  texts?: ItemTexts,
): void {
  const { route, edge, exchange } = check;
  if (exchange.done) return;
  exchange.replayed = outcome.replayed === true;
  try {
    if (outcome.status === 'timeout') {
      const late = route.timeout(outcome.id, request.scope, input, request);
      if (typeof late !== 'string') throw late;
      sendJson(edge, exchange, late);
      return;
    }
    if (exchange.span) tellFindings(exchange.span, outcome.record);
    const { stored } = outcome;
    const asStored = isPlainView(exchange.view) && !request.redact;
    if (stored && route.renderStored && asStored && hasItems(stored)) {
      sendJson(edge, exchange, route.renderStored(stored));
      return;
    }
    const record = shownRecord(edge, exchange, request, { stored: outcome.record, texts });
    // Events and artifacts carry their failures themselves. A session has no status to say it with.
    if (record.error && (record.kind === 'session' || record.items.length === 0)) {
      const error = storedError(record.error);
      throw route.reword?.(error, input) ?? error;
    }
    if (route.renderLater) {
      route.renderLater(edge, exchange, record).then(
        (json) => sendJson(edge, exchange, json),
        (error) => sendError(edge, exchange, error),
      );
    } else sendJson(edge, exchange, route.render(record, input, request));
  } catch (error) {
    sendError(edge, exchange, error);
  }
}

/** A record, and the texts of its items, where they are shown. */
interface ShownRecord {
  stored: ResultRecord;
  texts: ItemTexts | undefined;
}

/** The record with what the request asks for. */
function shownRecord(
  edge: Edge,
  { view, headers }: Exchange,
  request: CheckRequest,
  { stored, texts }: ShownRecord,
): ResultRecord {
  const viewed = viewedRecord(stored, view, texts && (({ item, target }) => (target ? undefined : texts.get(item))));
  if (!request.redact || stored.error) return viewed;
  const owner = { token: bearerOf(headers) ?? '', team: request.team, key: request.key };
  const record = redactedRecord(viewed, request.body, view.reversible ? createSealer(owner) : undefined);
  const redacted = record.items.filter((item) => (item.redacted ?? item.redactedMessage) !== undefined).length;
  const refused = record.items.filter((item, i) => item.note !== viewed.items[i]!.note).length;
  if (redacted > 0) edge.metrics.redactions('redacted', redacted);
  if (refused > 0) edge.metrics.redactions('refused', refused);
  const sealed = record.items.filter((item) => item.sealed !== undefined).length;
  if (sealed > 0) edge.metrics.seals('made', sealed);
  return record;
}

/** Ends a check that is not under way: nothing of it is held any more. */
function end({ edge, exchange }: CheckExchange, error: unknown): void {
  release(edge, exchange);
  sendError(edge, exchange, error);
}

/** The 504 that all kinds share, with what each adds. */
export function timeoutError(details: ApiError['details']): ApiError {
  const message = 'The check was accepted but not finished in time. It goes on; fetch its result later.';
  return new ApiError('evaluation_timeout', message, details);
}
