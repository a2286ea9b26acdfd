/** What an operator is told of a configuration that is applied, and what is applied on demand only. */
import { NO_LISTS } from '../../../shared/configuration/own-part.js';
import { followsFromName } from '../../../shared/configuration/read/derived-ids.js';
import type { Configuration, PolicyConfiguration } from '../../../shared/configuration/types.js';
import { onOneLine } from '../../../shared/printable.js';
import type { CommandOutput } from '../command.js';
import { sayDiff } from './diff.js';

/** `before`: what is active; undefined: nothing */
export interface ConfigurationChanges {
  before: Configuration | undefined;
  after: Configuration;
}

export interface Reviewer {
  /** As `ApplyOptions` has it. */
  review(change: ConfigurationChanges): string[];
  /** Prints what was changed; nothing where nothing was. */
  sayChanges(applied: { version: number; changed: boolean }): void;
}

/** Lines about changes. `weir config diff` prints all of them. */
const MOST_LINES = 40;
const MOST_NAMED = 5;
const MOST_COMPARED = 100;

/** `yes`: all of a kind may be dropped */
export function createReviewer(yes: boolean, output: CommandOutput): Reviewer {
  let seen: ConfigurationChanges | undefined;
  return {
    review(change) {
      seen = change;
      const dropped = change.before ? droppedOf(change.before, change.after) : [];
      if (yes || dropped.length === 0) return [];
      return [
        'It was not applied, since it drops all that a team has of a kind:',
        ...dropped.map((line) => `  ${line}`),
        'Give --yes if that is meant. Nothing has changed.',
      ];
    },
    sayChanges({ changed }) {
      if (!seen || !changed) return;
      const { before = EMPTY, after } = seen;
      sayDiff(before, after, output, MOST_LINES);
      sayRenamed(before, after, output);
    },
  };
}

/** What weir apply would say besides the changes themselves. */
export function sayDoubts(before: Configuration, after: Configuration, output: CommandOutput): void {
  for (const line of droppedOf(before, after)) output.err(`warning: weir apply needs --yes for this: ${line}`);
  sayRenamed(before, after, output);
}

function sayRenamed(before: Configuration, after: Configuration, output: CommandOutput): void {
  for (const line of renamedOf(before, after)) output.err(`warning: ${line}`);
}

const EMPTY: Configuration = {
  ...NO_LISTS,
  risk: { window_days: 30, weights: { low: 1, medium: 2, high: 5 }, elevated: 4, severe: 10 },
  retention: { content_days: 30, results_days: 365 },
};

const KINDS = ['keys', 'environments', 'deployments', 'policies'] as const;

/** Teams that have none of a kind any more, and had some: `team acme: all 2 keys (demo, prod)`. */
function droppedOf(before: Configuration, after: Configuration): string[] {
  const own = (configuration: Configuration, kind: (typeof KINDS)[number], team: string): { id: string }[] =>
    configuration[kind].filter((each) => each.team === team);
  return before.teams.flatMap(({ id: team }) =>
    KINDS.flatMap((kind) => {
      const had = own(before, kind, team);
      if (had.length === 0 || own(after, kind, team).length > 0) return [];
      const names = had.slice(0, MOST_NAMED).map((each) => ('name' in each ? String(each.name) : each.id));
      const more = had.length > MOST_NAMED ? ` and ${had.length - MOST_NAMED} more` : '';
      return `team ${team}: ${had.length === 1 ? 'its only one' : `all ${had.length}`} of ${kind} (${names.join(', ')}${more})`;
    }),
  );
}

/** Policies whose id has gone with their name. A pair is told where the rest is the same, or where there is one of each in the team. */
function renamedOf(before: Configuration, after: Configuration): string[] {
  const ids = (policies: readonly PolicyConfiguration[]): Set<string> => new Set(policies.map(({ id }) => id));
  const [old, now] = [ids(before.policies), ids(after.policies)];
  const gone = before.policies.filter((policy) => followsFromName(policy) && !now.has(policy.id));
  const come = after.policies.filter((policy) => followsFromName(policy) && !old.has(policy.id));
  const rest = ({ detect, team }: PolicyConfiguration): string => JSON.stringify([team, detect]);
  const alike = new Map(come.map((policy) => [rest(policy), policy]));
  const onlyOf = (list: readonly PolicyConfiguration[], team: string): PolicyConfiguration | undefined => {
    const own = list.filter((policy) => policy.team === team);
    return own.length === 1 ? own[0] : undefined;
  };
  const lines = gone.slice(0, MOST_COMPARED).flatMap((policy) => {
    const heir = alike.get(rest(policy)) ?? (onlyOf(gone, policy.team) && onlyOf(come, policy.team));
    if (!heir) return [];
    return `policy "${onOneLine(heir.name)}" has another id than "${onOneLine(policy.name)}" had, since ids follow from names: results so far stay with ${policy.id}. To keep that, give it "id: ${policy.id}"`;
  });
  return lines.slice(0, MOST_NAMED);
}
