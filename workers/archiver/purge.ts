/**
 * Purges Redis of what was deleted and of content that is older than it may be. Its append-only file keeps every check until the file is
 * rewritten; by the rules of Redis that may be months later. So all archivers together do this once in `everySeconds`:
 *
 *     waiting ──due──> dropping ──> rewriting ──> waiting
 *
 * - *waiting*: a key in Redis says that an archiver has purged lately. Asked again within a minute.
 * - *dropping*: drops dead letters and refused entries that are older than `content_days`; refused entries not before a day has passed,
 *   since their rows are the only ones.
 * - *rewriting*: asks Redis to rewrite its file. Costs what is in Redis, which is little: the last minutes.
 *
 * If a step fails, the key is deleted, and the next archiver that asks tries again.
 *
 * It is also rewritten soon after Redis has refused writes that it could not save. When the disk is full, Redis cuts off what it has written
 * in part. In a file that it began by itself, as it does with each rewrite, it goes on behind the cut, over a gap of zeros: at its next
 * start it does not read the file. (Redis 7.0 and later.)
 */
import type { Logger } from '../../shared/log.js';
import { nodesOf, type Redis } from '../../shared/streams/client.js';
import { activeVersion, readVersion } from '../../shared/streams/configuration.js';
import { keys } from '../../shared/streams/keys.js';
import { dropRefused, listRefused } from '../../shared/streams/refused.js';
import { script } from '../../shared/streams/script.js';
import { metersOf, type Registry } from '../../shared/telemetry.js';

export interface PurgeOptions {
  redis: Redis;
  partitions(): number;
  /** 0: never */
  everySeconds: number;
  logger: Logger;
  registry: Registry;
}

export interface Purge {
  /** Purges if it is due. Never rejects. */
  runIfDue(): Promise<void>;
  /** ms until it may be due again; undefined: never */
  pauseMs: number | undefined;
}

const DAY_MS = 86_400_000;
const LONGEST_PAUSE_MS = 60_000;
/** Entries of one call. One may be as large as a body. */
const MOST_DROPPED = 20;

const dropOld = script('work/drop-old-letters');

export function createPurge(options: PurgeOptions): Purge {
  const { redis, everySeconds, logger } = options;
  const rewrite = createRewrite(options);

  async function isDue(): Promise<boolean> {
    const until = ['PX', everySeconds * 1000, 'NX'] as const;
    return (await redis.set(keys.forgotten(), String(Date.now()), ...until)) === 'OK';
  }

  async function purge(): Promise<void> {
    try {
      await dropOldLetters(options);
    } catch (error) {
      logger.warn(
        { error: String(error).slice(0, 300) },
        'entries older than content may be were not dropped; trying again',
      );
      throw error;
    }
    await rewrite.now();
  }

  return {
    pauseMs: everySeconds === 0 ? undefined : Math.min(LONGEST_PAUSE_MS, everySeconds * 1000),
    async runIfDue() {
      try {
        if (await isDue()) await purge().catch(() => redis.del(keys.forgotten()));
        else await rewrite.ifDoubtful();
      } catch (error) {
        logger.debug({ error: String(error) }, 'forgetting waits for Redis');
      }
    },
  };
}

async function dropOldLetters(options: PurgeOptions): Promise<void> {
  const { redis } = options;
  const days = await contentDays(redis);
  // With `content_days: 0` letters have no content, except those that could not be read or are older than the setting.
  const [seconds] = await redis.time();
  if (days === undefined) return;
  const daysAgo = (count: number): string => String(Math.max(0, Number(seconds) * 1000 - count * DAY_MS));
  for (let p = 0; p < options.partitions(); p++) {
    const letters = [keys.dead(p), keys.deadBytes(p)];
    await dropWhole(options, keys.dead(p), async () =>
      Number(await dropOld(redis, letters, [daysAgo(days), MOST_DROPPED])),
    );
    const upTo = daysAgo(Math.max(1, days));
    await dropWhole(options, keys.refused(p), async () => {
      const some = await listRefused(redis, p, { from: '-', to: upTo, most: MOST_DROPPED });
      for (const { id } of some) await dropRefused(redis, p, id);
      return some.length;
    });
  }
}

/** `dropSome` drops at most `MOST_DROPPED` entries and says how many. */
async function dropWhole({ logger }: PurgeOptions, stream: string, dropSome: () => Promise<number>): Promise<void> {
  let dropped = 0;
  for (let some = MOST_DROPPED; some === MOST_DROPPED; dropped += some) some = await dropSome();
  if (dropped > 0) logger.warn({ stream, dropped }, 'entries older than content may be were dropped');
}

interface Rewrite {
  /** Asks every node for a rewrite. */
  now(): Promise<void>;
  /** Asks the nodes that have refused writes since the last rewrite, or whose rewrite has failed. */
  ifDoubtful(): Promise<void>;
}

/** A refusal is counted, and logged when its reason is another one than before. */
function createRewrite({ redis, logger, registry }: PurgeOptions): Rewrite {
  const outcomes = ['asked', 'refused'] as const;
  const help = 'Times that Redis was asked to rewrite its append-only file';
  const rewrites = metersOf(registry).counterBy('outcome', outcomes, 'weir_redis_rewrites_total', help);
  let told = '';
  /** writes that a node had refused when it was asked last */
  const refused = new Map<string, number>();

  async function ask(node: Redis, doubtful: boolean): Promise<void> {
    const info = await node.info('persistence', 'errorstats');
    if (!/^aof_enabled:1/m.test(info)) return;
    const name = `${node.options.host}:${node.options.port}`;
    const now = Number(/^errorstat_MISCONF:count=(\d+)/m.exec(info)?.[1] ?? 0);
    const sound = now === (refused.get(name) ?? 0) && /^aof_last_bgrewrite_status:ok/m.test(info);
    if (doubtful && (sound || /^aof_rewrite_in_progress:1/m.test(info))) return;
    await node.bgrewriteaof();
    refused.set(name, now);
    rewrites.inc({ outcome: 'asked' });
  }

  async function askAll(doubtful: boolean): Promise<void> {
    try {
      for (const node of nodesOf(redis)) await ask(node, doubtful);
      told = '';
    } catch (error) {
      rewrites.inc({ outcome: 'refused' });
      const { message } = error as Error;
      if (message !== told) {
        logger.warn(
          { error: message.slice(0, 300) },
          'Redis did not rewrite its append-only file, which keeps what callers sent until it does: allow BGREWRITEAOF and INFO to the user of WEIR_REDIS_URL, or see to it in another way and set WEIR_REWRITE_SECONDS to 0',
        );
      }
      told = message;
      throw error;
    }
  }

  return { now: () => askAll(false), ifDoubtful: () => askAll(true) };
}

/** `content_days` of the active configuration; undefined where there is none. */
async function contentDays(redis: Redis): Promise<number | undefined> {
  const version = await activeVersion(redis);
  const text = version > 0 ? await readVersion(redis, version) : undefined;
  const days = text === undefined ? undefined : (JSON.parse(text) as { retention?: { content_days?: number } });
  return days?.retention?.content_days;
}
