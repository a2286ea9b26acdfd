/**
 * Erases what was asked to be forgotten. Of all archivers one does it at a time, who holds the lease; its steps may be repeated by another one.
 * Those that wait go together, each team in turn:
 *
 *     waiting ──> removing ──> erased ──> complete ──a week──> forgotten
 *
 * - *waiting*: removes open streams. Left when every check that was accepted before has ended, and is in history. So what is removed is all there is.
 * - *removing*: finds the items by their marks, removes them from Redis and from the tables. What was replayed meanwhile ends and is archived, and
 *   they are looked for again. Left when no table has one, and nothing more was found.
 * - *erased*: waits until Redis has written its files anew, and ClickHouse has dropped the parts that it replaced.
 * - *complete*: archivers leave out what comes again (`block.ts`), and once an hour the tables are searched for what came past them.
 */
import { randomBytes } from 'node:crypto';
import { repeat, within } from '../../shared/async.js';
import type { HistoryClient } from '../../shared/history/client.js';
import type { Logger } from '../../shared/log.js';
import { newestResult, oldestResult, oldestWork } from '../../shared/streams/accepted.js';
import type { Redis } from '../../shared/streams/client.js';
import {
  dropErasures,
  type Erasure,
  type ErasureCounts,
  latestTime,
  listErasures,
  OBEYED_MS,
  openErasures,
  storeErasures,
} from '../../shared/streams/erasures.js';
import { keys } from '../../shared/streams/keys.js';
import { metersOf, type Registry } from '../../shared/telemetry.js';
import { createHistoryEraser } from './history.js';
import { eraseInRedis, eraseStreams } from './in-redis.js';
import { createRedisFiles } from './redis-files.js';

export interface EraserOptions {
  redis: Redis;
  /** a client whose requests may take an hour */
  clickhouse: HistoryClient;
  database: string;
  partitions(): number;
  logger: Logger;
  registry: Registry;
}

export interface Eraser {
  /** Takes the next steps. Resolves to the ms after which there may be more to do. Never rejects. */
  step(): Promise<number>;
  /** Leaves the lease to another process. A step under way goes on until its connections close. */
  stop(): Promise<void>;
}

/** Erasures that go together. */
const MOST_TOGETHER = 100;
const LEASE_MS = 10_000;
/** Pauses: while something is open, and while nothing is. */
const BUSY_MS = 500;
const IDLE_MS = 2000;
const SWEEP_MS = 3_600_000;
/** Erasures that are searched for together. */
const MOST_SWEPT = 1000;
const RELEASE_MS = 500;

