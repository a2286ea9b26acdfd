/**
 * Reads work entries of all partitions of a lane, hands them over in chunks, and keeps their claims until they are finished.
 *
 *     connecting ──> reading ⇄ reading ahead ──stop()──> draining ──> stopped
 *         ^               │
 *         └──any error────┘
 *
 * - *connecting*: opens a connection and makes the consumer groups that are missing. Entered at the start and after any error, when
 *   the old connection is dropped. Left for *reading*.
 * - *reading*: a slot is free, so the worker takes what comes: one blocking read for all partitions (of the slow lane, one partition
 *   after the other). A watchdog ends a read that does not return in time.
 * - *reading ahead*: entered when every slot has been taken for a moment. Entries that no other worker has read by then are read
 *   although they cannot start yet, up to a bound: one of them may be of a team whose turn comes before those that wait here
 *   (`turns.ts`). Left for *reading* when a slot is free.
 * - *draining*: entered by `stop`. Nothing new is read. Entries under way are finished. What is left, and what was on its way on the connection
 *   that was closed, is given back to the group: other workers take it over at their next look.
 * - *stopped*: nothing is held, or the time for draining is over.
 *
 * In all states but the last two, timers renew the claims of held entries, and take over entries whose worker is silent in a share
 * of the partitions (`upkeep.ts`).
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { within } from '../../shared/async.js';
import { addressIn, nodeOf } from '../../shared/streams/client.js';
import { keys } from '../../shared/streams/keys.js';
import { createBacklog } from './backlog.js';
import type { RawEntry } from './entry.js';
import { createHandOver, type EntriesSlot } from './hand-over.js';
import { createHeld } from './held.js';
import type { LeftEntries } from './left.js';
import { giveBackAll } from './pending.js';
import { LARGE_SHARE } from './reader.js';
import { createReading, type ReadingOptions } from './reading.js';
import type { TakeOverOptions } from './take-over.js';
import { createTurns } from './turns.js';
import { createUpkeep } from './upkeep.js';

export type { RawEntry } from './entry.js';
export type { EntriesSlot } from './hand-over.js';

/** `name` is of this process alone, never used again. */
export interface ConsumerOptions
  extends Omit<ReadingOptions, 'bytes'>,
    Pick<TakeOverOptions, 'claimIdleMs' | 'attemptsTogether'> {
  /** the partitions whose silent entries it takes over; default: all */
  own?(): Promise<readonly number[]>;
  /** further slots, for teams that hold fewer than `few`; default 0 */
  spare?: number;
  /** default 1 */
  few?: number;
  /** Nothing is read or taken over while this many entries are held; default: no bound, for tests. */
  ahead?: number;
  /** The same for bytes of bodies. */
  bytes: number;
  /** entries that are not taken over, since this worker cannot read them */
  left?: LeftEntries;
  /**
   * Finishes entries of partitions of one Redis: each is committed, buried, set aside, or left for a later attempt. Never rejects.
   */
  handle(entries: RawEntry[], slot: EntriesSlot): Promise<void>;
}

export interface Consumer {
  start(): void;
  /** Stops reading and waits for what is under way, at most `drainMs`. */
  stop(drainMs: number): Promise<void>;
  /** ms of the steady clock at which a loop last turned, even if Redis was away: for the check of liveness */
  lastProgress(): number;
  underWay(): number;
}

/** How long giving back may take at a stop. */
const GIVE_BACK_MS = 2000;
/** Groups that are taken over take turns with the teams, under this name. */
const TAKEN_OVER = '';

export function createConsumer(options: ConsumerOptions): Consumer {
  const { logger } = options;
  const held = createHeld({ entries: options.ahead ?? Number.POSITIVE_INFINITY, bytes: options.bytes });
  const turns = createTurns({ ...options, slots: options.capacity });
  const backlog = createBacklog({ ...options, redisOf });
  const hand = createHandOver({ turns, held, handle: options.handle, logger });
  let running = false;
  let progress = performance.now();
  let loops: Promise<void>[] = [];

  function redisOf(partition: number): string {
    const node = nodeOf(options.redis, keys.checks(partition));
    return node ? addressIn(node) : `partition ${partition}`;
  }

  /** A claim is renewed from here on, also while the entry waits for its turn. */
  function takeIn(entries: readonly RawEntry[]): void {
    held.add(entries);
    for (const { team, key } of backlog.add(entries)) {
      turns.add(team, async ({ pass }) => {
        const chunk = backlog.take(key, turns.free());
        if (chunk.length > 0) await hand(chunk, pass);
      });
    }
  }

  const moved = (): void => {
    progress = performance.now();
  };
  const reading = createReading(options, { held, turns, running: () => running, moved, takeIn });
  const upkeep = createUpkeep({
    ...options,
    chunk: Math.ceil(options.chunk / LARGE_SHARE),
    held,
    own: options.own ?? (async () => Array.from({ length: options.partitions() }, (_, p) => p)),
    running: () => running,
    renewed: moved,
    slot: () =>
      new Promise((resolve) =>
        turns.add(TAKEN_OVER, ({ pass }) => new Promise<void>((free) => resolve({ free, pass }))),
      ),
    hand(entries, pass) {
      held.add(entries);
      return hand(entries, pass);
    },
  });

  /** What was on its way when the connection was closed, and what was not finished in time, need not be silent first. */
  async function giveBackRest(): Promise<void> {
    const { redis, lane, name } = options;
    const given = Array.from({ length: options.partitions() }, (_, partition) =>
      // A Redis that is away, or has no group, has nothing to give back now.
      giveBackAll(redis, { partition, lane }, name, (id) => held.has(partition, id)).catch(() => undefined),
    );
    await Promise.all(given);
  }

  return {
    start() {
      running = true;
      loops = [reading.loop(), ...upkeep.start()];
    },
    async stop(drainMs) {
      running = false;
      upkeep.stop();
      reading.close();
      const until = performance.now() + drainMs;
      await within(Promise.allSettled(loops), { ms: drainMs });
      while (held.count() > 0 && performance.now() < until) await sleep(10);
      await within(giveBackRest(), { ms: GIVE_BACK_MS });
    },
    lastProgress: () => progress,
    underWay: held.count,
  };
}
