/** What of a configuration is a team's. */
import type { Configuration } from './types.js';

/** The lists of a configuration that has nothing. */
export const NO_LISTS: Omit<Configuration, 'risk' | 'retention'> = {
  version: 1,
  teams: [],
  keys: [],
  backends: [],
  policies: [],
  metrics: [],
  deployments: [],
  environments: [],
  notify: [],
};

/** The part of `team` of a version that is stored: nothing in it is of another team. `risk` and `retention` hold for all. */
export function ownPart(stored: Configuration, team: string): Configuration {
  // A version of an earlier release may lack a list.
  const of = <T extends { team: string | null }>(list: readonly T[] | undefined): T[] =>
    (list ?? []).filter((each) => each.team === team);
  return {
    version: stored.version,
    teams: stored.teams.filter(({ id }) => id === team),
    keys: of(stored.keys),
    backends: of(stored.backends),
    policies: of(stored.policies),
    metrics: of(stored.metrics),
    deployments: of(stored.deployments),
    environments: of(stored.environments),
    notify: of(stored.notify),
    risk: stored.risk,
    retention: stored.retention,
    ...(stored.logins ? { logins: of(stored.logins) } : {}),
  };
}