export function createEraser(options: EraserOptions): Eraser {
  const { redis, logger } = options;
  const meters = erasureMeters(options.registry, () => waiting);
  const history = createHistoryEraser(options.clickhouse, options.database);
  const files = createRedisFiles(redis);
  const name = randomBytes(8).toString('hex');
  /** by erasure: Unix ms of the last entry of the logs when its work had ended */
  const ends = new Map<string, number>();
  /** those whose open streams this process has removed */
  const withoutStreams = new Set<string>();
  /** by erasure: Unix ms at which this process had found its items, and removed them from Redis */
  const looked = new Map<string, number>();
  const cohorts = { erased: createCohort(), removing: createCohort() };
  let nextSweep = 0;
  let waiting = { many: 0, since: Number.POSITIVE_INFINITY };
  let trouble = '';

  async function holdsLease(): Promise<boolean> {
    const key = keys.erasureLease();
    if ((await redis.set(key, name, 'PX', LEASE_MS, 'NX')) === 'OK') return true;
    if ((await redis.get(key)) !== name) return false;
    await redis.pexpire(key, LEASE_MS);
    return true;
  }

  async function renew(): Promise<void> {
    const key = keys.erasureLease();
    const own = await redis.get(key).catch(() => null);
    if (own === name) await redis.pexpire(key, LEASE_MS).catch(() => 0);
  }

  async function wait(group: readonly Erasure[]): Promise<void> {
    // First, since a stream that ends meanwhile is a check that comes later.
    const fresh = group.filter(({ id }) => !withoutStreams.has(id));
    if (fresh.length > 0) {
      const salt = (await redis.get(keys.erasureSalt())) ?? '';
      await eraseStreams({ redis, count }, { salt, erasures: fresh });
      await storeErasures(redis, fresh);
      for (const { id } of fresh) withoutStreams.add(id);
    }
    const archived = await archivedUpTo(group, lastMs);
    await move(archived, 'removing');
    for (const { id } of archived) ends.delete(id);
  }

  /** Those of which all is in history that was accepted up to `ms`. Of the others it is told what they wait for. */
  async function archivedUpTo(group: readonly Erasure[], ms: (one: Erasure) => number): Promise<Erasure[]> {
    const accepted = await oldestWork(redis, options.partitions(), Math.max(...group.map(ms)));
    const ended = group.filter((one) => ms(one) < accepted);
    await tell(
      group.filter((one) => !ended.includes(one)),
      'checks that were accepted before are still under way',
    );
    const fresh = ended.filter(({ id }) => !ends.has(id));
    const last = fresh.length > 0 ? await newestResult(redis, options.partitions()) : 0;
    for (const { id } of fresh) ends.set(id, last);
    const end = ({ id }: Erasure): number => ends.get(id) ?? 0;
    const logged = await oldestResult(redis, options.partitions(), Math.max(0, ...ended.map(end)));
    const archived = ended.filter((one) => end(one) < logged);
    await tell(
      ended.filter((one) => !archived.includes(one)),
      'checks that have ended are not archived yet',
    );
    return archived;
  }

  /** Finds what is of these, notes it in history, and removes it from Redis. Resolves to whether that was more than before. */
  async function look(group: readonly Erasure[]): Promise<boolean> {
    const before = JSON.stringify(group.map(({ removed }) => removed));
    const salt = (await redis.get(keys.erasureSalt())) ?? '';
    for (const one of group) {
      one.marks = [...new Set([...one.marks, ...(await history.linkedMarks(salt, one))])];
      one.removed = { ...one.removed, items: await history.find(salt, one) };
      await storeErasures(redis, [one]);
      await holdsLease();
    }
    await eraseInRedis({ ...options, history, count }, { salt, erasures: [...group] });
    await storeErasures(redis, group);
    const at = await latestTime(redis);
    for (const { id } of group) {
      looked.set(id, at);
      ends.delete(id);
    }
    return JSON.stringify(group.map(({ removed }) => removed)) !== before;
  }

  async function remove(group: readonly Erasure[]): Promise<void> {
    const fresh = group.filter(({ id }) => !looked.has(id));
    if (fresh.length > 0) await look(fresh);
    const left = await history.remove(group);
    if (left > 0) return tell(group, 'ClickHouse deletes their rows');
    // A dead letter or a refused entry may have been replayed before it was looked at. There is none any more, so this ends.
    const archived = await archivedUpTo(group, ({ id }) => looked.get(id) ?? 0);
    if (archived.length < group.length || (await look(group))) return;
    const now = await history.now();
    for (const one of group) {
      one.erased = now;
      one.exports = await history.exportsOf(one);
    }
    await move(group, 'erased');
  }

  async function finish(group: readonly Erasure[]): Promise<void> {
    const at = Math.max(...group.map(({ erased }) => erased));
    const held = await files.rewritten(at);
    if (held === undefined) return tell(group, 'Redis writes its file anew');
    if ((await history.staleParts(at)) > 0) return tell(group, 'ClickHouse keeps replaced parts for some minutes');
    if (await history.isReplicated()) held.push('clickhouse_replicas');
    const complete = await history.now();
    for (const one of group) {
      one.held = held;
      one.complete = complete;
    }
    await history.note(group.map((one) => ({ ...one, state: 'complete', complete })));
    await move(group, 'complete');
    meters.completed.inc(group.length);
    for (const { id, team, subject, removed } of group) {
      looked.delete(id);
      withoutStreams.delete(id);
      logger.info({ erasure: id, team, subject, removed }, 'erased');
    }
  }

  /** Stores what erasures wait for, where that is another thing than before. */
  async function tell(group: readonly Erasure[], waits: string): Promise<void> {
    const told = group.filter((one) => one.waits !== waits);
    for (const one of told) one.waits = waits;
    await storeErasures(redis, told);
  }

  async function move(group: readonly Erasure[], state: Erasure['state']): Promise<void> {
    // What another one has moved on meanwhile is not taken back.
    if (!(await holdsLease())) throw new Error('another archiver erases now');
    for (const one of group) {
      one.state = state;
      one.waits = '';
    }
    await storeErasures(redis, group);
  }

  /** Looks once an hour whether something has come back: by a worker that was stopped in the middle, or with a copy of Redis. */
  async function sweep(): Promise<void> {
    nextSweep = performance.now() + SWEEP_MS;
    await dropErasures(redis, Date.now() - OBEYED_MS);
    const complete = (await listErasures(redis)).filter(({ state }) => state === 'complete');
    let rows = 0;
    for (let i = 0; i < complete.length; i += MOST_SWEPT)
      rows += await history.remove(complete.slice(i, i + MOST_SWEPT));
    if (rows === 0) return;
    meters.returned.inc(rows);
    logger.warn({ rows }, 'rows of erased items had come back, and are deleted');
  }

  async function advance(): Promise<number> {
    const open = await openErasures(redis, MOST_TOGETHER);
    waiting = { many: open.length, since: Math.min(...open.map(({ requested }) => requested)) };
    const sweeps = performance.now() >= nextSweep;
    if (open.length === 0 && !sweeps) return IDLE_MS;
    if (!(await holdsLease())) return IDLE_MS;
    if (sweeps) await sweep();
    if (open.length === 0) return IDLE_MS;
    const inState = (state: Erasure['state']): Erasure[] => open.filter((one) => one.state === state);
    const steps = [
      ['erased', finish],
      ['removing', remove],
      ['waiting', wait],
    ] as const;
    // Those that are further do not wait for the others.
    for (const [state, step] of steps) {
      const group = inState(state);
      if (group.length > 0) await step(state === 'waiting' ? group : cohorts[state](group));
    }
    return BUSY_MS;
  }

  return {
    async step() {
      // A step may take longer than the lease, which then another one would take over.
      const stopRenewing = repeat(LEASE_MS / 3, renew);
      try {
        const pause = await advance();
        trouble = '';
        return pause;
      } catch (error) {
        const message = String(error).slice(0, 300);
        logger[message === trouble ? 'debug' : 'warn']({ error: message }, 'erasing waits and is tried again');
        trouble = message;
        return IDLE_MS;
      } finally {
        stopRenewing();
      }
    },
    async stop() {
      const key = keys.erasureLease();
      const release = async () => {
        if ((await redis.get(key)) === name) await redis.del(key);
      };
      await within(
        release().catch(() => undefined),
        { ms: RELEASE_MS },
      );
    },
  };
}

