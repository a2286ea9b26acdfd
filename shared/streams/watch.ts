/**
 * Looks once a second whether this process is connected to a primary. Of a replica, such as a primary that was replaced while its connections
 * stayed open, all connections are dropped: what connects again finds the new one. Loss and return of Redis are said once, of a Cluster those
 * of its primaries (who these are, its nodes say).
 */
import { repeat } from '../async.js';
import type { Logger } from '../log.js';
import { dropConnections, isCluster, isRefusal, type Redis, reasonOf } from './client.js';

const LOOK_MS = 1000;
/** Where what connects again finds a replica once more, connections are dropped less and less often: in so many looks at least. */
const SELDOM = 32;

const addressIn = ({ options }: Redis): string => `${options.host}:${options.port}`;

/** Returns what ends it. */
export function watchRedis(redis: Redis, logger: Logger): () => void {
  let away = false;
  let reason = 'the connection is closed';
  /** looks until connections are dropped again, and how many they will be then */
  let [left, pause] = [0, 1];
  const remember = (error: Error): void => {
    reason = reasonOf(error);
  };
  redis.on('error', remember);
  const say = (why: string): void => {
    if (!away) logger.warn({ why }, 'Redis is away');
    away = true;
  };
  const back = (): void => {
    if (away) logger.info('Redis is back');
    away = false;
  };
  const stop = repeat(LOOK_MS, async () => {
    if (isCluster(redis)) {
      const lost = redis.primaries().filter(({ status }) => status !== 'ready');
      return lost.length > 0 ? say(`${lost.map(addressIn).join(', ')}: ${reason}`) : back();
    }
    if (redis.status !== 'ready') return say(reason);
    try {
      const [role] = (await redis.role()) as [string];
      if (role !== 'master') {
        say('it is a replica now');
        if (left-- > 0) return;
        [left, pause] = [pause, Math.min(2 * pause, SELDOM)];
        dropConnections();
        return;
      }
    } catch (error) {
      // Whoever may not ask for the role works without.
      if (!isRefusal(error)) return say(reasonOf(error));
    }
    back();
    [left, pause] = [0, 1];
  });
  return () => {
    stop();
    redis.off('error', remember);
  };
}
