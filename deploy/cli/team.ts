/** The team that a command is for. */
import type { Configuration } from '../../shared/configuration/types.js';
import type { Redis } from '../../shared/streams/client.js';
import { activeVersion, NO_CONFIGURATION, readVersion } from '../../shared/streams/configuration.js';
import { CommandUsageError } from './command.js';

/** The team that is named, or the only one of the active configuration. */
export async function teamOf(redis: Redis, named: string | undefined): Promise<string> {
  const text = await readVersion(redis, await activeVersion(redis));
  if (text === undefined) throw new Error(NO_CONFIGURATION);
  const teams = (JSON.parse(text) as Configuration).teams.map(({ id }) => id);
  // A team that is gone may have left something.
  if (named !== undefined) return named;
  if (teams.length === 1) return teams[0]!;
  throw new CommandUsageError(`expected --team, one of: ${teams.join(', ')}`);
}
