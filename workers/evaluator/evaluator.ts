/**
 * Evaluates work entries: gathers what their headers ask for, has a thread judge them, commits.
 *
 *     read ──> images ──> gathered ──> judged ──> committed
 *               │ ⇅         │ ⇅ what only history can tell: apart from the chunk, without a place, then judged by itself
 *               │ │         │  Redis is away: waits and tries again, nothing of it is the entry's fault
 *               │ └ looked at without a place too, while the session of an artifact is looked for
 *               └───────────┴─ a thread threw, died or passed the hard limit: every entry of the chunk again, alone and counted
 *                                 └─ too often: dead letter, with a terminal `failed` result
 *
 * Only the threads ever parse a body. Images come in entries of the slow lane alone: a thread finds them in the body, they are
 * fetched and decoded, and what was measured of them goes to the thread that judges the entry.
 */
import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { sequenceOf } from '../../shared/ids.js';
import type { Logger } from '../../shared/log.js';
import { isPassing, type Redis } from '../../shared/streams/client.js';
import type { StoredConfiguration } from '../../shared/streams/configuration.js';
import { GROUP, keys } from '../../shared/streams/keys.js';
import { leftOf, readHeader, type WorkHeader } from '../../shared/streams/work.js';
import type { Aside, RawEntry } from '../consumer/consumer.js';
import { type ConfigurationSource, judgeOf } from '../fleet.js';
import type { Gathered } from './draft.js';
import {
  gatherCold,
  gatherHot,
  type Looked,
  leaveCauses,
  NOTHING_GATHERED,
  type Sources,
  sequenceIn,
  unavailable,
  waitsForHistory,
} from './gather-context.js';
import { findImages, type ImageSources, lookAtImages, notLookedAt, type Seen } from './images/inspect.js';
import type { Links } from './images/link-sessions.js';
import { createImageRoom, type ImageRoomOptions } from './images/room.js';
import type { EvaluatorMetrics } from './metrics.js';
import { failedEntry, unreadableEntry } from './outcome.js';
import type { Done, Pool } from './threads/pool.js';
import type { Task } from './threads/thread.js';

export interface EvaluatorOptions extends Sources {
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
  imageRoom: ImageRoomOptions;
  maxAttempts: number;
  /** up to which attempt entries are evaluated among others */
  attemptsTogether: number;
  hardLimitMs: number;
  logger: Logger;
  metrics: EvaluatorMetrics;
}

export interface Evaluator {
  /**
   * Finishes entries of one partition, those that wait for images or history by `aside`, if it is given. Never rejects;
   * returns early, leaving them to others, only after `stop`.
   */
  handle(entries: RawEntry[], aside?: Aside): Promise<void>;
  /** Ends waiting for a Redis that is away. */
  stop(): void;
}

interface Work {
  raw: RawEntry;
  header: WorkHeader;
  /** what judges it */
  by: StoredConfiguration;
  /** why its last attempt failed */
  reason: string;
}

/** An entry and what was gathered of it. */
interface Asking {
  work: Work;
  looked: Looked;
  seen: Seen;
}

/** An entry of which the result names the configuration that judges it, whatever its header named. */
function judged(raw: RawEntry, header: WorkHeader, by: StoredConfiguration): Work {
  const reason = 'its workers ended while they evaluated it';
  return { raw, header: { ...header, config: by.version, configId: by.id }, by, reason };
}

const hasImages = ({ header }: Work): boolean => (header.images ?? 0) > 0;

const NOTHING_SEEN: Seen = { lists: [] };

/**
 * Entries of a team that wait for history apart from their chunks, and bytes of their bodies, before the causes of further ones
 * are not asked for, which is only a note. References are always waited for: what a worker holds is bounded where it is read.
 */
const MOST_APART = 64;
const APART_BYTES = 16 * 1024 * 1024;

/** Where entries are evaluated: among others, or alone after an attempt has failed; and where they may wait meanwhile. */
interface Place {
  run: Pool['run'];
  extract: Pool['extract'];
  aside: Aside | undefined;
}

