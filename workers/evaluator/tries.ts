/**
 * Tries: checks of callers, maybe by edited policies, that are answered and leave nothing behind.
 *
 *     read ──> images ──> on a thread that tries ⇅ asking ──> answered
 *
 * What callers edit is compiled on threads that only try, so it delays no check. A try is never made again: its caller waits two seconds. All of
 * it is set aside, and holds no slot. Of stored items, and of cases, as many are tried as fit into a part of that time.
 */

import type { Logger } from '../../shared/log.js';
import { TookTooLong } from '../../shared/process/threads.js';
import type { Redis } from '../../shared/streams/client.js';
import { type TriedCost, type TryAnswer, tryAnswerBytes, tryAnswerOf } from '../../shared/streams/tries.js';
import { leftOf, type WorkHeader } from '../../shared/streams/work.js';
import type { Asking } from '../asking.js';
import { type ConfigurationSource, planReference } from '../configuration-source.js';
import type { EntriesSlot, RawEntry } from '../consumer/consumer.js';
import { askAbout } from './ask.js';
import { type Check, checkOf, hasImages } from './check.js';
import { answerLooks } from './commit/looks.js';
import type { RedisRetry } from './commit/redis-retry.js';
import { NOTHING_GATHERED } from './gather/gather-context.js';
import { findImages, type ImageSources, type InspectedImages, lookAtImages } from './images/inspect.js';
import type { EvaluatorMetrics } from './meters.js';
import type { ItemAsks } from './outcome.js';
import type { Room } from './room.js';
import { type ReadyCheck, type TaskMemory, taskOf } from './task.js';
import { type Pool, type TryLimits, whileLost } from './threads/pool.js';

export interface TryTools {
  redis: Redis;
  pool: Pool;
  configurations: Pick<ConfigurationSource, 'of'>;
  media: ImageSources;
  asking: Asking;
  rooms: { images: Room; asking: Room };
  memory: TaskMemory;
  retry: RedisRetry;
  hardLimitMs: number;
  /** aborted when the evaluator stops */
  signal: AbortSignal;
  logger: Logger;
  metrics: EvaluatorMetrics;
}

/** How long a thread may take to compile a large version, of which a team has a part. */
const PLAN_MS = 60_000;

/** How long a page of stored items, or of cases, may be at work: other teams wait for the thread. And what is left of its time for its answer. */
const MANY_MS = 400;
const ANSWER_MS = 300;

type TryHeader = WorkHeader & { look: { tried: number; many?: 'backtest' | 'cases' } };

export const isTry = (header: WorkHeader): header is TryHeader => header.look?.tried !== undefined;

/** Tries an entry, set aside if it may be. */
export async function tryEntry(
  tools: TryTools,
  raw: RawEntry,
  header: TryHeader,
  slot: EntriesSlot | undefined,
): Promise<void> {
  const answered = answer(tools, raw, header).catch((error: unknown) =>
    tools.logger.error({ error: String(error), entry: raw.id }, 'a try could not be answered'),
  );
  if (slot) slot.aside([raw], answered, async () => undefined);
  else await answered;
}

async function answer(tools: TryTools, raw: RawEntry, header: TryHeader): Promise<void> {
  const { redis, retry, signal, metrics } = tools;
  const made = await tried(tools, raw, header).catch((error: unknown) => failure(tools, raw, header, error));
  // It may have been at work for longer, and its caller is gone.
  const said: TryAnswer = leftOf(header) === 0 ? { late: true } : made;
  // Another worker is too late to try it, and drops it.
  if (signal.aborted) return;
  const look = {
    entryId: raw.id,
    requestId: header.id,
    reply: header.reply,
    answer: tryAnswerBytes(said),
    segments: raw.segments,
  };
  await retry(() => answerLooks(redis, raw, [look]));
  metrics.tries.inc({ outcome: outcomeOf(said) });
}

function outcomeOf(said: TryAnswer): 'answered' | 'refused' | 'late' | 'failed' {
  if ('verdict' in said || 'backtest' in said || 'cases' in said) return 'answered';
  if ('refused' in said) return 'refused';
  return 'late' in said ? 'late' : 'failed';
}

function failure({ logger }: TryTools, raw: RawEntry, header: TryHeader, error: unknown): TryAnswer {
  if (leftOf(header) === 0) return { late: true };
  // It is what was edited, or what was sent, that has taken all of a thread.
  if (error instanceof TookTooLong) return { late: true };
  if ((error as { code?: unknown } | null)?.code === 'ERR_WORKER_OUT_OF_MEMORY')
    return { over: 'What is tried takes more memory than a try may.' };
  logger.error({ error: String(error), entry: raw.id, check_id: header.id }, 'a try has failed');
  return { failed: true };
}

