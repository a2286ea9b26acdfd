/**
 * Checks that wait for their reply. A reply is matched to its check here, by the request id that it begins with. One check:
 *
 *     waiting ──reply──> its result is in it, or is read ──> done
 *        ├── subscription lost and back, ───────> its stored result is read ──> done, or still waiting
 *        │   or 250 ms before the deadline        (added again if Redis has lost it)
 *        ├── deadline ──> closing: marked as awaited, its stored result read once more ──> done, or timeout: late until its reply
 *        │      └── an artifact that may not have been added ──> failed
 *        └── its entry was refused, or the process stops ──> failed
 *
 * A published record only saves a round trip: the stored result is the truth (rule 4 of the architecture). A check whose entry
 * may or may not be in Redis (the connection broke after XADD was sent) waits like any other. One that can be added twice is added again
 * until that is known (`add-again.ts`).
 */

import { ApiError } from '../../shared/api/errors.js';
import { decodeRecord, type ResultRecord } from '../../shared/api/results/record.js';
import { within } from '../../shared/async.js';
import { UnreadFormat } from '../../shared/formats.js';
import type { Logger } from '../../shared/log.js';
import type { Redis } from '../../shared/streams/client.js';
import { hotRecord } from '../../shared/streams/hot/records.js';
import { keys } from '../../shared/streams/keys.js';
import { sendTogether } from '../../shared/streams/send.js';
import { createReusedTable, type ReusedTable } from '../../shared/table.js';
import { type Counter, metersOf, type Registry } from '../../shared/telemetry.js';
import { loggedIds } from './check-request.js';
import { LAST_WORDS_MS, noteLate } from './note-unfinished.js';
import type { PendingBytes } from './pending-bytes.js';
import type { ReplyHandlers } from './reply-subscription.js';
import type { CheckOutcome, CheckRequest } from './types.js';

export interface PendingCheck {
  id: string;
  partition: number;
  /** ms of the steady clock: a step of the system's clock delays no answer */
  deadline: number;
  request: CheckRequest;
  resolve(outcome: CheckOutcome): void;
  reject(error: ApiError): void;
  /** id of its entry, once it is known to be added */
  entry?: string;
  /** the deadline is being handled */
  closing: boolean;
  /** set while it is not known whether an artifact was added: what is answered at the deadline */
  doubt?: (() => ApiError) | undefined;
  /** Adds it again where Redis has lost it; absent: that cannot be found out. */
  addAgain?: (() => void) | undefined;
}

export interface PendingChecks extends ReplyHandlers {
  add(check: PendingCheck): void;
  /** Whether it still waits. */
  has(check: PendingCheck): boolean;
  /** Answers `check` from its stored result; false when there is none, or Redis does not say. Never rejects. */
  readResult(check: PendingCheck): Promise<boolean>;
  fail(check: PendingCheck, error: ApiError): void;
  failAll(error: ApiError): void;
  size(): number;
  /** Whether the oldest check is so far past its deadline that this process must have stalled. */
  isStalled(): boolean;
  close(): void;
}

/** How often deadlines are looked at; a 504 may come this much late. */
const TICK_MS = 50;
/** How long before the deadline the stored result is read, in case the reply was lost. */
const LAST_LOOK_MS = 250;
/** How long a late check counts for its team at most: its reply may be lost. */
const LATE_MS = 60_000;
/** How long past its deadline a check can be before this process counts as stalled. */
const STALLED_MS = 10_000;
/** Results that are read by one command. */
const READ_TOGETHER = 16;
/** Pause after a read that failed. */
const READ_AGAIN_MS = 100;
/** Length of a request id, which a reply begins with. */
const ID_LENGTH = 36;
/** What a message with several replies begins with (`commit-results.lua`). */
const SEVERAL = '+'.charCodeAt(0);

