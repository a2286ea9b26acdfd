/**
 * Hands checks to the evaluators and waits for their results. One pending request lives through:
 *
 *     added ──reply──────────────────────────> done
 *       │  └─ its fate unknown (connection broke after XADD was sent): awaited like any other
 *       ├── subscriber was cut off ──> result read after it is back ──> done
 *       └── deadline near ──> result read once more ──> done, or marked as awaited ──> timeout
 *
 * The published reply only saves a round trip: the stored result is the truth (rule 4 of the architecture).
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { conversationOf, GENERATED_RUN } from '../../shared/api/conversation.js';
import { ApiError } from '../../shared/api/errors.js';
import { decodeRecord } from '../../shared/api/results/record.js';
import { within } from '../../shared/async.js';
import { generatedId, hash32, newRequestId, partitionOf, requestOfRun } from '../../shared/ids.js';
import type { Logger } from '../../shared/log.js';
import type { Settings } from '../../shared/settings.js';
import { connectCommands, isFateUnknown, isOutOfMemory, waitForRedis } from '../../shared/streams/client.js';
import { hotRecord } from '../../shared/streams/hot-records.js';
import { keys, LANES, type Lane } from '../../shared/streams/keys.js';
import { areRead, ensurePartitions, followPartitions } from '../../shared/streams/partitions.js';
import type { WorkHeader } from '../../shared/streams/work.js';
import { Counter, Gauge, type Registry } from '../../shared/telemetry.js';
import { createShares, type Shares } from '../admission/memory-shares.js';
import { type AdmissionSettings, createAdmission } from '../admission/overload.js';
import { createIdempotency, type RetryRequest } from './idempotency.js';
import { accept, awaitedOf, lateEventsOf } from './note-unfinished.js';
import type { Recall } from './rebuild-result.js';
import { subscribeToReplies } from './reply-subscription.js';
import type { CheckRequest, Dispatcher, Outcome } from './types.js';
import { createJoined } from './wait-for-result.js';

export interface RedisDispatcher extends Dispatcher {
  /** Refuses new work; resolves when everything pending is answered, at the latest after `drainMs`. */
  drain(drainMs: number): Promise<void>;
  close(): Promise<void>;
  pending(): number;
  /** undefined: requests are answered in time; else what is wrong, in a sentence */
  progress(): string | undefined;
}

interface Pending {
  id: string;
  partition: number;
  /** ms of the steady clock: a step of the system's clock delays no answer */
  deadline: number;
  request: CheckRequest;
  resolve(outcome: Outcome): void;
  reject(error: ApiError): void;
  /** the deadline is being handled */
  closing: boolean;
}

/** How often deadlines are looked at; a 504 may come this much late. */
const TICK_MS = 50;
/** How long before the deadline the stored result is read, in case the reply was lost. */
const LAST_LOOK_MS = 250;
/** How long past its deadline a request can be before this process is taken for stalled. */
const STALLED_MS = 10_000;
/** How long a late request is held up by what is done for it before its 504. */
const LAST_WORDS_MS = 300;

/** Of the bytes that may be pending, those of the fast lane that teams share. A worker reads as much ahead (`workers/run.ts`). */
const FAST_SHARE = 1 / 8;
/** What a request counts beside its bytes: many small ones fill the places of others, too. */
const REQUEST_BYTES = 4096;

const TEAM_IS_FULL: Record<Lane, ApiError> = {
  fast: new ApiError('overloaded', 'Too many checks of your team are under way. Try again, with fewer at once.'),
  slow: new ApiError(
    'overloaded',
    'Too many bytes of images and large bodies of your team are under way. Try again, with fewer at once.',
  ),
};

const weightOf = ({ body }: CheckRequest): number => body.length + REQUEST_BYTES;