export function createEvaluator(options: EvaluatorOptions): Evaluator {
  const { redis, pool, logger, metrics } = options;
  const images = createImageRoom(options.imageRoom);
  let stopped = false;
  const apart = new Map<string, { entries: number; bytes: number }>();
  const ending = new AbortController();
  // Every entry with images listens.
  setMaxListeners(0, ending.signal);

  async function handle(entries: RawEntry[], aside?: Aside): Promise<void> {
    const same = new Map<string, { raw: RawEntry; header: WorkHeader }[]>();
    for (const raw of entries) {
      const header = readHeader(raw.header);
      if (!header) {
        await giveUp({ raw, header: undefined }, 'the header of the entry cannot be read');
        continue;
      }
      const named = header.configId ?? String(header.config);
      const group = same.get(named);
      if (group) group.push({ raw, header });
      else same.set(named, [{ raw, header }]);
    }
    for (const group of same.values()) {
      const by = await options.configurations.of(group[0]!.header);
      if (!by || stopped) return;
      await together(
        group.map(({ raw, header }) => judged(raw, header, by)),
        aside,
      );
    }
  }

  async function together(works: Work[], aside: Aside | undefined): Promise<void> {
    const [first] = works;
    if (works.length === 1 && first!.raw.attempt > options.attemptsTogether) return alone(first!, aside);
    const slow = first!.raw.lane === 'slow';
    const place = { run: slow ? pool.runSlow : pool.run, extract: pool.extract, aside };
    // Entries of the slow lane come one by one.
    if (works.length === 1 && hasImages(first!)) await withImages(first!, place);
    else await evaluate(works, NOTHING_SEEN, place);
  }

  async function withImages(work: Work, place: Place): Promise<void> {
    try {
      const found = await findImages(options, work, place.extract);
      const fetched = found.images.some((image) => 'url' in image);
      const stay = images.take(work.header.team, fetched ? work.raw.body.length : 0);
      if (!stay) {
        metrics.imagesRefused.inc(found.images.length);
        return await evaluate([work], notLookedAt(found), place);
      }
      const seen = lookAtImages(options, work.header, { found, stay }, ending.signal);
      const linked = options.links.complete(work.header, seen).then((header) => {
        work.header = header;
      });
      const ready = Promise.allSettled([seen, linked]).then(nothing);
      const then = (aside: Aside | undefined): Promise<void> =>
        onceSeen(work, seen, { ...place, aside }).finally(stay.leave);
      if (place.aside) place.aside([work.raw], ready, then);
      else await ready.then(() => then(undefined));
    } catch (error) {
      await again([work], error, place.aside);
    }
  }

  async function onceSeen(work: Work, seen: Promise<Seen>, place: Place): Promise<void> {
    try {
      await evaluate([work], await seen, place);
    } catch (error) {
      await again([work], error, place.aside);
    }
  }

  /** Evaluates entries whose images were looked at, if they have any. What fails is tried again. */
  async function evaluate(works: Work[], seen: Seen, place: Place): Promise<void> {
    let here = works;
    try {
      const looked = await patiently(() => gatherHot(redis, works));
      if (!looked || stopped) return;
      const all = works.map((work, i) => ({ work, looked: looked[i]!, seen }));
      const stay = place.aside ? all.filter((one) => !waitsForHistory(one.looked) || !goesApart(one, place)) : all;
      here = stay.map(({ work }) => work);
      await complete(stay, place);
    } catch (error) {
      await again(here, error, place.aside);
    }
  }

  async function complete(some: Asking[], place: Place): Promise<void> {
    if (some.length === 0) return;
    const cold = some.filter(({ looked }) => waitsForHistory(looked));
    await Promise.all(cold.map(({ work, looked }) => gatherCold(options, work.header, looked)));
    await verdicts(some, place);
  }

  async function verdicts(some: Asking[], { run }: Place): Promise<void> {
    const works = some.map(({ work }) => work);
    const gathered = some.map(({ looked, seen }) =>
      seen.images ? { ...looked.gathered, images: seen.images } : looked.gathered,
    );
    await finish(works, await onThread(works, gathered, { run, seen: some[0]!.seen }));
  }

  /** What failed, among others or alone, is tried alone: apart, since that may take long and needs no place of the others. */
  async function again(works: Work[], error: unknown, aside: Aside | undefined): Promise<void> {
    // A process that stops ends its threads: what they had under way is for others, not for the dead letters.
    if (stopped) return;
    metrics.attemptsFailed.inc();
    const reason = error instanceof Error ? error.message : String(error);
    const entries = works.map(({ raw }) => raw.id);
    logger.warn({ error: reason, entries, attempt: works[0]?.raw.attempt }, 'evaluating failed; each goes on alone');
    const retried = async (): Promise<void> => {
      for (const work of works) {
        work.raw.attempt += 1;
        work.reason = reason;
        await alone(work, undefined);
      }
    };
    if (!aside) return await retried();
    const left = (error: unknown): void =>
      logger.error({ error: String(error), entries }, 'trying entries alone failed; they are left to others');
    aside(
      works.map(({ raw }) => raw),
      retried().catch(left),
      async () => undefined,
    );
  }

  /** Whether the entry waits for history by itself. */
  function goesApart(one: Asking, place: Place): boolean {
    const { work, looked } = one;
    const { team } = work.header;
    const bytes = work.raw.body.length;
    const room = apart.get(team) ?? { entries: 0, bytes: 0 };
    if (looked.causes.length > 0 && (room.entries >= MOST_APART || room.bytes + bytes > APART_BYTES)) {
      metrics.causesSkipped.inc(looked.causes.length);
      leaveCauses(looked);
      if (!waitsForHistory(looked)) return false;
    }
    apart.set(team, room);
    room.entries++;
    room.bytes += bytes;
    metrics.apart.inc();
    place.aside?.([work.raw], gatherCold(options, work.header, looked), async (aside) => {
      try {
        await verdicts([one], place);
      } catch (error) {
        await again([work], error, aside);
      } finally {
        room.entries--;
        room.bytes -= bytes;
        if (room.entries === 0) apart.delete(team);
      }
    });
    return true;
  }

  /** What has failed among others: on a thread of its own, so that only the entry itself can be what fails. */
  async function alone(work: Work, aside: Aside | undefined): Promise<void> {
    if (work.raw.attempt > options.maxAttempts) return giveUp(work, work.reason);
    // Counted before the attempt: a crash of this process leaves no other trace. Those among others are counted by the read.
    if (!(await patiently(() => countAttempt(work.raw)))) return;
    const place = { run: pool.runAlone, extract: pool.extractAlone, aside };
    if (hasImages(work)) await withImages(work, place);
    else await evaluate([work], NOTHING_SEEN, place);
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

  async function onThread(
    works: Work[],
    gathered: Gathered[],
    { run, seen }: { run: Pool['run']; seen: Seen },
  ): Promise<Done> {
    const lateBelow = options.lateBelow();
    const evaluated = works.map(({ raw, header }, i) => ({
      id: raw.id,
      header,
      gathered: gathered[i]!,
      late: sequenceIn(raw, header) < lateBelow,
    }));
    const work = inOne(works, evaluated, seen.body);
    const limit = Math.min(...works.map(({ header }) => leftOf(header))) + options.hardLimitMs;
    const task: Task = { ...judgeOf(works[0]!.by), ...work };
    const { lists } = seen;
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
    const committed = await patiently(() => commitResults(redis, works[0]!.raw, finished, options.archivedBelow()));
    if (!committed) return;
    for (let i = 0; i < outcomes.length; i++) {
      if (!committed[i]) {
        metrics.late.inc();
        continue;
      }
      const { items, flagged, failed, stopped } = outcomes[i]!;
      metrics.checks.inc({ kind: works[i]!.header.kind });
      metrics.items.inc(items);
      metrics.flagged.inc(flagged);
      metrics.failed.inc(failed);
      metrics.stopped.inc(stopped);
    }
  }

  async function giveUp(work: { raw: RawEntry; header: WorkHeader | undefined }, reason: string): Promise<void> {
    const { raw, header } = work;
    const outcome = header && terminal(raw, header);
    const done = await patiently(() =>
      buryEntry(redis, raw, {
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
        body: header?.unkept ? EMPTY : raw.body,
        reason,
        attempts: Math.min(raw.attempt, options.maxAttempts),
      }),
    );
    if (!done) return;
    metrics.deadLetters.inc();
    logger.error({ entry: raw.id, partition: raw.partition, request: header?.id, reason }, 'an entry is a dead letter');
  }

  function terminal(raw: RawEntry, header: WorkHeader): ReturnType<typeof failedEntry> {
    const late = sequenceIn(raw, header) < options.lateBelow();
    const entry = { id: raw.id, header, body: raw.body, indexes: new Map(), late, completed: Date.now() };
    const note = 'the check could not be finished';
    try {
      // Nothing is looked up for it any more: that is no reason to say that what it names does not exist.
      const references = Object.fromEntries(
        (header.references ?? []).map(({ index }) => [index, 'unavailable' as const]),
      );
      const gathered = { ...NOTHING_GATHERED, references, causes: unavailable(header.causes ?? []) };
      return failedEntry({ ...entry, gathered }, note);
    } catch (error) {
      logger.error({ entry: raw.id, error: String(error) }, 'an entry cannot be read');
      return unreadableEntry({ ...entry, gathered: NOTHING_GATHERED }, note);
    }
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
        await sleep(wait * (0.5 + Math.random()));
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
const nothing = (): void => undefined;

type Evaluated = Omit<Task['entries'][number], 'at' | 'length'>;

/** Entries as a thread takes them, their bodies in one buffer; `light` is there for the body of the only one. */
function inOne(works: Work[], evaluated: Evaluated[], light: Uint8Array | undefined): Omit<Task, 'version' | 'plan'> {
  const only = works.length === 1 ? (light ?? works[0]!.raw.body) : undefined;
  // Already alone in its memory, which is what a thread is sent: large bodies are.
  if (only && only.buffer.byteLength === only.length) {
    return {
      entries: [{ ...evaluated[0]!, at: 0, length: only.length }],
      bodies: only,
      moves: false,
    };
  }
  let size = 0;
  for (const { raw } of works) size += raw.body.length;
  const bodies = new Uint8Array(size);
  let at = 0;
  const entries = works.map(({ raw }, i) => {
    bodies.set(raw.body, at);
    at += raw.body.length;
    return { ...evaluated[i]!, at: at - raw.body.length, length: raw.body.length };
  });
  return { entries, bodies, moves: true };
}
