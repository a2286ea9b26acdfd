/**
 * Evaluates work entries: gathers what their headers ask for, has a thread judge them, commits.
 *
 *     read ──> images ──> gathered ──> judged ──> committed
 *               │           │  Redis is away: waits and tries again, nothing of it is the entry's fault
 *               │           │
 *               └───────────┴─ a thread threw, died or passed the hard limit: every entry of the chunk again, alone and counted
 *                                 └─ too often: dead letter, with a terminal `failed` result
 *
 * Only the threads ever parse a body. Images come in entries of the slow lane alone: a thread finds them in the body, they are
 * fetched and decoded, and what was measured of them goes to the thread that judges the entry.
 */
import { setMaxListeners } from 'node:events';
import { type Cause, causeKey } from '../../shared/api/issues.js';
import type { StoredItem } from '../../shared/api/record.js';
import { partsOf, sequenceOf } from '../../shared/ids.js';
import type { Logger } from '../../shared/log.js';
import { isPassing, type Redis } from '../../shared/streams/client.js';
import { CONTEXT_BYTES, readContext, type Wanted } from '../../shared/streams/context.js';
import { GROUP, keys } from '../../shared/streams/keys.js';
import { hotEvent } from '../../shared/streams/results.js';
import { hotCauses } from '../../shared/streams/runs.js';
import { bury, commit, type Finished, type Scripted } from '../../shared/streams/scripts.js';
import type { Reference, WorkHeader } from '../../shared/streams/work.js';
import type { RawEntry } from '../consumer.js';
import type { SharedList } from '../media/hash-lists.js';
import type { Gathered } from './draft.js';
import { type ImageSources, lookAtImages } from './look.js';
import type { EvaluatorMetrics } from './metrics.js';
import { failedEntry, unreadableEntry } from './outcome.js';
import type { Done, Pool } from './pool.js';
import type { Task } from './thread.js';

export interface EvaluatorOptions {
  redis: Redis & Scripted;
  pool: Pool;
  /** name under which this process reads */
  consumer: string;
  /** sequence below which index members may go once they are archived */
  archivedBelow(): number;
  /** latest stored events of references that are not hot, in their order, in one query; rejects when nobody can say */
  history(team: string, environment: string, references: Reference[]): Promise<(StoredItem | undefined)[]>;
  /** which of these causes are stored, by `causeKey`; rejects when nobody can say */
  storedCauses(team: string, environment: string, causes: Cause[]): Promise<ReadonlyMap<string, unknown>>;
  /** fetches and decodes images */
  media: ImageSources;
  maxAttempts: number;
  hardLimitMs: number;
  logger: Logger;
  metrics: EvaluatorMetrics;
}

export interface Evaluator {
  /** Finishes entries of one partition. Never rejects; returns early, leaving them to others, only after `stop`. */
  handle(entries: RawEntry[]): Promise<void>;
  /** Ends waiting for a Redis that is away. */
  stop(): void;
}

interface Work {
  raw: RawEntry;
  header: WorkHeader;
  /** why its last attempt failed */
  reason: string;
}

const NOTHING_GATHERED: Gathered = { references: {}, context: {} };

/** Where entries are evaluated: among others, or alone after an attempt has failed. */
interface Place {
  run: Pool['run'];
  extract: Pool['extract'];
}

