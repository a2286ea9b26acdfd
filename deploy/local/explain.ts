/** How `npm start` tells what went wrong. */
import { MigrationError } from '../../shared/history/migrate.js';
import { SettingsError } from '../../shared/settings.js';
import { NotApplied } from '../cli/commands/apply.js';
import { LockedError } from './lock.js';
import { PortTaken } from './ports.js';
import { StartError } from './processes/part.js';

const KNOWN = [SettingsError, PortTaken, LockedError, StartError, NotApplied, MigrationError];

/** What is somebody's to change is said in its own words, anything else with its trace. */
export function explain(error: unknown): string {
  const known = KNOWN.some((kind) => error instanceof kind);
  if (error instanceof Error) return known || !error.stack ? error.message : error.stack;
  return String(error);
}
