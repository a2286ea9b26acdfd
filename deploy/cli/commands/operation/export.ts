/** `weir export`, `weir exports list`: rows of history as files, and who has such files. */
import { createHistoryClient } from '../../../../shared/history/client.js';
import { EXPORT_FORMATS, type ExportedRange, type ExportRun, listExports } from '../../../../shared/history/exports.js';
import { type Arguments, type Command, CommandUsageError, optionsOf } from '../../command.js';
import { operator } from '../../configuration/operator.js';
import { EXPORTED_TABLES, type ExportedTable } from '../../export/tables.js';
import { historyAddress, withInstallation } from '../../installation.js';
import { numberOption, textOption } from '../../options.js';
import { counted } from '../../progress.js';
import { sinceOf } from '../../since.js';
import { requireScope, teamOf } from '../../team.js';

const NEEDS = 'expected WEIR_CLICKHOUSE_URL beside WEIR_REDIS_URL: exports are of ClickHouse';

export const exportRows: Command = {
  usage: `weir export --out DIR [--team ID] [--environment ID | --deployment ID] [--from TIME] [--to TIME] [--format parquet|jsonl] [--tables NAMES]

  --out DIR          a new folder, or one with an export of the same scope and format: files that are there stay as they are
  --team ID          the team whose rows are exported [the only one]
  --environment ID   only events of this environment
  --deployment ID    only sessions and images of this deployment
  --from TIME        items from this time on, by their ids: such as 7d, 2026-11-01, or 2026-11-01T12:00:00Z [all that are stored]
  --to TIME          items before this time [the begin of today, UTC]
  --format FORMAT    parquet, or jsonl: an object a line [parquet]
  --tables NAMES     separated by commas [${EXPORTED_TABLES.join(',')}]

Writes a file for each table and day (UTC), such as results-2026-11-01.parquet. A file gets its name when it is complete, so the same command goes
on where it was cut off, and adds days to a folder. It waits until what was accepted before is archived, and until erasures of the team that are under way have
removed their items: what was erased is in no export. Each run is noted in weir.exports, and receipts of later erasures name it.

WEIR_CLICKHOUSE_URL names the ClickHouse, with a user who may also insert into weir.exports (default: that of npm start in WEIR_DATA_DIR).`,
  options: optionsOf({ texts: 'out team environment deployment from to format tables' }),
  async run(given, output) {
    if (given.positionals.length > 0) throw new CommandUsageError('expected no arguments beside the options');
    const asked = askedOf(given, Date.now());
    const history = historyAddress();
    if (!history) throw new Error(NEEDS);
    const { exportHistory } = await import('../../export/run.js');
    return withInstallation(async (redis) => {
      const team = await teamOf({ redis, history }, textOption(given, 'team'));
      await requireScope({ redis, history }, { ...asked, team });
      const run = await exportHistory({ redis, history }, { ...asked, team, by: operator('') }, output);
      const { id, files, rows, bytes, folder } = run;
      output.out(JSON.stringify({ export_id: id, files, rows, bytes, folder }));
      return 0;
    });
  },
};

const DAY_MS = 86_400_000;
const dayOf = (ms: number): number => Math.floor(ms / DAY_MS) * DAY_MS;

/** A span of days is of whole days. */
function timeIn(text: string, now: number, option: string): number {
  const at = sinceOf(text, now, option);
  return /^\d+d$/.test(text) ? dayOf(at) : at;
}

function askedOf(given: Arguments, now: number) {
  const text = (name: string): string | undefined => textOption(given, name);
  const folder = text('out');
  if (!folder) throw new CommandUsageError('expected --out, a folder for the files');
  const [from, to] = [text('from'), text('to')];
  const since = from === undefined ? 0 : timeIn(from, now, '--from');
  const until = to === undefined ? dayOf(now) : timeIn(to, now, '--to');
  if (since >= until) {
    const [start, end] = [since, until].map((ms) => new Date(ms).toISOString());
    throw new CommandUsageError(`expected --from to be before --to, got ${start} and ${end}`);
  }
  const name = text('format') ?? 'parquet';
  const format = EXPORT_FORMATS.find((one) => one === name);
  if (!format)
    throw new CommandUsageError(`--format: expected ${EXPORT_FORMATS.join(' or ')}, got "${name.slice(0, 40)}"`);
  return { ...scopeIn(given), since, until, format, tables: tablesIn(text('tables')), folder };
}

function scopeIn(given: Arguments): Pick<ExportedRange, 'kind' | 'scope'> {
  const [environment, deployment] = [textOption(given, 'environment'), textOption(given, 'deployment')];
  if (environment !== undefined && deployment !== undefined) {
    throw new CommandUsageError('expected --environment or --deployment, not both');
  }
  if (environment === '' || deployment === '')
    throw new CommandUsageError('expected the id of an environment or a deployment');
  if (environment !== undefined) return { kind: 'environment', scope: environment };
  return deployment === undefined ? { kind: 'team', scope: '' } : { kind: 'deployment', scope: deployment };
}

function tablesIn(list: string | undefined): readonly ExportedTable[] {
  if (list === undefined) return EXPORTED_TABLES;
  const names = list.split(',').map((name) => name.trim());
  const other = names.find((name) => !(EXPORTED_TABLES as readonly string[]).includes(name));
  if (other !== undefined) {
    throw new CommandUsageError(
      `--tables: expected some of ${EXPORTED_TABLES.join(', ')}, got "${other.slice(0, 40)}"`,
    );
  }
  return EXPORTED_TABLES.filter((table) => names.includes(table));
}

export const exportsList: Command = {
  usage: `weir exports list [--team ID] [--limit N] [--json]

  --team ID   only those of this team
  --limit N   at most so many, to 1000 [100]
  --json      a JSON object a line

Prints who has exported what, and where the files are, the newest first. A run without an end is under way, or was cut off.

WEIR_CLICKHOUSE_URL names the ClickHouse; a user who may only read is enough (default: the reader of npm start in WEIR_DATA_DIR).`,
  options: optionsOf({ texts: 'team limit', flags: 'json' }),
  async run(given, output) {
    if (given.positionals.length > 0) throw new CommandUsageError('expected no arguments beside the options');
    const most = numberOption(given, 'limit', { default: 100, min: 1, max: 1000 });
    const history = historyAddress('reader');
    if (!history) throw new Error(NEEDS);
    const client = createHistoryClient(history);
    try {
      const runs = await listExports(client, { team: textOption(given, 'team'), most });
      for (const run of runs) output.out(given.values.json === true ? JSON.stringify(told(run)) : line(run));
      if (runs.length === 0 && given.values.json !== true) output.out('There are no exports.');
    } finally {
      await client.close();
    }
    return 0;
  },
};

const time = (ms: number): string => new Date(ms).toISOString();

const told = ({ begun, since, until, ended, kind, scope, ...run }: ExportRun) => ({
  ...run,
  ...(kind === 'team' ? {} : { [kind]: scope }),
  begun_at: time(begun),
  from: time(since),
  to: time(until),
  ended_at: ended === 0 ? null : time(ended),
});

function line(run: ExportRun): string {
  const { id, team, kind, scope, begun, since, until, format, user, host, folder, files, rows, ended } = run;
  const of = kind === 'team' ? team : `${team} ${kind} ${scope}`;
  const made = ended === 0 ? 'no end' : `${counted(rows)} rows in ${counted(files)} files`;
  return `${id}  ${time(begun)}  ${of}  ${time(since)} to ${time(until)}  ${format}  ${made}  ${user}@${host}:${folder}`;
}