/** What the functions below work with. */
interface PendingCheckParts {
  redis: Redis;
  bytes: PendingBytes;
  logger: Logger;
  /** by request id */
  checks: ReusedTable<PendingCheck>;
  /** checks that were answered 504 and are still under way, by request id, oldest first; `done` lets their team have further ones */
  late: Map<string, { until: number; done(): void }>;
  rescued: Counter;
}

export function createPendingChecks(
  redis: Redis,
  bytes: PendingBytes,
  { logger, registry }: { logger: Logger; registry: Registry },
): PendingChecks {
  const checks = createReusedTable<PendingCheck>();
  const help = 'Verdicts that were read because their reply did not arrive';
  const rescued = metersOf(registry).counter('weir_replies_rescued_total', help);
  const late: PendingCheckParts['late'] = new Map();
  const parts: PendingCheckParts = { redis, bytes, logger, checks, late, rescued };
  const published = createPublished(parts);
  const ticker = setInterval(() => {
    const now = performance.now();
    for (const check of checks.values()) lookAtDeadline(parts, check, now);
    for (const [id, { until }] of late) {
      if (until > now) break;
      endLate(parts, id);
    }
  }, TICK_MS);
  const take = (id: string, stored: Buffer): void => {
    const check = checks.get(id);
    if (!check) endLate(parts, id);
    // A larger result comes as its id alone.
    else if (stored.length === 0) published.add(check);
    else settle(parts, check, stored);
  };
  return {
    add(check) {
      checks.set(check.id, check);
      bytes.add(check.request);
    },
    has: (check) => checks.has(check.id),
    onReply(message) {
      if (message[0] !== SEVERAL) return take(message.toString('latin1', 0, ID_LENGTH), message.subarray(ID_LENGTH));
      for (let at = 1; at < message.length; ) {
        const from = at + ID_LENGTH + 4;
        const id = message.toString('latin1', at, at + ID_LENGTH);
        at = from + message.readUInt32BE(from - 4);
        take(id, message.subarray(from, at));
      }
    },
    // Replies that were published without a subscription are lost; the results are stored. Redis may have lost what it took last.
    onSubscribed() {
      for (const check of checks.values()) {
        void readResult(parts, check).then((found) => {
          if (!found && checks.has(check.id)) check.addAgain?.();
        });
      }
    },
    readResult: (check) => readResult(parts, check),
    fail: (check, error) => fail(parts, check, error),
    failAll(error) {
      for (const check of checks.values()) fail(parts, check, error);
    },
    size: () => checks.size,
    isStalled() {
      const now = performance.now();
      return checks.values().some(({ deadline }) => now > deadline + STALLED_MS);
    },
    close: () => clearInterval(ticker),
  };
}

function lookAtDeadline(parts: PendingCheckParts, check: PendingCheck, now: number): void {
  const left = check.deadline - now;
  if (left > LAST_LOOK_MS || check.closing) return;
  if (left <= 0) void giveUp(parts, check);
  else if (left > LAST_LOOK_MS - TICK_MS) void readResult(parts, check);
}

function endLate({ late }: PendingCheckParts, id: string): void {
  const one = late.get(id);
  if (!one) return;
  late.delete(id);
  one.done();
}

function remove({ checks, bytes }: PendingCheckParts, check: PendingCheck): void {
  if (checks.delete(check.id)) bytes.remove(check.request);
}

function fail(parts: PendingCheckParts, check: PendingCheck, error: ApiError): void {
  remove(parts, check);
  check.reject(error);
}

function settle(parts: PendingCheckParts, check: PendingCheck, stored: Buffer): void {
  remove(parts, check);
  check.resolve(new FinishedCheck(parts, check.id, stored));
}

/**
 * Most answers are made of the bytes of the record alone. A class for the same reason as that of events that were read
 * (`shared/api/read/events.ts`).
 */
class FinishedCheck {
  readonly status = 'done';
  readonly stored: Buffer;
  readonly id: string;
  readonly #parts: PendingCheckParts;
  #record: ResultRecord | undefined;

