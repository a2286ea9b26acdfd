/**
 * Checks with an Idempotency-Key: the first request with a key begins the check, every later one finds it again, in
 * whichever process it arrives (decisions, Sync deadline and failures).
 *
 *     claim ── claimed ──> its entry is added ──> answered like any other check
 *       └── held by an earlier request:
 *             other fingerprint ──> 409 mismatch; where that check ended without a verdict: released, then claimed anew
 *             done ──> its record; where it has no verdict: released, then claimed anew
 *             pending ──> waits for it
 *             not added, young ──> looked at again, after 500 ms 409 in progress
 *             not added, older, or gone from Redis ──> read from ClickHouse, else added again under the same id
 *             barred, or an item of it was erased ──> released, then claimed anew
 *
 * A request id has one result, whoever adds it (rules 3 and 8 of the architecture). So a second id under a live claim must never
 * happen. A claim ends only in these cases:
 * - Its entry was refused. The request that made the claim releases it. A retry that has taken the claim over first bars the
 *   id, so that nobody else can add it.
 * - Its check ended without a verdict: an image is at fault or could not be fetched. That id gets no other result, and the
 *   request may be corrected or sent again. An answer with a verdict keeps its key.
 * - An item of its check was erased. What is noted as erased is deleted whenever it comes again, so its id can have no other result.
 */

import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '../../../shared/api/errors.js';
import type { ResultRecord } from '../../../shared/api/results/record.js';
import { inTime, within } from '../../../shared/async.js';
import { partitionOf, partsOf } from '../../../shared/ids.js';
import type { Logger } from '../../../shared/log.js';
import { isFateUnknown, type Redis } from '../../../shared/streams/client.js';
import { hotRecord } from '../../../shared/streams/hot/records.js';
import type { WorkStream } from '../../../shared/streams/keys.js';
import { type CounterBy, metersOf, type Registry } from '../../../shared/telemetry.js';
import type { DispatchConnections } from '../add-entry.js';
import type { CheckOutcome, CheckRequest, Retry } from '../types.js';
import {
  abandonClaim,
  addCheck,
  barCheck,
  CLAIM_LIMITS,
  type Claim,
  type ClaimKey,
  type ClaimLimits,
  claimKey,
  findCheck,
  hashedKey,
  releaseClaim,
  takeClaim,
} from './claims.js';
import { createIdempotencyErrors, type IdempotencyErrors } from './errors.js';
import type { Recall } from './rebuild-result.js';

/** A check whose caller sent an Idempotency-Key. */
export type RetryRequest = CheckRequest & { retry: Retry };

/** What the dispatcher does for it. */
export interface Hands {
  connections: DispatchConnections;
  recall: Recall;
  /** A request id for it, in its partition. */
  draw(request: CheckRequest): string;
  /** Waits for a check that `add` adds. `add` says whether this call added it. */
  begin(request: CheckRequest, id: string, add: (header: string) => Promise<boolean>): Promise<CheckOutcome>;
  /** Notes a check that is being added, where it can be looked up before it is finished. `undo`: it was not added. */
  noteAdded(request: CheckRequest, id: string): { undo(): void };
  /** Waits, until its deadline, for a check that another request has begun. */
  join(request: CheckRequest, id: string): Promise<CheckOutcome>;
  /** The header of a work entry whose reply nobody listens for. */
  headerOf(id: string, request: CheckRequest): string;
  /** Redis said that it is full. */
  full(): void;
}

/** The check of a younger claim may be being added now. */
const FRESH_MS = 3000;
/** How long a retry looks at such a claim before it is 409. */
const LOOK_MS = 500;
const PAUSE_MS = 20;
/** How often and how many times releasing a claim is tried. */
const RELEASE_AGAIN_MS = 200;
const RELEASE_TIMES = 50;
/** How long an answer without a verdict may be delayed by the release of its key. */
const RELEASE_MS = 300;

/** Where the check of an earlier request was found; `added`: its entry was lost, and was added again. */
const SOURCES = ['hot', 'awaited', 'history', 'added'] as const;

/** What the functions below work with. */
interface IdempotencyParts {
  hands: Hands;
  redis: Redis;
  limits: ClaimLimits;
  errors: IdempotencyErrors;
  replays: CounterBy<'source', (typeof SOURCES)[number]>;
  logger: Logger;
}

/** A request, and where the claim of its key is kept. */
interface ClaimAttempt {
  request: RetryRequest;
  key: ClaimKey;
}

/** What a held claim comes to; `free`: nobody holds it any more. Undefined: look again. */
type Resumed = CheckOutcome | 'free' | undefined;

