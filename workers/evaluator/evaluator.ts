/**
 * Evaluates work entries. Chunks of entries with one configuration go through these states:
 *
 *     read ──> images ──> gathering ──> on a thread ──> committed
 *               │ ⇅          │ ⇅          │ ⇅ asking
 *               └────────────┴────────────┴─ failed: each check again, alone (`attempts.ts`) ──> committed, or a dead letter
 *
 * Tries (`tries.ts`) go their own way.
 *
 * A chunk whose thread was ended by the task of another one goes to a thread again: no attempt of it has failed.
 *
 * - *images*: only of entries of the slow lane, which come one by one. A thread finds the images in the body; then they are fetched,
 *   decoded and measured while the entry is set aside. Meanwhile the session of an artifact is looked for. Left when all images have
 *   been looked at, or have failed.
 * - *gathering*: what the headers ask for is read from Redis. An entry that needs history as well is set aside until history has
 *   answered, and goes on by itself; the rest of the chunk does not wait for it.
 * - *on a thread*: left when the thread has returned the outcomes. Only threads ever parse a body. What takes long is evaluated in slices
 *   (`slice.ts`): between them other teams have their turn. Those of the fast lane are given the slot, those of the slow lane the thread.
 * - *asking*: only of entries with a policy that stays open until a backend or a model has judged a text. They are set aside meanwhile, and go to a
 *   thread again with the answers. The rest of the chunk is committed.
 * - *committed*: an outcome counts if no other worker has committed the entry before.
 *
 * Entries that are set aside hold no slot. While Redis is away every state waits and retries: that is no fault of an entry.
 */
import { setMaxListeners } from 'node:events';
import { UnreadFormat } from '../../shared/formats.js';
import type { Logger } from '../../shared/log.js';
import { isCluster, type Redis } from '../../shared/streams/client.js';
import { readHeader, type WorkHeader } from '../../shared/streams/work.js';
import type { Asking } from '../asking.js';
import type { ConfigurationSource } from '../configuration-source.js';
import type { EntriesSlot, RawEntry } from '../consumer/consumer.js';
import { byPartition } from '../consumer/entry.js';
import type { LeftEntries } from '../consumer/left.js';
import { giveBack } from '../consumer/pending.js';
import type { Pass } from '../consumer/turns.js';
import { ASKING_ROOM, askAbout } from './ask.js';
import { type Attempts, createAttempts } from './attempts.js';
import { type Check, checkOf, hasImages } from './check.js';
import { type Bury, createBury } from './commit/dead-letters.js';
import { commitOutcomes, type Outcome } from './commit/outcomes.js';
import { createRedisRetry, type RedisRetry } from './commit/redis-retry.js';
import {
  type Gathering,
  type GatherSources,
  gatherCold,
  gatherHot,
  gatherNothing,
  leaveCauses,
  waitsForHistory,
} from './gather/gather-context.js';
import { createHistoryRoom, type HistoryRoom } from './gather/history-room.js';
import { findImages, type ImageSources, type InspectedImages, lookAtImages, notLookedAt } from './images/inspect.js';
import type { Links } from './images/link-sessions.js';
import type { EvaluatorMetrics } from './meters.js';
import type { ItemAsks } from './outcome.js';
import { createRoom, type Room, type RoomOptions } from './room.js';
import type { CheckSpans } from './spans.js';
import { createTaskMemory, type ReadyCheck, type TaskMemory, taskOf } from './task.js';
import { type FinishedTask, type Pool, whileLost } from './threads/pool.js';
import { isTry, tryEntry } from './tries.js';

export interface EvaluatorOptions extends GatherSources {
  redis: Redis;
  pool: Pool;
  configurations: Pick<ConfigurationSource, 'of'>;
  /** name under which this process reads */
  consumer: string;
  /** sequence below which index members may go once they are archived */
  archivedBelow(): number;
  /** sequence below which something may have left Redis that was submitted later */
  lateBelow(): number;
  /** fetches and decodes images */
  media: ImageSources;
  /** finds the sessions that artifacts name */
  links: Links;
  imageRoom: RoomOptions;
  asking: Asking;
  /** entries of newer releases, which are not taken over */
  left?: LeftEntries;
  maxAttempts: number;
  /** up to which attempt entries are evaluated among others */
  attemptsTogether: number;
  hardLimitMs: number;
  logger: Logger;
  metrics: EvaluatorMetrics;
  spans: CheckSpans;
}