  constructor(parts: PendingCheckParts, id: string, stored: Buffer) {
    this.#parts = parts;
    this.id = id;
    this.stored = stored;
  }

  get record(): ResultRecord {
    try {
      this.#record ??= decodeRecord(this.stored);
      return this.#record;
    } catch (error) {
      if (error instanceof UnreadFormat && error.newer) throw error;
      this.#parts.logger.error({ error: String(error), check_id: this.id }, 'a result cannot be read');
      throw new ApiError('internal_error', 'The result of this check cannot be read.');
    }
  }
}

interface Published {
  /** Reads the result of a check soon, and again if it cannot be read; gives up at the deadline. */
  add(check: PendingCheck): void;
}

/** Reads results whose ids were published, those of one turn of the event loop together. */
function createPublished(parts: PendingCheckParts): Published {
  // A new one each time: one that is cleared leads from its old table to the new one, see `shared/places.ts`.
  let byPartition = new Map<number, PendingCheck[]>();
  const add = (check: PendingCheck): void => {
    // Behind all that came in one piece: what is sent now goes out in this turn of the loop.
    if (byPartition.size === 0) process.nextTick(read);
    const checks = byPartition.get(check.partition);
    if (checks) checks.push(check);
    else byPartition.set(check.partition, [check]);
  };
  const read = (): void => {
    const all = byPartition;
    byPartition = new Map();
    for (const checks of all.values()) {
      for (let i = 0; i < checks.length; i += READ_TOGETHER) {
        void readPublished(parts, checks.slice(i, i + READ_TOGETHER), add);
      }
    }
  };
  return { add };
}

async function readPublished(
  parts: PendingCheckParts,
  checks: readonly PendingCheck[],
  again: Published['add'],
): Promise<void> {
  try {
    const results = checks.map(({ partition, id }) => keys.result(partition, id));
    const [records] = await sendTogether(parts.redis, [['MGET', ...results]]);
    if (records instanceof Error) throw records;
    checks.forEach((check, i) => {
      const record = (records as (Buffer | null)[])[i];
      if (record && parts.checks.has(check.id)) settle(parts, check, record);
    });
  } catch (error) {
    parts.logger.debug({ error: String(error), check_ids: checks.map(({ id }) => id) }, 'reading results failed');
    const waiting = checks.filter(({ id, closing }) => parts.checks.has(id) && !closing);
    setTimeout(() => waiting.forEach(again), READ_AGAIN_MS).unref();
  }
}

async function readResult(parts: PendingCheckParts, check: PendingCheck): Promise<boolean> {
  try {
    const record = await hotRecord(parts.redis, check.partition, check.id);
    if (!record) return false;
    if (parts.checks.has(check.id)) {
      parts.rescued.inc();
      remove(parts, check);
      check.resolve({ status: 'done', record });
    }
    return true;
  } catch (error) {
    parts.logger.debug({ error: String(error), ...loggedIds(check.id, check.request) }, 'reading a result failed');
    return false;
  }
}

/** The caller is answered in time even when Redis hangs: the note and the last look share one time limit. */
async function giveUp(parts: PendingCheckParts, check: PendingCheck): Promise<void> {
  check.closing = true;
  await within(lastWords(parts, check), { ms: LAST_WORDS_MS });
  if (!parts.checks.has(check.id)) return;
  if (check.doubt) return fail(parts, check, check.doubt());
  parts.checks.delete(check.id);
  parts.late.set(check.id, { until: performance.now() + LATE_MS, done: parts.bytes.leave(check.request) });
  const { id, entry } = check;
  check.resolve({ status: 'timeout', id, ...(entry === undefined ? {} : { entry }) });
}

async function lastWords(parts: PendingCheckParts, check: PendingCheck): Promise<void> {
  if (!check.doubt) await noteLate(parts.redis, parts.logger, check.id, check.request);
  // It may have been committed between the last look and the note: then the caller still gets it.
  await readResult(parts, check);
}
