/**
 * The subscription to the replies of the evaluators, which must never be lost in silence: who has none still answers, but with
 * the last look before each deadline.
 *
 *     connecting ──ready──> subscribing ──confirmed──> subscribed ──every few seconds: subscribing again
 *         ^                     └ refused, or no answer in time ──> disconnected
 *         └──────────────────────────── connection lost ──────────────────┘
 *
 * Subscribing again on a connection that is subscribed changes nothing and shows that it is. The client's own way to subscribe
 * again after a reconnect forgets the channels when that connection breaks before Redis has confirmed them.
 */
import { repeat } from '../../shared/async.js';
import type { Logger } from '../../shared/log.js';
import { connectSubscriber } from '../../shared/streams/client.js';

export interface ReplyHandlers {
  onReply(message: Buffer): void;
  /** subscribed, at first or again: what was published before is gone */
  onSubscribed(): void;
}

/** How often the subscription is confirmed, and how long that may take. */
const CONFIRM_MS = 5000;

export interface Replies {
  /** Subscribes to more channels; resolves once that is confirmed. */
  follow(channels: readonly string[]): Promise<void>;
  close(): void;
}

/** Resolves once it is subscribed to all `first`; rejects when Redis cannot be reached or refuses. */
export async function subscribeToReplies(
  url: string,
  first: readonly string[],
  { onReply, onSubscribed }: ReplyHandlers,
  logger: Logger,
): Promise<Replies> {
  const channels = [...first];
  const subscriber = connectSubscriber(url, 'weir-replies');
  subscriber.on('error', (error) => logger.debug({ error: String(error) }, 'subscription to Redis'));
  subscriber.on('smessageBuffer', (_channel: Buffer, message: Buffer) => onReply(message));

  let connections = 0;

  async function confirm(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const silence = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error('subscribing was not confirmed in time')), CONFIRM_MS);
    });
    try {
      // What the client is asked while its connection breaks may never settle.
      await Promise.race([Promise.all(channels.map((channel) => subscriber.ssubscribe(channel))), silence]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Whether it is subscribed. If not, the connection is given up: the next one begins anew. */
  async function confirmed(): Promise<boolean> {
    const connection = connections;
    try {
      await confirm();
      return true;
    } catch (error) {
      // It may have broken by itself, and another one stand by now.
      if (connection !== connections || subscriber.status !== 'ready') return false;
      logger.warn({ error: String(error) }, 'the subscription to replies does not hold; connecting again');
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
  subscriber.on('ready', () => {
    connections++;
    void confirmed().then((subscribed) => {
      if (subscribed) onSubscribed();
    });
  });
  const stopConfirming = repeat(CONFIRM_MS, async () => {
    if (subscriber.status === 'ready') await confirmed();
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