export function createIdempotency(
  hands: Hands,
  { logger, registry, claims = CLAIM_LIMITS }: { logger: Logger; registry: Registry; claims?: ClaimLimits },
): (request: RetryRequest) => Promise<CheckOutcome> {
  const help =
    'Retries answered from the check of an earlier request, by where it was found (added: its entry was lost)';
  const replays = metersOf(registry).counterBy('source', SOURCES, 'weir_idempotent_replays_total', help);
  const errors = createIdempotencyErrors(claims, hands.full, { logger, registry });
  const parts: IdempotencyParts = { hands, redis: hands.connections.redis, limits: claims, errors, replays, logger };
  return async (request) => {
    const attempt = { request, key: hashedKey(request.team, request.key, request.retry.key) };
    try {
      return await freeIfNoVerdict(parts, attempt, await beginOrFind(parts, attempt));
    } catch (error) {
      throw errors.unavailable(error);
    }
  };
}

/** Claims the key and begins the check, or finds what an earlier request has begun. */
async function beginOrFind(parts: IdempotencyParts, attempt: ClaimAttempt): Promise<CheckOutcome> {
  const { hands, redis, limits, errors } = parts;
  const { request, key } = attempt;
  const { config, contextDepth } = request;
  const { fingerprint } = request.retry;
  const owner = newOwner();
  const mine = { requestId: hands.draw(request), fingerprint, config, contextDepth, owner };
  const until = performance.now() + LOOK_MS;
  for (;;) {
    const asked = beforeDeadline(request, claimKey(redis, key, mine, limits));
    const claimed = await asked.catch((error: unknown) => {
      if (isFateUnknown(error)) void inBackground(parts, request, () => abandonClaim(redis, key, owner));
      throw error;
    });
    if (claimed.status === 'claimed') return await begin(parts, attempt, mine);
    if (claimed.status === 'full') throw errors.tooMany(claimed.ms);
    const same = claimed.claim.fingerprint === fingerprint;
    const outcome = same
      ? await resume(parts, attempt, claimed.claim, claimed.age)
      : await replace(parts, attempt, claimed.claim);
    if (outcome === 'free') continue;
    if (outcome) return outcome;
    if (performance.now() > until) throw errors.inProgress(FRESH_MS - claimed.age);
    await sleep(PAUSE_MS);
  }
}

/** Adds the check of a claim that this request has made. */
async function begin(
  parts: IdempotencyParts,
  { request, key }: ClaimAttempt,
  { requestId, owner }: Claim & { owner: string },
): Promise<CheckOutcome> {
  const { hands, redis } = parts;
  const { connections } = hands;
  const stream = streamOf(request, requestId);
  return await hands.begin(request, requestId, async (header) => {
    try {
      const added = await addCheck(connections, { stream, requestId, header, body: request.body });
      if (added === 'barred')
        throw new ApiError('overloaded', 'A retry of this request found the queue full. Try again.');
      return added === 'added';
    } catch (error) {
      if (!(error instanceof ApiError || isFateUnknown(error)))
        void inBackground(parts, request, () => abandonClaim(redis, key, owner));
      throw error;
    }
  });
}

/** The same request under a claim that is held. `age`: ms since it was claimed. */
async function resume(parts: IdempotencyParts, attempt: ClaimAttempt, held: Claim, age: number): Promise<Resumed> {
  const { request } = attempt;
  const { requestId } = held;
  const where = await beforeDeadline(request, findCheck(parts.redis, streamOf(request, requestId), requestId));
  if (where.status === 'done' && isFinal(where.record)) return replay(parts, 'hot', where.record);
  if (where.status === 'pending') return await join(parts, request, requestId, 'awaited');
  if (where.status === 'none' && age < FRESH_MS) return undefined;
  // The process that barred the id, or that answered without a verdict, may have died before it released the claim.
  if (where.status === 'barred' || where.status === 'done') return await free(parts, attempt, requestId);
  return await recover(parts, attempt, held, where.status === 'gone' ? where.entry : '');
}

/** Another body under a held key: allowed when the check of that key is finished without a verdict. */
async function replace(parts: IdempotencyParts, attempt: ClaimAttempt, { requestId }: Claim): Promise<'free'> {
  const record = await beforeDeadline(attempt.request, hotRecord(parts.redis, partitionOf(requestId), requestId));
  if (!record || isFinal(record)) throw parts.errors.mismatch();
  return await free(parts, attempt, requestId);
}

