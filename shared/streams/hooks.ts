/**
 * The queues of webhooks: deliveries that wait, and those that were given up. A webhook has one in each partition. The scripts in
 * `scripts/hooks/` state their contracts.
 *
 *     waiting ──take──> taken ──done──> gone
 *        ^               ├──later──> waiting
 *        │               ├──silence──> waiting
 *        └──replay── given up <──dead──┘
 */
import { createHash } from 'node:crypto';
import { inTime } from '../async.js';
import { isCluster, nodeOf } from './client.js';
import { keys } from './keys.js';
import { type RedisConnection, script } from './script.js';

export interface Delivery {
  /** `webhook-id`: the same for all attempts, and if it is added again */
  id: string;
  /** JSON, as it is signed and sent */
  body: string;
}

/** A delivery in its queue. */
export interface QueuedDelivery extends Delivery {
  attempts: number;
  /** Unix ms since when it is tried */
  since: number;
  /** how the last attempt ended, in a word; `-`: there was none */
  outcome: string;
}

/** What becomes of a delivery that was taken: it arrived, it is given up, or it is tried again after so many ms. */
export type Settled = 'done' | 'dead' | number;

/**
 * The id of what a webhook is told of an item: the same whenever and by whomever it is made. Ids of items begin with their time, so these do, too.
 * `what`: '' of its verdict.
 */
export function deliveryId(hook: string, item: string, what = ''): string {
  const of = createHash('sha256')
    .update(what === '' ? hook : `${hook} ${what}`)
    .digest('hex');
  return `msg_${item.replaceAll('-', '')}${of.slice(0, 16)}`;
}

const add = script('hooks/add-deliveries');
const take = script('hooks/take-deliveries');
const settle = script('hooks/settle-delivery');
const replay = script('hooks/replay-deliveries');

/** Those that were given up can be sent again for so long. */
const LIFE_MS = 30 * 86_400_000;
/** Deliveries of one call. */
const CHUNK = 200;

const keysOf = (p: number, hook: string): string[] => [
  keys.hookDeliveries(p, hook),
  keys.hookDue(p, hook),
  keys.hooksWaiting(p),
];

const stored = ({ attempts, since, outcome, body }: QueuedDelivery): string =>
  `${attempts} ${since} ${outcome}\n${body}`;

function readStored(id: string, value: string): QueuedDelivery {
  const end = value.indexOf('\n');
  const [attempts, since, outcome = '-'] = value.slice(0, end).split(' ');
  return { id, attempts: Number(attempts), since: Number(since), outcome, body: value.slice(end + 1) };
}

/** Adds deliveries, up to `mostBytes` of the queue. Returns how many found no room. */
export async function addDeliveries(
  redis: RedisConnection,
  { partition, hook, mostBytes }: HookQueue & { mostBytes: number },
  deliveries: readonly Delivery[],
): Promise<number> {
  let dropped = 0;
  for (let i = 0; i < deliveries.length; i += CHUNK) {
    const values = deliveries.slice(i, i + CHUNK).flatMap((delivery) => {
      const queued = { ...delivery, attempts: 0, since: Date.now(), outcome: '-' };
      return [delivery.id, stored(queued)];
    });
    dropped += (await add(redis, keysOf(partition, hook), [hook, Math.floor(mostBytes), LIFE_MS, ...values])) as number;
  }
  return dropped;
}

/** A queue. */
export interface HookQueue {
  partition: number;
  hook: string;
}

/** How long a node of a Cluster is waited for: meanwhile nothing of the others is sent. */
const NODE_MS = 1000;

export interface DueHooks {
  /** with a delivery that is due; in each partition the one that is due for longest first */
  due: HookQueue[];
  /** nothing waits, nor for a later time */
  empty: boolean;
}

/** Of a Cluster, without those of a primary that does not answer, unless none does. */
export async function dueHooks(redis: RedisConnection, partitions: readonly number[]): Promise<DueHooks> {
  const byNode = new Map<RedisConnection, number[]>();
  for (const p of partitions) {
    const node = nodeOf(redis, keys.hooksWaiting(p));
    if (node && !byNode.get(node)?.push(p)) byNode.set(node, [p]);
  }
  const asked = [...byNode].map(([node, some]) => dueOf(redis, node, some));
  if (!isCluster(redis)) return together(await Promise.all(asked));
  const due = await Promise.allSettled(asked.map((one) => inTime(one, NODE_MS, 'no answer in time')));
  const found = due.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const failed = due.find((one) => one.status === 'rejected');
  if (failed && due.every(({ status }) => status === 'rejected')) throw failed.reason;
  return together(found);
}

