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