async function tried(tools: TryTools, raw: RawEntry, header: TryHeader): Promise<TryAnswer> {
  const configuration = await tools.configurations.of(header);
  if (!configuration || leftOf(header) === 0) return { late: true };
  const { tried: length, many } = header.look;
  const { kind, team, scope } = header;
  const isEvent = kind === 'event' || kind === 'events';
  const edits = Buffer.from(raw.body.subarray(length)).toString();
  const own = {
    ...configuration,
    tried: { team, kind: isEvent ? ('environment' as const) : ('deployment' as const), id: scope, edits },
  };
  const check = checkOf({ ...raw, body: raw.body.subarray(0, length) }, header, own);
  if (many !== undefined) return await triedMany(tools, check, many);
  const cost: TriedCost = { evaluating: 0, images: 0, asking: 0 };
  const seen = hasImages(check) ? await timed(cost, 'images', () => imagesOf(tools, check)) : { lists: [] };
  if (!seen) return { busy: true };
  const first: ReadyCheck = { check, gathering: { gathered: NOTHING_GATHERED, references: [], causes: [] }, seen };
  const { said, asks } = await onThread(tools, first, cost);
  if (!asks) return withCost(said, cost);
  // Nobody waits for what a backend would say.
  if (leftOf(header) === 0) return { late: true };
  const { answers, notes } = await timed(cost, 'asking', () => askAbout(tools, check, asks, tools.signal));
  const gathered = { ...NOTHING_GATHERED, answers, notes };
  const again = await onThread(tools, { ...first, gathering: { ...first.gathering, gathered } }, cost);
  return withCost(again.said, cost);
}

/** No image is looked at, and nothing is asked of backends. */
async function triedMany(tools: TryTools, check: Check, what: 'backtest' | 'cases'): Promise<TryAnswer> {
  const { pool, metrics } = tools;
  const { header, configuration, raw } = check;
  const ms = Math.min(MANY_MS, leftOf(header) - ANSWER_MS);
  const task = {
    ...planReference(configuration),
    header,
    body: new Uint8Array(raw.body),
    moves: false as const,
    what,
    ms,
  };
  const { bytes, microseconds } = await whileLost(() => pool.tryMany(task, limitsFor(tools, check)));
  metrics.threadSeconds.inc(microseconds / 1e6);
  return tryAnswerOf(Buffer.from(bytes));
}

const withCost = (said: TryAnswer, cost: TriedCost): TryAnswer => ('verdict' in said ? { ...said, cost } : said);

async function timed<T>(cost: TriedCost, what: 'images' | 'asking', wait: () => Promise<T>): Promise<T> {
  const since = performance.now();
  const made = await wait();
  cost[what] = Math.round((performance.now() - since) * 1000);
  return made;
}

/** Undefined: there is no room for them. */
async function imagesOf(tools: TryTools, check: Check): Promise<InspectedImages | undefined> {
  const { rooms, pool, signal } = tools;
  const limits = limitsFor(tools, check);
  const found = await findImages(tools, check, (task) => pool.extractTry(task, limits));
  const stay = rooms.images.take(check.header.team, check.raw.body.length);
  if (!stay) return undefined;
  try {
    return await lookAtImages(tools, check.header, { found, stay }, signal);
  } finally {
    stay.leave();
  }
}

/** The version as it is takes what it takes: nobody who tries has made it. */
function limitsFor({ hardLimitMs }: TryTools, { header, configuration }: Check): TryLimits {
  const asItIs = { team: header.team, kind: 'deployment', id: '', edits: '' } as const;
  return {
    plan: planReference({ ...configuration, tried: asItIs }),
    planMs: Math.max(hardLimitMs, PLAN_MS),
    left: () => Math.min(hardLimitMs, leftOf(header)),
  };
}

async function onThread(
  tools: TryTools,
  ready: ReadyCheck,
  cost: TriedCost,
): Promise<{ said: TryAnswer; asks: readonly ItemAsks[] | undefined }> {
  const { pool, memory, metrics } = tools;
  const spent = (microseconds: number): void => {
    cost.evaluating += microseconds;
    metrics.threadSeconds.inc(microseconds / 1e6);
  };
  const task = taskOf([ready], 0, memory);
  const { buffer } = task.bodies;
  let free = false;
  try {
    const { outcomes, bytes } = await whileLost(() => pool.runTry(task, limitsFor(tools, ready.check), { spent }));
    const [{ record, asks }] = outcomes as [(typeof outcomes)[number]];
    const said = tryAnswerOf(Buffer.from(bytes.buffer, bytes.byteOffset + record[0], record[1]));
    free = true;
    if ('verdict' in said) cost.evaluating = Math.max(1, cost.evaluating - said.verdict.beside);
    return { said, asks };
  } finally {
    memory.giveBack(buffer, free);
  }
}