const together = (found: readonly DueHooks[]): DueHooks => ({
  due: found.flatMap(({ due }) => due),
  empty: found.every(({ empty }) => empty),
});

/** By the clock of the node, which says when deliveries are due. It is asked for where something waits. */
async function dueOf(redis: RedisConnection, node: RedisConnection, partitions: readonly number[]): Promise<DueHooks> {
  const found = await Promise.all(
    partitions.map((p) => redis.zrangebyscore(keys.hooksWaiting(p), '-inf', '+inf', 'WITHSCORES')),
  );
  if (found.every((list) => list.length === 0)) return { due: [], empty: true };
  const [seconds, microseconds] = await node.time();
  const now = Number(seconds) * 1000 + Math.floor(Number(microseconds) / 1000);
  const due: HookQueue[] = [];
  for (const [i, list] of found.entries()) {
    for (let at = 0; at + 1 < list.length; at += 2) {
      if (Number(list[at + 1]) <= now) due.push({ partition: partitions[i]!, hook: list[at]! });
    }
  }
  return { due, empty: false };
}

/** Takes at most `most` deliveries that are due. Those that are not settled within `holdMs` are due again. */
export async function takeDeliveries(
  redis: RedisConnection,
  { partition, hook }: HookQueue,
  { most, holdMs }: { most: number; holdMs: number },
): Promise<QueuedDelivery[]> {
  const found = (await take(redis, keysOf(partition, hook), [hook, holdMs, most])) as string[];
  const taken: QueuedDelivery[] = [];
  for (let i = 0; i + 1 < found.length; i += 2) taken.push(readStored(found[i]!, found[i + 1]!));
  return taken;
}

/** False when another worker has settled it. */
export async function settleDelivery(
  redis: RedisConnection,
  { partition, hook }: HookQueue,
  delivery: QueuedDelivery,
  settled: Settled,
): Promise<boolean> {
  const values = [hook, delivery.id, settled, stored(delivery), LIFE_MS];
  return (await settle(redis, keysOf(partition, hook), values)) === 1;
}

export interface QueueCounts {
  waiting: number;
  /** given up */
  dead: number;
  /** found no room since the queue was made */
  dropped: number;
  bytes: number;
}

export async function countDeliveries(redis: RedisConnection, partition: number, hook: string): Promise<QueueCounts> {
  const due = keys.hookDue(partition, hook);
  const [all, dead, [dropped = null, bytes = null]] = await Promise.all([
    redis.zcard(due),
    redis.zcount(due, 'inf', 'inf'),
    redis.hmget(keys.hookDeliveries(partition, hook), 'dropped', 'bytes'),
  ]);
  return { waiting: all - dead, dead, dropped: Number(dropped), bytes: Number(bytes) };
}

/** What the queues of webhooks hold together. */
export async function countsOf(
  redis: RedisConnection,
  hooks: readonly string[],
  partitions: readonly number[],
): Promise<QueueCounts> {
  const sum: QueueCounts = { waiting: 0, dead: 0, dropped: 0, bytes: 0 };
  for (const hook of hooks) {
    for (const p of partitions) {
      const counts = await countDeliveries(redis, p, hook);
      for (const key of Object.keys(sum) as (keyof QueueCounts)[]) sum[key] += counts[key];
    }
  }
  return sum;
}

/** At most `most` deliveries of a partition that were given up, oldest first. */
export async function deadDeliveries(
  redis: RedisConnection,
  partition: number,
  hook: string,
  most: number,
): Promise<QueuedDelivery[]> {
  const ids = await redis.zrangebyscore(keys.hookDue(partition, hook), 'inf', 'inf', 'LIMIT', 0, most);
  if (ids.length === 0) return [];
  const values = await redis.hmget(keys.hookDeliveries(partition, hook), ...ids);
  return ids.flatMap((id, i) => (values[i] == null ? [] : readStored(id, values[i])));
}

/** Has deliveries that were given up sent again: the one with `id`, or all of the partition. Returns how many. */
export async function replayDeliveries(
  redis: RedisConnection,
  partition: number,
  hook: string,
  id = '',
): Promise<number> {
  // One that is given up again meanwhile is not replayed twice.
  const most = id === '' ? (await countDeliveries(redis, partition, hook)).dead : 1;
  let replayed = 0;
  while (replayed < most) {
    const values = [hook, id, Math.min(CHUNK, most - replayed)];
    const some = (await replay(redis, keysOf(partition, hook), values)) as number;
    if (some === 0) break;
    replayed += some;
  }
  return replayed;
}
