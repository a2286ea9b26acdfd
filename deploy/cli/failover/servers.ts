/** Servers that a failover asks, each over a connection of its own. */
import { setTimeout as sleep } from 'node:timers/promises';
import { inTime } from '../../../shared/async.js';
import { explainRefusal, isRefusal, type Redis } from '../../../shared/streams/client.js';
import { addressOf } from '../../../shared/streams/cluster/topology.js';
import type { RedisHost } from '../../../shared/streams/endpoint.js';

export interface Server {
  /** host:port */
  address: string;
  redis: Redis;
}

/** What `INFO replication` says. */
export interface Replication {
  isPrimary: boolean;
  /** up to where it has the stream of writes; of a replica, up to where it has carried it out */
  offset: number;
  /** of a replica: whether it has a primary, and all that came before the stream */
  isFollowing: boolean;
}

/** How long a server may take until it is connected. */
const CONNECT_MS = 3000;

/** Connections that are ended together. */
export function createServers(open: (at: RedisHost) => Redis): {
  /** Rejects with a sentence where the server does not answer. */
  connect(at: RedisHost): Promise<Server>;
  close(): void;
} {
  const all: Redis[] = [];
  return {
    async connect(at) {
      const redis = open(at);
      all.push(redis);
      let reason: unknown;
      redis.on('error', (error) => {
        reason = error;
      });
      const address = addressOf(at);
      try {
        await inTime(redis.connect(), CONNECT_MS, 'no answer');
      } catch (error) {
        throw new Error(`${address}: ${why(reason ?? error)}`);
      }
      return { address, redis };
    },
    close() {
      for (const redis of all) redis.disconnect();
    },
  };
}

/** The text of an error, in words where it is a known refusal. */
export const why = (error: unknown): string => {
  const { message } = error as Error;
  return isRefusal(error) && /^(NO|WRONG)/.test(message) ? `${explainRefusal(error)} (${message})` : message;
};

/** Rejects with a sentence where the server does not answer. */
export async function replicationOf({ address, redis }: Server): Promise<Replication> {
  const said = await redis.info('replication').catch((error: unknown) => {
    throw new Error(`${address}: ${why(error)}`);
  });
  const field = (name: string): string => new RegExp(`^${name}:(.*?)\r?$`, 'm').exec(said)?.[1] ?? '';
  const isPrimary = field('role') === 'master';
  return {
    isPrimary,
    offset: Number(field(isPrimary ? 'master_repl_offset' : 'slave_repl_offset')),
    isFollowing: field('master_link_status') === 'up',
  };
}

const LOOK_MS = 20;

/** Asks again and again; resolves to the first answer that is not undefined, or to undefined where none came within `ms`. */
export async function inLooks<T>(ms: number, ask: () => Promise<T | undefined>): Promise<T | undefined> {
  const until = performance.now() + ms;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined || performance.now() > until) return answer;
    await sleep(LOOK_MS);
  }
}

/** Seconds since a moment of the steady clock, for people. */
export const secondsSince = (start: number): string => `${((performance.now() - start) / 1000).toFixed(2)} s`;
