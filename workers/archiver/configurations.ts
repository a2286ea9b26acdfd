/**
 * Writes the configurations that were applied to ClickHouse, so that rows lead to what they were judged by, and tells the audit log of them and
 * of their keys. All archivers do it; the sorting key removes what two of them write. A configuration stays in Redis for 20 versions, so an outage of ClickHouse loses none
 * unless more are applied meanwhile. ClickHouse may lose them, as it is restored or begins empty on the same address: so it is asked again and
 * again what it has, and what it lacks of the kept versions is written anew.
 */
import { FOREGROUND, type HistoryClient } from '../../shared/history/client.js';
import type { Logger } from '../../shared/log.js';
import { appliedVersions, readConfiguration } from '../../shared/streams/configuration.js';
import type { RedisConnection } from '../../shared/streams/script.js';
import { insertAudit } from './audit.js';
import { type AuditedVersion, auditOfVersion, expiredKeys, keysIn } from './audit-of-versions.js';

export interface ConfigurationRowsOptions {
  redis: RedisConnection;
  clickhouse: HistoryClient;
  logger: Logger;
  /** how long what ClickHouse has is believed to stay there */
  believedMs?: number;
}

const BELIEVED_MS = 60_000;

export interface ConfigurationRows {
  /** Writes those that are not there yet. Rejects when a store cannot be asked; the next call goes on. */
  writeNew(): Promise<void>;
}

export function createConfigurationRows(options: ConfigurationRowsOptions): ConfigurationRows {
  const { redis, clickhouse, logger, believedMs = BELIEVED_MS } = options;
  /** Ids that ClickHouse has; undefined until it was asked. */
  let known: Set<string> | undefined;
  /** ms of the steady clock of that answer */
  let askedAt = 0;
  /** the newest time of an apply that was looked at, so that a look costs Redis one small answer */
  let seen = '';
  /** the version that was applied last */
  let active: AuditedVersion | undefined;
  /** Unix ms up to which expired keys were told */
  let expiredUntil = 0;

  async function ask(): Promise<Set<string>> {
    const query = 'SELECT DISTINCT id FROM configurations ORDER BY applied DESC LIMIT 1000';
    const answer = await clickhouse.query({ query, format: 'JSONEachRow' });
    return new Set((await answer.json<{ id: string }>()).map(({ id }) => id));
  }

  async function write(text: string, version: AuditedVersion, before: readonly AuditedVersion[]): Promise<void> {
    if (known?.has(version.id)) return;
    // Where its row is lost, so are those of its keys.
    expiredUntil = 0;
    // First, since a version is not looked at again once its row is there.
    await insertAudit(clickhouse, auditOfVersion(version, before));
    const { keys: _, ...rest } = JSON.parse(text) as Record<string, unknown>;
    const { at, user, host, message } = version.applied;
    const row = {
      number: version.number,
      id: version.id,
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
    known?.add(version.id);
    logger.info({ version: version.number }, 'a configuration was written to ClickHouse');
  }

  async function writeAll(): Promise<void> {
    const versions = await appliedVersions(redis);
    const now = versions.map(({ version, applied }) => `${version} ${applied.at.getTime()}`).join();
    if (performance.now() - askedAt > believedMs) known = undefined;
    if (known !== undefined && now === seen) return;
    if (known === undefined) {
      known = await ask();
      askedAt = performance.now();
    }
    // One that is refused holds up no other.
    const outcomes: PromiseSettledResult<void>[] = [];
    const before: AuditedVersion[] = [];
    for (const { version: number, applied } of versions) {
      const stored = await readConfiguration(redis, number);
      // It was dropped meanwhile.
      if (stored === undefined) continue;
      const version = { number, id: stored.id, applied, keys: keysIn(stored.text) };
      outcomes.push(...(await Promise.allSettled([write(stored.text, version, before)])));
      before.push(version);
    }
    active = before.at(-1);
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failed) throw failed.reason;
    seen = now;
  }

  /** Tells of keys of the active version that have expired since they were looked at. */
  async function writeExpired(): Promise<void> {
    if (!active) return;
    const now = Date.now();
    await insertAudit(clickhouse, expiredKeys(active, Math.max(expiredUntil, active.applied.at.getTime()), now));
    expiredUntil = now;
  }

  /** the failure that was logged last, so that an outage is one line */
  let told = '';
  return {
    async writeNew() {
      try {
        await writeAll();
        await writeExpired();
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