/** For a claim whose result and entry are both missing in Redis. Undefined: the claim is another one by now, or free. */
async function recover(parts: IdempotencyParts, attempt: ClaimAttempt, held: Claim, entry: string): Promise<Resumed> {
  const { hands, redis } = parts;
  const { request, key } = attempt;
  const { requestId, config } = held;
  if (!(await beforeDeadline(request, takeClaim(redis, key, requestId, newOwner())))) return undefined;
  const record = await beforeDeadline(request, hands.recall(request, request.retry, { requestId, config, entry }));
  if (record === 'erased') return await free(parts, attempt, requestId);
  if (record) return isFinal(record) ? replay(parts, 'history', record) : await free(parts, attempt, requestId);
  if (!(await addAgain(parts, attempt, held, entry))) return undefined;
  return await join(parts, request, requestId, 'added');
}

/** Adds a check under the id of its claim, as it was first sent. False: the id was barred. `entry`: of its first entry, or ''. */
async function addAgain(
  parts: IdempotencyParts,
  { request, key }: ClaimAttempt,
  held: Claim,
  entry: string,
): Promise<boolean> {
  const { hands, redis } = parts;
  const { requestId, config, contextDepth } = held;
  // With the time of the first request, and the configuration that it may have been checked by already.
  const received = partsOf(requestId)!.time;
  const deadlineMs = Date.now() - received + request.deadlineMs;
  // The claim has the number of the configuration alone. Another one may be in force by now.
  const configId = config === request.config ? request.configId : undefined;
  const header = hands.headerOf(requestId, { ...request, config, configId, contextDepth, received, deadlineMs });
  const noted = hands.noteAdded(request, requestId);
  try {
    const work = { stream: streamOf(request, requestId), requestId, header, body: request.body };
    if ((await beforeDeadline(request, addCheck(hands.connections, work, { lost: entry }))) !== 'barred') return true;
    noted.undo();
    return false;
  } catch (error) {
    // It may have been added: it is awaited as if it were.
    if (isFateUnknown(error)) return true;
    void inBackground(parts, request, async () => {
      if (!(await barCheck(redis, partitionOf(requestId), requestId))) return;
      noted.undo();
      await releaseClaim(redis, key, requestId);
    });
    throw error;
  }
}

function replay({ replays }: IdempotencyParts, source: 'hot' | 'history', record: ResultRecord): CheckOutcome {
  replays.inc({ source });
  return { status: 'done', record, replayed: true, archived: source === 'history' };
}

async function join(
  { hands, replays }: IdempotencyParts,
  request: RetryRequest,
  id: string,
  source: 'awaited' | 'added',
): Promise<CheckOutcome> {
  replays.inc({ source });
  return { ...(await hands.join(request, id)), replayed: true };
}

async function free({ redis }: IdempotencyParts, { request, key }: ClaimAttempt, requestId: string): Promise<'free'> {
  await beforeDeadline(request, releaseClaim(redis, key, requestId));
  return 'free';
}

/** Before the answer, so that a caller who corrects the request, or sends it again, finds its key free. */
async function freeIfNoVerdict(
  { redis }: IdempotencyParts,
  { key }: ClaimAttempt,
  outcome: CheckOutcome,
): Promise<CheckOutcome> {
  if (outcome.status === 'timeout' || isFinal(outcome.record)) return outcome;
  // When this fails or takes too long, the next request with the key does it.
  const released = releaseClaim(redis, key, outcome.record.id).catch(() => undefined);
  await within(released, { ms: RELEASE_MS });
  return outcome;
}

/** Releases the claim of a request that was not accepted, which must not keep its key from another one. Never rejects. */
async function inBackground(
  { logger }: IdempotencyParts,
  { requestId }: CheckRequest,
  giveUp: () => Promise<unknown>,
): Promise<void> {
  for (let i = 0; i < RELEASE_TIMES; i++) {
    try {
      await giveUp();
      return;
    } catch {
      await sleep(RELEASE_AGAIN_MS);
    }
  }
  logger.warn({ request_id: requestId }, 'the claim of an Idempotency-Key could not be given up');
}

/**
 * Whether the answer never changes: a verdict, an item that `failed`, a check that was given up (500), or content that cannot be
 * evaluated (422). A session whose image is at fault or could not be fetched (400, 503) may be checked on a retry.
 */
const isFinal = ({ error }: ResultRecord): boolean => error === null || error.status === 500 || error.status === 422;

/** Names the holder of a claim: one request in one process. */
const newOwner = (): string => randomBytes(12).toString('base64url');

const streamOf = (request: CheckRequest, requestId: string): WorkStream => ({
  partition: partsOf(requestId)!.partition,
  lane: request.lane,
});

/** Rejects when the request's deadline passes first: a Redis that hangs must not hold the caller. */
function beforeDeadline<T>(request: CheckRequest, asked: Promise<T>): Promise<T> {
  const wait = request.waitMs ?? request.deadlineMs;
  return inTime(asked, Math.min(wait, request.received + wait - Date.now()), 'the call timed out');
}
