/** What was exported (`weir export`): a row for each run, which receipts of erasures are made of. */
import { FOREGROUND, type HistoryClient } from './client.js';

export const EXPORT_FORMATS = ['parquet', 'jsonl'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** What an export is of: items whose ids have a time from `since` up to, and without, `until` (Unix ms). */
export interface ExportedRange {
  team: string;
  /** '' of all of the team */
  scope: string;
  kind: 'team' | 'environment' | 'deployment';
  since: number;
  until: number;
}

export interface ExportRun extends ExportedRange {
  id: string;
  /** Unix ms */
  begun: number;
  format: ExportFormat;
  tables: readonly string[];
  /** who ran it, on which machine, and where the files are there */
  user: string;
  host: string;
  folder: string;
  files: number;
  rows: number;
  bytes: number;
  /** Unix ms; 0: it is under way, or was cut off */
  ended: number;
}

/** Stores a run, or how far it is. `now`: Unix ms. The last one that is stored counts. */
export async function storeExport(client: HistoryClient, run: ExportRun, now: number): Promise<void> {
  const { begun, since, until, ended, ...rest } = run;
  const times = { ts: timeText(begun), since: timeText(since), until: timeText(until), at: timeText(now) };
  await client.insert({
    table: 'exports',
    values: [{ ...rest, ...times, ended: ended === 0 ? null : timeText(ended) }],
    format: 'JSONEachRow',
    clickhouse_settings: FOREGROUND,
  });
}

const timeText = (ms: number): string => new Date(ms).toISOString().slice(0, -1).replace('T', ' ');

type ExportRow = { [K in keyof ExportRun]: ExportRun[K] extends number ? number | string : ExportRun[K] };

const ms = (column: string): string => `toUnixTimestamp64Milli(${column})`;
const RUNS = `SELECT id, team, toString(kind) AS kind, scope, ${ms('ts')} AS begun, ${ms('since')} AS since, ${ms('until')} AS until, format, tables,
    user, host, folder, files, rows, bytes, ifNull(${ms('ended')}, 0) AS ended
  FROM exports FINAL`;

/** The newest `most` runs, of all teams or of one, the newest first. */
export async function listExports(
  client: HistoryClient,
  { team = '', most }: { team?: string | undefined; most: number },
): Promise<ExportRun[]> {
  const query = `${RUNS} WHERE {team:String} = '' OR team = {team:String} ORDER BY ts DESC, id LIMIT {most:UInt32}`;
  const answer = await client.query({ query, query_params: { team, most }, format: 'JSONEachRow' });
  return (await answer.json<ExportRow>()).map(runOf);
}

function runOf({ begun, since, until, files, rows, bytes, ended, ...rest }: ExportRow): ExportRun {
  const numbers = { begun, since, until, files, rows, bytes, ended };
  return {
    ...rest,
    ...(Object.fromEntries(Object.entries(numbers).map(([k, v]) => [k, Number(v)])) as typeof numbers),
  } as ExportRun;
}
