/**
 * Checks with an Idempotency-Key: the first request that brings a key begins the check, every other one finds it again,
 * whichever process it comes to (decisions, Sync deadline and failures).
 *
 *     claim ── claimed ──> add ──> answered like any other check
 *       └── held ──> other fingerprint: 409 mismatch
 *                    done: its record, or, where that has no verdict, released, then claimed anew · pending: waits for it
 *                    not added: just claimed → looked at again, then 409 in progress; else recalled or added again
 *                    barred: given up, then claimed anew
 *                    gone from Redis: recalled from ClickHouse, else added again
 *
 * A result comes of a request id once, whoever adds it (rule 3 of the architecture), so the one thing that must never
 * happen is a second id under a live claim: a claim is given up when its entry was refused, and only by who made it
 * or, once a retry has taken it over, by that retry, after it has barred the id from being added by anybody else; or when
 * its check is finished without a verdict, for an image that is at fault or could not be fetched: no other result can come
 * of that id, and the request may be corrected, or sent again. What is answered with a verdict keeps its key.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '../../shared/api/errors.js';
import type { ResultRecord } from '../../shared/api/results/record.js';
import { inTime, within } from '../../shared/async.js';
import { HistoryUnavailable } from '../../shared/history/read/breaker.js';
import { partitionOf, partsOf } from '../../shared/ids.js';
import type { Logger } from '../../shared/log.js';
import { isFateUnknown, isOutOfMemory, isPassing, isRefusal, type Redis } from '../../shared/streams/client.js';
import { hotRecord } from '../../shared/streams/hot-records.js';
import type { Place } from '../../shared/streams/keys.js';
import { Counter, type Registry } from '../../shared/telemetry.js';
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
import { PartlyThere, type Recall } from './rebuild-result.js';
import type { CheckRequest, Outcome, Retry } from './types.js';

/** A check whose caller sent an Idempotency-Key. */
export type RetryRequest = CheckRequest & { retry: Retry };

/** What the dispatcher does for it. */
export interface Hands {
  redis: Redis;
  recall: Recall;
  /** a request id for it, in its partition */
  draw(request: CheckRequest): string;
  /** Waits for a check that `add` adds; `add` says whether it was this call that did. */
  begin(request: CheckRequest, id: string, add: (header: string) => Promise<boolean>): Promise<Outcome>;
  /** Notes a check that is being added, where it can be looked up before it is finished; `undo`: it was not added. */
  accept(request: CheckRequest, id: string): { undo(): void };
  /** Waits, until its deadline, for a check that somebody has begun. */
  join(request: CheckRequest, id: string): Promise<Outcome>;
  /** the header of a work entry whose reply nobody listens for */
  headerOf(id: string, request: CheckRequest): string;
  /** Redis said that it is full */
  full(): void;
}

/** Younger claims are taken for being added just now. */
const FRESH_MS = 3000;
/** How long a retry looks at such a claim before it is told to come again. */
const LOOK_MS = 500;
const PAUSE_MS = 20;
/** How often and how long it is tried to give a claim up. */
const GIVE_UP_MS = 200;
const GIVE_UP_TIMES = 50;
/** How long an answer without a verdict is held up for its key to be free when it comes. */
const RELEASE_MS = 300;

