/** The team that a command is for, and an environment or deployment of it. */
import type { Configuration } from '../../shared/configuration/types.js';
import { createHistoryClient, type HistoryAddress } from '../../shared/history/client.js';
import type { Redis } from '../../shared/streams/client.js';
import { activeVersion, keptVersions, NO_CONFIGURATION, readVersion } from '../../shared/streams/configuration.js';
import { CommandUsageError } from './command.js';

/** Where teams are looked up. `history`: also those that left the configuration long ago; undefined: its address is not known. */
export interface TeamPlaces {
  redis: Redis;
  history: HistoryAddress | undefined;
}

/** The team that is named, or the only one of the active configuration. Throws a {@link CommandUsageError} that lists them. */
export async function teamOf(places: TeamPlaces, named: string | undefined): Promise<string> {
  const teams = (await activeConfiguration(places.redis)).teams.map(({ id }) => id);
  if (named === undefined) {
    if (teams.length === 1) return teams[0]!;
    throw new CommandUsageError(`expected --team, one of: ${listed(teams)}`);
  }
  if (teams.includes(named)) return named;
  const isIt = ({ teams }: Configuration): boolean => teams.some(({ id }) => id === named);
  if (named !== '' && (await hasLeft(places, isIt, { team: named, kind: 'team', scope: '' }))) return named;
  throw new CommandUsageError(`--team: expected one of: ${listed(teams)}; got "${named.slice(0, 40)}"`);
}

/** An environment or a deployment, or all of a team. */
export interface NamedScope {
  team: string;
  kind: 'environment' | 'deployment' | 'team';
  /** '' of a team */
  scope: string;
}

/** Throws a {@link CommandUsageError} where the team has no such environment or deployment. */
export async function requireScope(places: TeamPlaces, named: NamedScope): Promise<void> {
  const { team, kind, scope } = named;
  if (kind === 'team') return;
  const idsIn = (configuration: Configuration): string[] =>
    configuration[`${kind}s`].filter((one) => one.team === team).map(({ id }) => id);
  const ids = idsIn(await activeConfiguration(places.redis));
  if (ids.includes(scope)) return;
  const isIt = (configuration: Configuration): boolean => idsIn(configuration).includes(scope);
  if (scope !== '' && (await hasLeft(places, isIt, named))) return;
  const expected = ids.length === 0 ? `the team "${team}" has none` : `expected one of team "${team}": ${listed(ids)}`;
  throw new CommandUsageError(`--${kind}: ${expected}; got "${scope.slice(0, 40)}"`);
}

const MOST_LISTED = 30;

function listed(ids: readonly string[]): string {
  const more = ids.length > MOST_LISTED ? ` and ${ids.length - MOST_LISTED} more` : '';
  return ids.slice(0, MOST_LISTED).join(', ') + more;
}

async function activeConfiguration(redis: Redis): Promise<Configuration> {
  const text = await readVersion(redis, await activeVersion(redis));
  if (text === undefined) throw new Error(NO_CONFIGURATION);
  return JSON.parse(text) as Configuration;
}

const ROWS = `SELECT 1 FROM items WHERE team = {team:String}
  AND ({kind:String} = 'team' OR scope = {scope:String} AND (kind IN ('event', 'events')) = ({kind:String} = 'environment')) LIMIT 1`;

/** What is gone from the configuration may have left something: it is of an earlier version that is kept, or has rows. */
async function hasLeft(
  { redis, history }: TeamPlaces,
  isIn: (configuration: Configuration) => boolean,
  { team, kind, scope }: NamedScope,
): Promise<boolean> {
  for (const { version } of (await keptVersions(redis)).reverse()) {
    const text = await readVersion(redis, version);
    if (text !== undefined && isIn(JSON.parse(text) as Configuration)) return true;
  }
  if (!history) return false;
  const client = createHistoryClient(history);
  try {
    const query_params = { team, kind, scope };
    const answer = await client.query({ query: ROWS, query_params, format: 'JSONEachRow' });
    return (await answer.json()).length > 0;
  } finally {
    await client.close();
  }
}
