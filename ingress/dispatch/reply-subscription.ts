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
import { connectSubscriber, loudness } from '../../shared/streams/client.js';
import type { RedisEndpoint } from '../../shared/streams/endpoint.js';

export interface ReplyHandlers {
  onReply(message: Buffer): void;
  /** subscribed again: what was published meanwhile is lost */
  onSubscribed(): void;
}

/** How often the subscription is confirmed, and the time limit of that. */
const CONFIRM_MS = 5000;

export interface ReplySubscription {
  /** Subscribes to more channels; resolves once that is confirmed. */
  follow(channels: readonly string[]): Promise<void>;
  close(): void;
}

/** Resolves once it is subscribed to all of `first`. Rejects when Redis cannot be reached or refuses. */
export async function subscribeToReplies(
  endpoint: RedisEndpoint,
  first: readonly string[],
  { onReply, onSubscribed }: ReplyHandlers,
  logger: Logger,
): Promise<ReplySubscription> {
  const channels = [...first];
  const subscriber = connectSubscriber(endpoint, 'weir-replies');
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
