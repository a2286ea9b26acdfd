/** Runs on a thread: reads versions of the configuration, each of which may have 32 million characters, so that they hold up no request. */
import { yieldToThreads } from '../../shared/process/priority.js';
import { type AskedPolicies, type ComparedVersions, teamChanges, teamPolicies } from './team-part.js';

yieldToThreads();

export type VersionTask = { compare: ComparedVersions } | { list: AskedPolicies };

/** Makes what {@link teamChanges} or {@link teamPolicies} return. */
export const run = (task: VersionTask): unknown =>
  'compare' in task ? teamChanges(task.compare) : teamPolicies(task.list);
