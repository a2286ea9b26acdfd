/**
 * Reads work entries of all partitions and keeps their claims until they are finished.
 *
 *     connecting ──> reading ⇄ reading ahead (all places taken) ──stop()──> draining ──> stopped
 *         ^             │
 *         └──any error──┘   the connection is thrown away and built anew
 *
 * - *connecting*: makes the consumer group where it is missing, always at `0`: `$` would skip unread work.
 * - *reading*: one blocking read for all partitions; of large entries one partition after the other. A watchdog ends a read that
 *   does not return in time.
 * - *reading ahead*: a worker that has a free place takes what comes. What nobody has taken a moment later is read although it
 *   cannot start yet, up to a bound, since it may be of a team whose turn it is before those that wait here (`turns.ts`).
 * - *draining*: nothing new is read; what is under way is finished or left for others to take over.
 *
 * Beside it run, from a timer: *renewing* the claims of entries under way, and *taking over* entries whose consumer
 * has been silent (`take-over.ts`).
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { inTime, within } from '../../shared/async.js';
import type { Logger } from '../../shared/log.js';
import { connectBlocking, isOutOfMemory, type Redis } from '../../shared/streams/client.js';
import { GROUP, keys, type Lane } from '../../shared/streams/keys.js';
import { forgetConsumers, renew, type Scripted } from '../../shared/streams/scripts.js';
import { teamIn } from '../../shared/streams/work.js';
import { type RawEntry, rawEntry, type StreamEntry } from './entry.js';
import { deleteConsumers, renewEntries } from './pending.js';
import { createTakeOver } from './take-over.js';
import { createTurns } from './turns.js';

export type { RawEntry } from './entry.js';

/**
 * Goes on with entries of a chunk apart from the others: they keep their claims, their bytes count, and they hold no place
 * until `ready` has settled; then `work` finishes them in a place of their own, which it may give back in the same way.
 * Neither rejects. How many there may be is for the caller to bound.
 */
export type Aside = (entries: readonly RawEntry[], ready: Promise<void>, work: (aside: Aside) => Promise<void>) => void;

export interface ConsumerOptions {
  /** name within the group: of this process alone, never used again */
  name: string;
  redisUrl: string;
  redis: Redis;
  partitions(): number;
  lane: Lane;
  /** entries of one partition that are handed over together */
  chunk: number;
  /** chunks that may be at work at once */
  capacity: number;
  /** further ones of teams that have none at work; default 0 */
  spare?: number;
  /**
   * Nothing is read or taken over while so many entries, or so many bytes of them, are held: at work, apart, or waiting for their
   * turn. Default: no bound, for tests.
   */
  ahead?: number;
  bytes: number;
  claimIdleMs: number;
  /** up to which attempt entries come together; in later ones each comes alone */
  attemptsTogether: number;
  logger: Logger;
  /**
   * Finishes entries of one partition: committed, buried, or left for a later attempt. Never rejects.
   * What it hands to `aside` it has not finished itself.
   */
  handle(entries: RawEntry[], aside: Aside): Promise<void>;
}

export interface Consumer {
  start(): void;
  /** Stops reading and waits for what is under way, at most `drainMs`. */
  stop(drainMs: number): Promise<void>;
  /** ms of the steady clock of the last turn of a loop, also of one that found Redis away: what liveness looks at. */
  lastProgress(): number;
  underWay(): number;
}

const BLOCK_MS = 1000;
const WATCHDOG_MS = 5000;
/** A consumer name of a process that is gone is deleted after this much silence. */
const FORGET_MS = 10 * 60_000;
/** Claims that one script renews: Redis serves nobody else meanwhile. */
const RENEW_COUNT = 256;
/**
 * How long entries are left to workers that have a free place. It is what others wait while a team has all the places. Entries that
 * come one by one take longer anyway, and are asked for partition by partition.
 */
const LEFT_TO_OTHERS_MS = 4;
const ONE_BY_ONE_LEFT_MS = 20;
/** Bytes of a chunk of several entries: about what takes a thread as long as another team may wait for it. */
const CHUNK_BYTES = 160 * 1024;
/** In whose name silent entries are taken over in groups: they take turns with the teams. */
const TAKEN_OVER = '';

