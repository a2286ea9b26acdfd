/** Where the installation is that a command works on. */
import { loadSettings, type SettingName, type Settings } from '../../shared/settings.js';
import { environmentOf } from '../local/credentials.js';

/**
 * Settings of a command: what the environment says, else what the installation that runs in WEIR_DATA_DIR (`npm start`) has
 * noted there, with its passwords.
 */
export function installationSettings<N extends SettingName>(names: readonly N[]): Settings<N> {
  const { dataDir } = loadSettings(process.env, ['dataDir']);
  const set = Object.entries(process.env).filter(([, value]) => value?.trim());
  return loadSettings({ ...environmentOf(dataDir), ...Object.fromEntries(set) }, names);
}

/** Where rows of history are. */
export interface HistoryAddress {
  url: string;
  database: string;
}

/** The ClickHouse of the installation. Undefined where only its Redis is named: what is found then may be another's. */
export function historyAddress(): HistoryAddress | undefined {
  if (!process.env.WEIR_CLICKHOUSE_URL && process.env.WEIR_REDIS_URL) return undefined;
  const { clickhouseUrl: url, clickhouseDatabase: database } = installationSettings([
    'clickhouseUrl',
    'clickhouseDatabase',
  ]);
  return { url, database };
}
