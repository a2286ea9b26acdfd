/** What a plan has for checks of a deployment, and of a team. */
import type { CompiledPolicy, Plan, Selection, TeamPlan } from './plan.js';
import { selectedForSession, selectionOf } from './selection.js';
import type { Direction, Source } from './types.js';

/** Where a session or an artifact is checked, and against what. */
export interface DeploymentScope {
  team: string;
  deployment: string;
  /** only these of the deployment's policies; absent: all */
  restrict?: readonly string[] | undefined;
}

interface DeploymentSelections {
  team: TeamPlan;
  /** those of the direction; where policies are named, only these */
  policies(): readonly CompiledPolicy[];
  of(source: Source): Selection;
  /** says how many of the policies that are named do not apply; empty where all do, none does, or none is named */
  note(selections: readonly Selection[]): string;
}

/** What is selected for checks of a deployment. Throws a {@link MissingInPlan}. */
export function deploymentSelections(
  plan: Plan,
  { team: teamId, deployment: id, restrict }: DeploymentScope,
  direction: Direction,
): DeploymentSelections {
  const team = teamOf(plan, teamId);
  const deployment = team.deployments.get(id);
  if (!deployment) throw missing(plan, `deployment ${id} of team ${teamId}`);
  const named = restrict && new Set(restrict.map((each) => each.toLowerCase()));
  const key = named ? `${direction}|${[...named].sort().join()}` : direction;
  const policies = (): CompiledPolicy[] => {
    // Ingress refuses unknown policies. But an entry whose configuration Redis has lost is judged by another one.
    const unknown = [...(named ?? [])].find((one) => !deployment.policies.some((policy) => policy.id === one));
    if (unknown !== undefined) throw missing(plan, `policy ${unknown} in deployment ${id} of team ${teamId}`);
    return deployment.policies.filter(
      (policy) => (policy.direction === 'any' || policy.direction === direction) && (!named || named.has(policy.id)),
    );
  };
  return {
    team,
    policies,
    of: (source) =>
      selectionOf(team, deployment.selections, `${source}|${key}`, {
        source,
        idle: `no policy${named ? ' that is named' : ''} for ${direction} looks at ${source}s`,
        make: () => selectedForSession(policies(), source),
      }),
    // A policy in the shadow is in no answer, so nothing is said of one that is named.
    note: (selections) => {
      return named
        ? namedNote(selections, named.size - deployment.shadows.filter((each) => named.has(each)).length)
        : '';
    },
  };
}

function namedNote(selections: readonly Selection[], named: number): string {
  const applied = new Set(selections.flatMap(({ selected }) => selected.map(({ policy }) => policy)));
  // Where none applies, the selections say so themselves.
  if (applied.size === 0 || applied.size === named) return '';
  const rest = named - applied.size;
  return `${rest} of the ${named} policies named ${rest === 1 ? 'does' : 'do'} not apply, by direction or sources`;
}

/** Throws a {@link MissingInPlan}. */
export function teamOf(plan: Plan, id: string): TeamPlan {
  const team = plan.teams.get(id);
  if (!team) throw missing(plan, `team ${id}`);
  return team;
}

/** The plan is not that of the item. With another one it may be evaluated. */
export class MissingInPlan extends RangeError {}

export function missing(plan: Plan, what: string): MissingInPlan {
  return new MissingInPlan(`configuration version ${plan.version} has no ${what}`);
}
