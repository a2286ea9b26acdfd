/**
 * Stores labels and appeals: rows of `weir.labels` and `weir.appeals`, which ClickHouse has on its disk before the caller is answered. So an outage
 * or a crash loses none that was answered, and nothing waits in Redis. A row that is sent again replaces itself.
 *
 *     idle ──a row──> inserting all rows that wait ──> inserting those that came meanwhile, if any; else idle
 *
 * An insert makes a part in the table, however few rows it has. So a process has one at a time.
 */
import { FOREGROUND, type HistoryClient } from '../../shared/history/client.js';
import { HistoryUnavailable } from '../../shared/history/read/breaker.js';
import type { Logger } from '../../shared/log.js';

/** Columns of `weir.labels`. */
export interface LabelRow {
  ts: string;
  team: string;
  scope: string;
  item: string;
  id: string;
  policy_id: string;
  policy_name: string;
  flagged: boolean;
  label: string;
  reviewer: string;
  note: string | null;
  key: string;
  at: string;
}

/** Columns of `weir.appeals`. */
export interface AppealRow {
  ts: string;
  team: string;
  scope: string;
  item: string;
  id: string;
  policy_id: string;
  policy_name: string;
  note: string | null;
  reference: string | null;
  key: string;
  at: string;
}

/** The rows of each table. */
interface SaidRows {
  labels: LabelRow;
  appeals: AppealRow;
}

export interface RowStore<R> {
  /** Resolves once ClickHouse has the row. Rejects with {@link HistoryUnavailable} where it does not take it, or too many wait. */
  store(row: R): Promise<void>;
}

/** How long ClickHouse may take. */
const INSERT_MS = 5000;
/** Rows that wait at most; of one team half as many. */
const MOST_WAITING = 512;

/** What a table knows of a block may be stored without the block, when the engine is killed at that moment: a repetition would store nothing. */
const SETTINGS = {
  ...FOREGROUND,
  insert_deduplicate: 0,
  async_insert: 0,
  max_partitions_per_insert_block: '0',
} as const;

interface WaitingRow<R> {
  row: R;
  resolve(): void;
  reject(error: Error): void;
}

export function createRowStore<T extends keyof SaidRows>(
  client: Pick<HistoryClient, 'insert'>,
  table: T,
  logger: Logger,
): RowStore<SaidRows[T]> {
  let waiting: WaitingRow<SaidRows[T]>[] = [];
  let inserting = false;
  /** the failure that was logged last, so that an outage is one line */
  let told = '';

  async function insert(rows: readonly SaidRows[T][]): Promise<void> {
    try {
      await client.insert({
        table,
        values: rows,
        format: 'JSONEachRow',
        clickhouse_settings: SETTINGS,
        abort_signal: AbortSignal.timeout(INSERT_MS),
      });
      told = '';
    } catch (error) {
      // A message of ClickHouse may quote the row, which has a note.
      const { name, code } = error as NodeJS.ErrnoException;
      const problem = `${name} ${code ?? ''}`.trim();
      if (problem !== told)
        logger.warn({ problem }, `ClickHouse does not take ${table}; their callers are asked to repeat them`);
      told = problem;
      throw new HistoryUnavailable(`ClickHouse does not take ${table}`, { cause: error });
    }
  }

  async function work(): Promise<void> {
    inserting = true;
    while (waiting.length > 0) {
      const some = waiting;
      waiting = [];
      try {
        await insert(some.map(({ row }) => row));
        for (const { resolve } of some) resolve();
      } catch (error) {
        for (const { reject } of some) reject(error as Error);
      }
    }
    inserting = false;
  }

  return {
    store(row) {
      const ofTeam = waiting.filter((one) => one.row.team === row.team).length;
      if (waiting.length >= MOST_WAITING || ofTeam >= MOST_WAITING / 2)
        return Promise.reject(new HistoryUnavailable(`too many ${table} wait for ClickHouse`));
      return new Promise((resolve, reject) => {
        waiting.push({ row, resolve, reject });
        if (!inserting) void work();
      });
    },
  };
}
