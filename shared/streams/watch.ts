/**
 * Looks once a second whether this process is connected to a primary. Of a replica, such as a primary that was replaced while its connections
 * stayed open, all connections are dropped: what connects again finds the new one. So are those
 * behind Sentinels on which a primary does not answer. Loss and return of Redis are said once, of a Cluster those
 * of its primaries (who these are, its nodes say).
 */
import { inTime, repeat } from '../async.js';
import type { Logger } from '../log.js';
import { metersOf, type Registry } from '../telemetry.js';
import { addressIn, dropConnections, isCluster, isRefusal, type Redis, reasonOf } from './client.js';

const LOOK_MS = 1000;
/** How long the role is waited for. */
const ANSWER_MS = 2000;
/** Looks after which a connection behind Sentinels is dropped that was made to a primary which hangs. */
const HANGS = 2;
/** Where what connects again finds a replica once more, connections are dropped less and less often: in so many looks at least. */
const SELDOM = 32;

/** Returns what ends it. `registry`: has a metric that says whether Redis is there. */
export function watchRedis(redis: Redis, logger: Logger, registry?: Registry): () => void {
  let away = false;
  let reason = 'the connection is closed';
  /** looks until connections are dropped again, and how many they will be then */
  let [left, pause] = [0, 1];
  /** looks in a row without an answer */
  let silent = 0;
  const remember = (error: Error): void => {
    reason = reasonOf(error);
  };
  redis.on('error', remember);
  if (registry)
    metersOf(registry).gauge(
      'weir_redis_up',
      'Whether this process is connected to a primary of Redis that answers, of a Cluster to all of them (1) or not (0)',
      () => (away ? 0 : 1),
    );
  const say = (why: string): void => {
    if (!away) logger.warn({ why }, 'Redis is away');
    away = true;
  };
  const back = (): void => {
    if (away) logger.info('Redis is back');
    away = false;
  };
  /** Sentinels replace a primary that hangs, whose connections stay: those that ask them again find the new one. */
  const hangs = (): void => {
    if (!redis.options.sentinels || ++silent < HANGS) return;
    silent = 0;
    dropConnections();
  };
  const stop = repeat(LOOK_MS, async () => {
    if (isCluster(redis)) {
      const lost = redis.primaries().filter(({ status }) => status !== 'ready');
      return lost.length > 0 ? say(`${lost.map(addressIn).join(', ')}: ${reason}`) : back();
    }
    if (redis.status !== 'ready') {
      hangs();
      return say(reason);
    }
    try {
      const [role] = (await inTime(redis.role(), ANSWER_MS, 'no answer in time')) as [string];
      silent = 0;
      if (role !== 'master') {
        say('it is a replica now');
        if (left-- > 0) return;
        [left, pause] = [pause, Math.min(2 * pause, SELDOM)];
        dropConnections();
        return;
      }
    } catch (error) {
      // Whoever may not ask for the role works without.
      if (!isRefusal(error)) {
        hangs();
        return say(reasonOf(error));
      }
    }
    back();
    [left, pause] = [0, 1];
  });
  return () => {
    stop();
    redis.off('error', remember);
  };
}
