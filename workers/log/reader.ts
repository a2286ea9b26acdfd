/** The life of a role that reads the log: connections of its own, a sign that it lives, and an end in order. */
import { repeat } from '../../shared/async.js';
import { FLEET_FORMATS } from '../../shared/formats.js';
import { createHistoryClient, type HistoryClient, historyAddressOf } from '../../shared/history/client.js';
import type { Logger } from '../../shared/log.js';
import { connectCommands, type Redis, waitForRedis } from '../../shared/streams/client.js';
import { createPulse, memberName, type Pulse, retire } from '../../shared/streams/fleet.js';
import type { Follower } from '../../shared/streams/keys.js';
import type { LogEntry } from '../archiver/read-log.js';
import type { Role, RoleTools } from '../role.js';

export interface LogReader {
  start(): void;
  /** Never rejects. */
  stop(): Promise<void>;
  /** ms of the steady clock of the last sign of progress */
  lastProgress(): number;
}

/** What a reader of the log is made with, beside the tools of its role. */
export interface ReaderTools {
  redis: Redis;
  /** the connection by which the roles of this process ask for the fleet */
  fleet: Redis;
  clickhouse: HistoryClient;
  pulse: Pulse;
  /** this process among those of the role */
  name: string;
}

/** Says once for each entry that a newer release has to read it, and what waits for that. */
export function createNewerNotice(logger: Logger, what: string): (partition: number, entry: LogEntry) => void {
  const said = new Map<number, string>();
  return (partition, { id, format }) => {
    if (said.get(partition) === id) return;
    said.set(partition, id);
    logger.warn(
      { partition, entry: id },
      `an entry of the log has format ${format}, of a newer release: ${what} of this partition wait for a worker of that release`,
    );
  };
}

/** A third as often as a worker that evaluates: no `apply` waits for it. */
const BEAT_MS = 1500;

export async function startLogReader(
  kind: 'archiver' | Follower,
  tools: RoleTools,
  make: (tools: ReaderTools) => LogReader,
): Promise<Role> {
  const { settings, logger } = tools;
  const clickhouse = createHistoryClient({
    ...historyAddressOf(settings),
    quorum: settings.clickhouseQuorum,
  });
  // Its reads are large: on a connection of their own they do not delay commits.
  const redis = connectCommands(settings, `weir-${kind}`, 30_000);
  redis.on('error', (error) => logger.debug({ error: String(error) }, 'connection to Redis'));
  await waitForRedis(redis, settings);
  const pulse = createPulse(tools.redis, FLEET_FORMATS, true);
  const name = memberName();
  const reader = make({ redis, fleet: tools.redis, clickhouse, pulse, name });
  const beat = async (): Promise<void> => {
    await pulse.beat({ kind, name }).catch((error: unknown) => {
      logger.debug({ error: String(error) }, 'heartbeat failed');
    });
  };
  let beating = beat();
  const stopBeating = repeat(BEAT_MS, () => {
    beating = beat();
    return beating;
  });
  reader.start();
  return {
    lastProgress: reader.lastProgress,
    trouble: pulse.trouble,
    async stop() {
      stopBeating();
      await reader.stop();
      // A beat that arrives after the farewell would bring this worker back.
      await beating;
      // A Redis that is away forgets it by itself.
      await retire(tools.redis, kind, name).catch(() => undefined);
      await clickhouse.close();
      redis.disconnect();
    },
  };
}
