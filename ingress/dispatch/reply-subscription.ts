/**
 * The subscription to the replies of the evaluators. Without it checks are still answered, but only by the last look before
 * each deadline, so its loss must be noticed. (A reply is matched to its check in `pending-checks.ts`.)
 *
 *     connecting ──ready──> subscribing ──confirmed──> subscribed ──every 5 s: subscribing to one again
 *         ^                     └ refused, or no answer in time ──> disconnected
 *         └──────────────────────────── connection lost ──────────────────┘
 *
 * Subscribing again on a subscribed connection changes nothing and proves that it holds: to one channel, each in its turn. The client's own
 * resubscription is not enough: it forgets the channels when a connection breaks before Redis has confirmed them.
 */

import { inTime, repeat } from '../../shared/async.js';
import type { Logger } from '../../shared/log.js';
import { connectSubscriber, isCluster, loudness, type Redis } from '../../shared/streams/client.js';
import type { ClusterClient } from '../../shared/streams/cluster/client.js';
import type { RedisEndpoint, RedisHost } from '../../shared/streams/endpoint.js';

export interface ReplyHandlers {
  onReply(message: Buffer): void;
  /** subscribed again: what was published meanwhile is lost */
  onSubscribed(): void;
}

/** In a Cluster: how often it is looked whether each channel is subscribed to where it is. */
const ASSIGN_MS = 1000;
/** How often the subscription is confirmed, and the time limit of that. */
const CONFIRM_MS = 5000;

export interface ReplySubscription {
  /** Subscribes to more channels; resolves once that is confirmed. */
  follow(channels: readonly string[]): Promise<void>;
  close(): void;
}

/**
 * Resolves once it is subscribed to all of `first`; in a Cluster, at the nodes that are there. Rejects when Redis cannot be reached or
 * refuses.
 */
export async function subscribeToReplies(
  redis: Redis,
  endpoint: RedisEndpoint,
  first: readonly string[],
  handlers: ReplyHandlers,
  logger: Logger,
): Promise<ReplySubscription> {
  const tools = { endpoint, handlers, logger };
  return isCluster(redis) ? await subscribeToNodes(redis, first, tools) : await subscribe(first, tools);
}

interface SubscriptionTools {
  endpoint: RedisEndpoint;
  handlers: ReplyHandlers;
  logger: Logger;
  /** the node of a Cluster */
  at?: RedisHost;
}

/** A channel has a slot, like a key. So there is a subscription to each primary, to the channels of its slots. */
async function subscribeToNodes(
  cluster: ClusterClient,
  first: readonly string[],
  tools: SubscriptionTools,
): Promise<ReplySubscription> {
  const channels = new Set(first);
  /** by address of the node */
  const subscriptions = new Map<string, { opened: Promise<ReplySubscription>; channels: Set<string> }>();

  function wanted(): Map<string, { at: RedisHost; channels: string[] }> {
    const byNode = new Map<string, { at: RedisHost; channels: string[] }>();
    for (const channel of channels) {
      const { host = '', port = 0 } = cluster.nodeOf(channel)?.options ?? {};
      if (port === 0) continue;
      const node = byNode.get(`${host}:${port}`) ?? { at: { host, port }, channels: [] };
      node.channels.push(channel);
      byNode.set(`${host}:${port}`, node);
    }
    return byNode;
  }

  function leave(address: string): void {
    subscriptions
      .get(address)
      ?.opened.then((one) => one.close())
      .catch(() => undefined);
    subscriptions.delete(address);
  }

  /** A channel that moves is subscribed to at its new node; the old one has ended that by itself. `subscribed` is called where there were some. */
  async function assign(subscribed = (): void => undefined): Promise<void> {
    const nodes = wanted();
    for (const [address, known] of subscriptions) {
      const now = new Set(nodes.get(address)?.channels);
      if ([...known.channels].some((channel) => !now.has(channel))) leave(address);
    }
    const opening = [...nodes].map(async ([address, { at, channels: own }]) => {
      const known = subscriptions.get(address);
      const added = own.filter((channel) => !known?.channels.has(channel));
      if (added.length === 0) return;
      if (known) {
        for (const channel of added) known.channels.add(channel);
        await (await known.opened).follow(added);
        return subscribed();
      }
      const opened = subscribe(own, { ...tools, at });
      subscriptions.set(address, { opened, channels: new Set(own) });
      await opened.catch((error: unknown) => {
        subscriptions.delete(address);
        throw error;
      });
      subscribed();
    });
    const failed = (await Promise.allSettled(opening)).find((one) => one.status === 'rejected');
    if (failed) throw failed.reason;
  }

  async function assignAgain(): Promise<void> {
    try {
      // What was published before that is lost.
      await assign(tools.handlers.onSubscribed);
    } catch (error) {
      tools.logger[loudness(error)]({ error: String(error) }, 'subscribing to replies of a node failed; trying again');
    }
  }

  await assign().catch((error: unknown) => {
    if (subscriptions.size === 0) throw error;
  });
  const unwatch = cluster.onChange(() => void assignAgain());
  const stop = repeat(ASSIGN_MS, assignAgain);
  return {
    async follow(more) {
      for (const channel of more) channels.add(channel);
      await assign();
    },
    close() {
      unwatch();
      stop();
      for (const address of [...subscriptions.keys()]) leave(address);
    },
  };
}

/** Subscribes at one server. */
async function subscribe(
  first: readonly string[],
  { endpoint, at, handlers, logger }: SubscriptionTools,
): Promise<ReplySubscription> {
  const { onReply, onSubscribed } = handlers;
  const channels = [...first];
  const subscriber = connectSubscriber(endpoint, 'weir-replies', at);
  subscriber.on('error', (error) => logger.debug({ error: String(error) }, 'subscription to Redis'));
  subscriber.on('smessageBuffer', (_channel: Buffer, message: Buffer) => onReply(message));

  let connections = 0;

  // The client may never settle what it is asked while its connection breaks.
  async function confirm(some: readonly string[] = channels): Promise<void> {
    const asked = Promise.all(some.map((channel) => subscriber.ssubscribe(channel)));
    await inTime(asked, CONFIRM_MS, 'subscribing was not confirmed in time');
  }

  /** Whether it is subscribed. If not, the connection is dropped, and the client makes another one. */
  async function confirmed(some?: readonly string[]): Promise<boolean> {
    const connection = connections;
    try {
      await confirm(some);
      return true;
    } catch (error) {
      // The connection may have broken by itself, and another one may be up by now.
      if (connection !== connections || subscriber.status !== 'ready') return false;
      logger[loudness(error)]({ error: String(error) }, 'the subscription to replies does not hold; connecting again');
      subscriber.disconnect(true);
      return false;
    }
  }

  try {
    await subscriber.connect();
    await confirm();
  } catch (error) {
    subscriber.disconnect();
    throw error;
  }
  subscriber.on('ready', async () => {
    connections++;
    if (await confirmed()) onSubscribed();
  });
  let turn = 0;
  const stopConfirming = repeat(CONFIRM_MS, async () => {
    if (subscriber.status === 'ready') await confirmed([channels[turn++ % channels.length]!]);
  });
  return {
    async follow(more) {
      channels.push(...more.filter((channel) => !channels.includes(channel)));
      await confirm();
    },
    close() {
      stopConfirming();
      subscriber.disconnect();
    },
  };
}
