/**
 * Sends the deliveries that wait in the queues of this worker's partitions.
 *
 *     idle ──a delivery is due, or half a second has passed, two seconds where none waits──> sending ──nothing is due, or no slot is free──> idle
 *
 * - Slots limit the attempts: of a webhook, and of a team, which leaves as many free as it holds. Teams take turns, and so do the
 *   webhooks of a team: the one that was served last comes last. So a receiver that hangs delays only what is for it.
 * - A delivery that is taken is due again after the time of an attempt and some seconds. What a worker leaves that is killed is sent
 *   again by the next one, under the same id.
 * - One that fails is due again after a time that grows, with jitter, and is given up when it was tried for a day. Status 410 gives it up at
 *   once, as all further ones of that webhook until another configuration is active or the worker starts again.
 * - One whose webhook this worker does not know is dropped where the configuration that is active in Redis is the one that it knows. Another
 *   one may have the webhook: the delivery waits until this worker has heard of that.
 * - A receiver that answers 429 or 503 with `Retry-After` is sent nothing until then: neither this delivery nor others.
 */
import { setMaxListeners } from 'node:events';
import { createPause, type Pause } from '../../shared/async.js';
import { hookSecrets } from '../../shared/configuration/notify.js';
import type { HookConfiguration } from '../../shared/configuration/types.js';
import type { Logger } from '../../shared/log.js';
import { createSlots } from '../../shared/slots.js';
import { loudness, type Redis } from '../../shared/streams/client.js';
import { activeIdentity } from '../../shared/streams/configuration.js';
import {
  countDeliveries,
  dueHooks,
  type HookQueue,
  type QueuedDelivery,
  type Settled,
  settleDelivery,
  takeDeliveries,
} from '../../shared/streams/hooks.js';
import { keys } from '../../shared/streams/keys.js';
import type { HookMeters } from './meters.js';
import type { Attempted, DeliveryOutcome, Post } from './post.js';
import { signedHeaders } from './signature.js';

/** How often and how long failed deliveries are tried. */
export interface Retries {
  firstMs: number;
  /** each wait is so many times as long as the one before it */
  factor: number;
  mostMs: number;
  giveUpMs: number;
}

/** 5 s, 15 s, 45 s and so on up to 4 h: some 13 attempts in a day. */
export const RETRIES: Retries = { firstMs: 5000, factor: 3, mostMs: 4 * 3_600_000, giveUpMs: 24 * 3_600_000 };

/** The webhooks of the configuration that this worker takes for the active one, by name. */
export interface ActiveHooks {
  /** of that configuration; Redis may have made another one active since */
  id: string;
  hooks: ReadonlyMap<string, HookConfiguration>;
}

export interface SenderOptions {
  redis: Redis;
  /** partitions of this worker */
  own(): Promise<number[]>;
  /** undefined: not known now, so nothing is sent */
  active(): Promise<ActiveHooks | undefined>;
  post: Post;
  /** of an attempt */
  timeoutMs: number;
  meters: HookMeters;
  logger: Logger;
  retries?: Retries;
}

export interface Sender {
  start(): void;
  /** Looks for deliveries that are due. */
  wake(): void;
  /** Ends attempts that are under way after some seconds. */
  stop(): Promise<void>;
}

/** Attempts of this worker at once, and of one webhook. */
export const HOOK_SLOTS = { total: 64, perHook: 8 };

const IDLE_MS = 500;
/** What the notifier of this process adds wakes the sender. */
const EMPTY_MS = 2000;
const MEASURE_MS = 5000;
const STOP_MS = 3000;
/** Beyond the time of an attempt: to settle it. */
const SETTLE_MS = 2000;

