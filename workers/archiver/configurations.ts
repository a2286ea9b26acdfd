/**
 * Writes the configurations that were applied to ClickHouse, so that rows lead to what they were judged by. All archivers do it; the
 * sorting key removes what two of them write. A configuration stays in Redis for 20 versions, so an outage of ClickHouse loses none
 * unless more are applied meanwhile.
 */
import { FOREGROUND, type HistoryClient } from '../../shared/history/client.js';
import type { Logger } from '../../shared/log.js';
import { type AppliedVersion, appliedVersions, readConfiguration } from '../../shared/streams/configuration.js';
import type { RedisConnection } from '../../shared/streams/script.js';

export interface ConfigurationRowsOptions {
  redis: RedisConnection;
  clickhouse: HistoryClient;
  logger: Logger;
}

export interface ConfigurationRows {
  /** Writes those that are not there yet. Rejects when a store cannot be asked; the next call goes on. */
  writeNew(): Promise<void>;
}

export function createConfigurationRows({ redis, clickhouse, logger }: ConfigurationRowsOptions): ConfigurationRows {
  /** Ids that ClickHouse has; undefined until it was asked. */
  let known: Set<string> | undefined;
  /** the newest time of an apply that was looked at, so that a look costs Redis one small answer */
  let seen = '';

  async function ask(): Promise<Set<string>> {
    const query = 'SELECT DISTINCT id FROM configurations ORDER BY applied DESC LIMIT 1000';
    const answer = await clickhouse.query({ query, format: 'JSONEachRow' });
    return new Set((await answer.json<{ id: string }>()).map(({ id }) => id));
  }

  async function write({ version, applied }: AppliedVersion): Promise<void> {
    const stored = await readConfiguration(redis, version);
    // It was dropped meanwhile.
    if (stored === undefined || known?.has(stored.id)) return;
    const { keys: _, ...rest } = JSON.parse(stored.text) as Record<string, unknown>;
    const { at, user, host, message } = applied;
    const row = {
      number: version,
      id: stored.id,
      applied: at.toISOString().replace('T', ' ').slice(0, -1),
      user,
      host,
      message,
    };
    await clickhouse.insert({
      table: 'configurations',
      values: [{ ...row, configuration: JSON.stringify(rest) }],
      format: 'JSONEachRow',
      clickhouse_settings: FOREGROUND,
    });
    known?.add(stored.id);
    logger.info({ version }, 'a configuration was written to ClickHouse');
  }

  async function writeAll(): Promise<void> {
    const versions = await appliedVersions(redis);
    const now = versions.map(({ version, applied }) => `${version} ${applied.at.getTime()}`).join();
    if (now === seen) return;
    known ??= await ask();
    // One that is refused holds up no other.
    const outcomes: PromiseSettledResult<void>[] = [];
    for (const version of versions) outcomes.push(...(await Promise.allSettled([write(version)])));
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failed) throw failed.reason;
    seen = now;
  }

  /** the failure that was logged last, so that an outage is one line */
  let told = '';
  return {
    async writeNew() {
      try {
        await writeAll();
        told = '';
      } catch (error) {
        // A message of ClickHouse may quote the row, which holds policies.
        const { name, code } = error as NodeJS.ErrnoException;
        const problem = `${name} ${code ?? ''}`.trim();
        if (problem !== told) logger.warn({ problem }, 'configurations were not written to ClickHouse; trying again');
        told = problem;
        throw error;
      }
    },
  };
}
