/**
 * Hands checks to the evaluators and answers with their results:
 *
 *     check ──refused (overload, too much of the team)──> 503
 *       ├── without Idempotency-Key ──> its entry is added ──> `pending-checks.ts` waits for the reply
 *       └── with one ──> `idempotency/`: added like the others, or an earlier check is found again
 *
 * States of the dispatcher: open → draining (new checks are 503; those that wait are answered) → closed.
 */

import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '../../shared/api/errors.js';
import { within } from '../../shared/async.js';
import { partitionOf } from '../../shared/ids.js';
import type { Logger } from '../../shared/log.js';
import { regionFrom } from '../../shared/region.js';
import type { Settings } from '../../shared/settings.js';
import { connectCommands, isFateUnknown, isOutOfMemory, waitForRedis } from '../../shared/streams/client.js';
import type { RedisEndpoint } from '../../shared/streams/endpoint.js';
import { hotRecord } from '../../shared/streams/hot/records.js';
import { keys, type Lane } from '../../shared/streams/keys.js';
import {
  areRead,
  ensurePartitions,
  type FollowedPartitions,
  followPartitions,
} from '../../shared/streams/partitions.js';
import { metersOf, type Registry } from '../../shared/telemetry.js';
import { type Admission, type AdmissionSettings, createAdmission } from '../admission/overload.js';
import { addAgain, addOnce, canBeAddedAgain, doubt } from './add-again.js';
import { addEntry, carry, type DispatchConnections } from './add-entry.js';
import type { ClaimLimits } from './idempotency/claims.js';
import { createIdempotency, type RetryRequest } from './idempotency/idempotency.js';
import type { Recall } from './idempotency/rebuild-result.js';
import { createResultWaits, type ResultWaits } from './idempotency/wait-for-result.js';
import { LAST_WORDS_MS, noteAdded, noteLate } from './note-unfinished.js';
import { createPendingBytes, type PendingBytes } from './pending-bytes.js';
import { createPendingChecks, type PendingCheck, type PendingChecks } from './pending-checks.js';
import { createReplicaRounds, type ReplicaRounds } from './replicas.js';
import { type ReplySubscription, subscribeToReplies } from './reply-subscription.js';
import type { CheckOutcome, CheckRequest, Dispatcher } from './types.js';
import { headerOf, newIdFor, type TeamRules } from './work-entry.js';

export interface RedisDispatcher extends Dispatcher {
  /** Refuses new work; resolves when everything pending is answered, at the latest after `drainMs`. */
  drain(drainMs: number): Promise<void>;
  close(): Promise<void>;
  pending(): number;
  /** see {@link ReplicaRounds} */
  confirmErasure: ReplicaRounds['confirmErasure'];
  /** undefined: requests are answered in time; else what is wrong, in a sentence */
  progress(): string | undefined;
}

export interface DispatcherTools extends TeamRules {
  logger: Logger;
  registry: Registry;
  recall: Recall;
  claims?: ClaimLimits;
}

const TEAM_IS_FULL: Record<Lane, ApiError> = {
  fast: new ApiError('overloaded', 'Too many checks of your team are under way. Try again, with fewer at once.'),
  slow: new ApiError(
    'overloaded',
    'Too many bytes of images and large bodies of your team are under way. Try again, with fewer at once.',
  ),
};

/** What the functions below work with. */
interface DispatcherParts extends DispatchConnections {
  /** name of this process in channels of replies */
  self: string;
  partitions: FollowedPartitions;
  admission: Admission;
  /** checks that this process has added */
  pending: PendingChecks;
  /** checks that an earlier request has added */
  waits: ResultWaits;
  /** how many requests wait for either */
  waiting(): number;
  bytes: PendingBytes;
  replies: ReplySubscription;
  rounds: ReplicaRounds;
  tools: DispatcherTools;
}

type DispatcherSettings = AdmissionSettings & RedisEndpoint & Settings<'partitions' | 'region'>;

