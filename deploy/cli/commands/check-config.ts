import { problemText } from '../../../shared/configuration/configuration.js';
import { compilePlan } from '../../../shared/policy/compile.js';
import { type Command, UsageError } from '../command.js';
import { loadConfigurationFile } from '../configuration-file.js';

/** Checks a configuration file: everything that `apply` would refuse is found here, without a server. */
export const checkConfig: Command = {
  name: 'check-config',
  summary: 'check a configuration file',
  usage: `weir check-config FILE

Prints FILE:LINE:COLUMN: what was expected, for everything that is wrong, and exits with 1.
A file that is right is summed up in a line, and the exit code is 0. Before it are warnings, on the standard error, of what is
allowed and does nothing: policies that no deployment or active condition lists, or that look at nothing (a detector of images
in a policy for texts), and fields of "event" in conditions that no event has.`,
  options: {},
  run({ positionals }, output) {
    const [file, ...rest] = positionals;
    if (file === undefined || rest.length > 0) throw new UsageError('expected one FILE');
    const loaded = loadConfigurationFile(file, output);
    if (!loaded) return 1;
    const { configuration } = loaded;
    compilePlan(configuration, 0);
    const warnings = loaded.warnings();
    for (const warning of warnings) output.err(problemText({ ...warning, message: `warning: ${warning.message}` }));
    const { teams, keys, policies, deployments, environments } = configuration;
    const counts = { teams, keys, policies, deployments, environments };
    const parts = Object.entries(counts).map(([what, list]) => count(list.length, what));
    const warned = warnings.length === 0 ? '' : `, ${count(warnings.length, 'warnings')}`;
    output.out(`${file}: ok (${parts.join(', ')})${warned}`);
    return 0;
  },
};

/** `1 team`, `2 policies`. */
function count(n: number, plural: string): string {
  const singular = plural === 'policies' ? 'policy' : plural.slice(0, -1);
  return `${n} ${n === 1 ? singular : plural}`;
}
