/**
 * Sees to it that what was deleted, or is older than content may be, leaves Redis for good. Its append-only file has every
 * check that was ever added until it is rewritten, which by its own rules may be months later. So once in a while:
 *
 *   due (nobody has done it lately) ──> drop dead letters and refused rows of more than `content_days` ──> have Redis rewrite
 *      └ somebody has: ask again later                                              its file └ it refuses: say so, try again
 *
 * Rewriting costs what is in Redis, which is little: the last minutes.
 */
import { Redis } from 'ioredis';
import type { Logger } from '../../shared/log.js';
import { activeVersion, readVersion } from '../../shared/streams/configuration.js';
import { keys } from '../../shared/streams/keys.js';
import { type Connection, script } from '../../shared/streams/script.js';
import { Counter, type Registry } from '../../shared/telemetry.js';

export interface ForgettingOptions {
  redis: Connection;
  partitions(): number;
  /** 0: never */
  everySeconds: number;
  logger: Logger;
  registry: Registry;
}

export interface Forgetting {
  /** Does it if it is due. Never rejects. */
  turn(): Promise<void>;
  /** ms until it may be due again; undefined: never */
  pauseMs: number | undefined;
}

const DAY_MS = 86_400_000;
const LONGEST_PAUSE_MS = 60_000;
/** Entries of one call: the largest are as large as a body. */
const MOST_DROPPED = 20;

const dropOld = script('archive/drop-old-entries');

export function createForgetting({ redis, partitions, everySeconds, logger, registry }: ForgettingOptions): Forgetting {
  const rewrites = new Counter({
    name: 'weir_redis_rewrites_total',
    help: 'Times that Redis was asked to rewrite its append-only file, by outcome: asked, refused',
    labelNames: ['outcome'],
    registers: [registry],
  });
  let told = '';

  /** Whether it is this archiver's turn; nobody else's for as long as is set. */
  const mine = async (): Promise<boolean> =>
    (await redis.set(keys.forgotten(), String(Date.now()), 'PX', everySeconds * 1000, 'NX')) === 'OK';

  async function dropDead(): Promise<void> {
    const days = await contentDays(redis);
    // Without content, letters have none either, but for those that could not be read or came before.
    const [seconds] = await (redis as Redis).time();
    const bound = Math.max(0, Number(seconds) * 1000 - (days ?? Number.POSITIVE_INFINITY) * DAY_MS);
    if (bound === 0) return;
    for (let p = 0; p < partitions(); p++) {
      await dropUpTo([keys.dead(p), keys.deadBytes(p)], bound, ['header', 'body']);
      await dropUpTo([keys.refused(p), keys.refusedBytes(p)], bound, []);
    }
  }

  async function dropUpTo(stream: readonly string[], bound: number, counted: readonly string[]): Promise<void> {
    let dropped = 0;
    for (let some = MOST_DROPPED; some === MOST_DROPPED; dropped += some) {
      some = Number(await dropOld(redis, stream, [String(bound), MOST_DROPPED, ...counted]));
    }
    if (dropped > 0) logger.info({ stream: stream[0], dropped }, 'entries older than content may be were dropped');
  }

  async function rewrite(): Promise<void> {
    for (const node of redis instanceof Redis ? [redis] : redis.nodes('master')) {
      if (!/^aof_enabled:1/m.test(await node.info('persistence'))) continue;
      await node.bgrewriteaof();
      rewrites.inc({ outcome: 'asked' });
    }
  }

  async function forget(): Promise<void> {
    await dropDead();
    try {
      await rewrite();
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

  return {
    pauseMs: everySeconds === 0 ? undefined : Math.min(LONGEST_PAUSE_MS, everySeconds * 1000),
    async turn() {
      try {
        if (!(await mine())) return;
        // Who fails leaves it to be tried again, by whoever comes next.
        await forget().catch(() => redis.del(keys.forgotten()));
      } catch (error) {
        logger.debug({ error: String(error) }, 'forgetting waits for Redis');
      }
    },
  };
}

/** `content_days` of the active configuration; undefined where there is none. */
async function contentDays(redis: Connection): Promise<number | undefined> {
  const version = await activeVersion(redis as Redis);
  const text = version > 0 ? await readVersion(redis as Redis, version) : undefined;
  const days = text === undefined ? undefined : (JSON.parse(text) as { retention?: { content_days?: number } });
  return days?.retention?.content_days;
}