export interface Evaluator {
  /**
   * Finishes entries of partitions of one Redis. Those that wait for images or history are set aside, if there is a slot. Never rejects;
   * leaves entries unfinished, for other workers, only after `stop`.
   */
  handle(entries: RawEntry[], slot?: EntriesSlot): Promise<void>;
  /** Ends waiting for a Redis that is away. */
  stop(): void;
}

/** What the states share. */
interface Context extends EvaluatorOptions {
  rooms: { images: Room; history: HistoryRoom; asking: Room };
  retry: RedisRetry;
  bury: Bury;
  attempts: Attempts;
  memory: TaskMemory;
  /** aborted when the evaluator stops */
  signal: AbortSignal;
}

/** The threads that evaluate, and the slot that entries are in; undefined: they have none, and wait where they are. */
interface EvaluationMeans {
  run: Pool['run'];
  extract: Pool['extract'];
  slot: EntriesSlot | undefined;
}

/** More than any text takes: one text may be all of a body, and is not evaluated in slices. */
const MS_PER_BYTE = 2000 / (1024 * 1024);
const NOTHING_SEEN: InspectedImages = { lists: [] };

export function createEvaluator(options: EvaluatorOptions): Evaluator {
  const { pool } = options;
  const ending = new AbortController();
  const { signal } = ending;
  // Every entry with images listens.
  setMaxListeners(0, signal);
  const retry = createRedisRetry({ ...options, signal });
  const bury = createBury({ ...options, retry });
  const evaluateAlone = (check: Check, slot: EntriesSlot | undefined): Promise<void> =>
    evaluate(context, [check], { run: pool.runAlone, extract: pool.extractAlone, slot });
  const attempts = createAttempts({ ...options, retry, bury, evaluateAlone, signal });
  const rooms = {
    images: createRoom(options.imageRoom),
    history: createHistoryRoom(),
    asking: createRoom(ASKING_ROOM),
  };
  const context: Context = { ...options, rooms, retry, bury, attempts, memory: createTaskMemory(), signal };
  return {
    handle: (entries, slot) => handle(context, entries, slot),
    stop: () => ending.abort(),
  };
}

async function handle(context: Context, entries: readonly RawEntry[], slot: EntriesSlot | undefined): Promise<void> {
  const { pool, configurations, attempts } = context;
  const groups = new Map<string, { raw: RawEntry; header: WorkHeader }[]>();
  const newer: RawEntry[] = [];
  const tries: Promise<void>[] = [];
  let reason = '';
  for (const raw of entries) {
    const header = readHeader(raw.header);
    if (header instanceof UnreadFormat && header.newer) {
      newer.push(raw);
      reason = header.message;
      continue;
    }
    if (!header || header instanceof UnreadFormat) {
      await context.bury(raw, undefined, header?.message ?? 'the header of the entry cannot be read');
      continue;
    }
    if (isTry(header)) {
      tries.push(tryEntry(context, raw, header, slot));
      continue;
    }
    const named = header.configId ?? String(header.config);
    const group = groups.get(named);
    if (group) group.push({ raw, header });
    else groups.set(named, [{ raw, header }]);
  }
  if (newer.length > 0) await leaveToNewer(context, newer, reason);
  await Promise.all(tries);
  for (const group of groups.values()) {
    const configuration = await configurations.of(group[0]!.header);
    if (!configuration || context.signal.aborted) return;
    const checks = group.map(({ raw, header }) => checkOf(raw, header, configuration));
    for (const check of checks) context.spans.queued(check);
    const { lane, attempt } = checks[0]!.raw;
    if (checks.length === 1 && attempt > context.attemptsTogether) await attempts.alone(checks[0]!, slot);
    else
      await evaluate(context, checks, { run: lane === 'slow' ? pool.runSlow : pool.run, extract: pool.extract, slot });
  }
}

const rawsOf = (checks: readonly Check[]): RawEntry[] => checks.map(({ raw }) => raw);

/** Leaves entries to workers of a newer release. */
async function leaveToNewer(context: Context, entries: readonly RawEntry[], reason: string): Promise<void> {
  const { redis, consumer, left, logger } = context;
  for (const entry of entries) left?.add(entry);
  for (const own of byPartition(entries, (entry) => entry)) {
    const { partition } = own[0]!;
    const ids = own.map(({ id }) => id);
    logger.warn({ entries: ids, partition }, `entries are left to a worker of a newer release: ${reason}`);
    await context.retry(async () => {
      await giveBack(redis, own[0]!, consumer, own);
      return true;
    });
  }
}

