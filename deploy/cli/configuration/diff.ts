/** Prints what changes from one configuration to another. */
import { configurationDiff, diffLines, diffSummary } from '../../../shared/configuration/diff.js';
import type { Configuration } from '../../../shared/configuration/types.js';
import type { CommandOutput } from '../command.js';

/** Prints what changes: a summary, then each change. `most`: lines behind the summary; absent: all. */
export function sayDiff(before: Configuration, after: Configuration, output: CommandOutput, most = Infinity): void {
  const diff = configurationDiff(before, after);
  output.out(diff.size === 0 ? 'Nothing changes.' : diffSummary(diff));
  const lines = diffLines(diff);
  for (const line of lines.slice(0, most)) output.out(line);
  if (lines.length > most) output.out(`… and ${lines.length - most} more lines`);
}
