/**
 * Follows the active configuration. Twice a second ingress asks which one is active. Once a second, and where there is news, it does so by
 * telling the fleet that it lives and which one it works by. States:
 *
 *     none ──one is active──> in force ──another is active──> in force
 *       ^                        ├── the active one cannot be read ──> the last one stays in force
 *       └── Redis has none any more ┘
 */
import { repeat } from '../../shared/async.js';
import { loadConfiguration } from '../../shared/configuration/configuration.js';
import type { Logger } from '../../shared/log.js';
import type { Redis } from '../../shared/streams/client.js';
import { activeIdentity, NO_CONFIGURATION, readConfiguration } from '../../shared/streams/configuration.js';
import { createPulse, hasNews, memberName, retire } from '../../shared/streams/fleet.js';
import { buildDirectory, type Directory } from './directory.js';

const POLL_MS = 500;

export interface DirectoryWatch {
  /** the one in force; version 0, without any key, when there is none */
  current(): Directory;
  /** the format that this process writes */
  writes(): number;
  /** undefined: checks can be taken, evaluated and answered; else why not, in a sentence */
  trouble(): string | undefined;
  close(): Promise<void>;
}

const NOTHING_APPLIED: Directory = {
  version: 0,
  id: '',
  key: () => undefined,
  keyOf: () => undefined,
  login: () => undefined,
  failClosed: () => false,
  keepsContent: true,
  masksContent: false,
  deployment: () => undefined,
  environment: () => undefined,
  severity: () => undefined,
  policies: () => [],
  hooks: () => [],
  risk: { window_days: 30, weights: { low: 1, medium: 2, high: 5 }, elevated: 4, severe: 10 },
  regions: new Map(),
};

/** Resolves after the first look, also when there is no configuration yet. */
export async function watchDirectory(redis: Redis, logger: Logger): Promise<DirectoryWatch> {
  const heartbeat = createHeartbeat(redis, logger);
  let directory = NOTHING_APPLIED;
  let refused = '';

  function lose(): void {
    if (directory !== NOTHING_APPLIED) logger.error({ version: directory.version }, 'Redis has lost the configuration');
    directory = NOTHING_APPLIED;
  }

  async function look(): Promise<void> {
    const active = await heartbeat.active(directory.id);
    if (active?.id === directory.id) return;
    if (!active) return lose();
    const { version, id } = active;
    const stored = await readConfiguration(redis, version);
    // Another one has become active meanwhile: the next look finds it.
    if (stored && stored.id !== id) return;
    const loaded = stored && loadConfiguration(stored.text);
    if (!loaded?.ok) {
      // The last good one stays in force. This should not happen: a version is checked before it becomes active.
      if (refused !== id) logger.error({ version }, 'the active configuration cannot be read');
      refused = id;
      return;
    }
    directory = buildDirectory(loaded.configuration, active);
    logger.info({ version, id }, 'configuration in force');
    // `weir apply` waits to hear that.
    await heartbeat.beat(id);
  }

  const failed = (error: unknown): void =>
    logger.debug({ error: String(error) }, 'looking for the configuration failed');
  const lookSafely = (): Promise<void> => look().catch(failed);
  await lookSafely();
  const stop = repeat(POLL_MS, lookSafely);
  return {
    current: () => directory,
    writes: heartbeat.writes,
    trouble() {
      const trouble = heartbeat.trouble();
      if (trouble !== undefined) return trouble;
      if (directory === NOTHING_APPLIED) return NO_CONFIGURATION;
      return heartbeat.last()?.workers === 0 ? 'No worker lives that could evaluate checks.' : undefined;
    },
    async close() {
      stop();
      await heartbeat.leave();
    },
  };
}

/** Says that this process lives. `inForce`: identity of the configuration that it works by. */
function createHeartbeat(redis: Redis, logger: Logger) {
  const name = memberName();
  const pulse = createPulse(redis);
  let used = 0;
  /** The last look was a heartbeat that Redis has taken, and it told of workers. */
  let beaten = false;
  const beat = (inForce: string) => pulse.beat({ kind: 'ingress', name, used, inForce });
  return {
    beat,
    /** The active one, by Redis. The heartbeat tells it; a Redis that takes no writes is only read. */
    async active(inForce: string) {
      const brief = beaten;
      beaten = false;
      try {
        if (brief && !(await hasNews(redis))) return pulse.last()?.active;
        const said = await beat(inForce);
        beaten = said.workers > 0;
        used = Math.max(used, said.newest);
        return said.active;
      } catch (error) {
        logger.debug({ error: String(error) }, 'heartbeat failed');
      }
      return await activeIdentity(redis);
    },
    trouble: pulse.trouble,
    writes: pulse.writes,
    last: pulse.last,
    leave: () => retire(redis, 'ingress', name).catch(() => undefined),
  };
}