/** Evaluates and commits checks; `seen`: their images, once they have been looked at. What fails is retried alone. */
async function evaluate(
  context: Context,
  checks: Check[],
  means: EvaluationMeans,
  seen?: InspectedImages,
): Promise<void> {
  // Entries with images come one by one.
  if (!seen && checks.length === 1 && hasImages(checks[0]!)) return lookFirst(context, checks[0]!, means);
  let here = checks;
  try {
    const gathered = gatherNothing(checks) ?? (await gather(context, checks, means));
    if (!gathered || context.signal.aborted) return;
    const all = checks.map((check, i) => ({ check, gathering: gathered[i]!, seen: seen ?? NOTHING_SEEN }));
    const stay = means.slot ? all.filter((one) => !waitForHistoryAside(context, one, means)) : all;
    if (stay.length === 0) return;
    here = stay.map(({ check }) => check);
    const cold = stay.filter(({ gathering }) => waitsForHistory(gathering));
    if (cold.length > 0) {
      await Promise.all(cold.map((one) => gatherRest(context, one)));
    }
    await runAndCommit(context, stay, means);
  } catch (error) {
    // What they refer to is a result that a newer release has stored.
    if (error instanceof UnreadFormat && error.newer) return await leaveToNewer(context, rawsOf(here), error.message);
    await context.attempts.failed(here, error, means.slot);
  }
}

/** What is gathered from Redis; undefined: the evaluator stops. */
async function gather(context: Context, checks: Check[], means: EvaluationMeans): Promise<Gathering[] | undefined> {
  const since = context.spans.now();
  const gathered = await context.retry(() => gatherHot(context.redis, checks), passOf(context, means));
  context.spans.end('gather', checks, since);
  return gathered;
}

/** Adds to it what is gathered from history. */
async function gatherRest(context: Context, { check, gathering }: ReadyCheck): Promise<void> {
  const since = context.spans.now();
  await gatherCold(context, check.header, gathering);
  context.spans.end('gather', [check], since);
}

/** What a check of a Cluster waits with while its node is away: checks of other nodes go on. */
const passOf = ({ redis }: Context, { slot }: EvaluationMeans): Pass | undefined =>
  isCluster(redis) ? slot?.pass : undefined;

async function runAndCommit(context: Context, ready: readonly ReadyCheck[], means: EvaluationMeans): Promise<void> {
  const { spans } = context;
  const evaluating = spans.now();
  const { done, memory } = await whileLost(() => onThread(context, ready, means)).catch((error: unknown) => {
    spans.end('evaluate', ready, evaluating, 'failed');
    throw error;
  });
  spans.end('evaluate', ready, evaluating);
  const { outcomes } = done;
  let free = false;
  let asking: Promise<void>[];
  try {
    const isSettled = outcomes.map(({ asks }) => asks === undefined);
    // Those that ask do not keep the others.
    asking = ready.flatMap((one, i) => (isSettled[i] ? [] : [askAndCommit(context, one, outcomes[i]!.asks!, means)]));
    const settled = ready.flatMap(({ check }, i) => (isSettled[i] ? [{ check, outcome: outcomes[i]! }] : []));
    free = await commitEach(context, settled, done.bytes, means);
  } finally {
    context.memory.giveBack(memory, free);
  }
  await Promise.all(asking);
}

/** Commits what a thread has made of checks, each partition by itself. Returns whether Redis has answered for all. */
async function commitEach(
  context: Context,
  settled: readonly Outcome[],
  { buffer, byteOffset, length }: Uint8Array,
  means: EvaluationMeans,
): Promise<boolean> {
  const bytes = Buffer.from(buffer, byteOffset, length);
  const committing = context.spans.now();
  const sent = byPartition(settled, ({ check }) => check.raw).map(async (some) => {
    try {
      const answered = await commitOutcomes(context, some, bytes, passOf(context, means));
      context.spans.end('commit', some, committing);
      return answered;
    } catch (error) {
      context.spans.end('commit', some, committing, 'failed');
      await context.attempts.failed(
        some.map(({ check }) => check),
        error,
        means.slot,
      );
      return false;
    }
  });
  return (await Promise.all(sent)).every((all) => all);
}

