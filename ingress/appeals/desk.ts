/**
 * Stores appeals, one request for each at a time, and tells webhooks that one was opened or decided. Ingress puts what is to be told into the queues of the webhooks before it answers; workers
 * send it (`workers/hooks/`). Whoever repeats a request has it told again, so nothing that was answered is untold.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '../../shared/api/errors.js';
import { timestamp } from '../../shared/api/results/render.js';
import { fieldOf } from '../../shared/api/validate/judged.js';
import { hookName } from '../../shared/configuration/notify.js';
import type { HookConfiguration } from '../../shared/configuration/types.js';
import type { StoredAppeal } from '../../shared/history/read/appeals.js';
import { partitionOf } from '../../shared/ids.js';
import type { Logger } from '../../shared/log.js';
import type { Redis } from '../../shared/streams/client.js';
import { addDeliveries, deliveryId } from '../../shared/streams/hooks.js';
import { keys } from '../../shared/streams/keys.js';
import { readPartitions } from '../../shared/streams/partitions.js';
import type { Directory } from '../admission/directory.js';
import type { AppealRow, RowStore } from '../labels/store.js';

/** `appeal.opened`: it was made, or what decided it was taken back. */
export type AppealNews = 'appeal.opened' | 'appeal.decided';

export interface AppealDesk {
  /**
   * The appeal that there is of an item and a policy, or that is made now, by one request at a time: of two that overlap, the second one finds what
   * the first one has stored. Rejects with 503 where the other takes long, or Redis cannot be asked.
   */
  once(item: string, policy: string, work: AppealWork): Promise<StoredAppeal>;
  /** Resolves once ClickHouse has the row. Rejects with `HistoryUnavailable`. */
  store(row: AppealRow): Promise<void>;
  /** `at`: Unix ms of what is told. Rejects with 503 where Redis does not take it. */
  tell(news: AppealNews, appeal: StoredAppeal, at: number): Promise<void>;
}

export interface AppealWork {
  find(): Promise<StoredAppeal | undefined>;
  make(): Promise<StoredAppeal>;
}

export interface AppealDeskOptions {
  store: RowStore<AppealRow>;
  directory(): Directory;
  /** bytes of deliveries that Redis keeps for a team */
  hookBacklogBytes: number;
  logger: Logger;
}

/** An ingress that dies holds others up for so long. */
const LOCK_MS = 30_000;
/** How long a request waits for another one, and between two looks. */
const WAIT_MS = 5000;
const LOOK_MS = 100;

export function createAppealDesk(redis: Redis, options: AppealDeskOptions): AppealDesk {
  const { store, directory, hookBacklogBytes, logger } = options;

  async function add(news: AppealNews, appeal: StoredAppeal, at: number): Promise<void> {
    const own = directory().hooks(appeal.team);
    const told = own.filter((hook) => wants(hook, appeal.policy_id));
    if (told.length === 0) return;
    const mostBytes = hookBacklogBytes / own.length / (await readPartitions(redis));
    for (const hook of told) {
      const name = hookName(hook);
      const body = JSON.stringify(payloadOf(news, appeal, at));
      const id = deliveryId(name, appeal.id, `${news} ${appeal.policy_id} ${at}`);
      await addDeliveries(redis, { partition: partitionOf(appeal.id), hook: name, mostBytes }, [{ id, body }]);
    }
  }

  /** Whether this request has the lock; `key` is free again when it has expired. */
  async function lock(key: string, token: string): Promise<boolean> {
    try {
      return (await redis.set(key, token, 'PX', LOCK_MS, 'NX')) === 'OK';
    } catch (error) {
      logger.warn({ problem: String(error) }, 'an appeal cannot be made alone; its caller is asked to repeat it');
      throw new ApiError('unavailable', 'Appeals cannot be stored at the moment. Try again.');
    }
  }

  async function unlock(key: string, token: string): Promise<void> {
    if ((await redis.get(key)) === token) await redis.del(key);
  }

  return {
    async once(item, policy, { find, make }) {
      const [key, token] = [keys.appeal(partitionOf(item), item, policy), randomBytes(9).toString('base64url')];
      for (const until = performance.now() + WAIT_MS; ; await sleep(LOOK_MS)) {
        const found = await find();
        if (found) return found;
        if (await lock(key, token)) break;
        if (performance.now() > until)
          throw new ApiError('unavailable', 'The same appeal is being made at the moment. Send the same again.');
      }
      try {
        return (await find()) ?? (await make());
      } finally {
        // Where it cannot be freed, it expires.
        await unlock(key, token).catch(() => undefined);
      }
    },
    store: store.store,
    async tell(news, appeal, at) {
      try {
        await add(news, appeal, at);
      } catch (error) {
        logger.warn(
          { problem: String(error) },
          'webhooks cannot be told of an appeal; its caller is asked to repeat it',
        );
        throw new ApiError('unavailable', 'Webhooks cannot be told of it at the moment. Send the same again.');
      }
    },
  };
}

const wants = ({ on, policies }: HookConfiguration, policy: string): boolean =>
  on.includes('appeal') && (policies === null || policies.includes(policy));

/** Ids and policies, and nothing that anybody has written but the caller's own id. */
function payloadOf(type: AppealNews, appeal: StoredAppeal, at: number): object {
  const { item, id, team, scope, policy_id, policy_name, state, reference } = appeal;
  const [field, place] = [fieldOf(item), item === 'event' ? 'environment_id' : 'deployment_id'];
  return {
    type,
    timestamp: timestamp(at),
    data: {
      kind: item,
      team,
      [place]: scope,
      [field]: id,
      policy: { id: policy_id, name: policy_name },
      state,
      made_at: timestamp(appeal.at),
      ...(reference === null ? {} : { reference }),
      appeal_url: `/api/appeal?${field}=${id}&${place}=${encodeURIComponent(scope)}`,
    },
  };
}