export function createIdempotency(
  hands: Hands,
  tools: { logger: Logger; registry: Registry; claims?: ClaimLimits },
): (request: RetryRequest) => Promise<Outcome> {
  const { redis } = hands;
  const limits = tools.claims ?? CLAIM_LIMITS;
  const replays = new Counter({
    name: 'weir_idempotent_replays_total',
    help: 'Retries answered from the check of an earlier request, by where it was found',
    labelNames: ['source'] as const,
    registers: [tools.registry],
  });
  const refusals = new Counter({
    name: 'weir_idempotency_refused_total',
    help: 'Idempotency-Keys that were refused: mismatch, in_progress or full',
    labelNames: ['reason'] as const,
    registers: [tools.registry],
  });

  function refused(reason: 'mismatch' | 'in_progress' | 'full', error: ApiError): ApiError {
    refusals.inc({ reason });
    return error;
  }

  let told = Number.NEGATIVE_INFINITY;
  /** For an operator to mend: a full disk, rights that are missing. Once a second, however many requests meet it. */
  function tell(error: unknown): void {
    if (performance.now() - told < 1000) return;
    told = performance.now();
    tools.logger.error({ err: error }, 'Redis refuses what an Idempotency-Key needs');
  }

  /** In the background: the claim of a request that was not accepted must not keep its key from another one. */
  async function giveUp(up: () => Promise<unknown>): Promise<void> {
    for (let i = 0; i < GIVE_UP_TIMES; i++) {
      try {
        await up();
        return;
      } catch {
        await sleep(GIVE_UP_MS);
      }
    }
    tools.logger.warn('the claim of an Idempotency-Key could not be given up');
  }

  async function begin(request: RetryRequest, key: ClaimKey, { requestId, owner }: Claim & { owner: string }) {
    const place = placeOf(request, requestId);
    return await hands.begin(request, requestId, async (header) => {
      try {
        const added = await addCheck(redis, { place, requestId, header, body: request.body });
        if (added === 'barred')
          throw new ApiError('overloaded', 'A retry of this request found the queue full. Try again.');
        return added === 'added';
      } catch (error) {
        if (!(error instanceof ApiError || isFateUnknown(error))) void giveUp(() => abandonClaim(redis, key, owner));
        throw error;
      }
    });
  }

  function replay(source: 'hot' | 'history', record: ResultRecord): Outcome {
    replays.inc({ source });
    return { status: 'done', record, replayed: true };
  }

  async function join(request: RetryRequest, id: string, source: 'awaited' | 'added'): Promise<Outcome> {
    replays.inc({ source });
    return { ...(await hands.join(request, id)), replayed: true };
  }

  /** Neither a result nor an entry is in Redis. Undefined: the claim is another one by now, or free. */
  async function recover(request: RetryRequest, key: ClaimKey, held: Claim, entry: string): Promise<Resumed> {
    const { requestId, config, contextDepth } = held;
    const owner = newOwner();
    if (!(await beforeDeadline(request, takeClaim(redis, key, requestId, owner)))) return undefined;
    const record = await beforeDeadline(request, hands.recall(request, request.retry, { requestId, config, entry }));
    if (record) return isFinal(record) ? replay('history', record) : await free(request, key, requestId);
    // The same request as it was: its time, and the configuration that may have judged it already.
    const received = partsOf(requestId)!.time;
    const deadlineMs = Date.now() - received + request.deadlineMs;
    // The claim has the number alone; by now another configuration may be in force.
    const configId = config === request.config ? request.configId : undefined;
    const header = hands.headerOf(requestId, { ...request, config, configId, contextDepth, received, deadlineMs });
    const partition = partitionOf(requestId);
    const accepted = hands.accept(request, requestId);
    try {
      const work = { place: placeOf(request, requestId), requestId, header, body: request.body };
      if ((await beforeDeadline(request, addCheck(redis, work, entry))) === 'barred') {
        accepted.undo();
        return undefined;
      }
    } catch (error) {
      if (!isFateUnknown(error)) {
        void giveUp(async () => {
          if (!(await barCheck(redis, partition, requestId))) return;
          accepted.undo();
          await releaseClaim(redis, key, requestId);
        });
        throw error;
      }
    }
    return await join(request, requestId, 'added');
  }

  async function free(request: RetryRequest, key: ClaimKey, requestId: string): Promise<'free'> {
    await beforeDeadline(request, releaseClaim(redis, key, requestId));
    return 'free';
  }

  async function resume(request: RetryRequest, key: ClaimKey, held: Claim, age: number): Promise<Resumed> {
    const { requestId } = held;
    const where = await beforeDeadline(request, findCheck(redis, placeOf(request, requestId), requestId));
    if (where.status === 'done' && isFinal(where.record)) return replay('hot', where.record);
    if (where.status === 'pending') return await join(request, requestId, 'awaited');
    if (where.status === 'none' && age < FRESH_MS) return undefined;
    // Who barred it may have died before it gave the claim up, and so may who answered without a verdict.
    if (where.status === 'barred' || where.status === 'done') return await free(request, key, requestId);
    return await recover(request, key, held, where.status === 'gone' ? where.entry : '');
  }

  /** Another body under a key that is held: allowed where the check that has it is finished without a verdict. */
  async function replace(request: RetryRequest, key: ClaimKey, { requestId }: Claim): Promise<'free'> {
    const record = await beforeDeadline(request, hotRecord(redis, partitionOf(requestId), requestId));
    if (!record || isFinal(record)) throw refused('mismatch', mismatch());
    return await free(request, key, requestId);
  }

  /** Before the answer, so that who corrects a request, or sends it again, finds its key free. */
  async function settle(key: ClaimKey, outcome: Outcome): Promise<Outcome> {
    if (outcome.status === 'timeout' || isFinal(outcome.record)) return outcome;
    // Where this fails, or takes too long, the next request with the key does it.
    const released = releaseClaim(redis, key, outcome.record.id).catch(() => undefined);
    await within(released, { ms: RELEASE_MS });
    return outcome;
  }

  async function run(request: RetryRequest, key: ClaimKey): Promise<Outcome> {
    const { fingerprint } = request.retry;
    const { config, contextDepth } = request;
    const owner = newOwner();
    const mine = { requestId: hands.draw(request), fingerprint, config, contextDepth, owner };
    const until = performance.now() + LOOK_MS;
    for (;;) {
      const asked = beforeDeadline(request, claimKey(redis, key, mine, limits));
      const claimed = await asked.catch((error: unknown) => {
        if (isFateUnknown(error)) void giveUp(() => abandonClaim(redis, key, owner));
        throw error;
      });
      if (claimed.status === 'claimed') return await begin(request, key, mine);
      if (claimed.status === 'full') throw refused('full', tooMany(claimed.ms, limits));
      const same = claimed.claim.fingerprint === fingerprint;
      const outcome = same
        ? await resume(request, key, claimed.claim, claimed.age)
        : await replace(request, key, claimed.claim);
      if (outcome === 'free') continue;
      if (outcome) return outcome;
      if (performance.now() > until) throw refused('in_progress', inProgress(FRESH_MS - claimed.age));
      await sleep(PAUSE_MS);
    }
  }

  return async (request) => {
    const key = hashedKey(request.team, request.key, request.retry.key);
    try {
      return await settle(key, await run(request, key));
    } catch (error) {
      if (isOutOfMemory(error)) {
        hands.full();
        throw new ApiError('overloaded', 'The queue is full. Try again.');
      }
      if (error instanceof ApiError) throw error;
      if (isRefusal(error)) {
        tell(error);
      } else if (!(error instanceof HistoryUnavailable || error instanceof PartlyThere || isPassing(error)))
        throw error;
      throw new ApiError('unavailable', 'Whether this request was made before cannot be found out now. Try again.');
    }
  };
}

