/**
 * Moves the audit log from Redis into ClickHouse. All archivers do it: two that write an entry write the same row, which replaces itself. An
 * entry stays in Redis until its row is stored.
 */
import { FOREGROUND, type HistoryClient } from '../../shared/history/client.js';
import type { Logger } from '../../shared/log.js';
import { type AuditLogRow, dropAudit, oldestAudit } from '../../shared/streams/audit.js';
import type { Redis } from '../../shared/streams/client.js';

export interface AuditRowsOptions {
  redis: Redis;
  clickhouse: HistoryClient;
  logger: Logger;
}

export interface AuditRows {
  /** Stores what waits. Rejects when a store cannot be asked; the next call goes on. */
  store(): Promise<void>;
}

/** Entries of an insert, and how many of these one call makes. */
const AT_ONCE = 2000;
const MOST_INSERTS = 10;

export function createAuditRows({ redis, clickhouse, logger }: AuditRowsOptions): AuditRows {
  /** the failure that was logged last, so that an outage is one line */
  let told = '';

  async function storeAll(): Promise<void> {
    for (let inserts = 0; inserts < MOST_INSERTS; inserts++) {
      const entries = await oldestAudit(redis, AT_ONCE);
      if (entries.length === 0) return;
      await insertAudit(
        clickhouse,
        entries.map(({ row }) => row),
      );
      await dropAudit(redis, entries);
    }
  }

  return {
    async store() {
      try {
        await storeAll();
        told = '';
      } catch (error) {
        const { name, code } = error as NodeJS.ErrnoException;
        const problem = `${name} ${code ?? ''}`.trim();
        if (problem !== told) logger.warn({ problem }, 'the audit log was not written to ClickHouse; trying again');
        told = problem;
        throw error;
      }
    },
  };
}

/** Stores rows of the audit log; those that are there already replace themselves. */
export async function insertAudit(clickhouse: HistoryClient, rows: readonly AuditLogRow[]): Promise<void> {
  if (rows.length === 0) return;
  await clickhouse.insert({
    table: 'audit',
    values: rows,
    format: 'JSONEachRow',
    // An entry may be of any time in which ClickHouse was away. What a table knows of a block may be stored without the block.
    clickhouse_settings: {
      ...FOREGROUND,
      async_insert: 0,
      insert_deduplicate: 0,
      max_partitions_per_insert_block: '0',
    },
  });
}