/**
 * What a thread has made of checks, slice by slice, and the memory that it is in. Where it fails, the memory is dropped: the thread may still
 * use it.
 */
async function onThread(
  context: Context,
  ready: readonly ReadyCheck[],
  { run, slot }: EvaluationMeans,
): Promise<{ done: FinishedTask; memory: ArrayBufferLike }> {
  const spent = (microseconds: number): void => context.metrics.threadSeconds.inc(microseconds / 1e6);
  const task = taskOf(ready, context.lateBelow(), context.memory);
  const memory = task.bodies.buffer;
  const limitMs = context.hardLimitMs + task.bodies.length * MS_PER_BYTE;
  try {
    return { done: await run(task, limitMs, { spent, pass: slot?.pass }), memory };
  } catch (error) {
    context.memory.giveBack(memory, false);
    throw error;
  }
}

/** Asks about what is open in a check, set aside if it may be; then evaluates it with their answers. */
async function askAndCommit(
  context: Context,
  one: ReadyCheck,
  asks: readonly ItemAsks[],
  means: EvaluationMeans,
): Promise<void> {
  const { check, gathering } = one;
  let answered = one;
  const since = context.spans.now();
  const ready = askAbout(context, check, asks, context.signal).then(({ answers, notes }) => {
    context.spans.end('ask', [check], since);
    // What was gathered may be shared with checks that asked for the same.
    answered = { ...one, gathering: { ...gathering, gathered: { ...gathering.gathered, answers, notes } } };
  });
  const evaluateAnswered = async (again: EntriesSlot | undefined): Promise<void> => {
    // Answers that a stop has kept away are no answers. Another worker asks again.
    if (context.signal.aborted) return;
    await runAndCommit(context, [answered], { ...means, slot: again });
  };
  if (!means.slot) return await ready.then(() => evaluateAnswered(undefined));
  context.metrics.asking.inc();
  means.slot.aside([check.raw], ready, async (again) => {
    try {
      await evaluateAnswered(again);
    } catch (error) {
      await context.attempts.failed([check], error, again);
    }
  });
}

/** Looks at the images of a check, set aside if it may be; then evaluates it. */
async function lookFirst(context: Context, check: Check, means: EvaluationMeans): Promise<void> {
  const { rooms, metrics, links, attempts, spans, signal } = context;
  try {
    const found = await findImages(context, check, means.extract);
    const fetched = found.images.some((image) => 'url' in image);
    const stay = rooms.images.take(check.header.team, fetched ? check.raw.body.length : 0);
    if (!stay) {
      metrics.imagesRefused.inc(found.images.length);
      return await evaluate(context, [check], means, notLookedAt(found));
    }
    const since = spans.now();
    const seen = lookAtImages(context, check.header, { found, stay }, signal);
    const linked = links.complete(check.header, seen).then((header) => {
      check.header = header;
    });
    const ready = Promise.allSettled([seen, linked]).then(() => spans.end('images', [check], since));
    const evaluateSeen = async (slot: EntriesSlot | undefined): Promise<void> => {
      try {
        await evaluate(context, [check], { ...means, slot }, await seen);
      } catch (error) {
        await attempts.failed([check], error, slot);
      } finally {
        stay.leave();
      }
    };
    if (means.slot) means.slot.aside([check.raw], ready, evaluateSeen);
    else await ready.then(() => evaluateSeen(undefined));
  } catch (error) {
    await attempts.failed([check], error, means.slot);
  }
}

/** Sets a check aside if it waits for history: it goes on by itself then. Returns whether it did. */
function waitForHistoryAside(context: Context, one: ReadyCheck, means: EvaluationMeans): boolean {
  const { check, gathering } = one;
  const { raw, header } = check;
  if (!waitsForHistory(gathering)) return false;
  if (gathering.causes.length > 0 && !context.rooms.history.has(header.team, raw.body.length)) {
    context.metrics.causesSkipped.inc(gathering.causes.length);
    leaveCauses(gathering);
    if (!waitsForHistory(gathering)) return false;
  }
  const leave = context.rooms.history.take(header.team, raw.body.length);
  context.metrics.apart.inc();
  means.slot?.aside([raw], gatherRest(context, one), async (again) => {
    try {
      await runAndCommit(context, [one], { ...means, slot: again });
    } catch (error) {
      await context.attempts.failed([check], error, again);
    } finally {
      leave();
    }
  });
  return true;
}
