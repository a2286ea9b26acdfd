/**
 * What a short file stands for: a team that is not named, an environment and a deployment for all policies. What is stored has all of it
 * written out, so these rules never change what a stored version means.
 */
import type { ShortForms } from './read/fields.js';
import type { Configuration, TeamConfiguration } from './types.js';

/** The id of what a file leaves out: its team, its environment, its deployment. */
export const DEFAULT_ID = 'default';

/** The condition of the default environment. */
const EVERYTHING = { id: 'everything', name: 'Everything', active: true, when: 'true' };

/** The team of a file without `teams`. */
export const defaultTeams = (): TeamConfiguration[] => [{ id: DEFAULT_ID, fail_closed: false }];

/** Entries that come after the teams need not name the only one. */
export function noteTeams(teams: readonly TeamConfiguration[], short: ShortForms): void {
  if (teams.length === 1) short.team = teams[0]!.id;
}

/** Gives each team an environment and a deployment. Policies come into them by {@link fillDefaults}, once packs are written out. */
export function addDefaults({ teams, environments, deployments }: Configuration): void {
  for (const { id: team } of teams) {
    environments.push({ id: DEFAULT_ID, team, conditions: [] });
    deployments.push({ id: DEFAULT_ID, team, name: DEFAULT_ID, policies: [], metrics: [] });
  }
}

/** Puts all policies and metrics in. A policy that the condition of a pack selects is selected by that alone. */
export function fillDefaults({ policies, metrics, environments, deployments }: Configuration): void {
  const idsOf = (list: readonly { id: string; team: string }[], team: string): string[] =>
    list.filter((each) => each.team === team).map(({ id }) => id);
  for (const deployment of deployments) {
    deployment.policies = idsOf(policies, deployment.team);
    deployment.metrics = idsOf(metrics, deployment.team);
  }
  for (const { team, conditions } of environments) {
    const selected = new Set(conditions.flatMap((condition) => condition.policies));
    const rest = idsOf(policies, team).filter((id) => !selected.has(id));
    const measured = idsOf(metrics, team);
    if (rest.length + measured.length > 0) conditions.push({ ...EVERYTHING, policies: rest, metrics: measured });
  }
}
