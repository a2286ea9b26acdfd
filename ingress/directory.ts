/** The active configuration as the edge needs it, followed by asking Redis for the active version twice a second. */
import type { Logger } from '../shared/log.js';
import { loadConfiguration } from '../shared/policy/configuration.js';
import { buildDirectory, type Directory } from '../shared/policy/directory.js';
import { repeat } from '../shared/repeat.js';
import type { Redis } from '../shared/streams/client.js';
import { activeVersion, readVersion } from '../shared/streams/configuration.js';

const POLL_MS = 500;

export interface DirectoryWatch {
  /** version 0, knowing no key, until a configuration has been applied */
  current(): Directory;
  close(): void;
}

const NOTHING_APPLIED: Directory = {
  version: 0,
  key: () => undefined,
  failClosed: () => false,
  deployment: () => undefined,
  environment: () => undefined,
  severity: () => undefined,
  risk: { window_days: 30, weights: { low: 1, medium: 2, high: 5 }, elevated: 4, severe: 10 },
};

/** Resolves after the first look, whether or not there is a configuration yet. */
export async function watchDirectory(redis: Redis, logger: Logger): Promise<DirectoryWatch> {
  let directory = NOTHING_APPLIED;

  async function look(): Promise<void> {
    const version = await activeVersion(redis);
    if (version === 0 || version === directory.version) return;
    const text = await readVersion(redis, version);
    const loaded = text === undefined ? undefined : loadConfiguration(text);
    if (!loaded?.ok) {
      // The last good one stays in force; the version was checked before it became active.
      logger.error({ version }, 'the active configuration cannot be read');
      return;
    }
    directory = buildDirectory(loaded.configuration, version);
    logger.info({ version }, 'configuration in force');
  }

  const lookSafely = async (): Promise<void> => {
    try {
      await look();
    } catch (error) {
      logger.debug({ error: String(error) }, 'looking for the configuration failed');
    }
  };
  await lookSafely();
  return { current: () => directory, close: repeat(POLL_MS, lookSafely) };
}