export function createSender(options: SenderOptions): Sender {
  const { redis, meters, logger } = options;
  const { retries = RETRIES } = options;
  const slots = createSlots({ total: HOOK_SLOTS.total, perHost: HOOK_SLOTS.perHook, waiting: 0, spare: true });
  const aborting = new AbortController();
  // One listener for each attempt.
  setMaxListeners(0, aborting.signal);
  const underWay = new Set<Promise<void>>();
  const health = createHealth(logger);
  const turns = new Map<string, number>();
  let turn = 0;
  let known = nothingKnown('');
  let idle: Pause = createPause();
  let measuredAt = Number.NEGATIVE_INFINITY;
  let measuring = false;
  let stopping = false;
  let running: Promise<void> = Promise.resolve();

  const teamOf = (hook: string): string => hook.slice(0, hook.indexOf('/'));

  /** Starts what is due as far as slots are free. Returns whether nothing waits. */
  async function round(active: ActiveHooks): Promise<boolean> {
    if (known.configuration !== active.id) known = nothingKnown(active.id);
    const own = await options.own();
    const now = performance.now();
    const queues = await dueHooks(redis, own);
    const due = queues.due.filter(({ hook }) => now >= (known.pausedUntil.get(hook) ?? 0));
    const turnOf = (name: string): number => turns.get(name) ?? 0;
    due.sort(({ hook: a }, { hook: b }) => turnOf(teamOf(a)) - turnOf(teamOf(b)) || turnOf(a) - turnOf(b));
    for (const queue of due) await send(queue, active);
    // Sending does not wait for it: a node of a Cluster may hang.
    if (!measuring && performance.now() - measuredAt > MEASURE_MS) void measure(queues.empty ? [] : own);
    return queues.empty;
  }

  async function send(queue: HookQueue, active: ActiveHooks): Promise<void> {
    const held = await takeSlots(queue.hook);
    if (held.length === 0) return;
    turn++;
    turns.set(teamOf(queue.hook), turn);
    turns.set(queue.hook, turn);
    let taken: QueuedDelivery[] = [];
    try {
      const holdMs = options.timeoutMs + SETTLE_MS;
      taken = await takeDeliveries(redis, queue, { most: held.length, holdMs });
    } finally {
      for (const give of held.slice(taken.length)) give();
    }
    for (const [i, delivery] of taken.entries()) {
      meters.underWay(1);
      const work = deliver(queue, delivery, active).finally(() => {
        meters.underWay(-1);
        held[i]!();
        underWay.delete(work);
        idle.end();
      });
      underWay.add(work);
    }
  }

  /** As many as the webhook may have now. */
  async function takeSlots(hook: string): Promise<(() => void)[]> {
    const held: (() => void)[] = [];
    for (;;) {
      const give = await slots.take(hook, aborting.signal, teamOf(hook));
      if (!give) return held;
      held.push(give);
    }
  }

  /** Never rejects. */
  async function deliver(queue: HookQueue, delivery: QueuedDelivery, { id, hooks }: ActiveHooks): Promise<void> {
    try {
      const hook = hooks.get(queue.hook);
      if (!hook) {
        // The configuration has lost the webhook, and with it the wish to be told; or a newer one has just got it.
        const lost = (await activeIdentity(redis))?.id === id;
        if ((await settleDelivery(redis, queue, delivery, lost ? 'done' : IDLE_MS)) && lost) meters.removed();
        return;
      }
      const { outcome, pauseMs = 0 } = await attempt(hook, delivery, queue.hook);
      // What the end of this worker has cut off is sent again by the next one.
      if (aborting.signal.aborted && outcome !== 'delivered') return;
      meters.attempted(outcome);
      health.attempted(queue.hook, outcome);
      const tried = { ...delivery, attempts: delivery.attempts + 1, outcome };
      const settled = settledBy(outcome, tried, pauseMs);
      if ((await settleDelivery(redis, queue, tried, settled)) && settled === 'dead') {
        meters.gaveUp();
        const { attempts } = tried;
        logger.warn({ hook: queue.hook, delivery: tried.id, attempts, outcome }, 'a delivery was given up');
      }
    } catch (error) {
      // It is due again after a while, under the same id.
      failed(error);
    }
  }

  async function attempt(hook: HookConfiguration, delivery: QueuedDelivery, name: string): Promise<Attempted> {
    const { gone, pausedUntil } = known;
    if (gone.has(name)) return { outcome: 'gone' };
    const secrets = hookSecrets(process.env[hook.secret_env]);
    if (!secrets) return { outcome: 'no_secret' };
    const attempted = await options.post(hook.url, signedHeaders(delivery, secrets), delivery.body, aborting.signal);
    if (attempted.outcome === 'gone') gone.add(name);
    if (attempted.pauseMs !== undefined) {
      meters.paused();
      pausedUntil.set(name, Math.max(pausedUntil.get(name) ?? 0, performance.now() + attempted.pauseMs));
    }
    return attempted;
  }

  function settledBy(outcome: DeliveryOutcome, { attempts, since }: QueuedDelivery, pauseMs: number): Settled {
    if (outcome === 'delivered') return 'done';
    if (outcome === 'gone') return 'dead';
    const { firstMs, factor, mostMs, giveUpMs } = retries;
    const grown = Math.min(mostMs, firstMs * factor ** Math.min(attempts - 1, 20)) * (0.75 + Math.random() / 2);
    const wait = Math.max(grown, pauseMs * (1 + Math.random() / 10));
    return Date.now() + wait > since + giveUpMs ? 'dead' : Math.round(wait);
  }

  /** Never rejects. */
  async function measure(own: readonly number[]): Promise<void> {
    measuredAt = performance.now();
    measuring = true;
    try {
      let [deliveries, bytes] = [0, 0];
      for (const partition of own) {
        for (const hook of await redis.zrangebyscore(keys.hooksWaiting(partition), '-inf', '+inf')) {
          const counts = await countDeliveries(redis, partition, hook);
          deliveries += counts.waiting;
          bytes += counts.bytes;
        }
      }
      meters.backlog(deliveries, bytes);
    } catch (error) {
      failed(error);
    } finally {
      measuring = false;
    }
  }

  function failed(error: unknown): void {
    if (stopping) return;
    meters.failed('redis');
    const { message, code } = error as Error & { code?: string };
    logger[loudness(error)]({ code, error: String(message).slice(0, 300) }, 'deliveries to webhooks wait and repeat');
  }

  async function run(): Promise<void> {
    while (!stopping) {
      // Made before the round: what wakes it during the round counts.
      idle = createPause();
      let empty = false;
      try {
        const active = await options.active();
        if (active) empty = await round(active);
      } catch (error) {
        failed(error);
      }
      if (!stopping) await idle.sleep(empty ? EMPTY_MS : IDLE_MS);
    }
  }

  return {
    start() {
      running = run();
    },
    wake: () => idle.end(),
    async stop() {
      stopping = true;
      idle.end();
      const limit = setTimeout(() => aborting.abort(), STOP_MS);
      await running;
      await Promise.all(underWay);
      clearTimeout(limit);
    },
  };
}

/** What attempts have told of webhooks, under one configuration. `pausedUntil`: ms of the steady clock. */
const nothingKnown = (configuration: string) => ({
  configuration,
  gone: new Set<string>(),
  pausedUntil: new Map<string, number>(),
});

/** Says once that a webhook fails, and once that it works again. */
function createHealth(logger: Logger) {
  const failing = new Set<string>();
  return {
    attempted(hook: string, outcome: DeliveryOutcome): void {
      if (outcome === 'delivered') {
        if (failing.delete(hook)) logger.info({ hook }, 'a webhook works again');
      } else if (!failing.has(hook)) {
        failing.add(hook);
        logger.warn({ hook, outcome }, 'a webhook fails; its deliveries are repeated');
      }
    },
  };
}