export async function createDispatcher(
  settings: AdmissionSettings & Settings<'redisUrl' | 'partitions'>,
  tools: {
    logger: Logger;
    registry: Registry;
    recall: Recall;
    /** whether what could not be evaluated counts as flagged for a team; default: for none */
    failClosed?: (team: string) => boolean;
    /** whether content outlives its check; default: it does */
    keepsContent?: () => boolean;
    claims?: ClaimLimits;
  },
): Promise<RedisDispatcher> {
  const { logger, registry } = tools;
  const redis = connectCommands(settings.redisUrl, 'weir-ingress');
  redis.on('error', (error) => logger.debug({ error: String(error) }, 'connection to Redis'));
  await waitForRedis(redis, settings.redisUrl);
  const first = await ensurePartitions(redis, settings.partitions);
  const self = randomBytes(9).toString('base64url');
  const pending = new Map<string, Pending>();
  const bytes: Record<Lane, number> = { fast: 0, slow: 0 };
  const shares: Record<Lane, Shares> = {
    fast: createShares(settings.pendingBytes * FAST_SHARE),
    slow: createShares(settings.pendingBytes / 2),
  };
  const joined = createJoined((id) => hotRecord(redis, partitionOf(id), id));
  const partitions = followPartitions(redis, first, {
    logger,
    // Work goes where it is read, and from where the reply is heard.
    async grow(from, to) {
      if (!(await areRead(redis, from, to))) return false;
      await replies.follow(channelsOf(from, to));
      return true;
    },
  });
  const admission = await createAdmission(redis, partitions.current, settings, tools);
  const rescued = new Counter({
    name: 'weir_replies_rescued_total',
    help: 'Results that were read because their published reply did not arrive',
    registers: [registry],
  });
  new Gauge({
    name: 'weir_pending_requests',
    help: 'Requests waiting for their verdict',
    registers: [registry],
    collect() {
      this.set(pending.size + joined.waiting());
    },
  });
  new Gauge({
    name: 'weir_pending_bytes',
    help: 'Bytes of the bodies of waiting requests, by lane',
    labelNames: ['lane'] as const,
    registers: [registry],
    collect() {
      for (const lane of LANES) this.set({ lane }, bytes[lane]);
    },
  });

  const channelsOf = (from: number, to: number): string[] =>
    Array.from({ length: to - from }, (_, i) => keys.reply(from + i, self));
  const replies = await subscribeToReplies(
    settings.redisUrl,
    channelsOf(0, first),
    {
      onReply(message) {
        const waiting = pending.get(message.toString('latin1', 0, 36));
        if (!waiting) return;
        if (message.length === 36) void rescue(waiting);
        else settle(waiting, message.toString('utf8', 36));
      },
      // What was published while there was no subscription is gone; what was committed is not.
      onSubscribed() {
        for (const waiting of pending.values()) void rescue(waiting);
      },
    },
    logger,
  );

  function hold(request: CheckRequest): void {
    bytes[request.lane] += request.body.length;
    shares[request.lane].add(request, weightOf(request));
  }

  function letGo(request: CheckRequest): void {
    bytes[request.lane] -= request.body.length;
    shares[request.lane].remove(request, weightOf(request));
  }

  function forget(waiting: Pending): void {
    if (pending.delete(waiting.id)) letGo(waiting.request);
  }

  function settle(waiting: Pending, record: string): void {
    forget(waiting);
    try {
      waiting.resolve({ status: 'done', record: decodeRecord(record) });
    } catch (error) {
      logger.error({ error: String(error), request: waiting.id }, 'a result cannot be read');
      waiting.reject(new ApiError('internal_error', 'The result of this check cannot be read.'));
    }
  }

  async function rescue(waiting: Pending): Promise<boolean> {
    try {
      const record = await hotRecord(redis, waiting.partition, waiting.id);
      if (!record) return false;
      if (pending.has(waiting.id)) {
        rescued.inc();
        forget(waiting);
        waiting.resolve({ status: 'done', record });
      }
      return true;
    } catch (error) {
      logger.debug({ error: String(error), request: waiting.id }, 'reading a result failed');
      return false;
    }
  }

  /** The caller is answered in time whatever Redis does: its mark and the last look have this long together. */
  async function giveUp(waiting: Pending): Promise<void> {
    await within(lastWords(waiting), { ms: LAST_WORDS_MS });
    if (!pending.has(waiting.id)) return;
    forget(waiting);
    waiting.resolve({ status: 'timeout', id: waiting.id });
  }

  async function mark(request: CheckRequest, id: string): Promise<void> {
    try {
      await Promise.all([
        markAwaited(redis, partitionOf(id), id, awaitedOf(request)),
        markLateEvents(redis, id, request, lateEventsOf(request, id)),
      ]);
    } catch (error) {
      logger.warn({ error: String(error), request: id }, 'a late request could not be marked as awaited');
    }
  }

  async function lastWords(waiting: Pending): Promise<void> {
    await mark(waiting.request, waiting.id);
    // Committed between the last look and the mark: the caller still gets it.
    await rescue(waiting);
  }

  const ticker = setInterval(() => {
    const now = performance.now();
    for (const waiting of pending.values()) {
      const left = waiting.deadline - now;
      if (left > LAST_LOOK_MS || waiting.closing) continue;
      if (left <= 0) {
        waiting.closing = true;
        void giveUp(waiting);
      } else if (left > LAST_LOOK_MS - TICK_MS) {
        void rescue(waiting);
      }
    }
  }, TICK_MS);

  function headerOf(id: string, request: CheckRequest, reply: string): string {
    const header: WorkHeader = {
      id,
      kind: request.kind,
      team: request.team,
      scope: request.scope,
      config: request.config,
      key: request.key,
      received: request.received,
      deadline: request.received + request.deadlineMs,
      reply,
    };
    if (request.configId !== undefined) header.configId = request.configId;
    if (request.references.length > 0) header.references = request.references;
    if (request.lane !== 'fast') header.lane = request.lane;
    if (request.images > 0) header.images = request.images;
    const { external, session } = request.artifact ?? {};
    if (external) header.external = external;
    if (session && (session.internal !== '' || session.external !== '')) header.session = session;
    if (request.causes) header.causes = request.causes;
    if (tools.failClosed?.(request.team)) header.failClosed = true;
    if (tools.keepsContent?.() === false) header.unkept = true;
    if (request.contextDepth > 0 && request.conversations.length > 0) {
      header.conversations = request.conversations.map((one) =>
        one === GENERATED_RUN ? conversationOf('', generatedId('run', id)) : one,
      );
      header.contextDepth = request.contextDepth;
    }
    if (request.traceparent !== '') header.traceparent = request.traceparent;
    return JSON.stringify(header);
  }

  function failed(waiting: Pending, error: unknown): void {
    if (isOutOfMemory(error)) {
      admission.full();
      forget(waiting);
      waiting.reject(new ApiError('overloaded', 'The queue is full. Try again.'));
      return;
    }
    if (error instanceof ApiError) {
      forget(waiting);
      waiting.reject(error);
      return;
    }
    if (isFateUnknown(error)) return;
    forget(waiting);
    waiting.reject(new ApiError('unavailable', 'The service cannot reach its queue at the moment. Try again.'));
  }

  function draw(request: CheckRequest): string {
    return newRequestId(partitionFor(request), request.received);
  }

  function partitionFor({ team, scope, affinity }: CheckRequest): number {
    const count = partitions.current();
    if (affinity === '') return Math.floor(Math.random() * count);
    // A run that was generated goes on in the partition that its first request was drawn for.
    const begun = requestOfRun(affinity)?.partition ?? count;
    return begun < count ? begun : hash32(`${team} ${scope} ${affinity}`) % count;
  }

  const deadlineOf = (request: CheckRequest): number =>
    performance.now() + (request.waitMs ?? request.deadlineMs) - Math.max(0, Date.now() - request.received);

  /** Waits for a check that `add` adds; `add` says false when somebody else had added it, who then has its reply. */
  function begin(request: CheckRequest, id: string, add: (header: string) => Promise<boolean>): Promise<Outcome> {
    return new Promise<Outcome>((resolve, reject) => {
      const waiting: Pending = {
        id,
        partition: partitionOf(id),
        deadline: deadlineOf(request),
        request,
        resolve,
        reject,
        closing: false,
      };
      pending.set(id, waiting);
      hold(request);
      const accepted = accept(redis, logger, { requestId: id, partition: waiting.partition }, request);
      add(headerOf(id, request, self)).then(
        (added) => {
          if (!added)
            void joined.wait(id, waiting.deadline).then(
              () => rescue(waiting),
              () => undefined,
            );
        },
        (error: unknown) => {
          if (!isFateUnknown(error)) accepted.undo();
          failed(waiting, error);
        },
      );
    });
  }

  async function join(request: CheckRequest, id: string): Promise<Outcome> {
    hold(request);
    try {
      const record = await joined.wait(id, deadlineOf(request));
      if (record) return { status: 'done', record };
      await within(mark(request, id), { ms: LAST_WORDS_MS });
      return { status: 'timeout', id };
    } finally {
      letGo(request);
    }
  }

  const repeatable = createIdempotency(
    {
      redis,
      recall: tools.recall,
      draw,
      begin,
      accept: (request, id) => accept(redis, logger, { requestId: id, partition: partitionOf(id) }, request),
      join,
      headerOf: (id, request) => headerOf(id, request, ''),
      full: admission.full,
    },
    tools,
  );

  return {
    refusal: () => admission.refusal(bytes),
    pending: () => pending.size + joined.waiting(),
    progress() {
      const [oldest] = pending.values();
      const late = oldest !== undefined && performance.now() > oldest.deadline + STALLED_MS;
      return late ? 'Requests wait far beyond their deadline.' : undefined;
    },
    check(request) {
      const { lane } = request;
      const refusal = admission.refusal(bytes, lane) ?? (shares[lane].over(request) ? TEAM_IS_FULL[lane] : undefined);
      if (refusal) return Promise.reject(refusal);
      if (request.retry) return repeatable(request as RetryRequest);
      const id = draw(request);
      return begin(request, id, async (header) => {
        await redis.xadd(keys.checks(partitionOf(id), lane), '*', 'header', header, 'body', request.body);
        return true;
      });
    },
    async drain(drainMs) {
      admission.shutDown();
      const until = performance.now() + drainMs;
      while (pending.size + joined.waiting() > 0 && performance.now() < until) await sleep(10);
      // Told while they can still be told: their work goes on, its results are stored.
      const stopping = new ApiError('shutting_down', 'This process is stopping. Try again: another one will answer.');
      for (const waiting of [...pending.values()]) {
        forget(waiting);
        waiting.reject(stopping);
      }
      joined.letGo(stopping);
    },
    async close() {
      clearInterval(ticker);
      partitions.stop();
      admission.close();
      replies.close();
      redis.disconnect();
    },
  };
}
