/** `weir migrate`: brings the history tables up to date. Server processes never do it themselves. */
import type { Configuration } from '../../../../shared/configuration/configuration.js';
import { migrate as runMigrations } from '../../../../shared/history/migrate.js';
import { type Command, UsageError } from '../../command.js';
import { readConfigurationFile } from '../../configuration/file.js';
import { installationSettings } from '../../installation.js';

/** The retention of a configuration, for the migrations. */
export function retentionOf({ retention }: Configuration): { resultsDays: number; contentDays: number } {
  return { resultsDays: retention.results_days, contentDays: retention.content_days };
}

export const migrate: Command = {
  usage: `weir migrate [--cluster NAME] [--config FILE]

  --cluster NAME   create replicated tables on this cluster
  --config FILE    set how long content and results are kept from its \`retention\` (default: no change)

Runs the migrations that have not run yet. Running it again does nothing. WEIR_CLICKHOUSE_URL and
WEIR_CLICKHOUSE_DATABASE name the database (default: that of npm start in WEIR_DATA_DIR, else http://127.0.0.1:8123, weir).`,
  options: { cluster: { type: 'string' }, config: { type: 'string' } },
  async run({ positionals, values }, output) {
    if (positionals.length > 0) throw new UsageError('expected no arguments but --cluster and --config');
    const settings = installationSettings(['clickhouseUrl', 'clickhouseDatabase']);
    let retention = {};
    if (typeof values.config === 'string') {
      const read = readConfigurationFile(values.config, output);
      if (!read) return 1;
      retention = { retention: retentionOf(read.configuration) };
    }
    const cluster = typeof values.cluster === 'string' ? { cluster: values.cluster } : {};
    const applied = await runMigrations({
      url: settings.clickhouseUrl,
      database: settings.clickhouseDatabase,
      ...cluster,
      ...retention,
    });
    output.out(applied === 0 ? 'The tables are up to date.' : `Applied ${applied} migration(s).`);
    return 0;
  },
};