function count(erasure: Erasure, what: keyof ErasureCounts, many: number): void {
  erasure.removed = { ...erasure.removed, [what]: erasure.removed[what] + many };
}

/** Of those that are in a state, the ones that go on together: who comes later waits, so that nobody waits for ever for the last who came. */
function createCohort(): (group: readonly Erasure[]) => readonly Erasure[] {
  let ids: ReadonlySet<string> = new Set();
  return (group) => {
    if (!group.some(({ id }) => ids.has(id))) ids = new Set(group.map(({ id }) => id));
    return group.filter(({ id }) => ids.has(id));
  };
}

/** Unix ms of the last entry that an erasure is of. */
const lastMs = ({ until }: Erasure): number => Math.floor(until / 4096);

function erasureMeters(registry: Registry, waiting: () => { many: number; since: number }) {
  const { counter, gauge } = metersOf(registry);
  gauge('weir_erasures_open', 'Erasures that are not complete, up to 100', () => waiting().many);
  gauge(
    'weir_erasures_oldest_seconds',
    'Age of the oldest erasure that is not complete; 0: there is none',
    () => Math.max(0, Date.now() - waiting().since) / 1000,
  );
  return {
    completed: counter('weir_erasures_completed_total', 'Erasures that were completed'),
    returned: counter(
      'weir_erased_rows_returned_total',
      'Rows of erased items that had come back to history and were deleted again',
    ),
  };
}
