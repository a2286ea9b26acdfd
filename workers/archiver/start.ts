/** Starts the role of the archiver: it archives the log, and says that it lives. */
import { repeat } from '../../shared/async.js';
import { createHistoryClient } from '../../shared/history/client.js';
import { connectCommands, waitForRedis } from '../../shared/streams/client.js';
import { createPulse, memberName, retire } from '../../shared/streams/fleet.js';
import type { Role, RoleTools } from '../role.js';
import { createArchiver } from './archiver.js';

const BEAT_MS = 500;

export async function startArchiver(tools: RoleTools): Promise<Role> {
  const { settings, logger, registry, partitions } = tools;
  const clickhouse = createHistoryClient({ url: settings.clickhouseUrl, database: settings.clickhouseDatabase });
  // Its reads are large: on a connection of their own they do not delay commits.
  const redis = connectCommands(settings.redisUrl, 'weir-archiver', 30_000);
  redis.on('error', (error) => logger.debug({ error: String(error) }, 'connection to Redis'));
  await waitForRedis(redis, settings.redisUrl);
  const archiver = createArchiver({ redis, clickhouse, partitions, settings, logger, registry });
  const pulse = createPulse(tools.redis);
  const sign = { kind: 'archiver', name: memberName() } as const;
  const beat = async (): Promise<void> => {
    await pulse.beat(sign).catch((error: unknown) => logger.debug({ error: String(error) }, 'heartbeat failed'));
  };
  let beating = beat();
  const stopBeating = repeat(BEAT_MS, () => {
    beating = beat();
    return beating;
  });
  archiver.start();
  return {
    lastProgress: () => archiver.progress().lastAdvance,
    trouble: pulse.trouble,
    async stop() {
      stopBeating();
      await archiver.stop();
      // A beat that arrives after the farewell would bring this archiver back.
      await beating;
      await retire(tools.redis, sign.kind, sign.name).catch(() => undefined);
      await clickhouse.close();
      redis.disconnect();
    },
  };
}