/** Resolves once it is subscribed to its replies. Rejects when Redis cannot be reached. */
export async function createDispatcher(settings: DispatcherSettings, tools: DispatcherTools): Promise<RedisDispatcher> {
  const parts = await connect(settings, tools);
  const { admission, pending, waits, bytes, waiting, rounds } = parts;
  const repeatable = repeatableChecks(parts);
  return {
    refusal: () => admission.refusal(bytes.byLane),
    pending: waiting,
    confirmErasure: rounds.confirmErasure,
    progress: () => (pending.isStalled() ? 'Requests wait far beyond their deadline.' : undefined),
    check(request) {
      const { lane } = request;
      const refusal = admission.refusal(bytes.byLane, lane) ?? (bytes.isOver(request) ? TEAM_IS_FULL[lane] : undefined);
      if (refusal) return Promise.reject(refusal);
      const outcome = request.retry ? repeatable(request as RetryRequest) : addNew(parts, request);
      const { confirm } = rounds;
      return confirm && !request.look ? outcome.then((one) => confirm(one, lane)) : outcome;
    },
    async drain(drainMs) {
      admission.shutDown();
      const until = performance.now() + drainMs;
      while (waiting() > 0 && performance.now() < until) await sleep(10);
      // Told while they still can be. Their work goes on, and its results are stored.
      pending.failAll(stopping());
      waits.letGo(stopping());
    },
    async close() {
      pending.close();
      waits.letGo(stopping());
      parts.partitions.stop();
      admission.close();
      parts.replies.close();
      rounds.close();
      parts.redis.disconnect();
      parts.large.disconnect();
    },
  };
}

const stopping = (): ApiError =>
  new ApiError('shutting_down', 'This process is stopping. Try again: another one will answer.');

async function connect(settings: DispatcherSettings, tools: DispatcherTools): Promise<DispatcherParts> {
  const { logger, registry } = tools;
  const redis = connectCommands(settings, 'weir-ingress');
  const large = connectCommands(settings, 'weir-large');
  for (const connection of [redis, large]) {
    connection.on('error', (error) => logger.debug({ error: String(error) }, 'connection to Redis'));
    await waitForRedis(connection, settings);
  }
  const first = await ensurePartitions(redis, settings.partitions, regionFrom(settings.region));
  // The plus says that it takes several replies in one message. The release before takes one.
  const self = `+${randomBytes(9).toString('base64url')}`;
  const channelsOf = (from: number, to: number): string[] =>
    Array.from({ length: to - from }, (_, i) => keys.reply(from + i, self));
  const partitions = followPartitions(redis, first, {
    logger,
    // A partition is used once evaluators read it and its replies are heard.
    async grow(from, to) {
      if (!(await areRead(redis, from, to))) return false;
      await replies.follow(channelsOf(from, to));
      return true;
    },
  });
  const admission = await createAdmission(redis, partitions.current, settings, tools);
  const bytes = createPendingBytes(settings.pendingBytes, registry);
  const pending = createPendingChecks(redis, bytes, tools);
  const waits = createResultWaits((id) => hotRecord(redis, partitionOf(id), id));
  const rounds = await createReplicaRounds(settings, { replicas: settings.redisReplicas, self }, tools);
  const waiting = (): number => pending.size() + waits.count() + rounds.count();
  metersOf(registry).gauge('weir_pending_requests', 'Checks that wait for their verdict', waiting);
  const replies = await subscribeToReplies(redis, settings, channelsOf(0, first), pending, logger);
  return { redis, large, self, partitions, admission, pending, waits, waiting, bytes, replies, rounds, tools };
}

/** How many partitions are tried for a request that any would do for. */
const DRAWS = 8;

/** Draws the id of a request. Throws where its partition takes no work: in a Cluster, the primary of some may be away, or full. */
function draw({ partitions, admission, bytes }: DispatcherParts, request: CheckRequest): string {
  for (let tries = request.affinity === '' ? DRAWS : 1; ; tries--) {
    const id = newIdFor(request, partitions.current());
    const refusal = admission.refusal(bytes.byLane, request.lane, partitionOf(id));
    if (!refusal) return id;
    if (tries === 1) throw refusal;
  }
}