export function createConsumer(options: ConsumerOptions): Consumer {
  const { redis, logger, name, lane } = options;
  const stream = (p: number): string => keys.checks(p, lane);
  const ahead = options.ahead ?? Number.POSITIVE_INFINITY;
  /** entries that come one by one may be large */
  const oneByOne = Number.isFinite(options.bytes) && options.chunk === 1;
  const turns = createTurns(options.capacity, options.spare);
  const underWay = new Map<string, RawEntry>();
  /** what was read and waits for its turn, by partition and team, in order */
  const backlog = new Map<string, RawEntry[]>();
  let held = 0;
  const cramped: (() => void)[] = [];
  let running = false;
  let progress = performance.now();
  let loops: Promise<void>[] = [];
  const pauses = new Set<() => void>();
  let connection: Redis | undefined;
  /** partitions whose groups are made */
  let grouped = 0;
  /** of the partitions that are asked one by one: which was last, and how many in a row had nothing */
  let turn = 0;
  let empty = 0;

  const hasRoom = (): boolean => held < options.bytes && underWay.size < ahead;

  /** Until there is room for more. Only what is not read yet waits for it: what is held makes the room. */
  async function room(): Promise<void> {
    while (!hasRoom()) {
      await new Promise<void>((resolve) => cramped.push(resolve));
    }
  }

  function release(entry: RawEntry): void {
    underWay.delete(`${entry.partition} ${entry.id}`);
    held -= entry.body.length;
    if (cramped.length > 0 && hasRoom()) for (const go of cramped.splice(0)) go();
  }

  // From the moment an entry was read its claim is renewed, also while it waits for a place.
  function hold(entries: RawEntry[]): void {
    for (const entry of entries) {
      underWay.set(`${entry.partition} ${entry.id}`, entry);
      held += entry.body.length;
    }
  }

  /** Entries wait for the turn of their team. Then a chunk is what has come of it until then. */
  function line(entries: readonly RawEntry[]): void {
    const added: { team: string; key: string }[] = [];
    for (const entry of entries) {
      const team = teamIn(entry.header);
      const key = `${entry.partition} ${team}`;
      const before = backlog.get(key);
      if (before) before.push(entry);
      else backlog.set(key, [entry]);
      added.push({ team, key });
    }
    for (const { team, key } of added) {
      turns.add(team, async () => {
        // It may have gone with one before it.
        const chunk = nextOf(key);
        if (chunk.length > 0) await hand(chunk);
      });
    }
  }

  function nextOf(key: string): RawEntry[] {
    const entries = backlog.get(key) ?? [];
    let count = 0;
    for (let bytes = 0; count < Math.min(entries.length, options.chunk); count++) {
      bytes += entries[count]!.body.length;
      if (count > 0 && bytes > CHUNK_BYTES) break;
    }
    const chunk = entries.splice(0, count);
    if (entries.length === 0) backlog.delete(key);
    return chunk;
  }

  /** Hands a chunk over; resolves when it is finished or has gone apart. */
  function hand(entries: RawEntry[]): Promise<void> {
    return finish(entries, (aside) => options.handle(entries, aside));
  }

  async function finish(entries: readonly RawEntry[], work: (aside: Aside) => Promise<void>): Promise<void> {
    const apart = new Set<RawEntry>();
    const aside: Aside = (some, ready, later) => {
      for (const entry of some) apart.add(entry);
      void ready.then(() => turns.add(teamIn(some[0]!.header), () => finish(some, later)));
    };
    try {
      await work(aside);
    } catch (error) {
      // Whoever takes the entries over tries them again, and one that always ends here must not end every worker in turn.
      logger.error({ error: String(error) }, 'handling entries failed; they are left to others');
    } finally {
      for (const entry of entries) if (!apart.has(entry)) release(entry);
    }
  }

  async function readLoop(): Promise<void> {
    while (running) {
      progress = performance.now();
      try {
        connection ??= await open();
        if (grouped < options.partitions()) await watched(makeGroups(connection, grouped));
        await room();
        const idle = await turns.idle(oneByOne ? ONE_BY_ONE_LEFT_MS : LEFT_TO_OTHERS_MS);
        const entries = idle ? await read(connection) : await readAhead(connection);
        progress = performance.now();
        hold(entries);
        line(entries);
      } catch (error) {
        if (!running) break;
        logger.warn({ error: String(error) }, 'reading work failed; connecting again');
        connection?.disconnect();
        connection = undefined;
        await sleep(100 + Math.random() * 200);
      }
    }
  }

  async function open(): Promise<Redis> {
    const fresh = connectBlocking(options.redisUrl, 'weir-consumer');
    fresh.on('error', () => undefined);
    try {
      await watched(
        (async () => {
          await fresh.connect();
          await makeGroups(fresh, 0);
        })(),
      );
      return fresh;
    } catch (error) {
      fresh.disconnect();
      throw error;
    }
  }

  /**
   * A read that names many partitions brings a share of each: within a budget of bytes they are asked in turn. When all of
   * them were empty a moment ago they are waited for together, which ends with the first that has something (and at worst
   * brings what came to several while they were asked, in a round trip each).
   */
  async function read(from: Redis): Promise<RawEntry[]> {
    const partitions = options.partitions();
    if (!oneByOne || partitions === 1 || empty >= partitions) {
      const entries = await readOf(from, 0, partitions, ['BLOCK', BLOCK_MS]);
      if (entries.length > 0) empty = 0;
      return entries;
    }
    return await readNext(from, partitions);
  }

  async function readNext(from: Redis, partitions: number): Promise<RawEntry[]> {
    turn = (turn + 1) % partitions;
    const entries = await readOf(from, turn, 1, []);
    empty = entries.length > 0 ? 0 : empty + 1;
    return entries;
  }

  /** What waits now; of large entries that of the next partition which has any. */
  async function readAhead(from: Redis): Promise<RawEntry[]> {
    const partitions = options.partitions();
    if (!oneByOne) return await readOf(from, 0, partitions, []);
    for (let i = 0; i < partitions; i++) {
      const entries = await readNext(from, partitions);
      if (entries.length > 0) return entries;
    }
    return [];
  }

  async function readOf(from: Redis, first: number, count: number, block: (string | number)[]): Promise<RawEntry[]> {
    const streams = Array.from({ length: count }, (_, i) => stream(first + i));
    const newest = streams.map(() => '>');
    const most = perStream(options.partitions());
    const call = from.callBuffer(
      'XREADGROUP',
      ...['GROUP', GROUP, name, 'COUNT', most, ...block, 'STREAMS', ...streams, ...newest],
    ) as Promise<[Buffer, StreamEntry[]][] | null>;
    const reply = await watched(call);
    const entries: RawEntry[] = [];
    for (const [from, list] of reply ?? []) {
      const partition = first + streams.indexOf(from.toString());
      for (const one of list) entries.push(rawEntry({ partition, lane }, one, 1));
    }
    return entries;
  }

  // COUNT is per stream: of many partitions fewer entries each are read, or one reader would hold far more than it can
  // start while others idle.
  function perStream(partitions: number): number {
    return Math.max(1, Math.ceil((options.chunk * options.capacity) / Math.max(partitions, options.capacity)));
  }

  async function renewAll(): Promise<void> {
    const byPartition = new Map<number, string[]>();
    for (const entry of underWay.values()) {
      const ids = byPartition.get(entry.partition);
      if (ids) ids.push(entry.id);
      else byPartition.set(entry.partition, [entry.id]);
    }
    for (const [partition, ids] of byPartition) {
      for (let i = 0; i < ids.length; i += RENEW_COUNT) {
        await renewEntries(redis, { partition, lane }, name, ids.slice(i, i + RENEW_COUNT));
      }
    }
    progress = performance.now();
  }

  const takeOver = createTakeOver({
    ...options,
    running: () => running,
    holds: (partition, id) => underWay.has(`${partition} ${id}`),
    room,
    place: () =>
      new Promise((resolve) => {
        turns.add(TAKEN_OVER, () => new Promise<void>((leave) => resolve(leave)));
      }),
    hand(entries) {
      hold(entries);
      return hand(entries);
    },
  });

  async function forgetAll(): Promise<void> {
    for (let p = 0; p < options.partitions() && running; p++) {
      await deleteConsumers(redis, { partition: p, lane }, FORGET_MS);
    }
  }

  /** Repeats `work` every quarter of the claim time, whatever becomes of it. */
  async function tend(what: string, work: () => Promise<void>): Promise<void> {
    while (running) {
      await pause((options.claimIdleMs / 4) * (0.8 + 0.4 * Math.random()));
      try {
        if (running) await work();
      } catch (error) {
        if (!running) break;
        logger.warn({ error: String(error) }, `${what} failed; trying again`);
        if (String(error).includes('NOGROUP')) {
          await makeGroups(redis, 0).catch((failed: unknown) =>
            logger.warn({ error: String(failed) }, 'consumer groups could not be made; trying again'),
          );
        }
      }
    }
  }

  async function pause(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(done, ms);
      function done(): void {
        clearTimeout(timer);
        pauses.delete(done);
        resolve();
      }
      pauses.add(done);
    });
  }

  /** Makes the groups of partitions from `from` on where they are missing. */
  async function makeGroups(on: Redis, from: number): Promise<void> {
    const partitions = options.partitions();
    for (let p = from; p < partitions; p++) await ensureGroup(on, stream(p));
    grouped = Math.max(grouped, partitions);
  }

  return {
    start() {
      running = true;
      loops = [
        readLoop(),
        tend('renewing claims', renewAll),
        tend('taking over entries', async () => {
          await takeOver();
          await forgetAll();
        }),
      ];
    },
    async stop(drainMs) {
      running = false;
      for (const end of pauses) end();
      connection?.disconnect();
      const until = performance.now() + drainMs;
      await within(Promise.allSettled(loops), { ms: drainMs });
      while (underWay.size > 0 && performance.now() < until) await sleep(10);
    },
    lastProgress: () => progress,
    underWay: () => underWay.size,
  };
}

/** The outcome of `work`, or an error after the watchdog's time. */
const watched = <T>(work: Promise<T>): Promise<T> =>
  inTime(work, BLOCK_MS + WATCHDOG_MS, `no answer for ${WATCHDOG_MS} ms`);

async function ensureGroup(redis: Redis, stream: string): Promise<void> {
  try {
    await redis.xgroup('CREATE', stream, GROUP, '0', 'MKSTREAM');
  } catch (error) {
    // A full Redis refuses to make a group before it looks whether there is one. Reading needs no memory and frees
    // some, so it is tried: where the group is missing, it fails and comes back here.
    if (!String(error).includes('BUSYGROUP') && !isOutOfMemory(error)) throw error;
  }
}
