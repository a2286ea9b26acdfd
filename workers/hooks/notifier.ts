/**
 * Tells webhooks of flagged checks, after their verdicts. It follows the log (`follower.ts`) and puts what is to be told into the queues of
 * the webhooks, from which the sender takes it. Which webhooks are told of a check says the configuration that judged it; where they are and
 * how it is signed says the active one.
 *
 * A crash after deliveries were added and before the place was moved adds them again. Their ids are functions of check and webhook, so
 * one that still waits stays as it is, and one that was sent is sent again under its id.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { hookName, hookSecrets, hooksOf, SECRETS_EXPECTED } from '../../shared/configuration/notify.js';
import type { HookConfiguration } from '../../shared/configuration/types.js';
import { addDeliveries, type Delivery } from '../../shared/streams/hooks.js';
import { createFollower, type Followed, type FollowerTools } from '../log/follower.js';
import type { LogReader } from '../log/reader.js';
import { DamagedRows } from '../rows/unpack-rows.js';
import { deliveriesOf } from './deliveries.js';
import type { HookMeters } from './meters.js';
import type { Post } from './post.js';
import { type ActiveHooks, createSender, type Retries } from './sender.js';

export interface NotifierOptions extends FollowerTools {
  /** bytes of deliveries that Redis keeps for a team */
  backlogBytes: number;
  post: Post;
  /** of an attempt */
  timeoutMs: number;
  meters: HookMeters;
  retries?: Retries;
}

/** Evaluators in this process wait no longer for their turn. */
const TURN_MS = 5;

interface HookDeliveries {
  mostBytes: number;
  deliveries: Delivery[];
}

export function createNotifier(options: NotifierOptions): LogReader {
  const { redis, meters, logger } = options;
  const follower = createFollower<ActiveHooks>({
    ...options,
    kind: 'hooks',
    delayMs: 0,
    useOf(configuration, { id }) {
      const hooks = hooksOf(configuration);
      return hooks.size > 0 ? { id, hooks } : undefined;
    },
    async handle(entries) {
      for (const [partition, some] of byPartition(entries)) {
        for (const [hook, { mostBytes, deliveries }] of await told(some)) {
          const dropped = await addDeliveries(redis, { partition, hook, mostBytes }, deliveries);
          if (dropped > 0) meters.noRoom(dropped);
        }
      }
      sender.wake();
    },
  });
  const checkSecrets = createSecretCheck(options);
  const sender = createSender({
    ...options,
    own: follower.own,
    async active() {
      if (!follower.following()) return undefined;
      const id = options.active()?.id ?? '';
      const active = await follower.inUse();
      if (active) checkSecrets(active);
      // The configuration has no webhooks: what waits is dropped.
      return active === null ? { id, hooks: new Map() } : active;
    },
  });

  /** Deliveries by webhook, and how much room these have: an equal share of what their team has in all partitions. */
  async function told(entries: readonly Followed<ActiveHooks>[]): Promise<Map<string, HookDeliveries>> {
    let turnAt = performance.now();
    const all = new Map<string, HookDeliveries>();
    for (const { format, rows, use } of entries) {
      if (performance.now() - turnAt > TURN_MS) {
        await nextTurn();
        turnAt = performance.now();
      }
      for (const [hook, delivery] of readable(use.hooks, format, rows)) {
        const team = use.hooks.get(hook)!.team;
        const ofTeam = [...use.hooks.values()].filter((each) => each.team === team).length;
        const mostBytes = options.backlogBytes / ofTeam / options.partitions();
        const known = all.get(hook);
        if (known) known.deliveries.push(delivery);
        else all.set(hook, { mostBytes, deliveries: [delivery] });
      }
    }
    return all;
  }

  function readable(hooks: ReadonlyMap<string, HookConfiguration>, format: string, rows: Buffer) {
    try {
      return deliveriesOf(hooks, format, rows);
    } catch (error) {
      // The archiver sets such an entry aside.
      if (!(error instanceof DamagedRows)) throw error;
      meters.skipped();
      return [];
    }
  }

  return {
    start() {
      follower.start();
      sender.start();
    },
    lastProgress: follower.lastProgress,
    async stop() {
      await Promise.all([follower.stop(), sender.stop()]);
      logger.debug('webhooks stopped');
    },
  };
}

function byPartition<T extends { partition: number }>(entries: readonly T[]): Map<number, T[]> {
  const all = new Map<number, T[]>();
  for (const entry of entries) {
    const some = all.get(entry.partition);
    if (some) some.push(entry);
    else all.set(entry.partition, [entry]);
  }
  return all;
}

/** Says of each configuration once which secrets this worker lacks. */
function createSecretCheck({ logger }: NotifierOptions) {
  let checked = '';
  return ({ id, hooks }: ActiveHooks): void => {
    if (checked === id) return;
    checked = id;
    for (const hook of hooks.values()) {
      const { secret_env: variable } = hook;
      if (hookSecrets(process.env[variable])) continue;
      const trouble = process.env[variable] ? 'is no secret' : 'is not set';
      logger.error(
        { hook: hookName(hook), variable, expected: SECRETS_EXPECTED },
        `the secret of a webhook ${trouble}`,
      );
    }
  };
}