/** Adds a check that nobody can have added before, and waits for its reply. */
async function addNew(parts: DispatcherParts, request: CheckRequest): Promise<CheckOutcome> {
  const id = draw(parts, request);
  return await begin(parts, request, id, async (header, check) => {
    if (request.artifact) return (await addOnce(parts, request, id, header)) === 'added';
    const stream = { partition: partitionOf(id), lane: request.lane };
    const body = await carry(parts, stream.partition, request.body).catch((error: unknown) => {
      // Whatever became of its segments, nothing was added.
      throw isFateUnknown(error) ? unreachable() : error;
    });
    // Sessions are noted before they are added, by the same connection (`noteAdded`).
    check.entry = await addEntry(parts.redis, stream, header, body);
    return true;
  });
}

/** Waits for the reply of a check that `add` adds. `add` says false when another process has added it, which gets the reply. */
function begin(
  parts: DispatcherParts,
  request: CheckRequest,
  id: string,
  add: (header: string, check: PendingCheck) => Promise<boolean>,
): Promise<CheckOutcome> {
  const { redis, pending, waits, tools } = parts;
  return new Promise<CheckOutcome>((resolve, reject) => {
    const check: PendingCheck = {
      id,
      partition: partitionOf(id),
      deadline: deadlineOf(request),
      request,
      resolve,
      reject,
      closing: false,
    };
    pending.add(check);
    const noted = noteAdded(redis, tools.logger, id, request);
    const header = headerOf(id, request, parts.self, tools);
    const seek = (): void =>
      void waits.wait(id, check.deadline).then(
        () => pending.readResult(check),
        () => undefined,
      );
    const refused = (error: unknown): void => {
      if (!isFateUnknown(error)) noted.undo();
      const told = addingError(parts, check.partition, error);
      if (told) pending.fail(check, told);
    };
    const again = (): void => {
      check.addAgain = undefined;
      doubt(redis, check, noted.undo);
      addAgain(parts, { check, header, waits: () => pending.has(check) }).then(() => {
        check.addAgain = again;
        seek();
      }, refused);
    };
    doubt(redis, check, noted.undo);
    add(header, check).then(
      (added) => {
        check.doubt = undefined;
        if (canBeAddedAgain(request)) check.addAgain = again;
        // Its answer may have been published while nobody listened. It leaves nothing behind, so it may be made twice.
        if (request.look) check.addAgain = () => void add(header, check).catch(refused);
        if (!added) seek();
      },
      (error: unknown) => {
        if (isFateUnknown(error) && canBeAddedAgain(request)) again();
        else refused(error);
      },
    );
  });
}

/** What is answered when an entry could not be added; undefined where it may be in Redis all the same, and its reply is awaited. */
function addingError({ admission }: DispatcherParts, partition: number, error: unknown): ApiError | undefined {
  if (isOutOfMemory(error)) {
    admission.full(partition);
    return new ApiError('overloaded', 'The queue is full. Try again.');
  }
  if (error instanceof ApiError) return error;
  if (isFateUnknown(error)) return undefined;
  return unreachable();
}

const unreachable = (): ApiError =>
  new ApiError('unavailable', 'The service cannot reach its queue at the moment. Try again.');

/** Waits, until the deadline of `request`, for a check that an earlier request has added. */
async function join(
  { redis, waits, bytes, tools }: DispatcherParts,
  request: CheckRequest,
  id: string,
): Promise<CheckOutcome> {
  bytes.add(request);
  try {
    const record = await waits.wait(id, deadlineOf(request));
    if (record) return { status: 'done', record };
    await within(noteLate(redis, tools.logger, id, request), { ms: LAST_WORDS_MS });
    return { status: 'timeout', id };
  } finally {
    bytes.remove(request);
  }
}

function repeatableChecks(parts: DispatcherParts): (request: RetryRequest) => Promise<CheckOutcome> {
  const { redis, admission, tools } = parts;
  return createIdempotency(
    {
      connections: parts,
      recall: tools.recall,
      draw: (request) => draw(parts, request),
      begin: (request, id, add) => begin(parts, request, id, add),
      noteAdded: (request, id) => noteAdded(redis, tools.logger, id, request),
      join: (request, id) => join(parts, request, id),
      headerOf: (id, request) => headerOf(id, request, '', tools),
      full: () => admission.full(),
    },
    tools,
  );
}

/** ms of the steady clock */
const deadlineOf = (request: CheckRequest): number =>
  performance.now() + (request.waitMs ?? request.deadlineMs) - Math.max(0, Date.now() - request.received);
