/** What `npm start` says when it fails. */
import { MigrationError } from '../../shared/history/migrate.js';
import { SettingsError } from '../../shared/settings.js';
import { NotApplied } from '../cli/configuration/applying.js';
import { LockedError } from './lock.js';
import { PortTaken } from './ports.js';
import { StartError } from './processes/part.js';

const KNOWN = [SettingsError, PortTaken, LockedError, StartError, NotApplied, MigrationError];

/** Errors that the reader can act on are a sentence. Any other error has its stack trace. */
export function explain(error: unknown): string {
  // Its class is of a module that is loaded anew.
  const known =
    KNOWN.some((kind) => error instanceof kind) || (error instanceof Error && error.name === 'RedisMissing');
  if (error instanceof Error) return known || !error.stack ? error.message : error.stack;
  return String(error);
}