/** What a claim that is held comes to; `free`: it is not held any more. Undefined: to be looked at again. */
type Resumed = Outcome | 'free' | undefined;

/**
 * Whether the answer is one for good: also an item that `failed`, and what was given up (500). Not so a session whose image
 * is at fault, or could not be had (400, 503): then a retry may be judged.
 */
const isFinal = ({ error }: ResultRecord): boolean => error === null || error.status === 500;

/** Who holds a claim: of one request in one process. */
const newOwner = (): string => randomBytes(12).toString('base64url');

const placeOf = (request: CheckRequest, requestId: string): Place => ({
  partition: partsOf(requestId)!.partition,
  lane: request.lane,
});

/** Rejects when the request's deadline passes before an answer: its caller is not kept waiting by a silent Redis. */
function beforeDeadline<T>(request: CheckRequest, asked: Promise<T>): Promise<T> {
  const wait = request.waitMs ?? request.deadlineMs;
  return inTime(asked, Math.min(wait, request.received + wait - Date.now()), 'the call timed out');
}

function mismatch(): ApiError {
  const message = 'This Idempotency-Key was used with another body, route, environment or deployment. Use a new one.';
  return new ApiError('idempotency_mismatch', message, { param: 'Idempotency-Key' });
}

function inProgress(ms: number): ApiError {
  const message = 'A request with this Idempotency-Key is just being accepted. Try again.';
  return new ApiError('idempotency_in_progress', message, { retryAfter: Math.max(1, Math.ceil(ms / 1000)) });
}

function tooMany(ms: number, { most, lifeMs }: ClaimLimits): ApiError {
  const seconds = Math.max(1, Math.ceil(ms / 1000));
  const message = `This API key has as many Idempotency-Keys as are remembered. One is forgotten in ${seconds} s; until then, send the request without one.`;
  const quota = { name: 'idempotency-keys', most, seconds: Math.ceil(lifeMs / 1000) };
  return new ApiError('rate_limited', message, { retryAfter: seconds, quota });
}