export function createEvaluator(options: EvaluatorOptions): Evaluator {
  const { redis, pool, logger, metrics } = options;
  let stopped = false;
  const ending = new AbortController();
  // Every entry with images listens.
  setMaxListeners(0, ending.signal);

  async function handle(entries: RawEntry[]): Promise<void> {
    const byVersion = new Map<number, Work[]>();
    for (const raw of entries) {
      const header = parseHeader(raw.header);
      if (!header) {
        await giveUp({ raw, header: undefined }, 'the header of the entry cannot be read');
        continue;
      }
      const same = byVersion.get(header.config);
      const work = { raw, header, reason: 'its workers ended while they evaluated it' };
      if (same) same.push(work);
      else byVersion.set(header.config, [work]);
    }
    for (const works of byVersion.values()) await together(works);
  }

  async function together(works: Work[]): Promise<void> {
    if (works.length === 1 && works[0]!.raw.attempt > 1) return alone(works[0]!);
    try {
      const run = works[0]!.raw.lane === 'slow' ? pool.runSlow : pool.run;
      await evaluate(works, { run, extract: pool.extract });
    } catch (error) {
      if (stopped) return;
      metrics.attemptsFailed.inc();
      logger.warn(
        { error: String(error), entries: works.length },
        'evaluating a chunk failed; its entries go on alone',
      );
      for (const work of works) {
        work.raw.attempt += 1;
        work.reason = String(error);
        await alone(work);
      }
    }
  }

  /** Throws when it failed; what is left undone at the stop is left to others. */
  async function evaluate(works: Work[], { run, extract }: Place): Promise<void> {
    const [first] = works;
    const hasImages = works.length === 1 && (first!.header.images ?? 0) > 0;
    const looked = hasImages ? await lookAtImages(options, first!, extract, ending.signal) : undefined;
    const gathered = await patiently(() => gather(works));
    if (!gathered || stopped) return;
    if (looked) gathered[0] = { ...gathered[0]!, images: looked.images };
    await finish(works, await judge(works, gathered, { run, lists: looked?.lists ?? [] }));
  }

  /** Second and later attempts: on a thread of its own, so that only the entry itself can be what fails. */
  async function alone(work: Work): Promise<void> {
    for (; work.raw.attempt <= options.maxAttempts; work.raw.attempt++) {
      // Counted before the attempt: a crash of this process leaves no other trace. The first was counted by the read.
      if (!(await patiently(() => countAttempt(work.raw)))) return;
      try {
        await evaluate([work], { run: pool.runAlone, extract: pool.extractAlone });
        return;
      } catch (error) {
        // A process that stops ends its threads: what they had under way is for others, not for the dead letters.
        if (stopped) return;
        work.reason = error instanceof Error ? error.message : String(error);
        metrics.attemptsFailed.inc();
        logger.warn(
          { error: work.reason, entry: work.raw.id, attempt: work.raw.attempt },
          'evaluating an entry failed',
        );
      }
    }
    await giveUp(work, work.reason);
  }

  async function countAttempt(raw: RawEntry): Promise<true> {
    await redis.xclaim(
      keys.checks(raw.partition, raw.lane),
      GROUP,
      options.consumer,
      0,
      raw.id,
      'RETRYCOUNT',
      raw.attempt,
      'JUSTID',
    );
    return true;
  }

  async function judge(
    works: Work[],
    gathered: Gathered[],
    { run, lists }: { run: Pool['run']; lists: SharedList[] },
  ): Promise<Done> {
    let size = 0;
    for (const { raw } of works) size += raw.body.length;
    const bodies = new Uint8Array(size);
    let at = 0;
    const entries = works.map(({ raw, header }, i) => {
      bodies.set(raw.body, at);
      at += raw.body.length;
      return { id: raw.id, header, gathered: gathered[i]!, at: at - raw.body.length, length: raw.body.length };
    });
    const deadline = Math.min(...works.map(({ header }) => header.deadline));
    const limit = Math.max(deadline - Date.now(), 0) + options.hardLimitMs;
    const task: Task = { version: works[0]!.header.config, entries, bodies };
    const done = await run(lists.length > 0 ? { ...task, lists } : task, limit);
    metrics.threadSeconds.inc(done.microseconds / 1e6);
    return done;
  }

  async function finish(works: Work[], { outcomes, bytes }: Done): Promise<void> {
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    const finished: Finished[] = outcomes.map((outcome, i) => ({
      entryId: works[i]!.raw.id,
      requestId: works[i]!.header.id,
      reply: works[i]!.header.reply,
      record: buffer.subarray(outcome.record[0], outcome.record[0] + outcome.record[1]),
      rows: buffer.subarray(outcome.rows[0], outcome.rows[0] + outcome.rows[1]),
      format: outcome.format,
      index: outcome.index,
      context: outcome.context,
      contextDepth: works[i]!.header.contextDepth ?? 0,
      contextBytes: CONTEXT_BYTES[works[i]!.header.kind],
      sequence: sequenceIn(works[i]!.raw, works[i]!.header),
      replace: (works[i]!.header.replay ?? 0) > 0,
    }));
    const committed = await patiently(() => commit(redis, works[0]!.raw, finished, options.archivedBelow()));
    if (!committed) return;
    for (let i = 0; i < outcomes.length; i++) {
      if (!committed[i]) {
        metrics.late.inc();
        continue;
      }
      const { items, flagged, failed } = outcomes[i]!;
      metrics.checks.inc({ kind: works[i]!.header.kind });
      metrics.items.inc(items);
      metrics.flagged.inc(flagged);
      metrics.failed.inc(failed);
    }
  }

  async function giveUp(work: { raw: RawEntry; header: WorkHeader | undefined }, reason: string): Promise<void> {
    const { raw, header } = work;
    const outcome = header && terminal(raw, header);
    const done = await patiently(() =>
      bury(redis, raw, {
        entryId: raw.id,
        requestId: outcome ? header.id : '',
        reply: outcome ? header.reply : '',
        record: outcome?.record ?? EMPTY,
        rows: outcome?.rows ?? EMPTY,
        format: outcome?.format ?? '1',
        index: outcome?.index ?? [],
        sequence: header ? sequenceIn(raw, header) : sequenceOf(raw.id),
        replace: (header?.replay ?? 0) > 0,
        header: raw.header,
        body: raw.body,
        reason,
        attempts: Math.min(raw.attempt, options.maxAttempts),
      }),
    );
    if (!done) return;
    metrics.deadLetters.inc();
    logger.error({ entry: raw.id, partition: raw.partition, request: header?.id, reason }, 'an entry is a dead letter');
  }

  function terminal(raw: RawEntry, header: WorkHeader): ReturnType<typeof failedEntry> {
    // Nothing is looked up for it any more: that is no reason to say that what it names does not exist.
    const references = Object.fromEntries(
      (header.references ?? []).map(({ index }) => [index, 'unavailable' as const]),
    );
    const gathered = { ...NOTHING_GATHERED, references, causes: unavailable(header.causes ?? []) };
    const entry = { id: raw.id, header, body: raw.body, gathered, indexes: new Map(), completed: Date.now() };
    const note = 'the check could not be finished';
    try {
      return failedEntry(entry, note);
    } catch (error) {
      logger.error({ entry: raw.id, error: String(error) }, 'the body of an entry cannot be read');
      return unreadableEntry(entry, note);
    }
  }

  /** What the entries' headers ask for: all conversations in one round trip, references one by one. */
  async function gather(works: readonly Work[]): Promise<Gathered[]> {
    if (works.every(({ header }) => !header.references && !header.conversations && !header.causes)) {
      return works.map(() => NOTHING_GATHERED);
    }
    const [references, context, causes] = await Promise.all([
      Promise.all(works.map(({ header }) => (header.references ? resolve(header, header.references) : {}))),
      earlier(works),
      Promise.all(works.map(({ header }) => header.causes && find(header, header.causes))),
    ]);
    return works.map((_, i) => ({ references: references[i]!, context: context[i]!, causes: causes[i] }));
  }

  /** Which declared causes exist: in Redis, else in ClickHouse, in one query. */
  async function find(header: WorkHeader, causes: readonly Cause[]): Promise<Gathered['causes']> {
    const found: NonNullable<Gathered['causes']> = {};
    const hot = await hotCauses(redis, header.team, header.scope, causes);
    for (const key of hot.keys()) found[key] = 'found';
    const cold = causes.filter((cause) => !hot.has(causeKey(cause.run_id, cause.event_id, cause.internal_event_id)));
    if (cold.length === 0) return found;
    try {
      for (const key of (await options.storedCauses(header.team, header.scope, cold)).keys()) found[key] = 'found';
      return found;
    } catch {
      // Counted where ClickHouse is asked. The event is checked all the same; its note says that nobody could tell.
      return { ...found, ...unavailable(cold) };
    }
  }

  async function resolve(header: WorkHeader, references: Reference[]): Promise<Gathered['references']> {
    const found: Gathered['references'] = {};
    const cold: Reference[] = [];
    await Promise.all(
      references.map(async (reference) => {
        const hot = await hotEvent(redis, header.team, header.scope, reference.run_id, reference.event_id);
        if (hot) found[reference.index] = hot;
        else cold.push(reference);
      }),
    );
    if (cold.length === 0) return found;
    try {
      const stored = await options.history(header.team, header.scope, cold);
      cold.forEach((reference, i) => {
        found[reference.index] = stored[i] ?? null;
      });
    } catch {
      // Counted where ClickHouse is asked. An event that nobody could look up is `failed`, never `not_found`.
      for (const reference of cold) found[reference.index] = 'unavailable';
    }
    return found;
  }

  async function earlier(works: readonly Work[]): Promise<Gathered['context'][]> {
    const wanted: Wanted[] = [];
    for (const { raw, header } of works) {
      for (const conversation of header.conversations ?? []) {
        const key = keys.context(header.team, header.scope, conversation);
        wanted.push({ key, before: sequenceIn(raw, header), depth: header.contextDepth ?? 0 });
      }
    }
    const texts = wanted.length === 0 ? [] : await readContext(redis, wanted);
    let at = 0;
    return works.map(({ header }) =>
      Object.fromEntries((header.conversations ?? []).map((conversation) => [conversation, texts[at++]!])),
    );
  }

  /** Repeats what needs Redis while Redis is away; undefined once the evaluator is stopped. Other errors are thrown. */
  async function patiently<T>(work: () => Promise<T>): Promise<T | undefined> {
    for (let wait = 50; ; wait = Math.min(wait * 2, 1000)) {
      try {
        return await work();
      } catch (error) {
        if (stopped) return undefined;
        if (!isPassing(error)) throw error;
        metrics.redisErrors.inc();
        logger.warn({ error: String(error) }, 'Redis did not answer; trying again');
        await new Promise((resolve) => setTimeout(resolve, wait * (0.5 + Math.random())));
      }
    }
  }

  return {
    handle,
    stop: () => {
      stopped = true;
      ending.abort();
    },
  };
}

const EMPTY = Buffer.alloc(0);

function unavailable(causes: readonly Cause[]): NonNullable<Gathered['causes']> {
  return Object.fromEntries(
    causes.map((cause) => [causeKey(cause.run_id, cause.event_id, cause.internal_event_id), 'unavailable']),
  );
}

/** A replayed dead letter keeps the place that its submission gave it. */
function sequenceIn(raw: RawEntry, header: WorkHeader): number {
  return header.sequence ?? sequenceOf(raw.id);
}

function parseHeader(bytes: Buffer): WorkHeader | undefined {
  try {
    const header = JSON.parse(bytes.toString()) as WorkHeader;
    const whole = partsOf(header.id) && typeof header.team === 'string' && typeof header.scope === 'string';
    return whole && typeof header.config === 'number' ? header : undefined;
  } catch {
    return undefined;
  }
}
