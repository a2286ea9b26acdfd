/** What can be exported, and how it is asked for: rows of items, by the time in their ids. */
import type { HistoryClient } from '../../../shared/history/client.js';
import type { ExportedRange, ExportFormat } from '../../../shared/history/exports.js';

/** Rows of items; the time in the id is `ts`. */
export const EXPORTED_TABLES = [
  'results',
  'contents',
  'images',
  'shadow_checks',
  'metrics',
  'labels',
  'appeals',
] as const;
export type ExportedTable = (typeof EXPORTED_TABLES)[number];

/** `results` is a view that has each item once. */
const source = (table: ExportedTable): string => (table === 'results' ? table : `${table} FINAL`);

/** How items of a scope were sent: an environment and a deployment may have the same name. */
const KINDS = { environment: "('events', 'event')", deployment: "('session', 'artifact')" } as const;

/** An export never stands in the way of others, and a day of it is bounded in time and memory. */
const SETTINGS = {
  max_execution_time: 3600,
  max_threads: 2,
  priority: '10',
  // Of tables that are spread over shards: what was erased on one is left out on all.
  distributed_product_mode: 'global',
} as const;

/** The whole answer is made before it begins: what fails is an error then, and no file that ends early. */
const WHOLE = {
  wait_end_of_query: 1,
  send_progress_in_http_headers: 1,
  http_headers_progress_interval_ms: '60000',
} as const;

const WRITTEN = {
  parquet: {
    name: 'Parquet',
    settings: { output_format_parquet_string_as_string: 1, output_format_parquet_row_group_size: '100000' },
  },
  jsonl: {
    name: 'JSONEachRow',
    settings: { date_time_output_format: 'iso', output_format_json_quote_64bit_integers: 0 },
  },
} as const;

/** The rows of a day, or of the part of one that an export is of. */
export interface ExportPiece {
  table: ExportedTable;
  /** Unix ms */
  since: number;
  until: number;
  rows: number;
}

const DAY_MS = 86_400_000;

export interface ExportReader {
  /** The days on which the table has rows of the range, the oldest first. */
  pieces(table: ExportedTable): Promise<ExportPiece[]>;
  /** The rows of a piece as a stream of bytes. */
  read(piece: ExportPiece, format: ExportFormat): Promise<NodeJS.ReadableStream>;
}

export function createExportReader(client: HistoryClient, range: ExportedRange): ExportReader {
  let mixed: Promise<boolean> | undefined;
  const selected = new Map<ExportedTable, Promise<string>>();

  async function rowsOf<T>(query: string, query_params: Record<string, unknown>): Promise<T[]> {
    const answer = await client.query({ query, query_params, format: 'JSONEachRow', clickhouse_settings: SETTINGS });
    return answer.json<T>();
  }

  const params = ({ since, until }: Pick<ExportPiece, 'since' | 'until'>) => ({
    team: range.team,
    scope: range.scope,
    since,
    until,
  });

  /** Whether the name of the scope is that of an environment and of a deployment. */
  function isMixed(kinds: string): Promise<boolean> {
    const other = `SELECT 1 FROM items WHERE ${OF_RANGE} AND scope = {scope:String} AND kind NOT IN ${kinds} LIMIT 1`;
    mixed ??= rowsOf(other, params(range)).then((found) => found.length > 0);
    return mixed;
  }

  async function conditionOf(table: ExportedTable): Promise<string> {
    const whole = `${OF_RANGE} AND id NOT IN (SELECT id FROM erased WHERE ${OF_RANGE})`;
    if (range.kind === 'team') return whole;
    const kinds = KINDS[range.kind];
    const scoped = `${whole} AND scope = {scope:String}`;
    if (table === 'results') return `${scoped} AND kind IN ${kinds}`;
    if (!(await isMixed(kinds))) return scoped;
    const ids = `SELECT id FROM items WHERE ${OF_RANGE} AND scope = {scope:String} AND kind IN ${kinds}`;
    return `${scoped} AND id IN (${ids})`;
  }

  /** Columns as every reader of Parquet knows them: it has no UUIDs and names of an enumeration. */
  function columnsOf(table: ExportedTable): Promise<string> {
    const known = selected.get(table);
    if (known) return known;
    const query = `SELECT name, type FROM system.columns WHERE database = currentDatabase() AND table = {table:String}
      AND default_kind NOT IN ('ALIAS', 'MATERIALIZED') ORDER BY position`;
    const made = rowsOf<{ name: string; type: string }>(query, { table }).then((columns) => {
      if (columns.length === 0) throw new Error(`ClickHouse has no table ${table}: run weir migrate`);
      return columns.map(({ name, type }) => `${plain(name, type)} AS \`${name}\``).join(', ');
    });
    selected.set(table, made);
    return made;
  }

  return {
    async pieces(table) {
      const query = `SELECT toUnixTimestamp(toStartOfDay(ts)) AS day, count() AS n FROM ${source(table)}
        WHERE ${await conditionOf(table)} GROUP BY day ORDER BY day`;
      const days = await rowsOf<{ day: number | string; n: number | string }>(query, params(range));
      return days.map(({ day, n }): ExportPiece => {
        const start = Number(day) * 1000;
        const [since, until] = [Math.max(start, range.since), Math.min(start + DAY_MS, range.until)];
        return { table, since, until, rows: Number(n) };
      });
    },
    async read({ table, since, until }, format) {
      const { name, settings } = WRITTEN[format];
      // A name that is given to a cast would stand for it in the condition, too.
      const query = `SELECT ${await columnsOf(table)} FROM (SELECT * FROM ${source(table)} WHERE ${await conditionOf(table)}) FORMAT ${name}`;
      const answer = await client.exec({
        query,
        query_params: params({ since, until }),
        clickhouse_settings: { ...SETTINGS, ...WHOLE, ...settings },
      });
      return answer.stream;
    },
  };
}

const OF_RANGE =
  "team = {team:String} AND ts >= fromUnixTimestamp64Milli({since:Int64}, 'UTC') AND ts < fromUnixTimestamp64Milli({until:Int64}, 'UTC')";

function plain(name: string, type: string): string {
  const readable = type
    .replaceAll(/Enum(?:8|16)\((?:'(?:[^'\\]|\\.)*'|[^')])*\)/g, 'String')
    .replaceAll('UUID', 'String');
  return readable === type ? `\`${name}\`` : `CAST(\`${name}\`, '${readable.replaceAll("'", "\\'")}')`;
}
