/** `weir migrate`: brings the history tables up to date. Server processes never do it themselves. */
import type { Configuration } from '../../../../shared/configuration/configuration.js';
import { HISTORY_SETTINGS, historyAddressOf } from '../../../../shared/history/client.js';
import {
  type MigrateOptions,
  type Retention,
  migrate as runMigrations,
  tableStatements,
} from '../../../../shared/history/migrate.js';
import { readerStatements } from '../../../../shared/history/readers.js';
import { regionFrom } from '../../../../shared/region.js';
import { type Command, CommandUsageError, optionsOf } from '../../command.js';
import { readConfigurationFile } from '../../configuration/file.js';
import { installationSettings } from '../../installation.js';

/** The retention of a configuration, for the migrations. */
export function retentionOf({ retention }: Configuration): Retention {
  const { results_days: resultsDays, content_days: contentDays, audit_days: auditDays } = retention;
  return { resultsDays, contentDays, ...(auditDays === undefined ? {} : { auditDays }) };
}

/** What `--print` prints: statements in their order. */
const PRINTED: Record<string, (options: MigrateOptions) => string[]> = {
  tables: tableStatements,
  readers: readerStatements,
};

export const migrate: Command = {
  usage: `weir migrate [--cluster NAME [--sharded]] [--config FILE] [--print tables|readers]

  --cluster NAME   create replicated tables on this cluster
  --sharded        spread the tables over the shards of the cluster
  --config FILE    set how long content, results and the audit log are kept from its \`retention\` (default: no change)
  --print WHAT     print statements instead of running any: \`tables\`, for a database without them, or
                   \`readers\`, the role of people who ask in SQL on a server of your own

Runs the migrations that have not run yet. Running it again does nothing. Where WEIR_REGION names a region, rows have its
name. WEIR_CLICKHOUSE_URL and
WEIR_CLICKHOUSE_DATABASE name the database (default: that of npm start in WEIR_DATA_DIR, else http://127.0.0.1:8123, weir).`,
  options: optionsOf({ texts: 'cluster config print', flags: 'sharded' }),
  async run({ positionals, values }, output) {
    if (positionals.length > 0)
      throw new CommandUsageError('expected no arguments but --cluster, --sharded, --config and --print');
    const print = typeof values.print === 'string' ? values.print : undefined;
    if (print !== undefined && !Object.hasOwn(PRINTED, print)) {
      throw new CommandUsageError(`--print takes ${Object.keys(PRINTED).join(' or ')}, not "${print}"`);
    }
    const address = historyAddressOf(installationSettings(HISTORY_SETTINGS));
    const { name: region } = regionFrom(installationSettings(['region']).region);
    let retention = {};
    if (typeof values.config === 'string') {
      const read = readConfigurationFile(values.config, output);
      if (!read) return 1;
      retention = { retention: retentionOf(read.configuration) };
    }
    const sharded = values.sharded === true;
    if (sharded && typeof values.cluster !== 'string') throw new CommandUsageError('--sharded needs --cluster NAME');
    const cluster = typeof values.cluster === 'string' ? { cluster: values.cluster, sharded } : {};
    const options = { ...address, ...cluster, ...retention, region };
    if (print !== undefined) {
      for (const statement of PRINTED[print]!(options)) output.block(`${statement};\n`);
      return 0;
    }
    const applied = await runMigrations(options);
    output.out(applied === 0 ? 'The tables are up to date.' : `Applied ${applied} migration(s).`);
    return 0;
  },
};
